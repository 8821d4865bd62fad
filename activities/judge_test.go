package activities

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/talk"
)

// A fact that the person corrects loses trust, one that an answer used gains a little; both can be undone.
func TestConversationsJudgeFacts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	k := &dialogue{desk: d, owner: "user:7"}
	d.clock.Store(testNoon)
	id := member("ada", k.owner)
	lines := []string{"- Lives in Berlin.", "- Has a red Brompton bicycle.", "- Plays chess on Sundays."}
	content := "# Memory\n\n" + lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n"
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	receipt, err := k.store.Apply(t.Context(), id, "", []memory.Change{{Ref: ref, Op: memory.OpReplace, Content: content, Force: true}})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(testNoon, 0).Add(-10 * time.Minute)
	recall := dreams.Recall{
		Identity: id, Day: start, At: start.Add(time.Second),
		Hits: []dreams.RecalledHit{{Corpus: search.Memory, Scope: ref.Scope, Source: receipt.Changes[0].Document, Path: ref.Path, FromLine: 3, ToLine: 5}},
	}
	for _, line := range lines {
		recall.Hits[0].Entries = append(recall.Hits[0].Entries, markdown.EntryIDOf(line))
	}
	if err := k.store.RecordRecalls(t.Context(), []dreams.Recall{recall}); err != nil {
		t.Fatal(err)
	}
	b := talk.Batch{Conversation: k.name(), Trigger: memory.TriggerAPI, TurnComplete: true}
	for i, text := range []string{
		"Which bicycle do I have, and where do I live?", "You have a red Brompton bicycle, and you live in Berlin.",
		"No, I live in Hamburg.", "Hamburg, noted.",
	} {
		role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
		b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(i), Role: role, Content: text, CreatedAt: start.Add(time.Duration(i) * time.Minute)})
	}
	stored, err := k.store.AppendMessages(t.Context(), k.as("say"), b)
	if err != nil {
		t.Fatal(err)
	}
	k.uid = stored.ConversationUID
	judged := func() (out []string) {
		listed, err := k.store.ByTrust(t.Context(), id, facts.Query{Path: memory.MemoryPath})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range listed.Items {
			known, err := k.store.Fact(t.Context(), id, f.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range known.Feedback {
				out = append(out, fmt.Sprintf("%s %s %s %.1f %v", f.Text, g.Opinion, g.Reason, g.Weight, g.Undone.IsZero()))
			}
		}
		slices.Sort(out)
		return out
	}
	r, _ := k.pending(t)
	for range 2 { // the second attempt records nothing twice
		k.extract(t, r, "x", false, 10)
		if diff := cmp.Diff([]string{
			"Has a red Brompton bicycle. HELPFUL used 0.1 true", "Lives in Berlin. UNHELPFUL corrected 0.5 true",
		}, judged()); diff != "" {
			t.Fatal(diff)
		}
	}
	listed, err := k.store.ByTrust(t.Context(), id, facts.Query{Text: "berlin"})
	if err != nil || len(listed.Items) != 1 || listed.Items[0].Evidence.Unhelpful != .5 {
		t.Fatalf("%+v %v", listed, err)
	}
	known, err := k.store.Fact(t.Context(), id, listed.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.store.UndoFeedback(t.Context(), id, known.Now().ID, known.Feedback[0].ID); err != nil {
		t.Fatal(err)
	}
	k.extract(t, r, "y", false, 10)
	if all := judged(); len(all) != 2 || all[1] != "Lives in Berlin. UNHELPFUL corrected 0.5 false" {
		t.Errorf("undone: %q", all)
	}
}

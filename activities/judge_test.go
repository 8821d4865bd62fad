package activities

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/chat"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/search"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/talk"
	"reverie/toolbox"
)

// A fact that the person corrects loses trust, one that an answer used gains a little; both can be undone. The context has recorded what
// it showed: in the system prompt, as a fact shown in every turn, and as a result of its search.
func TestConversationsJudgeFacts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	k := &dialogue{desk: d, owner: "user:7"}
	d.clock.Store(testNoon)
	id := member("ada", k.owner)
	now := func() time.Time { return time.Unix(d.clock.Load(), 0) }
	for path, content := range map[string]string{
		memory.MemoryPath:    "# Memory\n\n- Lives in Berlin.\n- Has a red Brompton bicycle.\n- Plays chess on Sundays.\n",
		"structured/user.md": "## employer\n\nI work at Acme.\n",
		"notes/boats.md":     "# Boats\n\n- The boat is called Nordwind.\n- The harbour fee is 40 euros.\n",
	} {
		ref := memory.Ref{Scope: memory.ScopePersonal, Path: path}
		if _, err := k.store.Apply(t.Context(), id, "", []memory.Change{{Ref: ref, Op: memory.OpReplace, Content: content, Force: true}}); err != nil {
			t.Fatal(err)
		}
	}
	recorder := recall.NewRecorder(k.store, slog.New(slog.DiscardHandler))
	searcher := &recall.Searcher{Store: k.store, Defaults: recall.DefaultSettings(), Recorder: recorder, Now: now, Log: slog.New(slog.DiscardHandler)}
	talking := &chat.Service{Options: chat.Options{
		RecallPatience: time.Minute, Store: k.store, Search: searcher, Tools: &toolbox.Box{Store: k.store, Search: searcher},
		Settings: setting.DefaultWindowSettings(), Extract: setting.DefaultExtractSettings(), Now: now, Log: slog.New(slog.DiscardHandler),
	}}
	agent, err := k.store.Agent(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	say := func(conversation, question, answer string) {
		t.Helper()
		d.clock.Add(1)
		if _, err := talking.Context(t.Context(), id, agent, chat.ContextRequest{Conversation: conversation, Message: question}); err != nil {
			t.Fatal(err)
		}
		if err := recorder.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
		for i, text := range []string{question, answer} {
			role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i]
			d.clock.Add(10)
			said++
			b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(said), Role: role, Content: text, CreatedAt: now()})
		}
		stored, err := k.store.AppendMessages(t.Context(), k.as("say"), b)
		if err != nil {
			t.Fatal(err)
		}
		k.uid = stored.ConversationUID
	}
	say(k.name(), "Which bicycle do I have, and where do I live?", "You have a red Brompton bicycle, and you live in Berlin.")
	say(k.name(), "No, I live in Hamburg. I work at Siemens now.", "Hamburg, noted.")
	say(k.name(), "What is the boat called?", "The boat is called Nordwind.")
	judged := func() (out []string) {
		listed, err := k.store.ByTrust(t.Context(), id, facts.Query{})
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
			"Has a red Brompton bicycle. HELPFUL used 0.1 true", "I work at Acme. UNHELPFUL corrected 0.5 true",
			"Lives in Berlin. UNHELPFUL corrected 0.5 true", "The boat is called Nordwind. HELPFUL used 0.1 true",
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
	if all := judged(); len(all) != 4 || all[2] != "Lives in Berlin. UNHELPFUL corrected 0.5 false" {
		t.Errorf("undone: %q", all)
	}
}

// What was found in another conversation, or more than two messages of the person ago, is not judged.
func TestOtherConversationsJudgeNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.clock.Store(testNoon)
	start := time.Unix(testNoon, 0)
	for _, c := range []struct {
		name, conversation string
		messages           []string // the last two are of the step
		judged             int
	}{
		{"here", "c", []string{"Where do I live?", "In Berlin.", "I live in Hamburg now.", "OK."}, 1},
		{"elsewhere", "other", []string{"Where do I live?", "In Berlin.", "I live in Hamburg now.", "OK."}, 0},
		{"none", "", []string{"Where do I live?", "In Berlin.", "I live in Hamburg now.", "OK."}, 0},
		{"too late", "c", []string{"Where do I live?", "In Berlin.", "Hm.", "Yes?", "I live in Hamburg now.", "OK."}, 0},
	} {
		id := member("ada", memory.Owner("user:"+c.name))
		ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
		receipt, err := d.store.Apply(t.Context(), id, "", []memory.Change{{Ref: ref, Op: memory.OpReplace, Content: "- Lives in Berlin.\n", Force: true}})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.store.RecordRecalls(t.Context(), []dreams.Recall{{
			Identity: id, Day: start, At: start, Conversation: c.conversation,
			Hits: []dreams.RecalledHit{{
				Corpus: search.Memory, Scope: ref.Scope, Source: receipt.Changes[0].Document, Path: ref.Path, FromLine: 1, ToLine: 1,
				Entries: []markdown.EntryID{markdown.EntryIDOf("- Lives in Berlin.")},
			}},
		}}); err != nil {
			t.Fatal(err)
		}
		b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true}
		for i, text := range c.messages {
			role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
			b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(i), Role: role, Content: text, CreatedAt: start.Add(time.Duration(i+1) * time.Second)})
		}
		if _, err := d.store.AppendMessages(t.Context(), id, b); err != nil {
			t.Fatal(err)
		}
		stored, err := d.store.Messages(t.Context(), id, "c", 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		last := len(stored) - 2
		p := proposing{Activities: d.free, id: id, load: talk.ExtractionLoad{
			Scope: memory.ScopePersonal, Before: stored[:last], Messages: stored[last:], Conversation: talk.Conversation{ID: "c"},
		}}
		if err := p.judge(t.Context()); err != nil {
			t.Fatal(err)
		}
		listed, err := d.store.ByTrust(t.Context(), id, facts.Query{})
		if err != nil || len(listed.Items) != 1 {
			t.Fatal(listed, err)
		}
		known, err := d.store.Fact(t.Context(), id, listed.Items[0].ID)
		if err != nil || len(known.Feedback) != c.judged {
			t.Errorf("%s: %+v %v", c.name, known.Feedback, err)
		}
	}
}

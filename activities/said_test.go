package activities

import (
	"strings"
	"testing"
	"time"

	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/facts"
	"reverie/store/talk"
)

// What is extracted from old messages, as after an import, holds since they were written.
func TestFactsOfOldMessages(t *testing.T) {
	w := newFlushWorld(t, nil)
	o := w.options
	o.Proposer, o.Paid = extractive.New(), false
	w.use(t, o)
	said := time.Date(2024, 11, 21, 12, 0, 0, 0, time.UTC)
	b := talk.Batch{Conversation: "old", Trigger: memory.TriggerAPI, TurnComplete: true}
	for i, text := range []string{"Please remember that our canoe is in the shed.", "Noted.", "Thank you.", "You are welcome."} {
		role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
		b.Messages = append(b.Messages, memory.Message{ID: string(rune('a' + i)), Role: role, Content: text, CreatedAt: said.Add(time.Duration(i) * time.Minute)})
	}
	stored, err := w.Store.AppendMessages(t.Context(), w.id, b)
	if err != nil {
		t.Fatal(err)
	}
	out := must(t, w.world, w.Propose, ProposeInput{
		OwnerRef: w.ref, Conversation: stored.ConversationUID, From: 1, To: 4, Settings: setting.DefaultExtractSettings(),
	})
	must(t, w.world, w.Apply, ApplyInput{OwnerRef: w.ref, Extraction: out.Extraction})
	listed, err := w.Store.ByTrust(t.Context(), w.id, facts.Query{Path: memory.MemoryPath})
	if err != nil || len(listed.Items) != 1 || !strings.Contains(listed.Items[0].Text, "canoe") {
		t.Fatalf("%+v, %v", listed.Items, err)
	}
	day := said.Truncate(24 * time.Hour)
	if f := listed.Items[0]; !f.From.Equal(day) || !f.Evidence.Seen.Equal(day) {
		t.Errorf("since %s, seen %s", f.From, f.Evidence.Seen)
	}
}

// An old conversation that is read after a newer one, as after an import, does not bring back what has changed since.
func TestOldMessagesLeaveNewerLines(t *testing.T) {
	w := newFlushWorld(t, nil)
	o := w.options
	o.Proposer, o.Paid = extractive.New(), false
	w.use(t, o)
	extract := func(conversation, text string, at time.Time) {
		t.Helper()
		b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
		for i, text := range []string{text, "Noted.", "Thank you.", "You are welcome."} {
			role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
			b.Messages = append(b.Messages, memory.Message{ID: conversation + string(rune('a'+i)), Role: role, Content: text, CreatedAt: at})
		}
		stored, err := w.Store.AppendMessages(t.Context(), w.id, b)
		if err != nil {
			t.Fatal(err)
		}
		out := must(t, w.world, w.Propose, ProposeInput{
			OwnerRef: w.ref, Conversation: stored.ConversationUID, From: 1, To: 4, Settings: setting.DefaultExtractSettings(),
		})
		if out.HasDraft {
			must(t, w.world, w.Apply, ApplyInput{OwnerRef: w.ref, Extraction: out.Extraction})
		}
	}
	home := func(want string) {
		t.Helper()
		d, err := w.Store.Document(t.Context(), w.id, memory.Ref{Scope: memory.ScopePersonal, Path: memory.ProfilePath})
		if err != nil || !strings.Contains(d.Content, "- Home: "+want+"\n") || strings.Count(d.Content, "Home:") != 1 {
			t.Errorf("%s, %v", d.Content, err)
		}
	}
	now := w.Now()
	extract("first", "I live in Hamburg.", now.AddDate(0, -2, 0))
	home("Hamburg")
	extract("now", "I moved to Berlin.", now)
	home("Berlin")
	extract("old", "I live in Munich.", now.AddDate(-2, 0, 0))
	home("Berlin")
	extract("older", "I moved to Bremen.", now.AddDate(-3, 0, 0))
	home("Berlin")
	extract("again", "I moved to Ulm.", now)
	home("Ulm")
}

package activities

import (
	"fmt"
	"testing"

	"reverie/memory"
	"reverie/store/talk"
)

// A short last message does not hide what was said before it; only a range of short messages is left for later, and read with it.
func TestShortLastMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, trigger := range []memory.Trigger{memory.TriggerAPI, memory.TriggerImport} {
		k := &dialogue{desk: d, owner: memory.Owner(fmt.Sprint("user:", i))}
		tell := func(said ...string) {
			t.Helper()
			b := talk.Batch{Conversation: k.name(), Trigger: trigger, TurnComplete: true}
			for _, text := range said {
				k.messages += 2
				b.Messages = append(
					b.Messages, memory.Message{ID: fmt.Sprint("u", k.messages), Role: memory.RoleOfUser, Content: text},
					memory.Message{ID: fmt.Sprint("a", k.messages), Role: memory.RoleOfAssistant, Content: "I will keep that in mind."},
				)
			}
			stored, err := k.store.AppendMessages(t.Context(), k.as("say"), b)
			if err != nil {
				t.Fatal(err)
			}
			k.uid = stored.ConversationUID
		}
		propose := func() ProposeResult {
			t.Helper()
			r, found := k.pending(t)
			if !found || r.From != 1 {
				t.Fatalf("pending: %+v %v", r, found)
			}
			id := k.as(fmt.Sprint("run", r.To))
			record, err := k.store.BeginExtraction(t.Context(), id, r)
			if err != nil {
				t.Fatal(err)
			}
			in := ProposeInput{Conversation: r.ConversationUID, From: r.From, To: r.To, First: true, Settings: d.settings}
			p := proposing{Activities: d.free, in: in, id: id, record: record, began: d.free.Now()}
			out, err := p.run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		tell("thanks!", "123456789")
		if out := propose(); out.Outcome != memory.OutcomeSkipped || out.ReasonCode != memory.GateShortMessage {
			t.Errorf("%s: short messages only: %+v", trigger, out)
		}
		tell("1234567890", "ok")
		if out := propose(); !out.HasDraft {
			t.Errorf("%s: a short message at the end: %+v", trigger, out)
		}
	}
}

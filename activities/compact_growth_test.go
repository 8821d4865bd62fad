package activities

import (
	"fmt"
	"strings"
	"testing"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/store"
)

// When a conversation grows its summary is brought up to date: a model is shown what was summarised so far and what is new, once.
func TestASummaryIsBroughtUpToDate(t *testing.T) {
	w, s := newCompactWorld(t, nil)
	said := 0
	grow := func(contents ...string) {
		t.Helper()
		b := store.Batch{Conversation: "grows", Trigger: memory.TriggerAPI}
		for _, content := range contents {
			said++
			b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(said), Role: []string{memory.RoleOfAssistant, memory.RoleOfUser}[said%2], Content: content})
		}
		stored, err := w.Store.AppendMessages(t.Context(), w.id, b)
		if err != nil {
			t.Fatal(err)
		}
		w.ref.Owner, w.conversation = stored.OwnerID, stored.ConversationUID
		plan := must(t, w.world, w.PlanFlush, PlanFlushInput{OwnerRef: w.ref, Conversation: w.conversation, To: int64(said)})
		in := FlushStepInput{FlushRef: FlushRef{OwnerRef: w.ref, Flush: plan.Flush}, Settings: w.settings, Fallback: true}
		if out := must(t, w.world, w.ProposeFlush, in); out.HasDraft {
			must(t, w.world, w.CommitFlush, CommitFlushInput{FlushRef: in.FlushRef, From: out.From, To: out.To, Rules: true})
		}
	}
	summarise := func() (store.Compaction, llmtest.Request) {
		t.Helper()
		before := w.model.Stats().Requests
		begun := must(t, w.world, w.BeginCompaction, BeginCompactionInput{
			OwnerRef: w.ref, Conversation: w.conversation, To: int64(said), Trigger: memory.CompactByTurn, Settings: s,
		})
		in := SummariseInput{OwnerRef: w.ref, Compaction: begun.Compaction, Settings: s}
		if out := must(t, w.world, w.Summarise, in); !out.Ended || w.model.Stats().Requests != before+1 {
			t.Fatalf("%+v after %d questions", out, w.model.Stats().Requests-before)
		}
		asked := w.model.Requests()
		return w.compaction(t, in), asked[len(asked)-1]
	}
	grow("I plan a garden with an orchard.", "A good idea.")
	first, _ := summarise()
	grow("The pond is to lie behind the barn.", "Noted.")
	second, asked := summarise()
	if second.Previous != first.ID || second.From != 3 || second.To != 4 {
		t.Errorf("%+v behind %+v", second, first)
	}
	if !strings.Contains(asked.User, gardenSummary) || !strings.Contains(asked.User, "behind the barn") || strings.Contains(asked.User, "A good idea.") {
		t.Errorf("asked with\n%s", asked.User)
	}
}

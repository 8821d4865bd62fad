package store

import (
	"strings"
	"testing"
	"time"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/approvals"
	"reverie/store/gate"
	"reverie/store/talk"
)

// approveAll approves everything that waits for an owner.
func approveAll(t *testing.T, s *Store, owner memory.Owner) (lines int) {
	t.Helper()
	id := decider(owner, "k")
	for _, a := range must[Listed[approvals.Approval]](t)(s.Approvals(t.Context(), id, approvals.Filter{Open: true})).Items {
		var all []approvals.LineDecision
		for _, line := range statementsOf(a) {
			all = append(all, approvals.LineDecision{Line: line, Decision: gate.Approve})
		}
		must[approvals.Decided](t)(s.Decide(t.Context(), id, a.ID, all))
		lines += len(all)
	}
	return lines
}

// An extraction whose note waits has ended: its messages are accounted for, and the next ones are extracted.
func TestAnExtractionThatWaits(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	id := workflow("user:7", "r1")
	for _, text := range []string{"- is a nurse\n", "- likes tea\n"} {
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", text, 4)))
		x := drafted(t, s, id, text)
		done := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}))
		if x := done.Extraction; x.Outcome != memory.OutcomeNothing || x.ReasonCode != memory.ReasonApproval || done.More ||
			len(x.Changes) != 1 || x.Changes[0].Waiting == 0 {
			t.Errorf("%s: %+v", text, x)
		}
		again := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}))
		if !again.Receipt.Replayed {
			t.Errorf("%+v", again)
		}
	}
	if lines := approveAll(t, s, "user:7"); lines != 2 {
		t.Errorf("%d lines waited", lines)
	}
	if got := strings.Join(query[string](t, s, id, "select content from document_versions order by version desc limit 1"), ""); !strings.Contains(got, "- is a nurse") ||
		!strings.Contains(got, "- likes tea") {
		t.Errorf("%q", got)
	}
}

// A dream whose lines wait has written nothing, and promotes nothing: the statement stays open. The next dream runs.
func TestADreamThatWaits(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	person, id := member("user:7"), dreaming("user:7", "r1")
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 0, "- Likes tea.\n- Has a dog.\n"))
	x := committedDream(t, s, id, nightly("n"), tea, dog)
	if x.Open() || x.Outcome != memory.OutcomeNothing || x.ReasonCode != memory.ReasonApproval {
		t.Errorf("%+v", x)
	}
	if states := statesOf(t, s, id); states[tea.Text].Status != dream.Open {
		t.Errorf("%+v", states[tea.Text])
	}
	*now = now.Add(24 * time.Hour)
	if next := committedDream(t, s, dreaming("user:7", "r2"), nightly("m"), tea, dog); next.Open() || next.Outcome != memory.OutcomeNothing {
		t.Errorf("%+v", next)
	}
	approveAll(t, s, "user:7")
	if got := contentOf(t, s, person, memory.MemoryPath); got != "- Likes tea.\n" {
		t.Errorf("%q", got)
	}
}

// A flush is acknowledged although its entry waits: messages and proposal are stored.
func TestAFlushThatWaits(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	id := workflow("user:7", "r1")
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
	f := planned(t, s, id, stored.ConversationUID, 4)
	load := must[talk.FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, setting.DefaultExtractSettings()))
	if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, "- Likes tea.\n")); err != nil {
		t.Fatal(err)
	}
	done := must[talk.FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, load.From))
	if done.Flush.Outcome != memory.OutcomeNothing || approveAll(t, s, "user:7") == 0 {
		t.Errorf("%+v", done)
	}
}

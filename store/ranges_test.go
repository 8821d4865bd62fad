package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store/pg"
	"reverie/store/talk"
)

// A run that takes over an open record: the one before can no longer save, commit or end it.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	first, second := workflow("user:7", "r1"), workflow("user:7", "r2")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), first, turn("c", "m", 4)))
	x := drafted(t, s, first, "- old\n")
	r := talk.Range{ConversationUID: x.ConversationUID, From: 1, To: 4}

	if again := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), first, r)); again.ID != x.ID || !again.HasDraft {
		t.Errorf("the same run after a crash: %+v, want its draft", again)
	}
	taken := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), second, r))
	if taken.ID != x.ID || taken.HasDraft || taken.RunID != "r2" || taken.Usage.Calls != 1 {
		t.Errorf("taken over: %+v, want the record without its draft", taken)
	}
	for what, err := range map[string]error{
		"draft": s.SaveDraft(t.Context(), first, x.ID, talk.Draft{Changes: []memory.Change{noteChange("a")}, To: 4}),
		"commit": func() error {
			_, err := s.CommitExtraction(t.Context(), first, talk.Commit{ExtractionID: x.ID})
			return err
		}(),
		"outcome": func() error {
			_, err := s.RecordOutcome(t.Context(), first, x.ID, talk.Ending{Outcome: memory.OutcomeFailed})
			return err
		}(),
	} {
		if !conflict(pg.CodeSuperseded)(err) {
			t.Errorf("%s of the run before: %v", what, err)
		}
	}
	if _, err := s.CommitExtraction(t.Context(), second, talk.Commit{ExtractionID: x.ID}); !conflict(pg.CodeNoDraft)(err) {
		t.Errorf("commit without a draft: %v", err)
	}
}

// Begins of many runs at once share one record, and the last one has it.
func TestConcurrentBegins(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r")
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
	const runs = 8
	ids, errs := make([]uuid.UUID, runs), make([]error, runs)
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			x, err := s.BeginExtraction(
				t.Context(), runOf(id, fmt.Sprint("r", i)), talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 4},
			)
			ids[i], errs[i] = x.ID, err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, x := range ids {
		if x != ids[0] {
			t.Errorf("records %v, want one", ids)
		}
	}
}

func TestBeginRefuses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
	open := turn("c", "n", 1)
	open.TurnComplete = false
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, open))
	uid := stored.ConversationUID
	x := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, talk.Range{ConversationUID: uid, From: 1, To: 4}))
	for name, c := range map[string]struct {
		id    memory.Identity
		r     talk.Range
		check func(error) bool
	}{
		"not behind the cursor":    {id, talk.Range{ConversationUID: uid, From: 2, To: 4}, conflict(pg.CodeRangeMoved)},
		"beyond the complete turn": {runOf(id, "r2"), talk.Range{ConversationUID: uid, From: 1, To: 5}, conflict(pg.CodeRangeMoved)},
		"from 0":                   {id, talk.Range{ConversationUID: uid, From: 0, To: 4}, invalid("range")},
		"backwards":                {id, talk.Range{ConversationUID: uid, From: 4, To: 3}, invalid("range")},
		"conversation of another":  {workflow("user:8", "r1"), talk.Range{ConversationUID: uid, From: 1, To: 4}, is(pg.ErrNotFound)},
		"no conversation":          {id, talk.Range{ConversationUID: uuid.New(), From: 1, To: 4}, is(pg.ErrNotFound)},
		"retry of what is running": {runOf(id, "r2"), talk.Range{
			ConversationUID: uid, From: 1, To: 4, RetryOf: x.ID,
		}, conflict(pg.CodeNotQuarantined)},
		"retry of what never was": {runOf(id, "r2"), talk.Range{
			ConversationUID: uid, From: 1, To: 4, RetryOf: uuid.New(),
		}, conflict(pg.CodeNotQuarantined)},
		"no owner": {workflow("", "r1"), talk.Range{ConversationUID: uid, From: 1, To: 4}, invalid("owner")},
		"a credential that reads": {func() memory.Identity {
			v := id
			v.Role = memory.RoleViewer
			return v
		}(), talk.Range{ConversationUID: uid, From: 1, To: 4}, is(pg.ErrForbidden)},
	} {
		if _, err := s.BeginExtraction(t.Context(), c.id, c.r); !c.check(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeWritten}); !invalid("outcome")(err) {
		t.Errorf("written without a commit: %v", err)
	}
	if _, err := s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeNothing, To: 5}); !invalid("to")(err) {
		t.Errorf("an end behind the range: %v", err)
	}
	if err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{To: 4}); !invalid("changes")(err) {
		t.Errorf("an empty draft: %v", err)
	}
	if err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{Changes: []memory.Change{noteChange("\x00")}, To: 4}); !invalid("content")(err) {
		t.Errorf("a draft with NUL: %v", err)
	}
	if err := s.SaveDraft(t.Context(), id, x.ID,
		talk.Draft{Changes: []memory.Change{noteChange("x")}, To: 5}); !conflict(pg.CodeSuperseded)(err) {
		t.Errorf("a draft behind the range: %v", err)
	}
	if _, err := s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: uuid.New()}); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("commit of nothing: %v", err)
	}
}

// The conversation that has waited longest comes first; one conversation can be asked for by name.
func TestRanges(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := workflow("user:7", "r1")
	if next, found, err := s.NextRange(t.Context(), id); found || err != nil || next.Agent.ID != "ada" {
		t.Errorf("nothing yet: %+v, %v, %v", next, found, err)
	}
	uids := map[string]uuid.UUID{}
	for _, c := range []string{"b", "a"} {
		uids[c] = must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn(c, "m", 4))).ConversationUID
		now = now.Add(time.Second)
	}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("b", "n", 2))) // newer, but it waits since before
	x, r := begin(t, s, id)
	if r != (talk.Range{ConversationUID: uids["b"], From: 1, To: 6}) {
		t.Errorf("next %+v, want b", r)
	}
	must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeSkipped}))
	if next, _, err := s.NextRange(t.Context(), id); next.ConversationUID != uids["a"] || err != nil {
		t.Errorf("then %+v, %v, want a", next.Range, err)
	}
	named, found, err := s.ConversationRange(t.Context(), id, uids["b"])
	if !found || err != nil || named.Range != r || named.Agent.TimeZone != "Europe/Berlin" {
		t.Errorf("by name %+v, %v, %v: what was skipped counts", named, found, err)
	}
	if _, found, err := s.ConversationRange(t.Context(), workflow("user:8", "r"), uids["b"]); found || err != nil {
		t.Errorf("another owner's: %v, %v", found, err)
	}
}

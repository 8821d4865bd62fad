package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
	"reverie/store/talk"
)

// Everything at the same time, by many, on few rows: calls wait for each other, and never in a circle.
func TestMixedCallsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const workers, each, rounds = 12, 40, 5
	everybody := member("")
	everybody.AnyOwner = true
	missing := func() string {
		for table, wanted := range map[string][]string{"extractions": {"written", "nothing"}, "flushes": {"written"}, "compactions": {"written"}} {
			outcomes := query[string](t, s, everybody, "select distinct outcome from "+table)
			for _, outcome := range wanted {
				if !slices.Contains(outcomes, outcome) {
					return fmt.Sprintf("outcomes of %s %v", table, outcomes)
				}
			}
		}
		return ""
	}
	for round := range rounds { // which calls meet is chance: one round more if some of them did not
		errs := make([]error, workers)
		var working sync.WaitGroup
		for worker := range workers {
			working.Go(func() {
				random := rand.New(rand.NewPCG(uint64(worker), uint64(round+1)))
				for i := range each {
					owner := memory.Owner(fmt.Sprint("user:", random.IntN(2)))
					id := workflow(owner, fmt.Sprint("r", random.IntN(3)))
					name, err := anyCall(t, s, random, id, fmt.Sprintf("%d-%d-%d-", worker, round, i))
					if err != nil && !isRefusal(err) {
						errs[worker] = fmt.Errorf("%s: %w", name, err)
						return
					}
				}
			})
		}
		working.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if missing() == "" {
			return
		}
	}
	t.Errorf("%s: too little happened to show anything", missing())
}

// anyCall makes a random call that writes, and returns its name.
func anyCall(t *testing.T, s *Store, random *rand.Rand, id memory.Identity, unique string) (name string, err error) {
	t.Helper()
	ctx, conversation := t.Context(), fmt.Sprint("c ", id.Owner, random.IntN(2))
	open := func() (talk.Extraction, error) {
		next, found, err := s.NextRange(ctx, id)
		if err != nil || !found {
			return talk.Extraction{}, errors.Join(err, pg.ErrNotFound)
		}
		return s.BeginExtraction(ctx, id, next.Range)
	}
	changes := []memory.Change{
		noteChange(unique),
		{Ref: team("MEMORY.md"), Op: memory.OpAppend, Content: unique},
		{Ref: team(unique + ".md"), Op: memory.OpAppend, Content: "x"},
	}
	random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	switch random.IntN(13) {
	case 0, 1:
		return "append", second(s.AppendMessages(ctx, id, turn(conversation, unique, 3)))
	case 2:
		return "complete", second(s.CompleteTurn(ctx, id, conversation))
	case 3:
		return "signalled", s.Signalled(ctx, id, random.Int64N(20))
	case 4:
		on := random.IntN(2) == 0
		return "prompt", second(s.SetPrompt(ctx, id, team("MEMORY.md"), &on, nil))
	case 5:
		return "apply", second(s.Apply(ctx, id, unique[:random.IntN(2)], changes))
	case 6:
		x, err := open()
		if err != nil {
			return "begin", err
		}
		outcomes := []memory.Outcome{
			memory.OutcomeSkipped, memory.OutcomeNothing, memory.OutcomeFailed, memory.OutcomeQuarantined, memory.OutcomeWaiting,
		}
		e := talk.Ending{Outcome: outcomes[random.IntN(len(outcomes))], Until: testClock, Usage: memory.Usage{Calls: 1}}
		return "outcome", second(s.RecordOutcome(ctx, id, x.ID, e))
	case 7, 8, 9, 10:
		return anyWindowCall(ctx, s, random, id, conversation)
	default:
		x, err := open()
		if err != nil {
			return "begin", err
		}
		if err := s.SaveDraft(ctx, id, x.ID, talk.Draft{Changes: changes, To: x.To, Usage: memory.Usage{Calls: 1}}); err != nil {
			return "draft", err
		}
		return "commit", second(s.CommitExtraction(ctx, id, talk.Commit{ExtractionID: x.ID}))
	}
}

// isRefusal reports whether a call was refused for what it asked, and did not break.
func isRefusal(err error) bool {
	var (
		conflict *pg.ConflictError
		invalid  *pg.InvalidError
		stale    *pg.StaleBaseError
	)
	return errors.As(err, &conflict) || errors.As(err, &invalid) || errors.As(err, &stale) ||
		errors.Is(err, pg.ErrNotFound) || errors.Is(err, pg.ErrForbidden)
}

// anyWindowCall makes a random call that a context window needs for a conversation, and returns its name.
func anyWindowCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, conversation string) (name string, err error) {
	c, err := s.Conversation(ctx, id, conversation)
	if err != nil {
		return "conversation", err
	}
	switch random.IntN(8) {
	case 0:
		return "window", second(s.LoadWindow(ctx, id, talk.WindowRequest{Conversation: conversation, Window: 1000, MaxBytes: 1 << 20}))
	case 1:
		return "compactions", second(s.Compactions(ctx, id, conversation, pg.Page{}))
	case 2, 3, 4:
		return flushCall(ctx, s, random, id, c)
	default:
		return summaryCall(ctx, s, random, id, c)
	}
}

// flushCall does one step of the flush that is next.
func flushCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, c talk.Conversation) (string, error) {
	f, needed, err := s.PlanFlush(ctx, id, c.UID, max(1, c.Last-random.Int64N(3)))
	if err != nil || !needed {
		return "plan", err
	}
	if f, err = s.BeginFlush(ctx, id, f.ID); err != nil {
		return "begin flush", err
	}
	load, err := s.LoadFlush(ctx, id, f.ID, setting.DefaultExtractSettings())
	if err != nil || load.Flush.Acknowledged() {
		return "load flush", err
	}
	if load.Extracted || random.IntN(3) == 0 {
		end := talk.FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing, Model: "p/m", Usage: memory.Usage{Calls: 1}}
		return "end flush", second(s.EndFlushStep(ctx, id, f.ID, end))
	}
	d := talk.FlushDraft{
		From: load.From, To: load.To, Scope: load.Scope, Today: load.Today, Entry: fmt.Sprintf("- %s %d\n", f.ID, load.From),
		Model: "p/m", Usage: memory.Usage{Calls: 1},
	}
	if err := s.SaveFlushDraft(ctx, id, f.ID, d); err != nil {
		return "draft flush", err
	}
	return "commit flush", second(s.CommitFlush(ctx, id, f.ID, load.From))
}

// summaryCall writes one part of a summary.
func summaryCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, c talk.Conversation) (string, error) {
	id.Author.WorkflowID = fmt.Sprint("compact/", random.Uint64()) // a workflow that begins another summary leaves this one
	r := summary(c.UID, max(1, c.Flushed-random.Int64N(2)))
	r.Settings.Window = 1000 * (1 + random.IntN(2))
	made, err := s.BeginCompaction(ctx, id, r)
	if err != nil {
		return "begin summary", err
	}
	part, err := s.LoadSummary(ctx, id, made.ID, 1<<10)
	if err != nil || part.Compaction.FinishedAt != nil {
		return "load summary", err
	}
	saved, err := s.SaveSummary(
		ctx, id, made.ID, talk.SummaryStep{To: part.To, Summary: fmt.Sprint("up to ", part.To), Model: "p/m", Usage: memory.Usage{Calls: 1}},
	)
	if err == nil && saved.Done < part.To {
		err = errors.New("a part that was saved is not done")
	}
	return "save summary", err
}

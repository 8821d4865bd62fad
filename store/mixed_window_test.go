package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"reverie/memory"
)

// anyWindowCall makes a call of what a context window needs for a conversation, and says which.
func anyWindowCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, conversation string) (name string, err error) {
	c, err := s.Conversation(ctx, id, conversation)
	if err != nil {
		return "conversation", err
	}
	switch random.IntN(8) {
	case 0:
		return "window", second(s.LoadWindow(ctx, id, WindowRequest{Conversation: conversation, Window: 1000, MaxBytes: 1 << 20}))
	case 1:
		return "compactions", second(s.Compactions(ctx, id, conversation, Page{}))
	case 2, 3, 4:
		return flushCall(ctx, s, random, id, c)
	default:
		return summaryCall(ctx, s, random, id, c)
	}
}

// flushCall does one step of the flush that is next.
func flushCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, c Conversation) (string, error) {
	f, needed, err := s.PlanFlush(ctx, id, c.UID, max(1, c.Last-random.Int64N(3)))
	if err != nil || !needed {
		return "plan", err
	}
	if f, err = s.BeginFlush(ctx, id, f.ID); err != nil {
		return "begin flush", err
	}
	load, err := s.LoadFlush(ctx, id, f.ID, memory.DefaultExtractSettings())
	if err != nil || load.Flush.Acknowledged() {
		return "load flush", err
	}
	if load.Extracted || random.IntN(3) == 0 {
		end := FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing, Model: "p/m", Usage: memory.Usage{Calls: 1}}
		return "end flush", second(s.EndFlushStep(ctx, id, f.ID, end))
	}
	d := FlushDraft{From: load.From, To: load.To, Scope: load.Scope, Today: load.Today, Entry: fmt.Sprintf("- %s %d\n", f.ID, load.From), Model: "p/m", Usage: memory.Usage{Calls: 1}}
	if err := s.SaveFlushDraft(ctx, id, f.ID, d); err != nil {
		return "draft flush", err
	}
	return "commit flush", second(s.CommitFlush(ctx, id, f.ID, load.From, ""))
}

// summaryCall writes one part of a summary.
func summaryCall(ctx context.Context, s *Store, random *rand.Rand, id memory.Identity, c Conversation) (string, error) {
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
	saved, err := s.SaveSummary(ctx, id, made.ID, SummaryStep{To: part.To, Summary: fmt.Sprint("up to ", part.To), Model: "p/m", Usage: memory.Usage{Calls: 1}})
	if err == nil && saved.Done < part.To {
		err = errors.New("a part that was saved is not done")
	}
	return "save summary", err
}

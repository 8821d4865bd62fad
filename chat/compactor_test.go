package chat_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"

	"reverie/chat"
	"reverie/memory"
	"reverie/store"
)

// compactor flushes and summarises at once, through the store's own steps and with made-up words, where workflows are not the
// subject.
type compactor struct {
	store *store.Store

	mu           sync.Mutex
	failing      error         // what every call fails with; nil: it works
	summaryFails bool          // summaries are not written
	summary      string        // what summaries say; empty: up to where they go
	held         chan struct{} // what nobody waits for begins when this is closed; nil: at once
	calls        []string
}

func (c *compactor) called(what string, r chat.CompactRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	engine := "rules"
	if r.Settings.Paid {
		engine = "model"
	}
	c.calls = append(c.calls, fmt.Sprintf("%s %d %s %s", what, r.To, r.Trigger, engine))
	return c.failing
}

// asked are the calls so far: what, up to where, why and by whom.
func (c *compactor) asked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.calls, "; ")
}

func (c *compactor) Compact(ctx context.Context, r chat.CompactRequest) error {
	if err := c.called("compact", r); err != nil {
		return err
	}
	if c.summaryFails {
		return chat.ErrStillRunning
	}
	if err := c.flush(ctx, r); err != nil {
		return err
	}
	id, err := c.as(ctx, r)
	if err != nil {
		return err
	}
	x, err := c.store.BeginCompaction(ctx, id, store.CompactionRequest{
		Conversation: r.Conversation, To: r.To, Trigger: r.Trigger, Settings: r.Settings, Maker: "test",
	})
	for err == nil && x.FinishedAt == nil {
		var part store.SummaryPart
		if part, err = c.store.LoadSummary(ctx, id, x.ID, 64<<10); err != nil {
			break
		}
		summary := cmp.Or(c.summary, fmt.Sprintf("Summary up to %d.", part.To))
		x, err = c.store.SaveSummary(ctx, id, x.ID, store.SummaryStep{To: part.To, Summary: summary, SummaryTokens: 5, Model: "builtin/test"})
	}
	return err
}

func (c *compactor) Flush(ctx context.Context, r chat.CompactRequest) error {
	if err := c.called("flush", r); err != nil {
		return err
	}
	return c.flush(ctx, r)
}

func (c *compactor) FlushSoon(_ context.Context, r chat.CompactRequest) { _ = c.called("soon", r) }

func (c *compactor) CompactSoon(ctx context.Context, r chat.CompactRequest) {
	go func() {
		if c.held != nil {
			<-c.held
		}
		_ = c.Compact(context.WithoutCancel(ctx), r) // whoever asked is not told
	}()
}

// flush accounts for everything up to a message, with nothing to write.
func (c *compactor) flush(ctx context.Context, r chat.CompactRequest) error {
	id, err := c.as(ctx, r)
	if err != nil {
		return err
	}
	for {
		f, due, err := c.store.PlanFlush(ctx, id, r.Conversation, r.To)
		if err != nil || !due {
			return err
		}
		if _, err := c.store.BeginFlush(ctx, id, f.ID); err != nil {
			return err
		}
		for !f.Acknowledged() {
			load, err := c.store.LoadFlush(ctx, id, f.ID, r.Settings.Flush.Extract)
			if err != nil {
				return err
			}
			if load.Flush.Acknowledged() { // by who flushes it beside us
				break
			}
			result, err := c.store.EndFlushStep(ctx, id, f.ID, store.FlushEnd{
				From: load.From, To: load.To, Outcome: memory.OutcomeNothing, ReasonCode: "nothing_to_keep", Model: "builtin/test",
			})
			if err != nil {
				return err
			}
			f = result.Flush
		}
	}
}

// as is the identity of a workflow for the owner of a conversation.
func (c *compactor) as(ctx context.Context, r chat.CompactRequest) (memory.Identity, error) {
	id := admin()
	owner, err := c.store.ResolveOwner(ctx, func() memory.Identity { id.AnyOwner = true; return id }(), r.Owner.Owner)
	if err != nil {
		return id, err
	}
	id.AnyOwner, id.Owner = false, owner
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "test", WorkflowID: "compact", RunID: uuid.NewSHA1(r.Conversation, []byte("run")).String()}
	return id, nil
}

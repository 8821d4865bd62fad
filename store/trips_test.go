package store

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// trips counts what goes out to the server.
type trips struct{ n atomic.Int64 }

func (c *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// Round trips are what a call costs beside the work in the database: a statement that leaves its batch shows here.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *Options) { o.MaxConns, o.Tracer = 1, count })
	id := workflow("user:7", "r")
	prefix := 0
	var stored Stored
	var x Extraction
	var next PendingRange
	calls := []struct {
		name string
		want int64
		call func() error
	}{
		{"AppendMessages", 2, func() (err error) {
			prefix++
			stored, err = s.AppendMessages(t.Context(), id, turn("c", string(rune('a'+prefix)), 4))
			return err
		}},
		{"Signalled", 1, func() error { return s.Signalled(t.Context(), id, stored.Turn) }},
		{"ResolveOwner", 1, func() error { return second(s.ResolveOwner(t.Context(), id, stored.OwnerID)) }},
		{"NextRange", 1, func() (err error) { next, _, err = s.NextRange(t.Context(), id); return err }},
		{"BeginExtraction", 1, func() (err error) {
			x, err = s.BeginExtraction(t.Context(), runOf(id, newID().String()), next.Range)
			return err
		}},
		{"LoadExtraction", 2, func() error {
			return second(s.LoadExtraction(t.Context(), id, next.Range, memory.DefaultExtractSettings()))
		}},
		{"SaveDraft", 1, func() error {
			changes := []memory.Change{noteChange("- x\n"), {Ref: personal("MEMORY.md"), Op: memory.OpAppend, Content: "- x\n"}}
			return s.SaveDraft(t.Context(), runOf(id, x.RunID), x.ID, Draft{Changes: changes, To: next.To, Usage: memory.Usage{Calls: 1}})
		}},
		{"CommitExtraction", 3, func() error {
			return second(s.CommitExtraction(t.Context(), runOf(id, x.RunID), Commit{ExtractionID: x.ID}))
		}},
		{"CommitExtraction again", 2, func() error {
			return second(s.CommitExtraction(t.Context(), runOf(id, x.RunID), Commit{ExtractionID: x.ID}))
		}},
		{"RecordOutcome again", 2, func() error {
			return second(s.RecordOutcome(t.Context(), runOf(id, x.RunID), x.ID, Ending{Outcome: memory.OutcomeFailed}))
		}},
		{"Apply", 2, func() error {
			return second(s.Apply(t.Context(), id, newID().String(), []memory.Change{noteChange("- y\n"), {Ref: team("MEMORY.md"), Op: memory.OpAppend, Content: "- y\n"}}))
		}},
		{"Document", 1, func() error { return second(s.Document(t.Context(), id, team("MEMORY.md"))) }},
		{"PromptDocuments", 1, func() error { return second(s.PromptDocuments(t.Context(), id)) }},
		{"Authenticate", 1, func() error {
			if _, err := s.Authenticate(t.Context(), "rv_unknown"); !is(ErrUnauthorized)(err) {
				return err
			}
			return nil
		}},
	}
	for round := range 2 { // the first one prepares the statements, which is not counted
		for _, c := range calls {
			before := count.n.Load()
			if err := c.call(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := count.n.Load() - before; round == 1 && got != c.want {
				t.Errorf("%s takes %d round trips, want %d", c.name, got, c.want)
			}
		}
	}
}

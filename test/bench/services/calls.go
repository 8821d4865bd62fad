package services

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Calls counts what goes to the database, and how long the answers take. It is the tracer of a store or a pool.
type Calls struct{ trips, statements, nanoseconds atomic.Int64 }

// Called is what Calls have counted.
type Called struct {
	Trips, Statements int64
	Took              time.Duration // of all of them, one after the other
}

// So returns what was counted so far.
func (c *Calls) So() Called {
	return Called{c.trips.Load(), c.statements.Load(), time.Duration(c.nanoseconds.Load())}
}

// Since is what has been called since then.
func (c *Calls) Since(then Called) Called {
	now := c.So()
	return Called{now.Trips - then.Trips, now.Statements - then.Statements, now.Took - then.Took}
}

type began struct{}

func (c *Calls) begin(ctx context.Context) context.Context {
	c.trips.Add(1)
	return context.WithValue(ctx, began{}, time.Now())
}

func (c *Calls) end(ctx context.Context) {
	if start, ok := ctx.Value(began{}).(time.Time); ok {
		c.nanoseconds.Add(int64(time.Since(start)))
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (c *Calls) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.statements.Add(1)
	return c.begin(ctx)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (c *Calls) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) { c.end(ctx) }

// TraceBatchStart implements pgx.BatchTracer.
func (c *Calls) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	c.statements.Add(int64(d.Batch.Len()))
	return c.begin(ctx)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (*Calls) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (c *Calls) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { c.end(ctx) }

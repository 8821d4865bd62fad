package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// calls counts what goes to the database, and how long the answers take.
type calls struct{ trips, statements, nanoseconds atomic.Int64 }

// called is what calls have counted.
type called struct {
	trips, statements int64
	took              time.Duration // of all of them, one after the other
}

func (c *calls) so() called {
	return called{c.trips.Load(), c.statements.Load(), time.Duration(c.nanoseconds.Load())}
}

// since is what has been called since then.
func (c *calls) since(then called) called {
	now := c.so()
	return called{now.trips - then.trips, now.statements - then.statements, now.took - then.took}
}

type began struct{}

func (c *calls) begin(ctx context.Context) context.Context {
	c.trips.Add(1)
	return context.WithValue(ctx, began{}, time.Now())
}

func (c *calls) end(ctx context.Context) {
	if start, ok := ctx.Value(began{}).(time.Time); ok {
		c.nanoseconds.Add(int64(time.Since(start)))
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (c *calls) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.statements.Add(1)
	return c.begin(ctx)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (c *calls) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) { c.end(ctx) }

// TraceBatchStart implements pgx.BatchTracer.
func (c *calls) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	c.statements.Add(int64(d.Batch.Len()))
	return c.begin(ctx)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (*calls) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (c *calls) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { c.end(ctx) }

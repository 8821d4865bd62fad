package services

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Calls counts database calls and their duration. It is a tracer for a store or a pool.
type Calls struct{ trips, statements, nanoseconds atomic.Int64 }

// Called is the state of Calls at some moment.
type Called struct {
	Trips, Statements int64
	Took              time.Duration // sum of all durations
}

// Total returns the counts so far.
func (c *Calls) Total() Called {
	return Called{c.trips.Load(), c.statements.Load(), time.Duration(c.nanoseconds.Load())}
}

// Since returns the difference to an earlier state.
func (c *Calls) Since(then Called) Called {
	now := c.Total()
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

// CPU is the CPU time used by each part.
type CPU struct {
	Worker   time.Duration // this process: the worker, and the benchmark itself
	Database time.Duration
	Temporal time.Duration
}

// Since returns the difference to an earlier state.
func (c CPU) Since(then CPU) CPU {
	return CPU{c.Worker - then.Worker, c.Database - then.Database, c.Temporal - then.Temporal}
}

// All returns the sum.
func (c CPU) All() time.Duration { return c.Worker + c.Database + c.Temporal }

// tick is the unit of times in /proc, which is the same on all Linux machines that run Go.
const tick = 10 * time.Millisecond

// UsedCPU returns the CPU time of this process and its children so far, including ended ones. It is zero without
// /proc.
func UsedCPU() CPU {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return CPU{}
	}
	all := map[int]process{}
	for _, file := range files {
		if p, err := readProcess(file); err == nil { // otherwise it has just ended
			all[p.id] = p
		}
	}
	var out CPU
	self := os.Getpid()
	for _, p := range all {
		switch {
		case p.id == self:
			out.Worker += p.own
		case !descends(all, p, self):
		case strings.HasPrefix(p.name, "postgres"):
			out.Database += p.own + p.ended
		default:
			out.Temporal += p.own + p.ended
		}
	}
	return out
}

// process is the state of a process in /proc.
type process struct {
	id, parent int
	name       string
	own, ended time.Duration // its own time, and that of its ended children
}

func readProcess(file string) (p process, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	// The name is in parentheses and may contain anything, including parentheses.
	text := string(content)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return p, fmt.Errorf("%s: no name", file)
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 15 {
		return p, fmt.Errorf("%s: %d fields", file, len(fields))
	}
	p.name = text[open+1 : end]
	if p.id, err = strconv.Atoi(strings.TrimSpace(text[:open])); err != nil {
		return p, err
	}
	if p.parent, err = strconv.Atoi(fields[1]); err != nil {
		return p, err
	}
	var ticks [4]int64 // user, system, and the same of ended children
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return p, err
		}
	}
	p.own, p.ended = time.Duration(ticks[0]+ticks[1])*tick, time.Duration(ticks[2]+ticks[3])*tick
	return p, nil
}

// descends reports whether a process is a descendant of another one.
func descends(all map[int]process, p process, from int) bool {
	for p.parent != 0 {
		if p.parent == from {
			return true
		}
		above, found := all[p.parent]
		if !found {
			return false
		}
		p = above
	}
	return false
}

// Latency is a distribution of durations.
type Latency struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50Ms"` // all in milliseconds
	P95   float64 `json:"p95Ms"`
	Max   float64 `json:"maxMs"`
}

// LatencyOf summarises durations, in any order. A percentile is the smallest duration that at least this percentage
// of durations does not exceed (nearest rank).
func LatencyOf(times []time.Duration) Latency {
	if len(times) == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(times))
	return Latency{
		Count: len(sorted), P50: milliseconds(percentile(sorted, 50)), P95: milliseconds(percentile(sorted, 95)),
		Max: milliseconds(sorted[len(sorted)-1]),
	}
}

// percentile returns a percentile of at least one sorted duration.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[max(1, (len(sorted)*p+99)/100)-1]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

package recall

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/store"
)

// Ledger keeps what was used; *store.Store has it.
type Ledger interface {
	RecordRecalls(ctx context.Context, recalls []store.Recall) error
	VersionOf(ctx context.Context, id memory.Identity, ref memory.Ref, number int) (memory.Version, error)
}

// Use is a search whose results were used.
type Use struct {
	Identity  memory.Identity
	Query     analysis.Query
	At        time.Time // in the owner's zone
	Synthetic bool
	Hits      []Hit
}

const (
	// flushAfter is how long a use waits for others before it is written.
	flushAfter = 100 * time.Millisecond
	// flushSize is how many uses are written at once.
	flushSize = 64
	// queueLimit is how many uses may wait. Beyond, a search writes its own before it answers.
	queueLimit = 1024
	// saveTimeout bounds one write.
	saveTimeout = 10 * time.Second
)

// Recorder writes what was used, several uses at once and behind the answers. Every use is written, or counted as failed and
// logged. It is safe for concurrent use.
type Recorder struct {
	store Ledger
	log   *slog.Logger

	mu       sync.Mutex
	queue    []Use
	timer    *time.Timer // nil: nothing is about to be written
	flushing bool        // somebody writes the queue until it is empty
	closed   bool        // from then on uses are written at once
	writers  sync.WaitGroup

	recorded, failed atomic.Int64
}

// NewRecorder makes a recorder. Close it before its store.
func NewRecorder(s Ledger, log *slog.Logger) *Recorder { return &Recorder{store: s, log: log} }

// Record notes a use. It returns at once unless too many are waiting.
func (r *Recorder) Record(ctx context.Context, u Use) {
	if !r.enqueue(u) {
		r.save(context.WithoutCancel(ctx), []Use{u})
	}
}

func (r *Recorder) enqueue(u Use) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.queue) >= queueLimit {
		return false
	}
	r.queue = append(r.queue, u)
	switch {
	case r.flushing:
	case len(r.queue) >= flushSize:
		r.flush()
	case r.timer == nil:
		r.timer = time.AfterFunc(flushAfter, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.timer != nil && !r.flushing {
				r.flush()
			}
		})
	}
	return true
}

// flush has the queue written until it is empty. The caller holds the lock, and nobody is writing it.
func (r *Recorder) flush() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	r.flushing = true
	r.writers.Go(func() {
		for uses := r.take(); len(uses) > 0; uses = r.take() {
			r.save(context.Background(), uses)
		}
	})
}

// take takes uses off the queue. When there are none, nobody writes it any longer.
func (r *Recorder) take() []Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.queue), flushSize)
	uses := r.queue[:n:n]
	r.queue = r.queue[n:]
	if n == 0 {
		r.queue, r.flushing = nil, false
	}
	return uses
}

// save writes uses together. When that fails, each is tried by itself: one that cannot be written does not take others with
// it.
func (r *Recorder) save(ctx context.Context, uses []Use) {
	recalls := r.recalls(ctx, uses)
	if len(recalls) > 1 && r.try(ctx, recalls) == nil {
		r.recorded.Add(int64(len(recalls)))
		return
	}
	for _, recall := range recalls {
		if err := r.try(ctx, []store.Recall{recall}); err != nil {
			r.failed.Add(1)
			r.log.ErrorContext(ctx, "What a search found could not be recorded", "error", err, "workspace", recall.Identity.Workspace, "agent", recall.Identity.Agent)
			continue
		}
		r.recorded.Add(1)
	}
}

func (r *Recorder) try(ctx context.Context, recalls []store.Recall) error {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	return r.store.RecordRecalls(ctx, recalls)
}

// Close writes what is waiting and returns when it is written, or when ctx ends. Later uses are written at once.
func (r *Recorder) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	if !r.flushing {
		r.flush()
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.writers.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Counts are how many uses were written, and how many could not be.
func (r *Recorder) Counts() (recorded, failed int64) { return r.recorded.Load(), r.failed.Load() }

package recall

import (
	"context"
	"log/slog"
	"sync"

	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
)

// School stores the reputations of vector spaces; *store.Store implements it.
type School interface {
	LearnReputations(ctx context.Context, id memory.Identity, space int64, votes map[search.Corpus][]fuse.Votes) error
}

// lessonLimit bounds the questions that wait to be learned. Later ones are dropped: others will teach the same.
const lessonLimit = 1024

// Reputations learn from the questions that were answered how reliably nearness in a vector space means relevance. They are kept in
// the database, so that all processes weigh alike, and written in the background. They describe models, not people. It is safe for
// concurrent use.
type Reputations struct {
	store School
	log   *slog.Logger

	mu      sync.Mutex
	waiting map[lessonKey]lesson
	count   int
	writing bool // a goroutine is writing until nothing waits
	writers sync.WaitGroup
}

type lessonKey struct {
	workspace, agent string
	space            int64
}

// lesson is what questions about one space teach, in their order.
type lesson struct {
	identity memory.Identity // of one who asked
	votes    map[search.Corpus][]fuse.Votes
}

// NewReputations returns the reputations of a store. Close it before the store.
func NewReputations(s School, log *slog.Logger) *Reputations {
	return &Reputations{store: s, log: log, waiting: map[lessonKey]lesson{}}
}

// learn adds the votes of one question, and returns at once. A nil *Reputations learns nothing.
func (r *Reputations) learn(id memory.Identity, space int64, votes map[search.Corpus]fuse.Votes) {
	if r == nil || len(votes) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count >= lessonLimit {
		return
	}
	key := lessonKey{id.Workspace, id.Agent, space}
	if r.waiting[key].votes == nil {
		r.waiting[key] = lesson{id, map[search.Corpus][]fuse.Votes{}}
	}
	for corpus, v := range votes {
		r.waiting[key].votes[corpus] = append(r.waiting[key].votes[corpus], v)
	}
	r.count++
	if !r.writing {
		r.writing = true
		r.writers.Go(r.write)
	}
}

// write writes until nothing waits.
func (r *Reputations) write() {
	for lessons := r.take(); len(lessons) > 0; lessons = r.take() {
		for key, l := range lessons {
			ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
			if err := r.store.LearnReputations(ctx, l.identity, key.space, l.votes); err != nil {
				r.log.WarnContext(ctx, "Could not store what searches say about vectors", "error", err, "workspace", key.workspace,
					"agent", key.agent, "space", key.space)
			}
			cancel()
		}
	}
}

// take returns what waits. If there is nothing, it ends the writing.
func (r *Reputations) take() map[lessonKey]lesson {
	r.mu.Lock()
	defer r.mu.Unlock()
	lessons := r.waiting
	r.waiting, r.count, r.writing = map[lessonKey]lesson{}, 0, len(lessons) > 0
	return lessons
}

// Close returns when everything learned is written, or when ctx ends. A nil *Reputations has nothing to write.
func (r *Reputations) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
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

package recall

import (
	"context"
	"log/slog"
	"sync"

	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
)

// ReputationStore stores the reputations of vector spaces; *store.Store implements it.
type ReputationStore interface {
	LearnReputations(ctx context.Context, id memory.Identity, space int64, votes map[search.Corpus][]fuse.Votes) error
}

// voteLimit bounds the questions whose votes wait to be stored. The votes of further ones are dropped.
const voteLimit = 1024

// Reputations record how reliably nearness in a vector space means relevance, from the votes of answered questions. They are kept in
// the database, so that all processes weigh vectors alike, and written in the background. They describe models, not people.
// Reputations are safe for concurrent use.
type Reputations struct {
	store ReputationStore
	log   *slog.Logger

	mu      sync.Mutex
	waiting map[spaceKey]spaceVotes
	count   int
	writing bool // a goroutine is writing until nothing waits
	writers sync.WaitGroup
}

type spaceKey struct {
	workspace, agent string
	space            int64
}

// spaceVotes are the votes of questions to one space, in their order.
type spaceVotes struct {
	identity memory.Identity // of the first question
	votes    map[search.Corpus][]fuse.Votes
}

// NewReputations returns the reputations of a store. Close it before the store.
func NewReputations(s ReputationStore, log *slog.Logger) *Reputations {
	return &Reputations{store: s, log: log, waiting: map[spaceKey]spaceVotes{}}
}

// learn adds the votes of one question and returns at once. A nil *Reputations ignores them.
func (r *Reputations) learn(id memory.Identity, space int64, votes map[search.Corpus]fuse.Votes) {
	if r == nil || len(votes) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count >= voteLimit {
		return
	}
	key := spaceKey{id.Workspace, id.Agent, space}
	if r.waiting[key].votes == nil {
		r.waiting[key] = spaceVotes{id, map[search.Corpus][]fuse.Votes{}}
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
	for taken := r.take(); len(taken) > 0; taken = r.take() {
		for key, of := range taken {
			ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
			if err := r.store.LearnReputations(ctx, of.identity, key.space, of.votes); err != nil {
				r.log.WarnContext(ctx, "Could not store the reputation of a vector space", "error", err, "workspace", key.workspace,
					"agent", key.agent, "space", key.space)
			}
			cancel()
		}
	}
}

// take returns what waits. If there is nothing, it ends the writing.
func (r *Reputations) take() map[spaceKey]spaceVotes {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.waiting
	r.waiting, r.count, r.writing = map[spaceKey]spaceVotes{}, 0, len(taken) > 0
	return taken
}

// Close returns when all votes are written, or when ctx ends. A nil *Reputations has nothing to write.
func (r *Reputations) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	return waitFor(ctx, &r.writers)
}

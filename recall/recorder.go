package recall

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/rank"
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

// recalls are uses as they are kept: hashes and identities, no text.
func (r *Recorder) recalls(ctx context.Context, uses []Use) []store.Recall {
	documents := map[versionKey][]memory.EntryAt{}
	kept := make([]store.Recall, len(uses))
	for i, u := range uses {
		kept[i] = store.Recall{
			Identity: u.Identity, QueryHash: QueryHash(u.Identity.Workspace, u.Query.Text), Day: dayOf(u.At),
			Synthetic: u.Synthetic, At: u.At, Hits: make([]store.RecalledHit, len(u.Hits)),
		}
		for j, h := range u.Hits {
			kept[i].Hits[j] = store.RecalledHit{
				Corpus: h.Corpus, Scope: h.Source.Scope, Source: h.Source.ID, Path: h.Path, FromLine: h.FromLine, ToLine: h.ToLine,
				ChunkHash: h.Hash(), Entries: used(r.statements(ctx, documents, u.Identity, h), u.Query), Score: h.Score,
			}
		}
	}
	return kept
}

// versionKey names a version of a document.
type versionKey struct {
	document uuid.UUID
	version  int
}

// statements are those that a result shows. What encloses a statement is part of its identity, so that the whole document is
// looked at, once for all results of it; a message is one statement.
func (r *Recorder) statements(ctx context.Context, documents map[versionKey][]memory.EntryAt, id memory.Identity, h Hit) []memory.EntryAt {
	if h.Corpus == search.Sessions {
		return []memory.EntryAt{{ID: memory.EntryIDOf(h.Text), Text: h.Text}}
	}
	key := versionKey{h.Source.ID, h.Source.Version}
	all, known := documents[key]
	if !known {
		version, err := r.store.VersionOf(ctx, id, memory.Ref{Scope: h.Source.Scope, Path: h.Path}, h.Source.Version)
		if err != nil { // the passage alone says nearly as much
			r.log.WarnContext(ctx, "A document that was recalled could not be read", "error", err, "document", h.Source.ID)
			return memory.EntriesOf(h.Text)
		}
		all = memory.EntriesOf(version.Content)
		documents[key] = all
	}
	var shown []memory.EntryAt
	for _, entry := range all {
		if entry.FromLine <= h.ToLine && entry.ToLine >= h.FromLine {
			shown = append(shown, entry)
		}
	}
	return shown
}

// used are the statements that have the most words of a question. When none has any, which vectors can find all the same, it
// is all of them.
func used(statements []memory.EntryAt, q analysis.Query) []memory.EntryID {
	var best []memory.EntryID
	most := 0
	for _, statement := range statements {
		n := len(rank.Matches(q, statement.Text))
		if n > most {
			best, most = nil, n
		}
		if n == most {
			best = append(best, statement.ID)
		}
	}
	return best
}

// QueryHash identifies a question within a workspace, however it was spelled: case and spaces do not count.
func QueryHash(workspace, query string) [sha256.Size]byte {
	folded := strings.Join(strings.Fields(fold.Text(query)), " ")
	return sha256.Sum256([]byte(workspace + "\x00" + folded))
}

// dayOf is the day of a time in its zone, as the database keeps days.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// knownSpaces is of how many spaces the reputation is kept; the others begin again.
const knownSpaces = 10_000

// Reputations are what this process has learned of the spaces of vectors from the questions that it answered: whether what is
// near to a question has to do with it. They say something about the model and nothing about anybody. An answer tells with
// which reputation it was made, since the same question may be answered a little differently once more is known.
type Reputations struct {
	mu   sync.Mutex
	kept *lru.Cache[reputationKey, fuse.Reputation]
}

type reputationKey struct {
	space  int64
	corpus search.Corpus
}

// NewReputations knows nothing yet.
func NewReputations() *Reputations {
	// Its only error is a size that is not positive.
	kept, _ := lru.New[reputationKey, fuse.Reputation](knownSpaces)
	return &Reputations{kept: kept}
}

// of is what is known so far; nothing of a space that is new.
func (r *Reputations) of(key reputationKey) fuse.Reputation {
	if r == nil {
		return fuse.Reputation{}
	}
	known, _ := r.kept.Get(key)
	return known
}

// learn takes one more question in.
func (r *Reputations) learn(key reputationKey, v fuse.Votes) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Add(key, r.of(key).After(v))
}

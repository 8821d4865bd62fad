package recall

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/search/rank"
	"reverie/store/dreams"
	"reverie/store/facts"
)

// Ledger stores recalls; *store.Store implements it.
type Ledger interface {
	RecordRecalls(ctx context.Context, recalls []dreams.Recall) error
	RecordInjections(ctx context.Context, all []facts.Injected) error
	VersionOf(ctx context.Context, id memory.Identity, ref memory.Ref, number int) (memory.Version, error)
}

// Use is a search whose results were used.
type Use struct {
	Identity  memory.Identity
	Query     analysis.Query
	At        time.Time // in the owner's time zone
	Synthetic bool
	Hits      []Hit

	Conversation string // in which it was made; the client's id, empty: in none

	injected *facts.Injected // what a context contained, instead of a search
}

const (
	// flushAfter is the delay for collecting uses into one batch.
	flushAfter = 100 * time.Millisecond
	// flushSize is the maximum number of uses in a batch.
	flushSize = 64
	// queueLimit bounds the waiting uses. Above it, a search or context writes its use before it answers.
	queueLimit = 1024
	// saveTimeout bounds one write.
	saveTimeout = 10 * time.Second
)

// Recorder writes uses, and what contexts contained, in batches, in the background. Every one is either written, or counted as failed
// and logged. It is safe for concurrent use.
type Recorder struct {
	store Ledger
	log   *slog.Logger

	mu       sync.Mutex
	queue    []Use
	timer    *time.Timer // nil: no write is scheduled
	flushing bool        // a goroutine is writing until the queue is empty, and closes written then
	written  chan struct{}
	closed   bool // later uses are written at once
	writers  sync.WaitGroup

	recorded, failed atomic.Int64
}

// NewRecorder returns a recorder. Close it before its store.
func NewRecorder(s Ledger, log *slog.Logger) *Recorder { return &Recorder{store: s, log: log} }

// Record records a use. It returns at once unless too many are waiting.
func (r *Recorder) Record(ctx context.Context, u Use) {
	if !r.enqueue(u) {
		r.save(context.WithoutCancel(ctx), []Use{u})
	}
}

// Injected records what a context contained. It returns at once unless too many uses are waiting.
func (r *Recorder) Injected(ctx context.Context, in facts.Injected) {
	r.Record(ctx, Use{injected: &in})
}

// Flush writes the waiting uses and returns when they are written, or when ctx ends.
func (r *Recorder) Flush(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	if !r.flushing && len(r.queue) > 0 {
		r.flush()
	}
	written := r.written
	writing := r.flushing
	r.mu.Unlock()
	if !writing {
		return nil
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
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

// flush starts writing until the queue is empty. The caller holds the lock, and flushing is false.
func (r *Recorder) flush() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	r.flushing, r.written = true, make(chan struct{})
	r.writers.Go(func() {
		for uses := r.take(); len(uses) > 0; uses = r.take() {
			r.save(context.Background(), uses)
		}
	})
}

// take removes uses from the queue. If there are none, it ends the flushing.
func (r *Recorder) take() []Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.queue), flushSize)
	uses := r.queue[:n:n]
	r.queue = r.queue[n:]
	if n == 0 {
		r.queue, r.flushing = nil, false
		close(r.written)
	}
	return uses
}

// save writes uses together. If that fails, it writes each separately, so that one bad use does not affect the
// others.
func (r *Recorder) save(ctx context.Context, uses []Use) {
	var injected []facts.Injected
	uses = slices.DeleteFunc(slices.Clone(uses), func(u Use) bool {
		if u.injected != nil {
			injected = append(injected, *u.injected)
		}
		return u.injected != nil
	})
	r.saveInjected(ctx, injected)
	recalls := r.recalls(ctx, uses)
	if len(recalls) > 1 && r.try(ctx, recalls) == nil {
		r.recorded.Add(int64(len(recalls)))
		return
	}
	for _, recall := range recalls {
		if err := r.try(ctx, []dreams.Recall{recall}); err != nil {
			r.failed.Add(1)
			r.log.ErrorContext(ctx, "Could not record a recall", "error", err, "workspace", recall.Identity.Workspace, "agent",
				recall.Identity.Agent)
			continue
		}
		r.recorded.Add(1)
	}
}

func (r *Recorder) saveInjected(ctx context.Context, all []facts.Injected) {
	try := func(some ...facts.Injected) error {
		ctx, cancel := context.WithTimeout(ctx, saveTimeout)
		defer cancel()
		return r.store.RecordInjections(ctx, some)
	}
	if len(all) > 1 && try(all...) == nil {
		return
	}
	for _, in := range all {
		if err := try(in); err != nil {
			r.log.ErrorContext(ctx, "Could not record what was injected", "error", err, "workspace", in.Identity.Workspace, "agent",
				in.Identity.Agent)
		}
	}
}

func (r *Recorder) try(ctx context.Context, recalls []dreams.Recall) error {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	return r.store.RecordRecalls(ctx, recalls)
}

// Close writes the waiting uses and returns when they are written, or when ctx ends. Later uses are written at once.
func (r *Recorder) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	if !r.flushing {
		r.flush()
	}
	r.mu.Unlock()
	return waitFor(ctx, &r.writers)
}

// waitFor returns when all writers are done, or when ctx ends.
func waitFor(ctx context.Context, writers *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		writers.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Counts returns how many uses were written, and how many failed.
func (r *Recorder) Counts() (recorded, failed int64) { return r.recorded.Load(), r.failed.Load() }

// recalls converts uses for storage: hashes and identities, no text.
func (r *Recorder) recalls(ctx context.Context, uses []Use) []dreams.Recall {
	documents := map[versionKey][]markdown.Entry{}
	kept := make([]dreams.Recall, len(uses))
	for i, u := range uses {
		kept[i] = dreams.Recall{
			Identity: u.Identity, QueryHash: QueryHash(u.Identity.Workspace, u.Query.Text), Day: dayOf(u.At),
			Synthetic: u.Synthetic, At: u.At, Conversation: u.Conversation, Hits: make([]dreams.RecalledHit, len(u.Hits)),
		}
		for j, h := range u.Hits {
			kept[i].Hits[j] = dreams.RecalledHit{
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

// statements returns the statements in a hit. The identity of a statement depends on its enclosing headings, so the
// whole document is parsed, once for all hits in it; a message is one statement.
func (r *Recorder) statements(ctx context.Context, documents map[versionKey][]markdown.Entry, id memory.Identity, h Hit) []markdown.Entry {
	if h.Corpus == search.Sessions {
		return []markdown.Entry{{ID: markdown.EntryIDOf(h.Text), Text: h.Text}}
	}
	key := versionKey{h.Source.ID, h.Source.Version}
	all, known := documents[key]
	if !known {
		version, err := r.store.VersionOf(ctx, id, memory.Ref{Scope: h.Source.Scope, Path: h.Path}, h.Source.Version)
		if err != nil { // the passage alone is nearly as good
			r.log.WarnContext(ctx, "Could not read a recalled document", "error", err, "document", h.Source.ID)
			return markdown.EntriesOf(h.Text)
		}
		all = markdown.EntriesOf(version.Content)
		documents[key] = all
	}
	var shown []markdown.Entry
	for _, entry := range all {
		if entry.FromLine <= h.ToLine && entry.ToLine >= h.FromLine {
			shown = append(shown, entry)
		}
	}
	return shown
}

// used returns the statements that share most words with the question; all of them if none shares a word, as with
// vector hits.
func used(statements []markdown.Entry, q analysis.Query) []markdown.EntryID {
	var best []markdown.EntryID
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

// QueryHash identifies a question within a workspace, ignoring case and spaces.
func QueryHash(workspace, query string) [sha256.Size]byte {
	folded := strings.Join(strings.Fields(fold.Text(query)), " ")
	return sha256.Sum256([]byte(workspace + "\x00" + folded))
}

// dayOf returns the calendar day of a time in its zone, as the database stores days.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

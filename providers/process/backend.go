package process

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"reverie/memory"
	"reverie/recall"
	"reverie/search/index"
)

const (
	// DefaultTimeout bounds a search.
	DefaultTimeout = 2 * time.Second
	// CoolDown is the time for which a program is not used after it could not be started, or has failed twice within this time.
	CoolDown = 60 * time.Second
	// openTime bounds the first answer of a program, and feedTime the time in which it takes the passages of one request.
	openTime = 10 * time.Second
	feedTime = 30 * time.Second
	// maxFed bounds the time for sending one memory to the program; the rest follows with the next search.
	maxFed = 10 * time.Minute
	// batch is the number of passages of one request.
	batch = 64
	// maxSpaces bounds the memories that a program holds; the one that was searched longest ago is dropped.
	maxSpaces = 256
)

// Config is a program that ranks.
type Config struct {
	ID          string
	Command     []string
	Environment []string      // NAME=value; besides PATH and HOME the program sees nothing else
	Timeout     time.Duration // of a search; 0: DefaultTimeout
	Agents      []string      // nil: every agent
	CoolDown    time.Duration // 0: CoolDown
	// Observe is called with every search, and why the built-in index has answered; empty: the program has. It may be nil.
	Observe func(failed string, took time.Duration)
	Log     *slog.Logger
}

// Reasons why the built-in index answers.
var (
	errCooling = errors.New("the search backend has failed and is left alone for a while")
	errFeeding = errors.New("the search backend is still starting, or reading this memory")
	errTimeout = errors.New("the search backend has not answered in time")
	errFailed  = errors.New("the search backend has failed")
	errAway    = errors.New("the search backend cannot be started")
)

// Backend implements recall.Backend with a program. It is safe for concurrent use.
type Backend struct {
	Config

	opening sync.Mutex // held while a program starts
	mu      sync.Mutex
	child   *child            // nil: none is running
	spaces  map[string]*space // of child
	until   time.Time         // it is left alone until then
	broke   time.Time         // when it last failed while it was running
	reason  string            // of the last failure
	closed  bool
}

// space is a memory as one identity sees it. Memories of two owners are never in one space, not even what they share.
type space struct {
	id      string
	used    time.Time
	mu      sync.Mutex
	known   map[index.UnitKey]bool // what the program was given
	feeding chan struct{}          // closed when the program has what it lacked; nil: nothing is being sent
}

// New returns a backend. Its program is started with the first search.
func New(c Config) *Backend { return &Backend{Config: c} }

// Name implements recall.Backend.
func (b *Backend) Name() string { return b.ID }

// Off implements recall.Backend.
func (b *Backend) Off(agent string, disabled []string) bool {
	return b.Agents != nil && !slices.Contains(b.Agents, agent) || slices.Contains(disabled, b.ID)
}

// Rank implements recall.Backend.
func (b *Backend) Rank(ctx context.Context, v recall.BackendView) ([]recall.BackendHit, error) {
	began := time.Now()
	hits, err := b.rank(ctx, v)
	if b.Observe != nil && ctx.Err() == nil {
		reason := ""
		if err != nil {
			reason = reasonOf(err)
		}
		b.Observe(reason, time.Since(began))
	}
	return hits, err
}

// reasonOf names an error of Rank, for metrics.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errCooling):
		return "cooling"
	case errors.Is(err, errFeeding):
		return "feeding"
	case errors.Is(err, errTimeout):
		return "timeout"
	case errors.Is(err, errAway):
		return "away"
	}
	return "failed"
}

func (b *Backend) rank(ctx context.Context, v recall.BackendView) ([]recall.BackendHit, error) {
	within, cancel := context.WithTimeout(ctx, cmp.Or(b.Timeout, DefaultTimeout))
	defer cancel()
	type opened struct {
		child *child
		space *space
		err   error
	}
	started := make(chan opened, 1)
	go func() { // a program may take its time to start: this search does not wait for all of it
		c, s, err := b.open(context.WithoutCancel(ctx), v.Identity)
		started <- opened{c, s, err}
	}()
	var c *child
	var s *space
	select {
	case o := <-started:
		if o.err != nil {
			return nil, o.err
		}
		c, s = o.child, o.space
	case <-within.Done():
		return nil, errFeeding
	}
	select {
	case <-b.feed(ctx, c, s, v):
	case <-within.Done():
		return nil, errFeeding
	}
	if !s.has(v.Units) {
		return nil, errFeeding
	}
	a, err := c.ask(within, request{Op: opSearch, Space: s.id, Query: v.Query, Limit: v.Limit})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		b.evict(c, errTimeout)
		return nil, errTimeout
	case err != nil:
		b.evict(c, err)
		return nil, errFailed
	}
	hits := make([]recall.BackendHit, 0, len(a.Results))
	for _, r := range a.Results {
		if unit, is := unitOf(r.ID); is {
			hits = append(hits, recall.BackendHit{Unit: unit, Score: r.Score})
		}
	}
	return hits, nil
}

// open returns the running program, and the space of an identity. One that cannot be started is left alone for a while.
func (b *Backend) open(ctx context.Context, id memory.Identity) (*child, *space, error) {
	b.opening.Lock() // the searches of a program that is not there yet wait for it
	defer b.opening.Unlock()
	b.mu.Lock()
	running, away := b.child, b.closed || time.Now().Before(b.until)
	b.mu.Unlock()
	if running == nil {
		if away {
			return nil, nil, errCooling
		}
		fresh, err := b.begin(ctx)
		if err != nil {
			b.mu.Lock()
			b.until, b.reason = time.Now().Add(cmp.Or(b.CoolDown, CoolDown)), "open: "+err.Error()
			b.mu.Unlock()
			b.Log.WarnContext(ctx, "The search backend cannot be started; the built-in index answers", "backend", b.ID)
			return nil, nil, errAway
		}
		b.mu.Lock()
		b.child, b.spaces, running = fresh, map[string]*space{}, fresh
		if b.closed {
			fresh.end(errEnded)
		}
		b.mu.Unlock()
	}
	return running, b.space(running, id), nil
}

// begin starts a program and waits for its first answer.
func (b *Backend) begin(ctx context.Context) (*child, error) {
	c, err := start(b.Command, b.Environment)
	if err != nil {
		return nil, errors.New("it is not there, or may not be run")
	}
	within, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if _, err := c.ask(within, request{Op: opOpen, Protocol: protocol}); err != nil {
		c.end(err)
		return nil, err
	}
	return c, nil
}

// space returns the space of an identity in a program.
func (b *Backend) space(c *child, id memory.Identity) *space {
	name := spaceOf(id)
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.spaces[name]
	if s == nil {
		s = &space{id: name, known: map[index.UnitKey]bool{}}
		if b.child == c { // otherwise it has failed since then
			b.spaces[name] = s
			b.dropOldest(c)
		}
	}
	s.used = time.Now()
	return s
}

// dropOldest drops the space that was searched longest ago, if there are too many.
func (b *Backend) dropOldest(c *child) {
	if len(b.spaces) <= maxSpaces {
		return
	}
	var oldest *space
	for _, s := range b.spaces {
		if s.idle() && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	if oldest == nil {
		return
	}
	delete(b.spaces, oldest.id)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), feedTime)
		defer cancel()
		if _, err := c.ask(ctx, request{Op: opDrop, Space: oldest.id}); err != nil {
			b.evict(c, err)
		}
	}()
}

// idle reports whether a space was searched, and nothing is being sent.
func (s *space) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.used.IsZero() && s.feeding == nil
}

// spaceOf names what an identity sees, without naming the person.
func spaceOf(id memory.Identity) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", id.Workspace, id.Agent, id.Owner, id.AnyOwner))
	return hex.EncodeToString(sum[:16])
}

// has reports whether the program was given all units.
func (s *space) has(units []index.Unit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range units {
		if !s.known[u.Key()] {
			return false
		}
	}
	return true
}

// feed sends what a space lacks, and removes from it what was deleted. The returned channel is closed when the program has taken it, or
// failed. It continues after the search has stopped waiting.
func (b *Backend) feed(ctx context.Context, c *child, s *space, v recall.BackendView) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feeding != nil {
		return s.feeding
	}
	var lacking []index.Unit
	gone := map[index.UnitKey]bool{}
	for key := range s.known {
		gone[key] = true
	}
	for _, u := range v.Units {
		if key := u.Key(); gone[key] {
			delete(gone, key)
		} else {
			lacking = append(lacking, u)
		}
	}
	done := make(chan struct{})
	if len(lacking)+len(gone) == 0 {
		close(done)
		return done
	}
	s.feeding = done
	go func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxFed)
		defer cancel()
		if err := b.give(within, c, s, v, lacking, gone); err != nil {
			b.evict(c, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.feeding = nil
		close(done)
	}()
	return done
}

// give sends what was removed and what is missing. Its error is the program's.
func (b *Backend) give(
	ctx context.Context, c *child, s *space, v recall.BackendView, lacking []index.Unit, gone map[index.UnitKey]bool,
) error {
	if len(gone) > 0 {
		r := request{Op: opDelete, Space: s.id}
		for key := range gone {
			r.IDs = append(r.IDs, idOf(key))
		}
		slices.Sort(r.IDs)
		if err := b.send(ctx, c, r); err != nil {
			return err
		}
		s.mu.Lock()
		for key := range gone {
			delete(s.known, key)
		}
		s.mu.Unlock()
	}
	for part := range slices.Chunk(lacking, batch) {
		texts, err := v.Read(ctx, part)
		if err != nil { // not the program's fault
			b.Log.WarnContext(ctx, "Could not read passages for the search backend", "error", err, "backend", b.ID)
			return nil
		}
		r := request{Op: opPut, Space: s.id}
		for _, p := range texts {
			one := passage{ID: idOf(p.Unit), Path: p.Path, Text: p.Text}
			if p.At > 0 {
				one.At = time.Unix(p.At, 0).UTC()
			}
			r.Passages = append(r.Passages, one)
		}
		if err := b.send(ctx, c, r); err != nil {
			return err
		}
		s.mu.Lock()
		for _, u := range part { // also those whose source was reindexed concurrently: they are no longer found
			s.known[u.Key()] = true
		}
		s.mu.Unlock()
	}
	return nil
}

func (b *Backend) send(ctx context.Context, c *child, r request) error {
	within, cancel := context.WithTimeout(ctx, feedTime)
	defer cancel()
	_, err := c.ask(within, r)
	return err
}

// evict ends a program that has failed. The next search starts another one, unless this happens often.
func (b *Backend) evict(c *child, why error) {
	c.end(why)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.child != c {
		return
	}
	b.child, b.spaces, b.reason = nil, nil, why.Error()
	now, rest := time.Now(), cmp.Or(b.CoolDown, CoolDown)
	if now.Sub(b.broke) < rest {
		b.until = now.Add(rest)
	}
	b.broke = now
	b.Log.Warn("The search backend has failed; the built-in index answers", "backend", b.ID, "reason", b.reason)
}

// Status is the state of a backend.
type Status struct {
	ID      string
	Running bool
	Until   time.Time // it is left alone until then; zero or past: it is not
	Reason  string    // of its last failure; empty: it has not failed
	Spaces  int       // memories that it holds
}

// Status returns the state. It starts and ends nothing.
func (b *Backend) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Status{ID: b.ID, Running: b.child != nil, Until: b.until, Reason: b.reason, Spaces: len(b.spaces)}
}

// Close ends the program. Searches afterwards are answered by the built-in index.
func (b *Backend) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.child != nil {
		b.child.end(errEnded)
		b.child, b.spaces = nil, nil
	}
}

// idOf writes the key of a unit.
func idOf(key index.UnitKey) string { return fmt.Sprintf("%d-%d", key.Group, key.Ordinal) }

// unitOf reads what idOf has written.
func unitOf(id string) (key index.UnitKey, is bool) {
	group, ordinal, found := strings.Cut(id, "-")
	if !found {
		return key, false
	}
	var errs [2]error
	key.Group, errs[0] = strconv.ParseInt(group, 10, 64)
	key.Ordinal, errs[1] = strconv.ParseInt(ordinal, 10, 64)
	return key, errs[0] == nil && errs[1] == nil
}

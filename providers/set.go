package providers

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/sony/gobreaker/v2"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/gate"
)

// Limits of a provider.
const (
	MaxPassages    = 20 // of one answer
	DefaultTimeout = 800 * time.Millisecond
	// attempts bounds how often a provider is asked the same, and pause is the time before it is asked again.
	attempts = 2
	pause    = 100 * time.Millisecond
	// breakAfter is the number of consecutive failures after which a provider is not asked for CoolDown.
	breakAfter = 3
	// CoolDown is the time for which a provider that failed is not called.
	CoolDown = 60 * time.Second
)

// Operations, in metrics and in the configuration.
const (
	OpRecall = "recall"
	OpSearch = "search"
	OpFollow = "events" // what happens to memory
	OpForget = "forget" // everything of a person
	OpTools  = "tools"  // for models

	OpForgetConversation = "forget_conversation"
)

// Outside is a provider of another program, as it is configured.
type Outside struct {
	Provider
	Timeout time.Duration // of one operation, with its repetitions
	Agents  []string      // nil: every agent
	// Operations are those for which it is asked; nil: all that its interfaces offer.
	Operations []string
	// Kinds are the kinds of events that it follows; nil: all of FollowKinds.
	Kinds []gate.EventKind
}

// Call is one operation of a provider, for metrics.
type Call struct {
	Provider, Operation string
	Failed              Failure // empty: it has answered
	Passages            int
	Took                time.Duration
}

// Options configure a Set.
type Options struct {
	Outside []Outside
	// Owner returns the opaque id of the identity's owner; store.ErrNotFound if nothing of that owner is stored.
	Owner   func(ctx context.Context, id memory.Identity) (uuid.UUID, error)
	Observe func(Call) // may be nil
	Log     *slog.Logger
	// CoolDown is the time for which a provider that failed is not called; 0: the constant CoolDown.
	CoolDown time.Duration
}

// Set holds the providers of a server. It is safe for concurrent use. It implements recall.Outside.
type Set struct {
	Options
	guards []*guard // by order, then id
}

// guard is a provider of another program with its record.
type guard struct {
	Outside
	breaker *gobreaker.CircuitBreaker[[]Recollection]

	mu     sync.Mutex
	failed Failure // of the last operation; empty: it has answered, or was not asked yet
	at     time.Time

	tools offers
}

// NewSet returns a set.
func NewSet(o Options) *Set {
	s := &Set{Options: o}
	for _, one := range o.Outside {
		if one.Operations == nil {
			one.Operations = operationsOf(one.Provider)
		}
		g := &guard{Outside: one}
		g.breaker = gobreaker.NewCircuitBreaker[[]Recollection](gobreaker.Settings{
			Timeout:     cmp.Or(o.CoolDown, CoolDown),
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
			// A caller that stopped waiting proves nothing about the provider.
			IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
		})
		s.guards = append(s.guards, g)
	}
	slices.SortFunc(s.guards, func(a, b *guard) int {
		return cmp.Or(cmp.Compare(a.Order(), b.Order()), cmp.Compare(a.ID(), b.ID()))
	})
	return s
}

// of returns the providers of an agent that can do what is asked, in the agent's order.
func (s *Set) of(agent string, settings setting.AgentSettings, operation string) []*guard {
	if s == nil {
		return nil
	}
	var chosen []*guard
	for _, g := range s.guards {
		if g.has(agent) && !slices.Contains(settings.DisabledProviders, g.ID()) && slices.Contains(g.Operations, operation) {
			chosen = append(chosen, g)
		}
	}
	place := func(g *guard) int {
		if at := slices.Index(settings.ProviderOrder, g.ID()); at >= 0 {
			return at
		}
		return len(settings.ProviderOrder)
	}
	slices.SortStableFunc(chosen, func(a, b *guard) int { return cmp.Compare(place(a), place(b)) })
	return chosen
}

// operationsOf returns what a provider's interfaces offer.
func operationsOf(p Provider) (operations []string) {
	if _, is := p.(Recaller); is {
		operations = append(operations, OpRecall)
	}
	if _, is := p.(Searcher); is {
		operations = append(operations, OpSearch)
	}
	if _, is := p.(Follower); is {
		operations = append(operations, OpFollow)
	}
	if _, is := p.(Forgetter); is {
		operations = append(operations, OpForget)
	}
	if _, is := p.(ConversationForgetter); is {
		operations = append(operations, OpForgetConversation)
	}
	if _, is := p.(Tooler); is {
		operations = append(operations, OpTools)
	}
	return operations
}

// has reports whether an agent has the provider.
func (g *guard) has(agent string) bool { return g.Agents == nil || slices.Contains(g.Agents, agent) }

// Recalled holds the passages of one external provider.
type Recalled struct {
	Provider string
	Block    []recall.Hit // whatever the message says
	Hits     []recall.Hit // because of the message
	Failed   Failure      // empty: it has answered
	Took     time.Duration
}

// Recalls reports whether an agent has providers of other programs that recall.
func (s *Set) Recalls(agent string, settings setting.AgentSettings) bool {
	return len(s.of(agent, settings, OpRecall)) > 0
}

// Recall asks the providers of other programs of an agent for a turn, at once, and returns their answers in the agent's order. It takes
// no longer than the slowest of their time-outs, whatever they do.
func (s *Set) Recall(ctx context.Context, id memory.Identity, settings setting.AgentSettings, t Turn) []Recalled {
	chosen := s.of(id.Agent, settings, OpRecall)
	if len(chosen) == 0 {
		return nil
	}
	who, err := s.who(ctx, id)
	if err != nil {
		s.Log.WarnContext(ctx, "Could not read whose memory other programs recall", "error", err, "agent", id.Agent)
		return nil
	}
	t.Who, t.Limit = who, MaxPassages
	answers := make([]Recalled, len(chosen))
	var all sync.WaitGroup
	for i, g := range chosen {
		all.Go(func() {
			r, failed, took := s.ask(ctx, g, OpRecall, func(ctx context.Context) (Recollection, error) {
				return g.Provider.(Recaller).Recall(ctx, t) //nolint:forcetypeassert // of chose it because it is one
			})
			answers[i] = Recalled{Provider: g.ID(), Block: hits(g.ID(), r.Block), Hits: hits(g.ID(), r.Passages), Failed: failed, Took: took}
		})
	}
	all.Wait()
	return answers
}

// Corpora implements recall.Outside.
func (s *Set) Corpora(agent string, settings setting.AgentSettings) (corpora []search.Corpus) {
	for _, g := range s.of(agent, settings, OpSearch) {
		corpora = append(corpora, search.Corpus(g.ID()))
	}
	return corpora
}

// Search implements recall.Outside.
func (s *Set) Search(ctx context.Context, id memory.Identity, q recall.OutsideQuery, corpora []search.Corpus) []recall.Supplement {
	answers := make([]recall.Supplement, len(corpora))
	who, err := s.who(ctx, id)
	if err != nil {
		s.Log.WarnContext(ctx, "Could not read whose memory other programs search", "error", err, "agent", id.Agent)
	}
	var all sync.WaitGroup
	for i, corpus := range corpora {
		answers[i] = recall.Supplement{Corpus: corpus, Failed: string(FailedConnection)}
		at := slices.IndexFunc(s.guards, func(g *guard) bool { return g.ID() == string(corpus) })
		if at < 0 || err != nil {
			continue
		}
		g := s.guards[at]
		all.Go(func() {
			r, failed, took := s.ask(ctx, g, OpSearch, func(ctx context.Context) (Recollection, error) {
				found, err := g.Provider.(Searcher).Search(ctx, Query{who, q.Query, min(q.MaxResults, MaxPassages)}) //nolint:forcetypeassert // Corpora names searchers
				return Recollection{Passages: found}, err
			})
			answers[i] = recall.Supplement{Corpus: corpus, Hits: hits(g.ID(), r.Passages), Failed: string(failed), Took: took}
		})
	}
	all.Wait()
	return answers
}

// who returns whose memory is asked.
func (s *Set) who(ctx context.Context, id memory.Identity) (Who, error) {
	who := Who{Workspace: id.Workspace, Agent: id.Agent, Key: id.Owner}
	if id.Owner == memory.NoOwner {
		return who, nil
	}
	owner, err := s.Owner(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return who, nil
	}
	who.Owner = owner.String()
	return who, err
}

// ask runs one operation within the provider's time, and once more if it may be repeated.
func (s *Set) ask(
	ctx context.Context, g *guard, operation string, do func(context.Context) (Recollection, error),
) (r Recollection, failed Failure, took time.Duration) {
	began := time.Now()
	type answer struct {
		Recollection
		err error
	}
	within, cancel := context.WithTimeout(ctx, cmp.Or(g.Timeout, DefaultTimeout))
	defer cancel()
	all, err := g.breaker.Execute(func() ([]Recollection, error) {
		answered := make(chan answer, 1)
		go func() {
			got, err := repeated(within, do)
			answered <- answer{got, err}
		}()
		var a answer
		select {
		case a = <-answered:
		case <-within.Done(): // a provider that ignores it is not waited for, and has failed
			a.err = context.DeadlineExceeded
		}
		if a.err != nil && ctx.Err() != nil {
			a.err = context.Canceled
		}
		return []Recollection{a.Recollection}, a.err
	})
	if failed = failureOf(err); failed == "" {
		r = all[0]
	}
	took = time.Since(began)
	if ctx.Err() == nil {
		g.note(failed)
	}
	if s.Observe != nil {
		s.Observe(Call{g.ID(), operation, failed, len(r.Passages) + len(r.Block), took})
	}
	if failed != "" && failed != FailedCooling {
		s.Log.WarnContext(ctx, "A provider of memory failed", "provider", g.ID(), "operation", operation, "reason", string(failed))
	}
	return r, failed, took
}

// repeated calls something, and once more after a failure that may have passed.
func repeated(ctx context.Context, do func(context.Context) (Recollection, error)) (r Recollection, err error) {
	for attempt := range attempts {
		r, err = do(ctx)
		failed, is := errors.AsType[*Error](err)
		if err == nil || !is || !failed.Again || attempt == attempts-1 {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, err
		case <-time.After(pause << attempt):
		}
	}
	return r, err
}

func failureOf(err error) Failure {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return FailedCooling
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return FailedTimeout
	}
	if failed, is := errors.AsType[*Error](err); is {
		return failed.Failure
	}
	return FailedConnection
}

func (g *guard) note(failed Failure) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed, g.at = failed, time.Now()
}

// Status is the state of a provider.
type Status struct {
	ID      string
	Order   int
	Builtin bool
	Enabled bool    // for the agent
	Cooling bool    // it has failed several times, and is not asked for a while
	Failed  Failure // of its last operation; empty: it has answered, or was not asked yet
	At      time.Time
	Recalls bool // for contexts
	Corpus  bool // it can be searched
	Follows bool // it gets what happens to memory
}

// Status returns the state of all providers for an agent, in their order. It asks none of them.
func (s *Set) Status(agent string, settings setting.AgentSettings) (all []Status) {
	for _, b := range builtins() {
		all = append(all, Status{
			ID: b.id, Order: b.order, Builtin: true, Enabled: !slices.Contains(settings.DisabledProviders, b.id), Recalls: true,
		})
	}
	if s != nil {
		for _, g := range s.guards {
			g.mu.Lock()
			all = append(all, Status{
				ID: g.ID(), Order: g.Order(), Enabled: g.has(agent) && !slices.Contains(settings.DisabledProviders, g.ID()),
				Cooling: g.breaker.State() == gobreaker.StateOpen, Failed: g.failed, At: g.at,
				Recalls: slices.Contains(g.Operations, OpRecall), Corpus: slices.Contains(g.Operations, OpSearch),
				Follows: slices.Contains(g.Operations, OpFollow),
			})
			g.mu.Unlock()
		}
	}
	slices.SortStableFunc(all, func(a, b Status) int { return cmp.Compare(a.Order, b.Order) })
	return all
}

// Warm prepares the providers in the background; those that fail are still asked later.
func (s *Set) Warm(ctx context.Context) {
	for _, g := range s.guards {
		s.refresh(ctx, g)
		w, is := g.Provider.(Warmer)
		if !is {
			continue
		}
		go func() {
			ctx, cancel := context.WithTimeout(ctx, warmTime)
			defer cancel()
			if err := w.Warm(ctx); err != nil && ctx.Err() == nil {
				g.note(failureOf(err))
				s.Log.WarnContext(ctx, "A provider of memory is not available", "provider", g.ID(), "reason", string(failureOf(err)))
			}
		}()
	}
}

// warmTime bounds the preparation of a provider.
const warmTime = 10 * time.Second

package recall

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/store"
)

// Store is what a search reads; *store.Store has it.
type Store interface {
	Collect(ctx context.Context, id memory.Identity, corpora []search.Corpus, q analysis.Query) ([]*index.Collection, error)
	Passages(ctx context.Context, id memory.Identity, corpus search.Corpus, units []index.Unit) (map[index.UnitKey]store.Passage, error)
	Nearest(ctx context.Context, id memory.Identity, q store.VectorQuery) (fuse.Dense, error)
	LiveSpace(ctx context.Context, id memory.Identity) (store.Space, error)
	IndexLag(ctx context.Context, id memory.Identity, corpora []search.Corpus, token int64) (store.Lag, error)
	Documents(ctx context.Context, id memory.Identity, filter store.DocumentFilter) ([]store.DocumentEntry, error)
	Leader(ctx context.Context, id memory.Identity) (memory.Identity, bool, error)
	DocumentsWith(ctx context.Context, id memory.Identity, documents []uuid.UUID, terms []string, limit int) ([]memory.Document, error)
}

// Embedder makes vectors of questions.
type Embedder interface {
	// Identity says what makes the vectors. Its Dimensions are 0 until they are known.
	Identity() memory.EmbeddingIdentity
	// EmbedQuery returns the vector of a question that somebody in a workspace asks.
	EmbedQuery(ctx context.Context, workspace, text string) ([]float32, error)
}

// DefaultQueryTimeout is how long a search waits for the vector of its question unless it is told otherwise.
const DefaultQueryTimeout = 1500 * time.Millisecond

// Searcher searches. It is safe for concurrent use.
type Searcher struct {
	Store Store
	// Embedders are the configured models: the one that has made an agent's live vectors is asked. None: searches are
	// lexical, and complete.
	Embedders []Embedder
	// QueryTimeout bounds the wait for the vector of a question; 0: DefaultQueryTimeout.
	QueryTimeout time.Duration
	Reputations  *Reputations     // of the models; nil: every question begins anew
	Defaults     Settings         // of the server
	Recorder     *Recorder        // nil: what is used is not recorded
	Observe      func(Response)   // is told of every answer; nil: nobody is
	Now          func() time.Time // nil: time.Now
	Log          *slog.Logger
}

// Search answers a request on behalf of an identity, which names one agent. Only what the identity may see is looked at: it
// decides before anything is ranked.
//
// A question without words is answered by nothing, and costs nothing. The error joins an *InvalidError for every fault of
// the request, or is the store's.
func (s *Searcher) Search(ctx context.Context, id memory.Identity, r Request) (Response, error) {
	began := time.Now()
	if err := r.check(); err != nil {
		return Response{}, err
	}
	settings := r.settings(s.Defaults)
	response := Response{Mode: Lexical, Settings: settings, Disabled: !settings.Enabled}
	if len(s.Embedders) > 0 {
		response.Embedding = s.Embedders[0].Identity()
	}
	now := s.now().In(r.zone())
	q := analysis.NewQuery(r.Query, now)
	if response.Disabled || len(q.Terms) == 0 {
		return response, nil
	}
	one := &searching{Searcher: s, id: id, request: r, settings: settings, query: q, now: now, response: &response}
	if err := one.run(ctx); err != nil {
		return Response{}, err
	}
	if err := s.searchLeader(ctx, one); err != nil {
		return Response{}, err
	}
	response.Took = time.Since(began)
	if s.Observe != nil {
		s.Observe(response)
	}
	if !r.Unrecorded {
		s.record(ctx, Use{Identity: id, Query: q, At: now, Synthetic: r.Synthetic, Hits: response.Results})
	}
	return response, nil
}

// Used records which results of a search with Unrecorded were used after all, best first.
func (s *Searcher) Used(ctx context.Context, id memory.Identity, r Request, hits []Hit) {
	now := s.now().In(r.zone())
	s.record(ctx, Use{Identity: id, Query: analysis.NewQuery(r.Query, now), At: now, Synthetic: r.Synthetic, Hits: hits})
}

func (s *Searcher) record(ctx context.Context, u Use) {
	// What a member of a team finds at its leader's does not count there: the leader's memory is not changed by it.
	u.Hits = slices.DeleteFunc(slices.Clone(u.Hits), func(h Hit) bool { return h.Source.Agent != "" && h.Source.Agent != u.Identity.Agent })
	if s.Recorder != nil && len(u.Hits) > 0 {
		s.Recorder.Record(ctx, u)
	}
}

func (s *Searcher) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// searching is the state of one search.
type searching struct {
	*Searcher

	id       memory.Identity
	request  Request
	settings Settings
	query    analysis.Query
	now      time.Time // in the request's zone
	response *Response
	stages   []Stage
}

// run searches: words and vectors at the same time, then both together.
func (s *searching) run(ctx context.Context) error {
	if s.request.After > 0 && s.request.Wait > 0 {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	// What is compared is not needed when the words cannot be looked up.
	denseCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	var late lag
	known := make(chan struct{})
	go func() {
		defer close(known)
		late = s.lag(denseCtx)
	}()
	compared := make(chan comparison, 1)
	go func() { compared <- s.compare(denseCtx, known) }()

	views, err := s.lexical(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	dense := <-compared
	s.took("vectors", began)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.note(ctx, dense)
	<-known
	if late.err != nil {
		return fmt.Errorf("search: %w", late.err)
	}
	s.response.Staleness = late.Staleness
	began = time.Now()
	for _, v := range views {
		v.fuse(dense.of[v.Corpus], dense.space)
	}
	compareViews(views)
	err = s.eachView(views, func(v *view) error { return v.choose(ctx) })
	s.took("fuse", began)
	if err != nil {
		return err
	}
	s.answer(views)
	return nil
}

// lexical collects what is in view and ranks it by words.
func (s *searching) lexical(ctx context.Context) ([]*view, error) {
	began := time.Now()
	collections, err := s.Store.Collect(ctx, s.id, s.request.corpora(), s.query)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	s.took("collect", began)
	views := make([]*view, len(collections))
	for i, c := range collections {
		views[i] = &view{searching: s, Collection: c}
	}
	began = time.Now()
	err = s.eachView(views, func(v *view) error { return v.rank(ctx) })
	s.took("rank", began)
	return views, err
}

// eachView does something with all views at the same time and returns the first error in their order.
func (s *searching) eachView(views []*view, do func(*view) error) error {
	errs := make([]error, len(views))
	var all sync.WaitGroup
	for i, v := range views {
		all.Go(func() { errs[i] = do(v) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
	return nil
}

func (s *searching) took(stage string, began time.Time) {
	s.stages = append(s.stages, Stage{stage, time.Since(began)})
}

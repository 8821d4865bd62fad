package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/store"
	"reverie/store/indexes"
)

// comparison is the result of comparing vectors with a question.
type comparison struct {
	of        map[search.Corpus]fuse.Dense
	space     indexes.Space
	embedding memory.EmbeddingIdentity
	used      bool   // vectors were compared
	reason    Reason // why they were not, although they should; empty: no error
	err       error  // cause of reason
}

// boundedDepth is the number of nearest hits requested when the request limits the time, which the vector index does
// not know: enough to include those inside the limits.
const boundedDepth = 100_000

// compare gets the vector of the question and its nearest neighbours. It waits for lagKnown first, so that what is
// reported as missing stays consistent with the results. It never fails the search.
func (s *searching) compare(ctx context.Context, lagKnown <-chan struct{}) comparison {
	if len(s.Embedders) == 0 || s.request.Options.isOff(offVectors) {
		return comparison{}
	}
	space, err := s.Store.LiveSpace(ctx, s.id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return comparison{reason: ReasonNoVectors}
	case err != nil:
		return comparison{reason: ReasonComparing, err: err}
	}
	at := slices.IndexFunc(s.Embedders, func(e Embedder) bool { return makes(e.Identity(), space.Identity) })
	if at < 0 {
		return comparison{embedding: space.Identity, reason: ReasonOtherModel}
	}
	vector, reason, err := s.embed(ctx, s.Embedders[at])
	if reason != "" {
		return comparison{embedding: space.Identity, reason: reason, err: err}
	}
	if len(vector) != space.Identity.Dimensions || isZero(vector) {
		return comparison{embedding: space.Identity, reason: ReasonProvider, err: errors.New("unusable vector")}
	}
	<-lagKnown
	of, err := s.nearest(ctx, space.ID, vector)
	if err != nil {
		return comparison{embedding: space.Identity, reason: ReasonComparing, err: err}
	}
	return comparison{of: of, space: space, embedding: space.Identity, used: true}
}

// makes reports whether the vectors of model belong into space. A model that has not been called yet does not know
// its dimensions.
func makes(model, space memory.EmbeddingIdentity) bool {
	if model.Dimensions == 0 {
		model.Dimensions = space.Dimensions
	}
	return model == space
}

// OtherModel returns what made the live vectors of the identity's agent (without one: of the workspace), when no configured model makes
// such vectors, so that they are not searched and none are added. Otherwise it returns the zero value.
func (s *Searcher) OtherModel(ctx context.Context, id memory.Identity) (made memory.EmbeddingIdentity, err error) {
	if len(s.Embedders) == 0 {
		return made, nil
	}
	space, err := s.Store.LiveSpace(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return made, nil
	case err != nil:
		return made, err
	case slices.ContainsFunc(s.Embedders, func(e Embedder) bool { return makes(e.Identity(), space.Identity) }):
		return made, nil
	}
	return space.Identity, nil
}

// AdviceFor says what to do about vectors that were made with a model that is not configured, as the rest of a sentence about them.
func AdviceFor(made memory.EmbeddingIdentity) string {
	return fmt.Sprintf("were made with %s, which is not configured: configure it again, and name a new model in REVERIE_EMBEDDING_NEXT_* "+
		"(docs/embeddings.md)", made)
}

// Vectors returns what makes vectors of statements that are compared with one another, within the timeout of questions; nil: there is no
// model, or no vectors of the agent.
func (s *Searcher) Vectors(ctx context.Context, id memory.Identity) func(texts []string) [][]float32 {
	if len(s.Embedders) == 0 {
		return nil
	}
	space, err := s.Store.LiveSpace(ctx, id)
	if err != nil {
		return nil
	}
	at := slices.IndexFunc(s.Embedders, func(e Embedder) bool { return makes(e.Identity(), space.Identity) })
	if at < 0 {
		return nil
	}
	return func(texts []string) [][]float32 {
		out := make([][]float32, len(texts))
		var all sync.WaitGroup
		for i, text := range texts {
			all.Go(func() {
				one := &searching{Searcher: s, id: id, query: analysis.Query{Text: text}}
				out[i], _, _ = one.embed(ctx, s.Embedders[at]) // without a vector, words decide
			})
		}
		all.Wait()
		return out
	}
}

// embed returns the vector of the question within the timeout.
func (s *searching) embed(ctx context.Context, e Embedder) ([]float32, Reason, error) {
	timeout := s.QueryTimeout
	if timeout <= 0 {
		timeout = DefaultQueryTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type made struct {
		vector []float32
		err    error
	}
	answer := make(chan made, 1)
	go func() { // the search continues in time even if the embedder hangs
		vector, err := e.EmbedQuery(limited, s.id.Workspace, s.query.Text)
		answer <- made{vector, err}
	}()
	select {
	case m := <-answer:
		switch {
		case m.err == nil:
			return m.vector, "", nil
		case limited.Err() != nil:
			return nil, ReasonTimeout, m.err
		}
		return nil, ReasonProvider, m.err
	case <-limited.Done():
		return nil, ReasonTimeout, limited.Err()
	}
}

func isZero(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 && !math.IsNaN(float64(x)) })
}

// nearest searches the units nearest to the vector, per corpus.
func (s *searching) nearest(ctx context.Context, space int64, vector []float32) (map[search.Corpus]fuse.Dense, error) {
	corpora := s.request.corpora()
	found, errs := make([]fuse.Dense, len(corpora)), make([]error, len(corpora))
	depth := fuse.DefaultOptions().Depth
	if s.request.bounded() {
		depth = boundedDepth
	}
	var all sync.WaitGroup
	for i, corpus := range corpora {
		all.Go(func() {
			found[i], errs[i] = s.Store.Nearest(ctx, s.id, indexes.VectorQuery{Corpus: corpus, Space: space, Vector: vector, Depth: depth})
		})
	}
	all.Wait()
	of := make(map[search.Corpus]fuse.Dense, len(corpora))
	for i, corpus := range corpora {
		of[corpus] = found[i]
	}
	return of, errors.Join(errs...)
}

// note records the result of the comparison in the response.
func (s *searching) note(ctx context.Context, c comparison) {
	if c.embedding != (memory.EmbeddingIdentity{}) {
		s.response.Embedding = c.embedding
	}
	if c.used {
		s.response.Mode = Hybrid
	}
	if c.reason == "" {
		return
	}
	s.response.Degraded, s.response.Reason = true, c.reason
	if c.err != nil {
		s.Log.WarnContext(ctx, "A search was answered without vectors", "reason", string(c.reason), "embedding",
			s.response.Embedding.String(), "error", c.err)
	}
}

// pollInterval is the interval at which a waiting search checks for vectors.
const pollInterval = 50 * time.Millisecond

// await waits for the vectors of everything written up to the request's token, within the request's limit.
func (s *searching) await(ctx context.Context) error {
	began := time.Now()
	defer func() { s.took("await", began) }()
	for deadline := began.Add(s.request.Wait); ; {
		late := s.lag(ctx)
		left := time.Until(deadline)
		if late.err != nil || late.Pending == 0 || left <= 0 {
			return late.err
		}
		pause := time.NewTimer(min(pollInterval, left))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
		s.response.Waited = time.Since(began)
	}
}

// lag describes what has no vectors yet.
type lag struct {
	Staleness

	err error
}

// lag queries what has no vectors yet, limited to writes up to the request's token if it has one. Without an
// embedding model there is no lag.
func (s *searching) lag(ctx context.Context) lag {
	if len(s.Embedders) == 0 {
		return lag{}
	}
	found, err := s.Store.IndexLag(ctx, s.id, s.request.corpora(), s.request.After)
	return lag{Staleness{Pending: found.Sources, Since: found.Since}, err}
}

// Probe is the result of calling an embedding model.
type Probe struct {
	Embedding memory.EmbeddingIdentity
	Took      time.Duration
	Reason    Reason // why it failed; empty: it worked
}

// ProbeEmbedders requests the vector of a word from every configured model.
func (s *Searcher) ProbeEmbedders(ctx context.Context, id memory.Identity) []Probe {
	probes := make([]Probe, len(s.Embedders))
	for i, e := range s.Embedders {
		began := time.Now()
		one := &searching{Searcher: s, id: id, query: analysis.Query{Text: "memory"}}
		_, reason, err := one.embed(ctx, e)
		probes[i] = Probe{Embedding: e.Identity(), Took: time.Since(began), Reason: reason}
		if err != nil {
			s.Log.WarnContext(ctx, "An embedding model failed the probe", "embedding", e.Identity().String(), "error", err)
		}
	}
	return probes
}

// SelfCheck is the result of checking that stored text is found: passages of the index are searched by their own
// words.
type SelfCheck struct {
	Corpus  search.Corpus
	Checked int // passages
	Found   int // of these, found among the first results
	Broken  int // of these, without a text
}

// selfChecks is the number of passages to check per corpus.
const selfChecks = 5

// selfCheckWords is the number of words of a passage in the query.
const selfCheckWords = 16

// SelfCheck searches, by words alone, passages spread evenly over each corpus that the identity sees.
func (s *Searcher) SelfCheck(ctx context.Context, id memory.Identity) ([]SelfCheck, error) {
	unnoticed := *s // do not report these searches
	unnoticed.Recorder, unnoticed.Observe = nil, nil
	found, err := s.Store.Collect(ctx, id, search.Corpora(), analysis.Query{})
	if err != nil {
		return nil, err
	}
	checks := make([]SelfCheck, len(found.Collections))
	var errs []error
	for i, c := range found.Collections {
		if checks[i], err = unnoticed.selfCheck(ctx, id, c); err != nil {
			errs = append(errs, err)
		}
	}
	return checks, errors.Join(errs...)
}

func (s *Searcher) selfCheck(ctx context.Context, id memory.Identity, c *index.Collection) (SelfCheck, error) {
	check := SelfCheck{Corpus: c.Corpus}
	units := spread(c.Units, selfChecks)
	passages, err := s.Store.Passages(ctx, id, c.Corpus, units)
	if err != nil {
		return check, err
	}
	for _, unit := range units {
		check.Checked++
		passage, ok := passages[unit.Key()]
		words := strings.Fields(passage.Text)
		if !ok || len(words) == 0 {
			check.Broken++
			continue
		}
		limit, floor := MaxResults, 0.0
		question := []rune(strings.Join(words[:min(len(words), selfCheckWords)], " "))
		found, err := s.Search(ctx, id, Request{
			Query: string(question[:min(len(question), MaxQuery)]), Corpus: c.Corpus, MaxResults: &limit, MinScore: &floor,
			Archived: true, Synthetic: true, Options: Options{Off: []string{offVectors}},
		})
		if err != nil {
			return check, err
		}
		for _, hit := range found.Results {
			if hit.Text == passage.Text {
				check.Found++
				break
			}
		}
	}
	return check, nil
}

// spread picks about n units at equal distances from those that have words.
func spread(units []index.Unit, n int) []index.Unit {
	var wordy []index.Unit
	for _, u := range units {
		if u.Length > 0 {
			wordy = append(wordy, u)
		}
	}
	if len(wordy) <= n {
		return wordy
	}
	taken := make([]index.Unit, n)
	for i := range taken {
		taken[i] = wordy[i*len(wordy)/n]
	}
	return taken
}

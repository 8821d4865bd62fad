package recall

import (
	"context"
	"slices"
	"strconv"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/index"
)

// Outside are sources of memory that other programs keep. Each is a separate corpus.
type Outside interface {
	// Corpora returns the corpora of an agent, in their order.
	Corpora(agent string, settings setting.AgentSettings) []search.Corpus
	// Search asks corpora of an agent at once. It answers within a bounded time: a corpus that cannot be searched has a reason
	// instead of results.
	Search(ctx context.Context, id memory.Identity, q OutsideQuery, corpora []search.Corpus) []Supplement
}

// OutsideQuery is a question to an external corpus.
type OutsideQuery struct {
	Query      string
	MaxResults int
}

// Supplement holds the answer of one external corpus.
type Supplement struct {
	Corpus search.Corpus
	Hits   []Hit // best first
	// Failed is why it was not searched; empty: it was. It contains nothing of what was answered.
	Failed string
	Took   time.Duration
}

// corpora returns the corpora that a request may name, without All.
func (s *Searcher) corpora(id memory.Identity, r Request) []search.Corpus {
	if s.Outside == nil || !r.Past.IsZero() { // other programs do not know what was known then
		return search.Corpora()
	}
	return slices.Concat(search.Corpora(), s.Outside.Corpora(id.Agent, r.Agent))
}

// outside returns the corpora of other programs that a request asks for, of those that it may name: one by its name, or with All each
// of them.
func (r Request) outside(known []search.Corpus) []search.Corpus {
	return slices.DeleteFunc(slices.Clone(known), func(c search.Corpus) bool {
		return IsOwn(c) || r.Corpus != All && r.Corpus != c
	})
}

// supplement asks corpora of other programs. The returned function waits for them and adds what they have found.
func (s *Searcher) supplement(ctx context.Context, id memory.Identity, r Request, corpora []search.Corpus) (join func(*Response)) {
	if len(corpora) == 0 {
		return func(*Response) {}
	}
	settings := r.settings(s.Defaults)
	answered := make(chan []Supplement, 1)
	go func() {
		answered <- s.Outside.Search(ctx, id, OutsideQuery{r.Query, settings.MaxResults}, corpora)
	}()
	return func(response *Response) {
		response.Supplements = <-answered
		response.Results = balanced(response.Results, response.Supplements, r, settings)
	}
}

// balanced merges results of supplements with others, as the results of two corpora are: each side has its part.
func balanced(own []Hit, supplements []Supplement, r Request, settings Settings) []Hit {
	if !slices.ContainsFunc(supplements, func(s Supplement) bool { return len(s.Hits) > 0 }) {
		return own
	}
	lists := [][]Hit{own}
	for _, s := range supplements {
		lists = append(lists, slices.DeleteFunc(slices.Clone(s.Hits), func(h Hit) bool {
			return h.Score < settings.MinScore || r.bounded() && (h.At.IsZero() || !r.covers(h.At.Unix()))
		}))
	}
	var all []Hit
	ranked := make([][]choose.Result, len(lists))
	for i, hits := range lists {
		for _, h := range hits {
			// The index in all replaces the unit, which hits of other programs do not have. All own corpora are one.
			ranked[i] = append(ranked[i], choose.Result{Score: h.Score, Candidate: choose.Candidate{
				Unit: index.UnitKey{Group: int64(len(all))}, Corpus: search.Corpus(strconv.Itoa(i)), Path: h.Path,
			}})
			all = append(all, h)
		}
	}
	chosen, _ := choose.Balance(settings.MaxResults, ranked...)
	out := make([]Hit, len(chosen))
	for i, c := range chosen {
		out[i] = all[c.Candidate.Unit.Group]
	}
	return out
}

// IsOwn reports whether a corpus is one of this memory, not of another program.
func IsOwn(c search.Corpus) bool { return slices.Contains(search.Corpora(), c) }

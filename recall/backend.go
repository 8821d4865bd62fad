package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"reverie/memory"
	"reverie/scan"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
)

// Backend ranks the passages of documents in place of the built-in index. What may be found is decided before it is asked, and the
// texts of results are read from the documents: it sees passages and names them, and can neither add nor change one.
type Backend interface {
	// Name returns the name of the backend in answers.
	Name() string
	// Off reports whether an agent does without the backend.
	Off(agent string, disabled []string) bool
	// Rank returns passages of a view, best first. Its error is the reason, for people, why the built-in index has to answer.
	Rank(ctx context.Context, v BackendView) ([]BackendHit, error)
}

// BackendView holds a question and the passages that its search may find.
type BackendView struct {
	Identity memory.Identity
	Query    string
	Limit    int
	Units    []index.Unit // ordered by key; the text of a key never changes
	// Read returns passages of units, without secrets. It may be called after Rank has returned.
	Read func(ctx context.Context, units []index.Unit) ([]BackendPassage, error)
}

// BackendPassage is the text of a unit.
type BackendPassage struct {
	Unit index.UnitKey
	Path string
	Text string
	At   int64 // Unix seconds; 0: unknown
}

// BackendHit is a passage that a backend has found.
type BackendHit struct {
	Unit  index.UnitKey
	Score float64 // 0 to 1
}

// rankByBackend lets the backend rank the view and reports whether it did.
func (v *view) rankByBackend(ctx context.Context) bool {
	if v.Backend == nil || v.Corpus != search.Memory || v.Backend.Off(v.id.Agent, v.request.Agent.DisabledProviders) {
		return false
	}
	hits, err := v.Backend.Rank(ctx, BackendView{
		Identity: v.id, Query: v.request.Query, Limit: v.candidates(), Units: v.Units, Read: v.forBackend,
	})
	if err != nil {
		v.response.BackendFailed = err.Error()
		return false
	}
	v.response.Backend = v.Backend.Name()
	v.backed = []fuse.Fused{}
	ranked := map[index.UnitKey]bool{}
	for _, h := range hits {
		at, found := v.find(h.Unit) // what the identity may not see is not in the view
		if !found || ranked[h.Unit] || !v.request.covers(v.Units[at].At) || math.IsNaN(h.Score) || h.Score <= 0 {
			continue
		}
		ranked[h.Unit] = true
		score := min(h.Score, 1)
		v.backed = append(v.backed, fuse.Fused{Unit: h.Unit, Score: score, Combined: score, Text: score, TextScore: h.Score})
	}
	slices.SortStableFunc(v.backed, func(a, b fuse.Fused) int { return cmp.Compare(b.Score, a.Score) })
	for i := range v.backed {
		v.backed[i].Rank, v.backed[i].TextRank = i+1, i+1
	}
	return true
}

// forBackend reads passages for the backend.
func (v *view) forBackend(ctx context.Context, units []index.Unit) ([]BackendPassage, error) {
	found, err := v.Store.Passages(ctx, v.id, v.Corpus, units)
	if err != nil {
		return nil, err
	}
	passages := make([]BackendPassage, 0, len(found))
	for key, p := range found {
		passages = append(passages, BackendPassage{Unit: key, Path: pathOf(p.Source), Text: scan.Redacted(p.Text), At: p.Unit.At})
	}
	slices.SortFunc(passages, func(a, b BackendPassage) int { return a.Unit.Compare(b.Unit) })
	return passages, nil
}

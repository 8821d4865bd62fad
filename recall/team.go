package recall

import (
	"cmp"
	"context"
	"slices"

	"reverie/memory"
	"reverie/search"
)

// searchLeader searches the documents of the leader for a member of a team, as the same owner, and puts what it finds between the
// member's own results by score. Of two that are equally good the own one comes first.
func (s *Searcher) searchLeader(ctx context.Context, own *searching) error {
	if own.request.Agent.Leader == "" || !slices.Contains(own.request.corpora(), search.Memory) {
		return nil
	}
	leader, member, err := s.Store.Leader(ctx, own.id)
	if err != nil || !member {
		return err
	}
	response := Response{Mode: Lexical, Settings: own.settings, Embedding: own.response.Embedding}
	theirs := &searching{Searcher: s, id: leader, request: own.request, settings: own.settings, query: own.query, now: own.now, response: &response}
	theirs.request.Corpus = search.Memory
	theirs.request.After = 0 // tokens count in one agent's journal, and a member writes nothing there
	if err := theirs.run(ctx); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, h := range own.response.Results {
		known[copyOf(h.Text)] = true
	}
	all := own.response.Results
	for _, h := range response.Results {
		if h.Source.Scope != memory.ScopeGlobal && !known[copyOf(h.Text)] { // what is GLOBAL the member has found itself
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	own.response.Results = all[:min(len(all), own.settings.MaxResults)]
	own.response.Found += response.Found
	if response.Mode == Hybrid {
		own.response.Mode = Hybrid
	}
	return nil
}

// leaderWith are the leader's documents that have all terms, for a member of a team.
func (s *Searcher) leaderWith(ctx context.Context, id memory.Identity, r KeywordRequest, terms []string) ([]memory.Document, error) {
	if r.Agent.Leader == "" {
		return nil, nil
	}
	leader, member, err := s.Store.Leader(ctx, id)
	if err != nil || !member {
		return nil, err
	}
	found, err := s.documentsWith(ctx, leader, r.Scope, terms)
	return slices.DeleteFunc(found, func(d memory.Document) bool { return d.Scope == memory.ScopeGlobal }), err
}

package toolbox

import (
	"context"
	"errors"

	"reverie/recall"
	excerpts "reverie/search/excerpt"
	"reverie/search/keyword"
)

// keywords is the answer to a search for literal words.
type keywords struct {
	Query     string              `json:"query"`
	Scope     keyword.Scope       `json:"scope"`
	TotalHits int                 `json:"totalHits"`
	Hits      []recall.KeywordHit `json:"hits"`
	Hint      string              `json:"hint,omitempty"`
}

// keywords answers search_workspace_memory.
func (k *call) keywords(ctx context.Context) (any, error) {
	if !k.enabled(k.Agent) {
		return nil, faultf("%s: nothing was searched. Answer from this conversation, and say that memory is off", errOff)
	}
	r := recall.KeywordRequest{
		Query: given(k.args, "query", ""), Scope: keyword.Scope(given(k.args, "scope", string(keyword.All))),
		Limit: given(k.args, "limit", recall.DefaultKeywordLimit), Agent: k.Agent.Settings,
	}
	found, err := k.Search.Keywords(ctx, k.Identity, r)
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return nil, faultf("%s", bad)
	}
	if err != nil {
		return nil, err
	}
	out := keywords{Query: r.Query, Scope: r.Scope, TotalHits: len(found.Hits), Hits: []recall.KeywordHit{}}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, h)
		k.shown(h.Document, h.LineNumber, h.LineNumber, excerpts.Of(h.Document.Content, excerpts.Options{From: h.LineNumber, Lines: 1}).Text)
	}
	if out.TotalHits == 0 {
		out.Hint = "No file has all of these words: try fewer or other ones, or " + MemorySearch + ", which also finds what says it differently, and what was said."
	}
	return out, nil
}

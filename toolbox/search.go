package toolbox

import (
	"context"
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"reverie/backend"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	excerpts "reverie/search/excerpt"
	"reverie/search/keyword"
)

// outsideResults bounds the results of the external memory, so that files and conversations have room.
const outsideResults = 5

const corpusOfFiles = search.Memory

// found is one search result as shown to a model.
type found struct {
	Corpus    search.Corpus `json:"corpus"`
	Path      string        `json:"path"`
	StartLine int           `json:"startLine"`
	EndLine   int           `json:"endLine"`
	Citation  string        `json:"citation"`
	Score     float64       `json:"score"`
	Snippet   string        `json:"snippet"`
	Scope     memory.Scope  `json:"scope,omitempty"`
	Agent     string        `json:"agent,omitempty"` // whose memory it is
	At        string        `json:"at,omitempty"`    // when it was said or written, in the agent's time zone
	Role      string        `json:"role,omitempty"`
	Name      string        `json:"name,omitempty"`

	SupersededBy string `json:"supersededBy,omitempty"` // citation of the result that states a newer value
}

// searched is the result of a search.
type searched struct {
	Results  []found     `json:"results"`
	Count    int         `json:"count"`
	Mode     recall.Mode `json:"mode,omitempty"`
	Provider string      `json:"provider"`
	Degraded bool        `json:"degraded,omitempty"`
	Fallback string      `json:"fallback,omitempty"` // why vectors were not used
	Hint     string      `json:"hint,omitempty"`

	NotSearched []string `json:"notSearched,omitempty"` // corpora of other programs, with the reason

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the results that cannot both hold

	Truncated   bool   `json:"truncated,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
	Unavailable bool   `json:"unavailable,omitempty"`
	Error       string `json:"error,omitempty"`
	Warning     string `json:"warning,omitempty"`
	Action      string `json:"action,omitempty"`
}

// search implements memory_search. The searcher records its results as recalled.
func (k *call) search(ctx context.Context) (any, error) {
	if !k.enabled(k.Agent) {
		k.result.IsError = true
		return searched{
			Results: []found{}, Provider: "none", Disabled: true, Unavailable: true, Error: errOff,
			Warning: "Memory was not searched: it is switched off for this agent.",
			Action:  "Answer from this conversation, and say that memory is off.",
		}, nil
	}
	zone, err := k.Agent.Location()
	if err != nil {
		zone = time.UTC
	}
	r := recall.Request{
		Query: given(k.args, "query", ""), Corpus: search.Corpus(given(k.args, "corpus", string(recall.All))), Agent: k.Agent.Settings, Zone: zone,
		Conversation: k.Conversation,
	}
	r.Archived = given(k.args, "includeArchived", false)
	if n, ok := k.args["maxResults"].(int); ok {
		r.MaxResults = &n
	}
	if s, ok := k.args["minScore"].(float64); ok {
		r.MinScore = &s
	}
	if r.From, r.To, err = recall.ParsePeriod(given(k.args, "from", ""), given(k.args, "to", ""), zone); err != nil {
		return nil, faultf("%s", err)
	}
	if r.Past, err = recall.ParsePast(given(k.args, "asOf", ""), zone, k.Search.Time()); err != nil {
		return nil, faultf("%s", err)
	}
	outside := make(chan []found, 1)
	go func() { outside <- k.searchOutside(ctx, r) }()
	answer, err := k.Search.Search(ctx, k.Identity, r)
	first := <-outside
	if err != nil {
		return k.searchFailed(ctx, err)
	}
	return k.answered(answer, zone, first), nil
}

// searchOutside returns what the external memory finds, in its order. A search for a time is of what the store has.
func (k *call) searchOutside(ctx context.Context, r recall.Request) (results []found) {
	if r.Corpus == search.Sessions || !r.From.IsZero() || !r.To.IsZero() || !r.Past.IsZero() {
		return nil
	}
	o, err := k.outside(ctx, k.Caller, false)
	if o == nil || err != nil {
		return nil
	}
	rows, server, err := o.query(ctx, backend.Query{Op: backend.Search, Text: r.Query, Limit: outsideResults, Archived: r.Archived})
	if err != nil {
		return nil
	}
	for _, row := range rows {
		if row.Archived && !r.Archived {
			continue
		}
		path, line := OutsideFolder+server, int(row.ID)
		results = append(results, found{
			Corpus: Outside, Path: path, StartLine: line, EndLine: line, Citation: recall.Citation(path, line, line), Score: row.Confidence,
			Snippet: row.Content, Scope: memory.ScopePersonal, Agent: k.Agent.ID, At: row.UpdatedAt.In(time.UTC).Format(time.RFC3339),
		})
	}
	return results
}

// searchFailed returns the result when the search failed. The turn continues without it.
func (k *call) searchFailed(ctx context.Context, err error) (any, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return nil, faultf("%s", bad)
	}
	k.result.IsError = true
	return searched{
		Results: []found{}, Provider: "none", Disabled: true, Unavailable: true, Error: "memory could not be searched",
		Warning: "Memory could not be searched. Do not conclude that nothing is known.", Action: "Say so, and search again later.",
	}, nil
}

// answered shows as many results as fit, after those of the external memory.
func (k *call) answered(r recall.Response, zone *time.Location, first []found) searched {
	out := searched{Results: append([]found{}, first...), Mode: r.Mode, Provider: r.Embedding.Provider, Degraded: r.Degraded}
	if out.Provider == "" {
		out.Provider = "none"
	}
	if r.Degraded {
		out.Fallback = r.Reason.String()
	}
	room := maxShown
	for _, f := range first {
		room -= utf8.RuneCountInString(f.Snippet)
	}
	for _, h := range r.Results {
		f := found{
			Corpus: h.Corpus, Path: h.Path, StartLine: h.FromLine, EndLine: h.ToLine, Citation: recall.Citation(h.Path, h.FromLine, h.ToLine),
			Score: math.Round(h.Score*1000) / 1000, Snippet: h.Snippet, Scope: h.Source.Scope, Agent: h.Source.Agent, Role: h.Message.Role,
			Name: h.Message.Name, SupersededBy: h.SupersededBy,
		}
		if !h.At.IsZero() {
			f.At = h.At.In(zone).Format(time.RFC3339)
		}
		if room -= utf8.RuneCountInString(f.Snippet); room < 0 {
			out.Truncated, out.Hint = true, "More was found than fits: narrow the query."
			break
		}
		out.Results = append(out.Results, f)
		k.result.Found = append(k.result.Found, h)
	}
	for _, s := range r.Supplements {
		if s.Failed != "" {
			out.NotSearched = append(out.NotSearched, string(s.Corpus)+": "+s.Failed)
		}
	}
	out.Disagreements = disputedOf(r.Disagreements)
	if out.Count = len(out.Results); out.Count == 0 {
		out.Hint = "Nothing was found. Try other words or a broader question; otherwise say that it is not known."
	}
	return out
}

// keywords is the result of a search for literal words.
type keywords struct {
	Query     string              `json:"query"`
	Scope     keyword.Scope       `json:"scope"`
	TotalHits int                 `json:"totalHits"`
	Hits      []recall.KeywordHit `json:"hits"`
	Hint      string              `json:"hint,omitempty"`

	Disagreements []disputed `json:"disagreements,omitempty"` // pairs of the shown statements that cannot both hold
}

// keywords implements search_workspace_memory.
func (k *call) keywords(ctx context.Context) (any, error) {
	if !k.enabled(k.Agent) {
		return nil, faultf("%s: nothing was searched. Answer from this conversation, and say that memory is off", errOff)
	}
	r := recall.KeywordRequest{
		Query: given(k.args, "query", ""), Scope: keyword.Scope(given(k.args, "scope", string(keyword.All))),
		Limit: given(k.args, "limit", recall.DefaultKeywordLimit), Archived: given(k.args, "includeArchived", false), Agent: k.Agent.Settings,
	}
	found, err := k.Search.Keywords(ctx, k.Identity, r)
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return nil, faultf("%s", bad)
	}
	if err != nil {
		return nil, err
	}
	out := keywords{Query: r.Query, Scope: r.Scope, TotalHits: len(found.Hits), Hits: []recall.KeywordHit{}}
	var texts []string
	for _, h := range found.Hits {
		line := excerpts.Of(h.Document.Content, excerpts.Options{From: h.LineNumber, Lines: 1}).Text
		out.Hits, texts = append(out.Hits, h), append(texts, line)
		k.shown(h.Document, h.LineNumber, h.LineNumber, line)
	}
	if out.Disagreements, err = k.disputed(ctx, texts...); err != nil {
		return nil, err
	}
	if out.TotalHits == 0 {
		out.Hint = "No file contains all of these words: try fewer or other words, or " + MemorySearch +
			", which also finds other wordings and conversations."
	}
	return out, nil
}

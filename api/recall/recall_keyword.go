package recall

import (
	"context"
	"net/http"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
)

func (s *recallRoom) keywordRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "search-keywords", Method: http.MethodPost, Path: recallPath + "/keyword", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Find lines of documents that have all of some words", Body: rest.MaxSearchBody, Invalid: fault.InvalidSearch,
		Doc: "Literally, in any case, in the documents in view that have every word. A line scores by how many of the words it has, and by its document: " +
			"MEMORY 1, memory/ 0.7, PROFILE 0.5, AGENTS 0.3, others 0.2; at most five lines of a document. Words are marked [[so]] in the snippet.",
	}, s.searchKeywords)
}

type keywordInput struct {
	rest.AgentParam
	rest.PersonParams
	Body struct {
		Query string              `json:"query" minLength:"2" maxLength:"64" doc:"2 to 64 characters; at most six words count." example:"blue cabinet"`
		Scope search.KeywordScope `json:"scope,omitempty" enum:"all,memory,profile,persona" default:"all" doc:"memory: MEMORY.md and daily notes; profile: PROFILE.md; persona: AGENTS.md."`
		Limit int                 `json:"limit,omitempty" minimum:"1" maximum:"30" default:"10" doc:"Lines."`
	}
}

type keywordsView struct {
	Query     string              `json:"query"`
	Scope     search.KeywordScope `json:"scope"`
	TotalHits int                 `json:"totalHits" doc:"Lines in hits."`
	Hits      []recall.KeywordHit `json:"hits" doc:"Best first."`
	Hint      string              `json:"hint,omitempty" doc:"What to do when nothing was found."`
	Disabled  bool                `json:"disabled,omitempty" doc:"Nothing was searched."`
	Error     string              `json:"error,omitempty"`
}

func (s *recallRoom) searchKeywords(ctx context.Context, in *keywordInput) (*rest.Reply[keywordsView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view := keywordsView{Query: in.Body.Query, Scope: in.Body.Scope, Hits: []recall.KeywordHit{}}
	found, err := s.Search.Keywords(ctx, id, recall.KeywordRequest{Query: in.Body.Query, Scope: in.Body.Scope, Limit: in.Body.Limit, Agent: agent.Settings})
	if err != nil {
		return nil, invalidSearch("body.", err)
	}
	if found.Disabled {
		view.Disabled, view.Error = true, errMemoryOff
		return rest.OK(view), nil
	}
	view.Hits = append(view.Hits, found.Hits...)
	view.TotalHits = len(view.Hits)
	if view.TotalHits == 0 {
		view.Hint = "No document has all of these words: try fewer or other ones, or memory/search, which also finds what says it differently, and what was said."
	}
	return rest.OK(view), nil
}

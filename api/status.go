package api

import (
	"context"
	"net/http"
	"time"

	"reverie/api/rest"
	"reverie/memory"
)

func (s *Server) statusRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "status", Method: http.MethodGet, Path: "/api/v1/status", Tag: "operation", Need: memory.RoleViewer,
		Summary: "Tell how the parts are, what is missing, and what waits",
	}, s.status)
}

type modelView struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"builtIn" doc:"No model is configured: the built-in engine extracts by rules."`
}

type backlogView struct {
	PendingConversations int `json:"pendingConversations" doc:"With completed messages that were not looked at."`
	PendingMessages      int `json:"pendingMessages"`
	UnsignalledTurns     int `json:"unsignalledTurns" doc:"Completed turns that Temporal has not accepted."`
	Waiting              int `json:"waiting" doc:"Extractions that go on by themselves later."`
	Quarantined          int `json:"quarantined" doc:"Refused extractions that wait for somebody to look at them."`
}

type statusView struct {
	Version  string          `json:"version"`
	State    string          `json:"state" enum:"ok,degraded,down"`
	Parts    []rest.PartView `json:"parts"`
	Model    modelView       `json:"model"`
	Degraded []string        `json:"degraded" doc:"What works differently from a complete installation, in words; empty: nothing."`
	Backlog  *backlogView    `json:"backlog,omitempty" doc:"Of the workspace, over the agents that the key may use; not for keys that are pinned to an owner."`
	Today    *memory.Usage   `json:"today,omitempty" doc:"What models have cost the workspace today (UTC); as backlog."`
	Time     time.Time       `json:"time"`
}

// Under which names workers report how the models are.
const (
	modelComponent          = "model"
	embeddingsComponent     = "embeddings"
	nextEmbeddingsComponent = "embeddings-next"
)

// stale reports whether a component is about a provider that was configured before and is not any more.
func (s *Server) stale(component string) bool {
	switch component {
	case modelComponent:
		return s.Model.BuiltIn
	case embeddingsComponent:
		return len(s.Search.Embedders) == 0
	case nextEmbeddingsComponent:
		return len(s.Search.Embedders) < 2
	}
	return false
}

func (s *Server) status(ctx context.Context, _ *struct{}) (*rest.Reply[statusView], error) {
	view := statusView{
		Version: s.Version, State: rest.StateOK, Degraded: []string{}, Time: s.Now(),
		Model: modelView{Name: s.Model.Name, BuiltIn: s.Model.BuiltIn},
	}
	view.Parts = []rest.PartView{s.Probes.AskDatabase(ctx), s.Probes.AskTemporal(ctx), s.Probes.AskWorkers(ctx)}
	reported, err := s.Store.Components(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range reported {
		if s.stale(c.Name) {
			continue
		}
		view.Parts = append(view.Parts, rest.PartView{Name: c.Name, State: c.State, Detail: c.Detail, Since: &c.ChangedAt, SeenAt: &c.SeenAt})
	}
	if s.Model.BuiltIn {
		view.Degraded = append(view.Degraded, "model: none is configured, the built-in engine extracts by rules, and chats only quote memory: set REVERIE_LLM_PROVIDER for better memories and for answers")
	}
	view.judge()
	if len(s.Search.Embedders) == 0 {
		view.Parts = append(view.Parts, rest.PartView{Name: embeddingsComponent, State: "none", Detail: "no embedding provider is configured: memory is searched by words"})
	}
	if err := s.count(ctx, &view); err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// count adds what waits and what was spent, which is the business of those who run the workspace: a key that is pinned to
// a person does not see it.
func (s *Server) count(ctx context.Context, view *statusView) error {
	id := rest.CallerOf(ctx).Identity()
	if id.Pinned {
		return nil
	}
	waiting, err := s.Store.Backlog(ctx, id)
	if err != nil {
		return err
	}
	spent, err := s.Store.SpentToday(ctx, id, s.Now())
	if err != nil {
		return err
	}
	backlog := backlogView(waiting)
	view.Backlog, view.Today = &backlog, &spent
	return nil
}

// judge sums the parts up.
func (v *statusView) judge() {
	for _, part := range v.Parts {
		if part.State == rest.StateOK {
			continue
		}
		if part.Detail != "" {
			v.Degraded = append(v.Degraded, part.Name+": "+part.Detail)
		} else {
			v.Degraded = append(v.Degraded, part.Name+": "+part.State)
		}
		v.State = rest.StateDegraded
	}
}

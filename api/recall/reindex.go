package recall

import (
	"context"
	"errors"
	"net/http"

	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/search"
	"reverie/store"
	"reverie/workflows"
)

func (s *recallRoom) reindexRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "build-index", Method: http.MethodPost, Path: recallPath + "/index", Tag: "recall", Need: memory.RoleAdmin,
		Summary: "Bring the index up to date, or build it anew", Status: http.StatusAccepted, Body: rest.MaxSmallBody, Invalid: fault.InvalidSearch,
		Doc: "Of the agent, and with a key that is not limited to agents of what belongs to the workspace too. Without force, what waits (merging, vectors, sources of an earlier release) is done at once. With force, everything is indexed anew from the documents and messages, " +
			"source by source, while searches go on; the same texts give the same index.",
	}, s.buildIndex)
	rest.Register(s.Server, rest.Route{
		ID: "index-progress", Method: http.MethodGet, Path: recallPath + "/index", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Tell how far the index is",
	}, s.indexProgress)
}

type buildIndexInput struct {
	rest.AgentParam
	Body *struct {
		Force bool `json:"force,omitempty" doc:"Index everything anew."`
	}
}

type indexView struct {
	State      string                   `json:"state" enum:"ready,working,unknown" doc:"ready: nothing is left to do; unknown: nothing seems to be left, but workflows do not answer."`
	Phase      workflows.ReindexPhase   `json:"phase,omitempty" enum:"building,comparing,deciding,retaining,dropping,done" doc:"Of the last time that everything was indexed anew."`
	Outcome    workflows.ReindexOutcome `json:"outcome,omitempty"`
	Done       int64                    `json:"done" doc:"Documents and conversations that are indexed as they should be."`
	Total      int64                    `json:"total"`
	Pending    int64                    `json:"pending" doc:"Documents and conversations that wait for vectors."`
	WorkflowID string                   `json:"workflowId"`
	Link       string                   `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

func (s *recallRoom) buildIndex(ctx context.Context, in *buildIndexInput) (*rest.Reply[indexView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "a key that is pinned to an owner tends no index")
	}
	refs := indexesOf(id)
	if id.Agents != nil { // it may not touch what belongs to the workspace
		refs = refs[:1]
	}
	for _, ref := range refs {
		if err := s.Workflows.TendIndex(ctx, ref, in.Body != nil && in.Body.Force); err != nil {
			return nil, err
		}
	}
	view, err := s.index(ctx, id)
	if err != nil {
		return nil, err
	}
	return rest.Accepted(view), nil
}

type indexProgressInput struct {
	rest.AgentParam
}

func (s *recallRoom) indexProgress(ctx context.Context, in *indexProgressInput) (*rest.Reply[indexView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	view, err := s.index(ctx, id)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// indexesOf are the indexes that searches of an agent look at: its own, and the one of what belongs to the workspace.
func indexesOf(id memory.Identity) []store.AgentRef {
	return []store.AgentRef{{Workspace: id.Workspace, Agent: id.Agent}, {Workspace: id.Workspace}}
}

// index tells how far the index of an agent is: what the database knows, and what the workflow knows if it answers.
func (s *recallRoom) index(ctx context.Context, id memory.Identity) (indexView, error) {
	id, _ = rest.AcrossOwners(id) // only counts are shown
	view := indexView{State: "ready", WorkflowID: workflows.LexicalReindexID(indexesOf(id)[0])}
	view.Link = s.Workflows.Link(view.WorkflowID)
	corpora, err := s.Store.IndexStatus(ctx, id)
	if err != nil {
		return view, err
	}
	for _, c := range corpora {
		view.Total += c.Sources
		view.Done += c.Sources - c.Stale
	}
	if len(s.Search.Embedders) > 0 {
		lag, err := s.Store.IndexLag(ctx, id, search.Corpora(), 0)
		if err != nil {
			return view, err
		}
		view.Pending = lag.Sources
	}
	for _, ref := range indexesOf(id) {
		if view.State == "unknown" {
			break
		}
		id := workflows.LexicalReindexID(ref)
		progress, err := s.Workflows.ReindexProgress(ctx, id)
		var none *serviceerror.NotFound
		switch {
		case err == nil && (view.Phase == "" || view.Phase == workflows.PhaseDone):
			view.Phase, view.Outcome = progress.Phase, progress.Outcome
		case err != nil && !errors.As(err, &none):
			view.State = "unknown"
			s.Log.DebugContext(ctx, "How far the index is could not be asked", "error", err, "workflow", id)
		}
	}
	if view.Done < view.Total || view.Pending > 0 || view.Phase != "" && view.Phase != workflows.PhaseDone {
		view.State = "working"
	}
	return view, nil
}

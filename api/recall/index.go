package recall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/search"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/workflows"
)

func (s *recallHandlers) reindexRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "build-index", Method: http.MethodPost, Act: rest.Changes, Path: recallPath + "/index", Tag: "recall", Need: memory.RoleAdmin,
		Summary: "Update or rebuild the index", Status: http.StatusAccepted, Body: rest.MaxSmallBody, Invalid: fault.InvalidSearch,
		Doc: "Covers the agent, and with a key that is not limited to agents of what belongs to the workspace too. Without force, what waits " +
			"(merging, vectors, sources of an earlier release) is done at once. With force, the whole index is rebuilt from the documents and " +
			"messages, source by source, while searches go on; the same texts give the same index.",
	}, s.buildIndex)
	rest.Register(s.Server, rest.Route{
		ID: "index-progress", Method: http.MethodGet, Path: recallPath + "/index", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Read the progress of the index",
	}, s.indexProgress)
}

type buildIndexInput struct {
	rest.AgentParam
	Body *struct {
		Force bool `json:"force,omitempty" doc:"Rebuild the whole index."`
	}
}

type indexView struct {
	State      string                   `json:"state" enum:"ready,working,unknown" doc:"ready: nothing is left to do; unknown: nothing seems to be left, but workflows do not answer."`
	Phase      workflows.ReindexPhase   `json:"phase,omitempty" enum:"building,comparing,deciding,retaining,dropping,done" doc:"Phase of the last rebuild."`
	Outcome    workflows.ReindexOutcome `json:"outcome,omitempty"`
	Done       int64                    `json:"done" doc:"Documents and conversations that are indexed as they should be."`
	Total      int64                    `json:"total"`
	Pending    int64                    `json:"pending" doc:"Documents and conversations that wait for vectors."`
	Waits      *vectorWaitView          `json:"waits,omitempty" doc:"What the vectors wait for; missing: for nothing but their turn, or for the provider."`
	WorkflowID string                   `json:"workflowId"`
	Link       string                   `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

func (s *recallHandlers) buildIndex(ctx context.Context, in *buildIndexInput) (*rest.Reply[indexView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot manage the index")
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
	view, err := s.index(ctx, id, agent)
	if err != nil {
		return nil, err
	}
	return rest.Accepted(view), nil
}

type indexProgressInput struct {
	rest.AgentParam
}

func (s *recallHandlers) indexProgress(ctx context.Context, in *indexProgressInput) (*rest.Reply[indexView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	view, err := s.index(ctx, id, agent)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// indexesOf returns the indexes that searches of an agent read: the agent's, and the workspace's.
func indexesOf(id memory.Identity) []indexes.AgentRef {
	return []indexes.AgentRef{{Workspace: id.Workspace, Agent: id.Agent}, {Workspace: id.Workspace}}
}

// index returns the progress of an agent's index, from the database and, if it answers, the workflow.
func (s *recallHandlers) index(ctx context.Context, id memory.Identity, agent gate.Agent) (indexView, error) {
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
		if view.Waits, err = s.vectorWait(ctx, id, agent, lag.Sources); err != nil {
			return view, err
		}
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

func (s *recallHandlers) spaceRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "decide-space", Method: http.MethodPost, Path: recallPath + "/spaces/{space}", Tag: "recall", Need: memory.RoleAdmin,
		Act: rest.Changes, Summary: "Choose the embedding space of searches", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "While a change of the embedding model waits for a decision about the space that it has built: switch to it anyway, or " +
			"abandon it. After the change, for as long as the space from before is kept: switch-back makes that one live again, at once for all " +
			"searches. The space is the one that the change builds or has built; GET …/memory/status lists them.",
	}, s.decideSpace)
}

// spaceDecision is a person's decision about a space.
type spaceDecision string

const switchBack spaceDecision = "switch-back"

type decideSpaceInput struct {
	rest.AgentParam
	Space int64 `path:"space" minimum:"1" doc:"Id of the space."`
	Body  struct {
		Decision spaceDecision `json:"decision" enum:"switch,abandon,switch-back"`
	}
}

type decidedView struct {
	Spaces     []spaceView `json:"spaces" doc:"Vectors by what made them, oldest first."`
	WorkflowID string      `json:"workflowId"`
	Link       string      `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

func (s *recallHandlers) decideSpace(ctx context.Context, in *decideSpaceInput) (*rest.Reply[decidedView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot manage the index")
	}
	id, _ = rest.AcrossOwners(id) // only counts are shown
	spaces, err := s.Store.Spaces(ctx, id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(spaces, func(p indexes.Space) bool { return p.ID == in.Space })
	if at < 0 {
		return nil, fault.New(fault.NotFound, "No embedding space %d", in.Space)
	}
	change := workflows.ReindexID(indexesOf(id)[0], spaces[at].Identity)
	if err := s.decide(ctx, change, in.Body.Decision); err != nil {
		return nil, err
	}
	if spaces, err = s.Store.Spaces(ctx, id); err != nil {
		return nil, err
	}
	return rest.OK(decidedView{rest.Views(spaces, viewSpace), change, s.Workflows.Link(change)}), nil
}

// decide sends a decision to a change of the embedding model, by its id, and waits until it is applied. A change that is not
// under way is not found; one that waits for something else refuses.
func (s *recallHandlers) decide(ctx context.Context, change string, d spaceDecision) error {
	var err error
	if d == switchBack {
		err = workflows.SwitchBack(ctx, s.Temporal, change)
	} else {
		err = workflows.DecideReindex(ctx, s.Temporal, change, workflows.Decision(d))
	}
	var none *serviceerror.NotFound
	switch refusal, refused := errors.AsType[*temporal.ApplicationError](err); {
	case errors.As(err, &none):
		return fault.New(fault.NotFound, "no change of the embedding model to this space is running")
	case refused:
		return fault.New(fault.Conflict, "%s", refusal.Message())
	case err != nil && rest.TemporalAway(err):
		return fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return err
}

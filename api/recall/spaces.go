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
	"reverie/store"
	"reverie/workflows"
)

func (s *recallRoom) spaceRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "decide-space", Method: http.MethodPost, Path: recallPath + "/spaces/{space}", Tag: "recall", Need: memory.RoleAdmin,
		Summary: "Decide which vectors searches look at", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "While a change of the embedding model waits for a decision about the space that it has built: switch to it all the same, or abandon it. After the change, for as long as the space from before is kept: switch-back makes that one live again, at once for all searches. " +
			"The space is the one that the change builds or has built; GET …/memory/status lists them.",
	}, s.decideSpace)
}

// spaceDecision is what a person decides about a space.
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

func (s *recallRoom) decideSpace(ctx context.Context, in *decideSpaceInput) (*rest.Reply[decidedView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "a key that is pinned to an owner tends no index")
	}
	spaces, err := s.Store.Spaces(ctx, id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(spaces, func(p store.Space) bool { return p.ID == in.Space })
	if at < 0 {
		return nil, fault.New(fault.NotFound, "the agent has no embedding space %d", in.Space)
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

// decide tells a change of the embedding model, by its id, what to do, and waits until it is done. A change that is not
// under way is not found; one that waits for something else refuses.
func (s *recallRoom) decide(ctx context.Context, change string, d spaceDecision) error {
	var err error
	if d == switchBack {
		err = workflows.SwitchBack(ctx, s.Temporal, change)
	} else {
		err = workflows.DecideReindex(ctx, s.Temporal, change, workflows.Decision(d))
	}
	var none *serviceerror.NotFound
	switch refusal, refused := errors.AsType[*temporal.ApplicationError](err); {
	case errors.As(err, &none):
		return fault.New(fault.NotFound, "no change of the embedding model to this space is under way")
	case refused:
		return fault.New(fault.Conflict, "%s", refusal.Message())
	case err != nil && rest.TemporalAway(err):
		return fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return err
}

package activities

import (
	"context"
	"errors"

	"reverie/memory"
	"reverie/store"
)

const (
	// sweepAgents bounds one round of the sweep over indexes; the next one takes the rest.
	sweepAgents = 1000
	// changesKept is how many changes wait for their reader at most.
	changesKept = 256
)

// IndexSweep is the store's side of the sweep over indexes, which finds what no write has told of. It is no step: it works
// while Temporal is away.
type IndexSweep struct {
	// Changed tells of agents whose documents a step of this process has changed. What nobody reads in time is found by
	// Due.
	Changed <-chan AgentRef

	steps *Activities
}

// NewIndexSweep returns a sweep over the store of the steps.
func NewIndexSweep(a *Activities) IndexSweep { return IndexSweep{a.changed, a} }

// Vectors reports whether there is a model that makes vectors.
func (s IndexSweep) Vectors() bool { return len(s.steps.Embedders) > 0 }

// Due lists agents whose index has work to do.
func (s IndexSweep) Due(ctx context.Context) ([]AgentRef, error) {
	return s.steps.Store.DueAgents(ctx, s.Vectors(), sweepAgents)
}

// Next is what makes the vectors that agents are being changed to; false: there is no change under way. It may have to ask
// the model for its dimensions.
func (s IndexSweep) Next(ctx context.Context) (memory.EmbeddingIdentity, bool, error) {
	if len(s.steps.Embedders) < 2 { // the current one alone
		return memory.EmbeddingIdentity{}, false, nil
	}
	identity, err := s.steps.Embedders[1].Probe(ctx)
	return identity, err == nil, err
}

// Indexed lists some agents that have an index, behind another one in their order; none when there are no more.
func (s IndexSweep) Indexed(ctx context.Context, after AgentRef) ([]AgentRef, error) {
	return s.steps.Store.IndexedAgents(ctx, after, sweepAgents)
}

// Changes reports whether an agent's live vectors are to be changed to those of another identity. An agent that has had
// those before is left alone: somebody has switched it back.
func (s IndexSweep) Changes(ctx context.Context, ref AgentRef, to memory.EmbeddingIdentity) (bool, error) {
	id := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	live, err := s.steps.Store.LiveSpace(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound): // its first vectors are made with the current model
		return false, nil
	case err != nil || live.Identity == to:
		return false, err
	}
	spaces, err := s.steps.Store.Spaces(ctx, id)
	for _, space := range spaces {
		if space.Identity == to && space.State == store.SpaceRetired {
			return false, err
		}
	}
	return err == nil, err
}

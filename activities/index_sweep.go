package activities

import (
	"context"
	"errors"

	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
)

const (
	// sweepAgents bounds the agents of one round; the next round takes the others.
	sweepAgents = 1000
	// changesKept bounds the changes that wait for their reader.
	changesKept = 256
)

// IndexSweep finds indexes with pending work, for the sweep of package worker. It needs the embedding models and the change
// feed of the activities, and is not an activity: it works while Temporal is unavailable.
type IndexSweep struct {
	// Changed receives agents whose documents an activity of this process has changed. Due finds those that are not read
	// in time.
	Changed <-chan AgentRef

	steps *Activities
}

// NewIndexSweep returns a sweep over the store of the activities.
func NewIndexSweep(a *Activities) IndexSweep { return IndexSweep{a.changed, a} }

// Vectors reports whether an embedding model is configured.
func (s IndexSweep) Vectors() bool { return len(s.steps.Embedders) > 0 }

// Due lists agents whose index has pending work.
func (s IndexSweep) Due(ctx context.Context) ([]AgentRef, error) {
	return s.steps.Store.DueAgents(ctx, s.Vectors(), sweepAgents)
}

// Next returns the identity that agents are being changed to; false: there is no change. It may ask the model for its
// dimensions.
func (s IndexSweep) Next(ctx context.Context) (memory.EmbeddingIdentity, bool, error) {
	if len(s.steps.Embedders) < 2 { // the current one alone
		return memory.EmbeddingIdentity{}, false, nil
	}
	identity, err := s.steps.Embedders[1].Probe(ctx)
	return identity, err == nil, err
}

// Indexed lists some agents that have an index, after another one in their order; none at the end.
func (s IndexSweep) Indexed(ctx context.Context, after AgentRef) ([]AgentRef, error) {
	return s.steps.Store.IndexedAgents(ctx, after, sweepAgents)
}

// Changes reports whether an agent's live vectors must change to another identity. An agent that had that identity before is
// kept: it was made live again.
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
		if space.Identity == to && space.State == indexes.SpaceRetired {
			return false, err
		}
	}
	return err == nil, err
}

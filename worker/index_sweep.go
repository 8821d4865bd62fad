package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/workflows"
)

// changesKept bounds the changes that wait for their reader.
const changesKept = 256

// sweepAgents bounds the agents that are looked at in one query.
const sweepAgents = 1000

// indexSweep starts the Index of agents whose index has pending work, and the Reindex of agents whose embedding model is
// being changed, one after the other.
type indexSweep struct {
	store     *store.Store
	embedders []embed.Embedder           // as in activities.Options
	changed   <-chan activities.AgentRef // sent by the activities of this process
	client    client.Client
	now       func() time.Time
	interval  time.Duration
	log       *slog.Logger

	retried    bool                // the first round is over
	looked     activities.AgentRef // the agent after which the next one with pending work is searched
	at         activities.AgentRef // the agent after which the next one to change is searched
	reindexing string              // the Reindex that was started last; empty: none is being built
}

// announce reports changes of agents until ctx ends.
func (s *indexSweep) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case ref := <-s.changed:
			s.notify(ctx, ref)
		}
	}
}

// notify starts the Index of a changed agent at once if vectors are needed; merging can wait for the sweep.
func (s *indexSweep) notify(ctx context.Context, ref activities.AgentRef) {
	if len(s.embedders) == 0 {
		return
	}
	if err := workflows.IndexChanged(ctx, s.client, ref, workflows.IndexChange{}); err != nil && ctx.Err() == nil {
		s.log.Debug("a change was left to the sweep", "error", err)
	}
}

// tend starts the Index of every agent with pending work, in order, and returns how many. A round that runs out of time is
// continued by the next one. In the first round it also retries those that wait for their model, whose settings may have changed.
func (s *indexSweep) tend(ctx context.Context) (int, error) {
	done := 0
	var failed error
	for {
		now := s.now()
		looked, err := s.store.DueAgents(ctx, store.Lease{Before: now, Until: now.Add(s.interval), Limit: sweepAgents}, len(s.embedders) > 0, s.looked)
		if err != nil {
			return done, errors.Join(failed, err)
		}
		if len(looked) == 0 {
			s.looked, s.retried = activities.AgentRef{}, true
			return done, failed
		}
		s.looked = looked[len(looked)-1].AgentRef // also if all of them fail: they do not stop the others
		n, err := each(ctx, slices.DeleteFunc(slices.Clone(looked), func(x indexes.DueAgent) bool { return !x.Due }), s.ensure)
		done += n
		if err != nil {
			failed = err
			if n == 0 || ctx.Err() != nil {
				return done, err
			}
		}
	}
}

func (s *indexSweep) ensure(ctx context.Context, agent indexes.DueAgent) error {
	if s.retried {
		return workflows.EnsureIndex(ctx, s.client, agent.AgentRef)
	}
	return workflows.IndexChanged(ctx, s.client, agent.AgentRef, workflows.IndexChange{Retry: true})
}

// change starts the next Reindex when the one before it has been built.
func (s *indexSweep) change(ctx context.Context) (int, error) {
	if len(s.embedders) < 2 { // the current model only
		return 0, nil
	}
	to, err := s.embedders[1].Probe(ctx)
	if err != nil || s.isBuilding(ctx) {
		return 0, err
	}
	refs, err := s.store.IndexedAgents(ctx, s.at, sweepAgents)
	if err != nil {
		return 0, err
	}
	for _, ref := range refs {
		s.at = ref // also of one that fails: it does not stop the others
		offered, err := s.offer(ctx, ref, to)
		if offered || err != nil {
			return 0, err
		}
	}
	if len(refs) == 0 { // start over: there may be new agents
		s.at = activities.AgentRef{}
	}
	return 0, nil
}

// offer starts the Reindex of an agent that needs it.
func (s *indexSweep) offer(ctx context.Context, ref activities.AgentRef, to memory.EmbeddingIdentity) (bool, error) {
	id := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	needed, err := s.store.NeedsSpace(ctx, id, to)
	if err != nil || !needed {
		return false, err
	}
	in := workflows.DefaultReindex(ref, to)
	if err := workflows.OfferReindex(ctx, s.client, in); err != nil {
		return false, err
	}
	s.reindexing = in.ID()
	return true, nil
}

// isBuilding reports whether the Reindex that was started last is still being built. While it waits for a person or keeps
// the old space, the next one can begin.
func (s *indexSweep) isBuilding(ctx context.Context) bool {
	if s.reindexing == "" {
		return false
	}
	p, err := workflows.ReindexProgressOf(ctx, s.client, s.reindexing)
	if err == nil && (p.Phase == workflows.PhaseBuilding || p.Phase == workflows.PhaseComparing) {
		return true
	}
	s.reindexing = ""
	return false
}

package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// changesKept bounds the changes that wait for their reader.
const changesKept = 256

// indexSweep starts the Index of agents whose index has pending work, and the Reindex of agents whose embedding model is
// being changed, one after the other.
type indexSweep struct {
	store     *store.Store
	embedders []embed.Embedder           // as in activities.Options
	changed   <-chan activities.AgentRef // sent by the activities of this process
	client    client.Client
	interval  time.Duration
	log       *slog.Logger

	started    bool                // the first round is over
	at         activities.AgentRef // the agent after which the next one to change is searched
	reindexing string              // the Reindex that was started last; empty: none is being built
}

func (s *indexSweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	s.round(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case ref := <-s.changed:
			s.notify(ctx, ref)
		case <-ticker.C:
			s.round(ctx)
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

func (s *indexSweep) round(ctx context.Context) {
	if err := s.tend(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("sweep over indexes stopped early", "error", err)
	}
	if err := s.change(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("the change of the embedding model is postponed", "error", err)
	}
}

// tend starts the Index of every agent with pending work. In the first round it also retries those that wait for their model,
// whose settings may have changed.
func (s *indexSweep) tend(ctx context.Context) error {
	due, err := s.store.DueAgents(ctx, len(s.embedders) > 0, sweepAgents)
	if err != nil {
		return err
	}
	for _, ref := range due {
		if s.started {
			err = workflows.EnsureIndex(ctx, s.client, ref)
		} else {
			err = workflows.IndexChanged(ctx, s.client, ref, workflows.IndexChange{Retry: true})
		}
		if err != nil {
			return err
		}
	}
	s.started = true
	return nil
}

// change starts the next Reindex when the one before it has been built.
func (s *indexSweep) change(ctx context.Context) error {
	if len(s.embedders) < 2 { // the current model only
		return nil
	}
	to, err := s.embedders[1].Probe(ctx)
	if err != nil || s.isBuilding(ctx) {
		return err
	}
	refs, err := s.store.IndexedAgents(ctx, s.at, sweepAgents)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		s.at = ref
		id := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
		needed, err := s.store.NeedsSpace(ctx, id, to)
		if err != nil {
			return err
		}
		if !needed {
			continue
		}
		in := workflows.DefaultReindex(ref, to)
		if err := workflows.OfferReindex(ctx, s.client, in); err != nil {
			return err
		}
		s.reindexing = in.ID()
		return nil
	}
	if len(refs) == 0 { // start over: there may be new agents
		s.at = activities.AgentRef{}
	}
	return nil
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

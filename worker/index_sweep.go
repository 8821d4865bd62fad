package worker

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

// indexSweep starts the Index of agents whose index has work to do that no write has told of, and the Reindex of agents
// whose embedding model is being changed, one after the other.
type indexSweep struct {
	activities.IndexSweep
	client   client.Client
	interval time.Duration
	log      *slog.Logger

	started    bool                // the first round is over
	at         activities.AgentRef // behind which the next agent to change is looked for
	reindexing string              // the Reindex that was started last; "": none is being built
}

func (s *indexSweep) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	s.round(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case ref := <-s.Changed:
			s.tell(ctx, ref)
		case <-ticker.C:
			s.round(ctx)
		}
	}
}

// tell passes on a change at once when vectors are to follow it; what only has to be merged can wait for the sweep.
func (s *indexSweep) tell(ctx context.Context, ref activities.AgentRef) {
	if !s.Vectors() {
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
		s.log.Warn("the change of the embedding model is put off", "error", err)
	}
}

// tend starts the Index of every agent that is due. One that waits for its model is asked to try again when the worker has
// just started: its settings may have changed.
func (s *indexSweep) tend(ctx context.Context) error {
	due, err := s.Due(ctx)
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
	to, changing, err := s.Next(ctx)
	if err != nil || !changing || s.isBuilding(ctx) {
		return err
	}
	refs, err := s.Indexed(ctx, s.at)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		s.at = ref
		changes, err := s.Changes(ctx, ref, to)
		if err != nil {
			return err
		}
		if !changes {
			continue
		}
		in := workflows.DefaultReindex(ref, to)
		if err := workflows.OfferReindex(ctx, s.client, in); err != nil {
			return err
		}
		s.reindexing = in.ID()
		return nil
	}
	if len(refs) == 0 { // from the beginning: there may be new ones
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

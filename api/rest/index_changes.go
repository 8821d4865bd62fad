package rest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// announcePause is how long further changes of an agent wait after one was told, to be told together.
const announcePause = 500 * time.Millisecond

// Announcer tells Temporal of changes, behind the answers and once for many changes of one agent. What it cannot tell is found by
// the worker's sweeps.
type Announcer struct {
	tell func(store.AgentRef)
	stop <-chan struct{}

	mu      sync.Mutex
	changed map[store.AgentRef]bool // being told; true: there is more since
}

func (a *Announcer) Announce(ref store.AgentRef) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, telling := a.changed[ref]; telling {
		a.changed[ref] = true
		return
	}
	a.changed[ref] = false
	go a.run(ref)
}

func (a *Announcer) run(ref store.AgentRef) {
	for {
		a.tell(ref)
		pause := time.NewTimer(announcePause)
		select {
		case <-pause.C:
		case <-a.stop:
			pause.Stop()
		}
		a.mu.Lock()
		more := a.changed[ref]
		if !more {
			delete(a.changed, ref)
			a.mu.Unlock()
			return
		}
		a.changed[ref] = false
		a.mu.Unlock()
	}
}

// IndexChanged has what was written embedded soon. Words are found already.
func (s *Server) IndexChanged(id memory.Identity, scope memory.Scope) {
	if len(s.Search.Embedders) == 0 {
		return
	}
	ref := store.AgentRef{Workspace: id.Workspace, Agent: id.Agent}
	if scope == memory.ScopeGlobal {
		ref.Agent = ""
	}
	s.changes.Announce(ref)
}

// IndexChanged tells the agent's Index of changes.
func (s *Starter) indexChanged(ref store.AgentRef) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.Background(), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.IndexChanged(ctx, s.Client, ref, workflows.IndexChange{})
	})
	if err != nil {
		s.Log.Debug("Workflows cannot be reached; what was written is left to the sweep", "error", err)
	}
}

// TendIndex has the index of an agent brought up to date, or built anew.
func (s *Starter) TendIndex(ctx context.Context, ref store.AgentRef, anew bool) error {
	ctx, cancel := context.WithTimeout(ctx, AcceptTimeout)
	defer cancel()
	var err error
	if anew {
		_, err = workflows.StartReindex(ctx, s.Client, workflows.DefaultReindex(ref, memory.EmbeddingIdentity{}))
	} else {
		err = workflows.IndexChanged(ctx, s.Client, ref, workflows.IndexChange{Retry: true})
	}
	if err != nil && TemporalAway(err) {
		return fmt.Errorf("%w: %w", ErrWorkflowsAway, err)
	}
	return err
}

// ReindexProgress asks the workflow that builds an index anew.
func (s *Starter) ReindexProgress(ctx context.Context, id string) (workflows.ReindexProgress, error) {
	ctx, cancel := context.WithTimeout(ctx, ReachTimeout)
	defer cancel()
	return workflows.ReindexProgressOf(ctx, s.Client, id)
}

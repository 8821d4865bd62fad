package api

import (
	"context"

	"github.com/sony/gobreaker/v2"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// nightsChanged has the schedule of an agent's nights follow what is set now, behind the answer. What Temporal cannot be told
// the worker finds within an hour.
func (s *dreamRoom) nightsChanged(id memory.Identity, agent string) {
	s.nights.announce(store.AgentRef{Workspace: id.Workspace, Agent: agent})
}

// ensureNights makes, changes or removes the schedule of an agent. Nobody waits for it, so that its failures say nothing to those
// who wait for Temporal.
func (s *dreamRoom) ensureNights(ref store.AgentRef) {
	if s.workflows.breaker.State() == gobreaker.StateOpen {
		return
	}
	ctx, cancel := context.WithTimeout(s.stopping, acceptTimeout)
	defer cancel()
	err := workflows.EnsureDreamSchedule(ctx, s.Temporal, func(ctx context.Context) (workflows.DreamPlan, error) {
		return s.dreamPlan(ctx, ref)
	}, s.Now())
	if err != nil && s.stopping.Err() == nil {
		s.Log.Debug("a schedule of dreams is left to the worker", "workspace", ref.Workspace, "agent", ref.Agent, "error", loggable(err))
	}
}

// following returns the number of requests that follow dreams.
func (s *dreamRoom) following() int { return s.followers.following() }

package dreams

import (
	"context"

	"github.com/sony/gobreaker/v2"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// NightsChanged has the schedule of an agent's nights follow what is set now, behind the answer. What Temporal cannot be told
// the worker finds within an hour.
func (s *Room) NightsChanged(id memory.Identity, agent string) {
	s.nights.Announce(store.AgentRef{Workspace: id.Workspace, Agent: agent})
}

// ensureNights makes, changes or removes the schedule of an agent. Nobody waits for it, so that its failures say nothing to those
// who wait for Temporal.
func (s *Room) ensureNights(ref store.AgentRef) {
	if s.Workflows.Breaker.State() == gobreaker.StateOpen {
		return
	}
	ctx, cancel := context.WithTimeout(s.Stopping, rest.AcceptTimeout)
	defer cancel()
	err := workflows.EnsureDreamSchedule(ctx, s.Temporal, func(ctx context.Context) (workflows.DreamPlan, error) {
		return s.DreamPlan(ctx, ref)
	}, s.Now())
	if err != nil && s.Stopping.Err() == nil {
		s.Log.Debug("a schedule of dreams is left to the worker", "workspace", ref.Workspace, "agent", ref.Agent, "error", rest.Loggable(err))
	}
}

// Following returns the number of requests that follow dreams.
func (s *Room) Following() int { return s.followers.Following() }

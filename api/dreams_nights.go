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
func (s *Server) nightsChanged(id memory.Identity, agent string) {
	s.nights.announce(store.AgentRef{Workspace: id.Workspace, Agent: agent})
}

// ensureNights makes, changes or removes the schedule of an agent. Nobody waits for it, so that its failures say nothing to those
// who wait for Temporal.
func (s *Server) ensureNights(ref store.AgentRef) {
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

// dreamPlan reads when an agent dreams.
func (s *Server) dreamPlan(ctx context.Context, ref store.AgentRef) (workflows.DreamPlan, error) {
	agent, err := s.Store.Agent(ctx, memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin})
	if err != nil {
		return workflows.DreamPlan{}, err
	}
	return workflows.DreamPlan{AgentRef: ref, TimeZone: agent.TimeZone, DreamSchedule: s.DreamSchedule.With(agent.Settings)}, nil
}

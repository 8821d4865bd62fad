package activities

import (
	"context"
	"errors"

	"reverie/memory"
	"reverie/store"
)

// DreamPlan is when an agent dreams.
type DreamPlan struct {
	AgentRef
	TimeZone string // IANA name
	memory.DreamSchedule
}

// DreamSweep is the store's side of keeping schedules. It is no step: schedules begin workflows, and are none.
type DreamSweep struct {
	store    *store.Store
	defaults memory.DreamSchedule
}

// NewDreamSweep returns a sweep over a store; defaults hold for agents that set nothing else.
func NewDreamSweep(s *store.Store, defaults memory.DreamSchedule) DreamSweep {
	return DreamSweep{s, defaults}
}

// Plans lists when some agents dream, behind another one in their order; none when there are no more.
func (s DreamSweep) Plans(ctx context.Context, after AgentRef) ([]DreamPlan, error) {
	agents, err := s.store.DreamingAgents(ctx, after, sweepAgents)
	plans := make([]DreamPlan, len(agents))
	for i, a := range agents {
		plans[i] = DreamPlan{a.AgentRef, a.TimeZone, s.defaults.With(a.Settings)}
	}
	return plans, err
}

// Plan reads when one agent dreams; one that does not exist never does.
func (s DreamSweep) Plan(ctx context.Context, ref AgentRef) (DreamPlan, error) {
	id := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	agent, err := s.store.Agent(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return DreamPlan{AgentRef: ref}, nil
	}
	return DreamPlan{ref, agent.TimeZone, s.defaults.With(agent.Settings)}, err
}

package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/workflows"
)

const (
	// reconcileInterval bounds the time until a change that an API process could not apply is applied.
	reconcileInterval = time.Hour
	// reconcileRetry is the pause after a failed round.
	reconcileRetry = time.Minute
	// reconcileParallel bounds the concurrent changes of schedules, to spare Temporal.
	reconcileParallel = 4
)

// dreamSchedules reconciles the schedules of all agents with their settings: at the start, and every hour. Several workers may
// do so concurrently.
type dreamSchedules struct {
	store    *store.Store
	defaults setting.DreamSchedule // of agents that set none
	client   client.Client
	now      func() time.Time
	log      *slog.Logger
	lost     chan struct{} // Temporal has lost its database
}

func (s dreamSchedules) run(ctx context.Context) {
	for {
		began, wait := s.now(), reconcileInterval
		changed, err := s.round(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Warn("some schedules of dreams are out of date; retrying soon", "changed", changed, "error", err)
			wait = reconcileRetry
		case changed > 0:
			s.log.Info("schedules of dreams updated", "changed", changed, "took", s.now().Sub(began))
		}
		select {
		case <-ctx.Done():
			return
		case <-s.lost:
		case <-time.After(wait):
		}
	}
}

// round reconciles all schedules and returns how many it changed. It reads the agents after the schedules, so that a schedule
// without an agent is not one that was just created.
func (s dreamSchedules) round(ctx context.Context) (int, error) {
	schedules, err := workflows.DreamSchedules(ctx, s.client)
	if err != nil {
		return 0, err
	}
	var changing []activities.AgentRef
	for after := (activities.AgentRef{}); ; {
		plans, err := s.plans(ctx, after)
		if err != nil {
			return 0, err
		}
		if len(plans) == 0 {
			break
		}
		for _, plan := range plans {
			after = plan.AgentRef
			schedule, exists := schedules[plan.AgentRef]
			delete(schedules, plan.AgentRef)
			if s.changes(plan, schedule, exists) {
				changing = append(changing, plan.AgentRef)
			}
		}
	}
	for ref := range schedules { // of agents that do not exist
		changing = append(changing, ref)
	}
	return s.ensure(ctx, changing)
}

// changes reports whether a schedule must be created, changed or removed.
func (s dreamSchedules) changes(plan workflows.DreamPlan, schedule workflows.DreamSchedule, exists bool) bool {
	if !plan.On() {
		return exists
	}
	follows, err := schedule.Follows(plan, s.now())
	if err != nil { // a time zone that this machine does not know
		s.log.Warn("cannot schedule the dreams of an agent", "workspace", plan.Workspace, "agent", plan.Agent, "error", err)
		return false
	}
	return !follows
}

// ensure updates the schedules of some agents, a few at a time. It returns how many it changed, and the first error.
func (s dreamSchedules) ensure(ctx context.Context, refs []activities.AgentRef) (int, error) {
	var (
		mu      sync.Mutex
		changed int
		first   error
		all     sync.WaitGroup
	)
	next := make(chan activities.AgentRef)
	for range min(reconcileParallel, len(refs)) {
		all.Go(func() {
			for ref := range next {
				err := workflows.EnsureDreamSchedule(ctx, s.client, func(ctx context.Context) (workflows.DreamPlan, error) {
					return s.plan(ctx, ref)
				}, s.now())
				mu.Lock()
				if err == nil {
					changed++
				} else if first == nil {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	for _, ref := range refs {
		if ctx.Err() != nil {
			break
		}
		next <- ref
	}
	close(next)
	all.Wait()
	return changed, first
}

// plans lists when some agents dream, after another one in their order; none at the end.
func (s dreamSchedules) plans(ctx context.Context, after activities.AgentRef) ([]workflows.DreamPlan, error) {
	agents, err := s.store.DreamingAgents(ctx, after, sweepAgents)
	plans := make([]workflows.DreamPlan, len(agents))
	for i, a := range agents {
		plans[i] = workflows.DreamPlan{AgentRef: a.AgentRef, TimeZone: a.TimeZone, DreamSchedule: s.defaults.With(a.Settings)}
	}
	return plans, err
}

// plan returns when an agent dreams; one that does not exist never does.
func (s dreamSchedules) plan(ctx context.Context, ref activities.AgentRef) (workflows.DreamPlan, error) {
	id := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	agent, err := s.store.Agent(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return workflows.DreamPlan{AgentRef: ref}, nil
	}
	return workflows.DreamPlan{AgentRef: ref, TimeZone: agent.TimeZone, DreamSchedule: s.defaults.With(agent.Settings)}, err
}

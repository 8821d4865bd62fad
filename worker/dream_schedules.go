package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/workflows"
)

const (
	// reconcileInterval: what an API process could not tell Temporal is found within an hour.
	reconcileInterval = time.Hour
	// reconcileRetry: how long a round that failed waits for the next one.
	reconcileRetry = time.Minute
	// reconcileParallel: schedules that are made or changed at once. Temporal has other things to do.
	reconcileParallel = 4
)

// dreamSchedules keeps the schedules of all agents as their settings have them: at the start, and every hour. Any number of
// workers may do so at once.
type dreamSchedules struct {
	activities.DreamSweep
	client client.Client
	now    func() time.Time
	log    *slog.Logger
}

func (s dreamSchedules) run(ctx context.Context) {
	for {
		began, wait := s.now(), reconcileInterval
		changed, err := s.round(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Warn("schedules of dreams are not all as they should be; the next look is soon", "changed", changed, "error", err)
			wait = reconcileRetry
		case changed > 0:
			s.log.Info("schedules of dreams follow their agents", "changed", changed, "took", s.now().Sub(began))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// round brings all schedules into line and reports how many it had to change. Agents are read after the schedules were listed:
// a schedule without an agent is none that was just made for one.
func (s dreamSchedules) round(ctx context.Context) (int, error) {
	schedules, err := workflows.DreamSchedules(ctx, s.client)
	if err != nil {
		return 0, err
	}
	var changing []activities.AgentRef
	for after := (activities.AgentRef{}); ; {
		plans, err := s.Plans(ctx, after)
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

// changes reports whether a schedule has to be made, changed or removed.
func (s dreamSchedules) changes(plan workflows.DreamPlan, schedule workflows.DreamSchedule, exists bool) bool {
	if !plan.On() {
		return exists
	}
	follows, err := schedule.Follows(plan, s.now())
	if err != nil { // a time zone that this machine does not know
		s.log.Warn("an agent cannot be given a schedule", "workspace", plan.Workspace, "agent", plan.Agent, "error", err)
		return false
	}
	return !follows
}

// ensure changes the schedules of some agents, a few at a time, and reports how many it could and the first reason why not all.
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
					return s.Plan(ctx, ref)
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

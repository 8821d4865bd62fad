package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
)

// ScheduleFollows reports whether an agent has the schedule that its plan asks for, or none when it asks for none.
func ScheduleFollows(ctx context.Context, c client.Client, p DreamPlan, now time.Time) (bool, error) {
	description, err := c.ScheduleClient().GetHandle(ctx, DreamScheduleID(p.AgentRef)).Describe(ctx)
	switch {
	case isNotFound(err):
		return !p.On(), nil
	case err != nil:
		return false, err
	case !p.On() || description.Schedule.Spec == nil:
		return false, nil
	}
	return found(description.Schedule.Spec).Follows(p, now)
}

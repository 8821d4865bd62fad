package dreams

import (
	"context"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// dreamSchedule tells when an agent dreams next. Without workflows the answer is the less, and not late.
func (s *Room) dreamSchedule(ctx context.Context, ref store.AgentRef, agent store.Agent, schedule memory.DreamSchedule) dreamScheduleView {
	view := dreamScheduleView{State: "off", Cron: schedule.Cron, TimeZone: agent.TimeZone}
	if !schedule.On() {
		return view
	}
	if s.Probes.AskTemporal(ctx).State != rest.StateOK { // known, for a second
		view.State = rest.StateUnknown
		return view
	}
	ctx, cancel := context.WithTimeout(ctx, rest.ReachTimeout)
	defer cancel()
	next, paused, err := workflows.NextDream(ctx, s.Temporal, ref)
	switch {
	case err != nil:
		s.Log.DebugContext(ctx, "When the next night is could not be asked", "error", err, "request", rest.RequestID(ctx))
		view.State = rest.StateUnknown
	case next.IsZero():
		view.State = "none"
	case paused:
		view.State = "paused"
	default:
		view.State, view.Next = "on", &next
	}
	return view
}

package api

import (
	"context"

	"reverie/memory"
	"reverie/store"
)

// dreamSchedule tells when an agent dreams next.
func (s *Server) dreamSchedule(ctx context.Context, agent store.Agent, schedule memory.DreamSchedule) dreamScheduleView {
	view := dreamScheduleView{State: "off", Cron: schedule.Cron, TimeZone: agent.TimeZone}
	if schedule.On() {
		view.State = "unknown"
	}
	return view
}

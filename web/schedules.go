package web

import (
	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/web/view"
)

func (b *Browser) scheduleRoutes() {
	b.page(rest.Route{ID: "page-schedules", Path: "/schedules", Summary: "When agents dream next", Need: memory.RoleAdmin}, (*request).schedules)
}

// maxSchedules bounds the agents whose schedule is shown; Temporal is asked for each.
const maxSchedules = 50

func (q *request) schedules() (templ.Component, error) {
	id := q.key.Identity()
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "Schedules are of agents: a key pinned to an owner does not see them")
	}
	agents, err := q.Store.Agents(q.Context, id)
	if err != nil {
		return nil, err
	}
	page := view.Schedules{More: max(0, len(agents)-maxSchedules)}
	for _, agent := range agents[:len(agents)-page.More] {
		s := q.DreamHandlers.Schedule(q.Context, id.For(agent.ID, memory.NoOwner), agent)
		row := view.Schedule{Agent: agent.ID, Name: agent.Name, State: s.State, Cron: s.Cron, Zone: s.TimeZone}
		if s.Next != nil {
			row.Next = *s.Next
			if zone, err := agent.Location(); err == nil {
				row.Local = s.Next.In(zone).Format("Mon 2 Jan, 15:04")
			}
		}
		page.Items = append(page.Items, row)
	}
	return view.SchedulesPage(q.frame("schedules", "Schedules"), page), nil
}

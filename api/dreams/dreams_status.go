package dreams

import (
	"context"
	"maps"
	"net/http"
	"time"

	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/store"
)

func (s *Room) dreamStatusRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dreaming-status", Method: http.MethodGet, Path: dreamsPath + "/status", Original: originalDreaming + "/status", Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Tell how the dreaming of an owner stands",
		Doc:     "When it was last dreamed and when it is dreamed next, whether there is anything new, and with which settings. Naming nobody, of the shared memory.",
	}, s.dreamingStatus)
}

type dreamingStatusInput struct {
	rest.AgentParam
	rest.PersonParams
}

type dreamingStatusView struct {
	Enabled    bool                   `json:"enabled" doc:"Memory and dreaming are switched on for the agent."`
	Schedule   dreamScheduleView      `json:"schedule"`
	Last       *dreamView             `json:"last,omitempty" doc:"The last dream that has ended, dry runs aside."`
	Running    *dreamView             `json:"running,omitempty" doc:"The dream that is under way; phase says how far it is."`
	Backlog    dreamBacklogView       `json:"backlog"`
	Statements map[dream.Status]int   `json:"statements" doc:"What is known of statements over all dreams, by status: open, promoted, confirmed, edited, forgotten, rejected."`
	Outcomes   map[memory.Outcome]int `json:"outcomes" doc:"Of the dreams of the last 30 days."`
	Diary      string                 `json:"diary,omitempty" doc:"The latest entry of DREAMS.md."`
	Settings   dreamSettingsView      `json:"settings" doc:"Of the next dream."`
}

type dreamScheduleView struct {
	State    string     `json:"state" enum:"on,paused,off,none,unknown" doc:"paused: nights pass until it is resumed; off: by the settings; none: a worker has still to make it; unknown: workflows cannot be reached."`
	Cron     string     `json:"cron" example:"0 2 * * *"`
	TimeZone string     `json:"timeZone" example:"Europe/Berlin"`
	Next     *time.Time `json:"next,omitempty" doc:"When the next night begins, jitter included."`
}

type dreamBacklogView struct {
	News  bool       `json:"news" doc:"Something was written or said since the last dream: the next night has something to look at."`
	Since *time.Time `json:"since,omitempty" doc:"When the first of it was."`
}

func (s *Room) dreamingStatus(ctx context.Context, in *dreamingStatusInput) (*rest.Reply[dreamingStatusView], error) {
	id, agent, full, err := s.dreamer(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	status, err := s.Store.DreamStatus(ctx, id)
	if err != nil {
		return nil, err
	}
	schedule, settings := s.DreamSchedule.With(agent.Settings), s.Dreams.With(agent.Settings)
	view := dreamingStatusView{
		Enabled: schedule.On(), Settings: viewDreamSettings(settings), Schedule: s.dreamSchedule(ctx, store.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, agent, schedule),
		Backlog: dreamBacklogView{News: status.News}, Statements: map[dream.Status]int{}, Outcomes: map[memory.Outcome]int{},
		Diary: status.Diary,
	}
	maps.Copy(view.Statements, status.Statuses)
	maps.Copy(view.Outcomes, status.Outcomes)
	if !status.NewsAt.IsZero() {
		view.Backlog.Since = &status.NewsAt
	}
	show := s.dreamViewer(full)
	view.Last, view.Running = optional(status.Last, show), optional(status.Running, show)
	return rest.OK(view), nil
}

// optional shows what is there.
func optional(d *store.Dream, show func(store.Dream) dreamView) *dreamView {
	if d == nil {
		return nil
	}
	v := show(*d)
	return &v
}

package dreams

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/sony/gobreaker/v2"

	"reverie/api/files"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/workflows"
)

func (s *Handlers) dreamStatusRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dreaming-status", Method: http.MethodGet, Path: dreamsPath + "/status", Original: originalDreaming + "/status", Tag: "dreams",
		Need:    memory.RoleViewer,
		Summary: "Read the status of dreaming",
		Doc:     "The last and the next dream, news since, and settings. Without an owner, of the shared memory.",
	}, s.dreamingStatus)
}

type dreamingStatusInput struct {
	rest.AgentParam
	rest.PersonParams
}

type dreamingStatusView struct {
	Enabled    bool                   `json:"enabled" doc:"Memory and dreaming are switched on for the agent."`
	Schedule   DreamScheduleView      `json:"schedule"`
	Last       *dreamView             `json:"last,omitempty" doc:"The last dream that has ended, dry runs aside."`
	Running    *dreamView             `json:"running,omitempty" doc:"The running dream, with its phase."`
	Backlog    dreamBacklogView       `json:"backlog"`
	Statements map[dream.Status]int   `json:"statements" doc:"What is known of statements over all dreams, by status: open, promoted, confirmed, edited, forgotten, rejected, held."`
	Outcomes   map[memory.Outcome]int `json:"outcomes" doc:"Outcomes of the dreams of the last 30 days."`
	Diary      string                 `json:"diary,omitempty" doc:"The latest entry of DREAMS.md."`
	Settings   dreamSettingsView      `json:"settings" doc:"Settings of the next dream."`
}

// DreamScheduleView shows when an agent dreams.
type DreamScheduleView struct {
	State    string     `json:"state" enum:"on,paused,off,none,unknown" doc:"paused: nights pass until it is resumed; off: by the settings; none: a worker has not created it yet; unknown: workflows cannot be reached."`
	Cron     string     `json:"cron" example:"0 2 * * *"`
	TimeZone string     `json:"timeZone" example:"Europe/Berlin"`
	Next     *time.Time `json:"next,omitempty" doc:"When the next night begins, with the agent's place in the spread."`
}

type dreamBacklogView struct {
	News  bool       `json:"news" doc:"Something was written or said since the last dream: the next night has something to look at."`
	Since *time.Time `json:"since,omitempty" doc:"When the first of it was."`
}

func (s *Handlers) dreamingStatus(ctx context.Context, in *dreamingStatusInput) (*rest.Reply[dreamingStatusView], error) {
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
		Enabled: schedule.On(), Settings: viewDreamSettings(settings),
		Schedule: s.dreamSchedule(ctx, indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, agent, schedule),
		Backlog:  dreamBacklogView{News: status.News}, Statements: map[dream.Status]int{}, Outcomes: map[memory.Outcome]int{},
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
func optional(d *dreams.Dream, show func(dreams.Dream) dreamView) *dreamView {
	if d == nil {
		return nil
	}
	v := show(*d)
	return &v
}

// dreamSchedule returns when an agent dreams next; without workflows the state is unknown.
func (s *Handlers) dreamSchedule(ctx context.Context, ref indexes.AgentRef, agent gate.Agent,
	schedule setting.DreamSchedule,
) DreamScheduleView {
	view := DreamScheduleView{State: "off", Cron: schedule.Cron, TimeZone: agent.TimeZone}
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
		next = next.Add(workflows.DelayOf(workflows.DreamPlan{AgentRef: ref, DreamSchedule: schedule}))
		view.State, view.Next = "on", &next
	}
	return view
}

// NightsChanged updates the schedule of an agent's nights to its settings in the background, after the response. If Temporal
// cannot be reached, the worker updates the schedule within an hour.
func (s *Handlers) NightsChanged(id memory.Identity, agent string) {
	s.nights.Announce(indexes.AgentRef{Workspace: id.Workspace, Agent: agent})
}

// ensureNights makes, changes or removes the schedule of an agent. Nobody waits for it, so that its failures say nothing to those
// who wait for Temporal.
func (s *Handlers) ensureNights(ref indexes.AgentRef) {
	if s.Workflows.Breaker.State() == gobreaker.StateOpen {
		return
	}
	ctx, cancel := context.WithTimeout(s.Stopping, rest.AcceptTimeout)
	defer cancel()
	err := workflows.EnsureDreamSchedule(ctx, s.Temporal, func(ctx context.Context) (workflows.DreamPlan, error) {
		return s.DreamPlan(ctx, ref)
	}, s.Now())
	if err != nil && s.Stopping.Err() == nil {
		s.Log.Debug(
			"a schedule of dreams is left to the worker",
			"workspace",
			ref.Workspace,
			"agent",
			ref.Agent,
			"error",
			rest.Loggable(err),
		)
	}
}

// Following returns the number of requests that follow dreams.
func (s *Handlers) Following() int { return s.followers.Following() }

// diaryMonthsPath is the folder of older diary entries, one file for each month.
const diaryMonthsPath = "memory/dreaming/diary/"

func (s *Handlers) dreamDiaryRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dream-diary", Method: http.MethodGet, Path: dreamsPath + "/diary", Original: originalDreaming + "/dreams", Tag: "dreams",
		Need:    memory.RoleViewer,
		Summary: "Read the diary of dreams", Doc: "DREAMS.md, and the files of older entries. Without an owner, of the shared memory.",
	}, s.dreamDiary)
}

type dreamDiaryInput struct {
	rest.AgentParam
	rest.PersonParams
}

type dreamDiaryView struct {
	Scope   memory.Scope      `json:"scope"`
	Path    string            `json:"path"`
	Version int               `json:"version" doc:"0: nothing was dreamed yet."`
	ETag    string            `json:"etag,omitempty"`
	Content string            `json:"content"`
	Months  []files.FileEntry `json:"months" doc:"Files of older entries, one for each month: read them as documents."`
}

func (s *Handlers) dreamDiary(ctx context.Context, in *dreamDiaryInput) (*rest.Reply[dreamDiaryView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view := dreamDiaryView{Scope: memory.ScopePersonal, Path: memory.DreamsPath}
	if id.Owner == memory.NoOwner || id.Owner == memory.SystemOwner {
		view.Scope = memory.ScopeTeam
	}
	months, err := s.Store.Documents(ctx, id, gate.DocumentFilter{Prefix: diaryMonthsPath, Scope: view.Scope})
	if err != nil {
		return nil, err
	}
	view.Months = rest.Views(months, func(e gate.DocumentEntry) files.FileEntry { return files.ViewEntry(e.Document, e.Bytes) })
	d, err := s.Store.Document(ctx, id, memory.Ref{Scope: view.Scope, Path: memory.DreamsPath})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return rest.OK(view), nil
	case err != nil:
		return nil, err
	}
	view.Version, view.ETag, view.Content = d.Version, rest.ETag(d.Scope, d.Version, d.SHA256), d.Content
	return rest.OK(view), nil
}

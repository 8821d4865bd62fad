package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
	"reverie/workflows"
)

// world is a database with two workspaces and a separate Temporal: a reconciliation removes the schedules of other tests.
type world struct {
	tb       testing.TB
	store    *store.Store
	temporal *devenv.Temporal
	client   client.Client
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	s, _ := storetest.Open(tb, store.Options{})
	w := &world{tb: tb, store: s, temporal: devtest.PrivateTemporal(tb)}
	var err error
	w.client, err = client.Dial(client.Options{HostPort: w.temporal.Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.client.Close)
	for _, workspace := range []string{"acme", "beta"} {
		if err := s.EnsureWorkspace(tb.Context(), workspace, workspace); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

func administrator(workspace, agent string) memory.Identity {
	return memory.Identity{Workspace: workspace, Agent: agent, AnyOwner: true, Role: memory.RoleAdmin}
}

func (w *world) agent(workspace, agent, zone string, settings setting.AgentSettings) {
	w.tb.Helper()
	if _, err := w.store.CreateAgent(w.tb.Context(), administrator(workspace, agent),
		admin.NewAgent{ID: agent, TimeZone: zone, Settings: settings}); err != nil {
		w.tb.Fatal(err)
	}
}

func (w *world) patch(workspace, agent string, p admin.AgentPatch) {
	w.tb.Helper()
	if _, err := w.store.UpdateAgent(w.tb.Context(), administrator(workspace, agent), p); err != nil {
		w.tb.Fatal(err)
	}
}

// schedules is a worker's keeper of schedules.
func (w *world) schedules(defaults setting.DreamSchedule) dreamSchedules {
	return dreamSchedules{
		store: w.store, defaults: defaults, client: w.client, now: time.Now, log: slog.New(slog.DiscardHandler),
	}
}

// round reconciles once what Temporal's list shows by now, and reports how many schedules were changed.
func (w *world) round(s dreamSchedules) int {
	w.tb.Helper()
	changed, err := s.round(w.tb.Context())
	if err != nil {
		w.tb.Fatal(err)
	}
	return changed
}

// listed are the schedules by id, with when they dream; waited for until Temporal's list shows them so.
func (w *world) want(want map[string]string) {
	w.tb.Helper()
	var diff string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		got := map[string]string{}
		list, err := w.client.ScheduleClient().List(w.tb.Context(), client.ScheduleListOptions{})
		if err != nil {
			w.tb.Fatal(err)
		}
		for list.HasNext() {
			entry, err := list.Next()
			if err != nil {
				w.tb.Fatal(err)
			}
			when, _, _ := strings.Cut(entry.Spec.Calendars[0].Comment, " [")
			if entry.Paused {
				when += ", paused"
			}
			got[entry.ID] = when
		}
		if diff = cmp.Diff(want, got); diff == "" {
			return
		}
	}
	w.tb.Errorf("schedules (-want +got):\n%s", diff)
}

func TestSchedulesFollowAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("acme", "ada", "Europe/Berlin", setting.AgentSettings{})
	w.agent("acme", "bob", "", setting.AgentSettings{DreamCron: "30 4 * * 1-5"})
	w.agent("acme", "off", "", setting.AgentSettings{DreamingEnabled: new(false)})
	w.agent("acme", "none", "", setting.AgentSettings{MemoryEnabled: new(false)})
	w.agent("beta", "ada", "Asia/Tokyo", setting.AgentSettings{})
	s := w.schedules(setting.DefaultDreamSchedule())
	if changed := w.round(s); changed != 3 {
		t.Errorf("%d were made", changed)
	}
	w.want(map[string]string{
		"dream/acme.ada": "0 2 * * * in Europe/Berlin", "dream/acme.bob": "30 4 * * 1-5 in UTC", "dream/beta.ada": "0 2 * * * in Asia/Tokyo",
	})
	if changed := w.round(s); changed != 0 {
		t.Errorf("nothing has changed, but %d were", changed)
	}

	ref := activities.AgentRef{Workspace: "beta", Agent: "ada"}
	if err := w.client.ScheduleClient().GetHandle(t.Context(), workflows.DreamScheduleID(ref)).Pause(t.Context(),
		client.SchedulePauseOptions{Note: "on holiday"}); err != nil {
		t.Fatal(err)
	}
	stray, err := w.client.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID: "dream/acme.gone", Action: &client.ScheduleWorkflowAction{ID: "x", Workflow: workflows.NightName, TaskQueue: "nowhere"},
		Spec: client.ScheduleSpec{CronExpressions: []string{"0 2 * * *"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID: "dream/somebody.else", Action: &client.ScheduleWorkflowAction{ID: "x", Workflow: "Other", TaskQueue: "nowhere"},
		Spec: client.ScheduleSpec{CronExpressions: []string{"0 2 * * * # of others"}},
	}); err != nil {
		t.Fatal(err)
	}
	w.want(map[string]string{
		"dream/acme.ada": "0 2 * * * in Europe/Berlin", "dream/acme.bob": "30 4 * * 1-5 in UTC",
		"dream/beta.ada": "0 2 * * * in Asia/Tokyo, paused", "dream/acme.gone": "", "dream/somebody.else": "of others",
	})

	w.patch("acme", "ada", admin.AgentPatch{Settings: &setting.AgentSettings{DreamingEnabled: new(false)}})
	w.patch("acme", "bob", admin.AgentPatch{Settings: &setting.AgentSettings{}})
	w.patch("acme", "none", admin.AgentPatch{Settings: &setting.AgentSettings{MemoryEnabled: new(true)}})
	w.patch("beta", "ada", admin.AgentPatch{TimeZone: new("America/New_York")})
	if changed := w.round(s); changed != 5 {
		t.Errorf("%d were changed", changed)
	}
	want := map[string]string{
		"dream/acme.bob": "0 2 * * * in UTC", "dream/acme.none": "0 2 * * * in UTC",
		"dream/beta.ada": "0 2 * * * in America/New_York, paused", "dream/somebody.else": "of others",
	}
	w.want(want)
	if _, err := stray.Describe(t.Context()); err == nil {
		t.Error("a schedule of no agent is still there")
	}

	// The server's own settings change; then two workers are of the same opinion at the same time.
	defaults := setting.DefaultDreamSchedule()
	defaults.Cron, defaults.Jitter = "0 3 * * *", time.Minute
	failed := make(chan error, 2)
	for range cap(failed) {
		go func() {
			_, err := w.schedules(defaults).round(t.Context())
			failed <- err
		}()
	}
	if err := errors.Join(<-failed, <-failed); err != nil {
		t.Error(err)
	}
	for id := range want {
		want[id] = strings.Replace(want[id], "0 2", "0 3", 1)
	}
	w.want(want)

	defaults.DreamingEnabled = false
	w.round(w.schedules(defaults))
	w.want(map[string]string{"dream/somebody.else": "of others"})
}

// A member of a team has no nights, and neither has an agent whose memory is off; who leaves the team, or is switched on again, dreams as
// before.
func TestSchedulesOfTeams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("acme", "lead", "UTC", setting.AgentSettings{})
	w.agent("acme", "ada", "Europe/Berlin", setting.AgentSettings{DreamCron: "30 4 * * 1-5"})
	const lead, ada = "0 2 * * * in UTC", "30 4 * * 1-5 in Europe/Berlin"
	set := func(s setting.AgentSettings) {
		t.Helper()
		s.DreamCron = "30 4 * * 1-5"
		w.patch("acme", "ada", admin.AgentPatch{Settings: &s})
	}
	defaults := setting.DefaultDreamSchedule()
	w.round(w.schedules(defaults))
	both := map[string]string{"dream/acme.lead": lead, "dream/acme.ada": ada}
	w.want(both)
	for name, quiet := range map[string]setting.AgentSettings{"a member": {Leader: "lead"}, "memory off": {MemoryEnabled: new(false)}} {
		set(quiet)
		if changed := w.round(w.schedules(defaults)); changed != 1 {
			t.Errorf("%s: %d were changed", name, changed)
		}
		w.want(map[string]string{"dream/acme.lead": lead})
		if changed := w.round(w.schedules(defaults)); changed != 0 {
			t.Errorf("%s, again: %d were changed", name, changed)
		}
		set(setting.AgentSettings{})
		if changed := w.round(w.schedules(defaults)); changed != 1 {
			t.Errorf("no more %s: %d were changed", name, changed)
		}
		w.want(both)
	}

	// Off on the server: an agent that overrides it has nights, unless it is a team member.
	defaults.MemoryEnabled = false
	set(setting.AgentSettings{MemoryEnabled: new(true)})
	w.round(w.schedules(defaults))
	w.want(map[string]string{"dream/acme.ada": ada})
	set(setting.AgentSettings{MemoryEnabled: new(true), Leader: "lead"})
	w.round(w.schedules(defaults))
	w.want(map[string]string{})
}

// A Temporal that is away fails the round, and the next one makes up for it.
func TestSchedulesWhenTemporalIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	s := w.schedules(setting.DefaultDreamSchedule())
	if err := w.temporal.Suspend(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if changed, err := s.round(ctx); err == nil || changed != 0 {
		t.Errorf("%d changed, %v", changed, err)
	}
	if err := w.temporal.Resume(); err != nil {
		t.Fatal(err)
	}
	w.round(s)
	w.want(map[string]string{"dream/acme.ada": "0 2 * * * in UTC"})
}

// What a thousand agents cost: the first time, when nothing has changed, and when all have.
func BenchmarkSchedulesOfAThousandAgents(b *testing.B) {
	const agents = 1000
	w := newWorld(b)
	for i := range agents {
		w.agent([]string{"acme", "beta"}[i%2], fmt.Sprintf("agent-%04d", i), "Europe/Berlin", setting.AgentSettings{})
	}
	all := func(time string) map[string]string {
		want := map[string]string{}
		for i := range agents {
			want[fmt.Sprintf("dream/%s.agent-%04d", []string{"acme", "beta"}[i%2], i)] = time + " * * * in Europe/Berlin"
		}
		return want
	}
	var defaults setting.DreamSchedule
	var want map[string]string
	timed := func(name string, changes int) {
		began := time.Now()
		if changed := w.round(w.schedules(defaults)); changed != changes {
			b.Errorf("%s: %d changed, want %d", name, changed, changes)
		}
		b.ReportMetric(time.Since(began).Seconds(), name)
		w.want(want)
	}
	for b.Loop() {
		defaults = setting.DefaultDreamSchedule()
		want = all("0 2")
		timed("s-first", agents)
		timed("s-unchanged", 0)
		defaults.Cron, want = "0 3 * * *", all("0 3")
		timed("s-changed", agents)
		defaults.DreamingEnabled, want = false, map[string]string{}
		timed("s-removed", agents)
	}
}

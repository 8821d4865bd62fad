package workflows

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"reverie/activities"
	"reverie/devenv/devtest"
	"reverie/memory/setting"
)

func dialTemporal(t *testing.T, address string) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// anyPlan returns a plan of a unique agent.
func anyPlan(zone, cron string) DreamPlan {
	p := DreamPlan{
		AgentRef: activities.AgentRef{Workspace: "w" + uuid.NewString()[:8], Agent: "ada"}, TimeZone: zone,
		DreamSchedule: setting.DefaultDreamSchedule(),
	}
	p.Cron, p.Jitter = cron, 0
	return p
}

func always(p DreamPlan) func(context.Context) (DreamPlan, error) {
	return func(context.Context) (DreamPlan, error) { return p, nil }
}

func ensure(t *testing.T, c client.Client, p DreamPlan, now time.Time) {
	t.Helper()
	if err := EnsureDreamSchedule(t.Context(), c, always(p), now); err != nil {
		t.Fatal(err)
	}
}

func describe(t *testing.T, c client.Client, p DreamPlan) *client.ScheduleDescription {
	t.Helper()
	d, err := c.ScheduleClient().GetHandle(t.Context(), DreamScheduleID(p.AgentRef)).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// nights returns the times at which Temporal would start a night from one day (UTC) to another.
func nights(t *testing.T, c client.Client, p DreamPlan, from, to string) []time.Time {
	t.Helper()
	day := func(s string) *timestamppb.Timestamp {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return timestamppb.New(at.Add(-time.Second)) // the first one not included, the last one included
	}
	answer, err := c.WorkflowService().ListScheduleMatchingTimes(t.Context(), &workflowservice.ListScheduleMatchingTimesRequest{
		Namespace: client.DefaultNamespace, ScheduleId: DreamScheduleID(p.AgentRef), StartTime: day(from), EndTime: day(to),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []time.Time
	for _, at := range answer.StartTime {
		out = append(out, at.AsTime())
	}
	return out
}

// What Temporal makes of a zone whose clocks change, and what we make of that: a night that is skipped is dreamed once, later;
// one that is repeated has one key, where Temporal begins it once (east of Greenwich) and where it begins it twice.
func TestNightsWhenClocksChange(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		zone, cron, from, to string
		want                 []string // the time in UTC and the night
	}{
		{"Europe/Berlin", "0 2 * * *", "2026-03-28", "2026-03-31", []string{
			"28 01:00 2026-03-28T02:00", "29 01:00 2026-03-29T02:00", "30 00:00 2026-03-30T02:00",
		}},
		{"Europe/Berlin", "30 2 * * *", "2026-03-28", "2026-03-31", []string{
			"28 01:30 2026-03-28T02:30", "29 01:30 2026-03-29T02:30", "30 00:30 2026-03-30T02:30",
		}},
		{"Europe/Berlin", "0 3 * * *", "2026-03-28", "2026-03-31", []string{
			"28 02:00 2026-03-28T03:00", "29 01:00 2026-03-29T03:00", "30 01:00 2026-03-30T03:00",
		}},
		{"Europe/Berlin", "0 */6 * * *", "2026-03-29", "2026-03-30", []string{
			"29 04:00 2026-03-29T06:00", "29 10:00 2026-03-29T12:00", "29 16:00 2026-03-29T18:00", "29 22:00 2026-03-30T00:00",
		}},
		{"Europe/Berlin", "15,45 2 * * 0", "2026-03-28", "2026-03-31", []string{
			"29 01:15 2026-03-29T02:15", "29 01:45 2026-03-29T02:45",
		}},
		{"Europe/Berlin", "0 2 * * *", "2026-10-24", "2026-10-27", []string{
			"24 00:00 2026-10-24T02:00", "25 01:00 2026-10-25T02:00", "26 01:00 2026-10-26T02:00",
		}},
		{"Europe/Berlin", "0 3 * * *", "2026-10-24", "2026-10-27", []string{
			"24 01:00 2026-10-24T03:00", "25 02:00 2026-10-25T03:00", "26 02:00 2026-10-26T03:00",
		}},
		{"America/New_York", "0 2 * * *", "2027-03-13", "2027-03-16", []string{
			"13 07:00 2027-03-13T02:00", "14 07:00 2027-03-14T02:00", "15 06:00 2027-03-15T02:00",
		}},
		{"America/New_York", "30 1 * * *", "2026-10-31", "2026-11-03", []string{
			"31 05:30 2026-10-31T01:30", "01 05:30 2026-11-01T01:30", "01 06:30 2026-11-01T01:30", "02 06:30 2026-11-02T01:30",
		}},
		{"Australia/Lord_Howe", "0 2 * * *", "2026-10-02", "2026-10-05", []string{
			"02 15:30 2026-10-03T02:00", "03 15:30 2026-10-04T02:00", "04 15:00 2026-10-05T02:00",
		}},
		{"Australia/Lord_Howe", "30 1 * * *", "2027-04-02", "2027-04-05", []string{
			"02 14:30 2027-04-03T01:30", "03 15:00 2027-04-04T01:30", "04 15:00 2027-04-05T01:30",
		}},
		{"Asia/Kolkata", "0 2 * * *", "2026-03-28", "2026-03-31", []string{
			"28 20:30 2026-03-29T02:00", "29 20:30 2026-03-30T02:00", "30 20:30 2026-03-31T02:00",
		}},
		{"UTC", "0 2 * * *", "2026-03-28", "2026-03-30", []string{"28 02:00 2026-03-28T02:00", "29 02:00 2026-03-29T02:00"}},
		{"Europe/London", "0 1 1-7 * 0", "2026-03-28", "2026-04-04", []string{ // days of the month, or Sundays
			"29 01:00 2026-03-29T01:00", "01 00:00 2026-04-01T01:00", "02 00:00 2026-04-02T01:00", "03 00:00 2026-04-03T01:00"}},
	} {
		t.Run(test.zone+" "+test.cron+" "+test.from, func(t *testing.T) {
			t.Parallel()
			p := anyPlan(test.zone, test.cron)
			ensure(t, c, p, now)
			var got []string
			for _, at := range nights(t, c, p, test.from, test.to) {
				got = append(got, at.Format("02 15:04 ")+NightKey(at, p.TimeZone, p.Cron))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A schedule has a description, follows its agent, and keeps a person's changes.
func TestScheduleFollowsItsAgent(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	now := time.Now()
	p := anyPlan("Europe/Berlin", "0 2 * * *")
	p.Jitter = 10 * time.Minute
	ensure(t, c, p, now)

	made := describe(t, c, p)
	action, ok := made.Schedule.Action.(*client.ScheduleWorkflowAction)
	if !ok || action.ID != "dream-night/"+p.Workspace+".ada" || action.Workflow != NightName || action.TaskQueue != TaskQueue ||
		action.Priority.PriorityKey != 5 {
		t.Errorf("it begins %+v", made.Schedule.Action)
	}
	if diff := cmp.Diff(&client.SchedulePolicies{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, CatchupWindow: 24 * time.Hour},
		made.Schedule.Policy); diff != "" {
		t.Errorf("policies (-want +got):\n%s", diff)
	}
	spec := made.Schedule.Spec
	if spec.TimeZoneName != "Europe/Berlin" || spec.Jitter != 0 ||
		!strings.HasPrefix(spec.Calendars[0].Comment, "0 2 * * * in Europe/Berlin [") {
		t.Errorf("times: %+v", spec)
	}
	if made.Schedule.State.Note != dreamNote || made.Schedule.State.Paused {
		t.Errorf("state: %+v", made.Schedule.State)
	}
	if agent, found := made.TypedSearchAttributes.GetKeyword(AgentAttribute); !found || agent != p.Workspace+".ada" {
		t.Errorf("it is found by %q", agent)
	}

	ensure(t, c, p, now)
	if again := describe(t, c, p); !again.Info.LastUpdateAt.Equal(made.Info.LastUpdateAt) {
		t.Error("nothing has changed, but it was updated")
	}

	handle := c.ScheduleClient().GetHandle(t.Context(), DreamScheduleID(p.AgentRef))
	if err := handle.Update(t.Context(),
		client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			s := in.Description.Schedule
			s.State = &client.ScheduleState{Paused: true, Note: "on holiday", LimitedActions: true, RemainingActions: 3}
			return &client.ScheduleUpdate{Schedule: &s}, nil
		}}); err != nil {
		t.Fatal(err)
	}
	p.TimeZone, p.Cron, p.Parallel = "Asia/Tokyo", "30 4 * * 1-5", 2
	ensure(t, c, p, now)
	changed := describe(t, c, p)
	if diff := cmp.Diff(&client.ScheduleState{Paused: true, Note: "on holiday", LimitedActions: true, RemainingActions: 3},
		changed.Schedule.State); diff != "" {
		t.Errorf("what a person did (-want +got):\n%s", diff)
	}
	if spec := changed.Schedule.Spec; spec.TimeZoneName != "Asia/Tokyo" ||
		!strings.HasPrefix(spec.Calendars[0].Comment, "30 4 * * 1-5 in Asia/Tokyo [") {
		t.Errorf("times: %+v", spec)
	}
	next, paused, err := NextDream(t.Context(), c, p.AgentRef)
	local := next.In(time.FixedZone("JST", 9*3600))
	late := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute - 4*time.Hour - 30*time.Minute
	if err != nil || !paused || late < 0 || late > 10*time.Minute {
		t.Errorf("next %s, paused %t, %v", next, paused, err)
	}

	// Times changed in the UI are reset to the agent's.
	if err := handle.Update(t.Context(),
		client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			s := in.Description.Schedule
			s.Spec.Calendars[0].Hour = []client.ScheduleRange{{Start: 23}}
			return &client.ScheduleUpdate{Schedule: &s}, nil
		}}); err != nil {
		t.Fatal(err)
	}
	ensure(t, c, p, now)
	if hour := describe(t, c, p).Schedule.Spec.Calendars[0].Hour[0].Start; hour != 4 {
		t.Errorf("it begins at %d", hour)
	}

	p.DreamingEnabled = false
	ensure(t, c, p, now)
	ensure(t, c, p, now) // there is none to remove
	if next, _, err := NextDream(t.Context(), c, p.AgentRef); err != nil || !next.IsZero() {
		t.Errorf("after it was switched off: %s, %v", next, err)
	}
	p.DreamingEnabled = true
	ensure(t, c, p, now)
	if describe(t, c, p).Schedule.State.Paused {
		t.Error("a new schedule is paused")
	}
}

// If an agent is changed while its schedule is updated, the schedule follows the last change.
func TestScheduleFollowsAChangeMeanwhile(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	p := anyPlan("UTC", "0 2 * * *")
	asked := 0
	if err := EnsureDreamSchedule(t.Context(), c, func(context.Context) (DreamPlan, error) {
		if asked++; asked > 1 {
			p.Cron = "0 3 * * *"
		}
		return p, nil
	}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if comment := describe(t, c, p).Schedule.Spec.Calendars[0].Comment; !strings.HasPrefix(comment, "0 3 * * * in UTC") || asked != 3 {
		t.Errorf("asked %d times: %s", asked, comment)
	}
}

// Concurrent calls for one agent all succeed, and the schedule exists.
func TestSchedulesAreMadeByManyAtOnce(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	p := anyPlan("UTC", "0 2 * * *")
	for _, on := range []bool{true, false, true} {
		p.DreamingEnabled = on
		failed := make(chan error, 8)
		for range cap(failed) {
			go func() { failed <- EnsureDreamSchedule(t.Context(), c, always(p), time.Now()) }()
		}
		for range cap(failed) {
			if err := <-failed; err != nil {
				t.Errorf("switched %t: %v", on, err)
			}
		}
		if next, _, err := NextDream(t.Context(), c, p.AgentRef); err != nil || next.IsZero() == on {
			t.Errorf("switched %t: next %s, %v", on, next, err)
		}
	}
}

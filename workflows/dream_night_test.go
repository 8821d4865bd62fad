package workflows

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/devenv/devtest"
	"reverie/engine"
	"reverie/memory"
	"reverie/memory/crontab"
)

// nightEnv runs a DreamNight in virtual time, of an agent with some owners who have news.
type nightEnv struct {
	*testsuite.TestWorkflowEnvironment
	owners  []uuid.UUID
	started []activities.StartDreamsInput
	fails   int // how often starting dreams fails first
}

// newNightEnv scripts pages of the given sizes.
func newNightEnv(t *testing.T, pages ...int) *nightEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &nightEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.RegisterActivity(&activities.Activities{})
	e.OnActivity(steps.FindNews, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.FindNewsInput) (activities.FindNewsResult, error) {
			if len(pages) == 0 {
				return activities.FindNewsResult{}, nil
			}
			if n := len(e.owners); n > 0 && in.After != e.owners[n-1] || n == 0 && in.After != uuid.Nil {
				t.Errorf("it asks behind %s", in.After)
			}
			out := activities.FindNewsResult{More: len(pages) > 1}
			for range pages[0] {
				out.Owners = append(out.Owners, uuid.New())
			}
			pages = pages[1:]
			e.owners = append(e.owners, out.Owners...)
			return out, nil
		}).Maybe()
	e.OnActivity(steps.StartDreams, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.StartDreamsInput) (activities.StartDreamsResult, error) {
			if e.fails--; e.fails >= 0 {
				return activities.StartDreamsResult{}, temporal.NewApplicationError("away", activities.TypeUnavailable)
			}
			e.started = append(e.started, in)
			return activities.StartDreamsResult{
				Outcomes: map[memory.Outcome]int{memory.OutcomeWritten: len(in.Owners) - 2, memory.OutcomeFailed: 1}, Late: 1,
			}, nil
		}).Maybe()
	return e
}

func (e *nightEnv) run(t *testing.T, in DreamNightInput) DreamNightResult {
	t.Helper()
	e.ExecuteWorkflow(DreamNight, in)
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var out DreamNightResult
	if err := e.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (e *nightEnv) scheduledAt(t *testing.T, at time.Time) {
	t.Helper()
	if err := e.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(scheduledStart.ValueSet(at))); err != nil {
		t.Fatal(err)
	}
	e.SetStartTime(at.Add(5 * time.Minute))
}

func nightInput() DreamNightInput {
	return DreamNightInput{
		AgentRef: activities.AgentRef{Workspace: testOwner.Workspace, Agent: testOwner.Agent}, TimeZone: "Europe/Zurich", Cron: "0 2 * * *",
	}
}

func TestDreamNightStartsTheDreamsOfAllPages(t *testing.T) {
	e := newNightEnv(t, 100, 100, 40)
	e.fails = 2
	e.scheduledAt(t, time.Date(2026, 1, 31, 1, 0, 0, 0, time.UTC))
	out := e.run(t, nightInput())
	want := DreamNightResult{
		Night: "2026-01-31T02:00", Owners: 240, Late: 3,
		Outcomes: map[string]int{"written": 234, "failed": 3},
	}
	if d := cmp.Diff(want, out); d != "" {
		t.Errorf("result (-want +got):\n%s", d)
	}
	var owners []uuid.UUID
	for _, s := range e.started {
		owners = append(owners, s.Owners...)
		if s.Night != want.Night || !s.AsOf.IsZero() || s.Parallel != nightParallel || s.Patience != nightPatience {
			t.Errorf("started %s as of %s, %d at once for %s", s.Night, s.AsOf, s.Parallel, s.Patience)
		}
	}
	if !cmp.Equal(owners, e.owners) {
		t.Error("other owners dream than have news")
	}
}

func TestDreamNightWithoutNewsEndsAtOnce(t *testing.T) {
	e := newNightEnv(t)
	e.scheduledAt(t, time.Date(2026, 7, 31, 0, 0, 0, 0, time.UTC))
	if out := e.run(t, nightInput()); out.Owners != 0 || out.Night != "2026-07-31T02:00" || len(e.started) != 0 {
		t.Errorf("result %+v", out)
	}
}

func TestDreamNightThatWasMissedIsDreamedAsOfItsMoment(t *testing.T) {
	e := newNightEnv(t, 3)
	missed := time.Date(2026, 1, 31, 1, 0, 0, 0, time.UTC)
	e.scheduledAt(t, missed)
	e.SetStartTime(missed.Add(30 * time.Hour))
	in := nightInput()
	in.Parallel = 2
	if out := e.run(t, in); out.Night != "2026-01-31T02:00" {
		t.Errorf("result %+v", out)
	}
	if s := e.started[0]; !s.AsOf.Equal(missed) || s.Parallel != 2 {
		t.Errorf("started as of %s, %d at once", s.AsOf, s.Parallel)
	}
}

func TestDreamNightThatAPersonStartsHasItsOwnName(t *testing.T) {
	e := newNightEnv(t, 3)
	e.SetStartTime(time.Date(2026, 1, 31, 13, 37, 12, 345, time.UTC))
	if out := e.run(t, nightInput()); out.Night != "2026-01-31T14:37:12" {
		t.Errorf("result %+v", out)
	}
	if s := e.started[0]; !s.AsOf.IsZero() {
		t.Errorf("started as of %s", s.AsOf)
	}
}

func TestDreamNightWithALongHistoryGoesOnInAnother(t *testing.T) {
	e := newNightEnv(t, 100, 40)
	e.scheduledAt(t, time.Date(2026, 1, 31, 1, 0, 0, 0, time.UTC))
	e.SetContinueAsNewSuggested(true)
	e.ExecuteWorkflow(DreamNight, nightInput())
	next, ok := errors.AsType[*workflow.ContinueAsNewError](e.GetWorkflowError())
	if !ok {
		t.Fatalf("it ended with %v", e.GetWorkflowError())
	}
	var in DreamNightInput
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}
	if in.Done == nil || in.Done.Night != "2026-01-31T02:00" || in.Done.Owners != 100 || in.Done.After != e.owners[99] ||
		in.Cron != "0 2 * * *" {
		t.Errorf("it goes on with %+v", in)
	}
}

// begun collects the nights that a schedule begins.
type begun struct {
	mu     sync.Mutex
	nights []begunNight
}

type begunNight struct {
	key string
	at  time.Time // nominal
}

func (b *begun) all() []begunNight {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.nights)
}

func (b *begun) keys() []string {
	var keys []string
	for _, n := range b.all() {
		keys = append(keys, n.key)
	}
	return keys
}

// poll runs nights that do nothing but note that they have begun, until the test ends.
func (b *begun) poll(t *testing.T, c client.Client, queue string) {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterActivityWithOptions(func(_ context.Context, in DreamNightInput, at time.Time) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.nights = append(b.nights, begunNight{NightKey(at, in.TimeZone, in.Cron), at})
		return nil
	}, activity.RegisterOptions{Name: "note"})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, in DreamNightInput) error {
		at, found := workflow.GetTypedSearchAttributes(ctx).GetTime(scheduledStart)
		if !found {
			return temporal.NewNonRetryableApplicationError("it does not know its time", "NoTime", nil)
		}
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
		return workflow.ExecuteActivity(ctx, "note", in, at).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: NightName})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// until waits for a number of nights, and a little for more than these.
func (b *begun) until(t *testing.T, count int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(b.all()) < count; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("of %d nights there are %v", count, b.keys())
		}
	}
	time.Sleep(time.Second)
}

// schedule makes the schedule of a plan whose nights begin on a queue of their own.
func schedule(t *testing.T, c client.Client, p DreamPlan, change func(*wanted)) client.ScheduleHandle {
	t.Helper()
	w, err := scheduleOf(p, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w.action.TaskQueue = p.Workspace
	if change != nil {
		change(&w)
	}
	if err := w.create(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	return c.ScheduleClient().GetHandle(t.Context(), DreamScheduleID(p.AgentRef))
}

// Backfilled nights have their own keys, whatever the jitter; a person's trigger is a separate night.
func TestBackfillAndTrigger(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	p := anyPlan("Europe/Berlin", "0 2 * * *")
	p.Jitter = 6 * time.Hour
	handle := schedule(t, c, p, nil)
	var b begun
	b.poll(t, c, p.Workspace)

	from := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
	if err := handle.Backfill(t.Context(), client.ScheduleBackfillOptions{Backfill: []client.ScheduleBackfill{{
		Start: from, End: from.AddDate(0, 0, 3).Add(-time.Minute), Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL,
	}}}); err != nil {
		t.Fatal(err)
	}
	b.until(t, 3)
	if diff := cmp.Diff([]string{"2026-03-28T02:00", "2026-03-29T02:00", "2026-03-30T02:00"}, b.keys()); diff != "" {
		t.Errorf("nights (-want +got):\n%s", diff)
	}

	before := time.Now()
	if err := handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until(t, 4)
	triggered := b.all()[3]
	if late := triggered.at.Sub(before); late < -time.Second || late > time.Minute {
		t.Errorf("triggered at %s, its time is %s", before, triggered.at)
	}
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	if want := triggered.at.In(zone).Format(triggerLayout); triggered.key != want {
		t.Errorf("the night is %s, want %s", triggered.key, want)
	}
}

// While no worker polls, one night waits in its queue and one more is buffered; the others are dropped. The next
// dream covers all news.
func TestNightsWithoutWorkers(t *testing.T) {
	t.Parallel()
	c := dialTemporal(t, devtest.Temporal(t).Address)
	p := anyPlan("UTC", "0 2 * * *")
	handle := schedule(t, c, p, nil)
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for day := range 4 { // as they come, one after the other
		if err := handle.Backfill(t.Context(), client.ScheduleBackfillOptions{Backfill: []client.ScheduleBackfill{{
			Start: from.AddDate(0, 0, day), End: from.AddDate(0, 0, day+1),
		}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	var b begun
	b.poll(t, c, p.Workspace)
	b.until(t, 2)
	if diff := cmp.Diff([]string{"2026-05-01T02:00", "2026-05-02T02:00"}, b.keys()); diff != "" {
		t.Errorf("nights (-want +got):\n%s", diff)
	}
}

// Temporal is away for longer than two nights: when it is back it begins the last one, and none of those before. To be seen
// within a minute a day takes ten seconds here, and so does the catch-up window, as both take a day otherwise.
func TestNightsAfterAnOutage(t *testing.T) {
	t.Parallel()
	const day = 10 * time.Second
	server := devtest.PrivateTemporal(t)
	c := dialTemporal(t, server.Address)
	p := anyPlan("UTC", "0 2 * * *")
	p.Jitter = 0
	schedule(t, c, p, func(w *wanted) {
		w.spec.Calendars[0].Second = []client.ScheduleRange{{Start: 0, End: 59, Step: 10}}
		w.spec.Calendars[0].Minute, w.spec.Calendars[0].Hour = []client.ScheduleRange{{Start: 0, End: 59}},
			[]client.ScheduleRange{{Start: 0, End: 23}}
		w.policy.CatchupWindow = day
	})
	var b begun
	b.poll(t, c, p.Workspace)
	b.until(t, 1)

	down := time.Now()
	if err := server.Suspend(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2*day + day/2)
	up, seen := time.Now(), len(b.all()) // it is away until now at least
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.until(t, seen+1)

	times := map[time.Time]int{}
	var missed []time.Time
	for _, n := range b.all() {
		if times[n.at]++; times[n.at] > 1 {
			t.Errorf("the night of %s was begun twice", n.at)
		}
		if n.at.After(down) && n.at.Before(up) {
			missed = append(missed, n.at)
		}
	}
	if len(missed) > 1 || len(missed) == 1 && up.Sub(missed[0]) > day+day/2 {
		t.Errorf("away from %s to %s, it caught up with %s", down, up, missed)
	}
	if nights := up.Truncate(day).Sub(down.Truncate(day)) / day; nights < 2 {
		t.Errorf("only %d nights were missed", nights)
	}
}

// A schedule keeps its input: once it has followed a change of the key, the old key is not needed.
func TestSchedulesFollowTheirKey(t *testing.T) {
	t.Parallel()
	dial := func(ids ...string) client.Client {
		t.Helper()
		var keys []string
		for _, id := range ids {
			keys = append(keys, id+":"+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(id), 32)))
		}
		codec, err := engine.ParseKeys(strings.Join(keys, ","))
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.Dial(client.Options{
			HostPort: devtest.Temporal(t).Address, DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	p := anyPlan("UTC", "0 2 * * *")
	p.KeyID = "a"
	ensure(t, dial("a"), p, time.Now())
	p.KeyID = "b"
	ensure(t, dial("b", "a"), p, time.Now())

	onlyNew := dial("b")
	action, ok := describe(t, onlyNew, p).Schedule.Action.(*client.ScheduleWorkflowAction)
	if !ok || len(action.Args) != 1 {
		t.Fatalf("it begins %+v", action)
	}
	payload, ok := action.Args[0].(*commonpb.Payload)
	if !ok {
		t.Fatalf("its input is %T", action.Args[0])
	}
	if encoding := string(payload.GetMetadata()["encoding"]); encoding != "binary/encrypted" {
		t.Errorf("its input is %s", encoding)
	}
	codec, err := engine.ParseKeys("b:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("b"), 32)))
	if err != nil {
		t.Fatal(err)
	}
	var in DreamNightInput
	if err := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec).FromPayload(payload, &in); err != nil ||
		in.AgentRef != p.AgentRef {
		t.Errorf("with the new key alone it reads %+v, %v", in, err)
	}
}

func TestNightKey(t *testing.T) {
	for _, c := range []struct{ name, at, zone, cron, want string }{
		{"nominal", "2026-01-31T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T02:00"},
		{"triggered", "2026-01-31T13:37:12Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T14:37:12"},
		{"triggered on the minute", "2026-01-31T13:37:00Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T14:37:00"},
		{"triggered in the minute of the night", "2026-01-31T01:00:07Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T02:00:07"},
		{"the wrong weekday", "2026-01-31T01:00:00Z", "Europe/Berlin", "0 2 * * 1", "2026-01-31T02:00:00"},
		{"skipped in spring", "2026-03-29T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-03-29T02:00"},
		{"half past two is skipped too", "2026-03-29T01:30:00Z", "Europe/Berlin", "30 2 * * *", "2026-03-29T02:30"},
		{"three o'clock is itself", "2026-03-29T01:00:00Z", "Europe/Berlin", "0 2,3 * * *", "2026-03-29T03:00"},
		{"long after spring", "2026-03-29T02:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-03-29T04:00:00"},
		{"autumn, first", "2026-10-25T00:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-10-25T02:00"},
		{"autumn, repeated", "2026-10-25T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-10-25T02:00"},
		{"half an hour skipped", "2026-10-03T15:30:00Z", "Australia/Lord_Howe", "0 2 * * *", "2026-10-04T02:00"},
		{"half an hour repeated, first", "2026-04-04T14:30:00Z", "Australia/Lord_Howe", "30 1 * * *", "2026-04-05T01:30"},
		{"half an hour repeated, second", "2026-04-04T15:00:00Z", "Australia/Lord_Howe", "30 1 * * *", "2026-04-05T01:30"},
		{"no changes", "2026-03-28T20:30:00Z", "Asia/Kolkata", "0 2 * * *", "2026-03-29T02:00"},
		{"an unknown zone counts as UTC", "2026-01-31T02:00:00Z", "Nowhere/Land", "0 2 * * *", "2026-01-31T02:00"},
		{"an expression that is not understood", "2026-01-31T02:00:00Z", "UTC", "at night", "2026-01-31T02:00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := NightKey(at, c.zone, c.cron); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// An agent's night begins at the same distance from its time every night, also when the clocks change, and those of many agents are
// spread evenly.
func TestNightsAreSpread(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const spread = 2 * time.Hour
	in := DreamNightInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, TimeZone: "Europe/Berlin", Cron: "0 2 * * *", Spread: spread}
	want := NightDelay(in.AgentRef, spread)
	if want <= 0 || want >= spread {
		t.Fatalf("the delay is %s", want)
	}
	for _, scheduled := range []time.Time{
		time.Date(2026, 3, 28, 2, 0, 0, 0, berlin),
		time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), // 02:00 is skipped: it is 03:00
		time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC), // 02:00 once more
	} {
		e := newNightEnv(t, 1)
		e.SetStartTime(scheduled)
		if err := e.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(scheduledStart.ValueSet(scheduled))); err != nil {
			t.Fatal(err)
		}
		var began time.Time
		e.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) { began = e.Now() })
		e.ExecuteWorkflow(DreamNight, in)
		if err := e.GetWorkflowError(); err != nil {
			t.Fatal(err)
		}
		if got := began.Sub(scheduled).Round(time.Second); got != want {
			t.Errorf("the night of %s began after %s, want %s", scheduled, got, want)
		}
	}
	hours := [2]int{}
	for i := range 1000 {
		hours[NightDelay(activities.AgentRef{Workspace: "acme", Agent: fmt.Sprint("agent-", i)}, spread)/time.Hour]++
	}
	if min(hours[0], hours[1]) < 400 {
		t.Errorf("of 1000 agents so many dream in each hour: %v", hours)
	}
	for expression, most := range map[string]time.Duration{
		"0 2 * * *": 2 * time.Hour, "0 */3 * * *": 90 * time.Minute, "0,30 2 * * *": 15 * time.Minute, "0 1,23 * * *": time.Hour,
	} {
		cron, err := crontab.Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := nightSpread(cron, spread); got != most {
			t.Errorf("nights of %q are spread over %s, want %s", expression, got, most)
		}
	}
}

// A night that a person triggers does not wait.
func TestATriggeredNightBeginsAtOnce(t *testing.T) {
	e := newNightEnv(t, 1)
	start := e.Now()
	e.ExecuteWorkflow(DreamNight, DreamNightInput{
		AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, TimeZone: "UTC", Cron: "0 2 * * *", Spread: 6 * time.Hour,
	})
	if err := e.GetWorkflowError(); err != nil || e.Now().Sub(start) > time.Minute {
		t.Errorf("it took %s, %v", e.Now().Sub(start), err)
	}
}

package crash

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// A real schedule takes minutes; the short run starts the missed nights itself (see docs/operations.md):
//
//	go test ./test/crash -run Nights -timeout 30m -v -args -outages
var outages = flag.Bool("outages", false, "nights every minute, and outages of three of them")

// TestNightsMissed covers nights that could not run in time: past ones, and those without a worker.
func TestNightsMissed(t *testing.T) {
	t.Parallel()
	w := startDreamers(t.Context(), t, 3)
	t.Run("days ago", w.nightsOfThePast)
	t.Run("without workers", w.nightsWithoutWorkers)
}

// nightsWithoutWorkers misses three nights: the first one, which waits for a worker, covers everything, and nobody
// dreams twice.
func (w *dreamers) nightsWithoutWorkers(t *testing.T) {
	ctx := t.Context()
	minute := 15
	if now := time.Now().Minute(); now < 30 {
		minute = 45 // this test does not meet it
	}
	w.dreamsAt(ctx, t, storm, fmt.Sprintf("%d * * * *", minute))
	w.Kill("worker")
	w.note(ctx, t, storm, 0)
	first := time.Now().Truncate(time.Hour).Add(-4 * time.Hour)
	for n := range 3 { // as they come, one after the other
		from := first.Add(time.Duration(n) * time.Hour)
		w.backfill(ctx, t, storm, from, from.Add(time.Hour), enums.SCHEDULE_OVERLAP_POLICY_UNSPECIFIED)
	}
	w.Ensure(t)
	w.awaitQuiet(ctx, t, storm)
	want := first.Add(time.Duration(minute) * time.Minute).In(w.today.Location()).Format("2006-01-02T15:04")
	if diff := cmp.Diff([]string{want}, w.dreamedNights(ctx, t, storm)); diff != "" {
		t.Errorf("nights (-want +got):\n%s", diff)
	}

	w.note(ctx, t, storm, 1)
	w.trigger(ctx, t, storm)
	w.awaitQuiet(ctx, t, storm)
	if again := w.dreamedNights(ctx, t, storm); len(again) != 2 {
		t.Errorf("they dreamed in %v", again)
	}
	w.checkRemembered(ctx, t, storm, 2)
}

// nightsOfThePast runs nights of some days ago, twice: each is dreamed once, as of its time, and later news wait for
// the next night.
func (w *dreamers) nightsOfThePast(t *testing.T) {
	ctx := t.Context()
	w.note(ctx, t, calm, 0)
	midnight := time.Date(w.today.Year(), w.today.Month(), w.today.Day(), 0, 0, 0, 0, w.today.Location())
	for round := 1; round <= 2; round++ {
		w.backfill(ctx, t, calm, midnight.AddDate(0, 0, -3), midnight.AddDate(0, 0, -1), enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL)
		await(t, "the nights of the past", func() bool {
			night, err := w.schedule(ctx, calm).Describe(ctx)
			return err == nil && night.Info.NumActions == 2*round && len(night.Info.RunningWorkflows) == 0
		})
	}
	var want []string
	for _, days := range []int{-3, -2} {
		want = append(want, midnight.AddDate(0, 0, days).Format("2006-01-02T")+"02:00")
	}
	if diff := cmp.Diff(want, w.dreamedNights(ctx, t, calm)); diff != "" {
		t.Errorf("nights (-want +got):\n%s", diff)
	}
	if left := w.count(ctx, t, `select count(*) from dream_news where agent_id = $1`, calm); left != w.users+1 {
		t.Errorf("%d owners have news; of nobody a dream has seen what was noted yesterday", left)
	}
	w.trigger(ctx, t, calm)
	w.awaitQuiet(ctx, t, calm)
	w.checkRemembered(ctx, t, calm, 1)
}

// TestNightsMissedForReal has a night every minute, some without a worker and some without Temporal: nobody dreams
// twice in a night, and all notes are covered.
func TestNightsMissedForReal(t *testing.T) {
	t.Parallel()
	if !*outages {
		t.Skip("it takes six minutes: ask for it with -outages")
	}
	ctx := t.Context()
	w := startDreamers(ctx, t, *sleepers)
	w.dreamsAt(ctx, t, storm, "* * * * *")
	const away = 2*time.Minute + 40*time.Second

	w.Kill("worker")
	w.note(ctx, t, storm, 0)
	time.Sleep(away)
	w.Ensure(t)
	w.awaitQuiet(ctx, t, storm)
	w.onceEach(ctx, t, storm, 1)

	if err := w.System.Temporal.Suspend(); err != nil {
		t.Fatal(err)
	}
	w.note(ctx, t, storm, 1)
	time.Sleep(away)
	if err := w.System.Temporal.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	w.awaitQuiet(ctx, t, storm)
	time.Sleep(time.Minute + 10*time.Second) // what was caught up with, and the next night
	w.onceEach(ctx, t, storm, 2)
	w.checkRemembered(ctx, t, storm, 2)
}

// dreamsAt changes an agent's dream schedule, and waits until Temporal knows.
func (w *dreamers) dreamsAt(ctx context.Context, t *testing.T, agent, cron string) {
	t.Helper()
	change := map[string]any{"settings": map[string]any{"dreamCron": cron}}
	if err := w.API.Insist(ctx, http.MethodPatch, "/api/v1/agents/"+agent, change, nil); err != nil {
		t.Fatal(err)
	}
	await(t, "the schedule to follow", func() bool {
		w.Ensure(t)
		made, err := w.schedule(ctx, agent).Describe(ctx)
		return err == nil && strings.HasPrefix(made.Schedule.Spec.Calendars[0].Comment, cron+" in")
	})
}

// backfill starts the nights of a past period. Temporal takes some moments to start them.
func (w *dreamers) backfill(ctx context.Context, t *testing.T, agent string, from, to time.Time, overlap enums.ScheduleOverlapPolicy) {
	t.Helper()
	await(t, "the schedule of "+agent, func() bool {
		return w.schedule(ctx, agent).Backfill(ctx,
			client.ScheduleBackfillOptions{Backfill: []client.ScheduleBackfill{{Start: from, End: to, Overlap: overlap}}}) == nil
	})
	time.Sleep(time.Second)
}

// awaitQuiet waits until no news are left, no night is under way, and none that waited has begun.
func (w *dreamers) awaitQuiet(ctx context.Context, t *testing.T, agent string) {
	t.Helper()
	since := time.Now()
	await(t, "the nights of "+agent, func() bool {
		w.Ensure(t)
		night, err := w.schedule(ctx, agent).Describe(ctx)
		if err != nil || len(night.Info.RunningWorkflows) > 0 ||
			w.count(ctx, t, `select count(*) from dream_news where agent_id = $1`, agent) > 0 ||
			w.count(ctx, t, `select count(*) from dreams where agent_id = $1 and finished_at is null`, agent) > 0 {
			since = time.Now()
		}
		return time.Since(since) > 2*time.Second
	})
}

// dreamedNights returns the nights in which everybody dreamed, in order of their names. Nobody dreams twice in one,
// nor in one in which others do not.
func (w *dreamers) dreamedNights(ctx context.Context, t *testing.T, agent string) (nights []string) {
	t.Helper()
	type dreamed struct {
		Night           string
		Dreams, Dreamed int
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[dreamed],
		`select night, count(*)::int, count(distinct owner_key)::int from dreams where agent_id = $1 group by night order by night`, agent)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Night == "" || r.Dreams != r.Dreamed || r.Dreamed != w.users+1 {
			t.Errorf("%s: %d dreams of %d owners in night %q; there are %d owners", agent, r.Dreams, r.Dreamed, r.Night, w.users+1)
		}
		nights = append(nights, r.Night)
	}
	return nights
}

// onceEach checks that everybody has written the expected number of dreams, each in a different night.
func (w *dreamers) onceEach(ctx context.Context, t *testing.T, agent string, dreams int) {
	t.Helper()
	type of struct {
		Owner  string
		Nights []string
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[of],
		`select owner_key, array_agg(night order by night) from dreams where agent_id = $1 group by owner_key`, agent)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != w.users+1 {
		t.Errorf("%d owners dreamed", len(rows))
	}
	for _, r := range rows {
		if len(r.Nights) != dreams || len(slices.Compact(r.Nights)) != dreams {
			t.Errorf("%s has dreams of %v, want %d", r.Owner, r.Nights, dreams)
		}
	}
	t.Logf("%d owners dreamed; %s in %v", len(rows), rows[0].Owner, rows[0].Nights)
}

// checkRemembered checks that the notes of the given number of nights are in everybody's MEMORY.md, once.
func (w *dreamers) checkRemembered(ctx context.Context, t *testing.T, agent string, nights int) {
	t.Helper()
	w.checkStates(ctx, t, agent)
	w.checkVersions(ctx, t, agent)
	if n := w.count(ctx, t, `select count(*) from dream_entries where agent_id = $1 and status = 'promoted'`, agent); n != nights*(w.users+1) {
		t.Errorf("%d statements were promoted, want %d of each of %d owners", n, nights, w.users+1)
	}
	if left := w.count(ctx, t, `select count(*) from dream_news where agent_id = $1`, agent); left != 0 {
		t.Errorf("%d owners have news", left)
	}
}

// resetEverything resets the last dream of two owners, and the last night, to every point that Temporal allows, and
// waits until each has ended again. It returns the number of resets.
func (w *dreamers) resetEverything(ctx context.Context, t *testing.T, agent string) int {
	t.Helper()
	night, err := w.schedule(ctx, agent).Describe(ctx)
	if err != nil || len(night.Info.RecentActions) == 0 {
		t.Fatalf("the last night: %v", err)
	}
	last := night.Info.RecentActions[len(night.Info.RecentActions)-1].StartWorkflowResult
	runs := []*common.WorkflowExecution{{WorkflowId: last.WorkflowID, RunId: last.FirstExecutionRunID}}
	for _, whose := range []string{shared, owner(0)} {
		runs = append(runs, w.lastDream(ctx, t, agent, whose))
	}
	n := 0
	for _, run := range runs {
		for _, event := range w.resetPoints(ctx, t, run) {
			answer, err := w.temporal.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
				Namespace: client.DefaultNamespace, WorkflowExecution: run,
				Reason: "a test", WorkflowTaskFinishEventId: event, RequestId: uuid.NewString(),
			})
			if err != nil {
				t.Fatalf("reset %s to %d: %v", run.WorkflowId, event, err)
			}
			if err := w.temporal.GetWorkflow(ctx, run.WorkflowId, answer.RunId).Get(ctx, nil); err != nil {
				t.Errorf("%s, reset to %d: %v", run.WorkflowId, event, err)
			}
			n++
		}
	}
	if n < 2*len(runs) {
		t.Errorf("only %d resets", n)
	}
	return n
}

// lastDream returns the workflow of an owner's last dream.
func (w *dreamers) lastDream(ctx context.Context, t *testing.T, agent, whose string) *common.WorkflowExecution {
	t.Helper()
	type run struct{ ID, Run string }
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[run],
		`select workflow_id, run_id from dreams where agent_id = $1 and owner_key = $2 order by dream_id desc limit 1`, agent, whose)
	if err != nil || len(rows) == 0 {
		t.Fatalf("the last dream of %s: %v", whose, err)
	}
	return &common.WorkflowExecution{WorkflowId: rows[0].ID, RunId: rows[0].Run}
}

// resetPoints returns the ends of the workflow tasks of a run.
func (w *dreamers) resetPoints(ctx context.Context, t *testing.T, run *common.WorkflowExecution) (events []int64) {
	t.Helper()
	history := w.temporal.GetWorkflowHistory(ctx, run.WorkflowId, run.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			events = append(events, event.EventId)
		}
	}
	return events
}

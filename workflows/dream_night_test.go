package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
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
	e.OnActivity(steps.FindNews, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FindNewsInput) (activities.FindNewsResult, error) {
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
	e.OnActivity(steps.StartDreams, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.StartDreamsInput) (activities.StartDreamsResult, error) {
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
	if in.Done == nil || in.Done.Night != "2026-01-31T02:00" || in.Done.Owners != 100 || in.Done.After != e.owners[99] || in.Cron != "0 2 * * *" {
		t.Errorf("it goes on with %+v", in)
	}
}

package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
)

// dreamEnv runs a Dream in virtual time against scripted steps. A step that is not scripted does what it should.
type dreamEnv struct {
	*testsuite.TestWorkflowEnvironment
	start time.Time
	dream uuid.UUID
	did   []string
	ended []activities.EndDreamInput
	shown []int // characters of notes, for each time that the model was asked

	open        func(in activities.OpenDreamInput) (activities.OpenDreamResult, error)
	light       func(n int) (activities.LightSleepResult, error)
	deep        func(n int) (activities.DeepSleepResult, error)
	consolidate func(n int, in activities.ConsolidateInput) (activities.DeepSleepResult, error)
	commit      func(n int) (activities.CommitDreamResult, error)
	end         func(in activities.EndDreamInput) (activities.DreamState, error)
}

func newDreamEnv(t *testing.T) *dreamEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &dreamEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), dream: uuid.New()}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.open = func(activities.OpenDreamInput) (activities.OpenDreamResult, error) {
		return activities.OpenDreamResult{DreamState: e.running(), Settings: memory.DefaultDreamSettings()}, nil
	}
	e.light = func(int) (activities.LightSleepResult, error) {
		return activities.LightSleepResult{DreamState: e.running()}, nil
	}
	e.deep = func(int) (activities.DeepSleepResult, error) {
		return activities.DeepSleepResult{DreamState: e.running()}, nil
	}
	e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		return activities.DeepSleepResult{DreamState: e.running()}, nil
	}
	e.commit = func(int) (activities.CommitDreamResult, error) {
		return activities.CommitDreamResult{DreamState: e.written()}, nil
	}
	e.end = func(in activities.EndDreamInput) (activities.DreamState, error) {
		return activities.DreamState{Dream: in.Dream, Outcome: in.Outcome, ReasonCode: in.ReasonCode}, nil
	}
	e.script()
	return e
}

// script has the environment call the functions, whatever they are by then.
func (e *dreamEnv) script() {
	e.OnActivity(steps.OpenDream, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.OpenDreamInput) (activities.OpenDreamResult, error) {
		e.note("open")
		return e.open(in)
	}).Maybe()
	e.OnActivity(steps.LightSleep, mock.Anything, mock.Anything).Return(func(context.Context, activities.DreamInput) (activities.LightSleepResult, error) {
		return e.light(e.note("light"))
	}).Maybe()
	e.OnActivity(steps.REMSleep, mock.Anything, mock.Anything).Return(func(context.Context, activities.DreamInput) (activities.REMSleepResult, error) {
		e.note("rem")
		return activities.REMSleepResult{DreamState: e.running()}, nil
	}).Maybe()
	e.OnActivity(steps.DeepSleep, mock.Anything, mock.Anything).Return(func(context.Context, activities.DreamInput) (activities.DeepSleepResult, error) {
		return e.deep(e.note("deep"))
	}).Maybe()
	e.OnActivity(steps.Consolidate, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		e.shown = append(e.shown, in.NotesMaxChars)
		return e.consolidate(e.note("model"), in)
	}).Maybe()
	e.OnActivity(steps.CommitDream, mock.Anything, mock.Anything).Return(func(context.Context, activities.DreamInput) (activities.CommitDreamResult, error) {
		return e.commit(e.note("commit"))
	}).Maybe()
	e.OnActivity(steps.EndDream, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.EndDreamInput) (activities.DreamState, error) {
		e.note("end")
		e.ended = append(e.ended, in)
		return e.end(in)
	}).Maybe()
}

// note remembers that a step was done, and tells how often it was done before.
func (e *dreamEnv) note(step string) int {
	n := 0
	for _, d := range e.did {
		if d == step {
			n++
		}
	}
	e.did = append(e.did, step)
	return n
}

func (e *dreamEnv) running() activities.DreamState {
	return activities.DreamState{Dream: e.dream, Outcome: memory.OutcomeRunning}
}

func (e *dreamEnv) written() activities.DreamState {
	return activities.DreamState{Dream: e.dream, Outcome: memory.OutcomeWritten, Candidates: 5, Promoted: 2, Kept: 3, Documents: 3}
}

func (e *dreamEnv) run(t *testing.T, in DreamInput) (DreamResult, error) {
	t.Helper()
	e.ExecuteWorkflow(Dream, in)
	if !e.IsWorkflowCompleted() {
		t.Fatal("the Dream did not end")
	}
	var out DreamResult
	if err := e.GetWorkflowError(); err != nil {
		return out, err
	}
	return out, e.GetWorkflowResult(&out)
}

func (e *dreamEnv) wantSteps(t *testing.T, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, e.did); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}

// wantDreamFailed checks that the dream ended as failed, in its record and in the error.
func (e *dreamEnv) wantDreamFailed(t *testing.T, err error, reason memory.ReasonCode) {
	t.Helper()
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != DreamFailedType {
		t.Fatalf("error %v is not %s", err, DreamFailedType)
	}
	var out DreamResult
	if err := app.Details(&out); err != nil || out.Outcome != memory.OutcomeFailed || out.ReasonCode != reason || out.Dream != e.dream {
		t.Errorf("the failure carries %+v (%v), want reason %s", out, err, reason)
	}
	if len(e.ended) != 1 || e.ended[0].ReasonCode != reason || e.ended[0].Dream != e.dream {
		t.Errorf("recorded %+v", e.ended)
	}
}

func dreamInput() DreamInput {
	return DreamInput{OwnerRef: testOwner, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"}
}

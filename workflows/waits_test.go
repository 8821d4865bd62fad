package workflows

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// continued returns the input with which a workflow continues as new, or fails the test.
func continued[In any](t *testing.T, env *testsuite.TestWorkflowEnvironment) (in In) {
	t.Helper()
	var next *workflow.ContinueAsNewError
	if !env.IsWorkflowCompleted() || !errors.As(env.GetWorkflowError(), &next) {
		t.Fatalf("it did not continue as new: %v", env.GetWorkflowError())
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

// outage lets every Extract wait for a day.
func (e *inboxEnv) outage() {
	e.OnActivity(steps.Propose, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.ProposeInput) (activities.ProposeResult, error) {
			if e.Now().Sub(e.start) > 20*time.Hour { // the environment waits for what was abandoned
				return activities.ProposeResult{}, temporal.NewNonRetryableApplicationError("away", activities.TypeUnusable, nil)
			}
			return activities.ProposeResult{WaitUntil: e.start.Add(24 * time.Hour)}, nil
		}).Maybe()
	e.OnActivity(steps.Conclude, mock.Anything, mock.Anything).Return(activities.ConcludeResult{}, nil).Maybe()
}

// A model is away for hours and the owner goes on talking: the Inbox leaves the running Extract and carries the turn over.
func TestAFullInboxContinuesWhileAnExtractRuns(t *testing.T) {
	e := newInboxEnv(t)
	e.outage()
	e.turnAt(0, 1)
	e.RegisterDelayedCallback(func() {
		e.SetContinueAsNewSuggested(true)
		e.SignalWorkflow(TurnCompletedSignal, Turn{Timing: testTiming})
	}, time.Hour)
	e.ExecuteWorkflow(Inbox, InboxInput{OwnerRef: testOwner, Timing: testTiming})
	in := continued[InboxInput](t, e.TestWorkflowEnvironment)
	if !in.Pending {
		t.Errorf("it continues with %+v", in)
	}
}

// A caller that waits is asked to come again, and does.
func TestAFullInboxSendsItsCallersToTheNextOne(t *testing.T) {
	e := newInboxEnv(t)
	e.outage()
	var answer error
	e.RegisterDelayedCallback(func() {
		e.pending++
		e.UpdateWorkflow(ExtractNowUpdate, "r1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Errorf("rejected: %v", err) },
			OnComplete: func(_ any, err error) { answer = err },
		}, ExtractNowInput{RequestID: "r1", Conversation: uuid.New()})
	}, 0)
	e.RegisterDelayedCallback(func() {
		e.SetContinueAsNewSuggested(true)
		e.SignalWorkflow(TurnCompletedSignal, Turn{Timing: testTiming})
	}, time.Minute)
	e.ExecuteWorkflow(Inbox, InboxInput{OwnerRef: testOwner, Timing: testTiming})
	continued[InboxInput](t, e.TestWorkflowEnvironment)
	if !inboxJustClosed(answer) {
		t.Errorf("the caller got %v", answer)
	}
}

func TestAnInboxBacksOff(t *testing.T) {
	e := newInboxEnv(t)
	failures := 9
	e.extractsReturn(func(in ExtractInput) (ExtractResult, error) {
		if failures--; failures >= 0 {
			e.pending++
			return ExtractResult{}, errors.New("terminated")
		}
		return e.written(in)
	})
	e.turnAt(0, 1)
	e.run(t)
	var waits []time.Duration
	for i, at := range e.extracts[1:] {
		waits = append(waits, (at - e.extracts[i]).Round(time.Minute))
	}
	for i, minutes := range []int{5, 10, 20, 30, 30, 30, 30, 30, 30} {
		if waits[i] != time.Duration(minutes)*time.Minute {
			t.Fatalf("it waited %v", waits)
		}
	}
}

// Requests that cannot be served are refused before they are in the history.
func TestRequestsAreValidated(t *testing.T) {
	for name, in := range map[string]ExtractNowInput{
		"no id":        {Conversation: uuid.New()},
		"a long id":    {RequestID: strings.Repeat("x", maxRequestID+1), Conversation: uuid.New()},
		"about naught": {RequestID: "r"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newInboxEnv(t)
			rejected := false
			e.RegisterDelayedCallback(func() {
				e.UpdateWorkflow(ExtractNowUpdate, "u", &testsuite.TestUpdateCallback{
					OnAccept: func() { t.Error("accepted") }, OnReject: func(error) { rejected = true }, OnComplete: func(any, error) {},
				}, in)
			}, 0)
			e.run(t)
			if !rejected {
				t.Error("it was not rejected")
			}
		})
	}
}

// Every handler of an update has a validator.
func TestUpdatesHaveValidators(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), "workflow.SetUpdateHandler(") {
			t.Errorf("%s sets a handler without a validator", file)
		}
	}
}

// An Extract that waits for the budget for days carries over what it has done.
func TestAFullExtractContinues(t *testing.T) {
	var e *extractEnv
	e = newExtractEnv(t, func(n int, in activities.ProposeInput) (activities.ProposeResult, error) {
		if n == 1 {
			e.SetContinueAsNewSuggested(true)
			return activities.ProposeResult{WaitUntil: e.Now().Add(24 * time.Hour)}, nil
		}
		return activities.ProposeResult{Extraction: uuid.New(), To: in.From + 9, HasDraft: true}, nil
	}, writes)
	e.ExecuteWorkflow(Extract, extractInput(1, 20))
	in := continued[ExtractInput](t, e.TestWorkflowEnvironment)
	if in.Carried == nil || in.Carried.Next != 11 || len(in.Carried.Result.Extractions) != 1 {
		t.Fatalf("it continues with %+v", in.Carried)
	}
	e = newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{Extraction: uuid.New(), To: in.To, HasDraft: true}, nil
	}, writes)
	out, err := e.run(t, in)
	if err != nil || len(out.Extractions) != 2 || e.proposals[0].From != 11 || e.proposals[0].First {
		t.Errorf("%+v after %+v, %v", out, e.proposals, err)
	}
}

// A run that was reset between propose and apply finds that its record is another run's, and proposes again.
func TestExtractTakesOver(t *testing.T) {
	e := newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{Extraction: uuid.New(), To: in.To, HasDraft: true}, nil
	}, func(n int) (activities.ApplyResult, error) {
		if n == 0 {
			return activities.ApplyResult{Outcome: memory.OutcomeNothing, ReasonCode: activities.ReasonAccounted, Superseded: true}, nil
		}
		return writes(n)
	})
	out, err := e.run(t, extractInput(1, 4))
	if err != nil || out.Outcome != memory.OutcomeWritten || len(e.proposals) != 2 {
		t.Errorf("%+v after %d proposals, %v", out, len(e.proposals), err)
	}
}

func TestACancelledExtractEndsItsRecord(t *testing.T) {
	e := newExtractEnv(t, func(int, activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{WaitUntil: time.Now().Add(24 * time.Hour)}, nil
	}, writes)
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	_, err := e.run(t, extractInput(1, 4))
	if !temporal.IsCanceledError(err) {
		t.Errorf("it ended with %v", err)
	}
	if len(e.concluded) != 1 || e.concluded[0].ReasonCode != ReasonCancelled || e.concluded[0].From != 1 || e.concluded[0].To != 4 {
		t.Errorf("concluded %+v", e.concluded)
	}
}

// A Compact that waits for another execution's flush backs off, and continues as new with what it has.
func TestAFullCompactContinues(t *testing.T) {
	e := newCompactEnv(t)
	e.flush = func(workflow.Context, FlushInput) (FlushResult, error) {
		return FlushResult{}, &temporal.ChildWorkflowExecutionAlreadyStartedError{}
	}
	e.RegisterDelayedCallback(func() { e.SetContinueAsNewSuggested(true) }, 10*time.Hour)
	e.ExecuteWorkflow(Compact, e.in)
	in := continued[CompactInput](t, e.TestWorkflowEnvironment)
	if in.Carried == nil || in.Conversation != e.in.Conversation {
		t.Fatalf("it continues with %+v", in)
	}
	if n := len(e.planned); n < 100 || n > 400 { // every two minutes, and some more at the beginning
		t.Errorf("in ten hours it looked %d times", n)
	}
	again := newCompactEnv(t)
	again.in = in
	if out, err := again.run(t); err != nil || out.Outcome != memory.OutcomeWritten {
		t.Errorf("%+v, %v", out, err)
	}
}

// A Compact that is cancelled while it summarises ends its record.
func TestACancelledCompactEndsItsRecord(t *testing.T) {
	e := newCompactEnv(t)
	e.took = time.Minute
	var stopped []activities.StopCompactionInput
	e.OnActivity(steps.StopCompaction, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.StopCompactionInput) (struct{}, error) {
			stopped = append(stopped, in)
			return struct{}{}, nil
		})
	e.RegisterDelayedCallback(e.CancelWorkflow, 10*time.Second)
	if _, err := e.run(t); err == nil {
		t.Error("it did not end")
	}
	if len(stopped) != 1 || stopped[0].ReasonCode != ReasonCancelled || stopped[0].Compaction != e.in.Conversation {
		t.Errorf("stopped %+v", stopped)
	}
}

package workflows

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

var (
	testOwner  = memory.OwnerRef{Workspace: "default", Agent: "ada", Owner: uuid.MustParse("0198c0de-0000-7000-8000-000000000001")}
	testTiming = setting.Timing{Quiet: 20 * time.Second, Cooldown: 5 * time.Minute}
)

// inboxEnv runs an Inbox in virtual time. pending simulates the store: the number of waiting ranges.
type inboxEnv struct {
	*testsuite.TestWorkflowEnvironment
	start    time.Time
	pending  int
	extracts []time.Duration // when each Extract ran, since the start
}

func newInboxEnv(t *testing.T) *inboxEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &inboxEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.RegisterWorkflowWithOptions(Extract, workflow.RegisterOptions{Name: ExtractName})
	e.OnActivity(steps.NextRange, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.NextRangeInput) (activities.NextRangeResult, error) {
			if in.OwnerRef != testOwner {
				t.Errorf("asked for %v", in.OwnerRef)
			}
			out := activities.NextRangeResult{Timing: testTiming, Settings: setting.DefaultExtractSettings()}
			if e.pending > 0 {
				out.Found, out.Conversation, out.From, out.To = true, uuid.New(), 1, 4
			}
			return out, nil
		}).Maybe()
	return e
}

func (e *inboxEnv) extractsReturn(f func(in ExtractInput) (ExtractResult, error)) {
	e.OnWorkflow(Extract, mock.Anything, mock.Anything).Return(func(_ workflow.Context, in ExtractInput) (ExtractResult, error) {
		e.extracts = append(e.extracts, e.Now().Sub(e.start))
		e.pending--
		return f(in)
	})
}

func (e *inboxEnv) written(ExtractInput) (ExtractResult, error) {
	return ExtractResult{Outcome: memory.OutcomeWritten, Extractions: []uuid.UUID{uuid.New()}, More: e.pending > 0}, nil
}

// turnAt lets a turn complete: n new ranges wait, and the signal arrives.
func (e *inboxEnv) turnAt(after time.Duration, n int) {
	e.RegisterDelayedCallback(func() {
		e.pending += n
		e.SignalWorkflow(TurnCompletedSignal, Turn{Timing: testTiming})
	}, after)
}

func (e *inboxEnv) run(t *testing.T) {
	t.Helper()
	e.ExecuteWorkflow(Inbox, InboxInput{OwnerRef: testOwner, Timing: testTiming})
	if !e.IsWorkflowCompleted() {
		t.Fatal("the Inbox did not end")
	}
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
}

func (e *inboxEnv) wantExtracts(t *testing.T, want ...time.Duration) {
	t.Helper()
	if len(e.extracts) != len(want) {
		t.Fatalf("extractions ran at %v, want %v", e.extracts, want)
	}
	for i := range want {
		if e.extracts[i].Round(time.Second) != want[i] {
			t.Errorf("extractions ran at %v, want %v", e.extracts, want)
		}
	}
}

func TestInboxWaitsForQuietAndTakesTogether(t *testing.T) {
	e := newInboxEnv(t)
	e.extractsReturn(e.written)
	e.turnAt(0, 1)
	e.turnAt(10*time.Second, 0) // the same conversation goes on: one range
	e.turnAt(15*time.Second, 0)
	e.run(t)
	e.wantExtracts(t, 35*time.Second)
	if ended := e.Now().Sub(e.start).Round(time.Second); ended != 35*time.Second+testTiming.Cooldown {
		t.Errorf("it ended after %s: the cooldown would be forgotten", ended)
	}
}

func TestInboxCoolsDownWithoutDroppingAnything(t *testing.T) {
	e := newInboxEnv(t)
	e.extractsReturn(e.written)
	e.turnAt(0, 1)
	e.turnAt(2*time.Minute, 1)
	e.turnAt(3*time.Minute, 1)
	e.run(t)
	// The first at 20 s; the others wait for the cooldown and are then taken one after the other.
	e.wantExtracts(t, 20*time.Second, 20*time.Second+testTiming.Cooldown, 20*time.Second+testTiming.Cooldown)
	if e.pending != 0 {
		t.Errorf("%d ranges were left", e.pending)
	}
}

func TestInboxDoesNotStarveInALongConversation(t *testing.T) {
	e := newInboxEnv(t)
	e.extractsReturn(e.written)
	for at := time.Duration(0); at <= 10*time.Minute; at += 10 * time.Second { // never quiet
		n := 0
		if at == 0 {
			n = 1
		}
		e.turnAt(at, n)
	}
	e.run(t)
	if len(e.extracts) == 0 || e.extracts[0].Round(time.Second) != quietLimit*testTiming.Quiet {
		t.Errorf("a conversation without a pause was extracted at %v, want first at %s", e.extracts, quietLimit*testTiming.Quiet)
	}
}

func TestInboxTakesASignalThatArrivesAtTheEnd(t *testing.T) {
	e := newInboxEnv(t)
	e.extractsReturn(e.written)
	e.turnAt(0, 1)
	e.turnAt(20*time.Second+testTiming.Cooldown-time.Millisecond, 1) // just before it would end
	e.run(t)
	if e.pending != 0 {
		t.Fatalf("the turn was lost; extractions ran at %v", e.extracts)
	}
}

func TestExtractNowOvertakesTheTimersAndAnswers(t *testing.T) {
	e := newInboxEnv(t)
	e.extractsReturn(e.written)
	e.turnAt(0, 1)
	var got ExtractNowResult
	e.RegisterDelayedCallback(func() {
		e.UpdateWorkflow(ExtractNowUpdate, "r1", &testsuite.TestUpdateCallback{
			OnAccept: func() {},
			OnReject: func(err error) { t.Errorf("rejected: %v", err) },
			OnComplete: func(result any, err error) {
				if err != nil {
					t.Errorf("failed: %v", err)
					return
				}
				got = result.(ExtractNowResult)
			},
		}, ExtractNowInput{RequestID: "r1", Conversation: uuid.New()})
	}, time.Second)
	e.run(t)
	e.wantExtracts(t, time.Second)
	if got.Outcome != memory.OutcomeWritten || len(got.Extractions) != 1 {
		t.Errorf("the answer was %+v", got)
	}
}

func TestExtractNowWithNothingPendingSaysSo(t *testing.T) {
	e := newInboxEnv(t)
	var got ExtractNowResult
	e.RegisterDelayedCallback(func() {
		e.UpdateWorkflow(ExtractNowUpdate, "r1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(error) {},
			OnComplete: func(result any, err error) { got, _ = result.(ExtractNowResult) },
		}, ExtractNowInput{RequestID: "r1", Conversation: uuid.New()})
	}, 0)
	e.run(t)
	if got.Outcome != memory.OutcomeNothing || got.ReasonCode != ReasonNoNewMessages {
		t.Errorf("the answer was %+v", got)
	}
}

func TestInboxGoesOnAfterAFailure(t *testing.T) {
	e := newInboxEnv(t)
	failures := 1
	e.extractsReturn(func(in ExtractInput) (ExtractResult, error) {
		if failures > 0 {
			failures--
			e.pending++ // nothing was accounted for
			return ExtractResult{}, errors.New("terminated by an operator")
		}
		return e.written(in)
	})
	e.turnAt(0, 1)
	e.run(t)
	if len(e.extracts) != 2 || e.pending != 0 {
		t.Errorf("extractions ran at %v, %d left", e.extracts, e.pending)
	}
}

// An Inbox whose owner is not in the database, which was restored to an older state, ends and says so instead of trying for ever.
func TestInboxEndsWithoutItsOwner(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	e := suite.NewTestWorkflowEnvironment()
	e.RegisterActivity(&activities.Activities{})
	e.OnActivity(steps.NextRange, mock.Anything, mock.Anything).Return(activities.NextRangeResult{},
		temporal.NewNonRetryableApplicationError("not found", activities.TypeNotFound, nil))
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(TurnCompletedSignal, Turn{Timing: testTiming}) }, 0)
	e.ExecuteWorkflow(Inbox, InboxInput{OwnerRef: testOwner, Timing: testTiming})
	want := testOwner.Owner.String() + " of agent ada is not in the database"
	if err := e.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it ended with %v", err)
	}
}

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
	"reverie/memory/setting"
)

// extractEnv runs an Extract in virtual time against scripted steps.
type extractEnv struct {
	*testsuite.TestWorkflowEnvironment
	start     time.Time
	proposals []activities.ProposeInput
	proposed  []time.Duration
	applied   []uuid.UUID
	concluded []activities.ConcludeInput
}

// newExtractEnv scripts the steps; propose gets the number of earlier calls.
func newExtractEnv(t *testing.T, propose func(n int, in activities.ProposeInput) (activities.ProposeResult, error),
	apply func(n int) (activities.ApplyResult, error),
) *extractEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &extractEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.OnActivity(steps.Propose, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.ProposeInput) (activities.ProposeResult, error) {
			e.proposals = append(e.proposals, in)
			e.proposed = append(e.proposed, e.Now().Sub(e.start))
			return propose(len(e.proposals)-1, in)
		}).Maybe()
	e.OnActivity(steps.Apply, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.ApplyInput) (activities.ApplyResult, error) {
			e.applied = append(e.applied, in.Extraction)
			return apply(len(e.applied) - 1)
		}).Maybe()
	e.OnActivity(steps.Conclude, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.ConcludeInput) (activities.ConcludeResult, error) {
			e.concluded = append(e.concluded, in)
			return activities.ConcludeResult{Extraction: uuid.New()}, nil
		}).Maybe()
	return e
}

func (e *extractEnv) run(t *testing.T, in ExtractInput) (ExtractResult, error) {
	t.Helper()
	return runToEnd[ExtractResult](t, e.TestWorkflowEnvironment, Extract, in)
}

func extractInput(from, to int64) ExtractInput {
	return ExtractInput{OwnerRef: testOwner, Conversation: uuid.New(), From: from, To: to, Settings: setting.DefaultExtractSettings()}
}

func writes(int) (activities.ApplyResult, error) {
	return activities.ApplyResult{Outcome: memory.OutcomeWritten, Documents: 2}, nil
}

func TestExtractTakesALongRangeInSteps(t *testing.T) {
	e := newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{
			Extraction: uuid.New(), To: min(in.From+29, in.To), HasDraft: true, Usage: memory.Usage{Calls: 1, InputTokens: 100},
		}, nil
	}, writes)
	out, err := e.run(t, extractInput(1, 75))
	if err != nil {
		t.Fatal(err)
	}
	var ranges [][2]int64
	for _, p := range e.proposals {
		ranges = append(ranges, [2]int64{p.From, p.To})
		if p.First != (p.From == 1) {
			t.Errorf("step from %d says First=%v", p.From, p.First)
		}
	}
	if want := [][2]int64{{1, 75}, {31, 75}, {61, 75}}; !cmp.Equal(ranges, want) {
		t.Errorf("steps were %v, want %v", ranges, want)
	}
	if out.Outcome != memory.OutcomeWritten || len(out.Extractions) != 3 || out.Documents != 6 || out.Usage.Calls != 3 {
		t.Errorf("result %+v", out)
	}
}

func TestExtractStopsAtAClosedGate(t *testing.T) {
	e := newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{
			Extraction: uuid.New(), To: in.To, Outcome: memory.OutcomeSkipped,
			ReasonCode: memory.GateFewMessages,
		}, nil
	}, writes)
	out, err := e.run(t, extractInput(1, 2))
	if err != nil || out.Outcome != memory.OutcomeSkipped || out.ReasonCode != memory.GateFewMessages || len(e.applied) != 0 ||
		len(e.proposals) != 1 {
		t.Errorf("result %+v, %d applied, error %v", out, len(e.applied), err)
	}
}

func TestExtractProposesAnewOnAStaleBase(t *testing.T) {
	draft := func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{Extraction: uuid.New(), To: in.To, HasDraft: true}, nil
	}
	t.Run("once", func(t *testing.T) {
		e := newExtractEnv(t, draft, func(n int) (activities.ApplyResult, error) {
			if n == 0 {
				return activities.ApplyResult{Stale: true}, nil
			}
			return writes(n)
		})
		out, err := e.run(t, extractInput(1, 4))
		if err != nil || out.Outcome != memory.OutcomeWritten || len(e.proposals) != 2 {
			t.Errorf("result %+v after %d proposals, error %v", out, len(e.proposals), err)
		}
	})
	t.Run("always", func(t *testing.T) {
		e := newExtractEnv(t, draft, func(int) (activities.ApplyResult, error) { return activities.ApplyResult{Stale: true}, nil })
		_, err := e.run(t, extractInput(1, 4))
		wantFailed(t, err, ReasonKeepsChanging)
		if len(e.proposals) != staleRounds || len(e.concluded) != 1 || e.concluded[0].From != 1 || e.concluded[0].To != 4 {
			t.Errorf("%d proposals, concluded %+v", len(e.proposals), e.concluded)
		}
	})
}

// wantFailed checks that the error carries the recorded outcome, which the Inbox reads.
func wantFailed(t *testing.T, err error, reason memory.ReasonCode) {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != FailedType {
		t.Fatalf("error %v is not %s", err, FailedType)
	}
	var out ExtractResult
	if extractionFailed(err, &out) != nil || out.Outcome != memory.OutcomeFailed || out.ReasonCode != reason || len(out.Extractions) == 0 {
		t.Errorf("the failure carries %+v, want reason %s", out, reason)
	}
}

func TestExtractShortensTheTranscriptUntilItFits(t *testing.T) {
	const fits = 3 // messages
	taken := int64(0)
	e := newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		n := min(int(in.To-in.From+1), in.Settings.MaxTranscript)
		if n > fits {
			return activities.ProposeResult{TooLong: true, Messages: n}, nil
		}
		if in.From != taken+1 {
			t.Errorf("a step begins at %d, the one before ended at %d", in.From, taken)
		}
		taken = in.From + int64(n) - 1
		return activities.ProposeResult{Extraction: uuid.New(), To: taken, HasDraft: true}, nil
	}, writes)
	out, err := e.run(t, extractInput(1, 20))
	if err != nil || out.Outcome != memory.OutcomeWritten {
		t.Fatalf("result %+v, error %v", out, err)
	}
	if taken != 20 || len(out.Extractions) < 7 {
		t.Errorf("20 messages, at most 3 at a time, took %d steps up to %d", len(out.Extractions), taken)
	}
}

func TestExtractGivesUpOnAMessageThatNeverFits(t *testing.T) {
	e := newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{TooLong: true, Messages: min(int(in.To-in.From+1), in.Settings.MaxTranscript)}, nil
	}, writes)
	_, err := e.run(t, extractInput(1, 4))
	wantFailed(t, err, ReasonContextTooLong)
	last := e.proposals[len(e.proposals)-1].Settings
	if last.MaxTranscript != 1 || last.MaxMessageChars/2 >= setting.MinMessageChars {
		t.Errorf("it gave up at %d messages of %d characters", last.MaxTranscript, last.MaxMessageChars)
	}
}

func TestExtractWaitsForTheBudget(t *testing.T) {
	const renewal = 3*budgetRecheck + time.Minute
	var e *extractEnv
	e = newExtractEnv(t, func(_ int, in activities.ProposeInput) (activities.ProposeResult, error) {
		if e.Now().Sub(e.start) < renewal {
			return activities.ProposeResult{WaitUntil: e.start.Add(renewal)}, nil
		}
		return activities.ProposeResult{Extraction: uuid.New(), To: in.To, HasDraft: true}, nil
	}, writes)
	out, err := e.run(t, extractInput(1, 4))
	if err != nil || out.Outcome != memory.OutcomeWritten {
		t.Fatalf("result %+v, error %v", out, err)
	}
	if got := len(e.proposed); got != 5 { // at once, three rechecks, at the renewal
		t.Errorf("it looked %d times: %v", got, e.proposed)
	}
	if last := e.proposed[len(e.proposed)-1].Round(time.Second); last != renewal {
		t.Errorf("it went on after %s", last)
	}
}

func TestExtractRetriesABusyModelAfterItsOwnDelay(t *testing.T) {
	e := newExtractEnv(t, func(n int, in activities.ProposeInput) (activities.ProposeResult, error) {
		if n < 2 {
			return activities.ProposeResult{}, temporal.NewApplicationErrorWithOptions("rate_limited", activities.TypeUnavailable,
				temporal.ApplicationErrorOptions{NextRetryDelay: 7 * time.Second})
		}
		return activities.ProposeResult{Extraction: uuid.New(), To: in.To, HasDraft: true}, nil
	}, writes)
	out, err := e.run(t, extractInput(1, 4))
	if err != nil || out.Outcome != memory.OutcomeWritten {
		t.Fatalf("result %+v, error %v", out, err)
	}
	if took := e.proposed[len(e.proposed)-1].Round(time.Second); took != 14*time.Second {
		t.Errorf("two delays of 7 s took %s", took)
	}
}

func TestExtractRecordsAFailureWhenTheModelStaysAway(t *testing.T) {
	e := newExtractEnv(t, func(int, activities.ProposeInput) (activities.ProposeResult, error) {
		return activities.ProposeResult{}, temporal.NewApplicationError("unavailable", activities.TypeUnavailable)
	}, writes)
	_, err := e.run(t, extractInput(1, 4))
	wantFailed(t, err, ReasonModelUnavailable)
	if len(e.concluded) != 1 || e.concluded[0].ReasonCode != ReasonModelUnavailable {
		t.Errorf("concluded %+v", e.concluded)
	}
	// How long it tries is set in the options; the environment ends the attempts earlier than a server does.
	if o := modelCall(setting.DefaultExtractSettings()); o.ScheduleToCloseTimeout != 24*time.Hour || o.RetryPolicy.MaximumAttempts != 0 {
		t.Errorf("it tries for %s, %d times", o.ScheduleToCloseTimeout, o.RetryPolicy.MaximumAttempts)
	}
}

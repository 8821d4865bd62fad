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
	"reverie/memory/setting"
)

func TestFlushTakesALongRangeInSteps(t *testing.T) {
	e := newFlushEnv(t, 5, 34, setting.FlushFallback)
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, false, false, false, false)
	if out.Usage.Calls != 3 || len(e.ruled) != 0 {
		t.Errorf("%d calls, %d steps by rules", out.Usage.Calls, len(e.ruled))
	}
}

func TestFlushWithoutAModelIsDoneByRules(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.in.Settings.Paid = false
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, false, false, false) // rules, but not in place of anybody
	if len(e.asked) != 0 || len(e.ruled) != 2 {
		t.Errorf("asked %v, by rules %v", e.asked, e.ruled)
	}
}

func TestAnAcknowledgedFlushIsFoundAgain(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.done, e.fallback = 20, true
	out, err := e.run(t)
	if err != nil || out.Outcome != memory.OutcomeWritten || !out.Fallback || len(e.asked) != 0 || len(e.steps) != 0 {
		t.Errorf("%+v after %v, %v (%v)", out, e.asked, e.steps, err)
	}
}

// An hour without a model: one policy saves by rules after the deadline, the other by the model when it is back.
func TestFlushWhenTheModelIsAwayForAnHour(t *testing.T) {
	t.Run("fallback", func(t *testing.T) {
		e := newFlushEnv(t, 1, 25, setting.FlushFallback)
		e.modelBack(time.Hour, 0)
		out, err := e.run(t)
		e.wantAcknowledged(t, out, err, true, true, true, true)
		deadline := e.in.Settings.Deadline
		if took := e.Now().Sub(e.start); took > deadline+time.Second {
			t.Errorf("it took %s", took)
		}
		for _, at := range e.asked {
			if at > deadline {
				t.Errorf("the model was asked after %s", at)
			}
		}
		if len(e.asked) < 3 {
			t.Errorf("the model was asked %d times", len(e.asked))
		}
	})
	t.Run("wait", func(t *testing.T) {
		e := newFlushEnv(t, 1, 25, setting.FlushWait)
		e.modelBack(time.Hour, 7*time.Minute) // the environment tries ten times only
		out, err := e.run(t)
		e.wantAcknowledged(t, out, err, false, false, false, false)
		if took := e.Now().Sub(e.start); took < time.Hour || took > time.Hour+7*time.Minute {
			t.Errorf("it took %s", took)
		}
		if len(e.ruled) != 0 {
			t.Errorf("rules did something after %v", e.ruled)
		}
	})
}

// The deadline applies to the whole flush: rules do what the model has not done by then, to the second.
func TestFlushDeadlineIsReachedInTheMiddle(t *testing.T) {
	for took, rules := range map[time.Duration][]bool{
		44 * time.Second: {false, false, false},
		45 * time.Second: {false, false, true},
		91 * time.Second: {false, true, true},
	} {
		t.Run(took.String(), func(t *testing.T) {
			e := newFlushEnv(t, 1, 30, setting.FlushFallback)
			e.took = took
			out, err := e.run(t)
			e.wantAcknowledged(t, out, err, took != 44*time.Second, rules...)
		})
	}
}

func TestFlushShortensTranscripts(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.model = func(n int) (activities.FlushStepResult, error) {
		if n < 2 {
			return activities.FlushStepResult{TooLong: true, Messages: 30 >> n, Usage: memory.Usage{Calls: 1}}, nil
		}
		return activities.FlushStepResult{HasDraft: true}, nil
	}
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, false, false, false)
	if d := cmp.Diff([]int{30, 15, 7, 7}, e.sizes); d != "" {
		t.Errorf("transcripts (-want +got):\n%s", d)
	}
	if out.Usage.Calls != 4 {
		t.Errorf("usage %+v", out.Usage)
	}
}

// A model that takes no transcript at all leaves each step to rules.
func TestFlushWithAModelThatIsTooSmall(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushWait)
	e.model = func(int) (activities.FlushStepResult, error) {
		return activities.FlushStepResult{TooLong: true, Messages: 1}, nil
	}
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, true, true, true)
}

// Failures that no retry can fix fall back at once, under either policy: for the step if the reason concerns its
// messages, otherwise for the rest of the range.
func TestFlushFallsBackWhenWaitingWouldNotHelp(t *testing.T) {
	for reason, rules := range map[memory.ReasonCode][]bool{
		"refused": {true, false, false}, activities.ReasonInvalidProposal: {true, false, false}, activities.ReasonGuards: {true, false, false},
		activities.ReasonPanic: {true, false, false},
		"unauthorized":         {true, true, true}, "quota": {true, true, true}, "bad_request": {true, true, true},
	} {
		for _, policy := range []setting.FlushPolicy{setting.FlushFallback, setting.FlushWait} {
			t.Run(string(reason)+"/"+string(policy), func(t *testing.T) {
				e := newFlushEnv(t, 1, 30, policy)
				e.model = func(n int) (activities.FlushStepResult, error) {
					if n == 0 {
						return activities.FlushStepResult{FallBack: reason}, nil
					}
					return activities.FlushStepResult{HasDraft: true}, nil
				}
				out, err := e.run(t)
				e.wantAcknowledged(t, out, err, true, rules...)
				if e.ruled[0] != 0 {
					t.Errorf("rules began after %s", e.ruled[0])
				}
			})
		}
	}
}

func TestFlushWithoutABudget(t *testing.T) {
	script := func(e *flushEnv) {
		renews := e.start.Add(25 * time.Minute)
		e.model = func(int) (activities.FlushStepResult, error) {
			if e.Now().Before(renews) {
				return activities.FlushStepResult{FallBack: activities.ReasonBudget, WaitUntil: renews}, nil
			}
			return activities.FlushStepResult{HasDraft: true}, nil
		}
	}
	t.Run("fallback", func(t *testing.T) {
		e := newFlushEnv(t, 1, 20, setting.FlushFallback)
		script(e)
		out, err := e.run(t)
		e.wantAcknowledged(t, out, err, true, true, true)
		if len(e.asked) != 1 {
			t.Errorf("asked at %v", e.asked)
		}
	})
	t.Run("wait", func(t *testing.T) {
		e := newFlushEnv(t, 1, 20, setting.FlushWait)
		script(e)
		out, err := e.run(t)
		e.wantAcknowledged(t, out, err, false, false, false)
		// at once, twice meanwhile, twice with money
		if got := e.asked[len(e.asked)-1].Round(time.Second); got != 25*time.Minute || len(e.asked) != 5 {
			t.Errorf("asked at %v", e.asked)
		}
	})
}

func TestFlushWhoseMessagesWereExtractedMeanwhile(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.commit = func(n int) (activities.CommitFlushResult, error, bool) {
		return activities.CommitFlushResult{Stale: true, Done: e.done}, nil, n < 2
	}
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, false, false, false)
	if len(e.asked) != 4 {
		t.Errorf("the model was asked %d times", len(e.asked))
	}
}

// A range of many thousand messages is flushed in several runs, which share the model's time and cost.
func TestALongFlushContinuesAsNew(t *testing.T) {
	e := newFlushEnv(t, 1, 30, setting.FlushFallback)
	e.SetContinueAsNewSuggested(true)
	e.took = 50 * time.Second
	_, err := e.run(t)
	again, ok := errors.AsType[*workflow.ContinueAsNewError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	next := newFlushEnv(t, 1, 30, setting.FlushFallback)
	if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &next.in); err != nil || next.in.Carried == nil {
		t.Fatalf("it goes on with %+v (%v)", next.in, err)
	}
	next.done, next.steps, next.byRules = e.done, e.steps, e.byRules
	next.in.Carried.Began = next.start.Add(-e.in.Settings.Deadline) // the time is over meanwhile
	out, err := next.run(t)
	next.wantAcknowledged(t, out, err, true, false, true, true)
	if out.Usage.Calls != 3 || len(next.asked) != 0 {
		t.Errorf("%d calls, asked at %v", out.Usage.Calls, next.asked)
	}
}

// If the scan refuses a model's text, rules write; if it refuses the rules' text, nothing is written.
func TestFlushWhoseEntryMayNotBeWritten(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushWait)
	e.commit = func(n int) (activities.CommitFlushResult, error, bool) {
		return activities.CommitFlushResult{FallBack: activities.ReasonScan}, nil, n == 0
	}
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, true, true, false)
	if d := cmp.Diff([]bool{false, true, false}, e.rules); d != "" {
		t.Errorf("drafts that rules made, as the commit is told (-want +got):\n%s", d)
	}
}

// A run that was reset to a point after its proposal takes over the flush, once; if it loses it again, it gives up.
func TestFlushIsTakenOver(t *testing.T) {
	superseded := temporal.NewNonRetryableApplicationError("another execution has this flush", activities.TypeSuperseded, nil)
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.commit = func(n int) (activities.CommitFlushResult, error, bool) {
		return activities.CommitFlushResult{}, superseded, n == 0
	}
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, false, false, false)

	e = newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.commit = func(int) (activities.CommitFlushResult, error, bool) {
		return activities.CommitFlushResult{}, superseded, true
	}
	if _, err := e.run(t); !isSuperseded(err) || len(e.held) != 0 || e.tried != 2 {
		t.Errorf("error %v after %d tries, held %v", err, e.tried, e.held)
	}
}

func TestFlushThatMayNotFallBackGivesUpAfterADay(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushWait)
	e.modelBack(100*24*time.Hour, 0)
	_, err := e.run(t)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != FlushFailedType {
		t.Fatalf("error %v", err)
	}
	var out FlushResult
	if err := app.Details(&out); err != nil || out.ReasonCode != ReasonModelUnavailable || out.Flush != e.in.Flush {
		t.Errorf("details %+v (%v)", out, err)
	}
	if d := cmp.Diff([]memory.ReasonCode{ReasonModelUnavailable}, e.held); d != "" || len(e.steps) != 0 {
		t.Errorf("held (-want +got):\n%s, steps %v", d, e.steps)
	}
	// The options contain the real retry limit; the test environment ends the attempts earlier than a server does.
	if o := flushCall(e.in.Settings, flushPatience, testOwner); o.ScheduleToCloseTimeout != 24*time.Hour ||
		o.RetryPolicy.MaximumAttempts != 0 || o.Priority.PriorityKey != 1 {
		t.Errorf("it tries for %s, %d times, with priority %d", o.ScheduleToCloseTimeout, o.RetryPolicy.MaximumAttempts, o.Priority.PriorityKey)
	}
}

func TestACancelledFlushSaysSo(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushWait)
	e.modelBack(100*24*time.Hour, 0)
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	_, err := e.run(t)
	if !temporal.IsCanceledError(err) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff([]memory.ReasonCode{ReasonCancelled}, e.held); d != "" {
		t.Errorf("held (-want +got):\n%s", d)
	}
}

// A step that cannot succeed ends the flush without acknowledgement, and the next flush finds it open.
func TestFlushOfWhatIsGone(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.model = func(int) (activities.FlushStepResult, error) {
		return activities.FlushStepResult{}, temporal.NewNonRetryableApplicationError("not found", activities.TypeNotFound, nil)
	}
	_, err := e.run(t)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != activities.TypeNotFound || len(e.ruled) != 0 {
		t.Errorf("error %v, by rules %v", err, e.ruled)
	}
}

// Temporal's UI shows of a flush how far it is, from its first moment, and in the end who did it, in counts and ids.
func TestWhatIsShownOfAFlush(t *testing.T) {
	e := newFlushEnv(t, 1, 20, setting.FlushFallback)
	e.model = func(n int) (activities.FlushStepResult, error) {
		if n == 0 {
			return activities.FlushStepResult{HasDraft: true}, nil
		}
		return activities.FlushStepResult{}, temporal.NewApplicationError("away", activities.TypeUnavailable)
	}
	e.took = time.Second
	var first, later string
	e.RegisterDelayedCallback(func() { first = detailsOf(t, e.TestWorkflowEnvironment) }, 500*time.Millisecond)
	e.RegisterDelayedCallback(func() { later = detailsOf(t, e.TestWorkflowEnvironment) }, 10*time.Second)
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, true, false, true)
	record := "\n- flush `" + e.in.Flush.String() + "`\n- record: `GET /api/v1/agents/" + e.in.Agent + "/conversations/…/flushes`"
	ended := detailsOf(t, e.TestWorkflowEnvironment)
	for _, c := range []struct{ want, got string }{
		{"Phase: **saving**; of messages 1 to 20, none are saved.\n" + record, first},
		{"Phase: **saving**; of messages 1 to 20, those up to 10 are saved.\n" + record, later},
		{"Phase: **acknowledged**; of messages 1 to 20, those up to 20 are saved.\n\n- outcome: **written**" +
			"\n- rules did all or part of it instead of the model (deadline)" + record, ended},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("shown (-want +got):\n%s", d)
		}
	}
}

// flushEnv runs a Flush in virtual time with a simulated store of one flush: steps of ten messages, each committed
// once.
type flushEnv struct {
	*testsuite.TestWorkflowEnvironment
	start    time.Time
	in       FlushInput
	done     int64
	fallback bool // rules did a part of it
	draft    *activities.FlushStepInput
	asked    []time.Duration // the model, since the start
	sizes    []int           // of the transcripts that it was shown, in messages at most
	ruled    []time.Duration // rules, since the start
	steps    [][2]int64      // that were committed
	byRules  []bool          // who made them
	held     []memory.ReasonCode

	// model answers in place of the model, by how often it was asked before; nil: with an entry.
	model func(n int) (activities.FlushStepResult, error)
	// commit replaces the commit of a draft; it gets the number of earlier attempts; nil: commits succeed.
	commit func(n int) (activities.CommitFlushResult, error, bool)
	tried  int
	rules  []bool        // as each commit was told
	took   time.Duration // of each proposal
}

func newFlushEnv(t *testing.T, from, to int64, policy setting.FlushPolicy) *flushEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &flushEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), done: from - 1}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.in = FlushInput{
		OwnerRef: testOwner, Conversation: uuid.New(), Flush: uuid.New(), From: from, To: to,
		Settings: setting.FlushSettings{Extract: setting.DefaultExtractSettings(), Paid: true, Deadline: 90 * time.Second, Policy: policy},
	}
	e.OnActivity(steps.ProposeFlush, mock.Anything, mock.Anything).AfterFn(func() time.Duration { return e.took }).
		Return(func(_ context.Context, in activities.FlushStepInput) (activities.FlushStepResult, error) {
			return e.propose(in)
		}).Maybe()
	e.OnActivity(steps.CommitFlush, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.CommitFlushInput) (activities.CommitFlushResult, error) {
			return e.commitDraft(in)
		}).Maybe()
	e.OnActivity(steps.HoldFlush, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.HoldFlushInput) (activities.HoldFlushResult, error) {
			e.held = append(e.held, in.ReasonCode)
			return activities.HoldFlushResult{Done: e.done}, nil
		}).Maybe()
	return e
}

func (e *flushEnv) propose(in activities.FlushStepInput) (activities.FlushStepResult, error) {
	if e.done >= e.in.To {
		return e.acknowledged(), nil
	}
	if in.Settings.Paid && !in.Fallback {
		e.asked = append(e.asked, e.Now().Sub(e.start))
		e.sizes = append(e.sizes, in.Settings.Extract.MaxTranscript)
		if e.model != nil {
			if out, err := e.model(len(e.asked) - 1); err != nil || !out.HasDraft {
				out.From, out.To = e.done+1, e.end()
				return out, err
			}
		}
	} else {
		e.ruled = append(e.ruled, e.Now().Sub(e.start))
	}
	e.draft = &in
	return activities.FlushStepResult{From: e.done + 1, To: e.end(), HasDraft: true, Usage: memory.Usage{Calls: 1}}, nil
}

func (e *flushEnv) end() int64 { return min(e.done+10, e.in.To) }

func (e *flushEnv) acknowledged() activities.FlushStepResult {
	return activities.FlushStepResult{
		From: e.in.To + 1, To: e.in.To, Acknowledged: true, Outcome: memory.OutcomeWritten, Fallback: e.fallback,
	}
}

func (e *flushEnv) commitDraft(in activities.CommitFlushInput) (activities.CommitFlushResult, error) {
	e.tried++
	e.rules = append(e.rules, in.Rules)
	if e.commit != nil {
		if out, err, instead := e.commit(e.tried - 1); instead {
			return out, err
		}
	}
	if in.From == e.done+1 {
		e.steps = append(e.steps, [2]int64{in.From, in.To})
		e.byRules = append(e.byRules, e.draft.Fallback)
		e.done, e.fallback = in.To, e.fallback || e.draft.Fallback
	}
	return activities.CommitFlushResult{
		Acknowledged: e.done >= e.in.To, Outcome: memory.OutcomeWritten, Done: e.done, Fallback: e.fallback,
	}, nil
}

func (e *flushEnv) run(t *testing.T) (FlushResult, error) {
	t.Helper()
	return runToEnd[FlushResult](t, e.TestWorkflowEnvironment, Flush, e.in)
}

// wantAcknowledged checks that the whole range is acknowledged, each message by exactly one step.
func (e *flushEnv) wantAcknowledged(t *testing.T, out FlushResult, err error, fallback bool, rules ...bool) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if out.Flush != e.in.Flush || out.From != e.in.From || out.To != e.in.To || out.Outcome != memory.OutcomeWritten ||
		out.Fallback != fallback {
		t.Errorf("acknowledged %+v", out)
	}
	next := e.in.From
	for _, s := range e.steps {
		if s[0] != next {
			t.Errorf("steps are %v", e.steps)
		}
		next = s[1] + 1
	}
	if next != e.in.To+1 {
		t.Errorf("steps end before message %d: %v", next, e.steps)
	}
	if d := cmp.Diff(rules, e.byRules); d != "" {
		t.Errorf("which steps rules did (-want +got):\n%s", d)
	}
	if len(e.held) != 0 {
		t.Errorf("held because of %v", e.held)
	}
}

// away is a model that cannot be reached, and that asks to be left alone for some time; 0: as the options say.
func away(delay time.Duration) error {
	return temporal.NewApplicationErrorWithOptions("unavailable", activities.TypeUnavailable,
		temporal.ApplicationErrorOptions{NextRetryDelay: delay})
}

// modelBack has the model away until some time after the start.
func (e *flushEnv) modelBack(after, delay time.Duration) {
	e.model = func(int) (activities.FlushStepResult, error) {
		if e.Now().Sub(e.start) < after {
			return activities.FlushStepResult{}, away(delay)
		}
		return activities.FlushStepResult{HasDraft: true}, nil
	}
}

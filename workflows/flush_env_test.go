package workflows

import (
	"context"
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

// flushEnv runs a Flush in virtual time against a store of one flush: steps of ten messages, of which each is committed once.
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
	// commit says what happens to a draft in place of committing it, by how often that was tried before; nil: it is committed.
	commit func(n int) (activities.CommitFlushResult, error, bool)
	tried  int
	rules  []bool        // as each commit was told
	took   time.Duration // of each proposal
}

func newFlushEnv(t *testing.T, from, to int64, policy memory.FlushPolicy) *flushEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &flushEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), done: from - 1}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.in = FlushInput{
		OwnerRef: testOwner, Conversation: uuid.New(), Flush: uuid.New(), From: from, To: to,
		Settings: memory.FlushSettings{Extract: memory.DefaultExtractSettings(), Paid: true, Deadline: 90 * time.Second, Policy: policy},
	}
	e.OnActivity(steps.ProposeFlush, mock.Anything, mock.Anything).AfterFn(func() time.Duration { return e.took }).Return(func(_ context.Context, in activities.FlushStepInput) (activities.FlushStepResult, error) {
		return e.propose(in)
	}).Maybe()
	e.OnActivity(steps.CommitFlush, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.CommitFlushInput) (activities.CommitFlushResult, error) {
		return e.commitDraft(in)
	}).Maybe()
	e.OnActivity(steps.HoldFlush, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.HoldFlushInput) (activities.HoldFlushResult, error) {
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
	e.ExecuteWorkflow(Flush, e.in)
	if !e.IsWorkflowCompleted() {
		t.Fatal("the Flush did not end")
	}
	var out FlushResult
	if err := e.GetWorkflowError(); err != nil {
		return out, err
	}
	return out, e.GetWorkflowResult(&out)
}

// wantAcknowledged checks that the whole range is acknowledged, each message by exactly one step.
func (e *flushEnv) wantAcknowledged(t *testing.T, out FlushResult, err error, fallback bool, rules ...bool) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if out.Flush != e.in.Flush || out.From != e.in.From || out.To != e.in.To || out.Outcome != memory.OutcomeWritten || out.Fallback != fallback {
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
	return temporal.NewApplicationErrorWithOptions("unavailable", activities.TypeUnavailable, temporal.ApplicationErrorOptions{NextRetryDelay: delay})
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

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
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// compactEnv runs a Compact in virtual time with a simulated store of one conversation.
type compactEnv struct {
	*testsuite.TestWorkflowEnvironment
	in        CompactInput
	start     time.Time
	flushed   int64 // last flushed message
	open      *activities.PlanFlushResult
	planned   []time.Duration
	flushes   []FlushInput
	begun     []int64 // value of flushed when each compaction was begun
	done      int64   // last summarised message
	parts     []activities.SummariseInput
	asked     []time.Duration                                                // times of requests to the model, since the start
	flush     func(ctx workflow.Context, in FlushInput) (FlushResult, error) // replaces a successful flush
	summarise func(n int) (activities.SummariseResult, error)
	took      time.Duration // per part
}

// partMessages is the number of messages per part.
const partMessages = 20

func newCompactEnv(t *testing.T) *compactEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &compactEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	s := setting.DefaultWindowSettings()
	s.Paid = true
	e.in = CompactInput{
		OwnerRef: testOwner, Conversation: uuid.New(), To: 40, Trigger: memory.CompactByTurn,
		Settings: s.Compact(setting.DefaultExtractSettings()),
	}
	e.RegisterWorkflow(Flush)
	e.OnWorkflow(Flush, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, in FlushInput) (FlushResult, error) {
		e.flushes = append(e.flushes, in)
		if e.flush != nil {
			return e.flush(ctx, in)
		}
		e.flushed, e.open = in.To, nil
		return FlushResult{Flush: in.Flush, From: in.From, To: in.To, Outcome: memory.OutcomeWritten, Usage: memory.Usage{Calls: 1}}, nil
	}).Maybe()
	e.OnActivity(steps.PlanFlush, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.PlanFlushInput) (activities.PlanFlushResult, error) {
			e.planned = append(e.planned, e.Now().Sub(e.start))
			if e.flushed >= in.To {
				return activities.PlanFlushResult{}, nil
			}
			if e.open == nil {
				e.open = &activities.PlanFlushResult{Needed: true, Flush: uuid.New(), From: e.flushed + 1, To: in.To}
			}
			return *e.open, nil
		}).Maybe()
	e.OnActivity(steps.BeginCompaction, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.BeginCompactionInput) (activities.BeginCompactionResult, error) {
			e.begun = append(e.begun, e.flushed)
			return activities.BeginCompactionResult{Compaction: e.in.Conversation, Ended: e.done >= e.in.To}, nil
		}).Maybe()
	e.OnActivity(steps.Summarise, mock.Anything, mock.Anything).AfterFn(func() time.Duration { return e.took }).Return(
		func(_ context.Context, in activities.SummariseInput) (activities.SummariseResult, error) {
			return e.part(in)
		}).Maybe()
	return e
}

func (e *compactEnv) part(in activities.SummariseInput) (activities.SummariseResult, error) {
	if in.Settings.Paid && !in.Fallback {
		e.asked = append(e.asked, e.Now().Sub(e.start))
		if e.summarise != nil {
			if out, err := e.summarise(len(e.asked) - 1); err != nil || out != (activities.SummariseResult{}) {
				return out, err
			}
		}
	}
	e.parts = append(e.parts, in)
	e.done = min(e.done+partMessages, e.in.To)
	return activities.SummariseResult{Done: e.done, Ended: e.done == e.in.To, Usage: memory.Usage{Calls: 1}}, nil
}

func (e *compactEnv) run(t *testing.T) (CompactResult, error) {
	t.Helper()
	return runToEnd[CompactResult](t, e.TestWorkflowEnvironment, Compact, e.in)
}

// byRules returns for each part whether rules wrote it.
func (e *compactEnv) byRules() []bool {
	var out []bool
	for _, p := range e.parts {
		out = append(out, p.Fallback)
	}
	return out
}

func (e *compactEnv) wantWritten(t *testing.T, out CompactResult, err error, byRules ...bool) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if out.Outcome != memory.OutcomeWritten || out.Compaction != e.in.Conversation || out.To != e.in.To {
		t.Errorf("it ended as %+v", out)
	}
	if d := cmp.Diff(byRules, e.byRules()); d != "" {
		t.Errorf("parts that rules wrote (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int64{e.in.To}, e.begun); d != "" { // nothing is summarised that is not flushed
		t.Errorf("flushed, when it was begun (-want +got):\n%s", d)
	}
}

func TestCompactFlushesAndSummarises(t *testing.T) {
	e := newCompactEnv(t)
	out, err := e.run(t)
	e.wantWritten(t, out, err, false, false)
	want := FlushInput{
		OwnerRef: testOwner, Conversation: e.in.Conversation, Flush: out.Flushes[0], From: 1, To: 40,
		Settings: e.in.Settings.Flush,
	}
	if d := cmp.Diff([]FlushInput{want}, e.flushes); d != "" || out.Usage.Calls != 3 || out.Fallback {
		t.Errorf("it ended as %+v; flushes (-want +got):\n%s", out, d)
	}
}

func TestCompactOfWhatIsFlushedAndSummarised(t *testing.T) {
	e := newCompactEnv(t)
	e.flushed, e.done = 40, 40
	out, err := e.run(t)
	e.wantWritten(t, out, err)
	if len(e.flushes) != 0 || len(e.asked) != 0 || out.Usage.Calls != 0 {
		t.Errorf("it ended as %+v after %d flushes", out, len(e.flushes))
	}
}

func TestCompactThatOnlyFlushes(t *testing.T) {
	e := newCompactEnv(t)
	e.in.FlushOnly = true
	out, err := e.run(t)
	if err != nil || out.Outcome != memory.OutcomeWritten || len(out.Flushes) != 1 || out.Compaction != uuid.Nil || len(e.begun) != 0 {
		t.Errorf("it ended as %+v (%v)", out, err)
	}
}

// An open flush of another execution is joined, whatever its range, and the rest is flushed after it.
func TestCompactBehindAnOpenFlush(t *testing.T) {
	e := newCompactEnv(t)
	e.open = &activities.PlanFlushResult{Needed: true, Flush: uuid.New(), From: 1, To: 25}
	out, err := e.run(t)
	e.wantWritten(t, out, err, false, false)
	if len(out.Flushes) != 2 || e.flushes[0].To != 25 || e.flushes[1].From != 26 || e.flushes[1].To != 40 {
		t.Errorf("flushes %+v", e.flushes)
	}
}

// While another execution owns the flush, this one waits and checks again.
func TestCompactWaitsForTheFlushOfAnother(t *testing.T) {
	e := newCompactEnv(t)
	e.open = &activities.PlanFlushResult{Needed: true, Flush: uuid.New(), From: 1, To: 40}
	e.flush = func(workflow.Context, FlushInput) (FlushResult, error) {
		return FlushResult{}, &temporal.ChildWorkflowExecutionAlreadyStartedError{}
	}
	e.RegisterDelayedCallback(func() { e.flushed, e.open = 40, nil }, 40*time.Second)
	out, err := e.run(t)
	e.wantWritten(t, out, err, false, false)
	if last := e.planned[len(e.planned)-1]; last < 40*time.Second || last > 46*time.Second || len(e.planned) > 20 {
		t.Errorf("it looked at %v", e.planned)
	}
	if len(out.Flushes) != 0 {
		t.Errorf("it counts flushes of others: %v", out.Flushes)
	}
}

func TestCompactOfAFlushThatFails(t *testing.T) {
	e := newCompactEnv(t)
	e.flush = func(workflow.Context, FlushInput) (FlushResult, error) {
		return FlushResult{}, temporal.NewNonRetryableApplicationError("the flush failed", FlushFailedType, nil)
	}
	_, err := e.run(t)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != FlushFailedType || len(e.begun) != 0 || len(e.flushes) != 1 {
		t.Errorf("error %v after %d flushes, begun %v", err, len(e.flushes), e.begun)
	}
}

func TestSummaryWhenTheModelIsAwayForAnHour(t *testing.T) {
	e := newCompactEnv(t)
	e.summarise = func(int) (activities.SummariseResult, error) {
		if e.Now().Sub(e.start) < time.Hour {
			return activities.SummariseResult{}, away(0)
		}
		return activities.SummariseResult{}, nil
	}
	out, err := e.run(t)
	e.wantWritten(t, out, err, true, true)
	if took := e.Now().Sub(e.start); took > e.in.Settings.SummaryDeadline+time.Second || !out.Fallback || len(e.asked) < 3 {
		t.Errorf("it took %s, asked at %v, ended as %+v", took, e.asked, out)
	}
	if why := e.parts[0].Why; why != ReasonDeadline {
		t.Errorf("rules are told %q", why)
	}
}

// The deadline applies to the whole summary: rules write what the model has not written by then, to the second.
func TestSummaryDeadlineIsReachedInTheMiddle(t *testing.T) {
	for took, byRules := range map[time.Duration][]bool{
		29 * time.Second: {false, false, false},
		30 * time.Second: {false, false, true},
		61 * time.Second: {false, true, true},
	} {
		t.Run(took.String(), func(t *testing.T) {
			e := newCompactEnv(t)
			e.in.To, e.took = 60, took
			out, err := e.run(t)
			e.wantWritten(t, out, err, byRules...)
		})
	}
}

func TestSummaryThatTheModelCannotWrite(t *testing.T) {
	for _, reason := range []memory.ReasonCode{
		"refused", "unauthorized", activities.ReasonBudget, activities.ReasonEmptySummary,
		"truncated",
	} {
		t.Run(string(reason), func(t *testing.T) {
			e := newCompactEnv(t)
			e.summarise = func(int) (activities.SummariseResult, error) {
				return activities.SummariseResult{FallBack: reason, Usage: memory.Usage{Calls: 1}}, nil
			}
			out, err := e.run(t)
			e.wantWritten(t, out, err, true, true)
			if len(e.asked) != 1 || !out.Fallback || out.Usage.Calls != 4 || e.Now().Sub(e.start) > time.Second {
				t.Errorf("asked at %v, ended as %+v", e.asked, out)
			}
		})
	}
}

func TestSummaryInSmallerParts(t *testing.T) {
	for refusals, byRules := range map[int]bool{2: false, 9: true} {
		e := newCompactEnv(t)
		e.summarise = func(n int) (activities.SummariseResult, error) {
			return activities.SummariseResult{TooLong: n < refusals}, nil
		}
		out, err := e.run(t)
		e.wantWritten(t, out, err, byRules, byRules)
		want := 0
		if !byRules {
			want = activities.SummaryPartBytes / 4
		}
		if e.parts[0].MaxBytes != want || e.parts[1].MaxBytes != want {
			t.Errorf("parts of %d and %d bytes, want %d", e.parts[0].MaxBytes, e.parts[1].MaxBytes, want)
		}
	}
}

func TestCompactWithoutAModel(t *testing.T) {
	e := newCompactEnv(t)
	e.in.Settings.Paid, e.in.Settings.Flush.Paid = false, false
	out, err := e.run(t)
	e.wantWritten(t, out, err, false, false)
	if len(e.asked) != 0 || out.Fallback {
		t.Errorf("asked at %v, ended as %+v", e.asked, out)
	}
}

// Anyone who stops a Compact leaves the flush alone that it waits for: others may wait for it.
func TestACancelledCompactLeavesItsFlush(t *testing.T) {
	e := newCompactEnv(t)
	stopped := false
	e.flush = func(ctx workflow.Context, in FlushInput) (FlushResult, error) {
		err := workflow.Sleep(ctx, time.Hour)
		stopped = err != nil
		return FlushResult{Flush: in.Flush, Outcome: memory.OutcomeWritten}, err
	}
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	_, err := e.run(t)
	if !temporal.IsCanceledError(err) || stopped || len(e.begun) != 0 {
		t.Errorf("error %v, flush stopped: %v", err, stopped)
	}
}

func TestIDsOfCompactions(t *testing.T) {
	in := CompactInput{Conversation: uuid.MustParse("01890000-0000-7000-8000-000000000001"), To: 12}
	in.Settings.Window, in.Settings.Paid, in.Settings.Flush.Paid = 8000, true, true
	var got []string
	for _, only := range []bool{false, true} {
		in.FlushOnly, in.Settings.Paid, in.Settings.Flush.Paid = only, true, true
		got = append(got, in.ID())
		in.Settings.Paid = false
		got = append(got, in.ID())
		in.Settings.Flush.Paid = false
		got = append(got, in.ID())
	}
	const c = "compact/01890000-0000-7000-8000-000000000001/12/"
	if d := cmp.Diff([]string{c + "8000", c + "8000/rules", c + "8000/rules", c + "flush", c + "flush", c + "flush/rules"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

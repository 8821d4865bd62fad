package workflows

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

var testAgent = activities.AgentRef{Workspace: "default", Agent: "ada"}

// indexEnv runs an Index in virtual time with a simulated agent whose spaces lack vectors.
type indexEnv struct {
	*testsuite.TestWorkflowEnvironment
	mu      sync.Mutex // held by a step: tending and embedding go on beside each other, in either order
	start   time.Time
	lacks   map[int64]int // steps of embedding, by space
	tended  []time.Duration
	embeds  map[int64][]time.Duration
	refuses func(space int64, n int) error // n counts the attempts in a space from 0
	budget  time.Duration                  // when there is some; 0: always
}

func newIndexEnv(t *testing.T) *indexEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &indexEnv{
		TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), lacks: map[int64]int{}, embeds: map[int64][]time.Duration{},
		refuses: func(int64, int) error { return nil },
	}
	e.SetWorkflowRunTimeout(30 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.OnActivity(steps.TendIndex, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.TendIndexInput) (activities.TendIndexResult, error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			if in.AgentRef != testAgent {
				t.Errorf("tended %v", in.AgentRef)
			}
			e.tended = append(e.tended, e.since())
			var out activities.TendIndexResult
			for space, n := range e.lacks {
				if n > 0 {
					out.Spaces = append(out.Spaces, activities.SpaceDue{Space: space, Due: int64(n)})
				}
			}
			slices.SortFunc(out.Spaces, func(a, b activities.SpaceDue) int { return int(a.Space - b.Space) })
			return out, nil
		}).Maybe()
	e.OnActivity(steps.Embed, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.EmbedInput) (activities.EmbedResult, error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			n := len(e.embeds[in.Space])
			e.embeds[in.Space] = append(e.embeds[in.Space], e.since())
			if err := e.refuses(in.Space, n); err != nil {
				return activities.EmbedResult{}, err
			}
			if e.since() < e.budget {
				return activities.EmbedResult{WaitUntil: e.start.Add(e.budget)}, nil
			}
			e.lacks[in.Space] = max(e.lacks[in.Space]-1, 0)
			return activities.EmbedResult{Embedded: 256, More: e.lacks[in.Space] > 0}, nil
		}).Maybe()
	return e
}

func (e *indexEnv) since() time.Duration { return e.Now().Sub(e.start).Round(time.Second) }

// writeAt lets something be written: steps of embedding are due, and the signal arrives.
func (e *indexEnv) writeAt(after time.Duration, n int, change IndexChange) {
	e.RegisterDelayedCallback(func() {
		e.mu.Lock()
		e.lacks[0] += n
		e.mu.Unlock()
		e.SignalWorkflow(IndexChangedSignal, change)
	}, after)
}

func (e *indexEnv) run(t *testing.T) time.Duration {
	t.Helper()
	e.ExecuteWorkflow(Index, IndexInput{testAgent})
	if !e.IsWorkflowCompleted() {
		t.Fatal("the Index did not end")
	}
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	return e.since()
}

func unusable() error {
	return temporal.NewNonRetryableApplicationError("unauthorized", activities.TypeUnusable, nil)
}

func TestIndexEmbedsAllThatIsDueAndEnds(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0], e.lacks[7] = 3, 2
	ended := e.run(t)
	if len(e.embeds[0]) != 3 || len(e.embeds[7]) != 2 {
		t.Errorf("steps of embedding: %v", e.embeds)
	}
	if ended != indexLinger {
		t.Errorf("it ended after %s, want %s", ended, indexLinger)
	}
}

func TestIndexWaitsForMoreBeforeItEnds(t *testing.T) {
	e := newIndexEnv(t)
	for at := time.Duration(0); at < time.Minute; at += indexLinger - time.Second { // each just before it would end
		e.writeAt(at, 1, IndexChange{})
	}
	e.run(t)
	if e.lacks[0] != 0 || len(e.embeds[0]) == 0 {
		t.Errorf("%d steps are left, taken were %v", e.lacks[0], e.embeds)
	}
	if last := e.embeds[0][len(e.embeds[0])-1]; last < 50*time.Second {
		t.Errorf("the last step was at %s", last)
	}
}

func TestIndexTakesASignalThatArrivesAtItsEnd(t *testing.T) {
	e := newIndexEnv(t)
	e.writeAt(indexLinger-time.Millisecond, 1, IndexChange{}) // just before it would end
	e.run(t)
	if e.lacks[0] != 0 {
		t.Errorf("%d steps are left; it was tended at %v", e.lacks[0], e.tended)
	}
}

func TestIndexTakesWhatIsWrittenWhileItEmbeds(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1
	written := false
	e.refuses = func(int64, int) error {
		if !written { // a unit is written after the step's last look, and its signal arrives before the step's answer
			written = true
			e.lacks[0]++
			e.SignalWorkflow(IndexChangedSignal, IndexChange{})
		}
		return nil
	}
	e.run(t)
	if e.lacks[0] != 0 {
		t.Errorf("%d steps are left, taken were %v", e.lacks[0], e.embeds)
	}
}

func TestOneModelThatCannotBeUsedHoldsUpNothingElse(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0], e.lacks[7] = 1, 5
	repaired := 3 * time.Hour
	e.refuses = func(space int64, _ int) error {
		if space == 0 && e.since() < repaired {
			return unusable()
		}
		return nil
	}
	e.writeAt(time.Hour, 0, IndexChange{})
	var details string
	e.RegisterDelayedCallback(func() {
		value, err := e.QueryWorkflow("__temporal_workflow_metadata")
		if err != nil {
			t.Errorf("metadata: %v", err)
			return
		}
		var metadata sdkpb.WorkflowMetadata
		if err := value.Get(&metadata); err != nil {
			t.Errorf("metadata: %v", err)
		}
		details = metadata.GetCurrentDetails()
	}, 2*time.Hour)
	e.run(t)
	if e.lacks[0] != 0 || e.lacks[7] != 0 {
		t.Errorf("left: %v", e.lacks)
	}
	if last := e.embeds[7][len(e.embeds[7])-1]; last > time.Minute {
		t.Errorf("the other space was done after %s", last)
	}
	if !slices.Contains(e.tended, time.Hour) {
		t.Errorf("what was written meanwhile was not tended at once: %v", e.tended)
	}
	if last := e.embeds[0][len(e.embeds[0])-1]; last < repaired || last > repaired+30*time.Minute {
		t.Errorf("the model was asked again after %s", last)
	}
	if len(e.embeds[0]) > 15 {
		t.Errorf("it was asked %d times in %s", len(e.embeds[0]), repaired)
	}
	if !strings.Contains(details, "unauthorized") {
		t.Errorf("an operator does not see what it waits for: %q", details)
	}
}

func TestARetryRequestEndsTheWait(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1
	const repaired = 100 * time.Minute
	e.refuses = func(int64, int) error {
		if e.since() < repaired {
			return unusable()
		}
		return nil
	}
	e.writeAt(repaired, 0, IndexChange{Retry: true})
	e.run(t)
	if last := e.embeds[0][len(e.embeds[0])-1]; last != repaired {
		t.Errorf("it was tried again after %s, want %s", last, repaired)
	}
}

func TestIndexWaitsAsLongAsTheProviderAsks(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1
	e.refuses = func(_ int64, n int) error {
		if n < 2 {
			return temporal.NewApplicationErrorWithOptions("rate_limited", activities.TypeUnavailable,
				temporal.ApplicationErrorOptions{NextRetryDelay: 7 * time.Second})
		}
		return nil
	}
	e.run(t)
	if want := []time.Duration{0, 7 * time.Second, 14 * time.Second}; !slices.Equal(e.embeds[0], want) {
		t.Errorf("it was asked at %v, want %v", e.embeds[0], want)
	}
}

func TestIndexWaitsForTheBudget(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1
	e.budget = 25 * time.Minute
	e.run(t)
	// What tends beside the last step may still have seen it due: then one more finds nothing left.
	if want := []time.Duration{0, budgetRecheck, 2 * budgetRecheck, e.budget}; !slices.Equal(slices.Compact(slices.Clone(e.embeds[0])),
		want) || len(e.embeds[0]) > len(want)+1 {
		t.Errorf("it looked at %v, want %v", e.embeds[0], want)
	}
}

func TestIndexContinuesAsNewBetweenTwoSteps(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1000
	e.refuses = func(_ int64, n int) error {
		if n == 5 {
			e.SetContinueAsNewSuggested(true)
		}
		return nil
	}
	e.ExecuteWorkflow(Index, IndexInput{testAgent})
	if err := e.GetWorkflowError(); !workflow.IsContinueAsNewError(err) {
		t.Fatalf("it ended with %v", err)
	}
	if n := len(e.embeds[0]); n != 6 {
		t.Errorf("%d steps were taken, want the one under way to be the last of 6", n)
	}
}

func TestASpaceThatWaitsDoesNotHoldUpContinuingAsNew(t *testing.T) {
	e := newIndexEnv(t)
	e.lacks[0] = 1
	e.refuses = func(int64, int) error { return unusable() }
	e.RegisterDelayedCallback(func() {
		e.SetContinueAsNewSuggested(true)
		e.SignalWorkflow(IndexChangedSignal, IndexChange{})
	}, time.Hour+time.Minute)
	e.ExecuteWorkflow(Index, IndexInput{testAgent})
	if err := e.GetWorkflowError(); !workflow.IsContinueAsNewError(err) {
		t.Fatalf("it ended with %v", err)
	}
	if took := e.since(); took != time.Hour+time.Minute {
		t.Errorf("it left after %s", took)
	}
}

package workflows

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

var nextModel = memory.EmbeddingIdentity{Provider: "voyage", Model: "voyage-4", Endpoint: "https://api.voyageai.com/v1", Dimensions: 512}

const oldSpace, newSpace = 4, 9

// reindexEnv runs a Reindex in virtual time with a simulated agent that has a live space.
type reindexEnv struct {
	*testsuite.TestWorkflowEnvironment
	start      time.Time
	live       int64
	left       int // looks until the new space is full
	comparison activities.Comparison
	uncompared int     // attempts at comparing that fail
	opened     int     // times
	dropped    []int64 // with vectors
	woken      int
	refused    []error // updates
}

func newReindexEnv(t *testing.T) *reindexEnv {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	e := &reindexEnv{
		TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), live: oldSpace, left: 3,
		comparison: activities.Comparison{Questions: 50, Overlap: 0.7, LiveFound: 0.9, NextFound: 0.88},
	}
	e.SetWorkflowRunTimeout(60 * 24 * time.Hour)
	e.start = e.Now()
	e.RegisterActivity(&activities.Activities{})
	e.RegisterWorkflowWithOptions(Index, workflow.RegisterOptions{Name: IndexName})
	e.OnWorkflow(Index, mock.Anything, mock.Anything).Return(func(_ workflow.Context, in IndexInput) error {
		if in.AgentRef != testAgent {
			t.Errorf("woke %v", in.AgentRef)
		}
		e.woken++
		return nil
	}).Maybe()
	e.OnActivity(steps.OpenSpace, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.OpenSpaceInput) (activities.OpenSpaceResult, error) {
			if in.Identity != nextModel || in.AgentRef != testAgent {
				t.Errorf("opened %+v", in)
			}
			e.opened++
			return activities.OpenSpaceResult{Space: newSpace, Live: e.live}, nil
		}).Maybe()
	e.OnActivity(steps.FollowSpace, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.SpaceInput) (activities.SpaceProgress, error) {
			if in.Space != newSpace {
				t.Errorf("followed space %d", in.Space)
			}
			e.left = max(e.left-1, 0)
			return activities.SpaceProgress{Found: true, Done: int64(100 - e.left), Total: 100, Due: int64(e.left)}, nil
		}).Maybe()
	e.OnActivity(steps.CompareSpaces, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.CompareSpacesInput) (activities.Comparison, error) {
			if in.Samples != 50 || in.Space != newSpace {
				t.Errorf("compared %+v", in)
			}
			if e.uncompared--; e.uncompared >= 0 {
				return activities.Comparison{}, unusable()
			}
			return e.comparison, nil
		}).Maybe()
	e.OnActivity(steps.SwitchSpace, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.SpaceInput) (activities.SpaceProgress, error) {
			if e.left > 0 && in.Space == newSpace {
				t.Errorf("switched with %d left", e.left)
			}
			e.live = in.Space
			return activities.SpaceProgress{}, nil
		}).Maybe()
	more := 2
	e.OnActivity(steps.DropSpace, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.DropSpaceInput) (activities.DropSpaceResult, error) {
			if in.Space == e.live {
				t.Error("the live space was dropped")
			}
			if in.Limit > 0 {
				e.dropped = append(e.dropped, in.Space)
				more--
			}
			return activities.DropSpaceResult{More: more > 0}, nil
		}).Maybe()
	return e
}

func (e *reindexEnv) updateAt(after time.Duration, name string, args ...any) {
	e.RegisterDelayedCallback(func() {
		e.UpdateWorkflow(name, "", &testsuite.TestUpdateCallback{
			OnAccept:   func() {},
			OnReject:   func(err error) { e.refused = append(e.refused, err) },
			OnComplete: func(_ any, err error) { e.refused = append(e.refused, err) },
		}, args...)
	}, after)
}

func (e *reindexEnv) run(t *testing.T) ReindexProgress {
	t.Helper()
	e.ExecuteWorkflow(Reindex, DefaultReindex(testAgent, nextModel))
	return e.result(t)
}

func (e *reindexEnv) result(t *testing.T) ReindexProgress {
	t.Helper()
	if !e.IsWorkflowCompleted() {
		t.Fatal("the Reindex did not end")
	}
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var out ReindexProgress
	if err := e.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// took returns how long it ran, in whole minutes.
func (e *reindexEnv) took() time.Duration { return e.Now().Sub(e.start).Truncate(time.Minute) }

const week = 7 * 24 * time.Hour

func TestReindexSwitchesAndDropsTheOldSpaceLater(t *testing.T) {
	e := newReindexEnv(t)
	var seen []ReindexPhase
	for _, at := range []time.Duration{time.Second, time.Minute, week - time.Minute, week + time.Minute} {
		e.RegisterDelayedCallback(func() {
			value, err := e.QueryWorkflow(ProgressQuery)
			var p ReindexProgress
			if err = errors.Join(err, value.Get(&p)); err != nil {
				t.Error(err)
			}
			seen = append(seen, p.Phase)
		}, at)
	}
	out := e.run(t)
	want := ReindexProgress{
		Phase: PhaseDone, Done: 100, Total: 100, Space: newSpace, Live: oldSpace, Comparison: &e.comparison, Outcome: ReindexSwitched,
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if want := []ReindexPhase{PhaseBuilding, PhaseRetaining, PhaseRetaining, PhaseDropping}; !slices.Equal(seen, want) {
		t.Errorf("phases were %v, want %v", seen, want)
	}
	if e.live != newSpace || !slices.Equal(e.dropped, []int64{oldSpace, oldSpace}) || e.woken == 0 {
		t.Errorf("live is %d, dropped %v, woken %d times", e.live, e.dropped, e.woken)
	}
	if e.took() != week+embedTimeout {
		t.Errorf("it took %s: the old space is to be kept for %s", e.took(), week)
	}
}

func TestReindexSwitchesBack(t *testing.T) {
	e := newReindexEnv(t)
	e.updateAt(time.Second, SwitchBackUpdate) // too early
	e.updateAt(48*time.Hour, SwitchBackUpdate)
	out := e.run(t)
	if out.Outcome != ReindexSwitchedBack || e.live != oldSpace || len(e.dropped) != 0 || e.took() != 48*time.Hour {
		t.Errorf("%+v after %s: live is %d, dropped %v", out, e.took(), e.live, e.dropped)
	}
	if len(e.refused) != 2 || e.refused[0] == nil || e.refused[1] != nil {
		t.Errorf("the updates were answered with %v", e.refused)
	}
}

func TestReindexAsksWhenTheNewSpaceFindsLess(t *testing.T) {
	worse := activities.Comparison{Questions: 50, Overlap: 0.1, LiveFound: 0.9, NextFound: 0.75}
	for name, c := range map[string]struct {
		decide  []any
		at      time.Duration
		outcome ReindexOutcome
		live    int64
		dropped int64
		took    time.Duration
	}{
		"switch":  {[]any{DecideInput{DecisionSwitch}}, time.Hour, ReindexSwitched, newSpace, oldSpace, time.Hour + week + embedTimeout},
		"abandon": {[]any{DecideInput{DecisionAbandon}}, time.Hour, ReindexAbandoned, oldSpace, newSpace, time.Hour + embedTimeout},
		"nobody":  {nil, 0, ReindexAbandoned, oldSpace, newSpace, week + embedTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			e := newReindexEnv(t)
			e.comparison = worse
			e.updateAt(30*time.Minute, DecideUpdate, DecideInput{"perhaps"})
			if c.decide != nil {
				e.RegisterDelayedCallback(func() { e.left = 2 }, c.at-time.Second) // something was written concurrently
				e.updateAt(c.at, DecideUpdate, c.decide...)
			}
			out := e.run(t)
			if out.Outcome != c.outcome || e.live != c.live || len(e.dropped) == 0 || e.dropped[0] != c.dropped || e.took() != c.took {
				t.Errorf("%s after %s: live is %d, dropped %v", out.Outcome, e.took(), e.live, e.dropped)
			}
			if len(e.refused) == 0 || e.refused[0] == nil || !strings.Contains(e.refused[0].Error(), "invalid decision") {
				t.Errorf("the updates were answered with %v", e.refused)
			}
		})
	}
}

func TestReindexNeedsNoDecisionWithinTheTolerance(t *testing.T) {
	for _, c := range []struct {
		next  float64
		worse bool
	}{{0.95, false}, {0.81, false}, {0.79, true}} {
		if got := (activities.Comparison{Questions: 50, LiveFound: 0.9, NextFound: c.next}).Worse(0.1); got != c.worse {
			t.Errorf("found %v of what was .9: worse is %v", c.next, got)
		}
	}
	if (activities.Comparison{}).Worse(0.1) {
		t.Error("spaces that could not be compared are worse")
	}
}

func TestReindexOfTheLiveModelDoesNothing(t *testing.T) {
	e := newReindexEnv(t)
	e.live = 0
	if out := e.run(t); out.Outcome != ReindexNothing || e.took() != 0 {
		t.Errorf("%+v after %s", out, e.took())
	}
}

func TestReindexThatIsCancelledDropsWhatItHasBuilt(t *testing.T) {
	e := newReindexEnv(t)
	e.left = 1_000_000
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Hour)
	out := e.run(t)
	if out.Outcome != ReindexAbandoned || e.live != oldSpace || len(e.dropped) == 0 || e.dropped[0] != newSpace {
		t.Errorf("%+v: live is %d, dropped %v", out, e.live, e.dropped)
	}
}

func TestReindexCarriesOnAsNew(t *testing.T) {
	e := newReindexEnv(t)
	e.left = 1_000_000
	e.RegisterDelayedCallback(func() { e.SetContinueAsNewSuggested(true) }, time.Hour)
	e.ExecuteWorkflow(Reindex, DefaultReindex(testAgent, nextModel))
	var again *workflow.ContinueAsNewError
	if err := e.GetWorkflowError(); !errors.As(err, &again) {
		t.Fatalf("it ended with %v", err)
	}
	// The environment cannot continue on its own: its second run begins with what the first carried over.
	second := newReindexEnv(t)
	in := DefaultReindex(testAgent, nextModel)
	in.Carried = &ReindexProgress{Phase: PhaseBuilding, Done: 50, Total: 100, Space: newSpace, Live: oldSpace}
	second.ExecuteWorkflow(Reindex, in)
	if out := second.result(t); out.Outcome != ReindexSwitched || second.live != newSpace || second.opened != 0 {
		t.Errorf("%+v, opened %d times", out, second.opened)
	}
}

func TestReindexPostponesTheComparison(t *testing.T) {
	e := newReindexEnv(t)
	e.uncompared = 3
	if out := e.run(t); out.Outcome != ReindexSwitched || e.uncompared != -1 {
		t.Errorf("%+v, %d failures are left", out, e.uncompared)
	}
}

func TestLexicalReindex(t *testing.T) {
	e := newReindexEnv(t)
	left := 40
	e.OnActivity(steps.StaleIndex, mock.Anything, mock.Anything).Return(activities.StaleResult{Sources: 40}, nil).Once()
	e.OnActivity(steps.StaleLeft, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.IndexInput) (activities.StaleResult, error) {
			left = max(left-10, 0)
			return activities.StaleResult{Sources: left}, nil
		})
	e.ExecuteWorkflow(Reindex, DefaultReindex(testAgent, memory.EmbeddingIdentity{}))
	want := ReindexProgress{Phase: PhaseDone, Done: 40, Total: 40, Outcome: ReindexRebuilt}
	if diff := cmp.Diff(want, e.result(t), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if e.woken != 1 {
		t.Errorf("the Index was woken %d times", e.woken)
	}
}

func TestIDsOfIndexes(t *testing.T) {
	workspace := activities.AgentRef{Workspace: "default"}
	for got, want := range map[string]string{
		IndexID(testAgent):                                         "index/default.ada",
		IndexID(workspace):                                         "index/default",
		DefaultReindex(testAgent, nextModel).ID():                  "reindex/default.ada/" + nextModel.Key()[:12],
		DefaultReindex(workspace, nextModel).ID():                  "reindex/default/" + nextModel.Key()[:12],
		DefaultReindex(testAgent, memory.EmbeddingIdentity{}).ID(): "reindex/default.ada/lexical",
	} {
		if got != want {
			t.Errorf("id %s, want %s", got, want)
		}
	}
}

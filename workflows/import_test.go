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

// importEnv runs an Import in virtual time with a scripted source.
type importEnv struct {
	*testsuite.TestWorkflowEnvironment
	items, settled int
	pages          []activities.ImportPageInput
	ends           []activities.EndImportInput
	page           func(ctx context.Context, n int) error // before the items of a page are settled
}

func newImportEnv(items int) *importEnv {
	var suite testsuite.WorkflowTestSuite
	e := &importEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), items: items}
	e.SetWorkflowRunTimeout(30 * 24 * time.Hour)
	e.RegisterWorkflowWithOptions(Import, workflow.RegisterOptions{Name: ImportName})
	e.RegisterActivity(&activities.Activities{})
	e.OnActivity(steps.ImportPage, mock.Anything, mock.Anything).
		Return(func(ctx context.Context, in activities.ImportPageInput) (activities.ImportPageResult, error) {
			e.pages = append(e.pages, in)
			if e.page != nil {
				if err := e.page(ctx, len(e.pages)); err != nil {
					return activities.ImportPageResult{}, err
				}
			}
			e.settled = min(e.items, e.settled+activities.ImportPageItems)
			return activities.ImportPageResult{ImportProgress: e.progress(), More: e.settled < e.items}, nil
		}).Maybe()
	e.OnActivity(steps.EndImport, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.EndImportInput) (activities.EndImportResult, error) {
			e.ends = append(e.ends, in)
			out := e.progress()
			if in.Cancelled {
				out.Outcomes[memory.OutcomeSkipped] = e.items - e.settled
			}
			return activities.EndImportResult{ImportProgress: out, Cancelled: in.Cancelled}, nil
		}).Maybe()
	return e
}

func (e *importEnv) progress() activities.ImportProgress {
	return activities.ImportProgress{Items: e.items, Outcomes: map[memory.Outcome]int{memory.OutcomeWritten: e.settled}}
}

func importInput() ImportInput {
	return ImportInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Import: uuid.New(), Format: "zep"}
}

// result returns the result or error of the completed import.
func (e *importEnv) result(t *testing.T) (ImportResult, error) {
	t.Helper()
	return resultOf[ImportResult](t, e.TestWorkflowEnvironment)
}

func TestImportGoesPageByPage(t *testing.T) {
	e := newImportEnv(2*activities.ImportPageItems + 1)
	in := importInput()
	e.ExecuteWorkflow(Import, in)
	out, err := e.result(t)
	if err != nil {
		t.Fatal(err)
	}
	want := ImportResult{Items: e.items, Outcomes: map[memory.Outcome]int{"written": e.items}}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	page := activities.ImportPageInput{AgentRef: in.AgentRef, Import: in.Import, Parallel: importParallel}
	if diff := cmp.Diff([]activities.ImportPageInput{page, page, page}, e.pages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]activities.EndImportInput{{AgentRef: in.AgentRef, Import: in.Import}}, e.ends); diff != "" {
		t.Error(diff)
	}
}

// A history that has become long is continued with what waits, and with how many pages are behind it.
func TestImportContinuesAsNew(t *testing.T) {
	e := newImportEnv(3 * activities.ImportPageItems)
	e.page = func(_ context.Context, n int) error {
		e.SetContinueAsNewSuggested(n == 2)
		return nil
	}
	in := importInput()
	e.ExecuteWorkflow(Import, in)
	_, err := e.result(t)
	var again *workflow.ContinueAsNewError
	if !errors.As(err, &again) {
		t.Fatalf("it ended with %v", err)
	}
	var next ImportInput
	if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &next); err != nil {
		t.Fatal(err)
	}
	in.Pages = 2
	if diff := cmp.Diff(in, next); diff != "" || len(e.ends) != 0 || again.WorkflowType.Name != ImportName {
		t.Errorf("%s, %d ends, type %s", diff, len(e.ends), again.WorkflowType.Name)
	}
}

// A page that fails is tried again, a minute later at most, and goes on after what is settled.
func TestImportOutlastsFailures(t *testing.T) {
	e := newImportEnv(activities.ImportPageItems)
	began := e.Now()
	e.page = func(_ context.Context, n int) error {
		if n <= 8 { // the test environment tries ten times at most
			e.settled = n // one item at a time
			return errors.New("the database is away")
		}
		return nil
	}
	e.ExecuteWorkflow(Import, importInput())
	out, err := e.result(t)
	if err != nil || out.Outcomes["written"] != e.items {
		t.Errorf("%+v: %v", out, err)
	}
	if took := e.Now().Sub(began); took < 3*time.Minute || took > 4*time.Minute || len(e.pages) != 9 {
		t.Errorf("it took %s and %d attempts", took, len(e.pages))
	}
}

// A failure that no retry can fix ends the workflow. The import can be started again.
func TestImportFailsForGood(t *testing.T) {
	e := newImportEnv(1)
	e.page = func(context.Context, int) error {
		return temporal.NewNonRetryableApplicationError("gone", "not_found", nil)
	}
	e.ExecuteWorkflow(Import, importInput())
	if _, err := e.result(t); err == nil || len(e.pages) != 1 || len(e.ends) != 0 {
		t.Errorf("%v, %d attempts, %d ends", err, len(e.pages), len(e.ends))
	}
}

// Cancelled in the middle of a page, it waits for the step, leaves what is done, and ends as cancelled.
func TestImportIsCancelled(t *testing.T) {
	e := newImportEnv(2 * activities.ImportPageItems)
	e.page = func(_ context.Context, n int) error {
		if n == 2 {
			e.CancelWorkflow()
			return temporal.NewCanceledError()
		}
		return nil
	}
	in := importInput()
	e.ExecuteWorkflow(Import, in)
	_, err := e.result(t)
	if _, ok := errors.AsType[*temporal.CanceledError](err); !ok {
		t.Errorf("it ended with %v", err)
	}
	if diff := cmp.Diff([]activities.EndImportInput{{AgentRef: in.AgentRef, Import: in.Import, Cancelled: true}}, e.ends); diff != "" ||
		e.settled != activities.ImportPageItems {
		t.Errorf("%d settled, %s", e.settled, diff)
	}
}

// The outcome of an import is that of the item that most needs attention.
func TestOutcomeOfAnImport(t *testing.T) {
	for want, c := range map[string]activities.EndImportResult{
		"skipped":     {Cancelled: true, ImportProgress: activities.ImportProgress{Outcomes: map[memory.Outcome]int{"failed": 1}}},
		"failed":      {ImportProgress: activities.ImportProgress{Outcomes: map[memory.Outcome]int{"failed": 1, "quarantined": 1, "written": 9}}},
		"quarantined": {ImportProgress: activities.ImportProgress{Outcomes: map[memory.Outcome]int{"quarantined": 1, "written": 9}}},
		"written":     {ImportProgress: activities.ImportProgress{Outcomes: map[memory.Outcome]int{"merged": 1, "unchanged": 9}}},
		"nothing":     {ImportProgress: activities.ImportProgress{Outcomes: map[memory.Outcome]int{"unchanged": 9}}},
	} {
		if got := importOutcome(c); got != want {
			t.Errorf("%+v is %s, want %s", c, got, want)
		}
	}
}

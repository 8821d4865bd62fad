package workflows

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// deleteEnv runs a Delete in virtual time.
type deleteEnv struct {
	*testsuite.TestWorkflowEnvironment

	state activities.DeletionState
	left  []int64 // found by each scan
	calls []string
	in    DeleteInput
	// outside is the failure of programs that were asked to delete what they have.
	outside error
}

func newDeleteEnv(kind activities.DeletionKind, grace time.Duration) *deleteEnv {
	var suite testsuite.WorkflowTestSuite
	e := &deleteEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), left: []int64{0}}
	e.state = activities.DeletionState{State: activities.DeletionStarted, Kind: kind}
	e.SetWorkflowRunTimeout(30 * 24 * time.Hour)
	e.RegisterWorkflowWithOptions(Delete, workflow.RegisterOptions{Name: DeleteName})
	e.RegisterActivity(&activities.Activities{})
	e.in = DeleteInput{
		AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Deletion: uuid.New(), Kind: kind, Due: e.Now().Add(grace),
	}
	called := func(name string) { e.calls = append(e.calls, name) }
	e.OnActivity(steps.BeginDeletion, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeletionInput) (activities.DeletionState, error) {
			called("begin")
			return e.state, nil
		}).Maybe()
	e.OnActivity(steps.CancelDeletion, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeletionInput) (activities.DeletionState, error) {
			called("cancel")
			return activities.DeletionState{State: activities.DeletionCancelled}, nil
		}).Maybe()
	e.OnActivity(steps.DeleteHistories, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeleteHistoriesInput) (activities.DeleteHistoriesResult, error) {
			called("histories")
			return activities.DeleteHistoriesResult{Deleted: 2}, nil
		}).Maybe()
	e.OnActivity(steps.RevokeLearned, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeletionInput) (activities.RevokeLearnedResult, error) {
			called("revoke")
			return activities.RevokeLearnedResult{Statements: 1}, nil
		}).Maybe()
	e.OnActivity(steps.DeleteRows, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeletionInput) (activities.DeleteRowsResult, error) {
			called("rows")
			return activities.DeleteRowsResult{Rows: 5}, nil
		}).Maybe()
	e.OnActivity(steps.DeleteOutside, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.DeleteHistoriesInput) (activities.DeleteOutsideResult, error) {
			called("outside")
			return activities.DeleteOutsideResult{Asked: 2, Deleted: 1}, e.outside
		}).Maybe()
	e.OnActivity(steps.EndDeletion, mock.Anything, mock.Anything).
		Return(func(_ context.Context, in activities.EndDeletionInput) (activities.EndDeletionResult, error) {
			called("end")
			left := e.left[0]
			e.left = e.left[1:]
			return activities.EndDeletionResult{Left: left, Tables: 40, Rows: 5, Revoked: 1}, nil
		}).Maybe()
	return e
}

func (e *deleteEnv) expect(t *testing.T, calls ...string) (DeleteResult, error) {
	t.Helper()
	got, want := "", ""
	for _, c := range e.calls {
		got += c + " "
	}
	for _, c := range calls {
		want += c + " "
	}
	if got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	return resultOf[DeleteResult](t, e.TestWorkflowEnvironment)
}

func TestDeleteWaitsAndDeletes(t *testing.T) {
	e := newDeleteEnv(activities.DeletesOwner, 24*time.Hour)
	e.left = []int64{3, 0} // somebody was quicker once
	began := e.Now()
	e.ExecuteWorkflow(Delete, e.in)
	out, err := e.expect(t, "begin", "histories", "rows", "histories", "outside", "end", "rows", "histories", "end")
	if err != nil || out.Rows != 5 || out.Tables != 40 || out.Histories != 6 || out.Cancelled {
		t.Errorf("%+v, %v", out, err)
	}
	if waited := e.Now().Sub(began); waited < 24*time.Hour {
		t.Errorf("it waited %s", waited)
	}
}

func TestDeleteRevokesWhatAConversationTaught(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		e := newDeleteEnv(activities.DeletesConversation, 0)
		e.state.Keeps = keeps
		e.ExecuteWorkflow(Delete, e.in)
		want := []string{"begin", "histories", "revoke", "rows", "histories", "outside", "end"}
		if keeps {
			want = []string{"begin", "histories", "rows", "histories", "outside", "end"}
		}
		if _, err := e.expect(t, want...); err != nil {
			t.Error(err)
		}
	}
}

// Cancelled in Temporal while it waits, it records that; once it has started it goes on.
func TestDeleteIsCancelled(t *testing.T) {
	e := newDeleteEnv(activities.DeletesAgent, time.Hour)
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	e.ExecuteWorkflow(Delete, e.in)
	if _, err := e.expect(t, "cancel"); !isCanceled(err) {
		t.Errorf("%v", err)
	}
	e = newDeleteEnv(activities.DeletesAgent, time.Hour)
	e.state.State = activities.DeletionCancelled // by the API, while Temporal was away
	e.ExecuteWorkflow(Delete, e.in)
	if out, err := e.expect(t, "begin"); err != nil || !out.Cancelled {
		t.Errorf("%+v, %v", out, err)
	}
	e = newDeleteEnv(activities.DeletesAgent, 0)
	e.left = []int64{1, 0}
	e.RegisterDelayedCallback(e.CancelWorkflow, deletionAgain/2)
	e.ExecuteWorkflow(Delete, e.in)
	if _, err := e.expect(t, "begin", "histories", "rows", "histories", "outside", "end", "rows", "histories", "end"); err != nil {
		t.Error(err)
	}
}

// Programs that do not delete what they have are asked some times, and do not hold up the deletion here for long.
func TestDeleteWithoutPrograms(t *testing.T) {
	e := newDeleteEnv(activities.DeletesOwner, 0)
	e.outside = errors.New("away")
	began := e.Now()
	e.ExecuteWorkflow(Delete, e.in)
	want := append([]string{"begin", "histories", "rows", "histories"}, slices.Repeat([]string{"outside"}, outsideAttempts)...)
	if _, err := e.expect(t, append(want, "end")...); err != nil {
		t.Error(err)
	}
	if took := e.Now().Sub(began); took > 30*time.Minute {
		t.Errorf("it took %s", took)
	}
}

func isCanceled(err error) bool {
	var canceled *temporal.CanceledError
	return errors.As(err, &canceled)
}

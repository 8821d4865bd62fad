package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// approveEnv runs an Approve in virtual time.
type approveEnv struct {
	*testsuite.TestWorkflowEnvironment

	state activities.ApprovalState
	in    activities.ApprovalInput
	looks int
	early int // attempts to expire that come too early
}

func newApproveEnv(days int) *approveEnv {
	var suite testsuite.WorkflowTestSuite
	e := &approveEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.SetWorkflowRunTimeout(400 * 24 * time.Hour)
	e.RegisterWorkflowWithOptions(Approve, workflow.RegisterOptions{Name: ApproveName})
	e.RegisterActivity(&activities.Activities{})
	e.in = activities.ApprovalInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Approval: uuid.New()}
	e.state = activities.ApprovalState{
		Found: true, Waiting: 3, Scope: memory.ScopePersonal, Owner: uuid.New(), Workflow: "extract/x/1-2",
		Expires: e.Now().AddDate(0, 0, days), RemindAt: e.Now().Add(24 * time.Hour),
	}
	e.OnActivity(steps.LookAtApproval, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.ApprovalInput) (activities.ApprovalState, error) {
			e.looks++
			return e.state, nil
		}).Maybe()
	e.OnActivity(steps.RemindApproval, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.ApprovalInput) (activities.ApprovalState, error) {
			e.state.Reminders++
			e.state.RemindAt = e.state.RemindAt.Add(24 * time.Hour)
			return e.state, nil
		}).Maybe()
	e.OnActivity(steps.ExpireApproval, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.ApprovalInput) (activities.ApprovalState, error) {
			if e.early--; e.early < 0 {
				e.state.Refused, e.state.Waiting, e.state.Expired = e.state.Refused+e.state.Waiting, 0, true
			}
			return e.state, nil
		}).Maybe()
	return e
}

func (e *approveEnv) run(t *testing.T) ApproveResult {
	t.Helper()
	e.ExecuteWorkflow(ApproveName, e.in)
	var out ApproveResult
	if err := errors.Join(e.GetWorkflowError(), e.GetWorkflowResult(&out)); err != nil {
		t.Fatal(err)
	}
	return out
}

// It waits for days, shows who is waited for, and ends with the last decision.
func TestApproveWaitsForAPerson(t *testing.T) {
	e := newApproveEnv(7)
	decide := func(at time.Duration, approved, refused int) {
		e.RegisterDelayedCallback(func() {
			e.state.Approved, e.state.Refused = e.state.Approved+approved, e.state.Refused+refused
			e.state.Waiting -= approved + refused
			e.SignalWorkflow(ApprovalDecidedSignal, nil)
		}, at)
	}
	decide(30*time.Hour, 1, 0)
	decide(50*time.Hour, 1, 1)
	start := e.Now()
	out := e.run(t)
	if took := e.Now().Sub(start); took < 50*time.Hour || took > 51*time.Hour {
		t.Errorf("ended after %s", took)
	}
	if out != (ApproveResult{Outcome: memory.OutcomeWritten, Approved: 2, Refused: 1}) || e.state.Reminders != 2 {
		t.Errorf("%+v, %d reminders", out, e.state.Reminders)
	}
}

func TestApproveExpires(t *testing.T) {
	e := newApproveEnv(7)
	start := e.Now()
	out := e.run(t)
	if took := e.Now().Sub(start); took < 7*24*time.Hour || took > 7*24*time.Hour+time.Hour {
		t.Errorf("ended after %s", took)
	}
	if out != (ApproveResult{Outcome: memory.OutcomeNothing, Refused: 3, Expired: true}) || e.state.Reminders < 6 || e.looks > 8*24 {
		t.Errorf("%+v, %d reminders, %d looks", out, e.state.Reminders, e.looks)
	}
}

// A step whose clock is behind that of the workflow is asked again, not at once.
func TestApproveWaitsForOtherClocks(t *testing.T) {
	e := newApproveEnv(1)
	e.state.RemindAt, e.early = e.state.Expires.Add(time.Hour), 3
	start := e.Now()
	e.run(t)
	if took := e.Now().Sub(start); e.early != -1 || took < 24*time.Hour+3*clockSkew {
		t.Errorf("%d attempts left after %s", e.early, took)
	}
}

func TestApproveOfADeletedProposal(t *testing.T) {
	e := newApproveEnv(7)
	e.RegisterDelayedCallback(func() { e.state = activities.ApprovalState{} }, time.Hour)
	if out := e.run(t); out.Outcome != memory.OutcomeSkipped {
		t.Errorf("%+v", out)
	}
}

func TestApprovalID(t *testing.T) {
	id := uuid.MustParse("3d438e76-1590-5c0d-8a18-01ea98a75409")
	got := ApprovalID(activities.AgentRef{Workspace: "acme", Agent: "ada"}, id)
	if got != "approve/acme.ada/"+id.String() {
		t.Error(got)
	}
}

package workflows

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ApproveInput identifies a proposal.
type ApproveInput = activities.ApprovalInput

// ApproveResult counts what became of the lines of a proposal.
type ApproveResult struct {
	Outcome  memory.Outcome `json:"outcome"` // written, nothing, or skipped if it was deleted
	Approved int            `json:"approved,omitempty"`
	Edited   int            `json:"edited,omitempty"`
	Refused  int            `json:"refused,omitempty"`
	Expired  bool           `json:"expired,omitempty"`
}

// Approve waits until people have decided about all lines of a proposal, reminds of it every day, and applies the policy of the agent when
// its time is over. Decisions are applied in the transaction that records them, in PostgreSQL, so that the workflow only ever waits: what
// made the proposal has ended long before. Ended by an operator, it is started again while lines wait.
func Approve(ctx workflow.Context, in ApproveInput) (ApproveResult, error) {
	a := approving{ApproveInput: in, decided: workflow.GetSignalChannel(ctx, ApprovalDecidedSignal)}
	state, err := a.look(ctx)
	for err == nil && state.Waiting > 0 {
		for a.decided.ReceiveAsync(nil) {
		}
		if suggested(ctx) {
			return ApproveResult{}, workflow.NewContinueAsNewError(ctx, Approve, in)
		}
		state, err = a.wait(ctx, state)
	}
	if err != nil {
		return ApproveResult{}, err
	}
	out := ApproveResult{
		Outcome: memory.OutcomeNothing, Approved: state.Approved, Edited: state.Edited, Refused: state.Refused, Expired: state.Expired,
	}
	switch {
	case !state.Found:
		out.Outcome = memory.OutcomeSkipped
	case state.Approved+state.Edited > 0:
		out.Outcome = memory.OutcomeWritten
	}
	a.describe(ctx, state)
	return out, showOutcome(ctx, string(out.Outcome))
}

type approving struct {
	ApproveInput

	decided workflow.ReceiveChannel
	shown   bool
}

func (a *approving) look(ctx workflow.Context) (activities.ApprovalState, error) {
	return localStep(ctx, "look what waits", steps.LookAtApproval, a.ApproveInput)
}

// wait waits for a decision, for the next reminder, or for the end, and does what is due then.
func (a *approving) wait(ctx workflow.Context, state activities.ApprovalState) (activities.ApprovalState, error) {
	if err := a.show(ctx, state); err != nil {
		return state, err
	}
	a.describe(ctx, state)
	now := workflow.Now(ctx)
	switch {
	case !now.Before(state.Expires):
		after, err := localStep(ctx, "the time is over: apply the policy", steps.ExpireApproval, a.ApproveInput)
		if err == nil && after.Waiting > 0 { // the clocks differ
			err = pause(ctx, clockSkew, "until the time is over everywhere")
		}
		return after, err
	case !now.Before(state.RemindAt):
		after, err := localStep(ctx, "remind", steps.RemindApproval, a.ApproveInput)
		if err == nil && after.Waiting > 0 && after.Reminders == state.Reminders {
			err = pause(ctx, clockSkew, "until it is time to remind everywhere")
		}
		return after, err
	}
	until := state.RemindAt
	if state.Expires.Before(until) {
		until = state.Expires
	}
	if _, err := await(ctx, min(until.Sub(now), lookEvery), "a person decides", func() bool { return a.decided.Len() > 0 }); err != nil {
		return state, err
	}
	return a.look(ctx)
}

// lookEvery is the time after which a decision is noticed whose signal was lost.
const lookEvery = time.Hour

// clockSkew is the wait of a step that came too early by the clock of another machine.
const clockSkew = time.Minute

// show makes the wait searchable.
func (a *approving) show(ctx workflow.Context, state activities.ApprovalState) error {
	if a.shown {
		return nil
	}
	a.shown = true
	if state.Owner == uuid.Nil {
		return showOutcome(ctx, string(memory.OutcomeWaiting))
	}
	return workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(memory.OutcomeWaiting)),
		OwnerAttribute.ValueSet(state.Owner.String()))
}

// describe shows operators who is waited for, in Markdown, without a memory's content.
func (a *approving) describe(ctx workflow.Context, state activities.ApprovalState) {
	var b strings.Builder
	switch {
	case !state.Found:
		b.WriteString("It was **deleted** with what it is about.\n")
	case state.Waiting == 0:
		fmt.Fprintf(&b, "Decided: %d lines approved, %d edited, %d refused.\n", state.Approved, state.Edited, state.Refused)
		if state.Expired {
			b.WriteString("\nThe time was over before all of them were decided.\n")
		}
	default:
		who := "an **administrator**"
		if state.Owner != uuid.Nil {
			who = "**owner** `" + state.Owner.String() + "` or " + who
		}
		policy := "refused"
		if state.Applies {
			policy = "applied"
		}
		fmt.Fprintf(&b, "Waiting for %s: %d lines of a %s document. What is not decided by %s is %s.\n\n", who, state.Waiting, state.Scope,
			state.Expires.UTC().Format(time.RFC3339), policy)
		fmt.Fprintf(&b, "- reminders so far: %d\n", state.Reminders)
	}
	if state.Workflow != "" {
		fmt.Fprintf(&b, "\n- proposed by `%s`", state.Workflow)
	}
	fmt.Fprintf(&b, "\n- lines: `GET /api/v1/agents/%s/approvals/%s`\n- decide:\n  `reverie memory approvals show %s --agent %s`", a.Agent, a.Approval,
		a.Approval, a.Agent)
	workflow.SetCurrentDetails(ctx, b.String())
}

// StartApprove starts the wait for a person. One that is running is left alone.
func StartApprove(ctx context.Context, c client.Client, in ApproveInput) error {
	options := startOptions(ApprovalID(in.AgentRef, in.Approval), "A change of the memory of agent "+in.Agent+" waits for approval",
		agentAttributes(in.AgentRef), fair(turnPriority, in.Workspace))
	_, err := start(ctx, c, options, ApproveName, in)
	return err
}

// ApprovalDecided signals the workflow of a proposal that something was decided. One that does not run is started by the sweep, and finds
// out on its own.
func ApprovalDecided(ctx context.Context, c client.Client, in ApproveInput) error {
	err := c.SignalWorkflow(ctx, ApprovalID(in.AgentRef, in.Approval), "", ApprovalDecidedSignal, nil)
	if isNotFound(err) {
		return nil
	}
	return err
}

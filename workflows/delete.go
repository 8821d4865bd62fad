package workflows

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// DeleteInput identifies a deletion, and when it starts.
type DeleteInput struct {
	activities.AgentRef

	Deletion uuid.UUID               `json:"deletion"`
	Kind     activities.DeletionKind `json:"kind"`
	Due      time.Time               `json:"due"`
}

// DeleteResult counts the deleted rows and histories, and the revoked statements.
type DeleteResult struct {
	Cancelled bool  `json:"cancelled,omitempty"`
	Rows      int64 `json:"rows"`
	Tables    int   `json:"tables"` // scanned at the end, without a row
	Histories int   `json:"histories"`
	Revoked   int   `json:"revoked,omitempty"` // statements that were learned from the conversation only
	Dreams    int   `json:"dreams,omitempty"`  // that rested on them and were dreamed again
}

// Delete deletes a conversation, an owner or an agent, after a grace period in which it can be cancelled: here, or by the API. It stops the
// workflows of the target and deletes their histories, deletes its rows in batches, and ends when a scan of all tables finds none. Once it
// has started it can no longer be cancelled.
func Delete(ctx workflow.Context, in DeleteInput) (DeleteResult, error) {
	d := deleting{DeleteInput: in, target: activities.DeletionInput{AgentRef: in.AgentRef, Deletion: in.Deletion}}
	if err := d.wait(ctx); err != nil {
		return d.cancelled(ctx)
	}
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	state, err := step(ctx, deletionStep, "start the deletion", steps.BeginDeletion, d.target)
	switch {
	case err != nil:
		return DeleteResult{}, err
	case state.State == activities.DeletionDone:
		return DeleteResult{}, nil
	case state.State != activities.DeletionStarted:
		return d.skipped(ctx)
	}
	if err := d.delete(ctx, state); err != nil {
		return DeleteResult{}, err
	}
	d.dreamAgain(ctx)
	d.describe(ctx, fmt.Sprintf("Done: **%d** rows and **%d** histories are deleted; a scan of %d tables found no row.", d.result.Rows,
		d.result.Histories, d.result.Tables))
	return d.result, showOutcome(ctx, string(memory.OutcomeWritten))
}

type deleting struct {
	DeleteInput

	target activities.DeletionInput
	result DeleteResult
	undone int // dreams that were based on it
}

// wait waits out the grace period.
func (d *deleting) wait(ctx workflow.Context) error {
	left := d.Due.Sub(workflow.Now(ctx))
	if left <= 0 {
		return ctx.Err()
	}
	if err := showOutcome(ctx, string(memory.OutcomeWaiting)); err != nil {
		return err
	}
	d.describe(ctx, "Starts at **"+d.Due.UTC().Format(time.RFC3339)+"**. Until then it can be cancelled: cancel this workflow, send `DELETE "+
		d.path()+"`, or run `reverie memory deletions cancel "+d.Deletion.String()+"`.")
	return pause(ctx, left, "until the deletion starts")
}

func (d *deleting) path() string {
	return "/api/v1/agents/" + d.Agent + "/deletions/" + d.Deletion.String()
}

func (d *deleting) describe(ctx workflow.Context, text string) {
	workflow.SetCurrentDetails(ctx, "Deletion of "+describeTarget(d.Kind, d.Agent)+".\n\n"+text+"\n\n- receipt: `GET "+d.path()+"`")
}

// describeTarget names a target without naming a person.
func describeTarget(kind activities.DeletionKind, agent string) string {
	switch kind {
	case activities.DeletesAgent:
		return "agent " + agent
	case activities.DeletesOwner:
		return "an owner of agent " + agent
	}
	return "a conversation of agent " + agent
}

// cancelled records that a person has cancelled the wait.
func (d *deleting) cancelled(ctx workflow.Context) (DeleteResult, error) {
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	if _, err := step(ctx, deletionStep, "record the cancellation", steps.CancelDeletion, d.target); err != nil {
		return DeleteResult{}, err
	}
	if _, err := d.skipped(ctx); err != nil {
		return DeleteResult{}, err
	}
	return DeleteResult{}, temporal.NewCanceledError()
}

func (d *deleting) skipped(ctx workflow.Context) (DeleteResult, error) {
	d.describe(ctx, "It was **cancelled**: nothing is deleted.")
	return DeleteResult{Cancelled: true}, showOutcome(ctx, string(memory.OutcomeSkipped))
}

// delete deletes everything of the target. Workflows come first, so that they stop, and once more at the end, for those that were started
// since then and found nothing.
func (d *deleting) delete(ctx workflow.Context, state activities.DeletionState) error {
	if err := d.histories(ctx, state, "stop the workflows and delete their histories"); err != nil {
		return err
	}
	if state.Kind == activities.DeletesConversation && !state.Keeps {
		out, err := step(ctx, deletionStep, "remove what was learned from it only", steps.RevokeLearned, d.target)
		if err != nil {
			return err
		}
		d.undone = out.Dreams
	}
	for round := 1; ; round++ {
		d.describe(ctx, fmt.Sprintf("Round **%d**: rows are being deleted, in batches. It cannot be cancelled any more.", round))
		if _, err := step(ctx, deletionStep, "delete rows", steps.DeleteRows, d.target); err != nil {
			return err
		}
		if err := d.histories(ctx, state, "delete histories of workflows that were started since then"); err != nil {
			return err
		}
		if round == 1 {
			d.outside(ctx, state)
		}
		end := activities.EndDeletionInput{DeletionInput: d.target, Histories: d.result.Histories}
		out, err := step(ctx, deletionStep, "scan all tables", steps.EndDeletion, end)
		if err != nil {
			return err
		}
		if out.Left == 0 {
			d.result.Rows, d.result.Tables, d.result.Revoked = out.Rows, out.Tables, out.Revoked
			return nil
		}
		if err := pause(ctx, deletionAgain, "some rows are left"); err != nil {
			return err
		}
	}
}

// Changes that ask programs to delete what they have: of owners and agents, and of conversations.
const (
	deletionOutside             = "deletion-outside"
	deletionOutsideConversation = "deletion-outside-conversation"
)

// outside asks programs to delete what they have of the target. The receipt names those that have not: one that cannot be reached
// does not delay the deletion here for longer than its attempts.
func (d *deleting) outside(ctx workflow.Context, state activities.DeletionState) {
	change := deletionOutside
	if state.Kind == activities.DeletesConversation {
		change = deletionOutsideConversation
	}
	if workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	in := activities.DeleteHistoriesInput{DeletionInput: d.target, DeletionState: state}
	if _, err := step(ctx, outsideStep, "ask programs to delete what they have", steps.DeleteOutside, in); err != nil {
		workflow.GetLogger(ctx).Warn("Programs have not deleted what they have", "error", err)
	}
}

// deletionDreams names the change that dreams again what rested on a deleted conversation.
const deletionDreams = "deletion-dreams"

// dreamAgain repeats the dreams that rested on a conversation, without it. The deletion has ended before: a dream that cannot be repeated
// does not hold it up.
func (d *deleting) dreamAgain(ctx workflow.Context) {
	if d.Kind != activities.DeletesConversation || d.undone == 0 ||
		workflow.GetVersion(ctx, deletionDreams, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	out, err := step(ctx, nightStep, "repeat the dreams based on it", steps.DreamAgain,
		activities.DreamAgainInput{AgentRef: d.AgentRef, Record: d.Deletion, Patience: nightPatience})
	if err != nil {
		workflow.GetLogger(ctx).Warn("Not dreamed again", "error", err)
	}
	d.result.Dreams = out.Dreams
}

func (d *deleting) histories(ctx workflow.Context, state activities.DeletionState, summary string) error {
	in := activities.DeleteHistoriesInput{DeletionInput: d.target, DeletionState: state}
	out, err := step(ctx, deletionStep, summary, steps.DeleteHistories, in)
	d.result.Histories += out.Deleted
	return err
}

// StartDelete runs a deletion. One that is running is left alone.
func StartDelete(ctx context.Context, c client.Client, in DeleteInput) error {
	options := startOptions(DeletionID(in.AgentRef, in.Deletion), "Deletion of "+describeTarget(in.Kind, in.Agent),
		agentAttributes(in.AgentRef), fair(awaitedPriority, in.Workspace))
	options.StaticDetails = "Receipt: `GET /api/v1/agents/" + in.Agent + "/deletions/" + in.Deletion.String() + "`. It starts at " +
		in.Due.UTC().Format(time.RFC3339) + "; until then `DELETE` of the same path cancels it."
	_, err := start(ctx, c, options, DeleteName, in)
	return err
}

// CancelDelete cancels the workflow of a deletion that was cancelled.
func CancelDelete(ctx context.Context, c client.Client, ref activities.AgentRef, deletion uuid.UUID) error {
	err := c.CancelWorkflow(ctx, DeletionID(ref, deletion), "")
	if isNotFound(err) {
		return nil
	}
	return err
}

// Histories implements activities.Histories.
type Histories struct {
	Client    client.Client
	Namespace string
}

// Pauses between two looks at Temporal's list, which is eventually consistent. Temporal deletes an execution up to half a minute after it
// has closed, however often that is requested.
const historiesAgain = 200 * time.Millisecond

// Delete deletes the executions of a target's workflows until Temporal lists none, those with other ids in more, and the schedule of
// an agent. A dream that may have read a deleted conversation is stopped; the next night dreams again.
func (h Histories) Delete(ctx context.Context, in activities.DeleteHistoriesInput, more []string, progress func(deleted int)) error {
	ref := memory.OwnerRef{Workspace: in.Workspace, Agent: in.Agent, Owner: in.Owner}
	switch in.Kind {
	case activities.DeletesAgent:
		if err := h.Client.ScheduleClient().GetHandle(ctx, DreamScheduleID(in.AgentRef)).Delete(ctx); err != nil && !isNotFound(err) {
			return err
		}
	case activities.DeletesConversation:
		err := h.Client.TerminateWorkflow(ctx, DreamID(ref), "", "a conversation that it may have read is being deleted")
		if err != nil && !isNotFound(err) {
			return err
		}
	}
	asked := map[string]bool{} // runs
	for _, query := range historyQueries(in, more) {
		for {
			left, err := h.once(ctx, query, asked, progress)
			if err != nil {
				return err
			}
			if left == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(historiesAgain):
				progress(0)
			}
		}
	}
	return nil
}

// once deletes the executions that a query lists, and returns how many still exist. Temporal lists an execution for some time after it
// has deleted it.
func (h Histories) once(ctx context.Context, query string, asked map[string]bool, progress func(deleted int)) (left int, err error) {
	var listed []*workflowpb.WorkflowExecutionInfo
	for request := (&workflowservice.ListWorkflowExecutionsRequest{Namespace: h.Namespace, Query: query}); ; {
		page, err := h.Client.ListWorkflow(ctx, request)
		if err != nil {
			return 0, err
		}
		listed, request.NextPageToken = append(listed, page.GetExecutions()...), page.GetNextPageToken()
		if len(request.NextPageToken) == 0 {
			break
		}
	}
	for i, x := range listed {
		if i%100 == 0 {
			progress(0)
		}
		run := x.GetExecution()
		_, err := h.Client.DescribeWorkflowExecution(ctx, run.GetWorkflowId(), run.GetRunId())
		switch {
		case isNotFound(err):
			continue
		case err != nil:
			return 0, err
		}
		left++
		if asked[run.GetRunId()] {
			continue
		}
		_, err = h.Client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: h.Namespace, WorkflowExecution: run,
		})
		if err != nil && !isNotFound(err) {
			return 0, err
		}
		asked[run.GetRunId()] = true
		progress(1)
	}
	return left, nil
}

// historyQueries returns what finds the workflows of a target, but not its deletion.
func historyQueries(in activities.DeleteHistoriesInput, more []string) []string {
	queries := []string{}
	for _, prefix := range more {
		queries = append(queries, fmt.Sprintf("WorkflowId STARTS_WITH '%s'", strings.ReplaceAll(prefix, "'", "")))
	}
	agent := fmt.Sprintf("%s = '%s' AND WorkflowType != '%s'", AgentAttribute.GetName(), agentRef(in.Workspace, in.Agent), DeleteName)
	switch in.Kind {
	case activities.DeletesAgent:
		queries = append(queries, agent)
	case activities.DeletesOwner:
		queries = append(queries, fmt.Sprintf("%s AND %s = '%s'", agent, OwnerAttribute.GetName(), in.Owner))
	case activities.DeletesConversation:
		for _, kind := range []string{"extract", "flush", "compact"} {
			queries = append(queries, fmt.Sprintf("WorkflowId STARTS_WITH '%s/%s/'", kind, in.Conversation))
		}
	}
	return queries
}

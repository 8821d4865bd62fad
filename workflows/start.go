package workflows

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
)

// TurnCompleted tells the owner's Inbox that messages are waiting, starting it when it is not running.
func TurnCompleted(ctx context.Context, c client.Client, ref memory.OwnerRef, t memory.Timing) error {
	_, err := c.SignalWithStartWorkflow(ctx, InboxID(ref), TurnCompletedSignal, Turn{Timing: t},
		inboxOptions(ref), Inbox, InboxInput{OwnerRef: ref, Timing: t})
	return err
}

// ExtractNowInput asks for an extraction without waiting for quiet period and cooldown.
type ExtractNowInput struct {
	// RequestID makes a repeated request one request.
	RequestID    string    `json:"requestId"`
	Conversation uuid.UUID `json:"conversation"`
	// RetryOf repeats a quarantined extraction; zero takes what is pending in the conversation.
	RetryOf uuid.UUID `json:"retryOf,omitzero"`
}

// ExtractNowResult is how it ended.
type ExtractNowResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	// Extractions are the outcome records, oldest first; none when nothing was pending.
	Extractions []uuid.UUID `json:"extractions,omitempty"`
}

// ExtractNow runs an extraction now and waits for its outcome until ctx ends. When ctx ends first the extraction goes
// on: ask again with the same RequestID, or read the outcome records.
func ExtractNow(ctx context.Context, c client.Client, ref memory.OwnerRef, t memory.Timing, in ExtractNowInput) (ExtractNowResult, error) {
	for {
		out, err := extractNow(ctx, c, ref, t, in)
		if err == nil || !inboxJustClosed(err) || ctx.Err() != nil {
			return out, err
		}
		select { // the Inbox ended between being found and being asked: the next round starts a new one
		case <-ctx.Done():
			return ExtractNowResult{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func extractNow(ctx context.Context, c client.Client, ref memory.OwnerRef, t memory.Timing, in ExtractNowInput) (ExtractNowResult, error) {
	options := inboxOptions(ref)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.NewWithStartWorkflowOperation(options, Inbox, InboxInput{OwnerRef: ref, Timing: t}),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: in.RequestID, WorkflowID: InboxID(ref), UpdateName: ExtractNowUpdate,
			Args: []any{in}, WaitForStage: client.WorkflowUpdateStageAccepted,
		},
	})
	if err != nil {
		return ExtractNowResult{}, err
	}
	var out ExtractNowResult
	return out, handle.Get(ctx, &out)
}

// inboxJustClosed reports whether err says that the workflow completed before it took the update.
func inboxJustClosed(err error) bool {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Type() == "AcceptedUpdateCompletedWorkflow"
	}
	var gone *serviceerror.NotFound
	return errors.As(err, &gone)
}

func inboxOptions(ref memory.OwnerRef) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    InboxID(ref),
		TaskQueue:             TaskQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: attributes(ref),
		StaticSummary:         "Inbox of one owner of agent " + ref.Agent,
	}
}

func attributes(ref memory.OwnerRef) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(
		AgentAttribute.ValueSet(agentRef(ref.Workspace, ref.Agent)),
		OwnerAttribute.ValueSet(ref.Owner.String()),
	)
}

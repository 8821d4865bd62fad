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

	"reverie/activities"
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
			Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
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

// IndexChanged tells an agent's Index that something was written, starting it when it is not running. It is best effort:
// what it fails to tell is found by the sweep.
func IndexChanged(ctx context.Context, c client.Client, ref activities.AgentRef, change IndexChange) error {
	_, err := c.SignalWithStartWorkflow(ctx, IndexID(ref), IndexChangedSignal, change, indexOptions(ref), Index, IndexInput{AgentRef: ref})
	return err
}

// EnsureIndex starts an agent's Index when it is not running. One that runs is left alone, also while it waits.
func EnsureIndex(ctx context.Context, c client.Client, ref activities.AgentRef) error {
	options := indexOptions(ref)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	_, err := c.ExecuteWorkflow(ctx, options, Index, IndexInput{AgentRef: ref})
	return err
}

// StartReindex starts a Reindex and returns its id. One that is running already is found; one that has ended is repeated.
func StartReindex(ctx context.Context, c client.Client, in ReindexInput) (string, error) {
	return in.ID(), startReindex(ctx, c, in, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

// OfferReindex starts a Reindex unless the same one is running or has ended in an orderly way before, for example
// abandoned.
func OfferReindex(ctx context.Context, c client.Client, in ReindexInput) error {
	return startReindex(ctx, c, in, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
}

func startReindex(ctx context.Context, c client.Client, in ReindexInput, reuse enumspb.WorkflowIdReusePolicy) error {
	summary := "The lexical index is built anew"
	if !in.isLexical() {
		summary = "Vectors change to " + in.Identity.String()
	}
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       in.ID(),
		TaskQueue:                TaskQueue,
		WorkflowIDReusePolicy:    reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    agentAttributes(in.AgentRef),
		StaticSummary:            summary,
	}, Reindex, in)
	return err
}

// ReindexProgressOf asks a Reindex, by its id, how far it is. It needs a worker; the error is a *serviceerror.NotFound when
// there is no such Reindex.
func ReindexProgressOf(ctx context.Context, c client.Client, id string) (ReindexProgress, error) {
	var out ReindexProgress
	value, err := c.QueryWorkflow(ctx, id, "", ProgressQuery)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}

// DecideReindex tells a Reindex that waits for a decision what to do.
func DecideReindex(ctx context.Context, c client.Client, id string, d Decision) error {
	return updateReindex(ctx, c, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: DecideUpdate, Args: []any{DecideInput{Decision: d}}})
}

// SwitchBack has a Reindex whose old space is still kept make it live again, and waits until it is.
func SwitchBack(ctx context.Context, c client.Client, id string) error {
	return updateReindex(ctx, c, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: SwitchBackUpdate})
}

// updateReindex waits for the answer to an update. A refusal, such as one at the wrong time, is its error.
func updateReindex(ctx context.Context, c client.Client, o client.UpdateWorkflowOptions) error {
	o.WaitForStage = client.WorkflowUpdateStageCompleted
	handle, err := c.UpdateWorkflow(ctx, o)
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}

func indexOptions(ref activities.AgentRef) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    IndexID(ref),
		TaskQueue:             TaskQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: agentAttributes(ref),
		StaticSummary:         indexSummary(ref),
	}
}

func indexSummary(ref activities.AgentRef) string {
	if ref.Agent == "" {
		return "Index of what belongs to the workspace"
	}
	return "Index of agent " + ref.Agent
}

func agentAttributes(ref activities.AgentRef) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(AgentAttribute.ValueSet(agentRef(ref.Workspace, ref.Agent)))
}

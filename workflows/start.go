package workflows

import (
	"cmp"
	"context"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// Priorities of workflows on all task queues. Their steps and children inherit them, unless they have their own. Of tasks that wait in
// one queue, those with the lowest number run first.
const (
	// urgentPriority: a turn waits for it, such as a flush.
	urgentPriority = 1
	// awaitedPriority: a person or a business process waits for the result.
	awaitedPriority = 2
	// turnPriority: what people said in turns, and the index of it.
	turnPriority = 3
	// importPriority makes imports and rebuilt indexes of any size wait for new messages of people.
	importPriority = 4
	// dreamPriority makes nights wait for everything else.
	dreamPriority = 5
)

// fair returns a priority with a fair share for each workspace among tasks of the same priority, however many of them one workspace
// has. Within a workspace no owner takes more than one share: it has at most one extraction and one dream at a time.
func fair(priority int, workspace string) temporal.Priority {
	return temporal.Priority{PriorityKey: priority, FairnessKey: workspace}
}

// startOptions returns the options of a workflow. One that has ended runs again: the store does everything once.
func startOptions(id, summary string, about temporal.SearchAttributes, priority temporal.Priority) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: TaskQueue, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: about, StaticSummary: summary, Priority: priority,
	}
}

// start starts a workflow without waiting for it, or returns the one that is running with the same id.
func start(ctx context.Context, c client.Client, o client.StartWorkflowOptions, name string, in any) (client.WorkflowRun, error) {
	o.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return c.ExecuteWorkflow(ctx, o, name, in)
}

// childOptions is startOptions for a workflow that continues when its parent ends.
func childOptions(id, summary string, about temporal.SearchAttributes, priority temporal.Priority) workflow.ChildWorkflowOptions {
	return workflow.ChildWorkflowOptions{
		WorkflowID: id, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON, TypedSearchAttributes: about, StaticSummary: summary, Priority: priority,
	}
}

// attributes returns the search attributes of an owner's workflow.
func attributes(ref memory.OwnerRef) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(
		AgentAttribute.ValueSet(agentRef(ref.Workspace, ref.Agent)),
		OwnerAttribute.ValueSet(ref.Owner.String()),
	)
}

// agentAttributes returns the search attributes of an agent's workflow.
func agentAttributes(ref activities.AgentRef) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(AgentAttribute.ValueSet(agentRef(ref.Workspace, ref.Agent)))
}

// showOutcome makes an outcome searchable.
func showOutcome(ctx workflow.Context, outcome string) error {
	return workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(outcome))
}

// failure returns the error of a workflow that recorded a failure, with its result as the details.
func failure(message, errorType string, result any) error {
	return temporal.NewApplicationErrorWithOptions(message, errorType, temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{result}})
}

// inWords names an outcome and its reason, in Markdown.
func inWords[O ~string](outcome O, reason memory.ReasonCode) string {
	text := "**" + string(outcome) + "**"
	if reason != "" {
		text += " (" + string(reason) + ")"
	}
	return text
}

// Deployment is the name of the worker deployment that workers report to Temporal, with the build of each.
const Deployment = "reverie"

// PollWindow bounds the age of a worker's last poll: an idle worker polls about once a minute.
const PollWindow = 90 * time.Second

// Build is a build of the program that runs workflows.
type Build struct {
	ID      string // empty: of a release that does not report it
	Workers int    // processes that have polled within PollWindow
}

// Builds lists the builds whose workers run workflows, by id.
func Builds(ctx context.Context, c client.Client, now time.Time) ([]Build, error) {
	described, err := c.DescribeTaskQueue(ctx, TaskQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, err
	}
	workers := map[string]map[string]bool{} // identities, by build
	for _, p := range described.GetPollers() {
		if now.Sub(p.GetLastAccessTime().AsTime()) >= PollWindow {
			continue
		}
		id := p.GetDeploymentOptions().GetBuildId()
		if workers[id] == nil {
			workers[id] = map[string]bool{}
		}
		workers[id][p.GetIdentity()] = true
	}
	var out []Build
	for id, identities := range workers {
		out = append(out, Build{id, len(identities)})
	}
	slices.SortFunc(out, func(a, b Build) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// ResetReason returns the reason that a person gave when an execution was reset, and false for one that was not.
func ResetReason(ctx context.Context, c client.Client, workflowID, runID string) (reason string, isReset bool, err error) {
	events := c.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return "", false, err
		}
		failed := event.GetWorkflowTaskFailedEventAttributes()
		if failed.GetCause() == enumspb.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW && failed.GetNewRunId() == runID {
			return failed.GetFailure().GetMessage(), true, nil
		}
	}
	return "", false, nil
}

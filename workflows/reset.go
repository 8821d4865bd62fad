package workflows

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

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

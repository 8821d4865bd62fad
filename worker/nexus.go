package worker

import (
	"context"

	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/temporalnexus"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"reverie/activities"
	"reverie/memory/writereq"
	"reverie/workflows"
)

// nexusService returns the service that workflows of other namespaces call. Its only operation stages a write and lets the
// caller wait for the workflow that applies it; both Web UIs link the two.
func nexusService(stage activities.WriteStage) *nexus.Service {
	write := temporalnexus.MustNewWorkflowRunOperationWithOptions(temporalnexus.WorkflowRunOperationOptions[client.SignedRequest,
		writereq.WriteReceipt]{
		Name: durable.NexusOperation,
		Handler: func(ctx context.Context, in client.SignedRequest,
			o nexus.StartOperationOptions,
		) (temporalnexus.WorkflowHandle[writereq.WriteReceipt], error) {
			staged, err := stage.Stage(ctx, in)
			if err != nil {
				return nil, nexusError(err)
			}
			return temporalnexus.ExecuteUntypedWorkflow[writereq.WriteReceipt](ctx, o, workflows.WriteOptions(staged.Ref), workflows.WriteMemoryName,
				staged.Ref)
		},
	})
	service := nexus.NewService(durable.NexusService)
	service.MustRegister(write)
	return service
}

// nexusError fails the operation for an error that a retry cannot help; Temporal retries any other error.
func nexusError(err error) error {
	if refused, is := err.(*temporal.ApplicationError); is && refused.NonRetryable() { //nolint:errorlint // Stage returns it as it is
		return &nexus.OperationError{State: nexus.OperationStateFailed, Message: refused.Message(), Cause: refused}
	}
	return err
}

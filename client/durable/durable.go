// Package durable writes from Temporal workflows: from one in the namespace of Reverie's workers, or through Nexus from any namespace.
package durable

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/reverie-memory/reverie/client"
)

// Names on the wire, and where they are found.
const (
	// TaskQueue is the queue from which Reverie's workers take activities of workflows in the same namespace.
	TaskQueue = "reverie"
	// ActivityName is the activity that writes.
	ActivityName = "WriteMemory"
	// NexusService and NexusOperation name the operation that Reverie's workers serve. The operator names the endpoint:
	//
	//	temporal operator nexus endpoint create --name memory --target-namespace <ours> --target-task-queue reverie
	NexusService   = "memory"
	NexusOperation = "write"
)

// Types of the errors that a request ends with through Temporal when it cannot be used, as [temporal.ApplicationError] has them.
// None of them is retried.
const (
	TypeInvalid      = "Invalid"      // the message says which part, and where in a template
	TypeUnauthorized = "Unauthorized" // there is no such key, it was revoked, or the proof is another one
	TypeForbidden    = "Forbidden"    // the key may not do this
	TypeNotFound     = "NotFound"     // there is no such agent
	TypeKeyReused    = "KeyReused"    // the request id was used for another write
)

// patience bounds how long a workflow waits for Reverie to answer, including an outage of its database.
const patience = 24 * time.Hour

// Write writes from a workflow in the namespace that Reverie's workers are in, by an activity on their queue. It waits for
// the receipt, up to a day while Reverie is away. A refused request is a receipt: see [client.Receipt.Err].
//
// ctx may carry other activity options; queue, timeouts and retries are set here.
func Write(ctx workflow.Context, s client.Signer, r client.Request) (client.Receipt, error) {
	var out client.Receipt
	signed, err := s.Sign(r)
	if err != nil {
		return out, temporal.NewNonRetryableApplicationError(err.Error(), TypeInvalid, nil)
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              TaskQueue,
		StartToCloseTimeout:    10 * time.Minute, // of one attempt, which waits for the workflow that writes
		HeartbeatTimeout:       10 * time.Second, // a worker that is killed is noticed by then
		ScheduleToCloseTimeout: patience,
		Summary:                "write memory " + r.RequestID,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	err = workflow.ExecuteActivity(ctx, ActivityName, signed).Get(ctx, &out)
	return out, err
}

// WriteThroughNexus writes from a workflow in any namespace of the same cluster, through a Nexus endpoint that leads to Reverie. It
// waits for the receipt, up to a day while Reverie is away. A refused request is a receipt: see [client.Receipt.Err].
func WriteThroughNexus(ctx workflow.Context, s client.Signer, endpoint string, r client.Request) (client.Receipt, error) {
	var out client.Receipt
	signed, err := s.Sign(r)
	if err != nil {
		return out, temporal.NewNonRetryableApplicationError(err.Error(), TypeInvalid, nil)
	}
	err = workflow.NewNexusClient(endpoint, NexusService).ExecuteOperation(ctx, NexusOperation, signed, workflow.NexusOperationOptions{
		ScheduleToCloseTimeout: patience,
		Summary:                "write memory " + r.RequestID,
	}).Get(ctx, &out)
	return out, err
}

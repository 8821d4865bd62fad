package devenv

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/nexus/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// EnsureNamespace makes a namespace beside the server's own, as other teams have them, unless it exists, and waits until it can be
// used.
func (t *Temporal) EnsureNamespace(ctx context.Context, name string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return err
	}
	for { // the server's parts learn of it one after the other
		_, err := c.WorkflowService().ListOpenWorkflowExecutions(ctx, &workflowservice.ListOpenWorkflowExecutionsRequest{Namespace: name})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// EnsureNexusEndpoint makes a Nexus endpoint that leads to a task queue of the server's own namespace, unless one of the name exists.
// It is what `temporal operator nexus endpoint create` does.
func (t *Temporal) EnsureNexusEndpoint(ctx context.Context, name, taskQueue string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.OperatorService().CreateNexusEndpoint(ctx, &operatorservice.CreateNexusEndpointRequest{
		Spec: &nexus.EndpointSpec{
			Name: name,
			Target: &nexus.EndpointTarget{Variant: &nexus.EndpointTarget_Worker_{
				Worker: &nexus.EndpointTarget_Worker{Namespace: t.options.Namespace, TaskQueue: taskQueue},
			}},
		},
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok {
		return nil
	}
	return err
}

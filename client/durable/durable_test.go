package durable_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
)

// TestWrite sends a signed request to the activity, and refuses one that cannot be signed without sending it.
func TestWrite(t *testing.T) {
	t.Parallel()
	signer := client.NewSigner("01a20000-0000-7000-8000-000000000000", "rv_secret")
	write := func(ctx workflow.Context, id string) (client.Receipt, error) {
		return durable.Write(ctx, signer, client.Request{RequestID: id, Agent: "ada", Target: "memory/cases.md", Content: "Closed.\n"})
	}
	var sent []client.SignedRequest
	run := func(id string) (receipt client.Receipt, err error) {
		env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
		env.RegisterActivityWithOptions(func(_ context.Context, r client.SignedRequest) (client.Receipt, error) {
			sent = append(sent, r)
			return client.Receipt{RequestID: r.RequestID, Outcome: client.Written}, nil
		}, activity.RegisterOptions{Name: durable.ActivityName})
		env.ExecuteWorkflow(write, id)
		if err := env.GetWorkflowError(); err != nil {
			return receipt, err
		}
		return receipt, env.GetWorkflowResult(&receipt)
	}
	if receipt, err := run("case-41"); err != nil || receipt.Outcome != client.Written || len(sent) != 1 || sent[0].KeyID != signer.KeyID {
		t.Errorf("%+v, %v, sent %+v", receipt, err, sent)
	}
	_, err := run("a b")
	if invalid, is := errors.AsType[*temporal.ApplicationError](err); !is || invalid.Type() != durable.TypeInvalid || len(sent) != 1 {
		t.Errorf("a bad id: %v", err)
	}
}

package durable_test

import (
	"go.temporal.io/sdk/workflow"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
)

// A workflow of another namespace writes through a Nexus endpoint. The signer is a field of the struct that the team's workflows are
// methods of: its secret is in no history.
func ExampleWriteThroughNexus() {
	signer := client.NewSigner("01a20000-0000-7000-8000-000000000000", "rv_…")
	closeCase := func(ctx workflow.Context, id string) (client.Receipt, error) {
		return durable.WriteThroughNexus(ctx, signer, "memory", client.Request{
			RequestID: "close-case-" + id, Agent: "ada", Target: "memory/cases.md", Strategy: client.Append, Content: "Case " + id + " is closed.\n",
		})
	}
	_ = closeCase // registered with a worker
}

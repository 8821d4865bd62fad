package main

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/client"
)

// Case is a support case that is to be closed.
type Case struct {
	ID       string `json:"id"`       // of the helpdesk, such as 41
	Customer string `json:"customer"` // whose memory it is, such as user:7
	Solution string `json:"solution"` // what helped
}

// Closed is what the helpdesk says about a case that is closed.
type Closed struct {
	Title  string    `json:"title"`
	Agent  string    `json:"agent"` // of the helpdesk: who closed it
	At     time.Time `json:"at"`
	Helped bool      `json:"helped"`
}

// Result is how closing a case ended.
type Result struct {
	Closed Closed         `json:"closed"`
	Memory client.Receipt `json:"memory"`
}

// Workflows are this team's. Memory proves that it is us who write.
type Workflows struct {
	Memory client.Signer
	Agent  string // whose memory is written
	// Endpoint is the Nexus endpoint that leads to the memory; empty: the memory's workers are in our namespace, and take our
	// activity from their own queue.
	Endpoint string
}

// ownStep: the helpdesk answers within seconds, or is away for a while.
var ownStep = workflow.ActivityOptions{
	StartToCloseTimeout: 5 * time.Second,
	RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
}

// CloseSupportCase closes a case, remembers its outcome, and tells the customer. Each step is done once, whatever is killed meanwhile:
// the helpdesk knows a case that is closed, and the memory a request that it has written.
func (w Workflows) CloseSupportCase(ctx workflow.Context, c Case) (Result, error) {
	own := workflow.WithActivityOptions(ctx, ownStep)
	var out Result
	if err := workflow.ExecuteActivity(own, "CloseCase", c).Get(ctx, &out.Closed); err != nil {
		return out, err
	}
	receipt, err := w.remember(ctx, c, out.Closed)
	if err != nil {
		return out, err
	}
	out.Memory = receipt
	if err := receipt.Err(); err != nil { // the case is closed in any case
		workflow.GetLogger(ctx).Warn("The outcome is not in the memory", "reason", receipt.ReasonCode)
	}
	return out, workflow.ExecuteActivity(own, "TellCustomer", c).Get(ctx, nil)
}

// outcome is what is written. The values come from Data, and nothing in them is taken for a template.
const outcome = `## Case {{id}}: {{title}}

- closed on {{on}} by {{by}}
{{#helped}}- what helped: {{solution}}
{{/helped}}{{^helped}}- nothing helped
{{/helped}}`

// remember writes the outcome of a case into the customer's memory: one section for each case, which a later outcome replaces.
func (w Workflows) remember(ctx workflow.Context, c Case, closed Closed) (client.Receipt, error) {
	data, err := client.Data(map[string]any{
		"id": c.ID, "title": closed.Title, "on": closed.At.UTC().Format(time.DateOnly), "by": closed.Agent,
		"helped": closed.Helped, "solution": c.Solution,
	})
	if err != nil {
		return client.Receipt{}, err
	}
	request := client.Request{
		RequestID: fmt.Sprintf("close-case-%s", c.ID), Agent: w.Agent, Owner: c.Customer,
		Target: "memory/cases.md", Strategy: client.ReplaceSection, Content: outcome, Data: data,
		Reason: "a support case was closed",
	}
	if w.Endpoint == "" {
		return w.Memory.WriteInWorkflow(ctx, request)
	}
	return w.Memory.WriteThroughNexus(ctx, w.Endpoint, request)
}

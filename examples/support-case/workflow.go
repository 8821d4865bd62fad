package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Case is a support case to close.
type Case struct {
	ID       string `json:"id"`       // id in the helpdesk, such as 41
	Customer string `json:"customer"` // owner of the memory, such as user:7
	Solution string `json:"solution"` // what helped
}

// Closed is the helpdesk's record of a closed case.
type Closed struct {
	Title  string    `json:"title"`
	Agent  string    `json:"agent"` // person of the helpdesk who closed it
	At     time.Time `json:"at"`
	Helped bool      `json:"helped"`
}

// Result is the result of CloseSupportCase.
type Result struct {
	Closed Closed         `json:"closed"`
	Memory client.Receipt `json:"memory"`
}

// Workflows holds the settings of this team's workflows.
type Workflows struct {
	Memory client.Signer // signs writes with the team's API key
	Agent  string        // agent whose memory is written
	// Endpoint is the Nexus endpoint of Reverie. If it is empty, Reverie's workers run in the same namespace and execute the write as
	// an activity on their own queue.
	Endpoint string
}

// ownStep configures calls of the helpdesk, which answers within seconds or is unavailable for a while.
var ownStep = workflow.ActivityOptions{
	StartToCloseTimeout: 5 * time.Second,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
	},
}

// CloseSupportCase closes a case, writes its outcome to memory, and notifies the customer. Each step takes effect once, even if workers
// are killed: the helpdesk recognises a closed case, and Reverie a request that it has written.
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
	if err := receipt.Err(); err != nil { // the case stays closed
		workflow.GetLogger(ctx).Warn("Outcome not written to memory", "reason", receipt.ReasonCode)
	}
	return out, workflow.ExecuteActivity(own, "TellCustomer", c).Get(ctx, nil)
}

// outcome is the template of the text that is written. Values come from Data and are never interpreted as templates.
const outcome = `## Case {{id}}: {{title}}

- closed on {{on}} by {{by}}
{{#helped}}- what helped: {{solution}}
{{/helped}}{{^helped}}- nothing helped
{{/helped}}`

// remember writes the outcome of a case into the customer's memory: one section per case, which a later outcome replaces.
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
		return durable.Write(ctx, w.Memory, request)
	}
	return durable.WriteThroughNexus(ctx, w.Memory, w.Endpoint, request)
}

// Helpdesk calls the team's own system. Its methods are the activities of the workflow. They may be repeated: the helpdesk performs each
// of them once per case.
type Helpdesk struct{ URL string }

// CloseCase closes a case. It returns the same answer if the case is already closed.
func (h Helpdesk) CloseCase(ctx context.Context, c Case) (Closed, error) {
	var out Closed
	return out, h.post(ctx, "/cases/"+c.ID+"/close", map[string]string{"solution": c.Solution}, &out)
}

// TellCustomer sends the closing message of a case.
func (h Helpdesk) TellCustomer(ctx context.Context, c Case) error {
	return h.post(ctx, "/cases/"+c.ID+"/tell", map[string]string{}, nil)
}

func (h Helpdesk) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("helpdesk: %s", answer.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(out)
}

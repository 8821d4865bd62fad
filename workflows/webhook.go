package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// WebhookInput identifies an endpoint.
type WebhookInput struct {
	activities.AgentRef

	Webhook uuid.UUID `json:"webhook"`
}

// WebhookChange is the signal that there may be something to deliver, or that somebody has changed the endpoint.
type WebhookChange struct{}

// PingInput asks for a test event. The same ID is one request.
type PingInput struct {
	ID uuid.UUID `json:"id"`
}

func (in PingInput) validate() error {
	if in.ID == uuid.Nil {
		return errors.New("name the request")
	}
	return nil
}

// DeliverEvents delivers events to one endpoint in the order of the journal, and waits between attempts at one that the endpoint
// does not accept. It ends when nothing is left and nothing new has come for a while; the worker's look at the journal starts it
// again. Postgres holds where it is: an execution that is terminated loses nothing.
func DeliverEvents(ctx workflow.Context, in WebhookInput) error {
	x := webhook{WebhookInput: in, changes: workflow.GetSignalChannel(ctx, WebhookChangedSignal)}
	validated := workflow.UpdateHandlerOptions{Validator: PingInput.validate}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, PingUpdate, x.ping, validated); err != nil {
		return err
	}
	return x.run(ctx)
}

type webhook struct {
	WebhookInput

	changes workflow.ReceiveChannel
	total   activities.WebhookResult
}

func (x *webhook) ref() activities.WebhookInput {
	return activities.WebhookInput{AgentRef: x.AgentRef, Webhook: x.Webhook}
}

func (x *webhook) run(ctx workflow.Context) error {
	for {
		for x.changes.ReceiveAsync(&WebhookChange{}) { // they say no more than that it should look
		}
		if suggested(ctx) {
			if err := answered(ctx); err != nil {
				return err
			}
			return workflow.NewContinueAsNewError(ctx, DeliverEvents, x.WebhookInput)
		}
		out, err := step(ctx, webhookStep, "deliver", steps.DeliverWebhook, x.ref())
		if err != nil {
			return err
		}
		x.describe(ctx, out)
		switch {
		case out.Gone, out.Paused:
			if x.changes.Len() > 0 { // it was resumed since then
				continue
			}
			return answered(ctx)
		case out.More:
		default:
			wait, why := webhookLinger, "is there more?"
			if !out.Next.IsZero() {
				wait, why = max(out.Next.Sub(workflow.Now(ctx)), time.Second), "the next attempt"
			}
			more, err := await(ctx, wait, why, func() bool { return x.changes.Len() > 0 || suggested(ctx) })
			if err != nil {
				return err
			}
			if !more && out.Next.IsZero() {
				if err := answered(ctx); err != nil || x.changes.Len() == 0 {
					return err
				}
			}
		}
	}
}

// answered waits until no update is being answered.
func answered(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// ping sends a test event, while others wait or are delivered.
func (x *webhook) ping(ctx workflow.Context, in PingInput) (activities.PingWebhookResult, error) {
	return step(ctx, pingStep, "ping", steps.PingWebhook, activities.PingWebhookInput{WebhookInput: x.ref(), ID: in.ID})
}

// describe shows operators the state of the endpoint in Markdown.
func (x *webhook) describe(ctx workflow.Context, out activities.WebhookResult) {
	x.total.Delivered += out.Delivered
	x.total.Failed += out.Failed
	text := fmt.Sprintf("- %d delivered, %d given up", x.total.Delivered, x.total.Failed)
	if out.Reason != "" {
		text += fmt.Sprintf("\n- the last attempt failed: %s (%d)", out.Reason, out.Status)
	}
	if !out.Next.IsZero() {
		text += "\n- **waiting** for the next attempt at " + out.Next.UTC().Format(time.RFC3339)
	}
	workflow.SetCurrentDetails(ctx, text)
}

// WebhookChanged has an endpoint's workflow look for something to deliver, and starts it if it is not running.
func WebhookChanged(ctx context.Context, c client.Client, in WebhookInput) error {
	_, err := c.SignalWithStartWorkflow(ctx, WebhookID(in), WebhookChangedSignal, WebhookChange{}, webhookOptions(in), DeliverEvents, in)
	return err
}

// PingWebhook sends a test event to an endpoint and returns the outcome.
func PingWebhook(ctx context.Context, c client.Client, in WebhookInput, ping uuid.UUID) (out activities.PingWebhookResult, err error) {
	for {
		options := webhookOptions(in)
		options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
		handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: c.NewWithStartWorkflowOperation(options, DeliverEvents, in),
			UpdateOptions: client.UpdateWorkflowOptions{
				UpdateID: ping.String(), WorkflowID: WebhookID(in), UpdateName: PingUpdate, Args: []any{PingInput{ID: ping}},
				WaitForStage: client.WorkflowUpdateStageCompleted,
			},
		})
		if err == nil {
			err = handle.Get(ctx, &out)
		}
		if err == nil || !inboxJustClosed(err) || ctx.Err() != nil {
			return out, err
		}
		select { // it ended before it took the update: the next round starts a new one
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func webhookOptions(in WebhookInput) client.StartWorkflowOptions {
	return startOptions(WebhookID(in), "Webhook of agent "+in.Agent, agentAttributes(in.AgentRef), fair(turnPriority, in.Workspace))
}

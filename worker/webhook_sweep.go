package worker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/store/webhooks"
	"reverie/workflows"
)

// webhookInterval is the longest pause between two looks for events that endpoints have not got: one statement over all endpoints.
const webhookInterval = time.Second

// webhookSweep has the workflows of endpoints deliver what is in the journal behind their cursors. So a write of memory knows nothing of
// webhooks.
type webhookSweep struct {
	steps  *activities.Activities
	client client.Client
}

// look wakes every endpoint with something to deliver.
func (s *webhookSweep) look(ctx context.Context) (int, error) {
	after := uuid.Nil
	for {
		due, err := s.steps.Store.DueWebhooks(ctx, after, sweepAgents)
		if err != nil || len(due) == 0 {
			return 0, err
		}
		if _, err := each(ctx, due, s.wake); err != nil {
			return 0, err
		}
		after = due[len(due)-1].ID
	}
}

func (s *webhookSweep) wake(ctx context.Context, w webhooks.DueWebhook) error {
	ref := activities.AgentRef{Workspace: w.Workspace, Agent: w.Agent}
	due, err := activities.WebhookDue(ctx, s.steps, activities.WebhookInput{AgentRef: ref, Webhook: w.ID})
	if err != nil || !due {
		return err
	}
	return workflows.WebhookChanged(ctx, s.client, workflows.WebhookInput{AgentRef: ref, Webhook: w.ID})
}

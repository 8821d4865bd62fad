package worker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/store/webhooks"
	"reverie/workflows"
)

// webhookInterval is the longest pause between two looks for events that endpoints have not got: one statement over all endpoints.
const webhookInterval = time.Second

// webhookSweep has the workflows of endpoints deliver what is in the journal after their cursors. So a write of memory knows nothing of
// webhooks.
type webhookSweep struct {
	steps  *activities.Activities
	client client.Client
}

// look wakes every endpoint with something to deliver.
func (s *webhookSweep) look(ctx context.Context) (int, error) {
	if err := s.addPrograms(ctx); err != nil {
		return 0, err
	}
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

// addPrograms gives the programs that follow what happens a place in the journals of new agents.
func (s *webhookSweep) addPrograms(ctx context.Context) error {
	for _, f := range s.steps.Providers.Followers() {
		missing, err := s.steps.Store.MissingPrograms(ctx, f.ID(), f.Agents, sweepAgents)
		if err != nil {
			return err
		}
		if _, err = each(ctx, missing, func(ctx context.Context, m webhooks.MissingProgram) error {
			id := memory.Identity{Workspace: m.Workspace, Agent: m.Agent, AnyOwner: true, Role: memory.RoleAdmin}
			return s.steps.Store.AddProgram(ctx, id, m)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *webhookSweep) wake(ctx context.Context, w webhooks.DueWebhook) error {
	ref := activities.AgentRef{Workspace: w.Workspace, Agent: w.Agent}
	due, err := activities.WebhookDue(ctx, s.steps, activities.WebhookInput{AgentRef: ref, Webhook: w.ID}, w.Program)
	if err != nil || !due {
		return err
	}
	return workflows.WebhookChanged(ctx, s.client, workflows.WebhookInput{AgentRef: ref, Webhook: w.ID})
}

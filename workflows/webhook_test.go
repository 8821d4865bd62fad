package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// webhookEnv runs a DeliverEvents whose deliveries are scripted; the last one repeats.
func webhookEnv(results ...activities.WebhookResult) (env *testsuite.TestWorkflowEnvironment, runs *[]time.Time) {
	env, runs = (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment(), &[]time.Time{}
	env.RegisterWorkflowWithOptions(DeliverEvents, workflow.RegisterOptions{Name: DeliverEventsName})
	a := &activities.Activities{}
	env.RegisterActivityWithOptions(a.DeliverWebhook, activity.RegisterOptions{Name: "DeliverWebhook"})
	env.RegisterActivityWithOptions(a.PingWebhook, activity.RegisterOptions{Name: "PingWebhook"})
	env.OnActivity("DeliverWebhook", mock.Anything, mock.Anything).Return(
		func(context.Context, activities.WebhookInput) (activities.WebhookResult, error) {
			*runs = append(*runs, env.Now())
			return results[min(len(*runs), len(results))-1], nil
		})
	env.OnActivity("PingWebhook", mock.Anything, mock.Anything).Return(
		func(context.Context, activities.PingWebhookInput) (activities.PingWebhookResult, error) {
			return activities.PingWebhookResult{Status: 204}, nil
		})
	return env, runs
}

var hookOfAda = WebhookInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Webhook: uuid.MustParse("3d438e76-1590-5c0d-8a18-01ea98a75409")}

// It delivers while there is more, waits for the next attempt unless something changes, and ends when nothing is left.
func TestDeliverEventsWaitsAndEnds(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	env, runs := webhookEnv(
		activities.WebhookResult{More: true}, activities.WebhookResult{Next: start.Add(2 * time.Hour), Reason: "status"},
		activities.WebhookResult{Next: start.Add(4 * time.Hour), Reason: "status"}, activities.WebhookResult{},
	)
	env.SetStartTime(start)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(WebhookChangedSignal, WebhookChange{}) }, 3*time.Hour)
	env.ExecuteWorkflow(DeliverEvents, hookOfAda)
	if err := env.GetWorkflowError(); !env.IsWorkflowCompleted() || err != nil {
		t.Fatal(err)
	}
	var at []time.Duration
	for _, run := range *runs {
		at = append(at, run.Sub(start).Round(time.Minute))
	}
	if len(at) != 4 || at[1] != 0 || at[2] != 2*time.Hour || at[3] != 3*time.Hour {
		t.Errorf("deliveries at %v", at)
	}
}

// A paused endpoint ends it, but not before a ping is answered; and a long one continues as new.
func TestDeliverEventsAnswersPings(t *testing.T) {
	env, runs := webhookEnv(activities.WebhookResult{Next: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}, activities.WebhookResult{Paused: true})
	answered := activities.PingWebhookResult{}
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(PingUpdate, "p", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) },
			OnComplete: func(result any, err error) {
				if out, is := result.(activities.PingWebhookResult); is && err == nil {
					answered = out
				}
			},
		}, PingInput{ID: uuid.New()})
		env.SignalWorkflow(WebhookChangedSignal, WebhookChange{})
	}, time.Minute)
	env.ExecuteWorkflow(DeliverEvents, hookOfAda)
	if err := env.GetWorkflowError(); !env.IsWorkflowCompleted() || err != nil || answered.Status != 204 || len(*runs) != 2 {
		t.Errorf("%v, answered %+v after %d deliveries", err, answered, len(*runs))
	}
	env, _ = webhookEnv(activities.WebhookResult{More: true})
	env.SetContinueAsNewSuggested(true)
	env.ExecuteWorkflow(DeliverEvents, hookOfAda)
	if in := continued[WebhookInput](t, env); in != hookOfAda {
		t.Errorf("it continues with %+v", in)
	}
}

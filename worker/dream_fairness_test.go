package worker

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	"reverie/activities"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/talk"
	"reverie/workflows"
)

// queueing is a world whose model answers one request at a time; the first answer waits for a signal.
type queueing struct {
	*world
	interceptor.InterceptorBase
	asked  chan struct{} // closed: the first request has come in
	answer chan struct{} // closed: it may be answered

	mu         sync.Mutex
	order      []string        // whom the model served
	priorities map[string]bool // with which steps of workflows ran
}

func newQueueing(t *testing.T) *queueing {
	t.Helper()
	q := &queueing{world: newWorld(t), asked: make(chan struct{}), answer: make(chan struct{}), priorities: map[string]bool{}}
	key := llmtest.KeyPattern(`pet of ([a-z]+-[0-9]+)`)
	server := llmtest.New(t, llmtest.Options{
		Key: key,
		Script: func(r llmtest.Request) llmtest.Reply {
			q.mu.Lock()
			q.order = append(q.order, r.Key)
			first := len(q.order) == 1
			q.mu.Unlock()
			if first {
				close(q.asked)
				<-q.answer
			}
			return llmtest.Slow(20 * time.Millisecond)
		},
		Answer: func(prompt string) string {
			if who := key(prompt); !strings.HasPrefix(who, "talk-") {
				return fmt.Sprintf(`{"should_update":true,"reason":"a pet","memory_content":%q,"retired":[]}`, written(who))
			}
			return llmtest.Nothing
		},
	})
	model, err := llm.Open(llm.Config{
		Provider: "openai", Model: "scripted", APIKey: "key", BaseURL: server.URL + "/v1",
		Timeout: 5 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	prompted := activities.Prompted{Model: model, MaxTokens: 2000}
	settings := setting.DefaultDreamSettings()
	settings.Paid = true
	steps, err := activities.New(activities.Options{
		Store: q.store, Proposer: prompted, Paid: true, Defaults: setting.DefaultExtractSettings(), Consolidator: prompted,
		DreamDefaults: settings,
		Now:           time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(client.Options{
		HostPort: q.temporal.Address, Logger: slog.New(slog.DiscardHandler), Interceptors: []interceptor.ClientInterceptor{q},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := New(c, steps, Options{ModelConcurrency: 1, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return q
}

// InterceptActivity has a queueing see each step.
func (q *queueing) InterceptActivity(_ context.Context,
	next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &seen{interceptor.ActivityInboundInterceptorBase{Next: next}, q}
}

// seen are the steps that a queueing sees.
type seen struct {
	interceptor.ActivityInboundInterceptorBase
	q *queueing
}

// ExecuteActivity notes the step's priority. Steps on the main queue mostly wait in none: they are handed out with the task
// of their workflow.
func (s *seen) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if info := activity.GetInfo(ctx); !info.IsLocalActivity && info.TaskQueue != workflows.TaskQueue {
		s.q.mu.Lock()
		s.q.priorities[fmt.Sprintf("%s %d %s", info.ActivityType.Name, info.Priority.PriorityKey, info.Priority.FairnessKey)] = true
		s.q.mu.Unlock()
	}
	return s.Next.ExecuteActivity(ctx, in)
}

// as is an owner of an agent of a workspace.
func as(workspace, agent, name string) memory.Identity {
	id := owner(name)
	id.Workspace, id.Agent = workspace, agent
	return id
}

// night lets owners of a new agent of a workspace make statements on three days, the last of them yesterday, and triggers its schedule.
func (q *queueing) night(t *testing.T, workspace, agent string, owners, parallel int) {
	t.Helper()
	q.agent(workspace, agent, "UTC", setting.AgentSettings{})
	for i := range owners {
		name := fmt.Sprintf("%s-%d", agent, i)
		changes := []memory.Change{(dreamWorld{}).replace(memory.MemoryPath, before(name))}
		for ago := range 3 {
			day := time.Now().UTC().AddDate(0, 0, -1-ago).Format(time.DateOnly)
			changes = append(changes, (dreamWorld{}).replace("memory/"+day+".md", "# "+day+"\n\n- "+statement(name)+"\n"))
		}
		if _, err := q.store.Apply(t.Context(), as(workspace, agent, name), uuid.NewString(), changes); err != nil {
			t.Fatal(err)
		}
	}
	plan := activities.DreamPlan{AgentRef: activities.AgentRef{Workspace: workspace, Agent: agent}, TimeZone: "UTC"}
	plan.MemoryEnabled, plan.DreamingEnabled, plan.Cron, plan.Parallel = true, true, "0 2 1 1 *", parallel
	err := workflows.EnsureDreamSchedule(t.Context(), q.client, func(context.Context) (workflows.DreamPlan, error) { return plan, nil },
		time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := q.client.ScheduleClient().GetHandle(t.Context(), workflows.DreamScheduleID(plan.AgentRef)).Trigger(t.Context(),
		client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
}

// talk lets an owner of an agent make a statement that is extracted at once.
func (q *queueing) talk(t *testing.T, workspace, agent string) {
	t.Helper()
	batch := talk.Batch{Conversation: "talk", Trigger: memory.TriggerAPI, TurnComplete: true}
	for i, content := range []string{"Hello there.", "Hello, how are you?", statement("talk-0"), "I see."} {
		role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
		batch.Messages = append(batch.Messages, memory.Message{ID: fmt.Sprint(i), Role: role, Content: content, CreatedAt: time.Now()})
	}
	stored, err := q.store.AppendMessages(t.Context(), as(workspace, agent, "talk-0"), batch)
	if err != nil {
		t.Fatal(err)
	}
	ref := memory.OwnerRef{Workspace: workspace, Agent: agent, Owner: stored.OwnerID}
	if err := workflows.TurnCompleted(t.Context(), q.client, ref, setting.Timing{Quiet: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
}

// waiting waits until so many requests wait for the model, besides the one that it has.
func (q *queueing) waiting(t *testing.T, want int) {
	t.Helper()
	var backlog int64
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		queue, err := q.client.WorkflowService().DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
			Namespace: client.DefaultNamespace, TaskQueue: &taskqueuepb.TaskQueue{Name: workflows.ModelQueue},
			TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY, ReportStats: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		backlog = queue.GetStats().GetApproximateBacklogCount()
		if backlog >= int64(want) {
			return
		}
	}
	t.Fatalf("%d requests wait for the model, want %d", backlog, want)
}

// served has the model answer, waits until so many were served, and returns whom in which order.
func (q *queueing) served(t *testing.T, want int) []string {
	t.Helper()
	close(q.answer)
	var order []string
	for deadline := time.Now().Add(3 * time.Minute); len(order) < want && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		q.mu.Lock()
		order = slices.Clone(q.order)
		q.mu.Unlock()
	}
	if len(order) != want {
		t.Fatalf("the model served %d, want %d", len(order), want)
	}
	return order
}

// An agent with many owners whose nights are let loose all at once delays neither another workspace's night nor a conversation.
func TestWorkspacesTakeTurnsAtTheModel(t *testing.T) {
	const noisy = 60
	q := newQueueing(t)
	q.night(t, "acme", "noisy", noisy, noisy)
	<-q.asked
	q.waiting(t, noisy-1)
	q.night(t, "beta", "quiet", 1, 1)
	q.waiting(t, noisy)
	q.talk(t, "beta", "quiet")
	q.waiting(t, noisy+1)
	order := q.served(t, noisy+2)
	talked, dreamt := slices.Index(order, "talk-0")+1, slices.Index(order, "quiet-0")+1
	t.Logf("of %d requests, the conversation's was number %d and the quiet agent's number %d", len(order), talked, dreamt)
	if talked == 0 || talked > 3 {
		t.Errorf("the conversation was number %d in %v", talked, order)
	}
	if dreamt == 0 || dreamt > noisy/4 {
		t.Errorf("the quiet agent's dream was number %d in %v", dreamt, order)
	}
	want := []string{
		"Consolidate 5 acme", "Consolidate 5 beta", "Propose 3 beta", "StartDreams 5 acme", "StartDreams 5 beta", "Tidy 5 acme", "Tidy 5 beta",
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for until := time.Now().Add(time.Minute); len(q.priorities) < len(want) && time.Now().Before(until); { // dreams tidy when they are written
		q.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		q.mu.Lock()
	}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(q.priorities))); d != "" {
		t.Errorf("steps that queued, with their priorities (-want +got):\n%s", d)
	}
}

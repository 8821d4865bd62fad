package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory/setting"
	"reverie/workflows"
)

// slotsUsed counts how many steps of each queue run at once. The steps do nothing but wait until all slots of the main queue are used, and
// a while longer, so that more would begin if they could.
type slotsUsed struct {
	interceptor.InterceptorBase

	mu        sync.Mutex
	now, most map[string]int // by queue
	main      int            // slots of the main queue
	used      chan struct{}  // closed when all of them are
}

func (s *slotsUsed) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &countedStep{interceptor.ActivityInboundInterceptorBase{Next: next}, s}
}

type countedStep struct {
	interceptor.ActivityInboundInterceptorBase

	*slotsUsed
}

func (s *countedStep) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	queue := activity.GetInfo(ctx).TaskQueue
	if queue == workflows.TaskQueue && !activity.GetInfo(ctx).IsLocalActivity {
		return s.Next.ExecuteActivity(ctx, in) // the index of the agent is tended beside: regular steps have separate slots
	}
	s.mu.Lock()
	s.now[queue]++
	if s.most[queue] < s.now[queue] {
		if s.most[queue] = s.now[queue]; queue == workflows.TaskQueue && s.now[queue] == s.main {
			close(s.used)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.used:
	case <-ctx.Done():
	}
	time.Sleep(200 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[queue]--
	return nil, temporal.NewNonRetryableApplicationError("it does nothing", "test", nil)
}

// One worker imports one snapshot at a time, because each holds a whole archive; and runs no more steps of the store at once than it has
// connections, however many workflows there are.
func TestSlots(t *testing.T) {
	const many, conns = 12, 3
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	s := &slotsUsed{now: map[string]int{}, most: map[string]int{}, main: conns, used: make(chan struct{})}
	c, err := client.Dial(client.Options{
		HostPort: w.temporal.Address, Logger: slog.New(slog.DiscardHandler), Interceptors: []interceptor.ClientInterceptor{s},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	steps, err := activities.New(activities.Options{
		Store: w.store, Defaults: setting.DefaultExtractSettings(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	worker := New(c, steps, Options{DatabaseConns: conns, ModelConcurrency: 1, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(worker.Stop)
	var runs []client.WorkflowRun
	for n := range many {
		agent := activities.AgentRef{Workspace: "acme", Agent: "ada"}
		snapshot, err := workflows.StartImportSnapshot(t.Context(), c, workflows.ImportSnapshotInput{AgentRef: agent, Import: uuid.New(), Particular: true})
		if err != nil {
			t.Fatal(err)
		}
		write, err := workflows.StartWrite(t.Context(), c, activities.WriteRef{
			Workspace: "acme", Agent: "ada", RequestID: fmt.Sprint(n), Write: uuid.New(),
		})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, snapshot, write)
	}
	for _, run := range runs {
		err := run.Get(t.Context(), nil)
		if app, is := errors.AsType[*temporal.ApplicationError](err); !is || app.Type() != "test" {
			t.Errorf("%s: %v", run.GetID(), err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for queue, want := range map[string]int{workflows.SnapshotQueue: 1, workflows.TaskQueue: conns} {
		if s.most[queue] != want {
			t.Errorf("%s: %d steps at once, want %d", queue, s.most[queue], want)
		}
	}
}

// A pool without a size has the store's default. The SDK needs two slots for workflow tasks.
func TestSlotsFollowConnections(t *testing.T) {
	t.Parallel()
	for conns, want := range map[int][2]int{0: {defaultConns, tasksPerConn * defaultConns}, 1: {1, tasksPerConn}, 48: {48, tasksPerConn * 48}} {
		o := slots(conns)
		if got := [2]int{o.MaxConcurrentActivityExecutionSize, o.MaxConcurrentWorkflowTaskExecutionSize}; got != want ||
			o.MaxConcurrentLocalActivityExecutionSize != want[0] {
			t.Errorf("%d connections: %v and %d local ones, want %v", conns, got, o.MaxConcurrentLocalActivityExecutionSize, want)
		}
	}
}

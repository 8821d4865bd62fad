package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/talk"
	"reverie/workflows"
)

// crowd is a world whose model takes its time for each of its slots, and notes whom it serves.
type crowd struct {
	*world
	slots int
	takes time.Duration
	held  atomic.Pointer[chan struct{}] // the model answers once it is closed

	mu    sync.Mutex
	order []string // conversations, as their proposals began
	done  []string // and as they ended
	at    map[string]time.Time
}

func newCrowd(tb testing.TB, slots int, takes time.Duration, o Options) *crowd {
	tb.Helper()
	c := &crowd{world: newWorld(tb), slots: slots, takes: takes, at: map[string]time.Time{}}
	c.agent("acme", "ada", "UTC", setting.AgentSettings{})
	c.agent("beta", "bob", "UTC", setting.AgentSettings{})
	steps, err := activities.New(activities.Options{
		Store: c.store, Proposer: c, Paid: true, Defaults: setting.DefaultExtractSettings(), Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}
	o.DatabaseConns, o.ModelConcurrency, o.SweepInterval, o.Log = 8, slots, time.Hour, slog.New(slog.DiscardHandler)
	w := New(c.client, steps, o)
	if err := w.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.Stop)
	return c
}

// Propose answers that there is nothing to keep.
func (c *crowd) Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	_, who, _ := strings.Cut(in.Transcript[0].Text, "I am ")
	c.mu.Lock()
	c.order = append(c.order, who)
	c.mu.Unlock()
	if held := c.held.Load(); held != nil {
		select {
		case <-*held:
		case <-ctx.Done():
			return proposals.Answer{}, ctx.Err()
		}
	}
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
		return proposals.Answer{}, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = append(c.done, who)
	c.at[who] = time.Now()
	raw, err := json.Marshal(proposals.Proposal{Reason: "nothing"})
	return proposals.Answer{Raw: string(raw), Model: "scripted", PromptVersion: "p@1"}, err
}

// hold has the model wait with its answers until the returned function is called.
func (c *crowd) hold() (release func()) {
	held := make(chan struct{})
	c.held.Store(&held)
	return func() {
		c.held.Store(nil)
		close(held)
	}
}

// says lets an owner complete a turn, and returns when Temporal has it.
func (c *crowd) says(tb testing.TB, workspace, agent, who string, extract func(memory.OwnerRef, talk.Stored) error) {
	tb.Helper()
	batch := talk.Batch{Conversation: who, Trigger: memory.TriggerAPI, TurnComplete: true}
	for i := range 4 {
		role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
		batch.Messages = append(batch.Messages, memory.Message{ID: fmt.Sprint(i), Role: role, Content: "Let me tell you that I am " + who})
	}
	stored, err := c.store.AppendMessages(tb.Context(), as(workspace, agent, who), batch)
	if err != nil {
		tb.Fatal(err)
	}
	if err := extract(memory.OwnerRef{Workspace: workspace, Agent: agent, Owner: stored.OwnerID}, stored); err != nil {
		tb.Fatal(err)
	}
}

// turn signals a completed turn.
func (c *crowd) turn(tb testing.TB) func(memory.OwnerRef, talk.Stored) error {
	tb.Helper()
	return func(ref memory.OwnerRef, _ talk.Stored) error {
		return workflows.TurnCompleted(tb.Context(), c.client, ref, setting.Timing{Quiet: time.Millisecond})
	}
}

// imported extracts a conversation as an import does, without waiting for the result.
func (c *crowd) imported(ctx context.Context, tb testing.TB, wait *sync.WaitGroup) func(memory.OwnerRef, talk.Stored) error {
	tb.Helper()
	return func(ref memory.OwnerRef, stored talk.Stored) error {
		wait.Go(func() {
			_, err := workflows.Inboxes{Client: c.client}.Extract(ctx, activities.ExtractOrder{
				OwnerRef: ref, Conversation: stored.ConversationUID, Request: uuid.NewString(), Timing: setting.Timing{Quiet: time.Millisecond},
			})
			if err != nil && ctx.Err() == nil {
				tb.Error(err)
			}
		})
		return nil
	}
}

// waiting waits until so many steps wait for the model, besides those that it has.
func (c *crowd) waiting(tb testing.TB, want int) {
	tb.Helper()
	var backlog int64
	defer func() {
		if tb.Failed() {
			tb.Logf("%d steps wait for the model, want %d", backlog, want)
		}
	}()
	c.until(tb, func() bool {
		queue, err := c.client.WorkflowService().DescribeTaskQueue(tb.Context(), &workflowservice.DescribeTaskQueueRequest{
			Namespace: client.DefaultNamespace, TaskQueue: &taskqueuepb.TaskQueue{Name: workflows.ModelQueue},
			TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY, ReportStats: true,
		})
		if err != nil {
			tb.Fatal(err)
		}
		backlog = queue.GetStats().GetApproximateBacklogCount()
		return backlog >= int64(want)
	})
}

// until waits for a condition.
func (c *crowd) until(tb testing.TB, ok func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(20 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.mu.Lock()
			tb.Logf("began %q, ended %q", c.order, c.done)
			c.mu.Unlock()
			tb.Fatal("it takes too long")
		}
	}
}

// served waits until somebody's proposal has ended, and returns how many began before.
func (c *crowd) served(tb testing.TB, who string) (before int) {
	tb.Helper()
	c.until(tb, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for before = 0; before < len(c.order) && c.order[before] != who; before++ {
		}
		_, ended := c.at[who]
		return ended
	})
	return before
}

// Many owners of a workspace wait for the model, in turns or in an import. An owner of another workspace, and one who talks while an
// import of the same workspace waits, are served in the next round of the model's slots: they wait at most twice as long as alone.
func TestTheOneIsServedBesideTheMany(t *testing.T) {
	const many, slots = 60, 4
	for name, c := range map[string]struct {
		imports   bool
		workspace string
		agent     string
	}{
		"another workspace": {false, "beta", "bob"},
		"beside an import":  {true, "acme", "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCrowd(t, slots, 200*time.Millisecond, Options{})
			var imports sync.WaitGroup
			defer imports.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			extract := w.turn(t)
			if c.imports {
				extract = w.imported(ctx, t, &imports)
			}
			release := w.hold()
			for i := range many {
				w.says(t, "acme", "ada", fmt.Sprint("many-", i), extract)
			}
			w.waiting(t, many-slots)
			w.says(t, c.workspace, c.agent, "one", w.turn(t))
			w.waiting(t, many-slots+1)
			release()
			before := w.served(t, "one")
			t.Logf("%d of %d began before, in %d slots", before, many, slots)
			if before > 2*slots {
				t.Errorf("%d proposals began before it, more than those that the model had and one round", before)
			}
			w.until(t, func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				return len(w.done) == many+1
			})
		})
	}
}

// All workers together start no more steps than the rate of the model.
func TestTheRateOfTheModel(t *testing.T) {
	const many, slots, rate = 10, 10, .4
	w := newCrowd(t, slots, time.Millisecond, Options{ModelRate: rate})
	for i := range many {
		w.says(t, "acme", "ada", fmt.Sprint("many-", i), w.turn(t))
	}
	w.until(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.done) == many
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	first, last := w.at[w.done[0]], w.at[w.done[many-1]]
	got := float64(many-1) / last.Sub(first).Seconds()
	t.Logf("%.1f steps per second, the rate is %.1f", got, rate)
	if got > 1.5*rate { // the first steps may be a burst
		t.Errorf("%.1f steps per second, the rate is %.1f", got, rate)
	}
}

// mostWaiting bounds how much longer than alone an owner waits beside any number of others.
const mostWaiting = 2

// BenchmarkTheOneBesideTheMany prints how much longer an owner waits while 2,000 of another workspace wait, than alone; with -short,
// while 200 do. It fails beyond mostWaiting.
func BenchmarkTheOneBesideTheMany(b *testing.B) {
	const slots, samples = 4, 10
	many := 2000
	if testing.Short() {
		many = 200
	}
	w := newCrowd(b, slots, 500*time.Millisecond, Options{})
	measure := func(prefix string) (total time.Duration) {
		for i := range samples {
			who := fmt.Sprint(prefix, i)
			began := time.Now()
			w.says(b, "beta", "bob", who, w.turn(b))
			w.served(b, who)
			w.mu.Lock()
			total += w.at[who].Sub(began)
			w.mu.Unlock()
		}
		return total
	}
	for b.Loop() {
		alone := measure("alone-")
		release := w.hold()
		for i := range many {
			w.says(b, "acme", "ada", fmt.Sprint("many-", i), w.turn(b))
		}
		w.waiting(b, many-slots)
		release()
		beside := measure("beside-")
		w.mu.Lock()
		waiting := many + 2*samples - len(w.done)
		w.mu.Unlock()
		b.Logf("alone %s, beside %d others %s, ratio %.2f; %d still wait", alone/samples, many, beside/samples,
			float64(beside)/float64(alone), waiting)
		ratio := float64(beside) / float64(alone)
		b.ReportMetric(ratio, "ratio")
		if ratio > mostWaiting || waiting == 0 {
			b.Errorf("it waits %.2f times as long as alone, more than %d, or the others (%d) did not wait", ratio, mostWaiting, waiting)
		}
	}
}

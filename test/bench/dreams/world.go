package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/test/bench/services"
	"reverie/worker"
	"reverie/workflows"
)

// world is the measured system: private servers, a scripted model, and the worker in this process.
type world struct {
	services.Cleanup

	seed     uint64
	store    *store.Store
	calls    *services.Calls
	url      string // of the database, for its superuser
	temporal client.Client
	server   *llmtest.Server
	model    activities.Prompted
	floor    *floor
}

const (
	connections = 32 // to the database
	writers     = 4  // concurrent writers of generated data
	patience    = 30 * time.Minute
)

func newWorld(ctx context.Context, dir string, seed uint64, delay time.Duration) (_ *world, err error) {
	w := &world{seed: seed, calls: &services.Calls{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	s, err := services.Start(ctx, services.Options{Dir: dir, Progress: services.Say})
	if err != nil {
		return nil, err
	}
	w.Add(s.Stop)
	w.url = s.DatabaseURL
	if w.store, err = store.Open(ctx, w.url, store.Options{MaxConns: connections, Tracer: w.calls}); err != nil {
		return nil, err
	}
	w.Add(func() error { w.store.Close(); return nil })
	if err := w.store.EnsureWorkspace(ctx, services.Workspace, services.Workspace); err != nil {
		return nil, err
	}
	if _, w.temporal, err = services.StartTemporal(ctx, &w.Cleanup, filepath.Join(dir, "temporal.log")); err != nil {
		return nil, err
	}
	if w.server, w.model, err = startModel(delay); err != nil {
		return nil, err
	}
	w.Add(func() error { w.server.Close(); return nil })
	w.floor = &floor{client: w.temporal, delay: delay}
	return w, nil
}

// steps returns the worker's steps, with or without the model.
func (w *world) steps(withModel bool) (*activities.Activities, error) {
	settings := setting.DefaultDreamSettings()
	o := activities.Options{Store: w.store, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	if withModel {
		o.Consolidator, settings.Paid = w.model, true
	}
	o.DreamDefaults = settings
	return activities.New(o)
}

// work runs the worker until stop is called. It returns when the work found at its start is done.
func (w *world) work(ctx context.Context, withModel bool, models int) (stop func(), err error) {
	steps, err := w.steps(withModel)
	if err != nil {
		return nil, err
	}
	running := worker.New(w.temporal, steps, worker.Options{
		ModelConcurrency: models, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler),
	})
	if err := running.Start(); err != nil {
		return nil, err
	}
	if err := w.settle(ctx); err != nil {
		running.Stop()
		return nil, err
	}
	return running.Stop, nil
}

// settle waits until no workflow runs for a moment.
func (w *world) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for quiet := 0; quiet < 3; {
		n, err := w.count(ctx, "ExecutionStatus = 'Running'")
		if err != nil {
			return err
		}
		if quiet++; n > 0 {
			quiet = 0
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d workflows did not end: %w", n, ctx.Err())
		}
	}
	return nil
}

// count returns the number of workflow executions. Temporal's index of them is eventually consistent.
func (w *world) count(ctx context.Context, query string) (int64, error) {
	answer, err := w.temporal.CountWorkflow(ctx,
		&workflowservice.CountWorkflowExecutionsRequest{Namespace: client.DefaultNamespace, Query: query})
	return answer.GetCount(), err
}

// newAgent creates an agent without owners.
func (w *world) newAgent(ctx context.Context, agent string) error {
	root := memory.Identity{Workspace: services.Workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "bench"}}
	_, err := w.store.CreateAgent(ctx, root, admin.NewAgent{ID: agent, TimeZone: "UTC"})
	return err
}

// owner returns the n-th owner of an agent.
func owner(n int) memory.Owner { return memory.Owner(fmt.Sprintf("user:%d", n)) }

// populate creates an agent whose owners all had the same kind of week.
func (w *world) populate(ctx context.Context, agent string, owners int, size week) error {
	if err := w.newAgent(ctx, agent); err != nil {
		return err
	}
	return services.Parallel(ctx, writers, owners, func(ctx context.Context, n int) error { return w.live(ctx, agent, n, size) })
}

// live gives one owner a week.
func (w *world) live(ctx context.Context, agent string, n int, size week) error {
	return newWriter(w.seed, fmt.Sprint(agent, "/", n)).write(ctx, w.store, agent, owner(n), size, time.Now().UTC())
}

// news returns all owners of an agent with news.
func (w *world) news(ctx context.Context, agent string) ([]memory.OwnerRef, error) {
	id := memory.Identity{Workspace: services.Workspace, Agent: agent, AnyOwner: true, Role: memory.RoleMember}
	var out []memory.OwnerRef
	after := uuid.Nil
	for {
		page, err := w.store.News(ctx, id, after, activities.NewsPage)
		if err != nil || len(page) == 0 {
			return out, err
		}
		out = append(out, page...)
		after = page[len(page)-1].Owner
	}
}

// startNight starts a night of an agent, as its schedule does.
func (w *world) startNight(ctx context.Context, agent string, parallel int) (client.WorkflowRun, error) {
	ref := activities.AgentRef{Workspace: services.Workspace, Agent: agent}
	return w.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: workflows.DreamNightID(ref) + "-" + uuid.NewString(), TaskQueue: workflows.TaskQueue,
	}, workflows.DreamNight, workflows.DreamNightInput{AgentRef: ref, TimeZone: "UTC", Cron: "0 2 * * *", Parallel: parallel})
}

// errNotDreamt returns the error for a night with an unexpected outcome.
func errNotDreamt(agent string, got workflows.DreamNightResult, want int) error {
	return fmt.Errorf("the night of %s had %d owners with outcomes %v (%d late), want %d written", agent, got.Owners, got.Outcomes,
		got.Late, want)
}

// answerTokens bounds an answer: a MEMORY.md of maximum size fits.
const answerTokens = 8000

// startModel starts a model on loopback with a response time, and opens it as the program does.
func startModel(delay time.Duration) (*llmtest.Server, activities.Prompted, error) {
	server, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{
		Script: llmtest.Always(llmtest.Slow(delay)), Answer: consolidated, Keep: 1,
	})
	if err != nil {
		return nil, activities.Prompted{}, err
	}
	model, err := llm.Open(llm.Config{
		Provider: "openai", Model: "scripted", APIKey: "key", BaseURL: server.URL + "/v1", Timeout: delay + time.Minute,
	})
	if err != nil {
		server.Close()
		return nil, activities.Prompted{}, err
	}
	return server, activities.Prompted{Model: model, MaxTokens: answerTokens}, nil
}

var (
	memoryShown    = regexp.MustCompile(`(?s)<<<MEMORY\.md (\S+)\n(.*?)\n\S+ MEMORY\.md>>>`)
	candidateShown = regexp.MustCompile(`(?m)^\d+\. (.*) \(score [^()]*\)$`)
)

// consolidated returns a well-behaved model's answer: the MEMORY.md from the prompt, with every candidate appended.
func consolidated(prompt string) string {
	var text strings.Builder
	if shown := memoryShown.FindStringSubmatch(prompt); shown != nil {
		text.WriteString(strings.TrimRight(shown[2], "\n") + "\n")
	}
	text.WriteString("\n## Lately\n\n")
	for _, candidate := range candidateShown.FindAllStringSubmatch(prompt, -1) {
		text.WriteString("- " + candidate[1] + "\n")
	}
	answer, err := json.Marshal(proposals.Consolidation{ShouldUpdate: true, Reason: "it came up on several days", MemoryContent: text.String()})
	if err != nil { // a struct of strings can always be encoded
		return llmtest.Nothing
	}
	return string(answer)
}

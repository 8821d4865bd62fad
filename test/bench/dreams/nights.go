package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// nights is the cost of a night of many agents.
type nights struct {
	Agents int `json:"agents"`
	Each   int `json:"ownersOfEach"`
	News   int `json:"ownersWithNews"`
	// Empty is the cost of as many workflows as agents, each with one empty step: Temporal's share.
	Empty cost `json:"empty"`
	// Quiet is a night in which nobody has news.
	Quiet cost `json:"quiet"`
	// Sparse is a night of all agents, with the news spread over their owners.
	Sparse cost `json:"sparse"`
	// Dense is a night of few agents with as much news: all of their owners have some.
	Dense cost `json:"dense"`
	// DenseAgents is the number of agents of the dense night.
	DenseAgents int `json:"denseAgents"`
	// TimeShare, CPUShare and StatementShare compare the sparse night with the sum of the dense and the quiet one.
	TimeShare      float64 `json:"timeToSum"`
	CPUShare       float64 `json:"cpuToSum,omitempty"`
	StatementShare float64 `json:"statementsToSum"`
}

// cost is the cost of one night.
type cost struct {
	Seconds    float64 `json:"seconds"` // until the last agent's night is over
	Trips      int64   `json:"trips"`   // to the database
	Statements int64   `json:"statements"`
	Workflows  int64   `json:"workflows"` // started
	// CPU seconds of the worker including the benchmark, of the database and of Temporal; 0: unknown on this system.
	Worker   float64 `json:"workerCPU,omitempty"`
	Database float64 `json:"databaseCPU,omitempty"`
	Temporal float64 `json:"temporalCPU,omitempty"`
}

func (c cost) cpu() float64 { return c.Worker + c.Database + c.Temporal }

// starters is the number of nights started concurrently.
const starters = 16

// agentName returns the name of the n-th agent.
func agentName(n int) string { return fmt.Sprintf("night-%05d", n) }

// nights measures the nights one after the other.
func (b *bench) nights(ctx context.Context) (*nights, error) {
	w := b.world
	n := &nights{Agents: b.agents, Each: b.each, News: max(1, int(float64(b.agents*b.each)*b.share+.5))}
	n.DenseAgents = max(1, (n.News+b.each-1)/b.each)
	n.News = n.DenseAgents * b.each // whole agents, so that both nights have the same news
	if n.News > b.agents*b.each {
		return nil, fmt.Errorf("%d agents have fewer than %d owners", b.agents, n.News)
	}
	services.Say("bench", fmt.Sprintf("creating %d agents with %d owners each", b.agents, b.each))
	if err := b.settled(ctx, n); err != nil {
		return nil, err
	}
	stop, err := w.work(ctx, false, 1)
	if err != nil {
		return nil, err
	}
	defer stop()
	stopFloor, err := w.floor.work(1)
	if err != nil {
		return nil, err
	}
	defer stopFloor()
	everybody, few := make([]string, b.agents), make([]string, n.DenseAgents)
	for i := range everybody {
		everybody[i] = agentName(i)
	}
	for i := range few {
		few[i] = agentName(b.agents + i)
	}
	if _, err := w.quiet(ctx, everybody[:min(len(everybody), 50)]); err != nil { // warm up
		return nil, err
	}
	services.Say("bench", "nights without news")
	if n.Empty, err = w.emptyNights(ctx, b.agents); err != nil {
		return nil, err
	}
	if n.Quiet, err = w.quiet(ctx, everybody); err != nil {
		return nil, err
	}
	services.Say("bench", fmt.Sprintf("%d owners with news", n.News))
	if err := b.addNews(ctx, n); err != nil {
		return nil, err
	}
	if n.Dense, err = w.nightsOf(ctx, few, n.News); err != nil {
		return nil, err
	}
	if n.Sparse, err = w.nightsOf(ctx, everybody, n.News); err != nil {
		return nil, err
	}
	n.TimeShare = n.Sparse.Seconds / (n.Dense.Seconds + n.Quiet.Seconds)
	n.StatementShare = float64(n.Sparse.Statements) / float64(n.Dense.Statements+n.Quiet.Statements)
	if sum := n.Dense.cpu() + n.Quiet.cpu(); sum > 0 {
		n.CPUShare = n.Sparse.cpu() / sum
	}
	return n, nil
}

// settled creates all agents, with owners who have no news.
func (b *bench) settled(ctx context.Context, n *nights) error {
	all := b.agents + n.DenseAgents
	if err := services.Parallel(ctx, writers, all,
		func(ctx context.Context, i int) error { return b.world.newAgent(ctx, agentName(i)) }); err != nil {
		return err
	}
	return b.world.exec(ctx, `
		insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
		select $1, 'night-' || lpad(a::text, 5, '0'), 'user:' || o, gen_random_uuid(), now()
		from generate_series(0, $2::int - 1) a, generate_series(0, $3::int - 1) o`, services.Workspace, all, b.each)
}

// addNews gives owners a week of news: all of the few agents', and as many of the others'.
func (b *bench) addNews(ctx context.Context, n *nights) error {
	rng := rand.New(rand.NewPCG(b.seed, 1)) //nolint:gosec // the same seed must give the same nights
	var who [][2]int
	for _, i := range rng.Perm(b.agents * b.each)[:n.News] {
		who = append(who, [2]int{i / b.each, i % b.each})
	}
	for i := range n.News {
		who = append(who, [2]int{b.agents + i/b.each, i % b.each})
	}
	if err := services.Parallel(ctx, writers, len(who), func(ctx context.Context, i int) error {
		return b.world.live(ctx, agentName(who[i][0]), who[i][1], usualWeek)
	}); err != nil {
		return err
	}
	return b.world.exec(ctx, "vacuum analyze")
}

// exec runs a statement as the superuser.
func (w *world) exec(ctx context.Context, sql string, args ...any) error {
	db, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, sql, args...)
	return errors.Join(err, db.Close(context.WithoutCancel(ctx)))
}

// quiet measures a night of agents without news.
func (w *world) quiet(ctx context.Context, agents []string) (cost, error) {
	return w.nightsOf(ctx, agents, 0)
}

// emptyNights measures as many workflows with one local step.
func (w *world) emptyNights(ctx context.Context, n int) (cost, error) {
	return w.costOf(ctx, n, func(ctx context.Context, _ int) (client.WorkflowRun, error) {
		return w.floor.begin(ctx, floorNight{})
	}, func(ctx context.Context, run client.WorkflowRun) error { return run.Get(ctx, nil) })
}

// nightsOf measures nights of agents, all started at once, and fails unless the expected number of owners have
// written.
func (w *world) nightsOf(ctx context.Context, agents []string, news int) (cost, error) {
	written := 0
	c, err := w.costOf(ctx, len(agents), func(ctx context.Context, i int) (client.WorkflowRun, error) {
		return w.startNight(ctx, agents[i], 0)
	}, func(ctx context.Context, run client.WorkflowRun) error {
		var result workflows.DreamNightResult
		err := run.Get(ctx, &result)
		written += result.Outcomes[string(memory.OutcomeWritten)]
		return err
	})
	if err == nil && written != news {
		err = fmt.Errorf("%d owners have written, want %d", written, news)
	}
	return c, err
}

// costOf starts n workflows, waits for all of them, and returns the cost up to when nothing is running.
func (w *world) costOf(ctx context.Context, n int, start func(context.Context, int) (client.WorkflowRun, error),
	wait func(context.Context, client.WorkflowRun) error,
) (c cost, err error) {
	if err := w.settle(ctx); err != nil {
		return c, err
	}
	workflowsBefore, err := w.count(ctx, "")
	if err != nil {
		return c, err
	}
	runs := make([]client.WorkflowRun, n)
	callsBefore, cpuBefore, began := w.calls.Total(), services.UsedCPU(), time.Now()
	if err := services.Parallel(ctx, starters, n, func(ctx context.Context, i int) (err error) {
		runs[i], err = start(ctx, i)
		return err
	}); err != nil {
		return c, err
	}
	for _, run := range runs {
		if err := wait(ctx, run); err != nil {
			return c, err
		}
	}
	took, called, used := time.Since(began), w.calls.Since(callsBefore), services.UsedCPU().Since(cpuBefore)
	if err := w.settle(ctx); err != nil {
		return c, err
	}
	workflowsAfter, err := w.count(ctx, "")
	return cost{
		Seconds: took.Seconds(), Trips: called.Trips, Statements: called.Statements, Workflows: workflowsAfter - workflowsBefore,
		Worker: used.Worker.Seconds(), Database: used.Database.Seconds(), Temporal: used.Temporal.Seconds(),
	}, err
}

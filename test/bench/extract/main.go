// Command extract measures extraction with the built-in engine next to a floor, workflows of empty steps on the same
// Temporal, alternating in the same run. It starts a private PostgreSQL and Temporal and the real API and worker
// processes, and prints throughput, latency from the last message to the committed write, memory, and the ratio.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/devenv"
	"reverie/test/bench/services"
	"reverie/test/deployment"
)

func main() {
	var b bench
	flag.IntVar(&b.items, "n", 200, "extractions per round")
	flag.IntVar(&b.rounds, "rounds", 3, "rounds, each of the floor and of Reverie")
	flag.IntVar(&b.clients, "clients", 16, "conversations posted concurrently")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

const (
	adminKey         = "bench-admin-key-of-a-private-server"
	modelConcurrency = 8
	patience         = 10 * time.Minute // per round
)

type bench struct {
	items, rounds, clients int

	db       *pgx.Conn
	temporal client.Client
	api      deployment.Client
	worker   *deployment.Process
	server   *deployment.Process
}

// figures are the results of one round.
type figures struct {
	perSecond float64
	latencies []time.Duration // sorted
}

func (f figures) percentile(p int) time.Duration { return f.latencies[(len(f.latencies)-1)*p/100] }

func (b *bench) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "reverie-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stop, err := b.start(ctx, dir)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return err
	}
	f := &floor{finished: make(chan floorTime, b.items)}
	stopFloor, err := f.start(b.temporal, modelConcurrency)
	if err != nil {
		return err
	}
	defer stopFloor()

	var floors, ours []figures
	fmt.Printf("%d extractions a round, %d at once\n\n%-8s %6s %12s %10s %10s\n", b.items, b.clients, "", "round", "per second", "p50", "p95")
	for round := range b.rounds + 1 { // round 0 warms up
		a, err := b.floorRound(ctx, f)
		if err != nil {
			return fmt.Errorf("floor: %w", err)
		}
		o, err := b.ourRound(ctx, fmt.Sprintf("round%d-", round))
		if err != nil {
			return fmt.Errorf("reverie: %w", err)
		}
		if round == 0 {
			continue
		}
		floors, ours = append(floors, a), append(ours, o)
		for name, r := range map[string]figures{"floor": a, "reverie": o} {
			fmt.Printf("%-8s %6d %12.1f %10s %10s\n", name, round, r.perSecond, r.percentile(50).Round(time.Millisecond),
				r.percentile(95).Round(time.Millisecond))
		}
	}
	if err := b.alone(ctx, f); err != nil {
		return err
	}
	return b.report(floors, ours)
}

// aloneItems is the number of extractions measured one at a time.
const aloneItems = 30

// alone measures latency without load: one extraction at a time.
func (b *bench) alone(ctx context.Context, f *floor) error {
	one := *b
	one.items, one.clients = 1, 1
	var floors, ours figures
	for n := range aloneItems {
		a, err := one.floorRound(ctx, f)
		if err != nil {
			return err
		}
		o, err := one.ourRound(ctx, fmt.Sprintf("alone%d-", n))
		if err != nil {
			return err
		}
		floors.latencies, ours.latencies = append(floors.latencies, a.latencies...), append(ours.latencies, o.latencies...)
	}
	slices.Sort(floors.latencies)
	slices.Sort(ours.latencies)
	fmt.Printf("\none at a time, last message to committed write: floor p50 %s p95 %s, reverie p50 %s p95 %s\n",
		floors.percentile(50).Round(time.Millisecond), floors.percentile(95).Round(time.Millisecond),
		ours.percentile(50).Round(time.Millisecond), ours.percentile(95).Round(time.Millisecond))
	return nil
}

func (b *bench) report(floors, ours []figures) error {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i].perSecond/floors[i].perSecond)
	}
	slices.Sort(ratios)
	fmt.Printf("\nthroughput, reverie / floor: median %.2f (%.2f to %.2f); minimum 0.80\n",
		ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	for name, p := range map[string]*deployment.Process{"api": b.server, "worker": b.worker} {
		peak, err := p.PeakMemory()
		if err != nil {
			return err
		}
		fmt.Printf("peak memory of %s: %.0f MiB\n", name, float64(peak)/(1<<20))
	}
	return nil
}

// start starts PostgreSQL, Temporal, the API and the worker.
func (b *bench) start(ctx context.Context, dir string) (stop func() error, err error) {
	var cleanup services.Cleanup
	stop = cleanup.Close
	pg, err := devenv.StartPostgres(ctx, devenv.PostgresOptions{Dir: filepath.Join(dir, "postgres"), Progress: services.Say})
	if err != nil {
		return stop, err
	}
	cleanup.Add(func() error { return pg.Stop(ctx) })
	if err := pg.EnsureDatabase(ctx, "bench"); err != nil {
		return stop, err
	}
	temporal, connected, err := services.StartTemporal(ctx, &cleanup, filepath.Join(dir, "temporal.log"))
	if err != nil {
		return stop, err
	}
	b.temporal = connected
	if b.db, err = pgx.Connect(ctx, pg.URL("bench")); err != nil {
		return stop, err
	}
	cleanup.Add(func() error { return b.db.Close(ctx) })

	program, err := deployment.Build(ctx, dir)
	if err != nil {
		return stop, err
	}
	address, err := deployment.FreeAddress()
	if err != nil {
		return stop, err
	}
	env := []string{
		"REVERIE_DATABASE_URL=" + pg.URL("bench"), "REVERIE_TEMPORAL_ADDRESS=" + temporal, "REVERIE_ADMIN_KEY=" + adminKey,
		"REVERIE_ADDR=" + address, "REVERIE_WORKER_METRICS_ADDR=off", "REVERIE_QUIET_PERIOD=0s", "REVERIE_COOLDOWN=0s",
		fmt.Sprintf("REVERIE_LLM_CONCURRENCY=%d", modelConcurrency), "REVERIE_LOG_LEVEL=warn",
	}
	migrate, err := deployment.Start(program, env, filepath.Join(dir, "migrate.log"), "migrate")
	if err != nil {
		return stop, err
	}
	<-migrate.Done()
	if b.server, err = deployment.Start(program, env, filepath.Join(dir, "api.log"), "api"); err != nil {
		return stop, err
	}
	cleanup.Add(func() error { return b.server.Stop(time.Minute) })
	if b.worker, err = deployment.Start(program, env, filepath.Join(dir, "worker.log"), "worker"); err != nil {
		return stop, err
	}
	cleanup.Add(func() error { return b.worker.Stop(time.Minute) })
	b.api = deployment.Client{URL: "http://" + address, Key: adminKey}
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := b.api.WaitReady(ready); err != nil {
		return stop, err
	}
	return stop, b.api.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": "bench", "name": "Bench", "timeZone": "UTC"}, nil)
}

// each calls f for every item, with one goroutine per client.
func (b *bench) each(ctx context.Context, f func(item int) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return services.Parallel(ctx, b.clients, b.items, func(_ context.Context, item int) error { return f(item) })
}

func (b *bench) floorRound(ctx context.Context, f *floor) (figures, error) {
	began := time.Now()
	err := b.each(ctx, func(int) error {
		_, err := b.temporal.SignalWithStartWorkflow(ctx, "floor/"+uuid.NewString(), floorSignal, nil,
			client.StartWorkflowOptions{TaskQueue: floorQueue, TypedSearchAttributes: floorAttributes}, f.inbox, time.Now())
		return err
	})
	if err != nil {
		return figures{}, err
	}
	var out figures
	var last time.Time
	deadline := time.After(patience)
	for range b.items {
		select {
		case one := <-f.finished:
			last = one.finished
			out.latencies = append(out.latencies, one.finished.Sub(one.asked))
		case <-deadline:
			return figures{}, fmt.Errorf("%d of %d finished in %s", len(out.latencies), b.items, patience)
		}
	}
	slices.Sort(out.latencies)
	out.perSecond = float64(b.items) / last.Sub(began).Seconds()
	return out, nil
}

// ourRound posts one finished conversation for each of as many new owners, and waits until each is committed.
func (b *bench) ourRound(ctx context.Context, prefix string) (figures, error) {
	began := time.Now()
	err := b.each(ctx, func(item int) error {
		name := fmt.Sprintf("%s%d", prefix, item)
		return b.api.Call(ctx, http.MethodPost, "/api/v1/agents/bench/conversations/"+name+"/messages", conversation(name), nil)
	})
	if err != nil {
		return figures{}, err
	}
	for time.Since(began) < patience {
		var done int
		if err := b.db.QueryRow(ctx, `select count(*) from extractions where conversation_id like $1 || '%' and outcome = 'written'`,
			prefix).Scan(&done); err != nil {
			return figures{}, err
		}
		if done == b.items {
			return b.measured(ctx, prefix, began)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return figures{}, fmt.Errorf("not finished in %s", patience)
}

// measured reads when each conversation's last message was stored and when its documents were committed.
func (b *bench) measured(ctx context.Context, prefix string, began time.Time) (figures, error) {
	rows, err := b.db.Query(ctx, `
		select x.finished_at, m.stored_at from extractions x
		join lateral (select max(stored_at) as stored_at from messages m where m.conversation_uid = x.conversation_uid) m on true
		where x.conversation_id like $1 || '%' and x.outcome = 'written'`, prefix)
	if err != nil {
		return figures{}, err
	}
	var (
		out              figures
		finished, stored time.Time
		last             time.Time
	)
	_, err = pgx.ForEachRow(rows, []any{&finished, &stored}, func() error {
		out.latencies = append(out.latencies, finished.Sub(stored))
		if finished.After(last) {
			last = finished
		}
		return nil
	})
	if err != nil {
		return figures{}, err
	}
	slices.Sort(out.latencies)
	out.perSecond = float64(len(out.latencies)) / last.Sub(began).Seconds()
	return out, nil
}

// conversation returns a short conversation with a fact worth keeping.
func conversation(owner string) deployment.Batch {
	return deployment.Batch{EndUserID: owner, TriggerSource: "api", TurnComplete: true, Messages: []deployment.Message{
		{ID: "m1", Role: "user", Content: "Hi, I am Grace and I work as a nurse in Hamburg. I prefer short answers."},
		{ID: "m2", Role: "assistant", Content: "Nice to meet you, Grace. How can I help?"},
		{ID: "m3", Role: "user", Content: "We decided to use Postgres for the ward's rota. Please remember that the review is on 3 March 2027."},
		{ID: "m4", Role: "assistant", Content: "Noted: Postgres, and the review on 3 March 2027."},
	}}
}

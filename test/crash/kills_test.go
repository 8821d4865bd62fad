package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md) ends after the kills or the time, whichever is first:
//
//	go test ./test/crash -run EveryProcess -timeout 2h -v -args -every-kills 1000 -every-time 90m -every-long
var (
	everyKills = flag.Int("every-kills", 16, "kills of API, worker, PostgreSQL and Temporal")
	everyTime  = flag.Duration("every-time", 2*time.Minute, "after which no further process is killed")
	everyPace  = flag.Duration("every-pace", 3*time.Second, "from one kill to the next, on average")
	everyLong  = flag.Bool("every-long", false, "stop a worker for 40 s and take PostgreSQL away for 10 s, after every hundred kills; else for 10 s and 5 s, once")
)

// The longer times are longer than a heartbeat, a lease, and any request's wait for a connection.
const (
	workerStop, postgresAway         = 40 * time.Second, 10 * time.Second
	shortWorkerStop, shortlyAway     = 10 * time.Second, 5 * time.Second
	longOutageEvery, longOutageAfter = 100, 50
)

// Every process is killed again and again, also PostgreSQL and Temporal, while clients write and never repeat a request. What is
// acknowledged is there exactly once; what failed is there at most once.
func TestEveryProcessIsKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 9))
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_MEMORY_MAX_CHARS=1000000", "REVERIE_RATE_LIMIT=0", "REVERIE_MIN_MESSAGES=2", // no gate holds back a turn
	}})
	a := newAttempts(ctx, t, s)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for n := range sufferers {
		writing.Go(func() { a.suffer(ctx, n, stop) })
	}
	k := killer{System: s, random: random, back: map[string]chan struct{}{}, took: map[string][]time.Duration{}}
	k.run(ctx, t)
	a.waitLeft(t)
	close(stop)
	writing.Wait()
	s.Ensure(t)
	if err := s.API.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	a.check(ctx, t)
	t.Logf("%d kills; all was there after another %s; times:%s", k.kills, time.Since(began).Round(time.Second), k.times())
	for _, what := range []string{"api", "worker", "postgres", "temporal", "worker stopped", "postgres away"} {
		if len(k.took[what]) == 0 {
			t.Errorf("%s: never", what)
		}
	}
}

// killer kills processes in turn at random moments.
type killer struct {
	*deployment.System

	random *rand.Rand
	kills  int
	back   map[string]chan struct{} // closed when a server that was killed answers again

	mu   sync.Mutex
	took map[string][]time.Duration // until what was killed had ended, and a server answered again
}

// run kills until it has killed enough, or the time is over.
func (k *killer) run(ctx context.Context, t *testing.T) {
	t.Helper()
	began := time.Now()
	slot := began
	for ; k.kills < *everyKills && time.Since(began) < *everyTime; k.kills++ {
		// Each kill has its slot, so that the pace does not depend on how long a server takes to start.
		time.Sleep(time.Until(slot.Add(time.Duration(k.random.Int64N(int64(*everyPace))))))
		if slot = slot.Add(*everyPace); time.Since(slot) > *everyPace { // later kills do not catch up
			slot = time.Now()
		}
		switch what := []string{"worker", "api", "worker", "postgres", "api", "worker", "temporal", "api"}[k.kills%8]; what {
		case "postgres":
			k.restart(t, what, what, *everyPace, func() error { return k.Postgres.Restart(ctx) })
		case "temporal":
			k.restart(t, what, what, *everyPace, func() error { return k.Temporal.Restart(ctx) })
		default:
			killed := time.Now()
			k.Kill(what)
			k.note(t, what, time.Since(killed))
		}
		k.Ensure(t)
		if *everyLong && k.kills%longOutageEvery == longOutageAfter {
			k.outages(ctx, t, workerStop, postgresAway)
		} else if !*everyLong && k.kills == *everyKills/2 {
			k.outages(ctx, t, shortWorkerStop, shortlyAway)
		}
	}
	for _, back := range k.back {
		<-back
	}
}

// restart kills a server, and waits for a while until it answers again. It never restarts a server twice at once.
func (k *killer) restart(t *testing.T, server, what string, patience time.Duration, do func() error) {
	t.Helper()
	if back := k.back[server]; back != nil {
		<-back
	}
	back := make(chan struct{})
	k.back[server] = back
	go func() {
		defer close(back)
		began := time.Now()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		k.note(t, what, time.Since(began))
	}()
	select {
	case <-back:
	case <-time.After(patience):
	}
}

// outages stops the worker with SIGSTOP, and takes PostgreSQL away.
func (k *killer) outages(ctx context.Context, t *testing.T, stopped, away time.Duration) {
	t.Helper()
	if err := k.Suspend("worker"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stopped)
	if err := k.Resume("worker"); err != nil {
		t.Fatal(err)
	}
	k.note(t, "worker stopped", stopped)
	k.restart(t, "postgres", "postgres away", *patience, func() error { return k.Postgres.RestartAfter(ctx, away) })
	k.Ensure(t)
}

func (k *killer) note(t *testing.T, what string, took time.Duration) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.took[what] = append(k.took[what], took); took > *everyPace {
		t.Logf("%s: %s, %d times so far", what, took.Round(time.Millisecond), len(k.took[what]))
	}
}

// times returns how long kills took.
func (k *killer) times() string {
	var out strings.Builder
	for what, all := range k.took {
		first, last := all[0], all[len(all)-1]
		slices.Sort(all)
		fmt.Fprintf(&out, "\n%d times %s: median %s, at most %s, the first %s, the last %s", len(all), what, all[len(all)/2].Round(time.Millisecond),
			all[len(all)-1].Round(time.Millisecond), first.Round(time.Millisecond), last.Round(time.Millisecond))
	}
	return out.String()
}

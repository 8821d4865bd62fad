package crash

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// The short run takes a few seconds; the long one (see docs/operations.md):
//
//	go test ./test/crash -run Overload -timeout 30m -v -args -overload 60s
var overload = flag.Duration("overload", 4*time.Second, "how long ten times as many requests come as are answered")

const (
	overloadFactor = 10
	overloadOwners = 50
	// overloadClients bounds the connections of the load. Requests beyond them wait in the client.
	overloadClients = 4000
	// maxOverloadMemory bounds the memory of an API under overload.
	maxOverloadMemory = 1 << 30
	// overloadRecovery bounds the time after which requests are answered as before.
	overloadRecovery = 10 * time.Second
)

// load posts turns and counts the answers.
type load struct {
	api    *deployment.Client
	number atomic.Int64
	slots  chan struct{}
	flying sync.WaitGroup

	mu       sync.Mutex
	accepted map[string]bool // ids of messages
	statuses map[int]int     // 0: no answer
	silent   int             // refusals without Retry-After
}

// post sends one turn and returns its status.
func (l *load) post(ctx context.Context) int {
	n := l.number.Add(1)
	id := fmt.Sprintf("m%d", n)
	path := fmt.Sprintf("/api/v1/agents/%s/conversations/load-%d/messages", deployment.Agent, n%overloadOwners)
	err := l.api.Call(ctx, http.MethodPost, path, deployment.Batch{
		EndUserID: fmt.Sprint(n % overloadOwners), TriggerSource: "api", TurnComplete: true,
		Messages: []deployment.Message{{ID: id, Role: "user", Content: strings.Repeat("The rota of ward 7 changes on Monday. ", 12)}},
	}, nil)
	status, retryAfter := http.StatusAccepted, true
	if err != nil {
		status = 0
		if refused, is := errors.AsType[*deployment.StatusError](err); is {
			status, retryAfter = refused.Status, refused.RetryAfter != ""
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[status]++
	if err == nil {
		l.accepted[id] = true
	}
	if !retryAfter {
		l.silent++
	}
	return status
}

// capacity returns how many requests a second are answered for some clients that each wait for their answer.
func (l *load) capacity(ctx context.Context, clients int, during time.Duration) float64 {
	began, answered := time.Now(), atomic.Int64{}
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for time.Since(began) < during {
				if l.post(ctx) == http.StatusAccepted {
					answered.Add(1)
				}
			}
		})
	}
	all.Wait()
	return float64(answered.Load()) / time.Since(began).Seconds()
}

// flood sends requests at a rate, whatever becomes of them. It returns how many were not sent because every client was waiting.
func (l *load) flood(ctx context.Context, perSecond float64, during time.Duration) (kept int) {
	began, sent := time.Now(), 0
	for tick := time.NewTicker(5 * time.Millisecond); time.Since(began) < during; <-tick.C {
		for due := int(time.Since(began).Seconds() * perSecond); sent < due; sent++ {
			select {
			case l.slots <- struct{}{}:
				l.flying.Go(func() {
					l.post(ctx)
					<-l.slots
				})
			default:
				kept++
			}
		}
	}
	return kept
}

// Ten times as many requests come as can be answered. The API refuses what is too much at once and says when to come back, its memory
// stays bounded, it is ready throughout, and soon afterwards it answers as before. Every accepted message is stored once.
func TestOverload(t *testing.T) {
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_RATE_LIMIT=0", "REVERIE_QUIET_PERIOD=1h", // what is measured is the API
	}})
	l := &load{
		api: &deployment.Client{URL: s.API.URL, Key: s.API.Key, HTTP: http.Client{Timeout: time.Minute, Transport: &http.Transport{
			MaxIdleConnsPerHost: overloadClients,
		}}},
		slots: make(chan struct{}, overloadClients), accepted: map[string]bool{}, statuses: map[int]int{},
	}
	rate := l.capacity(ctx, 64, min(*overload, 5*time.Second))
	before := len(l.accepted)
	ready := watchReadiness(ctx, s.API.URL)
	kept := l.flood(ctx, overloadFactor*rate, *overload)
	ended := time.Now()
	recovered := time.Duration(0)
	for fast := 0; fast < 10; {
		began := time.Now()
		if l.post(ctx) == http.StatusAccepted && time.Since(began) < time.Second {
			fast++
		} else {
			fast = 0
		}
		if recovered = time.Since(ended); recovered > time.Minute {
			t.Fatal("the API does not recover")
		}
	}
	l.flying.Wait()
	asked, unready, late := ready()
	peak, err := s.PeakMemory("api")
	if err != nil {
		t.Fatal(err)
	}
	worker, err := s.PeakMemory("worker")
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("capacity %.0f/s; %s at %d times that: answers by status %v, %d not sent since %d clients waited; %.0f/s accepted; "+
		"recovered after %s; not ready %d of %d times; peak memory: API %d MiB, worker %d MiB", rate, *overload, overloadFactor, l.statuses,
		kept, overloadClients, float64(len(l.accepted)-before)/overload.Seconds(), recovered.Round(time.Millisecond), unready, asked,
		peak>>20, worker>>20)
	for status, n := range l.statuses {
		switch status {
		case http.StatusAccepted, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		default:
			t.Errorf("%d requests were answered with %d", n, status)
		}
	}
	if l.silent > 0 {
		t.Errorf("%d refusals do not say when to come back", l.silent)
	}
	if unready > 0 {
		t.Errorf("the API was not ready %d of %d times: %v", unready, asked, late)
	}
	if recovered > overloadRecovery {
		t.Errorf("the API recovered after %s", recovered)
	}
	if peak > maxOverloadMemory {
		t.Errorf("the API took %d MiB", peak>>20)
	}
	stored, err := deployment.Query(ctx, s, pgx.RowTo[string], "select message_id from messages")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, id := range stored {
		times[id]++
	}
	for id := range l.accepted {
		if times[id] != 1 {
			t.Errorf("message %s was accepted and is stored %d times", id, times[id])
		}
	}
}

// watchReadiness asks twice a second whether the API is ready, until the returned function is called.
func watchReadiness(ctx context.Context, url string) (stop func() (asked, unready int, last error)) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	var asked, unready int
	var last error
	probe := &deployment.Client{URL: url, HTTP: http.Client{Timeout: 10 * time.Second}}
	watching.Go(func() {
		for ctx.Err() == nil {
			err := probe.Call(ctx, http.MethodGet, "/readyz", nil, nil)
			if ctx.Err() != nil {
				return
			}
			if asked++; err != nil {
				unready++
				last = err
			}
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
	return func() (int, int, error) {
		cancel()
		watching.Wait()
		return asked, unready, last
	}
}

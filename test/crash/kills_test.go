package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md) ends after the kills or the time, whichever is first:
//
//	go test ./test/crash -run EveryProcess -timeout 5h -v -args -every-kills 1000 -every-time 4h
var (
	everyKills = flag.Int("every-kills", 16, "kills of API, worker, PostgreSQL and Temporal")
	everyTime  = flag.Duration("every-time", 2*time.Minute, "after which no further process is killed")
	everyPause = flag.Duration("every-pause", time.Second, "between two kills, at most")
	everyLong  = flag.Bool("every-long", false, "also stop a worker for 40 s and take PostgreSQL away for 10 s, several times")
)

const (
	// sufferers write at once, each for an owner.
	sufferers = 6
	// workerStop is longer than a heartbeat and a lease, and postgresAway longer than any request waits for a connection.
	workerStop, postgresAway = 40 * time.Second, 10 * time.Second
)

// attempts are the marks of what was sent once, by owner. Nothing is repeated: an error leaves open whether it was carried out.
type attempts struct {
	mu                   sync.Mutex
	messages, documents  map[string]bool // whether they were acknowledged, by mark
	acknowledged, failed int
}

func (a *attempts) record(kind map[string]bool, mark string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	kind[mark] = err == nil
	if err == nil {
		a.acknowledged++
	} else {
		a.failed++
	}
}

// Every process is killed again and again, also PostgreSQL and Temporal, while clients write and never repeat a request. What is
// acknowledged is there exactly once, in the messages, in the notes and in the documents; what failed is there at most once.
func TestEveryProcessIsKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 9))
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_MEMORY_MAX_CHARS=1000000", "REVERIE_RATE_LIMIT=0", "REVERIE_MIN_MESSAGES=2", // no gate holds back a turn
	}})
	a := &attempts{messages: map[string]bool{}, documents: map[string]bool{}}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for n := range sufferers {
		writing.Go(func() { suffer(ctx, s, a, n, stop) })
	}
	counts := killEvery(ctx, t, s, random)
	close(stop)
	writing.Wait()
	s.Ensure(t)
	if err := s.API.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	stored := a.check(ctx, t, s)
	t.Logf("killed: %v; requests acknowledged %d, failed %d; %d messages stored and extracted", counts, a.acknowledged, a.failed, stored)
	for _, what := range []string{"api", "worker", "postgres", "temporal"} {
		if counts[what] == 0 {
			t.Errorf("%s was not killed: %v", what, counts)
		}
	}
	if a.acknowledged < 2*sufferers {
		t.Errorf("only %d requests were acknowledged", a.acknowledged)
	}
}

// suffer posts turns and writes documents for an owner, until it is to stop.
func suffer(ctx context.Context, s *deployment.System, a *attempts, n int, stop <-chan struct{}) {
	who := fmt.Sprintf("sufferer-%d", n)
	for turn := 0; ; turn++ {
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Millisecond):
		}
		mark := fmt.Sprintf("crate-%d-%05d", n, turn)
		once, cancel := context.WithTimeout(ctx, 30*time.Second)
		if turn%4 == 3 {
			path := fmt.Sprintf("/api/v1/agents/%s/workspace/files/memory/%s.md?scope=PERSONAL&endUserId=%s", deployment.Agent, mark, who)
			a.record(a.documents, mark, s.API.Call(once, http.MethodPut, path, map[string]string{"content": "- " + mark + "\n"}, nil))
		} else {
			path := fmt.Sprintf("/api/v1/agents/%s/conversations/talk-%d-%d/messages", deployment.Agent, n, turn/40)
			a.record(a.messages, mark, s.API.Call(once, http.MethodPost, path, deployment.Batch{
				EndUserID: who, TriggerSource: "api", TurnComplete: true, Messages: []deployment.Message{
					{ID: "u-" + mark, Role: "user", Content: "Please remember that the label of box " + fmt.Sprint(turn) + " is " + mark + "."},
					{ID: "a-" + mark, Role: "assistant", Content: "Noted."},
				},
			}, nil))
		}
		cancel()
	}
}

// killEvery kills processes in turn at random moments. It returns how often each was.
func killEvery(ctx context.Context, t *testing.T, s *deployment.System, random *rand.Rand) map[string]int {
	t.Helper()
	counts := map[string]int{}
	began := time.Now()
	for n := 0; n < *everyKills && time.Since(began) < *everyTime; n++ {
		time.Sleep(time.Duration(random.Int64N(int64(*everyPause))))
		what := []string{"worker", "api", "worker", "postgres", "api", "worker", "temporal", "api"}[n%8]
		switch what {
		case "postgres":
			if err := s.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
		case "temporal":
			if err := s.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
		default:
			s.Kill(what)
		}
		counts[what]++
		s.Ensure(t)
		if *everyLong && n%100 == 50 {
			suspendWorker(t, s)
			counts["worker stopped for 40 s"]++
			if err := s.Postgres.RestartAfter(ctx, postgresAway); err != nil {
				t.Fatal(err)
			}
			counts["PostgreSQL away for 10 s"]++
		}
	}
	return counts
}

// suspendWorker stops the worker with SIGSTOP for 40 s.
func suspendWorker(t *testing.T, s *deployment.System) {
	t.Helper()
	if err := s.Suspend("worker"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(workerStop)
	if err := s.Resume("worker"); err != nil {
		t.Fatal(err)
	}
}

// check waits until everything that is stored is accounted for, and compares it with the answers. It returns the number of turns that
// are stored.
func (a *attempts) check(ctx context.Context, t *testing.T, s *deployment.System) int {
	t.Helper()
	await(t, "everything to be accounted for", func() bool {
		s.Ensure(t)
		waiting, err := deployment.Query(ctx, s, pgx.RowTo[int], "select count(*)::int from conversations where cursor_seq < last_seq")
		if err != nil {
			t.Fatal(err)
		}
		return waiting[0] == 0
	})
	turns := a.times(ctx, t, s, "select message_id from messages where role = 'user'")
	stored := 0
	notes := strings.Join(a.texts(ctx, t, s, `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.path ~ '^memory/\d{4}-\d\d-\d\d\.md$' and not d.deleted`), "\n")
	for mark, acknowledged := range a.messages {
		n, noted := turns["u-"+mark], strings.Count(notes, mark)
		stored += n
		if n > 1 || acknowledged && n != 1 || noted != n {
			t.Errorf("%s: acknowledged %t, stored %d times, noted %d times", mark, acknowledged, n, noted)
		}
	}
	documents := a.times(ctx, t, s, "select path from documents d join document_versions v using (workspace_id, agent_id, document_id)")
	for mark, acknowledged := range a.documents {
		if n := documents["memory/"+mark+".md"]; n > 1 || acknowledged && n != 1 {
			t.Errorf("%s: acknowledged %t, %d versions", mark, acknowledged, n)
		}
	}
	type span struct {
		Conversation string
		From, To     int64
	}
	ranges, err := deployment.Query(ctx, s, pgx.RowToStructByPos[span], `
select conversation_uid::text, from_seq, to_seq
from extractions
where outcome in ('written', 'nothing', 'quarantined')
order by conversation_uid, from_seq`)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, r := range ranges {
		if r.From != next[r.Conversation]+1 {
			t.Errorf("%s: an extraction begins at %d, the one before ended at %d", r.Conversation, r.From, next[r.Conversation])
		}
		next[r.Conversation] = r.To
	}
	return stored
}

func (a *attempts) texts(ctx context.Context, t *testing.T, s *deployment.System, sql string) []string {
	t.Helper()
	rows, err := deployment.Query(ctx, s, pgx.RowTo[string], sql)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// times counts equal rows.
func (a *attempts) times(ctx context.Context, t *testing.T, s *deployment.System, sql string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, row := range a.texts(ctx, t, s, sql) {
		counts[row]++
	}
	return counts
}

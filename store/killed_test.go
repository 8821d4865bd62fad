package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

// Connections are killed when they are old enough to have got something done, in the middle of whatever they do, and every
// call is repeated until it gets an answer, as Temporal and clients do: in the end everything is stored exactly once.
func TestKilledConnections(t *testing.T) {
	t.Parallel()
	s := openStore(t, ownConnections)
	// A tenth of a second is enough on an idle machine; on a busy one, what a new connection takes for a round of calls.
	began := time.Now()
	if err := oneRound(t.Context(), s, nil, "user:warm-up", 0); err != nil {
		t.Fatal(err)
	}
	k := killing(t, s, max(100*time.Millisecond, time.Since(began)))

	const owners, least, most = 3, 20, 45 // records of rounds fit one page
	var done [owners]int
	var working sync.WaitGroup
	for o := range owners {
		working.Go(func() {
			owner := memory.Owner(fmt.Sprint("user:", o))
			for i := 0; i < least || i < most && k.kills.Load() < enoughKills; i++ { // a busy machine is slow in the first round only
				done[o] = i + 1
				if err := oneRound(t.Context(), s, k, owner, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	working.Wait()
	k.stop()

	for o, rounds := range done {
		owner := memory.Owner(fmt.Sprint("user:", o))
		d := must[memory.Document](t)(s.Document(t.Context(), member(owner), personal("memory/2026-11-21.md")))
		for i := range rounds {
			for _, line := range []string{fmt.Sprintf("- learned %d\n", i), fmt.Sprintf("- added %d\n", i)} {
				if n := strings.Count(d.Content, line); n != 1 {
					t.Errorf("%s: %q stands %d times", owner, line, n)
				}
			}
		}
		if d.Version != 2*rounds {
			t.Errorf("%s: version %d, want %d", owner, d.Version, 2*rounds)
		}
		c := must[talk.Conversation](t)(s.Conversation(t.Context(), member(owner), "c"+string(owner)))
		if c.Last != int64(4*rounds) || c.Cursor != c.Last || c.Considered != c.Last || c.PendingSince != nil {
			t.Errorf("%s: %+v", owner, c)
		}
		records := must[pg.Listed[talk.Extraction]](t)(s.Extractions(t.Context(), member(owner), talk.ExtractionFilter{}, pg.Page{}))
		if len(records.Items) != rounds {
			t.Errorf("%s: %d records, want %d", owner, len(records.Items), rounds)
		}
		for _, x := range records.Items {
			if x.Outcome != memory.OutcomeWritten || len(x.Changes) != 1 {
				t.Errorf("%s: %+v", owner, x)
			}
		}
		if turns := query[int](t, s, member(owner), "select turn::int from owners where owner_key = $1", owner); turns[0] != rounds {
			t.Errorf("%s: %d turns, want %d", owner, turns[0], rounds)
		}
	}
}

// killer kills connections of a store. A nil one kills none.
type killer struct {
	age   atomic.Int64 // nanoseconds for which connections live
	kills atomic.Int64
	stop  func()
}

// enoughKills is the number of killed connections below which a test shows little.
const enoughKills = 10

// killing kills connections of a store that are older than age, until stop is called.
func killing(t *testing.T, s *Store, age time.Duration) *killer {
	t.Helper()
	k := &killer{}
	k.age.Store(int64(age))
	killer, err := pgx.Connect(t.Context(), s.db.Pool.Config().ConnConfig.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	var killing sync.WaitGroup
	killing.Go(func() {
		defer killer.Close(context.WithoutCancel(ctx))
		for ctx.Err() == nil {
			var n int64
			err := killer.QueryRow(ctx, `
select count(pg_terminate_backend(pid))
from pg_stat_activity
where datname = current_database() and application_name = 'reverie' and backend_start < clock_timestamp() - $1::interval`, time.Duration(k.age.Load())).Scan(&n)
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
			k.kills.Add(n)
			time.Sleep(7 * time.Millisecond)
		}
	})
	k.stop = func() {
		t.Helper()
		end()
		killing.Wait()
		s.db.Pool.Reset() // those that were killed last
		t.Logf("%d connections killed", k.kills.Load())
		if n := k.kills.Load(); n < enoughKills {
			t.Errorf("only %d connections were killed: the test shows little", n)
		}
	}
	return k
}

// Callers do not notice idle connections that died, as after a restart of the server.
func TestDeadIdleConnections(t *testing.T) {
	t.Parallel()
	s := openStore(t, ownConnections)
	id := member("user:7")
	killer, err := pgx.Connect(t.Context(), s.db.Pool.Config().ConnConfig.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer killer.Close(t.Context())
	killAll := func() {
		t.Helper()
		var idle []*pgxpool.Conn
		for range 4 {
			idle = append(idle, must[*pgxpool.Conn](t)(s.db.Pool.Acquire(t.Context())))
		}
		for _, conn := range idle {
			conn.Release()
		}
		var n int
		err := killer.QueryRow(t.Context(), `
select count(pg_terminate_backend(pid, 5000))
from pg_stat_activity
where datname = current_database() and application_name = 'reverie'`).Scan(&n)
		if err != nil || n < 2 {
			t.Fatalf("killed %d connections, %v", n, err)
		}
	}
	killAll()
	must[gate.Agent](t)(s.Agent(t.Context(), id))
	killAll()
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 2)))
	killAll()
	if r := write(t, s, id, noteChange("- x\n")); r.Version != 1 {
		t.Errorf("receipt %+v", r)
	}
}

// oneRound makes a turn, its extraction and an edit, each repeated until there is an answer.
func oneRound(ctx context.Context, s *Store, k *killer, owner memory.Owner, i int) error {
	id := workflow(owner, fmt.Sprint("r", i))
	conversation := "c" + string(owner)
	err := k.until(func() error {
		_, err := s.AppendMessages(ctx, id, turn(conversation, fmt.Sprint("m", i, "-"), 4))
		return err
	})
	if err != nil {
		return err
	}
	var c talk.Conversation
	var x talk.Extraction
	err = errors.Join(
		k.until(func() (err error) { c, err = s.Conversation(ctx, id, conversation); return err }),
		k.until(func() (err error) {
			x, err = s.BeginExtraction(ctx, id, talk.Range{ConversationUID: c.UID, From: int64(4*i + 1), To: int64(4*i + 4)})
			return err
		}),
		k.until(func() error {
			if x.HasDraft || !x.Open() { // an earlier attempt came through, and only its answer got lost
				return nil
			}
			return s.SaveDraft(ctx, id, x.ID, talk.Draft{Changes: []memory.Change{noteChange(fmt.Sprintf("- learned %d\n", i))}, To: x.To})
		}),
		k.until(func() error { _, err := s.CommitExtraction(ctx, id, talk.Commit{ExtractionID: x.ID}); return err }),
		k.until(func() error {
			_, err := s.Apply(ctx, member(owner), fmt.Sprint("edit ", i), []memory.Change{noteChange(fmt.Sprintf("- added %d\n", i))})
			return err
		}),
	)
	return err
}

// Flushing runs are killed as well, and in the end every message is flushed and noted once.
func TestKilledFlushes(t *testing.T) {
	t.Parallel()
	s := openStore(t, ownConnections, at(func() time.Time { return testClock }))
	id := workflow("user:7", "r1")
	settings := setting.DefaultExtractSettings()
	settings.MaxTranscript = 3
	const messages, each = 360, 12
	c := talk.Conversation{UID: must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", messages))).ConversationUID, Last: each}
	// The quicker of two steps: the first one is slow, and connections that live for much longer than a step are hardly ever killed.
	step := time.Hour
	for range 2 {
		began := time.Now()
		if err := flushStep(t, s, id, c, settings); err != nil {
			t.Fatal(err)
		}
		step = min(step, time.Since(began))
		c = must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
		c.Last = min(messages, c.Flushed-c.Flushed%each+each)
	}
	k := killing(t, s, max(100*time.Millisecond, step))
	for c.Flushed < messages {
		// A step whose answer got lost is found done by the next call, or its draft is found by it.
		if err := k.until(func() error { return flushStep(t, s, id, c, settings) }); err != nil {
			t.Fatal(err)
		}
		if err := k.until(func() (err error) { c, err = s.Conversation(t.Context(), id, "c"); return err }); err != nil {
			t.Fatal(err)
		}
		c.Last = min(messages, c.Flushed-c.Flushed%each+each)
	}
	k.stop()
	d := must[memory.Document](t)(s.Document(t.Context(), id, personal("memory/2026-11-21.md")))
	for n := range messages {
		if stands := strings.Count(d.Content, fmt.Sprintf("- message %d.\n", n+1)); stands != 1 {
			t.Errorf("message %d stands %d times", n+1, stands)
		}
	}
	flushes := must[pg.Listed[talk.Flush]](t)(s.Flushes(t.Context(), id, "c", pg.Page{})).Items
	if len(flushes) != messages/each {
		t.Errorf("%d flushes, want %d", len(flushes), messages/each)
	}
	spent := must[memory.Usage](t)(s.SpentToday(t.Context(), id, testClock))
	var recorded memory.Usage
	for _, f := range flushes {
		recorded = recorded.Add(f.Usage)
	}
	if spent != recorded || recorded.Calls < messages/3 {
		t.Errorf("spent %+v, recorded %+v", spent, recorded)
	}
}

// until repeats a call until it succeeds, or fails for another reason than a lost connection. On a machine that has become busier than it
// was when the age was measured no call would end any more, so that connections live longer after several failures.
func (k *killer) until(call func() error) error {
	const tries = 20
	var err error
	for n := range 500 {
		if k != nil && n%tries == tries-1 {
			k.age.Store(k.age.Load() * 3 / 2)
		}
		if err = call(); err == nil {
			return nil
		}
		if isRefusal(err) {
			return err
		}
	}
	return fmt.Errorf("no success in 500 attempts: %w", err)
}

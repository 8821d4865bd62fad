package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/talk"
	"reverie/workflows"
)

// A sweep goes on past what fails, and drains what there is.
func TestASweepGoesOnPastErrors(t *testing.T) {
	waiting, poison := 1000, map[int]bool{3: true, 500: true}
	taken := 0
	var handled atomic.Int32
	done, err := drain(t.Context(), func(context.Context) ([]int, error) {
		var batch []int
		for ; len(batch) < sweepBatch && taken < waiting; taken++ {
			batch = append(batch, taken)
		}
		return batch, nil
	}, func(_ context.Context, x int) error {
		if poison[x] {
			return fmt.Errorf("%d is broken", x)
		}
		handled.Add(1)
		return nil
	})
	if done != waiting-len(poison) || int(handled.Load()) != done || err == nil {
		t.Errorf("%d of %d were handled (%v)", done, waiting, err)
	}
}

// When everything fails, Temporal is away: a sweep stops soon.
func TestASweepStopsWhenTemporalIsAway(t *testing.T) {
	var tried atomic.Int32
	batch := make([]int, sweepBatch)
	done, err := drain(t.Context(), func(context.Context) ([]int, error) { return batch, nil }, func(context.Context, int) error {
		tried.Add(1)
		return errors.New("away")
	})
	if n := tried.Load(); done != 0 || err == nil || n < sweepAway || n > sweepAway+sweepParallel {
		t.Errorf("it tried %d times (%v)", n, err)
	}
}

// One process of the deployment sweeps. Another one takes over when it stops, or when it hangs for longer than its lease.
func TestOneProcessSweeps(t *testing.T) {
	w := newWorld(t)
	var leading [3]atomic.Bool
	begun := make(chan int, 10)
	start := func(i int, duration time.Duration) context.CancelFunc {
		ctx, cancel := context.WithCancel(t.Context())
		l := leader{store: w.store, holder: fmt.Sprint(i), duration: duration, log: slog.New(slog.DiscardHandler)}
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.run(ctx, func(ctx context.Context) {
				leading[i].Store(true)
				begun <- i
				<-ctx.Done()
				leading[i].Store(false)
			})
		}()
		return func() { cancel(); <-done }
	}
	next := func() int {
		t.Helper()
		select {
		case i := <-begun:
			return i
		case <-time.After(30 * time.Second):
			t.Fatal("nobody leads")
			return 0
		}
	}
	const lease = 3 * time.Minute // of the first: the second need not wait for its end
	stopFirst := start(0, lease)
	if first := next(); first != 0 {
		t.Fatalf("%d leads", first)
	}
	stopSecond := start(1, leaseShortest)
	time.Sleep(2 * leaseShortest)
	if len(begun) > 0 || leading[1].Load() {
		t.Fatal("both lead")
	}
	stopFirst()
	if second := next(); second != 1 {
		t.Errorf("%d follows", second)
	}
	stopSecond()
	if led, err := w.store.Lead(t.Context(), sweepsLease, "hangs", leaseShortest); err != nil || !led { // and never renews
		t.Fatal(led, err)
	}
	defer start(2, leaseShortest)()
	if third := next(); third != 2 {
		t.Errorf("%d leads", third)
	}
}

// sweeper returns the sweeps of one process at a time.
func (w *world) sweeper(at time.Time) *sweeps {
	return &sweeps{
		store: w.store, client: w.client, timing: setting.DefaultTiming(), now: func() time.Time { return at }, interval: time.Minute,
		log: slog.New(slog.DiscardHandler),
	}
}

// What a sweep has taken no other one takes, until the lease ends. Turns are delivered with the timing of their agent.
func TestTurnsAreLeasedAndDeliveredWithTheAgentsTiming(t *testing.T) {
	w := newWorld(t)
	quiet, cooldown := 3600, 7200
	w.agent("acme", "ada", "UTC", setting.AgentSettings{QuietSeconds: &quiet, CooldownSeconds: &cooldown})
	const owners = 20
	for i := range owners {
		if _, err := w.store.AppendMessages(t.Context(), owner(fmt.Sprint(i)), talk.Batch{
			Conversation: fmt.Sprint("talk ", i), Trigger: memory.TriggerAPI, TurnComplete: true,
			Messages: []memory.Message{{ID: "1", Role: memory.RoleOfUser, Content: "I live in Bern.", CreatedAt: time.Now()}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().Add(time.Minute)
	lease := store.Lease{Before: now, Until: now.Add(time.Minute), Limit: owners / 4}
	seen := map[uuid.UUID]bool{}
	for range 4 { // four sweeps at once would each get a quarter
		turns, err := w.store.Unsignalled(t.Context(), lease)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			if seen[turn.Owner] {
				t.Errorf("%s is taken twice", turn.Owner)
			}
			seen[turn.Owner] = true
		}
	}
	if turns, err := w.store.Unsignalled(t.Context(), lease); len(seen) != owners || err != nil || len(turns) != 0 {
		t.Fatalf("%d of %d are taken, then %d (%v)", len(seen), owners, len(turns), err)
	}
	done, err := w.sweeper(now.Add(2 * time.Minute)).turns(t.Context())
	if err != nil || done != owners {
		t.Fatalf("%d are delivered, %v", done, err)
	}
	for id := range seen {
		events := w.client.GetWorkflowHistory(t.Context(), workflows.InboxID(memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: id}), "",
			false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		input := string(event.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads()[0].GetData())
		if !strings.Contains(input, `"quiet":3600000000000`) || !strings.Contains(input, `"cooldown":7200000000000`) {
			t.Fatalf("an Inbox began with %s", input)
		}
	}
	if done, err := w.sweeper(now.Add(4 * time.Minute)).turns(t.Context()); err != nil || done != 0 {
		t.Errorf("%d are delivered again, %v", done, err)
	}
}

// What a client stores without ever completing a turn is learned from when it has been quiet for a while.
func TestIdleTurnsAreCompleted(t *testing.T) {
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	for _, trigger := range []memory.Trigger{memory.TriggerChannel, memory.TriggerImport} {
		if _, err := w.store.AppendMessages(t.Context(), owner(string(trigger)), talk.Batch{
			Conversation: "talk", Trigger: trigger,
			Messages: []memory.Message{{ID: "1", Role: memory.RoleOfUser, Content: "I live in Bern.", CreatedAt: time.Now()}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	idle := 15 * time.Minute
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{idle - time.Minute, 0}, {idle + time.Minute, 1}, {2 * idle, 0}} {
		s := w.sweeper(time.Now().Add(c.after))
		s.idle = idle
		if done, err := s.idleTurns(t.Context()); err != nil || done != c.want {
			t.Errorf("after %s, %d are completed (%v), want %d", c.after, done, err, c.want)
		}
	}
	if done, err := w.sweeper(time.Now().Add(2 * idle)).turns(t.Context()); err != nil || done != 1 {
		t.Errorf("%d turns are delivered (%v), want 1", done, err)
	}
	for trigger, complete := range map[memory.Trigger]int64{memory.TriggerChannel: 1, memory.TriggerImport: 0} {
		if c, err := w.store.Conversation(t.Context(), owner(string(trigger)), "talk"); err != nil || c.Complete != complete {
			t.Errorf("%s: complete up to %d (%v), want %d", trigger, c.Complete, err, complete)
		}
	}
}

// Records that a dump has left open are taken up: a dream that Temporal does not know is dreamed, one that a person has terminated
// ends, and so do a compaction and a flush.
func TestOpenRecordsAreTakenUp(t *testing.T) {
	d := newDreams(t, nil)
	d.says(t, "case-1", 3)
	d.says(t, "case-2", 3)
	begin := func(name, workflow string) uuid.UUID {
		t.Helper()
		id := owner(name)
		id.Author = memory.Author{Kind: memory.AuthorDream, WorkflowID: workflow, RunID: uuid.NewString()}
		record, err := d.store.BeginDream(t.Context(), id, dreams.NewDream{
			Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00", Settings: setting.DefaultDreamSettings(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return record.ID
	}
	lost := begin("case-1", "dream/acme.ada/lost")
	run, err := d.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "terminated", TaskQueue: "nobody"}, "Dream")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.client.TerminateWorkflow(t.Context(), run.GetID(), run.GetRunID(), "a person did"); err != nil {
		t.Fatal(err)
	}
	terminated := begin("case-2", run.GetID())
	s := d.sweeper(time.Now().Add(2 * openGrace))
	s.timing = setting.Timing{}
	if _, err := s.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]memory.Outcome{"case-1": memory.OutcomeWritten, "case-2": memory.OutcomeFailed} {
		record := map[string]uuid.UUID{"case-1": lost, "case-2": terminated}[name]
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			x, err := d.store.Dream(t.Context(), owner(name), record)
			if err == nil && x.Outcome == want {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the dream of %s is %s %s, %v", name, x.Outcome, x.ReasonCode, err)
			}
		}
	}
	left, err := d.store.OpenRecords(t.Context(), store.Lease{Before: time.Now().Add(24 * time.Hour)})
	if err != nil || len(left) != 0 {
		t.Errorf("open are %+v, %v", left, err)
	}
}

// A compaction whose worker died after it was begun, while a longer one was written, ends.
func TestOpenCompactionsAreTakenUp(t *testing.T) {
	w := newWindows(t, 1, nil)
	ref, conversation := w.talk(t, "case-1", 60)
	in := workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 40, Trigger: memory.CompactByTurn, Settings: w.settings(setting.FlushFallback),
	}
	flush := in
	flush.FlushOnly = true
	w.compact(t, flush)
	begin := func(to int64, workflow string) talk.Compaction {
		t.Helper()
		id := owner("case-1")
		id.Author = memory.Author{Kind: memory.AuthorWorkflow, WorkflowID: workflow, RunID: uuid.NewString()}
		c, err := w.store.BeginCompaction(t.Context(), id, talk.CompactionRequest{
			Conversation: conversation, To: to, Trigger: memory.CompactByTurn, Settings: in.Settings, Maker: "test",
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	dead, short := begin(20, "compact/lost"), begin(10, "compact/short")
	w.compact(t, in)                                         // writes a longer one
	if found := begin(10, "compact/short"); found.To != 40 { // the next attempt of the same step
		t.Fatalf("it found the one up to %d", found.To)
	}
	outcome := func(c talk.Compaction) string {
		t.Helper()
		now, err := w.store.Compaction(t.Context(), owner("case-1"), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		return string(now.Outcome) + " " + string(now.ReasonCode)
	}
	if got := outcome(short); got != "skipped overtaken" {
		t.Errorf("the one that its workflow has left is %s", got)
	}
	doctor := administrator("acme", "ada")
	examined, err := w.store.Examine(t.Context(), doctor, time.Now())
	if err != nil || len(examined.Open) != 1 || examined.Open[0].Kind != admin.OpenCompaction || examined.Open[0].ID != dead.ID {
		t.Errorf("the doctor finds %+v, %v", examined.Open, err)
	}
	if _, err := w.sweeper(time.Now().Add(2 * openGrace)).open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := outcome(dead); got != "failed abandoned" {
		t.Errorf("the one whose workflow is gone is %s", got)
	}
}

// refusing is a Temporal that refuses what is sent to some workflows.
type refusing struct {
	client.Client
	refuses func(workflow string) bool
}

func (c refusing) SignalWithStartWorkflow(
	ctx context.Context, id, signal string, arg any, o client.StartWorkflowOptions, workflow any, args ...any,
) (client.WorkflowRun, error) {
	if c.refuses(id) {
		return nil, serviceerror.NewInvalidArgument("refused")
	}
	return c.Client.SignalWithStartWorkflow(ctx, id, signal, arg, o, workflow, args...)
}

// A turn that Temporal refuses does not keep a lost Inbox waiting, nor all messages after a loss of Temporal's database.
func TestARefusedTurnKeepsNoOtherWaiting(t *testing.T) {
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	for _, name := range []string{"refused", "lost"} {
		if _, err := w.store.AppendMessages(t.Context(), owner(name), talk.Batch{
			Conversation: "talk of " + name, Trigger: memory.TriggerAPI, TurnComplete: true,
			Messages: []memory.Message{{ID: "1", Role: memory.RoleOfUser, Content: "I live in Bern.", CreatedAt: time.Now()}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.store.Signalled(t.Context(), owner("lost"), 1); err != nil {
		t.Fatal(err)
	}
	refused, err := w.store.OwnerID(t.Context(), owner("refused"))
	if err != nil {
		t.Fatal(err)
	}
	s := w.sweeper(time.Now().Add(time.Minute))
	s.client = refusing{w.client, func(workflow string) bool { return strings.Contains(workflow, refused.String()) }}
	if done, err := s.turns(t.Context()); done != 0 || err == nil {
		t.Errorf("of two turns, one refused and one running, %d are delivered, %v", done, err)
	}
	s.lost.Store(new(time.Now()))
	s.now = func() time.Time { return time.Now().Add(3 * time.Minute) }
	if done, err := s.turns(t.Context()); done != 1 || err == nil {
		t.Errorf("after a loss, %d are delivered, %v", done, err)
	}
	s.now = func() time.Time { return time.Now().Add(2 * stalledAfter) }
	if done, err := s.turns(t.Context()); done != 1 || err == nil {
		t.Errorf("of a lost Inbox, %d turns are delivered, %v", done, err)
	}
}

// A message that was stored just before Temporal lost its database is delivered again, however soon the loss is found, and once
// more after the requests of that moment have ended.
func TestALossIsFoundAtOnce(t *testing.T) {
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	if _, err := w.store.AppendMessages(t.Context(), owner("1"), talk.Batch{
		Conversation: "talk", Trigger: memory.TriggerAPI, TurnComplete: true,
		Messages: []memory.Message{{ID: "1", Role: memory.RoleOfUser, Content: "I live in Bern.", CreatedAt: time.Now()}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Signalled(t.Context(), owner("1"), 1); err != nil {
		t.Fatal(err)
	}
	found := time.Now().Add(time.Second)
	s := w.sweeper(found)
	s.lost.Store(&found)
	for _, round := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {sweepGrace + time.Second, 1}, {3 * sweepGrace, 0}} {
		s.now = func() time.Time { return found.Add(round.after) }
		if done, err := s.turns(t.Context()); done != round.want || err != nil {
			t.Errorf("%s after the loss, %d turns are delivered, %v, want %d", round.after, done, err, round.want)
		}
	}
}

// Agents whose Index Temporal refuses do not keep those after them waiting.
func TestTheSweepOfTheIndexGoesOnPastErrors(t *testing.T) {
	w := newWorld(t)
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	if _, err := w.store.AppendMessages(t.Context(), owner("1"), talk.Batch{
		Conversation: "talk", Trigger: memory.TriggerAPI, TurnComplete: true,
		Messages: []memory.Message{{ID: "1", Role: memory.RoleOfUser, Content: "I live in Bern.", CreatedAt: time.Now()}},
	}); err != nil {
		t.Fatal(err)
	}
	s := &indexSweep{
		store: w.store, client: refusing{w.client, func(string) bool { return true }}, embedders: make([]embed.Embedder, 1), interval: time.Minute,
		now: func() time.Time { return time.Now().Add(time.Minute) }, log: slog.New(slog.DiscardHandler),
	}
	done, err := s.tend(t.Context())
	if done != 0 || err == nil {
		t.Fatalf("%d are started, %v", done, err)
	}
	if want := (activities.AgentRef{Workspace: "acme", Agent: "ada"}); s.looked != want {
		t.Errorf("the next round goes on after %v, want %v", s.looked, want)
	}
}

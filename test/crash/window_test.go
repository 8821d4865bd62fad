package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// The short run is part of every test run; flags select the long one (see docs/operations.md):
//
//	go test ./test/crash -run Windows -timeout 60m -v -args -windows 12 -window-turns 80 -window-kills 60
var (
	windows     = flag.Int("windows", 3, "conversations that outgrow their window")
	windowTurns = flag.Int("window-turns", 24, "turns of each of them")
	windowKills = flag.Int("window-kills", 8, "processes that are killed with SIGKILL meanwhile")
)

// TestWindowsOfTwoProcesses has two APIs build the contexts of the same conversations concurrently, so that both
// compact them, while they and the worker are killed at random moments, PostgreSQL and Temporal are restarted, and
// the model fails in every way, finally for good. Whatever leaves a window was flushed before; each message is
// flushed by one flush, and noted once.
func TestWindowsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 3))
	w := startWindows(ctx, t, windowFaults(*seed))

	talked := make(chan struct{})
	go func() {
		defer close(talked)
		var all sync.WaitGroup
		for n := range *windows {
			all.Go(func() { w.talk(ctx, t, n) })
		}
		all.Wait()
	}()
	done := w.disturb(ctx, t, random, talked)
	<-talked
	if t.Failed() {
		return
	}
	for n := range *windows {
		w.flushRest(ctx, t, n)
	}
	w.checkFlushes(ctx, t)
	w.checkCompactions(ctx, t)
	w.checkNotes(ctx, t)
	if done.workers+done.apis < *windowKills || done.postgres == 0 || done.temporal == 0 {
		t.Errorf("too little was disturbed: %+v", done)
	}
	if w.compacted.Load() == 0 {
		t.Error("no context had a summary")
	}
	t.Logf("%d conversations of %d turns, %d contexts, %d of them with a summary; killed: worker %d times, APIs %d times, PostgreSQL %d times, Temporal %d times; model: %v",
		*windows, *windowTurns, w.contexts.Load(), w.compacted.Load(), done.workers, done.apis, done.postgres, done.temporal,
		w.Model.Stats().Replies)
}

// windowFaults are typical failures, after which the model stays unavailable.
func windowFaults(seed uint64) llmtest.Script {
	bad := faults(seed)
	var once sync.Once
	var away time.Time
	return func(r llmtest.Request) llmtest.Reply {
		once.Do(func() { away = time.Now().Add(modelLives) })
		if time.Now().After(away) {
			return llmtest.Status(503)
		}
		return bad(r)
	}
}

// modelLives is the number of requests that the model answers: about half of the run.
const modelLives = 12 * time.Second

// checkFlushes checks that each message is covered by exactly one acknowledged flush or still in the window: the
// flushes of a conversation, and their steps, follow each other from its first message on.
func (w *talkers) checkFlushes(ctx context.Context, t *testing.T) {
	t.Helper()
	type flush struct {
		Conversation   string
		From, To, Done int64
		Acknowledged   bool
		Flushed, Last  int64
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[flush], `
select c.conversation_id, f.from_seq, f.to_seq, f.done_seq, f.acknowledged_at is not null, c.flushed_seq, c.last_seq
from flushes f
join conversations c using (workspace_id, agent_id, conversation_uid)
order by c.conversation_id, f.from_seq`)
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]int64{}
	for _, f := range rows {
		if f.From != covered[f.Conversation]+1 {
			t.Errorf("%s: a flush begins at message %d, the one before ended at %d", f.Conversation, f.From, covered[f.Conversation])
		}
		if !f.Acknowledged || f.Done != f.To {
			t.Errorf("%s: the flush of %d to %d is at %d, acknowledged: %v", f.Conversation, f.From, f.To, f.Done, f.Acknowledged)
		}
		covered[f.Conversation] = f.To
	}
	if len(covered) != *windows {
		t.Errorf("%d of %d conversations were flushed", len(covered), *windows)
	}
	type step struct {
		Conversation string
		From, To     int64
	}
	steps, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[step], `
select c.conversation_id, s.from_seq, s.to_seq
from flush_steps s
join conversations c using (workspace_id, agent_id, conversation_uid)
order by c.conversation_id, s.from_seq`)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, s := range steps {
		if s.From != next[s.Conversation]+1 || s.To < s.From {
			t.Errorf("%s: a step of %d to %d follows %d", s.Conversation, s.From, s.To, next[s.Conversation])
		}
		next[s.Conversation] = s.To
	}
	for conversation, to := range covered {
		if next[conversation] != to {
			t.Errorf("%s: steps end at %d, flushes at %d", conversation, next[conversation], to)
		}
	}
}

// checkCompactions checks that summaries cover only flushed messages.
func (w *talkers) checkCompactions(ctx context.Context, t *testing.T) {
	t.Helper()
	type compaction struct {
		Conversation string
		To, Flushed  int64
		Summary      string
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[compaction], `
select c.conversation_id, x.to_seq, c.flushed_seq, x.summary
from compactions x
join conversations c using (workspace_id, agent_id, conversation_uid)
where x.finished_at is not null`)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < *windows {
		t.Errorf("%d summaries of %d conversations", len(rows), *windows)
	}
	for _, c := range rows {
		if c.To > c.Flushed || strings.TrimSpace(c.Summary) == "" {
			t.Errorf("%s: a summary of %d characters up to message %d, %d are flushed", c.Conversation, len(c.Summary), c.To, c.Flushed)
		}
	}
}

// checkNotes checks that flushed messages are noted once, by a flush or an extraction.
func (w *talkers) checkNotes(ctx context.Context, t *testing.T) {
	t.Helper()
	notes, err := deployment.Query(ctx, w.System, pgx.RowTo[string], `
select string_agg(v.content, E'\n' order by d.owner_key, d.path)
from documents d
join document_versions v on v.document_id = d.document_id and v.version = d.version
where d.scope = 'PERSONAL' and d.path like 'memory/____-__-__.md'`)
	if err != nil {
		t.Fatal(err)
	}
	flushed, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[struct {
		Conversation string
		Flushed      int64
	}], `select conversation_id, flushed_seq from conversations order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, c := range flushed {
		for seq := int64(1); seq <= c.Flushed; seq += 2 {
			mark := fmt.Sprintf("%s/%d", c.Conversation, seq)
			checked++
			if n := len(regexp.MustCompile(`(?m)^- .*`+regexp.QuoteMeta(mark)+`\b`).FindAllString(notes[0], -1)); n != 1 {
				t.Errorf("%d lines of the notes have %s", n, mark)
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was checked")
	}
}

// talkers is a deployment with two APIs, and conversations in windows that are too small for them.
type talkers struct {
	*deployment.System
	apis      []*deployment.Client
	contexts  atomic.Int64 // that were answered
	compacted atomic.Int64 // of which had a summary
	killed    atomic.Int64 // processes, so far
}

// windowTokens is small enough that a conversation outgrows it every few turns.
const windowTokens = 2000

func startWindows(ctx context.Context, t *testing.T, faults llmtest.Script) *talkers {
	t.Helper()
	model := scriptedModel(faults)
	s := deployment.StartSystem(ctx, t, deployment.Options{Model: &model, Env: []string{
		"REVERIE_MEMORY_MAX_CHARS=1000000", "REVERIE_FLUSH_DEADLINE=2s", "REVERIE_WINDOW_SUMMARY_DEADLINE=2s",
	}})
	return &talkers{System: s, apis: []*deployment.Client{s.API, s.AddAPI(ctx, t, "api-2")}}
}

func windowTalk(n int) (conversation, owner string) {
	return fmt.Sprintf("talk-%03d", n), fmt.Sprintf("talker-%d", n)
}

// windowTurn returns the messages of a turn: the user's message has a mark, which the scripted model and the built-in engine note.
func windowTurn(n, turn int) []deployment.Message {
	conversation, _ := windowTalk(n)
	mark := fmt.Sprintf("[%s/%d]", conversation, 2*turn+1)
	return []deployment.Message{
		{
			ID: fmt.Sprintf("u%d", turn), Role: "user",
			Content: fmt.Sprintf("This is %s, and please remember that it is the label of box %d.", mark, 2*turn+1),
		},
		{
			ID: fmt.Sprintf("a%d", turn), Role: "assistant",
			Content: "Understood " + mark + ". " + strings.Repeat("The lamps stay, and the roof is looked at in spring. ", 8),
		},
	}
}

// talk runs a conversation: before each turn both APIs are asked for its context concurrently.
func (w *talkers) talk(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	t.Helper()
	conversation, owner := windowTalk(n)
	for turn := range *windowTurns {
		w.awaitKills(turn)
		messages := windowTurn(n, turn)
		var both sync.WaitGroup
		for _, api := range w.apis {
			both.Go(func() { w.assemble(ctx, t, api, n, turn, messages[0].Content) })
		}
		both.Wait()
		path := fmt.Sprintf("/api/v1/agents/%s/conversations/%s/messages", deployment.Agent, conversation)
		batch := deployment.Batch{EndUserID: owner, TriggerSource: "api", TurnComplete: true, Messages: messages}
		if err := w.API.Insist(ctx, http.MethodPost, path, batch, nil); err != nil {
			t.Errorf("post %s: %v", conversation, err)
		}
		if t.Failed() {
			return
		}
	}
}

// awaitKills waits until the number of kills due before a turn is reached, or until its patience ends, so that the
// kills are spread over the whole run.
func (w *talkers) awaitKills(turn int) {
	due := int64(turn * *windowKills / *windowTurns)
	for deadline := time.Now().Add(progressPatience); w.killed.Load() < due && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
}

// windowView is the part of a context that is checked.
type windowView struct {
	Messages []struct {
		Kind    string `json:"kind"`
		Seq     int64  `json:"seq"`
		Content string `json:"content"`
	} `json:"messages"`
	Ledger struct {
		Used, Max int
	} `json:"ledger"`
}

// assemble requests a context until it succeeds, and checks that what it does not contain is flushed.
func (w *talkers) assemble(ctx context.Context, t *testing.T, api *deployment.Client, n, turn int, message string) {
	t.Helper()
	t.Helper()
	conversation, owner := windowTalk(n)
	var view windowView
	body := map[string]any{"conversation": conversation, "endUserId": owner, "message": message, "maxInputTokens": windowTokens}
	if err := api.Insist(ctx, http.MethodPost, "/api/v1/agents/"+deployment.Agent+"/context", body, &view); err != nil {
		t.Errorf("the context of turn %d of %s: %v", turn, conversation, err)
		return
	}
	w.contexts.Add(1)
	if view.Ledger.Used > windowTokens || view.Ledger.Max != windowTokens {
		t.Errorf("%s, turn %d: %d of %d tokens", conversation, turn, view.Ledger.Used, view.Ledger.Max)
	}
	first := int64(2*turn + 1) // of what is sent word by word
	next := int64(0)
	for _, m := range view.Messages {
		switch m.Kind {
		case "summary":
			w.compacted.Add(1)
		case "history":
			if next != 0 && m.Seq != next {
				t.Errorf("%s, turn %d: message %d follows %d", conversation, turn, m.Seq, next-1)
			}
			first, next = min(first, m.Seq), m.Seq+1
		}
	}
	if next != 0 && next != int64(2*turn+1) {
		t.Errorf("%s, turn %d: the last message is %d of %d", conversation, turn, next-1, 2*turn)
	}
	flushed, err := deployment.Query(ctx, w.System, pgx.RowTo[int64],
		`select coalesce(max(flushed_seq), 0) from conversations where conversation_id = $1`, conversation)
	if err != nil {
		t.Error(err)
		return
	}
	if flushed[0] < first-1 {
		t.Errorf("%s, turn %d: messages up to %d are not in the window, %d are flushed", conversation, turn, first-1, flushed[0])
	}
}

// disturb kills processes at random moments during the conversations, and restarts PostgreSQL and Temporal once each.
func (w *talkers) disturb(ctx context.Context, t *testing.T, random *rand.Rand, talked <-chan struct{}) (done disturbed) {
	t.Helper()
	for {
		select {
		case <-talked:
			w.Ensure(t)
			return done
		case <-time.After(time.Duration(random.Int64N(int64(maxInstant)))):
		}
		if killed := done.workers + done.apis; killed < *windowKills {
			switch random.IntN(4) {
			case 0:
				w.Kill("api")
				done.apis++
			case 1:
				w.Kill("api-2")
				done.apis++
			default:
				w.Kill("worker")
				done.workers++
			}
			w.killed.Add(1)
		}
		w.Ensure(t)
		switch killed := done.workers + done.apis; {
		case killed >= *windowKills/3 && done.postgres == 0:
			if err := w.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
			done.postgres++
		case killed >= *windowKills/2 && done.temporal == 0:
			if err := w.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
			done.temporal++
		}
		w.Ensure(t)
	}
}

// flushRest compacts a whole conversation, so that everything but the last turns is flushed.
func (w *talkers) flushRest(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	conversation, owner := windowTalk(n)
	path := fmt.Sprintf("/api/v1/agents/%s/conversations/%s/compact?wait=60s&endUserId=%s", deployment.Agent, conversation, owner)
	for deadline := time.Now().Add(*patience); ; time.Sleep(200 * time.Millisecond) {
		var out struct {
			Status string `json:"status"`
		}
		if err := w.API.Insist(ctx, http.MethodPost, path, map[string]any{}, &out); err != nil {
			t.Fatal(err)
		}
		if out.Status == "completed" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not compacted after %s; logs are in %s", conversation, *patience, w.Logs())
		}
	}
}

package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// talkers are a deployment with two APIs, and conversations in windows that are too small for them.
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

// windowTurn is what is said in a turn: the user's message carries a mark, for the scripted model in brackets and for rules in
// what is to be remembered.
func windowTurn(n, turn int) []deployment.Message {
	conversation, _ := windowTalk(n)
	mark := fmt.Sprintf("[%s/%d]", conversation, 2*turn+1)
	return []deployment.Message{
		{ID: fmt.Sprintf("u%d", turn), Role: "user", Content: fmt.Sprintf("This is %s, and it matters. Please remember that the label of box %d is %s/%d.",
			mark, 2*turn+1, conversation, 2*turn+1)},
		{ID: fmt.Sprintf("a%d", turn), Role: "assistant", Content: "Understood " + mark + ". " + strings.Repeat("The lamps stay, and the roof is looked at in spring. ", 8)},
	}
}

// talk has a conversation: before each turn both APIs are asked for its context at once.
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

// awaitKills waits until as many processes were killed as there are to be before a turn, or for its patience, so that the kills
// are spread over the whole talk on a quick machine as well.
func (w *talkers) awaitKills(turn int) {
	due := int64(turn * *windowKills / *windowTurns)
	for deadline := time.Now().Add(progressPatience); w.killed.Load() < due && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
}

// windowView is what is looked at of a context.
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

// assemble asks for a context until it is there, and checks that what it does not have is flushed.
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
	flushed, err := deployment.Query(ctx, w.System, pgx.RowTo[int64], `select coalesce(max(flushed_seq), 0) from conversations where conversation_id = $1`, conversation)
	if err != nil {
		t.Error(err)
		return
	}
	if flushed[0] < first-1 {
		t.Errorf("%s, turn %d: messages up to %d are not in the window, %d are flushed", conversation, turn, first-1, flushed[0])
	}
}

// disturb kills processes at random instants while there is talk, and restarts PostgreSQL and Temporal once each.
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

// flushRest has a whole conversation compacted, so that all of it is flushed but for the last turns.
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

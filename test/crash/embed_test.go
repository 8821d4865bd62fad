package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

const (
	// embedTalks conversations of embedMessages messages are embedded while the worker is killed embedKills times.
	embedTalks, embedMessages = 6, 100
	embedKills                = 4
	// embedBatch is the number of units in a step (activities/embed.go), which may be paid for twice per kill.
	embedBatch = 256
)

// TestKilledWhileEmbedding kills the worker repeatedly while it embeds. In the end every unit has exactly one vector,
// that of its own text, and only interrupted batches were paid for twice.
func TestKilledWhileEmbedding(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	model := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Slow(100 * time.Millisecond))})
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{
		"REVERIE_EMBEDDING_PROVIDER=openai", "REVERIE_EMBEDDING_MODEL=scripted", "REVERIE_EMBEDDING_API_KEY=key",
		"REVERIE_EMBEDDING_BASE_URL=" + model.URL + "/v1", "REVERIE_EMBEDDING_BATCH=8", "REVERIE_EMBEDDING_CONCURRENCY=2",
		"REVERIE_MEMORY_ENABLED=false",
	}})
	for c := range embedTalks {
		b := deployment.Batch{EndUserID: fmt.Sprint("owner-", c%2), TriggerSource: "api", TurnComplete: true}
		for m := range embedMessages {
			b.Messages = append(b.Messages, deployment.Message{
				ID: fmt.Sprint(m), Role: []string{"user", "assistant"}[m%2],
				Content: fmt.Sprintf("Message %d of talk %d is about item %d.", m, c, c*1000+m),
			})
		}
		path := fmt.Sprintf("/api/v1/agents/%s/conversations/talk-%d/messages", deployment.Agent, c)
		if err := s.API.Insist(ctx, http.MethodPost, path, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	e := embedded{System: s, model: model}
	random := rand.New(rand.NewPCG(*seed, 1))
	for n := range embedKills {
		e.await(ctx, t, embedTalks*embedMessages*n/embedKills)
		time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
		s.Kill("worker")
		s.Ensure(t)
	}
	units := e.await(ctx, t, embedTalks*embedMessages)
	e.check(ctx, t)
	if paid := model.Stats().Texts; paid > units+embedKills*embedBatch+1 {
		t.Errorf("%d texts were sent for %d units and %d kills", paid, units, embedKills)
	} else {
		t.Logf("%d units, %d kills: %d texts were sent", units, embedKills, paid)
	}
}

// embedded is a deployment whose units get vectors.
type embedded struct {
	*deployment.System
	model *llmtest.Server
}

func (e embedded) count(ctx context.Context, t *testing.T, sql string) int {
	t.Helper()
	n, err := deployment.Query(ctx, e.System, pgx.RowTo[int], sql)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// await waits until at least a number of units have a vector, and in the end until all have. It returns how many
// have.
func (e embedded) await(ctx context.Context, t *testing.T, least int) int {
	t.Helper()
	for began := time.Now(); time.Since(began) < *patience; time.Sleep(50 * time.Millisecond) {
		n := e.count(ctx, t, `select count(*) from index_vectors`)
		if n >= least && (least < embedTalks*embedMessages || e.count(ctx, t, `select count(*) from index_sources where embed_due`) == 0) {
			return n
		}
		e.Ensure(t)
	}
	t.Fatalf("after %s fewer than %d units have a vector; logs are in %s", *patience, least, e.Logs())
	return 0
}

// check compares every unit of the conversations with its vector.
func (e embedded) check(ctx context.Context, t *testing.T) {
	t.Helper()
	type stored struct {
		Content string
		Vector  string
		Vectors int
	}
	rows, err := deployment.Query(ctx, e.System, pgx.RowToStructByPos[stored], `
select m.content, coalesce(v.embedding::text, ''), count(v.group_no) over (partition by s.group_no, m.seq)::int
from messages m
join index_sources s on s.source_uid = m.conversation_uid
left join index_vectors v on v.group_no = s.group_no and v.ordinal / 256 = m.seq`)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{} // content by vector
	for _, r := range rows {
		if r.Vectors != 1 {
			t.Errorf("%q has %d vectors", r.Content, r.Vectors)
		}
		if other, taken := seen[r.Vector]; taken {
			t.Errorf("%q and %q have the same vector", r.Content, other)
		}
		seen[r.Vector] = r.Content
	}
	if len(rows) != embedTalks*embedMessages {
		t.Errorf("%d messages are indexed of %d", len(rows), embedTalks*embedMessages)
	}
}

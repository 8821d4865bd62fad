package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/store/indexes"
	"reverie/test/deployment"
	"reverie/workflows"
)

// embeddingEnv configures an embedding model at a server.
func embeddingEnv(prefix, name, url string) []string {
	return []string{
		prefix + "PROVIDER=openai", prefix + "MODEL=" + name, prefix + "API_KEY=key", prefix + "BASE_URL=" + url + "/v1",
		prefix + "DIMENSIONS=128",
	}
}

// TestTheEmbeddingModelIsChanged configures a model, waits for the vectors, and then configures another one: a new
// worker builds its space beside the live one and switches over by itself. After switching back, it stays with the
// old one.
func TestTheEmbeddingModelIsChanged(t *testing.T) {
	ctx := t.Context()
	model := llmtest.New(t, llmtest.Options{})
	s := deployment.StartSystem(ctx, t, deployment.Options{
		Env: append(embeddingEnv("REVERIE_EMBEDDING_", "small", model.URL), "REVERIE_MEMORY_ENABLED=false"),
	})
	var sayings []string
	for i := range 40 {
		sayings = append(sayings, fmt.Sprintf("Shelf %d holds the spare parts of engine %d.", i, 1000+i))
	}
	post(ctx, t, s, "parts", chat("someone", 1, sayings...))
	waitFor(ctx, t, s, "vectors of the first model", `
select exists (select from index_spaces where identity ->> 'model' = 'small' and state = 'live')
    and exists (select from index_vectors) and not exists (select from index_sources where embed_due)`)

	s.SetEnv(embeddingEnv("REVERIE_EMBEDDING_NEXT_", "large", model.URL)...)
	s.Kill("worker")
	s.Run(t, "worker")
	waitFor(ctx, t, s, "the switch to the next model", `
select exists (select from index_spaces where identity ->> 'model' = 'large' and state = 'live')
    and exists (select from index_spaces where identity ->> 'model' = 'small' and state = 'retired')`)
	waitFor(ctx, t, s, "all vectors of the next model", `
select count(*) filter (where p.state = 'live') = count(*) filter (where p.state = 'retired')
from index_vectors v
join index_spaces p using (space_id)`)

	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	next, err := embed.Open(embed.Config{
		Provider: "openai", Model: "large", APIKey: "key", BaseURL: model.URL + "/v1",
		Dimensions: 128,
	})
	if err != nil {
		t.Fatal(err)
	}
	reindex := workflows.ReindexID(indexes.AgentRef{Workspace: "default", Agent: deployment.Agent}, next.Identity())
	p, err := workflows.ReindexProgressOf(ctx, c, reindex)
	for deadline := time.Now().Add(time.Minute); err == nil && p.Phase == workflows.PhaseComparing && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond) // the database has switched, and the step's answer is on its way
		p, err = workflows.ReindexProgressOf(ctx, c, reindex)
	}
	if err != nil || p.Phase != workflows.PhaseRetaining || p.Comparison == nil || p.Comparison.Questions < 20 ||
		p.Comparison.NextFound < 0.9 {
		t.Errorf("progress is %+v (%v), comparison %+v", p, err, p.Comparison)
	}
	decide := fmt.Sprintf(base+"/memory/spaces/%d",
		number(ctx, t, s, `select space_id from index_spaces where identity ->> 'model' = 'large'`))
	var refused *deployment.StatusError
	if err := s.API.Call(ctx, http.MethodPost, decide, map[string]any{"decision": "switch"}, nil); !errors.As(err, &refused) ||
		refused.Status != 409 {
		t.Errorf("a decision that nobody waits for: %v, want 409", err)
	}
	var decided struct{ Spaces []struct{ ID, Vectors int } }
	if err := s.API.Call(ctx, http.MethodPost, decide, map[string]any{"decision": "switch-back"}, &decided); err != nil {
		t.Fatal(err)
	}
	for _, p := range decided.Spaces { // of all owners, as the status shows them
		if n := number(ctx, t, s, fmt.Sprintf(`select count(*) from index_vectors where space_id = %d`, p.ID)); n != p.Vectors || n < len(sayings) {
			t.Errorf("space %d has %d vectors in the answer, and %d", p.ID, p.Vectors, n)
		}
	}
	post(ctx, t, s, "more", chat("someone", 1, "The boiler is in the cellar."))
	waitFor(ctx, t, s, "what was written since, in the old space", `
select not exists (select from index_sources where embed_due) and exists (
    select from index_spaces p where p.identity ->> 'model' = 'small' and p.state = 'live' and (
        select count(*) from index_vectors v where v.space_id = p.space_id) = (select sum(units) from index_sources))`)
	time.Sleep(3 * time.Second) // three sweeps
	if n := number(ctx, t, s, `select count(*) from index_spaces where identity ->> 'model' = 'large' and state = 'retired'`); n != 1 {
		t.Error("what was switched back is changed again by itself")
	}
	if hit := s.HistoriesMention(ctx, t, "spare parts", "boiler"); len(hit) > 0 {
		t.Errorf("histories hold what was said: %v", hit)
	}
}

// TestTheLexicalIndexIsBuiltAnew rebuilds the lexical index of a complete agent, without an embedding model.
func TestTheLexicalIndexIsBuiltAnew(t *testing.T) {
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_MEMORY_ENABLED=false"}})
	for c := range 30 {
		post(ctx, t, s, fmt.Sprint("talk-", c), chat("someone", 1, fmt.Sprintf("The code of door %d is %d.", c, 7000+c)))
	}
	before := number(ctx, t, s, `select sum(units) from index_sources`)
	oldest := number(ctx, t, s, `select min(group_no) from index_sources where agent_id = 'ada'`)
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id, err := workflows.StartReindex(ctx, c,
		workflows.DefaultReindex(indexes.AgentRef{Workspace: "default", Agent: deployment.Agent}, memory.EmbeddingIdentity{}))
	if err != nil {
		t.Fatal(err)
	}
	var out workflows.ReindexProgress
	if err := c.GetWorkflow(ctx, id, "").Get(ctx, &out); err != nil || out.Outcome != workflows.ReindexRebuilt || out.Done != out.Total ||
		out.Total < 30 {
		t.Errorf("%+v (%v)", out, err)
	}
	if after := number(ctx, t, s, `select sum(units) from index_sources`); after != before {
		t.Errorf("%d units became %d", before, after)
	}
	if n := number(ctx, t, s, `select min(group_no) from index_sources where agent_id = 'ada'`); n <= oldest {
		t.Error("some source was not indexed anew")
	}
}

// number asks the database.
func number(ctx context.Context, t *testing.T, s *deployment.System, sql string) int {
	t.Helper()
	n, err := deployment.Query(ctx, s, pgx.RowTo[int], sql)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// waitFor waits until a query returns true.
func waitFor(ctx context.Context, t *testing.T, s *deployment.System, what, sql string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		yes, err := deployment.Query(ctx, s, pgx.RowTo[bool], sql)
		if err != nil {
			t.Fatal(err)
		}
		if yes[0] {
			t.Logf("%s: after %s", what, time.Since(began).Round(10*time.Millisecond))
			return
		}
		s.Ensure(t)
	}
	t.Fatalf("a minute was not enough for %s; logs are in %s", what, s.Logs())
}

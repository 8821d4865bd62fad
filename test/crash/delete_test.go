package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md):
//
//	go test ./test/crash -run Deletions -timeout 30m -v -args -delete-kills 100
var deleteKills = flag.Int("delete-kills", 6, "kills of worker, API, PostgreSQL and Temporal while something is deleted")

// The same conversations and owners of two agents are deleted, of one undisturbed and of the other while everything is killed. Both end the
// same: nothing of the targets is left in any table, and everything else is as it was. Then the agents are deleted.
func TestDeletionsAreKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := &deleters{
		System: deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_DELETION_GRACE=100ms", "REVERIE_MIN_MESSAGES=2"}}),
		random: rand.New(rand.NewPCG(*seed, 11)),
	}
	for _, agent := range []string{"calm", "storm"} {
		d.call(ctx, t, http.MethodPost, "", map[string]any{"id": agent}, nil)
		for owner := range 3 {
			d.say(ctx, t, agent, fmt.Sprint(owner), "first", "second")
		}
	}
	d.settle(t)
	d.delete(ctx, t, "calm", map[string]any{"target": "conversation", "endUserId": "0", "conversation": "first"}, 0)
	d.delete(ctx, t, "calm", map[string]any{"target": "owner", "endUserId": "1"}, 0)
	d.delete(ctx, t, "storm", map[string]any{"target": "conversation", "endUserId": "0", "conversation": "first"}, *deleteKills/4)
	d.delete(ctx, t, "storm", map[string]any{"target": "owner", "endUserId": "1"}, *deleteKills/4)
	for n := 0; d.killed < *deleteKills-*deleteKills/4; n++ { // until enough has been killed
		owner := fmt.Sprint("more-", n)
		d.say(ctx, t, "storm", owner, "first")
		d.settle(t)
		d.delete(ctx, t, "storm", map[string]any{"target": "owner", "endUserId": owner}, min(30, *deleteKills-*deleteKills/4-d.killed))
	}
	want, got := d.state(ctx, t, "calm"), d.state(ctx, t, "storm")
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	d.delete(ctx, t, "calm", map[string]any{"target": "agent"}, 0)
	d.delete(ctx, t, "storm", map[string]any{"target": "agent"}, *deleteKills-d.killed)
	for _, agent := range []string{"calm", "storm"} {
		if left := d.state(ctx, t, agent); len(left) > 0 {
			t.Errorf("left of agent %s: %v", agent, left)
		}
	}
	t.Logf("%d kills during %d deletions; %d rows of other owners the same", d.killed, d.done, len(got))
}

// deleters is a deployment in which things are deleted.
type deleters struct {
	*deployment.System

	random       *rand.Rand
	killed, done int
}

func (d *deleters) call(ctx context.Context, t *testing.T, method, path string, body, out any) {
	t.Helper()
	if err := d.API.Insist(ctx, method, "/api/v1/agents"+path, body, out); err != nil {
		t.Fatalf("%s %s: %v; logs are in %s", method, path, err, d.Logs())
	}
}

// say has an owner talk in some conversations, and writes a document.
func (d *deleters) say(ctx context.Context, t *testing.T, agent, owner string, conversations ...string) {
	t.Helper()
	for _, conversation := range conversations {
		said := deployment.Batch{EndUserID: owner, TriggerSource: "api", TurnComplete: true}
		for m := range 4 {
			role, content := "user", fmt.Sprintf("Please remember that the label of box %d is crate-%s-%s.", m, owner, conversation)
			if m%2 == 1 {
				role, content = "assistant", "Noted."
			}
			said.Messages = append(said.Messages, deployment.Message{ID: fmt.Sprint(m), Role: role, Content: content})
		}
		d.call(ctx, t, http.MethodPost, "/"+agent+"/conversations/"+conversation+"/messages", said, nil)
	}
	note := map[string]string{"content": "- Owner " + owner + ".\n"}
	d.call(ctx, t, http.MethodPut, "/"+agent+"/workspace/files/notes.md?scope=PERSONAL&endUserId="+owner, note, nil)
}

// settle waits until everything is extracted.
func (d *deleters) settle(t *testing.T) {
	t.Helper()
	await(t, "everything to be extracted", func() bool {
		d.Ensure(t)
		waiting, err := deployment.Query(t.Context(), d.System, pgx.RowTo[int],
			"select count(*)::int from conversations where cursor_seq < last_seq")
		if err != nil {
			t.Fatal(err)
		}
		return waiting[0] == 0
	})
}

// delete deletes something of an agent, and kills processes until it is deleted, at most so many times.
func (d *deleters) delete(ctx context.Context, t *testing.T, agent string, target map[string]any, kills int) {
	t.Helper()
	var now struct {
		ID, State string
		Tables    int
	}
	d.call(ctx, t, http.MethodPost, "/"+agent+"/deletions", target, &now)
	path, began := "/"+agent+"/deletions/"+now.ID, time.Now()
	for now.State != "done" {
		if kills > 0 {
			kills--
			time.Sleep(time.Duration(d.random.Int64N(int64(700 * time.Millisecond))))
			d.kill(ctx, t)
		}
		d.Ensure(t)
		d.call(ctx, t, http.MethodGet, path, nil, &now)
		if time.Since(began) > *patience {
			t.Fatalf("%v has not ended: %+v; logs are in %s", target, now, d.Logs())
		}
		if kills == 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}
	if now.Tables == 0 {
		t.Errorf("%v: %+v", target, now)
	}
	d.done++
	t.Logf("%v of agent %s deleted after %s, %d kills so far", target["target"], agent, time.Since(began).Round(time.Second), d.killed)
}

// kill kills something at random.
func (d *deleters) kill(ctx context.Context, t *testing.T) {
	t.Helper()
	switch n := d.random.IntN(12); {
	case n == 0:
		d.restart(ctx, t, d.Temporal)
	case n < 3:
		d.restart(ctx, t, d.Postgres)
	case n < 5:
		d.Kill("api")
	default:
		d.Kill("worker")
	}
	d.killed++
}

func (d *deleters) restart(ctx context.Context, t *testing.T, server interface{ Restart(context.Context) error }) {
	t.Helper()
	if err := server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
}

// state returns what every table has of an agent, without ids and times: the owners of rows with their numbers, and contents. What is
// merged or counted in the background differs by itself.
func (d *deleters) state(ctx context.Context, t *testing.T, agent string) (state []string) {
	t.Helper()
	tables, err := deployment.Query(ctx, d.System, pgx.RowTo[string], `
select table_name::text
from information_schema.columns
where table_schema = 'public' and column_name = 'agent_id' and table_name not like 'index\_vectors\_%' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if slices.Contains([]string{
			"deletions", "audit_log", "model_usage", "index_fresh", "index_segments", "index_blocks", "index_graves",
			"fact_due", "dream_news", "journal",
		}, table) {
			continue
		}
		owner := "left(agent_id, 0)"
		if table != "agents" && table != "souls" && !strings.HasPrefix(table, "index_") || table == "index_sources" {
			owner = "owner_key"
		}
		rows, err := deployment.Query(ctx, d.System, pgx.RowTo[string],
			fmt.Sprintf("select '%s ' || %s || ' ' || count(*) from %[1]s where agent_id = $1 group by %[2]s order by 1", table, owner), agent)
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		state = append(state, rows...)
	}
	contents, err := deployment.Query(ctx, d.System, pgx.RowTo[string], `
select d.owner_key || ' ' || d.path || ' ' || md5(regexp_replace(v.content, '\d\d:\d\d', '', 'g'))
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.agent_id = $1 order by 1`, agent)
	if err != nil {
		t.Fatal(err)
	}
	return append(state, contents...)
}

package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md):
//
//	go test ./test/crash -run Erasures -timeout 30m -v -args -erase-kills 100
var eraseKills = flag.Int("erase-kills", 8, "kills of API and PostgreSQL while words are erased")

// Triggers make erasing take its time, so that a kill meets it between its statements and before its commit.
var slowErasing = []string{
	"create function crash_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.15); return null; end $$",
	"create trigger crash_slow after update on messages for each statement execute function crash_slow()",
	"create trigger crash_slow after update on document_versions for each statement execute function crash_slow()",
	"create trigger crash_slow after update on journal for each statement execute function crash_slow()",
}

// Words, and facts, are erased of the owners of two agents, of one undisturbed, and of the other while everything that takes part is
// killed. A client repeats each request until it is answered. Both end the same, and the words are in no row.
func TestErasuresAreKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := &deleters{
		System: deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_MIN_MESSAGES=2"}}),
		random: rand.New(rand.NewPCG(*seed, 19)),
	}
	const erasures, killsOfOne = 2, 2
	owners := max(1, *eraseKills/(erasures*killsOfOne))
	for _, agent := range []string{calm, storm} {
		d.call(ctx, t, http.MethodPost, "", map[string]any{"id": agent}, nil)
		for owner := range owners + 1 { // of the last one, nothing is erased
			d.say(ctx, t, agent, fmt.Sprint(owner), "first", "second")
		}
	}
	d.settle(t)
	for _, sql := range slowErasing {
		if _, err := deployment.Query(ctx, d.System, pgx.RowTo[string], sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, agent := range []string{calm, storm} {
		for owner := range owners {
			kills := 0
			if agent == storm {
				kills = killsOfOne
			}
			who := fmt.Sprint(owner)
			d.erase(ctx, t, agent+"/forget", "words-"+who, map[string]any{
				"endUserId": who, "pattern": words(who, "first"), "dryRun": false, "erase": true,
			}, kills)
			fact := d.fact(ctx, t, agent, who, words(who, "second"))
			d.erase(ctx, t, agent+"/facts/"+fact+"/forget?erase=true&endUserId="+who, "fact-"+who, nil, kills)
		}
	}
	for _, agent := range []string{calm, storm} {
		for owner := range owners {
			if rows := d.having(ctx, t, agent, words(fmt.Sprint(owner), "first")); len(rows) > 0 {
				t.Errorf("words of owner %d of agent %s are in %q", owner, agent, rows)
			}
		}
		if rows := d.having(ctx, t, agent, words(fmt.Sprint(owners), "first")); len(rows) < 3 {
			t.Errorf("of another owner of agent %s, only %q are left", agent, rows)
		}
		for owner := range owners + 1 { // which are derived when they are read
			d.facts(ctx, t, agent, fmt.Sprint(owner))
		}
	}
	want, got := d.state(ctx, t, calm), d.state(ctx, t, storm)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	if d.killed < *eraseKills*3/4 {
		t.Errorf("only %d kills", d.killed)
	}
	t.Logf("%d kills during %d erasures; %d rows the same", d.killed, d.done, len(got))
}

// words returns the words that an owner has said in a conversation.
func words(owner, conversation string) string { return "crate-" + owner + "-" + conversation }

// erase sends a request until it is answered, and kills what takes part meanwhile.
func (d *deleters) erase(ctx context.Context, t *testing.T, path, key string, body any, kills int) {
	t.Helper()
	once := deployment.Client{
		URL: d.API.URL, Key: d.API.Key, HTTP: http.Client{Timeout: time.Minute}, Header: http.Header{"Idempotency-Key": {key}},
	}
	answered := make(chan error, 1)
	go func() { answered <- once.Insist(ctx, http.MethodPost, "/api/v1/agents/"+path, body, nil) }()
	for {
		var kill <-chan time.Time
		if kills > 0 {
			kill = time.After(time.Duration(d.random.Int64N(int64(400 * time.Millisecond))))
		}
		select {
		case err := <-answered:
			if err != nil {
				t.Errorf("%s: %v; logs are in %s", path, err, d.Logs())
			}
			d.done++
			return
		case <-kill:
		}
		kills--
		d.killed++
		if d.random.IntN(2) == 0 {
			d.Kill("api")
		} else {
			d.restart(ctx, t, d.Postgres)
		}
		d.Ensure(t)
		if err := d.API.WaitReady(ctx); err != nil { // so that the next kill meets the request
			t.Fatal(err)
		}
	}
}

// facts returns the ids of an owner's facts by their text.
func (d *deleters) facts(ctx context.Context, t *testing.T, agent, owner string) map[string]string {
	t.Helper()
	var listed struct{ Items []struct{ ID, Text string } }
	d.call(ctx, t, http.MethodGet, "/"+agent+"/facts?limit=100&endUserId="+url.QueryEscape(owner), nil, &listed)
	facts := map[string]string{}
	for _, f := range listed.Items {
		facts[f.Text] = f.ID
	}
	return facts
}

// fact returns the id of a fact whose text has a word.
func (d *deleters) fact(ctx context.Context, t *testing.T, agent, owner, word string) string {
	t.Helper()
	for text, id := range d.facts(ctx, t, agent, owner) {
		if strings.Contains(text, "box 0") && strings.Contains(text, word) {
			return id
		}
	}
	t.Fatalf("no fact of owner %s of agent %s has %s", owner, agent, word)
	return ""
}

// having returns the tables in which rows of an agent have a text.
func (d *deleters) having(ctx context.Context, t *testing.T, agent, text string) (found []string) {
	t.Helper()
	tables, err := deployment.Query(ctx, d.System, pgx.RowTo[string], `
select table_name::text from information_schema.columns where table_schema = 'public' and column_name = 'agent_id' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		n, err := deployment.Query(ctx, d.System, pgx.RowTo[int],
			fmt.Sprintf("select count(*)::int from %s r where agent_id = $1 and strpos(r::text, $2) > 0", table), agent, text)
		if err != nil {
			t.Fatal(err)
		}
		if n[0] > 0 {
			found = append(found, fmt.Sprint(table, " ", n[0]))
		}
	}
	return found
}

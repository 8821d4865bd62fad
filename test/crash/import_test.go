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

// The short run is part of every test run; flags select the long one (see docs/operations.md):
//
//	go test ./test/crash -run Imports -timeout 60m -v -args -imports 1000 -import-messages 20 -import-owners 8
var (
	importTalks    = flag.Int("imports", 24, "conversations that move in")
	importMessages = flag.Int("import-messages", 8, "messages of each of them")
	importOwners   = flag.Int("import-owners", 4, "whose they are, at most 8: as many go on at once, and none waits for one that is held back")
	importKills    = flag.Int("import-kills", 5, "times that something is killed meanwhile")
)

// TestImportsAreKilled imports the same conversations and documents twice: undisturbed, and while the API, the
// worker, Temporal and PostgreSQL are killed. Both end the same: documents with their versions, messages, outcomes,
// and which messages were extracted together, each once.
func TestImportsAreKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := startImports(ctx, t)
	began := time.Now()
	w.move(ctx, t, "calm", nil)
	calm := time.Since(began)
	w.move(ctx, t, "storm", rand.New(rand.NewPCG(*seed, 7)))
	want, got := w.state(ctx, t, "calm"), w.state(ctx, t, "storm")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	w.checkImported(t, got)
	t.Logf("%d conversations of %d messages: undisturbed in %s, killed %d times in %s; %d documents, %d messages, %d extractions, %d items the same",
		*importTalks, *importMessages, calm.Round(time.Second), *importKills, (time.Since(began) - calm).Round(time.Second),
		len(got.Documents), len(got.Messages), len(got.Extractions), len(got.Items))
}

// movers is a deployment with the built-in engine, which is deterministic, and the data to import.
type movers struct {
	*deployment.System
	items []map[string]any
}

func startImports(ctx context.Context, t *testing.T) *movers {
	t.Helper()
	w := &movers{System: deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_MEMORY_MAX_CHARS=1000000"}})}
	for n := range *importTalks {
		w.items = append(w.items, importTalk(n))
	}
	for n := range *importOwners {
		w.items = append(w.items, map[string]any{"key": fmt.Sprint("note-", n), "document": map[string]any{
			"path": "memory/2023-12-31.md", "scope": "PERSONAL", "owner": importOwner(n),
			"content": fmt.Sprintf("# 2023-12-31\n\n- Year %d ends.\n", n),
		}})
	}
	return w
}

func importOwner(n int) string { return fmt.Sprintf("user:%d", n%*importOwners) }

// importMark occurs in one message of a conversation, and nowhere else.
func importMark(n, message int) string { return fmt.Sprintf("crate-%04d-%03d", n, message) }

// importTalk returns a conversation; every third one continues after midnight.
func importTalk(n int) map[string]any {
	begin := time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC).AddDate(0, 0, n/(*importOwners))
	if n%3 == 0 {
		begin = begin.Add(13*time.Hour + 50*time.Minute)
	}
	var said []map[string]any
	for m := range *importMessages {
		role, content := "user", fmt.Sprintf("Please remember that the label of box %d is %s.", m, importMark(n, m))
		if m%2 == 1 {
			role, content = "assistant", "I see. The lamps stay as they are."
		}
		said = append(said, map[string]any{
			"id": fmt.Sprintf("m%d", m), "role": role, "content": content, "createdAt": begin.Add(time.Duration(m) * 3 * time.Minute),
		})
	}
	return map[string]any{"key": fmt.Sprintf("talk-%04d", n), "conversation": map[string]any{
		"id": fmt.Sprintf("zep:%04d", n), "owner": importOwner(n), "messages": said,
	}}
}

// importProgress is the observed state of an import.
type importProgress struct {
	ID, State      string
	Items, Settled int
}

// move imports everything into a new agent, and kills something now and then if it is given chance.
func (w *movers) move(ctx context.Context, t *testing.T, agent string, random *rand.Rand) {
	t.Helper()
	call := func(method, path string, body, out any) {
		t.Helper()
		if err := w.API.Insist(ctx, method, "/api/v1/agents"+path, body, out); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	call(http.MethodPost, "", map[string]any{"id": agent}, nil)
	imports := "/" + agent + "/imports"
	var made importProgress
	call(http.MethodPost, imports, map[string]any{"source": "crash", "format": "zep"}, &made)
	for batch := range slices.Chunk(w.items, 10) {
		call(http.MethodPost, imports+"/"+made.ID+"/items", map[string]any{"items": batch}, nil)
	}
	call(http.MethodPost, imports+"/"+made.ID+"/start", nil, nil)
	if random != nil {
		w.kills(ctx, t, agent, random)
	}
	for deadline := time.Now().Add(*patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		w.Ensure(t)
		var now importProgress
		call(http.MethodGet, imports+"/"+made.ID, nil, &now)
		if now.State == "done" {
			if now.Settled != len(w.items) {
				t.Errorf("%+v of %d items", now, len(w.items))
			}
			return
		}
	}
	t.Fatalf("the import has not ended after %s; logs are in %s", *patience, w.Logs())
}

// kills kills something during the import, each time after further items are settled. All later items are held back,
// so that the import is in progress however fast the machine is.
func (w *movers) kills(ctx context.Context, t *testing.T, agent string, random *rand.Rand) {
	t.Helper()
	kill := []func(){
		func() { w.Kill("worker") },
		func() { w.restart(ctx, t, w.Postgres) },
		func() { w.Kill("worker") },
		func() { w.restart(ctx, t, w.Temporal) },
		func() { w.Kill("api"); w.Kill("worker") },
	}
	for n := range *importKills {
		upTo := len(w.items) * (n + 1) / (*importKills + 1)
		release := w.holdBack(ctx, t, agent, upTo)
		settled := w.settled(ctx, t, agent, upTo)
		time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond)))) // owners are in the middle of what is held back
		kill[n%len(kill)]()
		release()
		t.Logf("kill %d with %d of %d items settled", n+1, settled, len(w.items))
		w.Ensure(t)
	}
}

// holdBack makes all but the first items wait before they are settled, until release is called or the database
// restarts.
func (w *movers) holdBack(ctx context.Context, t *testing.T, agent string, upTo int) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(ctx, w.Database())
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const sql = `
select 1
from import_items
where agent_id = $1 and outcome = '' and item_key in (
    select item_key
    from import_items
    where agent_id = $1
    order by kind, happened_at, item_key
    offset $2)
for update`
	held, err := tx.Exec(ctx, sql, agent, upTo)
	if err != nil || held.RowsAffected() == 0 {
		t.Fatalf("%d items wait to be held back, %v", held.RowsAffected(), err)
	}
	return func() {
		_ = conn.Close(ctx) // it is gone when the database has restarted; what it held is let go
	}
}

// settled waits until a number of items are settled, and returns their number.
func (w *movers) settled(ctx context.Context, t *testing.T, agent string, least int) (settled int) {
	t.Helper()
	for deadline := time.Now().Add(*patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		w.Ensure(t)
		counts, err := deployment.Query(ctx, w.System, pgx.RowTo[int],
			"select count(*)::int from import_items where agent_id = $1 and outcome <> ''", agent)
		if err != nil {
			t.Fatal(err)
		}
		if settled = counts[0]; settled >= least {
			if settled == len(w.items) {
				t.Fatal("all is settled before the kill")
			}
			return settled
		}
	}
	t.Fatalf("%d of %d items are settled after %s; logs are in %s", settled, least, *patience, w.Logs())
	return settled
}

func (w *movers) restart(ctx context.Context, t *testing.T, server interface{ Restart(context.Context) error }) {
	t.Helper()
	if err := server.Restart(ctx); err != nil {
		t.Fatalf("restart: %v", err)
	}
}

// importState returns everything that an import leaves, as lines.
type importState struct{ Documents, Messages, Items, Extractions []string }

func (w *movers) state(ctx context.Context, t *testing.T, agent string) importState {
	t.Helper()
	rows := func(sql string) []string {
		t.Helper()
		found, err := deployment.Query(ctx, w.System, pgx.RowTo[string], sql, agent)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	return importState{
		Documents: rows(`
select concat_ws(' ', d.owner_key, d.path, d.version, v.content)
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.agent_id = $1
order by d.owner_key, d.path`),
		Messages: rows(`
select concat_ws(' ', c.owner_key, c.conversation_id, c.cursor_seq, c.complete_seq, m.seq, m.message_id, m.role, extract(epoch from m.said_at), m.content)
from messages m
join conversations c using (workspace_id, agent_id, conversation_uid)
where m.agent_id = $1
order by c.conversation_id, m.seq`),
		Items: rows(`
select concat_ws(' ', item_key, outcome, reason_code, payload is null)
from import_items
where agent_id = $1
order by item_key`),
		Extractions: rows(`
select concat_ws(' ', conversation_id, from_seq, to_seq, outcome)
from extractions
where agent_id = $1 and outcome in ('written', 'nothing', 'skipped', 'quarantined')
order by conversation_id, from_seq, outcome`),
	}
}

// checkImported compares the imported data with the input: every message is stored once and extracted once, and every
// statement to remember is once in the notes of its owner.
func (w *movers) checkImported(t *testing.T, s importState) {
	t.Helper()
	if want := *importTalks * *importMessages; len(s.Messages) != want {
		t.Errorf("%d messages of %d", len(s.Messages), want)
	}
	if len(s.Items) != len(w.items) {
		t.Errorf("%d items of %d", len(s.Items), len(w.items))
	}
	extracted := 0
	for _, line := range s.Extractions {
		var conversation, outcome string
		var from, to int
		if _, err := fmt.Sscan(line, &conversation, &from, &to, &outcome); err != nil || outcome != "written" {
			t.Errorf("%q: %v", line, err)
		}
		extracted += to - from + 1
	}
	if extracted != len(s.Messages) {
		t.Errorf("%d of %d messages were extracted", extracted, len(s.Messages))
	}
	notes := map[string]int{}
	for _, document := range s.Documents {
		if !strings.Contains(document, " memory/2024-") {
			continue
		}
		for n := range *importTalks {
			for m := 0; m < *importMessages; m += 2 {
				notes[importMark(n, m)] += strings.Count(document, importMark(n, m))
			}
		}
	}
	for mark, times := range notes {
		if times != 1 {
			t.Errorf("%s stands %d times in notes", mark, times)
		}
	}
}

package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/store/talk"
)

// fill stores documents of api:42 with ten statements each, a conversation for every fifty of them, and an agent for every five hundred,
// and derives the facts.
func (h *harness) fill(documents int) {
	h.t.Helper()
	ctx, grace := h.t.Context(), root.For("ada", "api:42")
	grace.Author = memory.Author{Kind: memory.AuthorImport, ID: "load"}
	words := []string{"harbour", "ledger", "orchard", "violin", "glacier", "kitchen", "railway", "archive", "compass", "meadow"}
	const batch = 50
	for from := 0; from < documents; from += batch {
		var changes []memory.Change
		for n := from; n < min(from+batch, documents); n++ {
			var text strings.Builder
			fmt.Fprintf(&text, "# Notes %d\n\n", n)
			for i := range 10 {
				fmt.Fprintf(&text, "- The %s of item %d is kept near the %s number %d.\n", words[i], n*10+i, words[(n+i)%len(words)], (n*7+i*13)%997)
			}
			changes = append(changes, memory.Change{
				Ref: memory.Ref{Scope: memory.ScopePersonal, Path: fmt.Sprintf("notes/load/%05d.md", n)}, Op: memory.OpReplace, Content: text.String(),
				Reason: "load",
			})
		}
		_, err := h.store.Apply(ctx, grace, "", changes)
		check(h.t, err)
		talked := talk.Batch{Conversation: fmt.Sprintf("talk-%d", from), Trigger: memory.TriggerAPI}
		for i := range 20 {
			talked.Messages = append(talked.Messages, memory.Message{
				ID: fmt.Sprint(i), Role: []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2],
				Content: fmt.Sprintf("Message %d about the %s.", i, words[i%len(words)]),
			})
		}
		_, err = h.store.AppendMessages(ctx, root.For("ada", "api:42"), talked)
		check(h.t, err)
	}
	for n := range max(documents/500, 9) {
		h.call(http.MethodPost, "/agents", fmt.Sprintf(`{"id":"more-%d"}`, n))
	}
	h.derive()
}

// multiply copies the documents of fill with the facts in them, inside the database, until there are that many. Words differ in every copy,
// so that each of its statements is a separate fact. Copies are not in the index of searches.
func (h *harness) multiply(documents, facts int) {
	h.t.Helper()
	ctx := h.t.Context()
	c, err := pgx.Connect(ctx, h.data)
	check(h.t, err)
	defer c.Close(context.WithoutCancel(ctx))
	each := max(1, facts/documents)
	var lines []string
	for i := range each {
		lines = append(lines, fmt.Sprintf("- The %s of item %d is kept near the %s number %d.", "harbour", i, "violin", i))
	}
	grace := root.For("ada", "api:42")
	_, err = h.store.Apply(ctx, grace, "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "notes/copies/00000.md"}, Op: memory.OpReplace,
		Content: "# Copy\n\n" + strings.Join(lines, "\n") + "\n", Reason: "load",
	}})
	check(h.t, err)
	h.derive()
	exec := func(sql string, args ...any) {
		h.t.Helper()
		_, err := c.Exec(ctx, sql, args...)
		check(h.t, err)
	}
	exec(`create temp table copies (n int, path text, id uuid, content text, sha256 bytea)`)
	exec(`create temp table words (n int, entry text, source text, text text)`)
	var copies, words [][]any
	for n := 1; n < documents; n++ {
		content := "# Copy\n\n"
		for _, line := range lines {
			text := strings.TrimSuffix(line, ".") + fmt.Sprintf(" in house %d.", n)
			content += text + "\n"
			words = append(words, []any{n, string(markdown.EntryIDOf(text)), string(markdown.EntryIDOf(line)), strings.TrimPrefix(text, "- ")})
		}
		sum := sha256.Sum256([]byte(content))
		copies = append(copies, []any{n, fmt.Sprintf("notes/copies/%05d.md", n), uuid.New(), content, sum[:]})
	}
	_, err = c.CopyFrom(ctx, pgx.Identifier{"copies"}, []string{"n", "path", "id", "content", "sha256"}, pgx.CopyFromRows(copies))
	check(h.t, err)
	_, err = c.CopyFrom(ctx, pgx.Identifier{"words"}, []string{"n", "entry", "source", "text"}, pgx.CopyFromRows(words))
	check(h.t, err)
	exec(`create temp table original as select * from documents where path = 'notes/copies/00000.md'`)
	exec(`
insert into documents
select r.*
from copies c cross join original o
cross join lateral jsonb_populate_record(null::documents, to_jsonb(o) || jsonb_build_object('document_id', c.id, 'path', c.path)) r`)
	exec(`
insert into document_versions
select r.*
from copies c cross join original o join document_versions v using (document_id)
cross join lateral jsonb_populate_record(null::document_versions,
    to_jsonb(v) || jsonb_build_object('document_id', c.id, 'content', c.content, 'sha256', c.sha256)) r`)
	exec(`
insert into fact_documents
select r.*
from copies c cross join original o join fact_documents f using (document_id)
cross join lateral jsonb_populate_record(null::fact_documents, to_jsonb(f) || jsonb_build_object('document_id', c.id)) r`)
	var columns string // without those that the database generates
	check(h.t, c.QueryRow(ctx, `
select string_agg(column_name, ', ' order by ordinal_position)
from information_schema.columns
where table_name = 'facts' and is_generated = 'NEVER'`).Scan(&columns))
	exec(`
insert into facts (` + columns + `)
select ` + columns + `
from (
    select r.*
    from words w join copies c using (n) cross join original o join facts f on f.document_id = o.document_id and f.entry_id = w.source
cross join lateral jsonb_populate_record(null::facts, to_jsonb(f) || jsonb_build_object(
    'document_id', c.id, 'fact_id', gen_random_uuid(), 'entry_id', w.entry, 'text', w.text)) r) made`)
	exec(`
insert into journal (workspace_id, agent_id, owner_key, scope, kind, document_id, path, version, author_kind, author_id, workflow_id, run_id, detail, at)
select j.workspace_id, j.agent_id, j.owner_key, j.scope, j.kind, c.id, c.path, j.version, j.author_kind, j.author_id, j.workflow_id, j.run_id,
    j.detail, j.at
from copies c cross join original o join journal j using (document_id)`)
	exec(`analyze`)
	var stored, known int
	check(h.t, c.QueryRow(ctx, `select (select count(*) from documents where not deleted), (select count(*) from facts where ended is null)`).Scan(&stored, &known))
	fmt.Printf("%d documents, %d facts\n", stored, known)
}

// derive derives the facts of ada's documents.
func (h *harness) derive() {
	h.t.Helper()
	tender := root.For("ada", memory.NoOwner)
	tender.AnyOwner = true
	for more := true; more; {
		var err error
		more, err = h.store.DeriveFacts(h.t.Context(), tender, 200)
		check(h.t, err)
	}
}

// queries counts statements, without those that begin, identify and end a transaction: they are sent with the others.
type queries struct{ statements, trips atomic.Int64 }

var transaction = regexp.MustCompile(`^\s*(?i:begin|commit|rollback|select\s+set_config)`)

func (q *queries) add(sql string) {
	if !transaction.MatchString(sql) {
		q.statements.Add(1)
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (q *queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	q.trips.Add(1)
	q.add(d.SQL)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*queries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (q *queries) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	q.trips.Add(1)
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (q *queries) TraceBatchQuery(_ context.Context, _ *pgx.Conn, d pgx.TraceBatchQueryData) {
	q.add(d.SQL)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (*queries) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestPagesAskLittle counts the queries of every page that is only looked at, with hundreds of documents and thousands of facts, and
// the bytes of the first page with everything that it loads.
func TestPagesAskLittle(t *testing.T) {
	count := &queries{}
	h := start(t, func(o *store.Options) { o.Tracer = count })
	records := h.records()
	h.fill(150)
	records["path"], records["agent"], records["owner"], records["$"] = "notes/load/00001.md", "ada", h.whose, ""
	v := h.visitor().signIn(h.keys["admin"])
	const most = 60
	worst, counted := int64(0), 0
	for _, r := range h.pages.Pages() {
		if r.Method != http.MethodGet || r.Need == "" || r.ID == "page-live" || r.ID == "page-difference" {
			continue // assets; a stream; a replay, of which there is none
		}
		path := parameter.ReplaceAllStringFunc(r.Path, func(p string) string { return records[strings.Trim(p, "{}")] })
		if r.ID == "page-compare" {
			path += "?to=1"
		}
		v.get(path) // what is read once and remembered
		statements, trips := count.statements.Load(), count.trips.Load()
		p := v.get(path)
		statements, trips = count.statements.Load()-statements, count.trips.Load()-trips
		if p.status != http.StatusOK {
			t.Errorf("%s: %d %.200s", r.ID, p.status, text(p.body))
		}
		if counted++; statements > most || statements == 0 {
			t.Errorf("%s takes %d queries", r.ID, statements)
		}
		t.Logf("%-20s %3d queries, %2d round trips, %7d bytes", r.ID, statements, trips, len(p.body))
		worst = max(worst, statements)
	}
	t.Logf("%d pages, at most %d queries", counted, worst)
	if counted < 25 {
		t.Errorf("only %d pages were counted", counted)
	}
	// The first page that somebody sees, with all that it names, as it is sent: nothing else is loaded.
	for _, first := range []string{"/", "/agents/ada/of/" + h.whose + "/memory", "/agents/ada/of/" + h.whose + "/facts"} {
		if total := v.transferred(first); total > 100_000 || total < 10_000 {
			t.Errorf("%s transfers %d bytes", first, total)
		} else {
			t.Logf("%s transfers %d bytes", first, total)
		}
	}
}

var loaded = regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)

// transferred returns the bytes of a page and of the assets that it names, as a browser gets them.
func (v *visitor) transferred(path string) int {
	v.t.Helper()
	get := func(path string) (sent int, body string) {
		p := v.do(http.MethodGet, path, nil, "Accept-Encoding", "gzip")
		if p.header.Get("Content-Encoding") != "gzip" {
			return len(p.body), p.body
		}
		plain, err := gzip.NewReader(strings.NewReader(p.body))
		check(v.t, err)
		var out bytes.Buffer
		_, err = io.Copy(&out, plain)
		check(v.t, err)
		return len(p.body), out.String()
	}
	total, body := get(path)
	named := loaded.FindAllStringSubmatch(body, -1)
	if len(named) < 3 {
		v.t.Fatalf("%s names %d assets", path, len(named))
	}
	for _, m := range named {
		n, _ := get(m[1])
		total += n
	}
	return total
}

// Sizes of BenchmarkPages.
var (
	benchDocuments = flag.Int("documents", 10_000, "documents of one person in BenchmarkPages")
	benchFacts     = flag.Int("facts", 100_000, "facts in them")
)

// BenchmarkPages prints the 95th percentile of pages beside that of the bare calls of the API for the same data, taken in turn, the queries
// of each page, and what the first page transfers:
//
//	go test ./web -run xxx -bench Pages -benchtime 1x -timeout 60m -args -documents 10000 -facts 100000
func BenchmarkPages(b *testing.B) {
	count := &queries{}
	h := start(b, func(o *store.Options) { o.Tracer = count })
	records := h.records()
	began := time.Now()
	const written = 100 // documents that are written, not copied
	h.fill(min(written, *benchDocuments))
	if *benchDocuments > written {
		h.multiply(*benchDocuments-written, *benchFacts-10*written)
	}
	fmt.Printf("made in %s\n", time.Since(began).Round(time.Second)) // b.Logf cuts off
	admin := h.visitor().signIn(h.keys["admin"])
	home, api := "/agents/ada/of/"+h.whose+"/", "/api/v1/agents/ada/"
	who := "endUserId=42"
	overview := []string{"/api/v1/status", "/api/v1/agents"} // and what a card has of each agent that is shown
	for _, agent := range []string{"ada", "more-0", "more-1", "more-2", "more-3", "more-4", "more-5", "more-6"} {
		of := "/api/v1/agents/" + agent
		overview = append(overview, of+"/extractions?limit=1", of+"/dreams?limit=1", of+"/approvals?limit=1", of+"/events?limit=6")
	}
	pairs := []struct {
		name, page string
		form       url.Values
		calls      []string
		body       string
	}{
		{name: "overview", page: "/", calls: overview},
		{name: "people", page: "/agents/ada"},
		{name: "memory", page: home + "memory", calls: []string{api + "workspace/files?" + who, api + "workspace/prompt-files?" + who}},
		{name: "document", page: home + "memory/notes/load/00042.md", calls: []string{api + "workspace/files/notes/load/00042.md?" + who, api + "workspace/blame/notes/load/00042.md?" + who}},
		{name: "history", page: home + "history/notes/load/00042.md", calls: []string{api + "workspace/history/notes/load/00042.md?" + who}},
		{name: "facts", page: home + "facts", calls: []string{api + "facts?limit=50&" + who}},
		{name: "facts, rare words", page: home + "facts", form: url.Values{"keyword": {"item 12"}}, calls: []string{api + "facts?limit=50&keyword=item+12&" + who}},
		{name: "fact", page: home + "facts/" + records["fact"], calls: []string{api + "facts/" + records["fact"] + "?" + who}},
		{name: "archived", page: home + "archived"},
		{name: "contradictions", page: home + "contradictions", calls: []string{api + "facts/contradictions?limit=10&" + who, api + "workspace/blame/notes/atlas.md?" + who}},
		{name: "search", page: home + "search", form: url.Values{"q": {"orchard near the violin"}}, calls: []string{api + "memory/search"}, body: `{"query":"orchard near the violin","endUserId":"42","maxResults":20,"explain":true}`},
		{name: "conversations", page: home + "conversations", calls: []string{api + "conversations?limit=50&" + who}},
		{name: "conversation", page: home + "conversations/" + records["conversation"], calls: []string{api + "conversations/garden-talk/messages?" + who, api + "extractions?conversation=garden-talk&" + who, api + "injections?conversation=garden-talk&" + who}},
		{name: "timeline", page: home + "timeline", calls: []string{api + "events?limit=200&" + who, api + "dreams?" + who, api + "extractions?" + who}},
		{name: "dream", page: home + "dreams/" + records["report"], calls: []string{api + "dreams/" + records["report"] + "?" + who, api + "dreams/" + records["report"] + "/candidates?" + who}},
		{name: "approvals", page: home + "approvals", calls: []string{api + "approvals?limit=20&" + who, api + "events?limit=1&" + who}},
		{name: "injections", page: home + "injections", calls: []string{api + "injections?limit=50&" + who}},
		{name: "usage", page: "/usage"},
		{name: "queues", page: "/queues", calls: []string{"/api/v1/queues"}},
	}
	fmt.Printf("the first page transfers %d bytes\n", admin.transferred("/"))
	const (
		runs = 200
		most = 20 * time.Second // for slow pages, of which at least some are measured
		some = 40
	)
	fmt.Printf("%-20s %9s %9s %6s %8s %7s\n", "page", "page p95", "API p95", "ratio", "medians", "queries")
	for range b.N {
		for _, x := range pairs {
			var pages, calls []time.Duration
			asked := int64(0)
			for began := time.Now(); len(pages) < runs && (len(pages) < some || time.Since(began) < most); {
				before := count.statements.Load()
				t := time.Now()
				method := http.MethodGet
				if x.form != nil {
					method = http.MethodPost
				}
				if p := admin.do(method, x.page, x.form); p.status != http.StatusOK {
					b.Fatalf("%s: %d %.200s", x.name, p.status, text(p.body))
				}
				pages = append(pages, time.Since(t))
				asked = max(asked, count.statements.Load()-before)
				t = time.Now()
				for _, call := range x.calls {
					h.fetch(b.Context(), call, x.body)
				}
				calls = append(calls, time.Since(t))
			}
			page, call := percentile(pages, 95), percentile(calls, 95)
			ratio, medians := "-", "-"
			if len(x.calls) > 0 {
				ratio = fmt.Sprintf("%.2f", float64(page)/float64(call))
				medians = fmt.Sprintf("%.2f", float64(percentile(pages, 50))/float64(percentile(calls, 50)))
			}
			fmt.Printf(
				"%-20s %9s %9s %6s %8s %7d\n", x.name, page.Round(100*time.Microsecond), call.Round(100*time.Microsecond), ratio, medians, asked,
			)
		}
	}
}

// percentile returns the duration below which so many of a hundred are.
func percentile(all []time.Duration, of int) time.Duration {
	slices.Sort(all)
	return all[len(all)*of/100]
}

// fetch makes a call of the API and reads its answer.
func (h *harness) fetch(ctx context.Context, path, body string) {
	h.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	check(h.t, err)
	r.Header.Set("Authorization", "Bearer "+h.keys["admin"])
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	check(h.t, err)
	defer answer.Body.Close()
	if said, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %s %v %.200s", path, answer.Status, err, said)
	}
}

package store

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/pg"
)

// secret is a phrase that is in nothing else.
const secret = "turquoise monocle 4711"

// plantedColumns are the columns of tenants' tables that may hold words, as the catalogue has them: texts, lists of texts, JSON and bytes.
const plantedColumns = `
select c.relname::text, a.attname::text, format_type(a.atttypid, null),
    has_column_privilege('reverie_eraser', c.oid, a.attnum, 'update')
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'agent_id')
    and format_type(a.atttypid, null) in ('text', 'text[]', 'jsonb', 'bytea')
order by 1, 2`

// wordless are columns that never hold words of a person or a model: ids, names that an administrator gives, codes, hashes, counts,
// and packed postings, which are hashes of terms. facts and their claims are derived again, archives are unpacked and deleted by their import.
var wordless = []string{
	"path", "target", "files", "label", "origin", "settings", "name", "time_zone", "receipt", "source", "sketch", "data", "token",
	"workspace_id", "agent_id", "owner_key", "scope", "corpus", "state", "outcome", "kind", "status", "reason_code", "phase", "mode", "verdict",
	"trigger_source", "author_kind", "author_id", "workflow_id", "run_id", "message_id", "role", "finish_reason", "tool_call_id", "model",
	"prompt_version", "engine", "maker", "conversation_id", "entry_id", "entries", "aliases", "mention_days", "night", "request", "from_day",
	"settings", "counts", "reverted_by", "key", "request_id", "own_id", "requested_id", "strategy", "item_key", "whose", "format", "on_conflict",
	"writes", "choice", "index_format", "identity_key", "identity", "embedding", "evidence", "sha256", "archive_sha256", "contents_sha256",
	"content_key", "request_hash", "query_hash", "chunk_hash", "claim_hash", "operation", "address", "entry_a", "entry_b", "meaning_a", "meaning_b",
	"resolution", "scope_a", "scope_b", "why", "choices", "skipped", "url", "kinds", "last_reason", "secret", "previous", "expiry", "staged_by", "program", "outside",
}

// Every column that may hold words is one that can be erased.
func TestEveryPlaceOfWordsCanBeErased(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	rows := must[pgx.Rows](t)(w.root.Query(t.Context(), plantedColumns))
	var table, column, kind string
	var erasable bool
	if _, err := pgx.ForEachRow(rows, []any{&table, &column, &kind, &erasable}, func() error {
		if known := slices.Contains(wordless, column) || table == "facts" || table == "fact_claims" || table == "fact_events" && column == "reason" ||
			table == "messages" && column == "name"; erasable == known && table != "audit_log" && column != "sha256" {
			t.Errorf("%s.%s (%s): erasable %v, without words %v", table, column, kind, erasable, known)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// The role may do nothing else.
	for _, sql := range []string{
		"insert into messages select * from messages", "update messages set seq = 1", "update agents set name = 'x'",
		"delete from audit_log", "delete from messages", "create table mine (id int)", "truncate messages",
	} {
		if _, err := w.root.Exec(t.Context(), "set role reverie_eraser"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.root.Exec(t.Context(), sql); !is(pg.ErrForbidden)(pg.Translate(err)) {
			t.Errorf("the role may %s: %v", sql, err)
		}
		if _, err := w.root.Exec(t.Context(), "reset role"); err != nil {
			t.Fatal(err)
		}
	}
	// The application has the role's rights only while it has taken the role on.
	for _, sql := range []string{"delete from messages", "update messages set content = ''"} {
		if n, err := rawAs(t, w.Store, everything(t, rawIdentities["member"]), sql); !is(pg.ErrForbidden)(err) {
			t.Errorf("the application may %s: %d rows, %v", sql, n, err)
		}
	}
}

// A phrase is planted in every kind of place of an owner. Erased, it is in no dump of the database, nor is anything of another owner
// touched.
func TestEraseEverywhere(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	id, other := member("user:1"), member("user:2")
	say := "I wear a " + secret + ". Nothing else."
	for path, content := range map[string]string{
		memory.MemoryPath: "# Memory\n\n## The " + secret + "\n\n- Wears a " + secret + ".\n  - Every day.\n- Has a dog.\n",
		"structured/user.md": "## glasses\n\nA " + secret + "\n\n> Source: chat | Updated: 2026-11-20\n\n## pet\n\nA dog\n\n> Source: chat | " +
			"Updated: 2026-11-20\n",
		memory.DreamsPath:                     "# Diary\n\nTonight: the turquoise\nmonocle 4711 again. And a dog.\n",
		"memory/dreaming/light/2026-11-20.md": "- staged: \"Wears a " + secret + "\" (0.8)\n- staged: \"Has a dog.\" (0.8)\n",
		"notes/code.md":                       "```\nword = \"" + secret + "\"\nother = 1\n```\n",
		"gone.md":                             say,
	} {
		write(t, w.Store, id, memory.Change{Ref: personal(path), Op: memory.OpReplace, Force: true, Content: content, Reason: say})
		write(t, w.Store, other, memory.Change{Ref: personal(path), Op: memory.OpReplace, Force: true, Content: content})
	}
	write(t, w.Store, id, memory.Change{Ref: personal("gone.md"), Op: memory.OpDelete})
	must[facts.Listed](t)(w.ByTrust(t.Context(), id, facts.Query{}))
	planted := w.plant(t, id, say)
	if len(planted) < 25 {
		t.Fatalf("planted in %d places: %q", len(planted), planted)
	}
	had := w.rowsWith(t, secret, other)

	pattern := dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: "Turquoise  MONOCLE 4711", Preview: true, Erase: true}
	before := w.snapshot(t)
	shown := must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), id, pattern))
	if changed := changedGroups(before, w.snapshot(t)); len(changed) > 0 {
		t.Fatalf("a preview changed %v", changed)
	}
	pattern.Preview = false
	done := must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), id, pattern))
	if len(shown.Found) != len(done.Found) || len(done.Found) < 5 || len(shown.Words.Places) > len(done.Words.Places)+1 {
		t.Errorf("shown %v\ndone %v", shown, done)
	}
	places := map[string]bool{}
	for _, p := range done.Words.Places {
		places[p.Table+"."+p.Column] = true
	}
	for _, place := range planted {
		if !places[place] {
			t.Errorf("the receipt does not list %s: %+v", place, done.Words.Places)
		}
	}
	if left := w.rowsWith(t, secret, id); len(left) > 0 {
		t.Errorf("left in %q", left)
	}
	if has := w.rowsWith(t, secret, other); !slices.Equal(had, has) {
		t.Errorf("of another owner: %q, before %q", has, had)
	}
	if got := contentOf(t, w.Store, id, memory.MemoryPath); got != "# Memory\n\n## [erased]\n\n- Has a dog.\n" {
		t.Errorf("%q", got)
	}
	if got := contentOf(t, w.Store, id, "structured/user.md"); got != "## pet\n\nA dog\n\n> Source: chat | Updated: 2026-11-20\n" {
		t.Errorf("%q", got)
	}
	for _, f := range must[facts.Listed](t)(w.ByTrust(t.Context(), id, facts.Query{})).Items {
		if f.Scope == memory.ScopePersonal && (strings.Contains(f.Text, "erased") || strings.Contains(f.Text, "monocle")) {
			t.Errorf("a fact: %q", f.Text)
		}
	}
	// Nothing that an automatic writer says brings it back; a person's words do.
	engine := workflow("user:1", "r1")
	write(t, w.Store, engine, memory.Change{Ref: personal("memory/2026-11-22.md"), Op: memory.OpAppend, Content: "- Owns a " + secret + ".\n- [erased]\n- Sings.\n"})
	if got := contentOf(t, w.Store, id, "memory/2026-11-22.md"); got != "- Sings.\n" {
		t.Errorf("%q", got)
	}
	tool := id
	tool.Author = memory.Author{Kind: memory.AuthorTool, ID: "write"}
	write(t, w.Store, tool, memory.Change{Ref: personal("memory/2026-11-22.md"), Op: memory.OpAppend, Content: "- The turquoise monocle 4711.\n- Dances.\n"})
	if got := contentOf(t, w.Store, id, "memory/2026-11-22.md"); strings.Contains(got, "monocle") || !strings.Contains(got, "Dances") {
		t.Errorf("%q", got)
	}
	// The other owner forgets it too; then no dump of the database has it.
	must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), other, pattern))
	if text := w.dump(t); strings.Contains(text, "monocle") {
		at := strings.Index(text, "monocle")
		t.Errorf("the dump: … %s …", text[max(0, at-300):min(len(text), at+100)])
	}
	write(t, w.Store, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- Wears a " + secret + " again.\n"})
	if got := contentOf(t, w.Store, id, memory.MemoryPath); !strings.Contains(got, secret) {
		t.Errorf("%q", got)
	}
	write(t, w.Store, engine, memory.Change{Ref: personal("memory/2026-11-23.md"), Op: memory.OpAppend, Content: "- Wears a " + secret + " again.\n"})
	if got := contentOf(t, w.Store, id, "memory/2026-11-23.md"); !strings.Contains(got, secret) {
		t.Errorf("after it was said again: %q", got)
	}
}

// plant writes a text into every place of an owner that may have words, and returns the places.
func (w *world) plant(t *testing.T, id memory.Identity, text string) (places []string) {
	t.Helper()
	type place struct{ table, column, kind string }
	var all []place
	var p place
	var erasable bool
	rows := must[pgx.Rows](t)(w.root.Query(t.Context(), plantedColumns))
	if _, err := pgx.ForEachRow(rows, []any{&p.table, &p.column, &p.kind, &erasable}, func() error {
		if erasable && p.column != "sha256" && p.table != "audit_log" {
			all = append(all, p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	asJSON := must[[]byte](t)(json.Marshal(map[string]string{"text": text}))
	for _, p := range all {
		value := map[string]string{
			"text": p.column + " || ' ' || @text", "text[]": p.column + " || array[@text]", "bytea": "convert_to(@json, 'UTF8')",
			"jsonb": "jsonb_build_object('deep', jsonb_build_array(1, @text::text, jsonb_build_object('x', @text::text)))",
		}[p.kind]
		where := "workspace_id = @workspace and agent_id = @agent and owner_key = @owner"
		switch p.table {
		case "import_items":
			where += " and payload is not null"
		case "document_versions":
			where += " and version < (select version from documents d where d.document_id = document_versions.document_id)"
		case "dream_entries":
			where += " and status <> 'forgotten'"
		}
		tag, err := w.root.Exec(t.Context(), fmt.Sprintf("update %s set %s = %s where %s", p.table, p.column, value, where), pgx.NamedArgs{
			"text": text, "json": string(asJSON), "workspace": id.Workspace, "agent": id.Agent, "owner": id.Owner,
		})
		if err != nil {
			t.Fatalf("%s.%s: %v", p.table, p.column, err)
		}
		if tag.RowsAffected() > 0 {
			places = append(places, p.table+"."+p.column)
		}
	}
	return places
}

// rowsWith returns the tables in which rows of an owner have a text, in any spacing, with their numbers.
func (w *world) rowsWith(t *testing.T, text string, id memory.Identity) (found []string) {
	t.Helper()
	for _, table := range tenantTables {
		if !slices.Contains(table.columns, "owner_key") {
			continue
		}
		rows := must[pgx.Rows](t)(w.root.Query(t.Context(), "select r::text from "+table.name+` r
where workspace_id = $1 and agent_id = $2 and owner_key = $3`, id.Workspace, id.Agent, id.Owner))
		n := 0
		for _, row := range must[[]string](t)(pgx.CollectRows(rows, pgx.RowTo[string])) {
			if strings.Contains(squeezed(readable(row)), squeezed(text)) {
				n++
			}
		}
		if n > 0 {
			found = append(found, fmt.Sprint(table.name, " ", n))
		}
	}
	return found
}

// dump returns a dump of the database in lower case, with bytes as text.
func (w *world) dump(t *testing.T) string {
	t.Helper()
	var bin string
	if err := w.root.QueryRow(t.Context(), "select setting from pg_config where name = 'BINDIR'").Scan(&bin); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_dump"), "--inserts", "--dbname="+w.root.Config().ConnString()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return readable(string(out))
}

var bytesOfPostgres = regexp.MustCompile(`\\+x[0-9a-f]{2,}`)

// readable returns rows as PostgreSQL prints them, in lower case, with bytes as text.
func readable(rows string) string {
	return strings.ToLower(bytesOfPostgres.ReplaceAllStringFunc(rows, func(printed string) string {
		raw, err := hex.DecodeString(strings.TrimLeft(printed, `\x`))
		if err != nil { // an odd number of digits: not bytes
			return printed
		}
		return string(raw)
	}))
}

// squeezed returns a text in lower case without white space, also as JSON has it: words over a line break are found as they are on one.
func squeezed(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", `\\n`, " ").Replace(strings.ToLower(text))), "")
}

// phrases are words that are in nothing else, in several languages, with the sentence that has them, and where they may be broken.
func phrases(seed uint64) (all []struct{ phrase, broken, sentence string }) {
	random := rand.New(rand.NewPCG(seed, 17))
	word := func(syllables ...string) string {
		var out strings.Builder
		for range 3 {
			out.WriteString(syllables[random.IntN(len(syllables))])
		}
		return out.String()
	}
	english := []string{"qua", "vor", "zim", "bel", "tro", "ky", "dax", "plo", "wen", "jur"}
	german := []string{"zwö", "größ", "schlü", "mä", "pfer", "kauß", "trüb", "quel", "jöh", "wurz"}
	han := []string{"鲸", "琥", "珀", "鹭", "窑", "蕨", "檐", "砚", "蓑", "笙"}
	for _, of := range []struct {
		words       []string
		by, between string
	}{
		{[]string{word(english...), word(english...), fmt.Sprint(1000 + random.IntN(9000))}, " ", "I wear a %s. Nothing else."},
		{[]string{word(german...), strings.ToUpper(word(english...)), word(german...)}, " ", "Ich trage stets %s bei mir. Sonst nichts."},
		{[]string{word(han...), word(han...)}, "", "我的代号是%s。明天见。"},
	} {
		phrase, broken := strings.Join(of.words, of.by), strings.Join(of.words, "\n")
		all = append(all, struct{ phrase, broken, sentence string }{phrase, broken, of.between})
	}
	return all
}

// Phrases of several languages are planted everywhere, of an owner and shared, on one line and over two, in bytes as in texts. Erased, they
// are in no row and in no dump.
func TestEraseAnyPhrase(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2} {
		for _, p := range phrases(seed) {
			t.Run(p.phrase, func(t *testing.T) {
				t.Parallel()
				w := makeWorld(t)
				id, shared := member("user:1"), adminOf("acme")
				shared.Agent, shared.AnyOwner = "ada", true
				say, broken := fmt.Sprintf(p.sentence, p.phrase), fmt.Sprintf(p.sentence, p.broken)
				places := 0
				for _, who := range []struct {
					memory.Identity
					ref func(string) memory.Ref
				}{{id, personal}, {shared, team}} {
					for path, content := range map[string]string{
						memory.MemoryPath: "# Memory\n\n- " + say + "\n- Has a dog.\n",
						"notes/long.md":   "# " + p.phrase + "\n\n" + broken + "\n\n> " + strings.ReplaceAll(broken, "\n", "\n> ") + "\n",
						"gone.md":         say,
					} {
						write(t, w.Store, who.Identity, memory.Change{Ref: who.ref(path), Op: memory.OpReplace, Force: true, Content: content, Reason: say})
					}
					write(t, w.Store, who.Identity, memory.Change{Ref: who.ref("gone.md"), Op: memory.OpDelete})
					// What it said before is over two lines, in all places.
					places += len(w.plant(t, who.Identity, broken))
				}
				if places < 30 {
					t.Errorf("planted in %d places", places)
				}
				if bytes := w.rowsWith(t, p.phrase, id); !slices.ContainsFunc(bytes, func(row string) bool { return strings.HasPrefix(row, "import_items ") }) {
					t.Errorf("bytes are not read: %q", bytes)
				}
				request := dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: p.phrase, Erase: true}
				must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), id, request))
				if left := w.rowsWith(t, p.phrase, id); len(left) > 0 {
					t.Errorf("of an owner, left in %q", left)
				}
				request.Scope = memory.ScopeTeam
				must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), shared, request))
				if left := w.rowsWith(t, p.phrase, shared); len(left) > 0 {
					t.Errorf("of all, left in %q", left)
				}
				if text := squeezed(w.dump(t)); strings.Contains(text, squeezed(p.phrase)) {
					at := strings.Index(text, squeezed(p.phrase))
					t.Errorf("the dump: … %s …", text[max(0, at-300):min(len(text), at+100)])
				}
			})
		}
	}
}

// Forgetting without erasing leaves what was said and what documents were.
func TestForgetKeepsSources(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	id := member("user:1")
	say := "Wears a " + secret + "."
	write(t, w.Store, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Force: true, Content: "- " + say + "\n- Has a dog.\n"})
	w.plant(t, id, say)
	if _, err := w.root.Exec(t.Context(), `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, first_seen, last_seen, changed_at)
values ('acme', 'ada', 'user:1', 'held', 'held', 'x', $1, now(), now(), now())`, say); err != nil {
		t.Fatal(err)
	}
	done := must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), id, dreams.ForgetRequest{Ref: personal(memory.MemoryPath), FromLine: 1, ToLine: 1}))
	if held := must[[]dream.State](t)(w.Held(t.Context(), id)); len(held) > 0 {
		t.Errorf("it waits for a person: %+v", held)
	}
	if len(done.States) != 1 || len(done.Words.Kept) > 0 {
		t.Errorf("%+v", done)
	}
	for _, table := range w.rowsWith(t, secret, id) {
		name, _, _ := strings.Cut(table, " ")
		if !slices.Contains([]string{"messages", "document_versions", "facts"}, name) {
			t.Errorf("left in %s", table)
		}
	}
	status := statusesOf(t, w.Store, id)
	if status[string(memory.ItemID(say))] != dream.Forgotten {
		t.Errorf("%v", status)
	}
	for _, bad := range []dreams.ForgetRequest{
		{Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: "ab"},
		{Ref: personal("x.md"), Pattern: "abcd"},
		{Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: strings.Repeat("x", 300)},
	} {
		if _, err := w.Forget(t.Context(), id, bad); err == nil {
			t.Errorf("%+v worked", bad)
		}
	}
}

// What the engine has added to a line in brackets keeps it from no message, and the values of facts go with the words, before facts are read
// again.
func TestForgetKeptLines(t *testing.T) {
	t.Parallel()
	for _, erase := range []bool{false, true} {
		t.Run(fmt.Sprint(erase), func(t *testing.T) {
			t.Parallel()
			w := makeWorld(t)
			id := member("user:1")
			ref := personal("memory/2026-11-30.md")
			write(t, w.Store, id, memory.Change{
				Ref: ref, Op: memory.OpReplace, Content: "- \"I fly to Quavorzim tomorrow [2026-12-01].\"\n" +
					"- \"I live in Quavorzim.\"\n- \"I work at Siemens.\"\n",
			})
			if _, err := w.root.Exec(t.Context(), `
update messages set content = 'Hello. I fly to Quavorzim tomorrow. I live in Quavorzim.' where owner_key = 'user:1'`); err != nil {
				t.Fatal(err)
			}
			must[facts.Listed](t)(w.ByTrust(t.Context(), id, facts.Query{}))
			if had := w.rowsWith(t, "quavorzim", id); !slices.ContainsFunc(had, func(table string) bool { return strings.HasPrefix(table, "fact_claims") }) {
				t.Fatalf("%q", had)
			}
			must[dreams.ForgetReceipt](t)(w.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 1, ToLine: 2, Erase: erase}))
			left := w.rowsWith(t, "quavorzim", id)
			if erase && len(left) > 0 || slices.ContainsFunc(left, func(table string) bool { return strings.HasPrefix(table, "fact_claims") }) {
				t.Errorf("left in %q", left)
			}
			ofClaims := func(table string) bool { return strings.HasPrefix(table, "fact_claims") }
			if got := w.rowsWith(t, "siemens", id); !slices.ContainsFunc(got, ofClaims) && !erase {
				t.Errorf("another statement's claims: %q", got)
			}
			must[facts.Listed](t)(w.ByTrust(t.Context(), id, facts.Query{}))
			var n int
			if err := w.root.QueryRow(t.Context(), `
select count(*)
from fact_claims c
join documents d on d.document_id = c.document_id
where d.owner_key = 'user:1' and d.path = 'memory/2026-11-30.md' and c.said = '{}' and not starts_with(c.claim, 't')`).Scan(&n); err != nil || n > 0 {
				t.Errorf("%d claims without values after the next read, %v", n, err)
			}
		})
	}
}

package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
)

// journalOf returns an identity's events once everything committed before the call is visible: transactions of other
// tests run on the same server, and events wait for those beside theirs.
func journalOf(t tester, s *Store, id memory.Identity, f gate.JournalFilter) []gate.Event {
	t.Helper()
	now := query[int64](t, s, id, "select reverie_transaction(pg_snapshot_xmax(pg_current_snapshot()))")[0]
	var events []gate.Event
	for until := time.Now().Add(time.Minute); ; {
		page := must[gate.JournalPage](t)(s.Journal(t.Context(), id, f))
		events = append(events, page.Events...)
		if f.After = page.Next; !page.More && f.After.Transaction >= now {
			return events
		}
		if time.Now().After(until) {
			t.Fatal("the journal does not show what was committed a minute ago")
		}
		if !page.More {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// A transaction that began earlier, drew its number earlier and commits later is not missed by who reads on after the events that
// were there: those wait for it.
func TestJournalMissesNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	seen := journalOf(t, s, id, gate.JournalFilter{})
	after := gate.JournalCursor{}
	if len(seen) > 0 {
		after = seen[len(seen)-1].Cursor()
	}

	began, commit, late := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	goOn := sync.OnceFunc(func() { close(commit) })
	defer goOn()
	go func() {
		// Another document of the same owner would wait for the first one's index.
		_, err := pg.InTx(context.WithoutCancel(t.Context()), s.db, id, func(tx *pg.Tx) (none struct{}, err error) {
			if _, err := gate.ApplyChanges(
				t.Context(), tx, gate.ChangeSet{Changes: []memory.Change{replace(team("slow.md"), 0, "slow\n")}},
			); err != nil {
				return none, err
			}
			if err := tx.Send(t.Context(), &pgx.Batch{}); err != nil {
				return none, err
			}
			close(began)
			<-commit
			return none, nil
		})
		late <- err
	}()
	select {
	case <-began:
	case err := <-late:
		t.Fatal(err)
	}
	fast := write(t, s, id, replace(personal("fast.md"), 0, "fast\n"))
	page := must[gate.JournalPage](t)(s.Journal(t.Context(), id, gate.JournalFilter{After: after}))
	if len(page.Events) != 0 {
		t.Fatalf("shown while an earlier transaction runs: %+v", page.Events)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("fast.md"))); d.Version != fast.Version {
		t.Fatalf("the document itself waits: %+v", d)
	}
	goOn()
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	got := journalOf(t, s, id, gate.JournalFilter{After: page.Next})
	var paths []string
	for _, e := range got {
		paths = append(paths, e.Path)
	}
	if diff := cmp.Diff([]string{"slow.md", "fast.md"}, paths); diff != "" {
		t.Errorf("behind the cursor of then (-want +got):\n%s", diff)
	}
	if got[0].ID > got[1].ID {
		t.Errorf("the slow one drew its number first: %d, %d", got[0].ID, got[1].ID)
	}
	if rest := journalOf(t, s, id, gate.JournalFilter{After: got[0].Cursor()}); len(rest) != 1 || rest[0].Path != "fast.md" {
		t.Errorf("behind the first of them: %+v", rest)
	}
}

// Many write at once, and one who follows in small parts sees each event exactly once.
func TestJournalIsFollowed(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	const writers, each = 8, 15
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen, after := map[int64]int{}, gate.JournalCursor{}
	follow := func() (more bool) {
		page := must[gate.JournalPage](t)(
			s.Journal(t.Context(), id, gate.JournalFilter{After: after, Limit: 3, Kinds: []gate.EventKind{gate.EventDocumentWritten}}),
		)
		for _, e := range page.Events {
			seen[e.ID]++
		}
		after = page.Next
		return page.More
	}
	var writing, following sync.WaitGroup
	following.Go(func() {
		for ctx.Err() == nil {
			follow()
		}
	})
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				if _, err := s.Apply(
					ctx, id, "", []memory.Change{merge(personal(fmt.Sprintf("n%d.md", w)), markdown.StrategyAppend, fmt.Sprint(i))},
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	stop()
	following.Wait()
	for _, e := range journalOf(t, s, id, gate.JournalFilter{After: after, Kinds: []gate.EventKind{gate.EventDocumentWritten}}) {
		seen[e.ID]++
	}
	all := query[int64](t, s, id, "select event_id from journal where kind = 'document.written'")
	for _, number := range all {
		if seen[number] != 1 {
			t.Errorf("event %d was seen %d times", number, seen[number])
		}
	}
	if len(seen) != len(all) || len(all) < writers*each {
		t.Errorf("%d events seen, there are %d", len(seen), len(all))
	}
}

func TestJournalFilters(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	write(t, s, id, replace(personal("a.md"), 0, "a\n"))
	write(t, s, id, replace(personal("b.md"), 0, "b\n"))
	write(t, s, id, memory.Change{Ref: personal("a.md"), Op: memory.OpDelete})
	kindsOf := func(f gate.JournalFilter) (kinds []gate.EventKind) {
		for _, e := range journalOf(t, s, id, f) {
			if e.Scope == memory.ScopePersonal {
				kinds = append(kinds, e.Kind)
			}
		}
		return kinds
	}
	for name, c := range map[string]struct {
		filter gate.JournalFilter
		want   []gate.EventKind
	}{
		"all":  {gate.JournalFilter{}, []gate.EventKind{gate.EventDocumentWritten, gate.EventDocumentWritten, gate.EventDocumentDeleted}},
		"path": {gate.JournalFilter{Path: "a.md"}, []gate.EventKind{gate.EventDocumentWritten, gate.EventDocumentDeleted}},
		"kind": {gate.JournalFilter{Kinds: []gate.EventKind{gate.EventDocumentDeleted}}, []gate.EventKind{gate.EventDocumentDeleted}},
		"two kinds": {gate.JournalFilter{
			Kinds: []gate.EventKind{gate.EventDocumentDeleted, gate.EventDocumentWritten}, Path: "b.md",
		}, []gate.EventKind{gate.EventDocumentWritten}},
		"no such": {gate.JournalFilter{Kinds: []gate.EventKind{"document.shredded"}}, nil},
	} {
		if got := kindsOf(c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	future := gate.JournalCursor{Transaction: 1 << 60}
	if _, err := s.Journal(t.Context(), id, gate.JournalFilter{After: future}); !invalid("after")(err) {
		t.Errorf("a cursor of another database: %v", err)
	}
}

func TestJournalCursor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := gate.JournalCursor{Transaction: rapid.Int64Min(0).Draw(t, "transaction"), Event: rapid.Int64Min(0).Draw(t, "event")}
		if got, err := gate.ParseJournalCursor(c.String()); err != nil || got != c {
			t.Fatalf("%v: %v, %v", c, got, err)
		}
	})
	if c, err := gate.ParseJournalCursor(""); err != nil || c != (gate.JournalCursor{}) {
		t.Errorf("the beginning: %v, %v", c, err)
	}
	for _, text := range []string{"7", "-", "7-", "-7", "7-x", "-1-7", "7--1", "99999999999999999999-1"} {
		if _, err := gate.ParseJournalCursor(text); !invalid("after")(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// eventsOf returns the events of one kind that an identity sees.
func eventsOf(t tester, s *Store, id memory.Identity, kind gate.EventKind) []gate.Event {
	t.Helper()
	return journalOf(t, s, id, gate.JournalFilter{Kinds: []gate.EventKind{kind}})
}

// detailOf returns the detail of an event.
func detailOf(t tester, e gate.Event) (detail map[string]any) {
	t.Helper()
	if err := json.Unmarshal(e.Detail, &detail); err != nil {
		t.Fatal(err)
	}
	return detail
}

// A viewer's search is recorded once, with places and numbers, visible to readers of its owner.
func TestJournalRecordsRecalls(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	viewer := member("user:7")
	viewer.Role = memory.RoleViewer
	recall := recallOf(viewer, memory.ScopePersonal, search.Memory, "memory/2026-11-20.md", testClock)
	nobody := recallOf(member(memory.NoOwner), memory.ScopeTeam, search.Memory, "shared.md", testClock)
	if err := s.RecordRecalls(t.Context(), []dreams.Recall{recall, nobody}); err != nil {
		t.Fatal(err)
	}
	got := eventsOf(t, s, viewer, gate.EventRecallRecorded)
	if len(got) != 2 || got[0].Scope != memory.ScopePersonal || got[0].Owner != "user:7" || got[1].Scope != memory.ScopeTeam ||
		got[1].Owner != "" {
		t.Fatalf("told %+v", got)
	}
	want := map[string]any{
		"queryHash": hex.EncodeToString(recall.QueryHash[:]), "synthetic": false, "results": 1.0,
		"hits": []any{
			map[string]any{
				"corpus": "memory", "scope": "PERSONAL", "path": "memory/2026-11-20.md", "startLine": 1.0, "endLine": 1.0, "score": 0.5,
			},
		},
	}
	if diff := cmp.Diff(want, detailOf(t, got[0])); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if others := eventsOf(t, s, member("user:8"), gate.EventRecallRecorded); len(others) != 1 || others[0].Scope != memory.ScopeTeam {
		t.Errorf("another owner sees %+v", others)
	}
	// A recall that cannot be stored has no event.
	broken := recallOf(viewer, memory.ScopePersonal, search.Memory, "no\x00text", testClock)
	if err := s.RecordRecalls(t.Context(), []dreams.Recall{recall, broken}); err == nil {
		t.Fatal("a path that is no text was recorded")
	}
	if again := eventsOf(t, s, viewer, gate.EventRecallRecorded); len(again) != 2 {
		t.Errorf("%d events after a refused write", len(again))
	}
}

// A dream's end and its promotions are recorded once, however often its steps are repeated, and without contents.
func TestJournalRecordsDreams(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person, id := member("user:7"), dreaming("user:7", "r1")
	x := draftedDream(t, s, id, nightly("2026-11-21T02:00"), tea, dog)
	if early := eventsOf(t, s, person, gate.EventDreamCompleted); len(early) > 0 {
		t.Errorf("told before its end: %+v", early)
	}
	for range 3 {
		must[dreams.Dream](t)(s.CommitDream(t.Context(), id, x.ID, ""))
	}
	must[dreams.Dream](t)(s.EndDream(t.Context(), id, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed}))
	promoted, completed := eventsOf(t, s, person, gate.EventPromotionApplied), eventsOf(t, s, person, gate.EventDreamCompleted)
	if len(promoted) != 1 || len(completed) != 1 {
		t.Fatalf("%d promotions and %d ends", len(promoted), len(completed))
	}
	d := must[memory.Document](t)(s.Document(t.Context(), person, personal(memory.MemoryPath)))
	if e := promoted[0]; e.Path != memory.MemoryPath || e.Version != d.Version || e.Document != d.ID || e.Owner != "user:7" ||
		e.Author.Kind != memory.AuthorDream ||
		e.Transaction != completed[0].Transaction {
		t.Errorf("promotion %+v", e)
	}
	want := map[string]any{"dream": x.ID.String(), "promoted": 1.0, "entries": []any{string(tea.ID)}}
	if diff := cmp.Diff(want, detailOf(t, promoted[0])); diff != "" {
		t.Errorf("promotion (-want +got):\n%s", diff)
	}
	want = map[string]any{
		"dream": x.ID.String(), "mode": "nightly", "trigger": "schedule", "night": "2026-11-21T02:00", "dryRun": false,
		"outcome": "written", "reasonCode": "promoted", "changed": 2.0,
		"counts": map[string]any{"candidates": 2.0, "promoted": 1.0, "kept": 1.0, "rejected": 0.0, "themes": 0.0, "truths": 0.0},
	}
	if diff := cmp.Diff(want, detailOf(t, completed[0])); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
	for _, e := range append(promoted, completed...) {
		for _, said := range []string{tea.Text, dog.Text, "in words", "raw"} {
			if strings.Contains(string(e.Detail), said) {
				t.Errorf("%s tells %q: %s", e.Kind, said, e.Detail)
			}
		}
	}
	if others := append(
		eventsOf(t, s, member("user:8"), gate.EventDreamCompleted), eventsOf(t, s, member("user:8"), gate.EventPromotionApplied)...,
	); len(others) > 0 {
		t.Errorf("another owner sees %+v", others)
	}
}

// Dreams that promote nothing are recorded as well: dry, nothing, failed and abandoned ones; one that waits has not ended.
func TestJournalRecordsOtherEnds(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person := member("user:7")
	dry := nightly("dry")
	dry.DryRun = true
	committedDream(t, s, runOfDream(dreaming("user:7", ""), "dry"), dry, tea)

	id := dreaming("user:7", "r1")
	x := stagedDream(t, s, id, nightly("n1"), judged(dog, dream.VerdictKept, dream.ReasonOneOff))
	must[dreams.Dream](t)(s.EndDream(t.Context(), id, x.ID,
		dreams.DreamEnding{Outcome: memory.OutcomeWaiting, ReasonCode: "budget", Until: testClock}))
	if told := eventsOf(t, s, person, gate.EventDreamCompleted); len(told) != 1 {
		t.Fatalf("while one waits: %+v", told)
	}
	// Another run of the same workflow leaves it behind.
	next := must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), nightly("n2")))
	must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), nightly("n2")))
	must[dreams.Dream](t)(
		s.EndDream(t.Context(), dreaming("user:7", "r2"), next.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing, ReasonCode: "no_news"}),
	)

	var got []string
	for _, e := range eventsOf(t, s, person, gate.EventDreamCompleted) {
		detail := detailOf(t, e)
		got = append(got, strings.Join([]string{detail["outcome"].(string), detail["dream"].(string)}, " "))
		if e.Scope != memory.ScopePersonal || e.Owner != "user:7" {
			t.Errorf("%+v", e)
		}
		if detail["dream"] == x.ID.String() {
			want := map[string]any{
				"dream": x.ID.String(), "mode": "nightly", "trigger": "schedule", "night": "n1", "dryRun": false,
				"outcome": "failed", "reasonCode": "abandoned", "changed": 0.0,
			}
			if diff := cmp.Diff(want, detail); diff != "" || e.Author.RunID != "r2" || e.Author.Kind != memory.AuthorDream {
				t.Errorf("abandoned, by %+v (-want +got):\n%s", e.Author, diff)
			}
		}
	}
	want := []string{"failed " + x.ID.String(), "nothing " + next.ID.String()}
	if len(got) != 3 || !strings.HasPrefix(got[0], "written ") || !cmp.Equal(got[1:], want) {
		t.Errorf("told %q, want the dry run and %q", got, want)
	}
	if promoted := eventsOf(t, s, person, gate.EventPromotionApplied); len(promoted) > 0 {
		t.Errorf("promotions of dreams that wrote nothing: %+v", promoted)
	}
	// Dreams of shared memory are visible to all of its readers.
	committedDream(t, s, dreaming(memory.SystemOwner, "r"), nightly("n"), tea)
	for _, kind := range []gate.EventKind{gate.EventDreamCompleted, gate.EventPromotionApplied} {
		if shared := eventsOf(t, s, member("user:8"), kind); len(shared) != 1 || shared[0].Scope != memory.ScopeTeam ||
			shared[0].Owner != "" {
			t.Errorf("%s of the shared memory: %+v", kind, shared)
		}
	}
}

// A dump is restored into a cluster that has counted fewer transactions, and from there into another one: followers continue
// with their old cursor and miss nothing, new readers see everything in order, and no manual step is needed.
func TestJournalAfterRestore(t *testing.T) {
	t.Parallel()
	elder, younger := devtest.Postgres(t), devtest.Postgres(t)
	if err := elder.CreateDatabase(t.Context(), "first", ""); err != nil {
		t.Fatal(err)
	}
	spend(t, elder, "first", 20_000)
	if err := migrated(t.Context(), elder.URL("first")); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, elder, "first")
	makeAgent(t, s, "acme", "ada")
	id := member("user:7")
	last := gate.JournalCursor{}
	follow := func(s *Store, after gate.JournalCursor) (paths []string) {
		t.Helper()
		for _, e := range journalOf(t, s, id, gate.JournalFilter{After: after, Kinds: []gate.EventKind{gate.EventDocumentWritten}}) {
			if e.Scope == memory.ScopePersonal {
				paths = append(paths, e.Path)
			}
			last = e.Cursor()
		}
		return paths
	}
	want := func(s *Store, after gate.JournalCursor, paths ...string) {
		t.Helper()
		if got := follow(s, after); !slices.Equal(got, paths) {
			t.Errorf("behind %s: %v, want %v", after, got, paths)
		}
	}
	write(t, s, id, replace(personal("one.md"), 0, "1\n"))
	write(t, s, id, replace(personal("two.md"), 0, "2\n"))
	want(s, gate.JournalCursor{}, "one.md", "two.md")
	followed := last
	elderCount := number(t, elder, "first", "select pg_current_xact_id()::text::bigint")

	dumpInto(t, elder, "first", younger, "second")
	if here := number(t, younger, "second", "select pg_current_xact_id()::text::bigint"); here >= elderCount {
		t.Fatalf("the younger cluster has counted %d transactions, the elder %d", here, elderCount)
	}
	// Several processes start at once: the cluster has one epoch.
	stores := make([]*Store, 4)
	var all sync.WaitGroup
	for i := range stores {
		all.Go(func() {
			stores[i], _ = Open(t.Context(), younger.URL("second"), pg.Options{}) // nil is told below
		})
	}
	all.Wait()
	for i, s := range stores {
		if s == nil {
			t.Fatal("a process cannot open the database")
		}
		t.Cleanup(s.Close)
		write(t, s, id, replace(personal(fmt.Sprintf("moved-%d.md", i)), 0, "x\n"))
	}
	now := stores[0]
	behind := []string{"moved-0.md", "moved-1.md", "moved-2.md", "moved-3.md"}
	want(now, followed, behind...)
	want(now, gate.JournalCursor{}, append([]string{"one.md", "two.md"}, behind...)...)
	if got := number(t, younger, "second", "select max(epoch) from journal_epochs"); got != 1 {
		t.Errorf("epoch %d", got)
	}
	write(t, now, id, replace(personal("later.md"), 0, "x\n"))
	want(now, last, "later.md")
	// In the same cluster, a restored dump goes on without another epoch.
	dumpInto(t, younger, "second", younger, "third")
	third := openAt(t, younger, "third")
	write(t, third, id, replace(personal("third.md"), 0, "3\n"))
	want(third, last, "third.md")
	if got := number(t, younger, "third", "select max(epoch) from journal_epochs"); got != 1 {
		t.Errorf("epoch %d", got)
	}
	// And back to where it came from.
	dumpInto(t, younger, "third", elder, "fourth")
	fourth := openAt(t, elder, "fourth")
	write(t, fourth, id, replace(personal("fourth.md"), 0, "4\n"))
	want(fourth, last, "fourth.md")
	if got := number(t, elder, "fourth", "select max(epoch) from journal_epochs"); got != 2 {
		t.Errorf("epoch %d", got)
	}
	// The application itself cannot move the journal.
	for _, statement := range []string{
		"insert into journal_epochs (epoch, cluster) values (9, 9)", "update journal_epochs set cluster = 9",
		"delete from journal_epochs", "update journal set transaction_id = 0",
	} {
		if _, err := fourth.db.Pool.Exec(t.Context(), statement); !is(pg.ErrForbidden)(pg.Translate(err)) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// openAt opens a database of a server.
func openAt(t *testing.T, server *devenv.Postgres, database string) *Store {
	t.Helper()
	s := must[*Store](t)(Open(t.Context(), server.URL(database), pg.Options{}))
	t.Cleanup(s.Close)
	return s
}

// spend advances a cluster's transaction counter.
func spend(t *testing.T, server *devenv.Postgres, database string, transactions int) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL(database)))
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(
		t.Context(), fmt.Sprintf("do $$ begin for i in 1..%d loop perform pg_current_xact_id(); commit; end loop; end $$", transactions),
	); err != nil {
		t.Fatal(err)
	}
}

// number reads a number as the superuser.
func number(t *testing.T, server *devenv.Postgres, database, sql string) (n int64) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL(database)))
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// dumpInto dumps a database and restores it as a new one of a server, as described in docs/operations.md.
func dumpInto(t *testing.T, from *devenv.Postgres, database string, to *devenv.Postgres, as string) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), from.URL(database)))
	defer conn.Close(context.WithoutCancel(t.Context()))
	var bin string
	if err := conn.QueryRow(t.Context(), "select setting from pg_config where name = 'BINDIR'").Scan(&bin); err != nil {
		t.Fatal(err)
	}
	if err := to.CreateDatabase(t.Context(), as, ""); err != nil {
		t.Fatal(err)
	}
	target := must[*pgx.Conn](t)(pgx.Connect(t.Context(), to.URL(as)))
	defer target.Close(context.WithoutCancel(t.Context()))
	if _, err := target.Exec(
		t.Context(),
		"do $$ begin if not exists (select from pg_roles where rolname = 'reverie_app') then create role reverie_app nologin; end if; "+
			"if not exists (select from pg_roles where rolname = 'reverie_eraser') then create role reverie_eraser nologin; end if; end $$",
	); err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "dump")
	for _, command := range []*exec.Cmd{
		exec.CommandContext(t.Context(), filepath.Join(bin, "pg_dump"), "--format=custom", "--file="+dump, "--dbname="+from.URL(database)),
		exec.CommandContext(t.Context(), filepath.Join(bin, "pg_restore"), "--exit-on-error", "--dbname="+to.URL(as), dump),
	} {
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(command.Path), err, out)
		}
	}
}

// versionsTold compares versions with their events: each version of a document has exactly one, and each event of a
// write exactly one version, for every author and operation.
const versionsTold = `
select coalesce(v.document_id, j.document_id)::text, coalesce(v.version, j.version), count(j.event_id), count(v.version)
from document_versions v
full join (select * from journal where kind in ('document.written', 'document.deleted', 'document.undeleted')) j
    on j.workspace_id = v.workspace_id and j.document_id = v.document_id and j.version = v.version
    and (j.kind = 'document.deleted') = v.deleted
group by 1, 2
having count(j.event_id) <> 1 or count(v.version) <> 1`

// recordsEveryWrite fails the test when a write has no event, several events, or an event has no write.
func (w *world) recordsEveryWrite(t *testing.T) {
	t.Helper()
	var versions, wrong int
	if err := w.root.QueryRow(t.Context(), "select count(*) from document_versions").Scan(&versions); err != nil || versions == 0 {
		t.Fatalf("%d versions (%v)", versions, err)
	}
	rows, err := w.root.Query(t.Context(), versionsTold)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var document string
		var version, events, found int
		if err := rows.Scan(&document, &version, &events, &found); err != nil {
			t.Fatal(err)
		}
		if wrong++; wrong <= 5 {
			t.Errorf("version %d of document %s: %d versions, and %d events tell of it", version, document, found, events)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d versions are told, %d are not as they should be", versions-wrong, wrong)
}

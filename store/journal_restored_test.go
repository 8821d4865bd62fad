package store

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/memory"
)

// A dump that is restored into a cluster that has counted fewer transactions, and from there into another one: whoever follows goes
// on with the cursor of before and misses nothing, whoever begins anew sees everything in its order, and nobody has to do anything.
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
	last := JournalCursor{}
	follow := func(s *Store, after JournalCursor) (paths []string) {
		t.Helper()
		for _, e := range journalOf(t, s, id, JournalFilter{After: after, Kinds: []EventKind{EventDocumentWritten}}) {
			if e.Scope == memory.ScopePersonal {
				paths = append(paths, e.Path)
			}
			last = e.Cursor()
		}
		return paths
	}
	want := func(s *Store, after JournalCursor, paths ...string) {
		t.Helper()
		if got := follow(s, after); !slices.Equal(got, paths) {
			t.Errorf("behind %s: %v, want %v", after, got, paths)
		}
	}
	write(t, s, id, replace(personal("one.md"), 0, "1\n"))
	write(t, s, id, replace(personal("two.md"), 0, "2\n"))
	want(s, JournalCursor{}, "one.md", "two.md")
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
			stores[i], _ = Open(t.Context(), younger.URL("second"), Options{}) // nil is told below
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
	want(now, JournalCursor{}, append([]string{"one.md", "two.md"}, behind...)...)
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
		"insert into journal_epochs (epoch, cluster) values (9, 9)", "update journal_epochs set cluster = 9", "delete from journal_epochs", "update journal set transaction_id = 0",
	} {
		if _, err := fourth.pool.Exec(t.Context(), statement); !is(ErrForbidden)(translate(err)) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// openAt opens a database of a server.
func openAt(t *testing.T, server *devenv.Postgres, database string) *Store {
	t.Helper()
	s := must[*Store](t)(Open(t.Context(), server.URL(database), Options{}))
	t.Cleanup(s.Close)
	return s
}

// spend has a cluster count transactions.
func spend(t *testing.T, server *devenv.Postgres, database string, transactions int) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL(database)))
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), fmt.Sprintf("do $$ begin for i in 1..%d loop perform pg_current_xact_id(); commit; end loop; end $$", transactions)); err != nil {
		t.Fatal(err)
	}
}

// number is what a superuser reads.
func number(t *testing.T, server *devenv.Postgres, database, sql string) (n int64) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL(database)))
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// dumpInto dumps a database and restores it as a new one of a server, as docs/operations.md says.
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
	if _, err := target.Exec(t.Context(), "do $$ begin if not exists (select from pg_roles where rolname = 'reverie_app') then create role reverie_app nologin; end if; end $$"); err != nil {
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

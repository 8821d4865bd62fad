package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
)

// openTransaction begins a transaction with a number, as another program does, and ends it with the test.
func openTransaction(t *testing.T, url, application string) (process int) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["application_name"] = application
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	for _, sql := range []string{"begin", "select pg_current_xact_id()"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return int(conn.PgConn().PID())
}

// shows reports whether the journal shows a document's event within a while.
func shows(t *testing.T, s *Store, id memory.Identity, path string, within time.Duration) bool {
	t.Helper()
	for until := time.Now().Add(within); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		page := must[gate.JournalPage](t)(s.Journal(t.Context(), id, gate.JournalFilter{Path: path}))
		if len(page.Events) > 0 {
			return true
		}
	}
	return false
}

// Transactions are numbered by the cluster. One of another database, such as Temporal's, does not hold back the journal, open or prepared;
// one of the same database does, and is listed.
func TestJournalWaitsForItsDatabaseOnly(t *testing.T) {
	t.Parallel()
	server := devtest.Postgres(t)
	for _, name := range []string{"ours", "theirs"} {
		if err := server.CreateDatabase(t.Context(), name, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := migrated(t.Context(), server.URL("ours")); err != nil {
		t.Fatal(err)
	}
	s, id := openAt(t, server, "ours"), member("user:7")
	makeAgent(t, s, "acme", "ada")

	openTransaction(t, server.URL("theirs"), "elsewhere")
	write(t, s, id, replace(personal("one.md"), 0, "1\n"))
	if !shows(t, s, id, "one.md", 5*time.Second) {
		t.Fatal("a transaction of another database holds back the journal")
	}
	if held := must[[]admin.JournalHolder](t)(s.JournalHolders(t.Context())); len(held) != 0 {
		t.Errorf("held by %+v", held)
	}

	process := openTransaction(t, server.URL("ours"), "report-of-the-month")
	write(t, s, id, replace(personal("two.md"), 0, "2\n"))
	if shows(t, s, id, "two.md", 200*time.Millisecond) {
		t.Fatal("an event is shown although an earlier transaction may still write")
	}
	held := must[[]admin.JournalHolder](t)(s.JournalHolders(t.Context()))
	if len(held) != 1 || held[0].Process != process || held[0].Application != "report-of-the-month" || held[0].Since == nil ||
		time.Since(*held[0].Since) > time.Minute {
		t.Errorf("held by %+v, want process %d", held, process)
	}
	if _, err := s.db.Pool.Exec(t.Context(), "select pg_terminate_backend($1)", process); err == nil {
		t.Error("the application may end the processes of others")
	}
}

// Transactions that are open without doing anything are ended, unless the deployment sets another limit.
func TestIdleTransactionsAreEnded(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	for address, want := range map[string]string{
		url: "1min", url + "&options=-cidle_in_transaction_session_timeout%3D5s": "5s",
	} {
		s, err := Open(t.Context(), address, pg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := s.db.Pool.QueryRow(t.Context(), "show idle_in_transaction_session_timeout").Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", address, got, err, want)
		}
		s.Close()
	}
}

// A process that stops in the middle of a transaction holds back the journal no longer than the limit.
func TestStoppedProcessReleasesTheJournal(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	stopped, err := Open(t.Context(), url+"&options=-cidle_in_transaction_session_timeout%3D300ms", pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopped.Close)
	makeAgent(t, stopped, "acme", "ada")
	s, err := Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id, goOn, ended := member("user:7"), make(chan struct{}), make(chan error, 1)
	began := make(chan struct{}, 2)
	go func() {
		_, err := pg.InTx(context.WithoutCancel(t.Context()), stopped.db, id, func(tx *pg.Tx) (none struct{}, err error) {
			b := &pgx.Batch{}
			b.Queue("select pg_current_xact_id()")
			if err := tx.Send(t.Context(), b); err != nil {
				return none, err
			}
			began <- struct{}{}
			<-goOn
			return none, nil
		})
		ended <- err
	}()
	<-began
	write(t, s, id, replace(personal("one.md"), 0, "1\n"))
	if !shows(t, s, id, "one.md", 10*time.Second) {
		t.Error("the journal still waits for a process that does nothing")
	}
	close(goOn)
	if err := <-ended; err != nil { // it notices, and does its work again
		t.Error(fmt.Errorf("the stopped transaction: %w", err))
	}
}

package store

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/pg"
)

// asRoot runs statements as the superuser of a server.
func asRoot(t *testing.T, server *devenv.Postgres, database string, statements ...string) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL(database)))
	defer conn.Close(t.Context())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// clientsOf returns commands of PostgreSQL's client programs, which connect to a server as its superuser.
func clientsOf(t *testing.T, server *devenv.Postgres, folder string) func(script string) {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), server.URL("postgres")))
	defer conn.Close(t.Context())
	var bin string
	if err := conn.QueryRow(t.Context(), "select setting from pg_config where name = 'BINDIR'").Scan(&bin); err != nil {
		t.Fatal(err)
	}
	address := must[*url.URL](t)(url.Parse(server.URL("postgres")))
	password, _ := address.User.Password()
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PGHOST="+address.Hostname(), "PGPORT="+address.Port(),
		"PGUSER="+address.User.Username(), "PGPASSWORD="+password)
	return func(script string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "bash", "-euc", script)
		command.Dir, command.Env = folder, env
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, script, out)
		}
	}
}

// documentedRestore returns the commands that the operations guide names for a restore into a new cluster.
func documentedRestore(t *testing.T) string {
	t.Helper()
	guide := must[[]byte](t)(os.ReadFile("../docs/operations.md"))
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(guide, -1) {
		if bytes.Contains(block[1], []byte("pg_restore")) {
			return string(block[1])
		}
	}
	t.Fatal("docs/operations.md documents no restore")
	return ""
}

// oldCluster returns a folder with the dump of a database as Compose sets it up, with a login that owns the tables and one for the
// application, and its document's owner.
func oldCluster(t *testing.T) (folder string, id memory.Identity) {
	t.Helper()
	old := devtest.Postgres(t)
	asRoot(t, old, "postgres", "create role reverie login password 'x'", "create role reverie_app login noinherit password 'x'",
		"create role reverie_eraser nologin", "grant reverie_app to reverie", "grant reverie_eraser to reverie_app",
		"create database reverie owner reverie")
	asRoot(t, old, "reverie", "create extension vector")
	must[int](t)(Migrate(t.Context(), as(t, old.URL("reverie"), "reverie")))
	s := must[*Store](t)(Open(t.Context(), as(t, old.URL("reverie"), "reverie_app"), pg.Options{}))
	defer s.Close()
	makeAgent(t, s, "acme", "ada")
	id, folder = member("user:7"), t.TempDir()
	write(t, s, id, replace(personal("MEMORY.md"), 0, "- kept\n"))
	clientsOf(t, old, folder)("pg_dump --format=custom --file=dump --dbname=reverie")
	return folder, id
}

// The commands of the operations guide restore a dump into a new cluster, and both logins of the deployment work there.
func TestDocumentedRestore(t *testing.T) {
	t.Parallel()
	folder, id := oldCluster(t)
	fresh := devtest.Postgres(t)
	clientsOf(t, fresh, folder)(strings.ReplaceAll(documentedRestore(t), "…", "x"))
	owner := as(t, fresh.URL("reverie"), "reverie")
	if applied := must[int](t)(Migrate(t.Context(), owner)); applied != 0 {
		t.Errorf("%d migrations applied to a restored schema", applied)
	}
	if advice := must[string](t)(LoginAdvice(t.Context(), owner)); advice != "" {
		t.Errorf("both logins are there, and yet: %s", advice)
	}
	s := must[*Store](t)(Open(t.Context(), as(t, fresh.URL("reverie"), "reverie_app"), pg.Options{}))
	defer s.Close()
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))); d.Content != "- kept\n" {
		t.Errorf("restored: %q", d.Content)
	}
	write(t, s, id, replace(personal("new.md"), 0, "- new\n"))
}

// After a restore with a role of the application that cannot log in, migrating works, and says what to run for API and workers.
func TestRestoreWithoutTheLogin(t *testing.T) {
	t.Parallel()
	folder, id := oldCluster(t)
	fresh := devtest.Postgres(t)
	asRoot(t, fresh, "postgres", "create role reverie login createrole password 'x'", "create role reverie_app nologin noinherit",
		"create role reverie_eraser nologin", "grant reverie_app to reverie", "grant reverie_eraser to reverie_app",
		"create database reverie owner reverie")
	clientsOf(t, fresh, folder)("pg_restore --exit-on-error --dbname=reverie dump")
	owner, app := as(t, fresh.URL("reverie"), "reverie"), as(t, fresh.URL("reverie"), "reverie_app")
	must[int](t)(Migrate(t.Context(), owner))
	if s, err := Open(t.Context(), app, pg.Options{}); err == nil {
		s.Close()
		t.Fatal("a role that cannot log in has")
	}
	advice := must[string](t)(LoginAdvice(t.Context(), owner))
	_, statement, found := strings.Cut(advice, "\n")
	if !found || !strings.Contains(advice, "reverie_app cannot log in") {
		t.Fatalf("migrate says %q", advice)
	}
	clientsOf(t, fresh, folder)("psql --set ON_ERROR_STOP=1 --dbname=postgres <<'SQL'\n" + strings.ReplaceAll(statement, "…", "x") + "\nSQL")
	s := must[*Store](t)(Open(t.Context(), app, pg.Options{}))
	defer s.Close()
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))); d.Content != "- kept\n" {
		t.Errorf("restored: %q", d.Content)
	}
	if advice := must[string](t)(LoginAdvice(t.Context(), owner)); advice != "" {
		t.Errorf("it can log in, and yet: %s", advice)
	}
}

// After a restore that left out the grant, migrating makes the login a member of the role where it may. Where it may not, the error has
// statements that an administrator pastes.
func TestRestoreWithoutTheGrant(t *testing.T) {
	t.Parallel()
	folder, id := oldCluster(t)
	for name, c := range map[string]struct {
		login, attributes string
		helped            bool
	}{
		"may create roles": {"reverie", "createrole", false},
		"may not":          {"reverie", "", true},
		"needs quotes":     {"Re-verie \"x\"", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh, quoted := devtest.Postgres(t), pgx.Identifier{c.login}.Sanitize()
			asRoot(t, fresh, "postgres", "create role reverie_app nologin", "create role reverie_eraser nologin",
				fmt.Sprintf("create role %s login %s password 'x'", quoted, c.attributes),
				"create database reverie owner "+quoted)
			clientsOf(t, fresh, folder)("pg_restore --exit-on-error --no-owner --dbname=reverie dump")
			asRoot(t, fresh, "reverie", "grant select, insert on all tables in schema public to "+quoted)
			login := as(t, fresh.URL("reverie"), c.login)
			if _, err := Open(t.Context(), login, pg.Options{}); !errors.Is(err, pg.ErrNoRole) {
				t.Fatalf("open before: %v, want ErrNoRole", err)
			}
			_, err := Migrate(t.Context(), login)
			refused, is := errors.AsType[*RoleError](err)
			switch {
			case c.helped && !is:
				t.Fatalf("migrate: %v, want the statements that help", err)
			case c.helped:
				for _, statement := range refused.Statements {
					if !strings.Contains(err.Error(), statement) {
						t.Errorf("%q does not show %q", err, statement)
					}
				}
				// Pasted into psql, in the maintenance database.
				script := filepath.Join(folder, "pasted-"+strings.ReplaceAll(name, " ", "-"))
				if err := os.WriteFile(script, []byte(strings.Join(refused.Statements, "\n")), 0o600); err != nil {
					t.Fatal(err)
				}
				clientsOf(t, fresh, folder)("psql --set ON_ERROR_STOP=1 --dbname=postgres --file=" + script)
				must[int](t)(Migrate(t.Context(), login))
			case err != nil:
				t.Fatal(err)
			}
			s := must[*Store](t)(Open(t.Context(), login, pg.Options{}))
			defer s.Close()
			if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))); d.Content != "- kept\n" {
				t.Errorf("restored: %q", d.Content)
			}
		})
	}
}

package deployment_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/test/deployment"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// API and worker work with a login that owns nothing; what they cannot do themselves, functions of the owner do for them.
func TestTheApplicationOwnsNothing(t *testing.T) {
	s := deployment.StartSystem(t.Context(), t, deployment.Options{Env: []string{"REVERIE_AUDIT_RETENTION=48h"}})
	text := func(sql string, args ...any) []string {
		t.Helper()
		rows, err := deployment.Query(t.Context(), s, pgx.RowTo[string], sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	if logins := text("select distinct usename::text from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"); !slices.
		Equal(logins, []string{deployment.AppLogin}) {
		t.Errorf("connected are %q", logins)
	}
	if owned := text("select relname::text from pg_class where relowner = $1::regrole", deployment.AppLogin); len(owned) > 0 {
		t.Errorf("the application owns %q", owned)
	}
	if owners := text("select distinct tableowner::text from pg_tables where schemaname = 'public'"); !slices.Equal(owners, []string{deployment.
		OwnerLogin}) {
		t.Errorf("the tables are of %q", owners)
	}
	if may := text("select rolname::text from pg_roles where rolname = any ($1) and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls)",
		[]string{deployment.AppLogin, deployment.OwnerLogin}); len(may) > 0 {
		t.Errorf("%q may do more than they need", may)
	}

	// It serves, and old entries of the audit log go, which only the owner of the table may delete.
	batch := deployment.Batch{EndUserID: "42", TriggerSource: "api", Messages: []deployment.Message{{ID: "m1", Role: "user", Content: "I live in Bern."}}}
	if err := s.API.Call(t.Context(), http.MethodPost, "/api/v1/agents/"+deployment.Agent+"/conversations/c1/messages", batch, nil); err != nil {
		t.Fatal(err)
	}
	audited := func(age string) []string {
		return text("select operation from audit_log where at < now() - $1::interval", age)
	}
	if len(audited("0")) == 0 {
		t.Error("nothing was recorded")
	}
	text("update audit_log set at = at - interval '3 days' where operation = 'add-messages' returning operation")
	for deadline := time.Now().Add(time.Minute); len(audited("2 days")) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q did not expire", audited("2 days"))
		}
	}
	if len(audited("0")) == 0 {
		t.Error("everything has expired")
	}

	// The login itself cannot change the schema or the log.
	address, err := url.Parse(s.Database())
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(deployment.AppLogin, "password-of-a-test")
	app, err := pgx.Connect(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close(t.Context())
	for _, sql := range []string{
		"create table mine (id int)", "drop table audit_log", "delete from audit_log", "alter table documents disable row level security",
		"set role " + deployment.OwnerLogin,
	} {
		if _, err := app.Exec(t.Context(), sql); err == nil {
			t.Errorf("the application may %s", sql)
		}
	}
}

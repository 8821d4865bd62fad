package store

import (
	"context"
	"testing"
	"time"

	"reverie/devenv/devtest"
	"reverie/memory"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// migrated prepares a database for devtest.Database.
func migrated(ctx context.Context, url string) error {
	_, err := Migrate(ctx, url)
	return err
}

// testClock is where tests begin: in the middle of a day, with microseconds as the database keeps them.
var testClock = time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC)

// openStore gives the test a store on a database of its own, with a workspace "acme" and an agent "ada".
func openStore(tb testing.TB, options ...func(*Options)) *Store {
	tb.Helper()
	o := Options{}
	for _, option := range options {
		option(&o)
	}
	s, err := Open(tb.Context(), devtest.Database(tb, migrated), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	makeAgent(tb, s, "acme", "ada")
	return s
}

// at sets the store's clock.
func at(now func() time.Time) func(*Options) { return func(o *Options) { o.Now = now } }

// makeAgent makes a workspace and an agent in it.
func makeAgent(tb testing.TB, s *Store, workspace, agent string) {
	tb.Helper()
	if err := s.EnsureWorkspace(tb.Context(), workspace, workspace); err != nil {
		tb.Fatal(err)
	}
	if _, err := s.CreateAgent(tb.Context(), admin(workspace), NewAgent{ID: agent, TimeZone: "Europe/Berlin"}); err != nil {
		tb.Fatal(err)
	}
}

func admin(workspace string) memory.Identity {
	return memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
}

// member is a person who uses agent ada of acme.
func member(owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: "acme", Agent: "ada", Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "key-" + string(owner)},
	}
}

// workflow is a workflow's run that works for owner.
func workflow(owner memory.Owner, run string) memory.Identity {
	id := member(owner)
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "extract/" + run, RunID: run}
	return id
}

// must is the value of a call that is not expected to fail.
func must[T any](tb testing.TB) func(T, error) T {
	return func(value T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

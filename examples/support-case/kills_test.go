package main

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	temporal "go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// TestCaseSurvivesKills kills the team's worker in its own steps before and behind ours and while it waits for ours, and our worker
// in each of the transactions of our step: whatever was killed where, a case is closed once and its outcome stands once. A worker
// that is to be killed stands still at that place, so that nothing depends on how quick it is.
func TestCaseSurvivesKills(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			x := newTeam(ctx, t, w)
			for _, kill := range []struct {
				id    string
				at    string
				until func(*team, context.Context, *testing.T, Case) temporal.WorkflowRun // it is killed, and everybody works again
			}{
				{"41", "theirs closes the case", (*team).killClosing},
				{"42", "theirs waits for ours", (*team).killWaiting},
				{"43", "ours stages the write", (*team).killStaging},
				{"44", "ours begins to write", (*team).killBeginning},
				{"45", "ours commits what is written", (*team).killCommitting},
				{"46", "theirs tells the customer", (*team).killTelling},
			} {
				t.Run(kill.at, func(t *testing.T) {
					c := caseOf(kill.id)
					x.check(ctx, t, c, kill.until(x, ctx, t, c))
				})
			}
			x.checkHistories(ctx, t)
		})
	}
}

// killClosing kills their worker when the case is closed and nobody has heard of it.
func (x *team) killClosing(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOwn(ctx, t, c, closing(c))
}

// killTelling kills their worker in its step behind ours.
func (x *team) killTelling(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOwn(ctx, t, c, telling(c))
}

func (x *team) killOwn(ctx context.Context, t *testing.T, c Case, path string) temporal.WorkflowRun {
	t.Helper()
	x.desk.hold(path)
	run := x.begin(ctx, t, c)
	wait(ctx, t, "their step", func() bool { return x.desk.count(path) > 0 })
	x.worker.Kill()
	x.desk.goOn(path)
	x.startWorker(t)
	wait(ctx, t, "their step to be repeated", func() bool { return x.desk.count(path) > 1 })
	return run
}

// killWaiting kills their worker when it has asked for ours, which is done while nobody waits for it.
func (x *team) killWaiting(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	x.Kill("worker")
	run := x.begin(ctx, t, c)
	wait(ctx, t, "ours to be asked for", func() bool { return x.hasAsked(ctx, t, run) })
	x.worker.Kill()
	x.Run(t, "worker")
	wait(ctx, t, "ours to be done", func() bool { return slices.Equal(x.writes(ctx, t, c), []string{"written"}) })
	x.startWorker(t)
	return run
}

// killStaging kills ours in the transaction that accepts the request. PostgreSQL has all of its statements, and commits.
func (x *team) killStaging(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "staged", `
insert into memory_writes (workspace_id, agent_id, write_id, request_id, request_hash, key_id, owner_key, scope, path, strategy, content, reason, outcome, staged_at, due_at)
select workspace_id, $1, gen_random_uuid(), 'close-case-' || $2::text, sha256(''), key_id, 'user:' || $2, 'PERSONAL', 'memory/cases.md', 'append', '', '', 'staged', now(), now()
from api_keys limit 1`)
}

// killBeginning kills ours in the transaction that writes, before PostgreSQL has all of its statements: it is rolled back.
func (x *team) killBeginning(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "staged", `
insert into documents (workspace_id, agent_id, scope, owner_key, path, document_id, version, enabled, sort_order, created_at, updated_at)
select workspace_id, $1, 'PERSONAL', 'user:' || $2::text, 'memory/cases.md', gen_random_uuid(), 0, false, 0, now(), now()
from agents`)
}

// killCommitting kills ours in the transaction that writes, when PostgreSQL has all of its statements: it is committed, and nobody
// hears of it.
func (x *team) killCommitting(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "written", `
insert into write_ledger (workspace_id, agent_id, owner_key, key, receipt, created_at)
select workspace_id, $1, 'user:' || $2::text, 'write-memory/close-case-' || $2, '{}', now()
from agents`)
}

// killOurs kills our worker while the row that sql has inserted, and not committed, stands in the way of a transaction for the case.
// The database has come to the given outcome by itself before our worker works again.
func (x *team) killOurs(ctx context.Context, t *testing.T, c Case, outcome, sql string) temporal.WorkflowRun {
	t.Helper()
	conn, err := pgx.Connect(ctx, x.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if tag, err := tx.Exec(ctx, sql, deployment.Agent, c.ID); err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%v, %v", tag, err)
	}
	standing := func() []uint32 {
		pids, err := deployment.Query(ctx, x.System, pgx.RowTo[uint32], "select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", conn.PgConn().PID())
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	run := x.begin(ctx, t, c)
	var killed []uint32
	for len(killed) == 0 { // on a very slow machine an attempt may have been given up just before
		wait(ctx, t, "ours to stand in its transaction", func() bool { return len(standing()) > 0 })
		x.Kill("worker")
		if killed = standing(); len(killed) == 0 {
			x.Run(t, "worker")
		}
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	wait(ctx, t, "the database to end what nobody waits for", func() bool {
		left, err := deployment.Query(ctx, x.System, pgx.RowTo[int], "select count(*)::int from pg_stat_activity where pid = any ($1)", killed)
		return err == nil && left[0] == 0
	})
	if writes := x.writes(ctx, t, c); !slices.Equal(writes, []string{outcome}) {
		t.Errorf("killed there the write is %v, want %s", writes, outcome)
	}
	x.Run(t, "worker")
	return run
}

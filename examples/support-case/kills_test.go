package main

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	temporal "go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// TestCaseSurvivesKills kills the team's worker in its steps before and after ours and while it waits for ours, and our worker in each
// transaction of our step. In every case the support case is closed once and its outcome is written once. A worker is blocked at the
// place where it is killed, so the test does not depend on timing.
func TestCaseSurvivesKills(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			x := newTeam(ctx, t, w)
			for _, test := range []struct {
				id   string
				at   string
				kill func(*team, context.Context, *testing.T, Case) temporal.WorkflowRun // kills and restarts
			}{
				{"41", "theirs closes the case", (*team).killClosing},
				{"42", "theirs waits for ours", (*team).killWaiting},
				{"43", "ours stages the write", (*team).killStaging},
				{"44", "ours begins to write", (*team).killBeginning},
				{"45", "ours commits what is written", (*team).killCommitting},
				{"46", "theirs tells the customer", (*team).killTelling},
			} {
				t.Run(test.at, func(t *testing.T) {
					c := caseOf(test.id)
					x.check(ctx, t, c, test.kill(x, ctx, t, c))
				})
			}
			x.checkHistories(ctx, t)
		})
	}
}

// killClosing kills their worker after the case was closed and before the answer arrived.
func (x *team) killClosing(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOwn(ctx, t, c, closing(c))
}

// killTelling kills their worker in its step after ours.
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
	x.desk.release(path)
	x.startWorker(t)
	wait(ctx, t, "their step to be repeated", func() bool { return x.desk.count(path) > 1 })
	return run
}

// killWaiting kills their worker after it has started our step, which completes while nobody waits for it.
func (x *team) killWaiting(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	x.Kill("worker")
	run := x.begin(ctx, t, c)
	wait(ctx, t, "our step to be scheduled", func() bool { return x.hasScheduled(ctx, t, run) })
	x.worker.Kill()
	x.Run(t, "worker")
	wait(ctx, t, "our step to complete", func() bool { return slices.Equal(x.writes(ctx, t, c), []string{"written"}) })
	x.startWorker(t)
	return run
}

// killStaging kills our worker in the transaction that accepts the request. PostgreSQL has received all statements and commits.
func (x *team) killStaging(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "staged", `
insert into memory_writes (workspace_id, agent_id, write_id, request_id, request_hash, key_id, owner_key, scope, path, strategy,
  content, reason, outcome, staged_at, due_at)
select workspace_id, $1, gen_random_uuid(), 'close-case-' || $2::text, sha256(''), key_id, 'user:' || $2, 'PERSONAL', 'memory/cases.md',
  'append', '', '', 'staged', now(), now()
from api_keys limit 1`)
}

// killBeginning kills our worker in the writing transaction, before PostgreSQL has received all statements: it is rolled back.
func (x *team) killBeginning(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "staged", `
insert into documents (workspace_id, agent_id, scope, owner_key, path, document_id, version, enabled, sort_order, created_at, updated_at)
select workspace_id, $1, 'PERSONAL', 'user:' || $2::text, 'memory/cases.md', gen_random_uuid(), 0, false, 0, now(), now()
from agents`)
}

// killCommitting kills our worker in the writing transaction, after PostgreSQL has received all statements: it is committed, but the
// worker does not learn of it.
func (x *team) killCommitting(ctx context.Context, t *testing.T, c Case) temporal.WorkflowRun {
	t.Helper()
	return x.killOurs(ctx, t, c, "written", `
insert into write_ledger (workspace_id, agent_id, owner_key, key, receipt, created_at)
select workspace_id, $1, 'user:' || $2::text, 'write-memory/close-case-' || $2, '{}', now()
from agents`)
}

// killOurs kills our worker while an uncommitted row, inserted by sql, blocks its transaction for the case. It waits until the database
// has reached the given outcome, then restarts the worker.
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
	blocked := func() []uint32 {
		pids, err := deployment.Query(ctx, x.System, pgx.RowTo[uint32],
			"select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", conn.PgConn().PID())
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	run := x.begin(ctx, t, c)
	var killed []uint32
	for len(killed) == 0 { // on a very slow machine the attempt may have timed out just before
		wait(ctx, t, "our worker to block in its transaction", func() bool { return len(blocked()) > 0 })
		x.Kill("worker")
		if killed = blocked(); len(killed) == 0 {
			x.Run(t, "worker")
		}
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	wait(ctx, t, "the database to finish the abandoned transactions", func() bool {
		left, err := deployment.Query(ctx, x.System, pgx.RowTo[int], "select count(*)::int from pg_stat_activity where pid = any ($1)", killed)
		return err == nil && left[0] == 0
	})
	if writes := x.writes(ctx, t, c); !slices.Equal(writes, []string{outcome}) {
		t.Errorf("after the kill the write is %v, want %s", writes, outcome)
	}
	x.Run(t, "worker")
	return run
}

package crash

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// flushLocks is the first half of the keys of the advisory locks on which held steps of flushes wait; the second half is the number of the
// owner.
const flushLocks = 4712

// Triggers make the transactions of the steps of held flushes wait after all their writes, just before the commit.
const flushHolds = `
create table crash_flush_holds (id int primary key, owner_key text, step text);
grant select on crash_flush_holds to public;
create function crash_flush_hold() returns trigger language plpgsql as $$
declare
    held int;
begin
    for held in select id from public.crash_flush_holds where owner_key = new.owner_key and step = tg_argv[0] loop
        perform pg_advisory_xact_lock_shared(4712, held);
    end loop;
    return null;
end
$$;
create trigger crash_propose after update on flushes for each row
    when (old.draft is null and new.draft is not null) execute function crash_flush_hold('propose');
create trigger crash_commit after insert on flush_steps for each row execute function crash_flush_hold('commit')`

// flushPoints lists the steps in which a flush is killed, before and after the commit of their transaction.
var flushPoints = []struct {
	step    string
	written bool
}{{"propose", false}, {"propose", true}, {"commit", false}, {"commit", true}}

// The worker is killed while rules flush what leaves a window: as they save the draft, and as they append it to the note, before and after
// the commit. Each turn gets its context, and asks again if that takes longer than it waits: everything that has left it is noted once.
func TestAFlushByRulesIsKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	a := newAttempts(ctx, t, s)
	name := func(i int) (who, conversation string) { return fmt.Sprint("owner-", i), fmt.Sprint("window-", i) }
	for i := range flushPoints {
		who, conversation := name(i)
		for turn := range 8 {
			mark := fmt.Sprintf("crate-%d-%d", i, turn)
			label := fmt.Sprintf("Please remember that the label of box %d is %s.", turn, mark)
			if err := a.once(ctx, aKept, mark, http.MethodPost, keeper+"/conversations/"+conversation+"/messages", nil,
				said(who, mark, label, strings.Repeat("The lamps stay, and the roof is looked at in spring. ", 30)), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	conn, err := pgx.Connect(ctx, s.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(flushHolds)
	for i, p := range flushPoints {
		exec(`select pg_advisory_lock($1, $2)`, flushLocks, i)
		exec(`insert into crash_flush_holds values ($1, $2, $3)`, i, "api:owner-"+fmt.Sprint(i), p.step)
	}
	var turns sync.WaitGroup
	for i := range flushPoints {
		who, conversation := name(i)
		turns.Go(func() {
			for began := time.Now(); !a.has(aContext, conversation) && time.Since(began) < *patience; time.Sleep(100 * time.Millisecond) {
				a.context(ctx, conversation, who, conversation, "Which label has box 3?")
			}
		})
	}
	held := awaitHeldFlushes(ctx, t, s)
	s.Kill("worker")
	exec(`delete from crash_flush_holds`)
	for i, p := range flushPoints {
		if !p.written {
			exec(`select pg_terminate_backend($1)`, held[i])
		}
	}
	await(t, "the transactions to be lost", func() bool { return len(heldFlushes(ctx, t, s)) == 2 })
	exec(`select pg_advisory_unlock_all()`)
	await(t, "the others to commit", func() bool { return len(heldFlushes(ctx, t, s)) == 0 })
	for i, p := range flushPoints {
		written := map[string]string{
			"propose": "select exists (select from flushes where owner_key = $1 and draft is not null)",
			"commit":  "select exists (select from flush_steps where owner_key = $1)",
		}[p.step]
		await(t, fmt.Sprintf("%+v", p), func() bool {
			is, err := deployment.Query(ctx, s, pgx.RowTo[bool], written, "api:owner-"+fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			return is[0] == p.written
		})
	}
	s.Ensure(t)
	turns.Wait()
	for i := range flushPoints {
		if _, conversation := name(i); !a.has(aContext, conversation) {
			t.Errorf("%+v: the turn got no context: %v", flushPoints[i], a.failures)
		}
	}
	a.checkRanges(ctx, t)
	a.checkKept(ctx, t)
	flushes := a.texts(ctx, t, "select owner_key from flushes where acknowledged_at is not null order by owner_key")
	if len(flushes) != len(flushPoints) {
		t.Errorf("acknowledged flushes of %q", flushes)
	}
}

// awaitHeldFlushes waits until a step of every flush is held, and returns the server processes by the number of the owner.
func awaitHeldFlushes(ctx context.Context, t *testing.T, s *deployment.System) (held map[int]int) {
	t.Helper()
	await(t, "every flush to be held", func() bool {
		held = heldFlushes(ctx, t, s)
		return len(held) == len(flushPoints)
	})
	return held
}

func heldFlushes(ctx context.Context, t *testing.T, s *deployment.System) map[int]int {
	t.Helper()
	type waiter struct{ Owner, PID int }
	rows, err := deployment.Query(ctx, s, pgx.RowToStructByPos[waiter],
		`select objid::int, pid from pg_locks where locktype = 'advisory' and classid = $1 and not granted`, flushLocks)
	if err != nil {
		t.Fatal(err)
	}
	held := map[int]int{}
	for _, r := range rows {
		held[r.Owner] = r.PID
	}
	return held
}

package crash

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// point is where a dream is killed: in the transaction that brings it into a phase. Either the transaction is lost, or it is
// written and the worker does not live to hear of it.
type point struct {
	phase   string
	written bool
}

// points are those of a dream: the record, light sleep, REM, the draft, and the commit.
func points() []point {
	var out []point
	for _, phase := range []string{"light", "rem", "deep", "writing", "ended"} {
		out = append(out, point{phase, false}, point{phase, true})
	}
	return out
}

// holdLocks is the first half of the keys of the advisory locks on which held transactions wait; the second one is the number
// of the person.
const holdLocks = 4711

// A trigger has the transactions of held dreams wait when they have written everything: what follows is the commit, which is
// on its way already.
const holdTrigger = `
create table if not exists crash_holds (id int primary key, agent_id text, owner_key text, phase text);
grant select on crash_holds to public;
create or replace function crash_hold() returns trigger language plpgsql as $$
declare
    held int;
begin
    for held in select id from public.crash_holds where agent_id = new.agent_id and owner_key = new.owner_key and phase = new.phase loop
        perform pg_advisory_xact_lock_shared(4711, held);
    end loop;
    return null;
end
$$;
create or replace trigger crash_hold after insert or update on dreams for each row execute function crash_hold()`

// holds are dreams of one night that wait in the middle of a step.
type holds struct {
	*dreamers
	conn   *pgx.Conn
	since  time.Time
	points map[int]point // by person
}

// hold has the first people's dreams of the disturbed agent wait at one point each.
func (w *dreamers) hold(ctx context.Context, t *testing.T) *holds {
	t.Helper()
	conn, err := pgx.Connect(ctx, w.Database())
	if err != nil {
		t.Fatal(err)
	}
	h := &holds{dreamers: w, conn: conn, since: time.Now(), points: map[int]point{}}
	h.exec(ctx, t, holdTrigger)
	for i, p := range points() {
		if i == w.users {
			break
		}
		h.points[i] = p
		h.exec(ctx, t, `select pg_advisory_lock($1, $2)`, holdLocks, i)
		h.exec(ctx, t, `insert into crash_holds values ($1, $2, $3, $4)`, i, storm, owner(i), p.phase)
	}
	return h
}

func (h *holds) exec(ctx context.Context, t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := h.conn.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// waiting are the server processes of the transactions that wait, by person.
func (h *holds) waiting(ctx context.Context, t *testing.T) map[int]int {
	t.Helper()
	type waiter struct{ Person, PID int }
	rows, err := deployment.Query(ctx, h.System, pgx.RowToStructByPos[waiter],
		`select objid::int, pid from pg_locks where locktype = 'advisory' and classid = $1 and not granted`, holdLocks)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]int{}
	for _, r := range rows {
		out[r.Person] = r.PID
	}
	return out
}

// release ends the transactions that are to be lost, lets the others commit, and checks what the database has of both.
func (h *holds) release(ctx context.Context, t *testing.T, done *dreamsDisturbed) {
	t.Helper()
	pids := h.waiting(ctx, t)
	h.exec(ctx, t, `delete from crash_holds`)
	phases := h.phases(ctx, t) // without what the transactions wrote
	for i, p := range h.points {
		if !p.written {
			h.exec(ctx, t, `select pg_terminate_backend($1)`, pids[i])
		}
	}
	await(t, "the lost transactions to end", func() bool {
		for i := range h.waiting(ctx, t) {
			if !h.points[i].written {
				return false
			}
		}
		return true
	})
	h.exec(ctx, t, `select pg_advisory_unlock_all()`)
	await(t, "the others to commit", func() bool {
		return h.count(ctx, t, `select count(*) from pg_stat_activity where pid = any ($1)`, slices.Collect(maps.Values(pids))) == 0
	})
	after := h.phases(ctx, t)
	for i, p := range h.points {
		switch {
		case p.written && after[owner(i)] == p.phase:
			done.written++
		case after[owner(i)] == phases[owner(i)] && after[owner(i)] != p.phase:
			done.lost++ // a server whose client is gone may give up what was released, too
		default:
			t.Errorf("%+v of %s: the dream was in phase %q and is in %q", p, person(i), phases[owner(i)], after[owner(i)])
		}
	}
	if err := h.conn.Close(ctx); err != nil {
		t.Error(err)
	}
}

// phases are those of the last dream of each owner of the disturbed agent.
func (h *holds) phases(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	type last struct{ Owner, Phase string }
	rows, err := deployment.Query(ctx, h.System, pgx.RowToStructByPos[last],
		`select distinct on (owner_key) owner_key, phase from dreams where agent_id = $1 and started_at >= $2 order by owner_key, dream_id desc`, storm, h.since)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.Owner] = r.Phase
	}
	return out
}

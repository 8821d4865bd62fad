package crash

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
	"reverie/workflows"
)

// The agents that dream the same. Their names are told to the model.
const (
	calm  = "calm"
	storm = "storm"
)

// dreamers is a deployment with two agents and people who say the same to both.
type dreamers struct {
	*deployment.System
	temporal client.Client
	today    time.Time // in the agents' zone
	users    int

	model     *llmtest.Server
	night     atomic.Int32 // that is noted
	answering atomic.Int32 // requests that the model lets wait: see scriptedDreams
}

// startDreamers starts a deployment that dreams by rules. The model for useModel is already running.
func startDreamers(ctx context.Context, t *testing.T, users int, env ...string) *dreamers {
	t.Helper()
	w := &dreamers{users: users}
	w.System = deployment.StartSystem(ctx, t, deployment.Options{Env: append([]string{
		"REVERIE_DREAM_PARALLEL=64", "REVERIE_DREAM_JITTER=0s", "REVERIE_DATABASE_CONNS=48",
		"REVERIE_MEMORY_MAX_CHARS=1000000", "REVERIE_DREAM_DIARY_MAX_CHARS=200000",
	}, env...)})
	w.model = llmtest.New(t, w.scriptedDreams())
	var zone string
	zone, w.today = zoneFarFromMidnight(t)
	var err error
	if w.temporal, err = client.Dial(client.Options{HostPort: w.Temporal.Address, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.temporal.Close)
	for _, agent := range []string{calm, storm} {
		if err := w.API.Insist(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": agent, "name": agent, "timeZone": zone},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// zoneFarFromMidnight returns a zone in which it is day, so that no run passes midnight or the hour at which agents
// dream.
func zoneFarFromMidnight(t *testing.T) (string, time.Time) {
	t.Helper()
	zone := "UTC"
	if hour := time.Now().UTC().Hour(); hour < 6 || hour >= 18 {
		zone = "Etc/GMT+12" // which is twelve hours behind
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return zone, time.Now().In(location)
}

// person returns a person's end user id, and owner the key of the person's memory.
func person(i int) string { return fmt.Sprintf("person-%02d", i) }
func owner(i int) string  { return "api:" + person(i) }

// shared is the owner of the shared memory.
const shared = "system"

// talk sends a message of everybody to both agents, and waits until it is noted.
func (w *dreamers) talk(ctx context.Context, t *testing.T) {
	t.Helper()
	w.each(t, func(agent string, i int) error {
		said := []map[string]any{}
		for n, text := range []string{
			fmt.Sprintf("The spare key of house %d is at the bakery.", number(i, 999)), "I see.", "It is under the third loaf.", "Sleep well.",
		} {
			said = append(said, map[string]any{
				"id": fmt.Sprint(n), "role": []string{"user", "assistant"}[n%2], "content": text, "createdAt": w.today.AddDate(0, 0, -1),
			})
		}
		return w.API.Insist(ctx, http.MethodPost, fmt.Sprintf("/api/v1/agents/%s/conversations/%s/messages", agent, person(i)),
			map[string]any{"endUserId": person(i), "triggerSource": "api", "turnComplete": true, "messages": said}, nil)
	})
	await(t, "everything that was said to be noted", func() bool {
		return w.count(ctx, t, `select count(*) from conversations where cursor_seq = last_seq`) == 2*w.users
	})
}

// Notes: the first sentence of a night on three days, so that it is promoted, the second one once.
var (
	lasting = []string{
		"The garden with number %d is watered by Marta.", "Boat %d lies in the harbour of Ghent.", "The cello lessons in room %d are on Tuesday.",
		"Bus %d goes to the swimming pool.", "Locker %d holds the winter tyres.",
	}
	passing = "The weather at mile %d was fine."
)

// number returns a number that occurs only in the notes of one person in one night.
func number(i, night int) int { return 1000*(10+i) + night }

// note writes the news of a night: on three past days, for everybody and for the shared memory.
func (w *dreamers) note(ctx context.Context, t *testing.T, agent string, night int) {
	t.Helper()
	w.night.Store(int32(night))
	write := func(who url.Values, number int) error {
		for day := 1; day <= 3; day++ {
			date := w.today.AddDate(0, 0, -day).Format(time.DateOnly)
			text := fmt.Sprintf("# %s\n\n- "+lasting[night%len(lasting)]+"\n", date, number)
			if day == 1 {
				text += fmt.Sprintf("- "+passing+"\n", number)
			}
			path := fmt.Sprintf("/api/v1/agents/%s/workspace/files/memory/%s-night-%d.md?%s", agent, date, night, who.Encode())
			if err := w.API.Insist(ctx, http.MethodPut, path, map[string]string{"content": text}, nil); err != nil {
				return err
			}
		}
		return nil
	}
	var writing sync.WaitGroup
	for i := range w.users {
		writing.Go(func() {
			if err := write(url.Values{"scope": {"PERSONAL"}, "endUserId": {person(i)}}, number(i, night)); err != nil {
				t.Errorf("note: %v", err)
			}
		})
	}
	if err := write(url.Values{"scope": {"TEAM"}}, number(-1, night)); err != nil {
		t.Errorf("note: %v", err)
	}
	writing.Wait()
}

// each does something for everybody and both agents concurrently.
func (w *dreamers) each(t *testing.T, do func(agent string, i int) error) {
	t.Helper()
	var doing sync.WaitGroup
	for _, agent := range []string{calm, storm} {
		for i := range w.users {
			doing.Go(func() {
				if err := do(agent, i); err != nil {
					t.Errorf("%s, %s: %v", agent, person(i), err)
				}
			})
		}
	}
	doing.Wait()
}

// schedule returns the handle of an agent's schedule.
func (w *dreamers) schedule(ctx context.Context, agent string) client.ScheduleHandle {
	return w.temporal.ScheduleClient().GetHandle(ctx, workflows.DreamScheduleID(agentRef(agent)))
}

func agentRef(agent string) activities.AgentRef {
	return activities.AgentRef{Workspace: "default", Agent: agent}
}

// trigger starts a night of an agent, like a person in Temporal's UI.
func (w *dreamers) trigger(ctx context.Context, t *testing.T, agent string) {
	t.Helper()
	await(t, "the schedule of "+agent, func() bool {
		return w.schedule(ctx, agent).Trigger(ctx, client.ScheduleTriggerOptions{}) == nil
	})
}

// awaitNight waits until everybody has dreamed the given number of nights, and no night of the agent is running.
func (w *dreamers) awaitNight(ctx context.Context, t *testing.T, agent string, nights int) {
	t.Helper()
	await(t, fmt.Sprintf("night %d of %s", nights, agent), func() bool {
		w.Ensure(t)
		if w.count(ctx, t, `select count(*) from dreams where agent_id = $1 and finished_at is not null`, agent) < nights*(w.users+1) {
			return false
		}
		night, err := w.schedule(ctx, agent).Describe(ctx)
		return err == nil && len(night.Info.RunningWorkflows) == 0
	})
}

// useModel restarts the worker with a model.
func (w *dreamers) useModel(t *testing.T) {
	t.Helper()
	w.SetEnv("REVERIE_LLM_PROVIDER=openai", "REVERIE_LLM_MODEL=scripted", "REVERIE_LLM_API_KEY=sk-of-a-scripted-server",
		"REVERIE_LLM_BASE_URL="+w.model.URL+"/v1", "REVERIE_LLM_HEARTBEAT=2s", "REVERIE_LLM_TIMEOUT=10s")
	w.Kill("worker")
	w.Ensure(t)
}

func (w *dreamers) count(ctx context.Context, t *testing.T, sql string, args ...any) int {
	t.Helper()
	n, err := deployment.Query(ctx, w.System, pgx.RowTo[int], sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// await waits until a condition holds.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < *patience; time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("after %s still waiting for %s", *patience, what)
}

// point is a position at which a dream is killed: in the transaction that starts a phase. Either the transaction is
// lost, or it is committed and the worker dies before it learns of it.
type point struct {
	phase   string
	written bool
}

// points returns the points of a dream: the record, light sleep, REM, the draft, and the commit.
func points() []point {
	var out []point
	for _, phase := range []string{"light", "rem", "deep", "writing", "ended"} {
		out = append(out, point{phase, false}, point{phase, true})
	}
	return out
}

// holdLocks is the first half of the keys of the advisory locks on which held transactions wait; the second half is
// the number of the person.
const holdLocks = 4711

// A trigger makes the transactions of held dreams wait after all their writes, just before the commit.
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

// holds are dreams of one night that wait during a step.
type holds struct {
	*dreamers
	conn   *pgx.Conn
	since  time.Time
	points map[int]point // by person
}

// hold makes the dreams of the disturbed agent's first people wait at one point each.
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

// waiting returns the server processes of the waiting transactions, by person.
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

// release terminates the transactions that are to be lost, lets the others commit, and checks the database for both.
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

// phases returns the phases of the last dream of each owner of the disturbed agent.
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

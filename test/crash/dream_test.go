package crash

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// The short run is part of every test run; flags select the long one (see docs/operations.md):
//
//	go test ./test/crash -run Dreams -timeout 60m -v -args -nights 10 -dream-kills 4 -sleepers 20
var (
	nights     = flag.Int("nights", 1, "nights by rules, and as many with a model")
	sleepers   = flag.Int("sleepers", 12, "people who dream in each night, besides the shared memory")
	dreamKills = flag.Int("dream-kills", 1, "times a night that a process is killed at a random instant, besides once at every step")
)

// TestDreamsKilledAtEveryStep runs the same nights for two agents, first by rules and then with a model: one is
// undisturbed, the other is killed during every step of a dream, before and after its transaction, and at random
// moments, while its model fails, and PostgreSQL and Temporal are restarted. Both have the same memory in the end,
// and each night was written once.
func TestDreamsKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 2))
	w := startDreamers(ctx, t, *sleepers)
	w.talk(ctx, t)

	var done dreamsDisturbed
	for night := range 2 * *nights {
		if night == *nights {
			w.useModel(t)
		}
		w.note(ctx, t, calm, night)
		w.note(ctx, t, storm, night)
		w.trigger(ctx, t, calm)
		w.awaitNight(ctx, t, calm, night+1)
		w.disturbNight(ctx, t, random, night, &done)
		w.awaitNight(ctx, t, storm, night+1)
	}
	if done.postgres == 0 || done.temporal == 0 || done.written < 8**nights || done.lost < 10**nights {
		t.Errorf("too little was disturbed: %+v", done)
	}

	for _, agent := range []string{calm, storm} {
		w.checkReports(ctx, t, agent, 2**nights)
		w.checkVersions(ctx, t, agent)
		w.checkStates(ctx, t, agent)
	}
	want, got := w.remembered(ctx, t, calm), w.remembered(ctx, t, storm)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the agents differ (-undisturbed +disturbed):\n%s", diff)
	}
	resets := w.resetEverything(ctx, t, storm)
	if diff := cmp.Diff(got, w.remembered(ctx, t, storm)); diff != "" {
		t.Errorf("resetting dreams that had ended changed something (-before +after):\n%s", diff)
	}
	w.checkReports(ctx, t, storm, 2**nights)
	w.checkVersions(ctx, t, storm)
	t.Logf("%d nights of %d owners; steps killed in: %d before and %d after their transaction, %d while the model answered; "+
		"killed: worker %d times, API %d times, PostgreSQL %d times, Temporal %d times; %d resets; model: %v",
		2**nights, w.users+1, done.lost, done.written, done.answering, done.workers, done.apis, done.postgres, done.temporal, resets,
		w.model.Stats().Replies)
}

// checkReports checks that each night was dreamed once by everybody, that nothing is running, that the diary mentions
// each dream once, and that no news are left.
func (w *dreamers) checkReports(ctx context.Context, t *testing.T, agent string, nights int) {
	t.Helper()
	type report struct {
		Owner, Night, Outcome string
		Model                 string
		Promoted              int
		Ended                 *time.Time
	}
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[report],
		`select owner_key, night, outcome, model, (counts->>'promoted')::int, finished_at from dreams where agent_id = $1 order by dream_id`,
		agent)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	of := map[string]int{}
	for _, r := range rows {
		seen[r.Owner+" "+r.Night]++
		byModel := of[r.Owner] >= nights/2
		of[r.Owner]++
		if r.Night == "" || r.Outcome != "written" || r.Promoted == 0 || r.Ended == nil || byModel != (r.Model == "openai/scripted") {
			t.Errorf("%s: a dream ended otherwise: %+v", agent, r)
		}
	}
	for night, n := range seen {
		if n != 1 {
			t.Errorf("%s: %s was dreamed %d times", agent, night, n)
		}
	}
	if len(of) != w.users+1 {
		t.Errorf("%s: %d owners dreamed, there are %d", agent, len(of), w.users+1)
	}
	for owner, n := range of {
		if n != nights {
			t.Errorf("%s: %s dreamed %d times in %d nights", agent, owner, n, nights)
		}
	}
	if left := w.count(ctx, t, `select count(*) from dream_news where agent_id = $1`, agent); left != 0 {
		t.Errorf("%s: %d owners have news that a dream has looked at", agent, left)
	}
	if told := w.count(ctx, t, `
select count(*)
from dreams x
join documents d on d.workspace_id = x.workspace_id and d.agent_id = x.agent_id and d.path = 'DREAMS.md' and d.scope = x.scope and
    d.owner_key = case x.scope when 'TEAM' then '' else x.owner_key end
join document_versions v on v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.version = d.version
where x.agent_id = $1 and (length(v.content) - length(replace(v.content, x.dream_id::text, ''))) / 36 = 1`, agent); told != len(rows) {
		t.Errorf("%s: of %d dreams the diary has one entry each of %d", agent, len(rows), told)
	}
}

// checkVersions checks that dreams wrote exactly what their reports say: each version of a document that a dream
// wrote is in one report, and each receipt of a report is a version.
func (w *dreamers) checkVersions(ctx context.Context, t *testing.T, agent string) {
	t.Helper()
	written := w.count(ctx, t, `select count(*) from document_versions where agent_id = $1 and author_kind = 'dream'`, agent)
	const receipts = `
from dreams x
cross join lateral jsonb_to_recordset(x.changes) as c (scope text, path text, version int, changed boolean)
where x.agent_id = $1 and c.changed`
	told := w.count(ctx, t, `select count(*) `+receipts, agent)
	distinct := w.count(ctx, t, `select count(distinct (x.owner_key, c.path, c.version)) `+receipts, agent)
	matched := w.count(ctx, t, `
select count(*)
from document_versions v
join documents d using (workspace_id, agent_id, document_id, scope, owner_key)
join (
    select x.owner_key as whose, c.scope, c.path, c.version `+receipts+`
) c on c.scope = v.scope and c.path = d.path and c.version = v.version and c.whose = case v.scope when 'TEAM' then 'system' else v.owner_key end
where v.agent_id = $1 and v.author_kind = 'dream'`, agent)
	if written == 0 || told != written || distinct != written || matched != written {
		t.Errorf("%s: dreams wrote %d versions; reports tell of %d, %d of them different, %d of them there", agent, written, told, distinct,
			matched)
	}
}

// checkStates checks that the states of statements agree with MEMORY.md: exactly the promoted ones are there, once.
func (w *dreamers) checkStates(ctx context.Context, t *testing.T, agent string) {
	t.Helper()
	type promoted struct{ Owner, Text, Memory string }
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[promoted], `
select e.owner_key, e.text, v.content
from dream_entries e
join documents d on d.workspace_id = e.workspace_id and d.agent_id = e.agent_id and d.path = 'MEMORY.md' and
    d.scope = case e.owner_key when 'system' then 'TEAM' else 'PERSONAL' end and d.owner_key = case e.owner_key when 'system' then '' else e.owner_key end
join document_versions v on v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.version = d.version
where e.agent_id = $1 and e.status = 'promoted'`, agent)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]int{}
	memories := map[string]string{}
	for _, r := range rows {
		texts[r.Owner]++
		memories[r.Owner] = r.Memory
		if n := strings.Count(r.Memory, "- "+strings.TrimSuffix(r.Text, ".")); n != 1 {
			t.Errorf("%s, %s: %q was promoted and stands in MEMORY.md %d times:\n%s", agent, r.Owner, r.Text, n, r.Memory)
		}
	}
	for whose, text := range memories {
		if lines := strings.Count("\n"+text, "\n- "); lines != texts[whose] {
			t.Errorf("%s, %s: MEMORY.md has %d lines and %d statements are promoted", agent, whose, lines, texts[whose])
		}
	}
	if len(memories) != w.users+1 {
		t.Errorf("%s: %d owners have something promoted", agent, len(memories))
	}
}

// Differences between runs: ids of reports, times of day, and scores, which decrease every minute.
var passingWords = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d\d:\d\d\b|\b[01]\.\d+\b`)

// remembered returns everything that an agent's dreams have left, by owner: documents with their versions, and states
// of statements.
func (w *dreamers) remembered(ctx context.Context, t *testing.T, agent string) map[string]string {
	t.Helper()
	type row struct{ Key, Text string }
	rows, err := deployment.Query(ctx, w.System, pgx.RowToStructByPos[row], `
select concat_ws(' ', d.scope, d.owner_key, d.path, 'version', d.version), v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.agent_id = $1 and not d.deleted
union all
select concat_ws(' ', 'entry', owner_key, entry_id), concat_ws(E'\n', status, reason_code, text, aliases, mention_days, asked, light_hits, rem_hits)
from dream_entries
where agent_id = $1`, agent)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		if _, twice := out[r.Key]; twice {
			t.Errorf("%s: %s is there twice", agent, r.Key)
		}
		out[r.Key] = passingWords.ReplaceAllString(r.Text, "…")
	}
	if least := 5 * (w.users + 1); len(out) < least {
		t.Errorf("%s: there are only %d documents and statements", agent, len(out))
	}
	return out
}

// dreamsDisturbed counts the kills, and the positions of dreams at that time.
type dreamsDisturbed struct {
	disturbed
	lost, written, answering int // steps that were killed before and after their transaction, and while a model answered
}

// disturbNight starts a night of the disturbed agent, waits until its dreams are at all points, and kills the worker.
// Then processes are killed at random moments, and PostgreSQL or Temporal is restarted.
func (w *dreamers) disturbNight(ctx context.Context, t *testing.T, random *rand.Rand, night int, done *dreamsDisturbed) {
	t.Helper()
	asksModel := night >= *nights
	asked := w.answering.Load()
	h := w.hold(ctx, t)
	w.trigger(ctx, t, storm)
	await(t, "dreams at every step", func() bool {
		return len(h.waiting(ctx, t)) == len(h.points) && (!asksModel || w.answering.Load() > asked)
	})
	w.Kill("worker")
	done.workers++
	if asksModel {
		done.answering++
	}
	h.release(ctx, t, done)
	w.Ensure(t)

	for n := range *dreamKills {
		time.Sleep(time.Duration(random.Int64N(int64(maxInstant))))
		if random.Float64() < apiShare {
			w.Kill("api")
			done.apis++
		} else {
			w.Kill("worker")
			done.workers++
		}
		w.Ensure(t)
		switch {
		case n > 0:
		case night%2 == 0:
			if err := w.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
			done.postgres++
		default:
			if err := w.System.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
			done.temporal++
		}
		w.Ensure(t)
	}
}

var (
	candidatePattern = regexp.MustCompile(`(?m)^\d+\. (.+) \(score .*\)$`)
	agentPattern     = regexp.MustCompile(`Name of the agent: "(\w+)"`)
)

// scriptedDreams is a model that writes every candidate into MEMORY.md, under one heading. For the disturbed agent it
// fails as scripted, and delays the answer for the last person of each night, so that the worker can be killed
// meanwhile.
func (w *dreamers) scriptedDreams() llmtest.Options {
	var people atomic.Int32
	return llmtest.Options{
		Answer: consolidate,
		Key: func(prompt string) string {
			who := agentPattern.FindStringSubmatch(prompt)
			what := candidatePattern.FindStringSubmatch(section(prompt, "CANDIDATES"))
			if who == nil || what == nil {
				return ""
			}
			return who[1] + ": " + what[1]
		},
		Script: func(r llmtest.Request) llmtest.Reply {
			switch {
			case !strings.HasPrefix(r.Key, storm):
				return llmtest.Honest()
			case r.Attempt == 1 && strings.Contains(r.Key, fmt.Sprintf(" %d ", number(w.users-1, int(w.night.Load())))):
				w.answering.Add(1)
				return llmtest.Slow(5 * time.Second)
			case r.Attempt == 1:
				return dreamFaults[int(people.Add(1))%len(dreamFaults)]
			}
			return llmtest.Honest()
		},
	}
}

// dreamFaults are the model's failures, in sequence, one per person and night. Repeated requests are answered
// correctly: a proposal that is refused twice is quarantined, which would make the two agents differ.
var dreamFaults = []llmtest.Reply{
	llmtest.Slow(1500 * time.Millisecond), llmtest.Status(429, 300*time.Millisecond), llmtest.Status(500), llmtest.HangUpBeforeAnswer(),
	llmtest.HangUpMidBody(), llmtest.TruncatedJSON(), llmtest.WrongJSON(), llmtest.FinishLength(), llmtest.EmptyChoices(),
	llmtest.GarbageBody(),
	llmtest.ContextTooLong(),
}

// consolidate returns the correct answer to a dream.
func consolidate(prompt string) string {
	memory := section(prompt, "MEMORY.md")
	if memory == "" {
		memory = "# Memory"
	}
	memory = strings.TrimRight(memory, "\n") + "\n"
	const heading = "\n## Things\n"
	if !strings.Contains(memory, heading) {
		memory += heading + "\n"
	}
	for _, candidate := range candidatePattern.FindAllStringSubmatch(section(prompt, "CANDIDATES"), -1) {
		memory += "- " + candidate[1] + "\n"
	}
	raw, err := json.Marshal(map[string]any{"should_update": true, "reason": "synthetic", "memory_content": memory, "retired": []any{}})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

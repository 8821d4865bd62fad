package crash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"reverie/test/deployment"
	"reverie/test/release"
	"reverie/workflows"
)

const (
	upgradeClients = 4
	// stageTurns is the number of turns of each client that each stage of the rollout waits for.
	stageTurns = 5
	// upgradePatience bounds each wait of the test.
	upgradePatience = time.Minute
)

// TestRollingUpgradeAndBack replaces the previous release by the current one and the current one by the previous one, under load: the
// schema is migrated under the old processes, API and worker of both releases run beside each other, then the current ones alone, then
// both again, then the previous ones alone, which finish everything. Each request is sent twice, to any of the APIs. Before the last current
// worker ends, its dreams do, as docs/deployment.md asks for.
func TestRollingUpgradeAndBack(t *testing.T) {
	ctx := t.Context()
	old, err := release.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	current, err := deployment.Build(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	model := scriptedModel(nil)
	s := deployment.StartSystem(ctx, t, deployment.Options{
		Model: &model, Program: old, Env: []string{"REVERIE_MEMORY_MAX_CHARS=1000000"},
	})
	began := time.Now()
	f := &fleet{System: s, t: t, began: began, apis: map[string]*endpoint{"api": {Client: s.API, release: "previous"}}}
	loaded, stop := context.WithCancel(ctx)
	defer stop()
	var load sync.WaitGroup
	clients := make([]*loader, upgradeClients)
	for n := range clients {
		clients[n] = &loader{fleet: f, n: n}
		load.Go(func() { clients[n].run(loaded) })
	}
	stage := func(name string) {
		t.Helper()
		want := make([]int64, len(clients))
		for n, c := range clients {
			want[n] = c.turns.Load() + stageTurns
		}
		for n, c := range clients {
			for until := time.Now().Add(upgradePatience); c.turns.Load() < want[n]; time.Sleep(20 * time.Millisecond) {
				if t.Failed() || time.Now().After(until) {
					stop()
					load.Wait()
					t.Fatalf("%s: client %d has stopped after %d turns; logs are in %s", name, n, c.turns.Load(), s.Logs())
				}
			}
		}
		t.Logf("%5.1f s: %s", time.Since(began).Seconds(), name)
	}
	stage("previous release")
	s.Migrate(t, current)
	stage("previous release on the migrated schema")
	f.add(ctx, "api-new", "current", current)
	f.runWorker("worker-new", current)
	stage("both releases")
	f.checkBuilds(ctx, "api-new")
	f.end("api")
	s.End(t, "worker")
	stage("current release")
	f.add(ctx, "api-back", "previous", old)
	f.runWorker("worker-back", old)
	stage("both releases")
	f.end("api-new")
	f.awake.Store(true)
	stage("no dream begins")
	f.await(ctx, sqlDreaming, "dreams have not ended")
	s.End(t, "worker-new")
	f.awake.Store(false)
	stage("previous release after the current one")
	stop()
	load.Wait()
	f.check(ctx, clients)
	t.Logf("%.1f s in all", time.Since(began).Seconds())
}

// fleet is a deployment whose requests go to any of its APIs, as behind a load balancer.
type fleet struct {
	*deployment.System
	t     *testing.T
	began time.Time

	mu   sync.Mutex
	apis map[string]*endpoint
	next int

	awake atomic.Bool // no dreams begin

	sent, acknowledged, refused sync.Map // by release: *atomic.Int64
}

// endpoint is an API that takes requests.
type endpoint struct {
	*deployment.Client
	release string
	open    sync.WaitGroup // requests
}

// pick returns an API in turn; the caller ends its request.
func (f *fleet) pick() *endpoint {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := slices.Sorted(maps.Keys(f.apis))
	f.next++
	e := f.apis[names[f.next%len(names)]]
	e.open.Add(1)
	return e
}

// add starts an API of a release and sends requests to it.
func (f *fleet) add(ctx context.Context, name, release, program string) {
	f.t.Helper()
	f.Use(name, program)
	e := &endpoint{Client: f.AddAPI(ctx, f.t, name), release: release}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apis[name] = e
}

// end sends no more requests to an API, waits for those that are open and stops it.
func (f *fleet) end(name string) {
	f.t.Helper()
	f.mu.Lock()
	e := f.apis[name]
	delete(f.apis, name)
	f.mu.Unlock()
	e.open.Wait()
	f.End(f.t, name)
}

func (f *fleet) runWorker(name, program string) {
	f.t.Helper()
	f.Use(name, program)
	f.Run(f.t, name)
}

func count(m *sync.Map, key string) *atomic.Int64 {
	n, _ := m.LoadOrStore(key, new(atomic.Int64))
	return n.(*atomic.Int64)
}

// call sends a request until it is acknowledged. It may be refused because a server has no capacity, but never fail.
func (f *fleet) call(ctx context.Context, method, path string, header http.Header, body, out any) error {
	for {
		e := f.pick()
		one := deployment.Client{URL: e.URL, Key: e.Key, HTTP: http.Client{Timeout: time.Minute}, Header: header}
		count(&f.sent, e.release).Add(1)
		err := one.Call(ctx, method, path, body, out)
		e.open.Done()
		status, is := errors.AsType[*deployment.StatusError](err)
		switch {
		case err == nil:
			count(&f.acknowledged, e.release).Add(1)
			return nil
		case is && status.RetryAfter != "" && (status.Status == http.StatusServiceUnavailable || status.Status == http.StatusTooManyRequests):
			count(&f.refused, e.release).Add(1)
			time.Sleep(100 * time.Millisecond)
		default:
			return fmt.Errorf("%s %s to the %s release, %.1f s: %w", method, path, e.release, time.Since(f.began).Seconds(), err)
		}
	}
}

// twice sends a request, and again like a client that has lost the response.
func (f *fleet) twice(ctx context.Context, method, path string, header http.Header, body, out any) error {
	if err := f.call(ctx, method, path, header, body, out); err != nil {
		return err
	}
	return f.call(ctx, method, path, header, body, nil)
}

// loader is a client with one conversation after another.
type loader struct {
	*fleet
	n     int
	turns atomic.Int64 // that are acknowledged

	dreams atomic.Int64 // likewise
}

// owner returns the owner of a turn: each has one conversation.
func (l *loader) owner(turn int64) string { return fmt.Sprintf("owner-%d-%d", l.n, turn/talkTurns) }

const (
	// talkTurns is the number of turns in a conversation.
	talkTurns = 10
	// turnMessages is the number of messages in a turn: fewer would not be read.
	turnMessages = 4
	// dreamTurn is the turn of a conversation after whose messages its owner dreams.
	dreamTurn = 1
)

// talk returns the conversation of a turn, and the marks of its messages of the user.
func (l *loader) talk(turn int64) (conversation string, marks []string) {
	conversation = fmt.Sprintf("talk-%d%02d", l.n+1, turn/talkTurns)
	for n := int64(1); n < turnMessages; n += 2 {
		marks = append(marks, fmt.Sprintf("%s/%d", conversation, turnMessages*(turn%talkTurns)+n))
	}
	return conversation, marks
}

func (l *loader) run(ctx context.Context) {
	whole := context.WithoutCancel(ctx) // a turn that has begun is ended
	for turn := int64(0); ctx.Err() == nil; turn++ {
		if err := l.turn(whole, turn); err != nil {
			l.t.Errorf("client %d, turn %d: %v", l.n, turn, err)
			return
		}
		l.turns.Add(1)
	}
}

const agentPath = "/api/v1/agents/" + deployment.Agent

// turn posts messages, edits a document, writes and waits for it, and writes without waiting. Each owner
// dreams once, while messages are extracted.
func (l *loader) turn(ctx context.Context, turn int64) error {
	conversation, marks := l.talk(turn)
	batch := deployment.Batch{EndUserID: l.owner(turn), TriggerSource: "api", TurnComplete: true}
	for n, mark := range marks {
		batch.Messages = append(batch.Messages,
			deployment.Message{ID: fmt.Sprintf("u%d-%d", turn, n), Role: "user", Content: "This is [" + mark + "], and it matters."},
			deployment.Message{ID: fmt.Sprintf("a%d-%d", turn, n), Role: "assistant", Content: "Understood [" + mark + "]."})
	}
	if err := l.twice(ctx, http.MethodPost, agentPath+"/conversations/"+conversation+"/messages", nil, batch, nil); err != nil {
		return err
	}
	if turn%talkTurns == dreamTurn && !l.awake.Load() {
		// Once: the previous release makes another key of the same request.
		if err := l.call(ctx, http.MethodPost, agentPath+"/dreams?wait=0s&mode=promote&endUserId="+l.owner(turn),
			http.Header{"Idempotency-Key": {fmt.Sprintf("dream-%d-%d", l.n, turn)}}, nil, nil); err != nil {
			return err
		}
		l.dreams.Add(1)
	}
	header := http.Header{"If-Match": {"*"}, "Idempotency-Key": {fmt.Sprintf("edit-%d-%d", l.n, turn)}}
	if turn%talkTurns == 0 {
		header = http.Header{"If-None-Match": {"*"}, "Idempotency-Key": {fmt.Sprintf("edit-%d-%d", l.n, turn)}}
	}
	if err := l.twice(ctx, http.MethodPut, agentPath+"/workspace/files/memory/edited.md?scope=PERSONAL&endUserId="+l.owner(turn), header,
		map[string]string{"content": l.edited(turn)}, nil); err != nil {
		return err
	}
	for _, w := range []struct{ kind, wait string }{{"waited", "30s"}, {"staged", "0s"}} {
		// The previous release takes an id of one owner for that of any.
		body := map[string]any{
			"requestId": fmt.Sprintf("%s-%d-%d", w.kind, l.n, turn), "endUserId": l.owner(turn), "target": "memory/" + w.kind + ".md", "strategy": "append",
			"content": fmt.Sprintf("- box %d of %s is full\n", turn, l.owner(turn)),
		}
		var receipt struct{ Outcome string }
		if err := l.twice(ctx, http.MethodPost, agentPath+"/writes?wait="+w.wait, nil, body, &receipt); err != nil {
			return err
		}
		if w.kind == "waited" && receipt.Outcome != "written" {
			return fmt.Errorf("the write's outcome is %q", receipt.Outcome)
		}
	}
	// All write to one shared document.
	return l.twice(ctx, http.MethodPost, agentPath+"/writes?wait=0s", nil, map[string]any{
		"requestId": fmt.Sprintf("shared-%d-%d", l.n, turn), "scope": "TEAM", "target": "memory/shared.md", "strategy": "append",
		"content": fmt.Sprintf("- shelf %d of %s is full\n", turn, l.owner(turn)),
	}, nil)
}

// edited is the document after a turn: one line for each.
func (l *loader) edited(turn int64) string {
	var text strings.Builder
	text.WriteString("# Edited\n\n")
	for n := turn - turn%talkTurns; n <= turn; n++ {
		fmt.Fprintf(&text, "- edit %d of %s.\n", n, l.owner(turn))
	}
	return text.String()
}

const sqlDreaming = `select count(*) from dreams where finished_at is null`

// check waits for what was acknowledged, and checks that all of it is there once.
func (f *fleet) check(ctx context.Context, clients []*loader) {
	t := f.t
	t.Helper()
	f.await(ctx, `select count(*) from conversations where last_seq > cursor_seq`, "conversations are not read")
	f.await(ctx, `select count(*) from memory_writes where outcome = 'staged'`, "writes are staged")
	f.await(ctx, sqlDreaming, "dreams have not ended")
	dreams := int64(0)
	for _, c := range clients {
		dreams += c.dreams.Load()
	}
	if ended := f.number(ctx, `select count(*) from dreams where outcome in ('written', 'nothing')`); dreams == 0 || ended != dreams {
		t.Errorf("%d dreams have ended well, %d were acknowledged", ended, dreams)
	}
	(&system{System: f.System, work: talks(clients)}).checkAccounts(ctx, t)
	if stored := f.number(ctx, `select count(*) from messages`); stored != turnsOf(clients)*turnMessages {
		t.Errorf("%d messages are stored, %d were acknowledged", stored, turnsOf(clients)*turnMessages)
	}
	type document struct{ Owner, Path, Content string }
	rows, err := deployment.Query(ctx, f.System, pgx.RowToStructByPos[document], `
select d.owner_key, case when d.path like 'memory/____-__-__.md' then 'notes' else d.path end, string_agg(v.content, E'\n')
from documents d
join document_versions v on v.document_id = d.document_id and v.version = d.version
group by 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range rows {
		texts[d.Owner+" "+d.Path] = d.Content
	}
	lost, doubled, found := 0, 0, 0
	once := func(document, line string) {
		switch n := strings.Count(texts[document], line); {
		case n == 0:
			lost++
			t.Errorf("%s has lost %q", document, line)
		case n > 1:
			doubled++
			t.Errorf("%s has %q %d times", document, line, n)
		default:
			found++
		}
	}
	for _, c := range clients {
		for turn := range c.turns.Load() {
			owner := "api:" + c.owner(turn)
			_, marks := c.talk(turn)
			for _, mark := range marks {
				once(owner+" MEMORY.md", "- "+mark+" matters.")
				once(owner+" notes", "- "+mark+" matters.")
			}
			once(owner+" memory/edited.md", fmt.Sprintf("- edit %d of %s.", turn, c.owner(turn)))
			once(owner+" memory/waited.md", fmt.Sprintf("- box %d of %s is full", turn, c.owner(turn)))
			once(owner+" memory/staged.md", fmt.Sprintf("- box %d of %s is full", turn, c.owner(turn)))
			once(" memory/shared.md", fmt.Sprintf("- shelf %d of %s is full", turn, c.owner(turn)))
		}
	}
	if edits := f.number(ctx, `select sum(version)::bigint from documents where path = 'memory/edited.md'`); edits != turnsOf(clients) {
		t.Errorf("there are %d versions of %d edits", edits, turnsOf(clients))
	}
	if writes := f.number(ctx, `select count(*) from memory_writes where outcome = 'written'`); writes != turnsOf(clients)*3 {
		t.Errorf("%d writes are written, %d were acknowledged", writes, turnsOf(clients)*3)
	}
	workflows := f.checkWorkflows(ctx)
	f.checkLogs()
	for _, release := range []string{"previous", "current"} {
		t.Logf("%s release: %d requests, %d acknowledged, %d refused for a moment", release, count(&f.sent, release).Load(),
			count(&f.acknowledged, release).Load(), count(&f.refused, release).Load())
		if count(&f.acknowledged, release).Load() == 0 {
			t.Errorf("the %s release has served nothing", release)
		}
	}
	t.Logf("%d turns; %d of their lines are found once, %d lost, %d doubled; %d dreams; %d workflows", turnsOf(clients), found, lost, doubled, dreams,
		workflows)
}

func turnsOf(clients []*loader) (n int64) {
	for _, c := range clients {
		n += c.turns.Load()
	}
	return n
}

// talks returns the conversations of clients, with as many messages as were acknowledged.
func talks(clients []*loader) (out []talk) {
	for _, c := range clients {
		for left, n := c.turns.Load(), int64(0); left > 0; left, n = left-talkTurns, n+talkTurns {
			id, _ := c.talk(n)
			out = append(out, talk{id: id, owner: c.owner(n), messages: make([]deployment.Message, turnMessages*min(left, talkTurns))})
		}
	}
	return out
}

func (f *fleet) number(ctx context.Context, sql string, args ...any) int64 {
	f.t.Helper()
	n, err := deployment.Query(ctx, f.System, pgx.RowTo[int64], sql, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(n) != 1 {
		f.t.Fatalf("%d rows: %s", len(n), sql)
	}
	return n[0]
}

// await waits until nothing is left.
func (f *fleet) await(ctx context.Context, sql, what string) {
	f.t.Helper()
	for until := time.Now().Add(upgradePatience); ; time.Sleep(100 * time.Millisecond) {
		n := f.number(ctx, sql)
		if n == 0 {
			return
		}
		if time.Now().After(until) {
			f.t.Errorf("after %s %d %s; logs are in %s", upgradePatience, n, what, f.Logs())
			return
		}
	}
}

// checkWorkflows checks that no workflow task failed, except those of dreams that the previous release cannot replay, and that workers of
// both releases ran workflows. It returns the number of workflows.
func (f *fleet) checkWorkflows(ctx context.Context) int {
	t := f.t
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: f.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var failed, waited atomic.Int64
	var builds sync.Map // by id: number of workflow tasks
	number := 0
	var group errgroup.Group
	group.SetLimit(4)
	for token := []byte(nil); ; {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000, NextPageToken: token})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list.GetExecutions() {
			number++
			group.Go(func() error {
				id := w.GetExecution().GetWorkflowId()
				events := c.GetWorkflowHistory(ctx, id, w.GetExecution().GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
				for events.HasNext() {
					event, err := events.Next()
					if err != nil {
						return fmt.Errorf("%s: %w", id, err)
					}
					a := event.GetWorkflowTaskFailedEventAttributes()
					switch {
					case a == nil:
					case w.GetType().GetName() == workflows.DreamName && a.GetCause() == enums.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR:
						waited.Add(1) // for a worker of the current release: the previous one does not know its steps
					default:
						failed.Add(1)
						t.Errorf("%s: a workflow task failed: %s: %s", id, a.GetCause(), a.GetFailure().GetMessage())
					}
					if a := event.GetWorkflowTaskCompletedEventAttributes(); a != nil {
						count(&builds, cmp.Or(a.GetDeploymentVersion().GetBuildId(), "not reported")).Add(1)
					}
				}
				return nil
			})
		}
		if token = list.GetNextPageToken(); len(token) == 0 {
			break
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	ran := 0
	builds.Range(func(id, n any) bool {
		ran++
		t.Logf("build %s: %d workflow tasks", id, n.(*atomic.Int64).Load())
		return true
	})
	if ran != 2 {
		t.Errorf("%d builds ran workflows, want both releases", ran)
	}
	t.Logf("%d times a dream waited for a worker of the current release", waited.Load())
	return number
}

// checkBuilds checks that the status shows the workers of both releases; the previous one does not report its build.
func (f *fleet) checkBuilds(ctx context.Context, api string) {
	f.t.Helper()
	var status struct {
		Parts []struct {
			Name, State string
			Builds      []struct {
				Build   string
				Workers int
			}
		}
	}
	if err := f.apis[api].Call(ctx, http.MethodGet, "/api/v1/status", nil, &status); err != nil {
		f.t.Fatal(err)
	}
	for _, part := range status.Parts {
		if part.Name != "workers" {
			continue
		}
		if b := part.Builds; part.State != "ok" || len(b) != 2 || b[0].Build != "" || b[1].Build == "" || b[0].Workers != 1 || b[1].Workers != 1 {
			f.t.Errorf("workers are %+v, want one of each release", part)
		}
		return
	}
	f.t.Error("the status has no workers")
}

// replayFault is the code of the SDK's errors for a replay that differs from the history.
const replayFault = "TMPRL1100"

// checkLogs checks that no process reported a fault of a program, except workers of the previous release that cannot replay a dream of the
// current one. The other way round is a fault.
func (f *fleet) checkLogs() {
	f.t.Helper()
	logs, err := filepath.Glob(filepath.Join(f.Logs(), "*.log"))
	if err != nil || len(logs) < 6 {
		f.t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		raw, err := os.ReadFile(log)
		if err != nil {
			f.t.Fatal(err)
		}
		previous := !strings.HasSuffix(log, "-new.log")
		for line := range strings.Lines(string(raw)) {
			if previous && strings.Contains(line, replayFault) && strings.Contains(line, workflows.DreamName) {
				continue
			}
			isFault := func(sign string) bool { return strings.Contains(line, sign) }
			if slices.ContainsFunc([]string{replayFault, "nondeterministic", "panic", "SQLSTATE 42"}, isFault) {
				f.t.Errorf("%s: %s", filepath.Base(log), line)
			}
		}
	}
}

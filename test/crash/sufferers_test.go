package crash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

const (
	// sufferers write at once, each for an owner.
	sufferers = 6
	// keeper is an agent that extracts nothing within the test: only flushes note what it received.
	keeper = "keeper"
)

// What is sent, in turn. A turn is sent to the keeper after its context was asked for.
const (
	aMessage    = "message"
	aDocument   = "document"
	aWrite      = "write"
	anEdit      = "edit"
	aRemembered = "remembered"
	aContext    = "context"
	aKept       = "turn"
)

// attempts records each request, which is sent once. An error leaves open whether it was carried out.
type attempts struct {
	*deployment.System

	mu       sync.Mutex
	sent     map[string]map[string]bool // whether they were acknowledged, by kind and mark
	failures map[string]int             // by kind and status
	windows  []answeredWindow
}

// answeredWindow is a context that was answered: messages up to one had left it.
type answeredWindow struct {
	conversation string
	left         int64
	at           time.Time
}

func newAttempts(ctx context.Context, t *testing.T, s *deployment.System) *attempts {
	t.Helper()
	agent := map[string]any{"id": keeper, "settings": map[string]any{"quietSeconds": 24 * 60 * 60, "idleTurnSeconds": 0}}
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/agents", agent, nil); err != nil {
		t.Fatal(err)
	}
	return &attempts{System: s, sent: map[string]map[string]bool{}, failures: map[string]int{}}
}

// once sends a request once, and notes its outcome.
func (a *attempts) once(ctx context.Context, kind, mark, method, path string, header http.Header, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second) // longer than any answer takes
	defer cancel()
	one := deployment.Client{URL: a.API.URL, Key: a.API.Key, HTTP: http.Client{Transport: a.API.HTTP.Transport}, Header: header}
	err := one.Call(ctx, method, "/api/v1/agents/"+path, body, out)
	a.mu.Lock()
	defer a.mu.Unlock()
	if kind != "" {
		if a.sent[kind] == nil {
			a.sent[kind] = map[string]bool{}
		}
		a.sent[kind][mark] = err == nil
	}
	if err != nil {
		what := "not answered"
		if status, is := errors.AsType[*deployment.StatusError](err); is {
			what = fmt.Sprint(status.Status)
			if status.Status == http.StatusInternalServerError || status.Status == http.StatusBadRequest {
				what = status.Error()
			}
		}
		a.failures[kind+" "+what]++
	}
	return err
}

// has reports whether a call was acknowledged.
func (a *attempts) has(kind, mark string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent[kind][mark]
}

// suffer sends something of each kind for an owner, until it is to stop.
func (a *attempts) suffer(ctx context.Context, n int, stop <-chan struct{}) {
	who := fmt.Sprintf("sufferer-%d", n)
	for turn := 0; ; turn++ {
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Millisecond):
		}
		mark := fmt.Sprintf("crate-%d-%05d", n, turn)
		label := "Please remember that the label of box " + fmt.Sprint(turn) + " is " + mark + "."
		switch turn % 8 {
		case 0, 3:
			path := fmt.Sprintf("%s/conversations/talk-%d-%d/messages", deployment.Agent, n, turn/40)
			_ = a.once(ctx, aMessage, mark, http.MethodPost, path, nil, said(who, mark, label, "Noted."), nil)
		case 1:
			path := fmt.Sprintf("%s/workspace/files/memory/%s.md?scope=PERSONAL&endUserId=%s", deployment.Agent, mark, who)
			_ = a.once(ctx, aDocument, mark, http.MethodPut, path, nil, map[string]string{"content": "- " + mark + "\n"}, nil)
		case 2:
			path := fmt.Sprintf("%s/writes?wait=%ds", deployment.Agent, turn%3) // some are accepted only, some have ended
			_ = a.once(ctx, aWrite, mark, http.MethodPost, path, nil, map[string]any{
				"requestId": mark, "endUserId": who, "target": fmt.Sprintf("memory/log-%d.md", turn/400), "strategy": "append", "content": "- " + mark + "\n",
			}, nil)
		case 4:
			a.edit(ctx, n, turn, mark)
		case 5:
			_ = a.once(ctx, aRemembered, mark, http.MethodPost, deployment.Agent+"/remember", nil,
				map[string]string{"endUserId": who, "text": "Drawer " + mark + " holds the winter gloves."}, nil)
		default: // two of eight, since a window fills slowly
			conversation := fmt.Sprintf("window-%d-%d", n, turn/96)
			a.context(ctx, conversation, who, mark, label)
			_ = a.once(ctx, aKept, mark, http.MethodPost, keeper+"/conversations/"+conversation+"/messages", nil,
				said(who, mark, label, strings.Repeat("The lamps stay, and the roof is looked at in spring. ", 45)), nil)
		}
	}
}

func said(who, mark, user, assistant string) deployment.Batch {
	return deployment.Batch{EndUserID: who, TriggerSource: "api", TurnComplete: true, Messages: []deployment.Message{
		{ID: "u-" + mark, Role: "user", Content: user}, {ID: "a-" + mark, Role: "assistant", Content: assistant},
	}}
}

// edit adds a line to a document that all edit at once, each its own section, on the version that it has read.
func (a *attempts) edit(ctx context.Context, n, turn int, mark string) {
	path := fmt.Sprintf("%s/workspace/files/memory/ledger-%d.md?scope=PERSONAL&endUserId=ledger", deployment.Agent, turn/80)
	var now struct{ Content, ETag string }
	err := a.once(ctx, "", "", http.MethodGet, path, nil, nil, &now)
	header := http.Header{"If-Match": {now.ETag}}
	if status, is := errors.AsType[*deployment.StatusError](err); is && status.Status == http.StatusNotFound {
		header = http.Header{"If-None-Match": {"*"}}
		for section := range sufferers {
			now.Content += fmt.Sprintf("## Section %d\n\n- Kept.\n\n", section)
		}
	} else if err != nil {
		return
	}
	heading := fmt.Sprintf("## Section %d\n\n", n)
	content := strings.Replace(now.Content, heading, heading+"- "+mark+"\n", 1)
	_ = a.once(ctx, anEdit, mark, http.MethodPut, path, header, map[string]string{"content": content}, nil)
}

// context asks for the context of a turn, which is flushed by rules when it outgrows its window.
func (a *attempts) context(ctx context.Context, conversation, who, mark, message string) {
	var view struct {
		Messages []struct {
			Kind string
			Seq  int64
		}
		Unsent  int64
		Summary struct{ To int64 }
	}
	body := map[string]any{"conversation": conversation, "endUserId": who, "message": message, "maxInputTokens": windowTokens}
	if a.once(ctx, aContext, mark, http.MethodPost, keeper+"/context?wait=30s", nil, body, &view) != nil {
		return
	}
	w := answeredWindow{conversation, max(view.Unsent, view.Summary.To), time.Now()}
	for _, m := range view.Messages {
		if m.Kind == "history" {
			w.left = max(w.left, m.Seq-1)
			break
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.windows = append(a.windows, w)
}

// waitLeft waits until messages have left a window, for a machine on which the clients got little done between the kills.
func (a *attempts) waitLeft(t *testing.T) {
	t.Helper()
	await(t, "messages to leave a window", func() bool {
		a.Ensure(t)
		a.mu.Lock()
		defer a.mu.Unlock()
		return slices.ContainsFunc(a.windows, func(w answeredWindow) bool { return w.left > 0 })
	})
}

// check waits until everything that is stored is accounted for, and compares it with the answers.
func (a *attempts) check(ctx context.Context, t *testing.T) {
	t.Helper()
	await(t, "everything to be accounted for", func() bool {
		a.Ensure(t)
		waiting, err := deployment.Query(ctx, a.System, pgx.RowTo[int], `
select (select count(*) from conversations where cursor_seq < last_seq and agent_id <> $1)::int
    + (select count(*) from memory_writes where outcome = 'staged')::int
    + (select count(*) from flushes where acknowledged_at is null)::int`, keeper)
		if err != nil {
			t.Fatal(err)
		}
		return waiting[0] == 0
	})
	turns := a.times(ctx, t, "select message_id from messages where role = 'user'")
	notes := a.content(ctx, t, deployment.Agent, `^memory/\d{4}-\d\d-\d\d\.md$`)
	a.each(t, aMessage, func(mark string) (stored, there int) { return turns["u-"+mark], strings.Count(notes, mark) })

	paths := a.times(ctx, t, "select path from documents d join document_versions v using (workspace_id, agent_id, document_id)")
	a.each(t, aDocument, func(mark string) (stored, there int) { n := paths["memory/"+mark+".md"]; return n, n })

	writes := a.times(ctx, t, "select request_id from memory_writes")
	logs := a.content(ctx, t, deployment.Agent, `^memory/log-`)
	a.each(t, aWrite, func(mark string) (stored, there int) { return writes[mark], strings.Count(logs, mark) })

	ledger, edits := a.content(ctx, t, deployment.Agent, `^memory/ledger-`), 0
	a.each(t, anEdit, func(mark string) (stored, there int) {
		n := strings.Count(ledger, mark)
		edits += n
		return n, n
	})
	versions := a.texts(ctx, t, "select coalesce(sum(version), 0)::text from documents where path like 'memory/ledger-%'")
	if versions[0] != fmt.Sprint(edits) {
		t.Errorf("%s versions have %d edits", versions[0], edits)
	}

	memories := a.content(ctx, t, deployment.Agent, `^MEMORY\.md$`)
	a.each(t, aRemembered, func(mark string) (stored, there int) { n := strings.Count(memories, "Drawer "+mark); return n, n })

	a.checkRanges(ctx, t)
	a.checkKept(ctx, t)
	all := 0
	for kind := range maps.Keys(a.sent) {
		n := 0
		for _, acknowledged := range a.sent[kind] {
			if acknowledged {
				n++
			}
		}
		t.Logf("%s: %d sent, %d acknowledged", kind, len(a.sent[kind]), n)
		if all += n; n == 0 {
			t.Errorf("%s: none was acknowledged", kind)
		}
	}
	if len(a.sent) != 7 || all < 2*sufferers {
		t.Errorf("%d kinds were sent, %d requests were acknowledged", len(a.sent), all)
	}
	t.Logf("failed: %v", a.failures)
	for failure := range a.failures {
		if strings.Contains(failure, "status ") {
			t.Errorf("answered: %s", failure)
		}
	}
}

// each checks that everything of a kind that was acknowledged is stored, that nothing is twice, and that what is stored is there.
func (a *attempts) each(t *testing.T, kind string, of func(mark string) (stored, there int)) {
	t.Helper()
	for _, mark := range slices.Sorted(maps.Keys(a.sent[kind])) {
		acknowledged := a.sent[kind][mark]
		if stored, there := of(mark); stored > 1 || acknowledged && stored != 1 || there != stored {
			t.Errorf("%s %s: acknowledged %t, stored %d times, there %d times", kind, mark, acknowledged, stored, there)
		}
	}
}

// checkRanges checks that extractions, flushes and their steps follow each other without gap or overlap.
func (a *attempts) checkRanges(ctx context.Context, t *testing.T) {
	t.Helper()
	a.follow(ctx, t, `
select conversation_uid::text, from_seq, to_seq
from extractions
where outcome in ('written', 'nothing', 'quarantined')
order by conversation_uid, from_seq`)
	a.follow(ctx, t, "select conversation_uid::text, from_seq, to_seq from flushes order by conversation_uid, from_seq")
	a.follow(ctx, t, "select conversation_uid::text, from_seq, to_seq from flush_steps order by conversation_uid, from_seq")
}

// follow checks that ranges of each conversation begin at its first message and follow each other.
func (a *attempts) follow(ctx context.Context, t *testing.T, sql string) {
	t.Helper()
	type span struct {
		Conversation string
		From, To     int64
	}
	ranges, err := deployment.Query(ctx, a.System, pgx.RowToStructByPos[span], sql)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, r := range ranges {
		if r.From != next[r.Conversation]+1 {
			t.Errorf("%s: a range begins at %d, the one before ended at %d: %s", r.Conversation, r.From, next[r.Conversation], sql)
		}
		next[r.Conversation] = r.To
	}
}

// checkKept checks that what the keeper received is stored once, is noted once if it is flushed and not otherwise, and that what had left
// a window was flushed before the window was answered.
func (a *attempts) checkKept(ctx context.Context, t *testing.T) {
	t.Helper()
	type kept struct {
		ID      string
		Flushed bool
	}
	rows, err := deployment.Query(ctx, a.System, pgx.RowToStructByPos[kept], `
select m.message_id, m.seq <= c.flushed_seq
from messages m
join conversations c using (workspace_id, agent_id, conversation_uid)
where m.agent_id = $1 and m.role = 'user'`, keeper)
	if err != nil {
		t.Fatal(err)
	}
	notes := a.content(ctx, t, keeper, `^memory/\d{4}-\d\d-\d\d\.md$`)
	flushed := 0
	for _, r := range rows {
		mark := strings.TrimPrefix(r.ID, "u-")
		want := 0
		if r.Flushed {
			want = 1
			flushed++
		}
		// A heading repeats one of the lines.
		if n := len(regexp.MustCompile(`(?m)^- .*`+mark+`\b`).FindAllString(notes, -1)); n != want {
			t.Errorf("turn %s: flushed %t, noted %d times", mark, r.Flushed, n)
		}
	}
	turns := a.times(ctx, t, "select message_id from messages where role = 'user'")
	a.each(t, aKept, func(mark string) (stored, there int) { return turns["u-"+mark], turns["u-"+mark] })
	type step struct {
		Conversation string
		To           int64
		At           time.Time
	}
	steps, err := deployment.Query(ctx, a.System, pgx.RowToStructByPos[step], `
select c.conversation_id, s.to_seq, s.at
from flush_steps s
join conversations c using (workspace_id, agent_id, conversation_uid)`)
	if err != nil {
		t.Fatal(err)
	}
	smaller := 0
	for _, w := range a.windows {
		var saved int64
		for _, s := range steps {
			if s.Conversation == w.conversation && !s.At.After(w.at) {
				saved = max(saved, s.To)
			}
		}
		if w.left > saved {
			t.Errorf("%s: messages up to %d had left the window, those up to %d were flushed", w.conversation, w.left, saved)
		}
		if w.left > 0 {
			smaller++
		}
	}
	t.Logf("%d of %d turns that were kept are flushed, in %d steps; messages had left %d of %d windows", flushed, len(rows), len(steps), smaller,
		len(a.windows))
	if flushed == 0 || smaller == 0 {
		t.Errorf("too little was flushed")
	}
}

// content returns the current contents of an agent's documents whose path matches, one after the other.
func (a *attempts) content(ctx context.Context, t *testing.T, agent, path string) string {
	t.Helper()
	return strings.Join(a.texts(ctx, t, `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.agent_id = $1 and d.path ~ $2 and not d.deleted`, agent, path), "\n")
}

func (a *attempts) texts(ctx context.Context, t *testing.T, sql string, args ...any) []string {
	t.Helper()
	rows, err := deployment.Query(ctx, a.System, pgx.RowTo[string], sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// times counts equal rows.
func (a *attempts) times(ctx context.Context, t *testing.T, sql string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, row := range a.texts(ctx, t, sql) {
		counts[row]++
	}
	return counts
}

// Package crash kills the real processes at random moments and checks that nothing is lost and nothing doubled.
package crash

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// The short run is part of every test run; flags select the long one (see docs/operations.md):
//
//	go test ./test/crash -timeout 90m -v -args -conversations 200 -kills 100 -owners 8
var (
	conversations = flag.Int("conversations", 24, "conversations that are posted")
	owners        = flag.Int("owners", 4, "owners that they belong to")
	kills         = flag.Int("kills", 10, "processes that are killed with SIGKILL")
	restarts      = flag.Int("restarts", 1, "times that PostgreSQL and Temporal are killed and restarted, each")
	seed          = flag.Uint64("seed", 1, "of the random choices")
	patience      = flag.Duration("patience", 10*time.Minute, "for everything to be accounted for after the last kill")
)

// atOnce is the number of tests that run at once, unless -parallel says otherwise: they wait more than they compute.
const atOnce = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	devtest.Main(m)
}

// TestKilledAtRandomInstants compares two runs over the same conversations: one undisturbed, and one in which worker and
// API are killed again and again, PostgreSQL and Temporal are restarted, and the model fails in every way.
func TestKilledAtRandomInstants(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	work := script(*conversations, *owners)

	calm := start(ctx, t, work, nil)
	calm.post(ctx, t)
	calm.waitAccounted(ctx, t)
	want := calm.documents(ctx, t)
	calm.checkAccounts(ctx, t)
	calm.Stop(t)

	random := rand.New(rand.NewPCG(*seed, 0))
	storm := start(ctx, t, work, faults(*seed))
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		storm.post(ctx, t)
	}()
	done := storm.disturb(ctx, t, random)
	<-posted
	storm.waitAccounted(ctx, t)
	storm.checkAccounts(ctx, t)
	got := storm.documents(ctx, t)
	storm.Stop(t)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the documents differ from those of the undisturbed run (-undisturbed +disturbed):\n%s", diff)
	}
	if done.workers+done.apis < *kills || done.postgres < *restarts || done.temporal < *restarts {
		t.Errorf("too little was disturbed: %+v", done)
	}
	t.Logf("%d conversations of %d owners; killed: worker %d times, API %d times, PostgreSQL %d times, Temporal %d times; model faults: %v",
		*conversations, *owners, done.workers, done.apis, done.postgres, done.temporal, storm.Model.Stats().Replies)
}

// checkAccounts checks that every message is processed exactly once: the ranges of the extractions that wrote or
// found nothing cover each conversation without gap or overlap, and nothing was refused or failed.
func (s *system) checkAccounts(ctx context.Context, t *testing.T) {
	t.Helper()
	type taken struct {
		Conversation string
		From, To     int64
		Outcome      string
	}
	rows, err := deployment.Query(ctx, s.System, pgx.RowToStructByPos[taken],
		`select conversation_id, from_seq, to_seq, outcome from extractions order by conversation_id, from_seq, started_at`)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, r := range rows {
		if r.Outcome != "written" {
			t.Errorf("%s %d-%d ended as %s", r.Conversation, r.From, r.To, r.Outcome)
			continue
		}
		if want := next[r.Conversation] + 1; r.From != want {
			t.Errorf("%s: an extraction begins at message %d, the one before ended at %d", r.Conversation, r.From, want-1)
		}
		next[r.Conversation] = r.To
	}
	for _, one := range s.work {
		if got := next[one.id]; got != int64(len(one.messages)) {
			t.Errorf("%s: %d of %d messages are accounted for", one.id, got, len(one.messages))
		}
	}
}

// documents reads every document of every owner over the API, and checks that each mark occurs exactly once in each.
func (s *system) documents(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	marks := map[string][]string{} // by owner
	for _, one := range s.work {
		marks[one.owner] = append(marks[one.owner], marksOf(one)...)
	}
	out := map[string]string{}
	for _, owner := range slices.Sorted(maps.Keys(marks)) {
		who := "?scope=PERSONAL&endUserId=" + url.QueryEscape(owner)
		var list struct {
			Items []struct {
				Path string `json:"path"`
			} `json:"items"`
		}
		base := "/api/v1/agents/" + deployment.Agent + "/workspace/files"
		if err := s.API.Insist(ctx, http.MethodGet, base+who, nil, &list); err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, file := range list.Items {
			var document struct {
				Content string `json:"content"`
			}
			if err := s.API.Insist(ctx, http.MethodGet, base+"/"+file.Path+who, nil, &document); err != nil {
				t.Fatal(err)
			}
			name := file.Path
			if strings.HasPrefix(name, "memory/") { // a run may pass midnight
				name = "daily notes"
			}
			out[owner+": "+name] += document.Content
		}
		for _, file := range []string{"MEMORY.md", "daily notes"} {
			text := out[owner+": "+file]
			for _, mark := range marks[owner] {
				counted++
				if n := strings.Count(text, mark); n != 1 {
					t.Errorf("%s of %s has %s %d times", file, owner, mark, n)
				}
			}
		}
		if counted == 0 {
			t.Errorf("nothing was checked for %s", owner)
		}
	}
	return out
}

// marksOf returns the marks that the scripted model writes: one for each message of the user.
func marksOf(one talk) []string {
	var out []string
	for m, message := range one.messages {
		if message.Role == "user" {
			out = append(out, fmt.Sprintf("%s/%d matters", one.id, m+1))
		}
	}
	return out
}

// disturbed counts what was killed.
type disturbed struct{ workers, apis, postgres, temporal int }

const (
	// apiShare is the share of kills that hit the API; the others hit the worker.
	apiShare = 0.25
	// maxInstant bounds the time from the start of a process to its kill: by then it is running and working.
	maxInstant = 3 * time.Second
	// progressPatience bounds the wait of a kill for progress since the last one, so that the kills are spread over
	// the whole run.
	progressPatience = 20 * time.Second
)

// disturb kills processes at random instants until it has killed enough, spread over the work, with the restarts of
// PostgreSQL and Temporal between them.
func (s *system) disturb(ctx context.Context, t *testing.T, random *rand.Rand) (done disturbed) {
	t.Helper()
	for n := range *kills {
		s.awaitProgress(ctx, t, len(s.work)*n / *kills)
		time.Sleep(time.Duration(random.Int64N(int64(maxInstant))))
		if random.Float64() < apiShare {
			s.Kill("api")
			done.apis++
		} else {
			s.Kill("worker")
			done.workers++
		}
		s.Ensure(t)
		if (n+1)*(*restarts)/(*kills) > done.postgres {
			if err := s.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
			done.postgres++
		} else if (n+2)*(*restarts)/(*kills) > done.temporal {
			if err := s.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
			done.temporal++
		}
	}
	return done
}

// awaitProgress waits until a number of conversations are processed, or until its patience ends.
func (s *system) awaitProgress(ctx context.Context, t *testing.T, conversations int) {
	t.Helper()
	for deadline := time.Now().Add(progressPatience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if s.accounted(ctx, t) >= conversations {
			return
		}
		s.Ensure(t)
	}
}

// accounted counts the conversations whose every message is behind the cursor.
func (s *system) accounted(ctx context.Context, t *testing.T) int {
	t.Helper()
	n, err := deployment.Query(ctx, s.System, pgx.RowTo[int],
		`select count(*) from conversations where last_seq > 0 and cursor_seq = last_seq`)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// waitAccounted waits until every message of every conversation is behind its cursor.
func (s *system) waitAccounted(ctx context.Context, t *testing.T) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < *patience {
		if s.accounted(ctx, t) == len(s.work) {
			return
		}
		s.Ensure(t)
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("after %s %d of %d conversations are accounted for; logs are in %s", *patience, s.accounted(ctx, t), len(s.work), s.Logs())
}

var (
	codePattern = regexp.MustCompile(`code of the markers in this request is (\w+)`)
	markPattern = regexp.MustCompile(`\[(talk-\d+/\d+)\]`)
	userPattern = regexp.MustCompile(`(?m)^User[^:\n]*: This is \[(talk-\d+/\d+)\]`)
)

// scriptedModel writes a line in MEMORY.md and in the day's entry for every message of a user, by its mark. Its
// output depends only on the request.
func scriptedModel(faults llmtest.Script) llmtest.Options {
	return llmtest.Options{Answer: remember, Key: func(prompt string) string {
		if mark := markPattern.FindStringSubmatch(section(prompt, "CONVERSATION")); mark != nil {
			return mark[1]
		}
		return ""
	}, Script: faults}
}

func remember(prompt string) string {
	memory := section(prompt, "MEMORY.md")
	if memory == "" {
		memory = "# Memory\n\n## Facts\n"
	}
	var entry strings.Builder
	for _, mark := range userPattern.FindAllStringSubmatch(section(prompt, "CONVERSATION"), -1) {
		line := "- " + mark[1] + " matters."
		memory = strings.TrimRight(memory, "\n") + "\n" + line + "\n"
		if entry.Len() == 0 {
			entry.WriteString("## 10:00 " + strings.Split(mark[1], "/")[0] + "\n\n")
		}
		entry.WriteString(line + "\n")
	}
	raw, err := json.Marshal(map[string]any{
		"should_update": true, "reason": "synthetic", "daily_entry": entry.String(), "memory_update": memory, "profile_update": "",
		"retired": []any{},
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// section returns the material with a name in a prompt; empty if there is none.
func section(prompt, name string) string {
	code := codePattern.FindStringSubmatch(prompt)
	if code == nil {
		return ""
	}
	_, rest, found := strings.Cut(prompt, "<<<"+name+" "+code[1]+"\n")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n"+code[1]+" "+name+">>>")
	return text
}

// faults are typical failures of a provider. Each step of a conversation has at most three, and a repair round none:
// a proposal that is refused twice is quarantined, which would make the two runs differ.
func faults(seed uint64) llmtest.Script {
	mix := llmtest.Mix{Seed: seed, MaxPerKey: 3, Faults: []llmtest.Chance{
		{Share: 0.10, Reply: llmtest.Slow(1500 * time.Millisecond)},
		{Share: 0.08, Reply: llmtest.Status(429, 300*time.Millisecond)},
		{Share: 0.08, Reply: llmtest.Status(500)},
		{Share: 0.08, Reply: llmtest.HangUpMidBody()},
		{Share: 0.08, Reply: llmtest.TruncatedJSON()},
		{Share: 0.08, Reply: llmtest.WrongJSON()},
	}}.Script()
	return func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.User, "Answer again") || section(r.User, "PREVIOUS ANSWER") != "" {
			return llmtest.Honest()
		}
		return mix(r)
	}
}

// talk is one conversation to post.
type talk struct {
	id       string
	owner    string // end user id
	messages []deployment.Message
}

// long is the number of messages in every tenth conversation: more than one transcript holds, so it takes several
// steps.
const long = 70

// script returns the conversations of a run, always the same ones. Each message has a mark with its position.
func script(conversations, owners int) []talk {
	out := make([]talk, conversations)
	for n := range out {
		t := talk{id: fmt.Sprintf("talk-%03d", n), owner: fmt.Sprintf("owner-%d", n%owners)}
		count := 4 + 2*(n%3)
		if n%10 == 9 {
			count = long
		}
		for m := range count {
			message := deployment.Message{
				ID: fmt.Sprintf("m%d", m+1), Role: "user",
				Content: fmt.Sprintf("This is [%s/%d], and it matters.", t.id, m+1),
			}
			if m%2 == 1 {
				message.Role, message.Content = "assistant", fmt.Sprintf("Understood [%s/%d].", t.id, m+1)
			}
			t.messages = append(t.messages, message)
		}
		out[n] = t
	}
	return out
}

// system is a deployment with the conversations to post to it.
type system struct {
	*deployment.System
	work []talk
}

// start starts a deployment with a model that fails as scripted.
func start(ctx context.Context, t *testing.T, work []talk, faults llmtest.Script) *system {
	t.Helper()
	model := scriptedModel(faults)
	return &system{work: work, System: deployment.StartSystem(ctx, t, deployment.Options{
		Model: &model,
		// The scripted memory grows by a line for each message of a user and must not reach its ceiling.
		Env: []string{"REVERIE_MEMORY_MAX_CHARS=1000000"},
	})}
}

// post sends every conversation, sequentially per owner. It repeats requests that fail because a server was killed.
func (s *system) post(ctx context.Context, t *testing.T) {
	t.Helper()
	byOwner := map[string][]talk{}
	for _, one := range s.work {
		byOwner[one.owner] = append(byOwner[one.owner], one)
	}
	var group sync.WaitGroup
	for _, talks := range byOwner {
		group.Go(func() {
			for _, one := range talks {
				path := fmt.Sprintf("/api/v1/agents/%s/conversations/%s/messages", deployment.Agent, one.id)
				batch := deployment.Batch{EndUserID: one.owner, TriggerSource: "api", TurnComplete: true, Messages: one.messages}
				if err := s.API.Insist(ctx, http.MethodPost, path, batch, nil); err != nil {
					t.Errorf("post %s: %v", one.id, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// Package proxy tries the chat proxy with clients that nobody here wrote: OpenAI's SDK for Node.js, and curl.
package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv"
	"reverie/devenv/devtest"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
	"reverie/test/npm"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// providerKey is the key of the model's provider, which no client sees.
const providerKey = "sk-upstream-0123456789abcdef"

// server is the API with an agent ada, in front of a model.
type server struct {
	url, key string
	store    *store.Store
	model    *llmtest.Server
}

func start(tb testing.TB, o llmtest.Options) server {
	tb.Helper()
	s, _ := storetest.Open(tb, store.Options{})
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	key := "test-admin-key-" + uuid.NewString()
	if err := s.EnsureWorkspace(tb.Context(), "acme", "acme"); err != nil {
		tb.Fatal(err)
	}
	if err := s.EnsureKey(tb.Context(), "acme", "test", key, memory.RoleAdmin); err != nil {
		tb.Fatal(err)
	}
	if _, err := s.CreateAgent(tb.Context(), root, admin.NewAgent{ID: "ada", TimeZone: "UTC"}); err != nil {
		tb.Fatal(err)
	}
	temporal, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(temporal.Close)
	o.APIKey = providerKey
	played := llmtest.New(tb, o)
	model, err := llm.Open(llm.Config{Provider: "openai-compatible", Model: "test", APIKey: providerKey, BaseURL: played.URL})
	if err != nil {
		tb.Fatal(err)
	}
	options := api.Options{
		Store: s, Temporal: temporal, Timing: setting.DefaultTiming(), Workspace: "acme", Version: "test", Log: slog.New(slog.DiscardHandler),
	}
	options.Chat.Model = model
	options.Chat.RecallPatience = time.Minute
	a, err := api.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	h := httptest.NewServer(a)
	tb.Cleanup(h.Close)
	return server{h.URL, key, s, played}
}

// kept returns what is stored of the conversations of api:42 that begin with a text, oldest first, as role: content.
func (s server) kept(tb testing.TB, begins string) (kept []string) {
	tb.Helper()
	id := memory.Identity{Workspace: "acme", Agent: "ada", Owner: "api:42", Role: memory.RoleMember}
	list, err := s.store.Conversations(tb.Context(), id, store.Page{Limit: store.MaxPage})
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range list.Items {
		messages, err := s.store.Messages(tb.Context(), id, c.ID, 0, 500)
		if err != nil {
			tb.Fatal(err)
		}
		if len(messages) == 0 || !strings.HasPrefix(messages[0].Content, begins) {
			continue
		}
		for _, m := range messages {
			line := m.Role + ": " + m.Content
			for _, call := range m.ToolCalls {
				line += "[" + call.Name + call.Arguments + "]"
			}
			kept = append(kept, line)
		}
	}
	return kept
}

// answering answers with what it was asked, and calls the tool weather.
func answering(r llmtest.Request) llmtest.Turn {
	last := r.Messages[len(r.Messages)-1]
	text := said(last.Content)
	switch {
	case last.Role == memory.RoleOfTool:
		return llmtest.Say("The tool says: " + text)
	case len(r.Tools) > 0:
		return llmtest.Use(llmtest.Call("weather", map[string]any{"place": "Bern"}))
	case strings.HasPrefix(text, "SLOW"):
		return llmtest.Say(strings.Repeat("word ", 2000))
	}
	return llmtest.Say("You said: " + text)
}

// said returns what the user said, without what memory put in front of it.
func said(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

// failing fails as the message asks it to.
func failing(r llmtest.Request) llmtest.Reply {
	switch strings.TrimPrefix(said(r.User), "FAIL ") {
	case "rate":
		return llmtest.Status(429, 7*time.Second)
	case "context":
		return llmtest.ContextTooLong()
	case "teapot":
		return llmtest.StatusWith(418, "short and stout, for the key "+providerKey)
	case "unauthorized":
		return llmtest.Unauthorized()
	case "hangup":
		return llmtest.HangUpBeforeAnswer()
	case "midstream":
		return llmtest.ErrorMidStream(500)
	case "broken":
		return llmtest.HangUpMidBody()
	case "once":
		if r.Attempt == 1 {
			return llmtest.Status(503)
		}
	}
	if strings.HasPrefix(said(r.User), "SLOW") {
		return llmtest.Paced(20 * time.Millisecond)
	}
	return llmtest.Honest()
}

func model() llmtest.Options {
	return llmtest.Options{Respond: answering, Script: failing, Key: said}
}

// problem is an error as the SDK reports it.
type problem struct {
	Class, Code, Type, Message, Wait string
	Status                           int
	None                             bool
}

// TestOpenAI tries everything that a client does with OpenAI's SDK: answers, streams, tools, errors, retries and aborts.
func TestOpenAI(t *testing.T) {
	s := start(t, model())
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(npm.Install(t, "proxy"), "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("testdata/client.mjs")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "client.mjs"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	task, err := json.Marshal(map[string]string{"url": s.url, "key": s.key})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Models                                 []string
		Plain                                  struct{ Content string }
		Reverie                                struct{ Documents []struct{ Path string } }
		Conversation, Memory                   string
		Model, Streamed, Tools, Retried, Abort string
		Chunks, Heard                          int
		Errors                                 map[string]problem
	}
	printed := run(t, folder, "node", "client.mjs", string(task))
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	const first, second = "The boat is called Heron, by the way.", "Where does she lie tonight?"
	if !slices.Equal(got.Models, []string{"ada"}) || got.Plain.Content != "You said: "+first || len(got.Reverie.Documents) == 0 ||
		!strings.HasPrefix(got.Conversation, "chat-") || !strings.HasPrefix(got.Memory, "documents=") {
		t.Errorf("%+v", got)
	}
	if got.Streamed != "You said: "+second || got.Model != "test-large" || got.Chunks < 5 || got.Tools != "The tool says: Rain in Bern" {
		t.Errorf("%+v", got)
	}
	for begins, want := range map[string][]string{
		"The boat": {"user: " + first, "assistant: You said: " + first, "user: " + second, "assistant: You said: " + second},
		"What is": {
			"user: What is the weather in Bern? Use the tool.", `assistant: [weather{"place":"Bern"}]`, "tool: Rain in Bern",
			"assistant: The tool says: Rain in Bern",
		},
		"FAIL once":      {"user: FAIL once", "assistant: You said: FAIL once"},
		"FAIL midstream": {"user: FAIL midstream"},
		"FAIL rate":      {"user: FAIL rate"},
		"SLOW":           {"user: SLOW story please"}, // of an answer that was cut, nothing
	} {
		if kept := s.kept(t, begins); !slices.Equal(kept, want) {
			t.Errorf("%s: kept %q, want %q", begins, kept, want)
		}
	}
	if got.Retried != "You said: FAIL once" || got.Heard != 3 {
		t.Errorf("retried %q, heard %d, %s", got.Retried, got.Heard, got.Abort)
	}
	for name, want := range map[string]problem{
		"agent":        {Class: "NotFoundError", Status: 404, Code: "model_not_found", Type: "invalid_request_error", Message: "ada"},
		"user":         {Class: "BadRequestError", Status: 400, Code: "owner_required", Type: "invalid_request_error", Message: "user"},
		"key":          {Class: "AuthenticationError", Status: 401, Code: "invalid_api_key", Type: "authentication_error", Message: "key"},
		"rate":         {Class: "RateLimitError", Status: 429, Code: "rate_limit_exceeded", Type: "requests", Message: "org-test", Wait: "7"},
		"context":      {Class: "BadRequestError", Status: 400, Code: "context_length_exceeded", Type: "invalid_request_error", Message: "8192"},
		"teapot":       {Class: "APIError", Status: 418, Type: "invalid_request_error", Message: "short and stout"},
		"unauthorized": {Class: "InternalServerError", Status: 502, Code: "model_failed", Type: "server_error", Message: "unauthorized"},
		"hangup":       {Class: "InternalServerError", Status: 503, Code: "model_unavailable", Type: "server_error", Message: "try again", Wait: "5"},
		"midstream":    {Class: "APIError", Type: "server_error", Message: "error"},
		"broken":       {Class: "APIError", Code: "model_unavailable", Type: "server_error", Message: "did not answer"},
	} {
		is := got.Errors[name]
		if is.None || is.Class != want.Class || is.Status != want.Status || is.Code != want.Code || is.Type != want.Type ||
			!strings.Contains(is.Message, want.Message) || want.Wait != "" && is.Wait != want.Wait {
			t.Errorf("%s: %+v", name, is)
		}
	}
	if strings.Contains(printed, providerKey) || !strings.Contains(printed, "[secret]") {
		t.Error("the provider's key shows")
	}
}

// TestCurl asks with curl, at once and as a stream.
func TestCurl(t *testing.T) {
	if err := devenv.Programs(t.Context(), nil, "curl"); err != nil {
		t.Fatal(err)
	}
	s := start(t, model())
	curl := func(body string) string {
		return run(t, "", "curl", "-sN", s.url+"/v1/chat/completions", "-H", "Authorization: Bearer "+s.key, "-d", body)
	}
	if out := curl(`{"model":"ada","user":"42","messages":[{"role":"user","content":"Hello, is anybody there?"}]}`); !strings.Contains(out, "You said: Hello") {
		t.Error(out)
	}
	out := curl(`{"model":"ada","user":"42","stream":true,"messages":[{"role":"user","content":"Hello, is anybody there?"}]}`)
	if !strings.HasPrefix(out, "data: {") || !strings.HasSuffix(out, "data: [DONE]\n\n") {
		t.Error(out)
	}
}

// TestManyStreams has 200 streams at once, of 20 people. Each gets its answer as it comes, and everything is stored once.
func TestManyStreams(t *testing.T) {
	const streams, people = 200, 20
	o := model()
	o.Pace = 50 * time.Millisecond // long enough for streams to overlap on a busy machine
	s := start(t, o)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = streams
	var working sync.WaitGroup
	for i := range streams {
		working.Go(func() {
			text := fmt.Sprintf("Message %d of many, all at once.", i)
			body := fmt.Sprintf(`{"model":"ada","user":"p%d","stream":true,"messages":[{"role":"user","content":%q}]}`, i%people, text)
			got, err := s.post(t.Context(), s.url, s.key, body)
			if err != nil || !strings.HasSuffix(got, "data: [DONE]\n\n") {
				t.Errorf("%d: %v %s", i, err, got)
			}
			said := ""
			for line := range strings.SplitSeq(got, "\n") {
				var chunk struct {
					Choices []struct{ Delta struct{ Content string } }
				}
				if data, is := strings.CutPrefix(line, "data: "); is && json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
					said += chunk.Choices[0].Delta.Content
				}
			}
			if said != "You said: "+text {
				t.Errorf("%d: %q", i, said)
			}
		})
	}
	working.Wait()
	if most := s.model.Stats().MaxInFlight; most < streams/4 {
		t.Errorf("only %d at once", most)
	}
	stored := 0
	for p := range people {
		id := memory.Identity{Workspace: "acme", Agent: "ada", Owner: memory.Owner(fmt.Sprintf("api:p%d", p)), Role: memory.RoleMember}
		list, err := s.store.Conversations(t.Context(), id, store.Page{Limit: store.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Items {
			if c.Last != 2 || c.Complete != 2 {
				t.Errorf("%s of %s has %d messages, %d complete", c.ID, id.Owner, c.Last, c.Complete)
			}
			stored++
		}
	}
	if stored != streams {
		t.Errorf("%d conversations", stored)
	}
}

// pinned returns a key as an application has it: for one person.
func (s server) pinned(tb testing.TB) string {
	tb.Helper()
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	secret, _, err := s.store.CreateKey(tb.Context(), root, admin.NewKey{Name: "app", Role: memory.RoleMember, Owner: "api:42"})
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}

// get reads a page.
func (s server) get(ctx context.Context, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return "", err
	}
	return s.send(r, s.key)
}

// post makes one request and returns the body of its answer.
func (s server) post(ctx context.Context, url, key, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.send(r, key)
}

func (s server) send(r *http.Request, key string) (string, error) {
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	got, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return string(got), err
}

func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %.200s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), problems.String())
	}
	return out.String()
}

// BenchmarkOverhead makes the same requests to a model directly and through the proxy, in turns, and prints the median of each and their
// difference; with and without recall, which a greeting needs none of. A list of models costs one query, for comparison.
//
//	go test ./test/proxy -run '^$' -bench Overhead -benchtime 1x
func BenchmarkOverhead(b *testing.B) {
	s := start(b, llmtest.Options{Respond: answering})
	s.key = s.pinned(b)
	const rounds, facts = 200, 100
	chat := func(way, text string, n int) time.Duration {
		url, key, model := s.url, s.key, "ada"
		if way == "bare" {
			url, key, model = s.model.URL, providerKey, "test"
		}
		user := `"user":"42",`
		if way == "bare" {
			user = ""
		}
		body := fmt.Sprintf(`{"model":%q,%s"messages":[{"role":"user","content":"Begin %d"},{"role":"assistant","content":"Yes?"},`+
			`{"role":"user","content":%q}]}`, model, user, n, text)
		began := time.Now()
		if _, err := s.post(b.Context(), url, key, body); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for i := range facts { // something to recall
		chat("proxy", fmt.Sprintf("The boat number %d is called Heron %d and lies at pier %d.", i, i*7, i%9), -i-1)
	}
	for b.Loop() {
		took := map[string][]time.Duration{}
		for n := range rounds {
			took["bare"] = append(took["bare"], chat("bare", "Hello", n))
			began := time.Now()
			if _, err := s.get(b.Context(), "/v1/models"); err != nil {
				b.Fatal(err)
			}
			took["models"] = append(took["models"], time.Since(began))
			took["greeting"] = append(took["greeting"], chat("proxy", "Hello", n))
			took["question"] = append(took["question"], chat("proxy", fmt.Sprintf("At which pier does the boat number %d lie?", n%facts), rounds+n))
		}
		median, quiet := map[string]float64{}, map[string]float64{}
		for way, all := range took {
			slices.Sort(all)
			median[way], quiet[way] = milliseconds(all[len(all)/2]), milliseconds(all[len(all)/10])
			b.ReportMetric(median[way], way+"-p50-ms")
		}
		b.ReportMetric(quiet["greeting"]-quiet["bare"], "overhead-p10-ms") // of a machine that has nothing else to do
		b.ReportMetric(quiet["question"]-quiet["greeting"], "recall-p10-ms")
		b.ReportMetric(median["greeting"]-median["bare"], "overhead-ms")
		b.ReportMetric(median["question"]-median["greeting"], "recall-ms")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

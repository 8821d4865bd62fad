package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/storetest"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// workspace is the tenant of every test's database.
const workspace = "acme"

// harness is a real server on a real database, over real HTTP.
type harness struct {
	t     *testing.T
	url   string
	store *store.Store
	api   *api.Server
	admin string // key
	// database is its address, as the login that owns the tables.
	database string
	log      *logBuffer
	done     func() error // stops the server and waits
	keys     map[string]uuid.UUID
}

// logBuffer collects what is logged, at every level.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func migrate(ctx context.Context, url string) error {
	_, err := store.Migrate(ctx, url)
	return err
}

// start runs a server on a separate database. Temporal is unreachable, unless an option changes that.
func start(t *testing.T, options ...func(*api.Options)) *harness {
	t.Helper()
	return startWith(t, store.Options{}, options...)
}

// startWith starts a server whose store has options.
func startWith(t *testing.T, opened store.Options, options ...func(*api.Options)) *harness {
	t.Helper()
	s, database := storetest.Open(t, opened)
	return serve(t, s, database, options...)
}

// startOn starts a server on a database that others use as well.
func startOn(t *testing.T, database string, options ...func(*api.Options)) *harness {
	t.Helper()
	s, err := store.Open(t.Context(), database, store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return serve(t, s, database, options...)
}

func serve(t *testing.T, s *store.Store, database string, options ...func(*api.Options)) *harness {
	t.Helper()
	if err := s.EnsureWorkspace(t.Context(), workspace, "Acme"); err != nil {
		t.Fatal(err)
	}
	h := &harness{
		t:        t,
		store:    s,
		database: database,
		admin:    "test-admin-key-" + uuid.NewString(),
		log:      &logBuffer{},
		keys:     map[string]uuid.UUID{},
	}
	if err := s.EnsureKey(t.Context(), workspace, "test", h.admin, memory.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	o := api.Options{
		Store: s, Temporal: noTemporal(t), Timing: setting.DefaultTiming(), Workspace: workspace, Version: "test",
		Model: api.Model{Name: "builtin/extractive", BuiltIn: true},
		Log:   slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, option := range options {
		option(&o)
	}
	o.Chat.RecallPatience = time.Minute
	server, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.api = server
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	h.done = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := h.done(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return h
}

// noTemporal returns a client of a server that is not there.
func noTemporal(t *testing.T) client.Client {
	t.Helper()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewLazyClient(client.Options{HostPort: address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answered holds a response.
type answered struct {
	status int
	header http.Header
	body   []byte
	Code   int             `json:"code"`
	Msg    string          `json:"msg"`
	Error  string          `json:"error"`
	Data   json.RawMessage `json:"data"`
}

// request is one call; body is sent as JSON unless it is a string or bytes.
type request struct {
	method, path string
	key          string
	body         any
	header       map[string]string
}

// do makes a request. Every JSON answer must be an envelope whose code is the status.
func (h *harness) do(r request) answered {
	h.t.Helper()
	out := h.doPlain(r)
	if strings.HasPrefix(r.path, "/v1/") { // errors of this protocol have another form
		out.Error, out.Msg = wireError(h.t, out)
		return out
	}
	isMessage := strings.HasPrefix(r.path, "/mcp") && out.status == http.StatusOK // of another protocol
	if strings.HasPrefix(out.header.Get("Content-Type"), "application/json") && len(out.body) > 0 && r.path != "/openapi.json" && !isMessage {
		if err := json.Unmarshal(out.body, &out); err != nil {
			h.t.Fatalf("%s %s: %v in %s", r.method, r.path, err, out.body)
		}
		if out.Code != out.status {
			h.t.Errorf("%s %s: code %d in an answer with status %d", r.method, r.path, out.Code, out.status)
		}
		if (out.status >= 400) != (out.Error != "") {
			h.t.Errorf("%s %s: status %d with error %q", r.method, r.path, out.status, out.Error)
		}
	}
	return out
}

// doPlain makes a request.
func (h *harness) doPlain(r request) answered {
	h.t.Helper()
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			h.t.Fatal(err)
		}
		body = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(h.t.Context(), r.method, h.url+r.path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	out := answered{status: response.StatusCode, header: response.Header}
	if out.body, err = io.ReadAll(response.Body); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// want fails the test unless a has the status.
func (h *harness) want(a answered, status int) answered {
	h.t.Helper()
	if a.status != status {
		h.t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// wantError fails the test unless a is the named error.
func (h *harness) wantError(a answered, status int, name string) answered {
	h.t.Helper()
	h.want(a, status)
	if a.Error != name {
		h.t.Fatalf("error %q, want %q: %s", a.Error, name, a.body)
	}
	if a.Msg == "" {
		h.t.Errorf("%s does not say what to do", name)
	}
	return a
}

// as decodes the data of an answer.
func as[T any](h *harness, a answered) T {
	h.t.Helper()
	var data T
	if err := json.Unmarshal(a.Data, &data); err != nil {
		h.t.Fatalf("%v in %s", err, a.body)
	}
	return data
}

// get reads with the admin key.
func (h *harness) get(path string) answered {
	h.t.Helper()
	return h.do(request{method: "GET", path: path, key: h.admin})
}

// agent makes an agent.
func (h *harness) agent(id string) {
	h.t.Helper()
	h.want(h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: map[string]any{"id": id}}), 201)
}

// key makes a key.
func (h *harness) key(name string, role memory.Role, owner string, agents ...string) string {
	h.t.Helper()
	body := map[string]any{"name": name, "role": role}
	if owner != "" {
		body["owner"] = owner
	}
	if agents != nil {
		body["agents"] = agents
	}
	made := as[struct {
		ID     uuid.UUID `json:"id"`
		Secret string    `json:"secret"`
	}](h, h.want(h.do(request{method: "POST", path: "/api/v1/keys", key: h.admin, body: body}), 201))
	h.keys[name] = made.ID
	return made.Secret
}

// batch returns the body of a message post.
func batch(endUser string, turnComplete bool, contents ...string) map[string]any {
	var messages []map[string]any
	for i, content := range contents {
		role := memory.RoleOfUser
		if i%2 == 1 {
			role = memory.RoleOfAssistant
		}
		messages = append(messages, map[string]any{"id": fmt.Sprintf("m%d", i+1), "role": role, "content": content})
	}
	return map[string]any{"endUserId": endUser, "turnComplete": turnComplete, "messages": messages}
}

// post stores messages of a conversation of agent ada.
func (h *harness) post(conversation string, body any) answered {
	h.t.Helper()
	return h.do(request{method: "POST", path: "/api/v1/agents/ada/conversations/" + conversation + "/messages", key: h.admin, body: body})
}

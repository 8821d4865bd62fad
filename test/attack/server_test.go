package attack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/test/deployment"
)

const ada = "/api/v1/agents/" + deployment.Agent

// server is a running deployment, with API and worker as separate processes, and keys of several kinds.
type server struct {
	*deployment.System
	keys map[string]string // secrets, by who holds them
	ids  map[string]string
}

// holders lists the keys of attackers and victims. A key is pinned to the owner, unless that is empty.
var holders = []struct{ name, role, owner string }{
	{"member", "member", ""}, {"viewer", "viewer", ""}, {"mallory", "member", "user:mallory"}, {"alice", "member", "user:alice"},
}

func newServer(t *testing.T) *server {
	t.Helper()
	w := &server{
		System: deployment.StartSystem(t.Context(), t, deployment.Options{Env: []string{
			"REVERIE_TRUSTED_PROXIES=127.0.0.0/8", "REVERIE_RATE_LIMIT=0",
		}}),
		keys: map[string]string{"": ""}, ids: map[string]string{},
	}
	w.keys["admin"] = w.API.Key
	for _, h := range holders {
		w.keys[h.name], w.ids[h.name] = w.newKey(t, h.name, h.role, h.owner)
	}
	return w
}

// newKey makes a key and returns its secret and its id.
func (w *server) newKey(t *testing.T, name, role, owner string) (secret, id string) {
	t.Helper()
	body := map[string]any{"name": name, "role": role}
	if owner != "" {
		body["owner"] = owner
	}
	var made struct{ ID, Secret string }
	w.do(t, call{as: "admin", method: "POST", path: "/api/v1/keys", body: body}).want(t, 201).into(t, &made)
	return made.Secret, made.ID
}

// call is one request. A string or bytes as body are sent as they are, anything else as JSON.
type call struct {
	as, method, path string
	body             any
	header           map[string]string
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// want fails the test unless the answer has one of some statuses.
func (a answer) want(t *testing.T, statuses ...int) answer {
	t.Helper()
	if !slices.Contains(statuses, a.status) {
		t.Fatalf("status %d, want %v: %.500s", a.status, statuses, a.body)
	}
	return a
}

// into decodes the data of an answer.
func (a answer) into(t *testing.T, data any) {
	t.Helper()
	envelope := struct {
		Data any `json:"data"`
	}{data}
	if err := json.Unmarshal([]byte(a.body), &envelope); err != nil {
		t.Fatalf("%v in %.500s", err, a.body)
	}
}

// lacks fails the test if the answer has one of some texts.
func (a answer) lacks(t *testing.T, texts ...string) answer {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			t.Errorf("the answer has %q: %.500s", text, a.body)
		}
	}
	return a
}

// open sends a request and returns its answer before the body is read.
func (w *server) open(ctx context.Context, c call) (*http.Response, error) {
	var body io.Reader
	switch b := c.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, w.API.URL, body)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(c.path, "?")
	request.URL = &url.URL{Scheme: "http", Host: request.URL.Host, Opaque: "//" + request.URL.Host + path, RawQuery: query} // as it is written
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	secret, known := w.keys[c.as]
	if !known {
		secret = c.as
	}
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+secret)
	}
	for name, value := range c.header {
		request.Header.Set(name, value)
	}
	return http.DefaultClient.Do(request)
}

// do sends a request and reads its answer.
func (w *server) do(t *testing.T, c call) answer {
	t.Helper()
	began := time.Now()
	response, err := w.open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(raw), time.Since(began)}
}

// say stores a turn of an owner's conversation.
func (w *server) say(t *testing.T, as, conversation, content string) answer {
	t.Helper()
	return w.do(t, call{as: as, method: "POST", path: ada + "/conversations/" + conversation + "/messages", body: map[string]any{
		"turnComplete": true, "messages": []map[string]any{{"id": "m1", "role": "user", "content": content}},
	}})
}

// put writes a document, whether or not it exists; who is a query such as scope=TEAM.
func (w *server) put(t *testing.T, as, path, who, content string) answer {
	t.Helper()
	c := call{as: as, method: "PUT", path: ada + "/workspace/files/" + path + "?" + who, body: map[string]any{"content": content}}
	made := w.do(t, c)
	if made.status == http.StatusPreconditionRequired || made.status == http.StatusPreconditionFailed {
		c.header = map[string]string{"If-Match": "*"}
		made = w.do(t, c)
	}
	return made
}

// read returns a document's answer.
func (w *server) read(t *testing.T, as, path, who string) answer {
	t.Helper()
	return w.do(t, call{as: as, method: "GET", path: ada + "/workspace/files/" + path + "?" + who})
}

// peak returns the most memory that the API has taken so far, in bytes.
func (w *server) peak(t *testing.T) int64 {
	t.Helper()
	n, err := w.PeakMemory("api")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// list repeats a JSON value, separated by commas.
func list(value string, n int) string { return strings.TrimSuffix(strings.Repeat(value+",", n), ",") }

// until waits for a condition that depends on other processes.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("a minute passed without " + what)
}

// zeros returns an archive of 400 KiB whose entry unpacks to 400 MiB.
func zeros(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	entry, err := archive.Create("memory/zeros.md")
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<20); out.Len() < 400<<10; {
		if _, err := entry.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

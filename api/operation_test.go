package api_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"reverie/api"
	"reverie/config"
	"reverie/devenv/devtest"
	"reverie/engine"
	"reverie/memory"
)

func TestHealthAndReadiness(t *testing.T) {
	h := start(t)
	h.want(h.do(request{method: "GET", path: "/healthz"}), 200)
	ready := as[struct{ Database, Temporal string }](h, h.want(h.do(request{method: "GET", path: "/readyz"}), 200))
	if ready.Database != "ok" || ready.Temporal != "down" {
		t.Errorf("%+v", ready)
	}
}

// While the database is unreachable nothing is served, and the answer reports it.
func TestWithoutTheDatabase(t *testing.T) {
	server := devtest.Postgres(t)
	url := server.URL("postgres")
	if err := migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	h := startOn(t, url)
	h.agent("ada")
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // readiness is asked at most once a second
	h.want(h.do(request{method: "GET", path: "/healthz"}), 200)
	h.wantError(h.do(request{method: "GET", path: "/readyz"}), 503, "not_ready")
	away := h.wantError(h.get("/api/v1/agents/ada"), 503, "store_unavailable")
	if away.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	h.wantError(h.post("c1", batch("42", true, "hello")), 503, "store_unavailable")
	search := h.wantError(
		h.do(request{method: "POST", path: searchPath, key: h.admin, body: map[string]any{"query": "hello"}}),
		503,
		"store_unavailable",
	)
	if got := as[foundResults](h, search); got.Results == nil || !got.Disabled || !got.Unavailable || got.Error == "" ||
		got.Warning == "" ||
		got.Action == "" {
		t.Errorf("%s", search.body)
	}
	h.wantError(h.do(request{method: "GET", path: "/api/v1/agents", key: "rv_unknown"}), 503, "store_unavailable")
}

// A database that takes no writes, as after a failover, is reported as one that is away, and is used again when it takes them.
func TestReadOnlyDatabase(t *testing.T) {
	server := devtest.Postgres(t)
	url := server.URL("postgres")
	if err := migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	h := startOn(t, url)
	h.agent("ada")
	root, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.WithoutCancel(t.Context()))
	set := func(sql string) {
		t.Helper()
		for _, statement := range []string{sql, "select pg_reload_conf()"} {
			if _, err := root.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(1100 * time.Millisecond) // readiness is asked at most once a second
	}
	set("alter system set default_transaction_read_only = on")
	h.wantError(h.do(request{method: "GET", path: "/readyz"}), 503, "not_ready")
	refused := h.wantError(h.post("c1", batch("42", true, "hello")), 503, "store_unavailable")
	if refused.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	h.want(h.get("/api/v1/agents/ada"), 200)
	set("alter system reset default_transaction_read_only")
	h.want(h.do(request{method: "GET", path: "/readyz"}), 200)
	h.want(h.post("c1", batch("42", true, "hello")), 202)
}

func TestStatusReportsWhatIsMissing(t *testing.T) {
	model := api.Model{Name: "openai/small"}
	h := start(t, func(o *api.Options) { o.Model = model })
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)
	if err := h.store.ReportComponent(t.Context(), "model", "unauthorized", "the provider refused the key"); err != nil {
		t.Fatal(err)
	}
	type status struct {
		Version, State string
		Parts          []struct{ Name, State, Detail string }
		Model          struct {
			Name    string
			BuiltIn bool
		}
		Degraded []string
		Backlog  *struct{ PendingConversations, PendingMessages, UnsignalledTurns, StagedWrites int }
	}
	h.want(h.postTo(h.key("cases", memory.RoleMember, "api:42"), "/api/v1/agents/ada/writes?wait=0s", map[string]any{
		"requestId": "w1", "target": "memory/cases.md", "strategy": "append", "content": "The case is closed.\n",
	}), 202)
	got := as[status](h, h.want(h.get("/api/v1/status"), 200))
	states := map[string]string{}
	for _, p := range got.Parts {
		states[p.Name] = p.State
	}
	want := map[string]string{"database": "ok", "temporal": "down", "workers": "unknown", "model": "unauthorized", "embeddings": "none"}
	for name, state := range want {
		if states[name] != state {
			t.Errorf("%s is %q, want %q", name, states[name], state)
		}
	}
	if got.Version != "test" || got.State != "degraded" || got.Model.BuiltIn || got.Model.Name != "openai/small" {
		t.Errorf("%+v", got)
	}
	if all := strings.Join(got.Degraded, "\n"); !strings.Contains(all, "model: the provider refused the key (check REVERIE_LLM_API_KEY)") {
		t.Errorf("degraded: %q", all)
	}
	if b := got.Backlog; b == nil || b.PendingConversations != 1 || b.PendingMessages != 2 || b.UnsignalledTurns != 1 || b.StagedWrites != 1 {
		t.Errorf("backlog %+v", b)
	}
	pinned := h.key("pinned", memory.RoleViewer, "api:42")
	seen := h.want(h.do(request{method: "GET", path: "/api/v1/status", key: pinned}), 200)
	if got := as[status](h, seen); got.Backlog != nil || !slices.Contains(got.Degraded, "model: unauthorized") {
		t.Errorf("a pinned key sees %+v", got)
	}
	if strings.Contains(string(seen.body), "provider refused") {
		t.Errorf("a pinned key sees what the provider said: %s", seen.body)
	}
}

// Without a model the built-in engine is in use; earlier reports of a provider are ignored.
func TestStatusWithTheBuiltInEngine(t *testing.T) {
	h := start(t)
	if err := h.store.ReportComponent(t.Context(), "model", "unauthorized", "REPORTMARKER"); err != nil {
		t.Fatal(err)
	}
	body := string(h.want(h.get("/api/v1/status"), 200).body)
	if !strings.Contains(body, `"builtIn":true`) || !strings.Contains(body, "built-in engine extracts by rules") ||
		strings.Contains(body, "REPORTMARKER") {
		t.Errorf("%s", body)
	}
}

func TestMetrics(t *testing.T) {
	telemetry, err := engine.NewTelemetry(t.Context(), config.Config{LogLevel: "error"}, "test", &logBuffer{})
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, func(o *api.Options) { o.Meters, o.Metrics = telemetry.Meters, telemetry.Metrics })
	h.agent("ada")
	h.want(h.post("private-name", batch("42", true, "I live in Bern.", "Noted.")), 202)
	h.wantError(h.get("/no/such/private-name"), 404, "no_such_route")
	text := string(h.want(h.do(request{method: "GET", path: "/metrics"}), 200).body)
	for _, want := range []string{
		`http_server_request_duration_seconds_count\{[^}]*http_request_method="POST"[^}]*http_response_status_code="202"[^}]*http_route="/api/v1/agents/:agent/conversations/:conversation/messages"[^}]*\} 1`,
		`reverie_backlog_conversations(\{[^}]*\})? 1`, `reverie_backlog_messages(\{[^}]*\})? 2`,
		`reverie_backlog_unsignalled_turns(\{[^}]*\})? 1`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "private-name") {
		t.Error("metrics have a label that clients choose")
	}
	// A request that came through a proxy is not from this machine.
	proxied := func(key string) answered {
		return h.do(request{method: "GET", path: "/metrics", key: key, header: map[string]string{"X-Forwarded-For": "127.0.0.1"}})
	}
	h.wantError(proxied(""), 401, "unauthorized")
	h.wantError(proxied(h.key("member", memory.RoleMember, "")), 403, "forbidden")
	h.wantError(proxied(h.key("limited", memory.RoleAdmin, "", "ada")), 403, "forbidden")
	h.want(proxied(h.admin), 200)
}

// A client that names many hosts or methods makes no more metrics.
func TestMetricsDoNotGrowWithWhatClientsSay(t *testing.T) {
	telemetry, err := engine.NewTelemetry(t.Context(), config.Config{LogLevel: "error"}, "test", &logBuffer{})
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, func(o *api.Options) { o.Meters, o.Metrics = telemetry.Meters, telemetry.Metrics })
	series := func() int {
		text := string(h.want(h.do(request{method: "GET", path: "/metrics"}), 200).body)
		return strings.Count(text, "http_server_request_duration_seconds_count{")
	}
	say := func(method, host string) {
		req, err := http.NewRequestWithContext(t.Context(), method, h.url+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	say("GET", "first.example")
	say("FIRST", "first.example")
	before := series()
	for _, name := range []string{"second", "third", "fourth"} {
		say("GET", name+".example")
		say("GET", name+".example:81")
		say(strings.ToUpper(name), "first.example")
	}
	if after := series(); after > before+1 { // one for /metrics itself
		t.Errorf("%d series became %d", before, after)
	}
}

// Traces name routes, not paths: a conversation's name may be a phone number.
func TestTracesNameRoutes(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(spans))
	h := start(t, func(o *api.Options) { o.Tracers = provider })
	h.agent("ada")
	h.want(h.post("whatsapp:+41791234567", batch("42", false, "CONTENTMARKER")), 202)
	encoded, err := json.Marshal(spans.GetSpans())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(encoded), "POST /api/v1/agents/:agent/conversations/:conversation/messages") {
		t.Errorf("no span is named after its route in %s", encoded)
	}
	for _, marker := range []string{"41791234567", "CONTENTMARKER", h.admin} {
		if strings.Contains(string(encoded), marker) {
			t.Errorf("%s is in the traces", marker)
		}
	}
}

// Neither what was said nor a secret is ever logged, whatever happens to the request.
func TestLogsHaveNoContents(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const marker = "CONTENTMARKER"
	member := h.key("member", memory.RoleMember, "")
	h.want(h.post("c1", batch(marker+"-person", true, marker, "answer "+marker)), 202)
	h.post("c1", batch(marker+"-person", true, "other "+marker))
	h.post("c1", `{"messages": "`+marker+`"`)
	h.post("c1", map[string]any{"owner": marker, "messages": []map[string]any{{"id": marker, "role": marker, "content": 1}}})
	h.want(h.put("a.md?owner=api:"+marker, marker+"\n", nil), 201)
	h.put("a.md?owner=api:"+marker, "again "+marker+"\n", nil)
	h.put("a.md?owner=api:"+marker, "again "+marker+"\n", map[string]string{"If-Match": `"` + marker + `"`})
	h.get(workspaceFiles + "files/a.md?owner=api:" + marker)
	h.get("/no/such/" + marker)
	h.do(request{method: "GET", path: "/api/v1/agents/" + marker, key: member})
	h.do(request{method: "GET", path: "/api/v1/agents", key: "rv_" + marker})
	h.do(request{method: "GET", path: "/api/v1/agents", key: h.admin, header: map[string]string{"X-Request-Id": marker + " \"forged"}})
	log := h.log.String()
	if !strings.Contains(log, `"route":"/api/v1/agents/:agent/conversations/:conversation/messages"`) ||
		!strings.Contains(log, `"status":202`) ||
		!strings.Contains(log, h.keys["member"].String()) {
		t.Errorf("requests are not logged:\n%s", log)
	}
	for _, secret := range []string{marker, h.admin, member} {
		for line := range strings.Lines(log) {
			if strings.Contains(line, secret) {
				t.Errorf("%s is in the log: %s", secret, line)
			}
		}
	}
}

func TestRequestIDs(t *testing.T) {
	h := start(t)
	for sent, kept := range map[string]bool{
		"abc-123": true, strings.Repeat("i", 64): true, strings.Repeat("i", 65): false, "a b": false, "": false,
	} {
		got := h.do(request{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": sent}}).header.Get("X-Request-Id")
		if (got == sent) != kept || got == "" {
			t.Errorf("%q gives %q", sent, got)
		}
	}
}

func TestWhatNoRouteAnswers(t *testing.T) {
	h := start(t)
	h.wantError(h.get("/"), 404, "no_such_route")
	h.wantError(h.get("/api/v1/agents/ada/none"), 404, "no_such_route")
	refused := h.wantError(h.do(request{method: "PUT", path: "/api/v1/agents"}), 405, "method_not_allowed")
	if allow := refused.header.Get("Allow"); !strings.Contains(allow, "GET") || !strings.Contains(allow, "POST") {
		t.Errorf("Allow %q", allow)
	}
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store"} {
		if got := refused.header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

// A server that stops takes no new requests and lets those in progress end.
func TestTheServerStopsInOrder(t *testing.T) {
	h := start(t)
	reader, writer := net.Pipe() // a body that is still on its way
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), "POST", h.url+"/api/v1/agents", reader)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.admin)
	req.Header.Set("Expect", "100-continue") // which a server answers when it begins to read
	reading := make(chan struct{})
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }}))
	client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	got := make(chan int, 1)
	go func() {
		response, err := client.Do(req)
		if err != nil {
			t.Error(err)
			got <- 0
			return
		}
		_ = response.Body.Close()
		got <- response.StatusCode
	}()
	if _, err := writer.Write([]byte(`{"id":`)); err != nil {
		t.Fatal(err)
	}
	<-reading
	stopped := make(chan error, 1)
	go func() { stopped <- h.done() }()
	deadline := time.Now().Add(time.Minute)
	for {
		conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			break // nothing new is taken
		}
		_ = conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("the server still takes connections")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := writer.Write([]byte(`"ada"}`)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-got; status != 201 {
		t.Errorf("the request in progress got %d", status)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

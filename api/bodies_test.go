package api_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"reverie/api/fault"
)

// A body of many small values is refused before it is validated, and an answer lists a bounded number of faults.
func TestManyValuesAreRefused(t *testing.T) {
	h := start(t)
	h.agent("ada")
	list := func(value string, n int) string { return strings.TrimSuffix(strings.Repeat(value+",", n), ",") }
	const most = 300_000
	for _, c := range []struct {
		name, path, body string
		status, faults   int
	}{
		{"messages", "/api/v1/conversations/c/messages", `{"messages":[` + list("{}", most) + `]}`, 413, 0},
		{"fields", "/api/v1/conversations/c/messages", `{` + list(`"a":0`, most) + `}`, 413, 0},
		{"nested arrays", "/api/v1/conversations/c/messages", strings.Repeat("[", most), 400, 0},
		{"lists of lists", "/api/v1/conversations/c/messages", `{"messages":[` + list(`{"toolCalls":[`+list("{}", 1000)+`]}`, 1000) + `]}`, 413, 0},
		{"options", "/api/v1/memory/search", `{"query":"q","options":{"off":[` + list("0", most) + `]}}`, 413, 0},
		{"arguments of a tool", "/api/v1/tools/memory_search", `{"query":[` + list("{}", most) + `]}`, 413, 0},
		{"a tool's argument by argument", "/api/v1/tools/memory_search", `{` + list(`"a":0`, most) + `}`, 413, 0},
		{"arguments of a tool over MCP", "/mcp?agent=ada", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":[` +
			list("{}", most) + `]}}}`, 413, 0},
		{"turns of a chat completion", "/v1/chat/completions", `{"model":"ada","messages":[` + list("{}", most) + `]}`, 413, 0},
		{"1,000 faulty messages", "/api/v1/conversations/c/messages", `{"messages":[` + list("{}", 1000) + `]}`, 422, fault.MaxFaults},
	} {
		path := strings.Replace(c.path, "/api/v1/", "/api/v1/agents/ada/", 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := h.do(request{method: http.MethodPost, path: path, key: h.admin, body: c.body})
		runtime.ReadMemStats(&after)
		if a.status != c.status || len(a.body) > 20_000 {
			t.Errorf("%s: status %d, %d bytes: %.200s", c.name, a.status, len(a.body), a.body)
		}
		if n := strings.Count(string(a.body), `"location"`); n != c.faults {
			t.Errorf("%s: %d faults listed", c.name, n)
		}
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d bytes sent, %d allocated, %d answered", c.name, len(c.body), allocated, len(a.body))
		if allocated > 8<<20+8*uint64(len(c.body)) {
			t.Errorf("%s: %d bytes allocated for a body of %d", c.name, allocated, len(c.body))
		}
	}
	h.want(h.post("c", `{"endUserId":"42","messages":[{"id":"m","role":"user","content":"hello"}]}`), 202)
}

package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reverie/api"
	"reverie/memory"
	"reverie/toolbox"
)

// rpc returns a message of the Model Context Protocol.
func rpc(method string, params map[string]any) map[string]any {
	message := map[string]any{"jsonrpc": "2.0", "id": 1, "method": method}
	if params != nil {
		message["params"] = params
	}
	return message
}

// mcpAnswer is the answer to a message.
type mcpAnswer struct {
	answered

	Result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
		Tools             []struct{ Name string }
		Resources         []struct{ URI, Name string }
		NextCursor        string
		Contents          []struct{ Text string }
		Capabilities      map[string]map[string]any
		Messages          []struct{ Content struct{ Text string } }
	}
	Fault struct {
		Code    int
		Message string
		Data    struct {
			Name   string
			Status int
		}
	}
}

// speak sends a message; query is such as "?agent=ada&owner=api:42".
func (h *harness) speak(key, query, method string, params map[string]any) mcpAnswer {
	h.t.Helper()
	got := mcpAnswer{answered: h.do(request{method: "POST", path: "/mcp" + query, key: key, body: rpc(method, params)})}
	if got.status != http.StatusOK {
		return got
	}
	var decoded struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	err := json.Unmarshal(got.body, &decoded)
	if err == nil && decoded.Result != nil {
		err = json.Unmarshal(decoded.Result, &got.Result)
	}
	if err == nil && decoded.Error != nil {
		err = json.Unmarshal(decoded.Error, &got.Fault)
	}
	if err != nil || (decoded.Result == nil) == (decoded.Error == nil) {
		h.t.Fatalf("%s: %v in %s", method, err, got.body)
	}
	return got
}

// use calls a tool.
func (h *harness) use(key, query, name string, arguments map[string]any) mcpAnswer {
	h.t.Helper()
	return h.speak(key, query, "tools/call", map[string]any{"name": name, "arguments": arguments})
}

func (s mcpAnswer) text() string {
	if len(s.Result.Content) == 0 {
		return ""
	}
	return s.Result.Content[0].Text
}

// toolCalls has arguments for every tool; %d is a number that no other call has. A new tool without an entry fails the tests.
var toolCalls = map[string]string{
	toolbox.MemorySearch:       `{"query":"What is the password word?","maxResults":20,"minScore":0}`,
	toolbox.MemoryGet:          `{"path":"secret.md"}`,
	toolbox.ListFiles:          `{}`,
	toolbox.SearchFiles:        `{"query":"password"}`,
	toolbox.ReadFile:           `{"filename":"secret.md"}`,
	toolbox.WriteFile:          `{"filename":"new%d.md","content":"text %d"}`,
	toolbox.EditFile:           `{"filename":"secret.md","oldText":"The password","newText":"The password"}`, // equal: refused alike
	toolbox.Remember:           `{"text":"Locker %d belongs to Grace"}`,
	toolbox.ListContradictions: `{"limit":10}`,
	toolbox.ForgetTool:         `{"text":"The statement %d","filename":"secret.md"}`,
	toolbox.MemoryForget:       `{"pattern":"The statement %d"}`,
	toolbox.MemoryQuery:        `{"op":"list"}`,
	toolbox.MemoryUpsert:       `{"op":"insert","content":"The desk number is %d"}`,

	toolbox.RememberStructured: `{"type":"project","key":"desk %d","content":"Desk %d is free"}`,
	toolbox.RecallStructured:   `{"query":"password"}`,
	toolbox.ForgetStructured:   `{"type":"project","key":"none %d"}`,
	toolbox.SessionSearch:      `{"mode":"recent"}`,
	toolbox.FactProbe:          `{"entity":"password"}`,
	toolbox.MemoryFeedback:     `{"id":7,"kind":"HELPFUL"}`, // of no statement: refused alike
	toolbox.StructuredSearch:   `{"query":"password"}`,
	toolbox.StructuredUpdate:   `{"id":7,"content":"The statement %d"}`,
	toolbox.StructuredDelete:   `{"id":7}`,
	toolbox.WriteMemory:        `{"content":"The shelf number is %d"}`,
}

var varying = regexp.MustCompile(`\d+`)

// outcome describes an answer without what varies from call to call.
func outcome(status int, name string, isError bool, result string) string {
	if status != http.StatusOK {
		return fmt.Sprintf("%d %s", status, name)
	}
	return fmt.Sprintf("%v %s", isError, varying.ReplaceAllString(result, "N"))
}

// Every tool answers every kind of key over MCP as it does over REST.
func TestToolsOverMCPAreThoseOverREST(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	for _, owner := range []string{"42", "43"} {
		h.want(h.put("secret.md?owner=api:"+owner, "The password word is MARKER"+owner+".\n", nil), 201)
		h.want(h.post("c"+owner, batch(owner, true, "The password word is MARKER"+owner+".")), 202)
		h.want(h.put("MEMORY.md?owner=api:"+owner, "# Memory\n\n- The password word is MARKER"+owner+"\n", nil), 201)
	}
	h.want(h.put("secret.md?scope=TEAM", "The password word is TEAMMARKER.\n", nil), 201)
	secrets := map[string]string{"nobody": "", "a wrong key": "rv_wrong"}
	for name, c := range callers {
		if c.role != "" {
			secrets[name] = h.key(name, c.role, c.owner, c.agents...)
		}
		if c.revoked {
			h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + h.keys[name].String(), key: h.admin}), 200)
		}
	}
	n := 0
	for _, tool := range toolbox.Offers() {
		arguments, found := toolCalls[tool.Name]
		if !found {
			t.Errorf("%s has no entry in toolCalls", tool.Name)
			continue
		}
		for _, who := range slices.Sorted(maps.Keys(callers)) {
			for _, owner := range []string{"", "api:42", "api:43", "system"} {
				n++
				call := func() string { n++; return strings.ReplaceAll(arguments, "%d", fmt.Sprint(n)) }
				overREST := func() string {
					rest := h.do(request{
						method: "POST", path: toolsPath + "/" + tool.Name + "?owner=" + owner, key: secrets[who], body: call(),
					})
					var made struct {
						Result  json.RawMessage
						IsError bool
					}
					if rest.status == http.StatusOK {
						made = as[struct {
							Result  json.RawMessage
							IsError bool
						}](h, rest)
					}
					return outcome(rest.status, rest.Error, made.IsError, string(made.Result))
				}
				want := overREST()

				var decoded map[string]any
				if err := json.Unmarshal([]byte(call()), &decoded); err != nil {
					t.Fatal(err)
				}
				mcp := h.use(secrets[who], "?agent=ada&owner="+owner, tool.Name, decoded)
				var refused struct {
					Name   string
					Status int
				}
				status, name := mcp.status, mcp.Error
				if mcp.Result.IsError && json.Unmarshal([]byte(mcp.text()), &refused) == nil && refused.Status != 0 {
					status, name = refused.Status, refused.Name
				}
				got := outcome(status, name, mcp.Result.IsError, mcp.text())
				if got != want { // a disagreement may have been found between the two
					want = overREST()
				}
				if got != want {
					t.Errorf("%s by %s for %q:\n%s, over REST\n%s", tool.Name, who, owner, got, want)
				}
				if !mcp.Result.IsError && string(mcp.Result.StructuredContent) != mcp.text() {
					t.Errorf("%s: structured %s, text %s", tool.Name, mcp.Result.StructuredContent, mcp.text())
				}
				h.seesOnly(tool.Name, who, owner, mcp.text())
			}
		}
	}
}

// seesOnly fails the test if a text has what belongs to another owner than the one that a key acts for.
func (h *harness) seesOnly(what, who, owner, text string) {
	h.t.Helper()
	c := callers[who]
	if c.owner != "" {
		owner = c.owner
	}
	for _, other := range []string{"42", "43"} {
		if strings.Contains(text, "MARKER"+other) && owner != "api:"+other {
			h.t.Errorf("%s by %s for %q shows what is of %s: %s", what, who, owner, other, text)
		}
	}
}

// Resources are the documents of the caller, and nobody else's.
func TestResources(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for _, owner := range []string{"42", "43"} {
		h.want(h.put("secret.md?owner=api:"+owner, "MARKER"+owner+" sk-ant-REDACTED\n", nil), 201)
	}
	h.want(h.put("secret.md?scope=TEAM", "TEAMMARKER\n", nil), 201)
	h.want(h.put("memory/2026-01-31.md?owner=api:42", "- MARKER42\n", nil), 201)
	h.want(h.put("Länder und Städte.md?owner=api:42", "Köln\n", nil), 201)
	const mine = "?agent=ada&owner=api:42"
	read := func(key, query, uri string) mcpAnswer {
		return h.speak(key, query, "resources/read", map[string]any{"uri": uri})
	}
	var uris []string
	for _, r := range h.speak(h.admin, mine, "resources/list", nil).Result.Resources {
		if slices.Contains([]string{"AGENTS.md", "MEMORY.md", "PROFILE.md", "SOUL.md"}, r.Name) { // of every agent
			continue
		}
		uris = append(uris, r.URI)
		if got := read(h.admin, mine, r.URI); len(got.Result.Contents) != 1 || got.Result.Contents[0].Text == "" {
			t.Errorf("%s: %s", r.URI, got.body)
		}
	}
	want := []string{
		"memory:///L%C3%A4nder%20und%20St%C3%A4dte.md", "memory:///memory/2026-01-31.md", "memory:///secret.md", "memory:///secret.md?scope=TEAM",
	}
	if slices.Sort(uris); !slices.Equal(uris, want) {
		t.Errorf("listed %q, want %q", uris, want)
	}
	pinned, viewer := h.key("pinned", memory.RoleViewer, "api:43"), h.key("viewer", memory.RoleViewer, "")
	for _, c := range []struct{ key, query, uri, text string }{
		{h.admin, mine, "memory:///secret.md", "MARKER42"},
		{h.admin, mine, "memory:///secret.md?scope=TEAM", "TEAMMARKER"},
		{h.admin, "?agent=ada", "memory:///secret.md", "TEAMMARKER"},
		{pinned, "", "memory:///secret.md", "MARKER43"}, // the only agent
		{viewer, "?agent=ada", "memory:///secret.md", "TEAMMARKER"},
		{viewer, "", "memory:///memory/2026-01-31.md", ""},
		{pinned, "", "memory:///memory/2026-01-31.md", ""},
		{h.admin, mine, "memory:///nothing.md", ""},
		{h.admin, mine, "memory:///../x.md", ""},
		{h.admin, mine, "memory:///%00.md", ""},
		{h.admin, mine, "file:///etc/passwd", ""},
		{h.admin, mine, "memory:///secret.md?scope=ALL", ""},
	} {
		got := read(c.key, c.query, c.uri)
		if c.text == "" {
			if got.status != 200 || got.Fault.Code != -32602 || got.Fault.Message == "" {
				t.Errorf("%s%s: %s", c.uri, c.query, got.body)
			}
			continue
		}
		if len(got.Result.Contents) != 1 || !strings.HasPrefix(got.Result.Contents[0].Text, c.text) {
			t.Errorf("%s%s: %s", c.uri, c.query, got.body)
		}
		if strings.Contains(string(got.body), "aaaaaaaa") {
			t.Errorf("%s shows a secret", c.uri)
		}
	}
	// Pages.
	for i := range 120 {
		h.want(h.put(fmt.Sprintf("page/%03d.md?owner=api:42", i), "x\n", nil), 201)
	}
	seen, cursor, pages := map[string]bool{}, "", 0
	for pages == 0 || cursor != "" {
		page := h.speak(h.admin, mine, "resources/list", map[string]any{"cursor": cursor}).Result
		for _, r := range page.Resources {
			if seen[r.URI] {
				t.Errorf("%s is on two pages", r.URI)
			}
			seen[r.URI] = true
		}
		cursor = page.NextCursor
		pages++
	}
	if len(seen) != 128 || pages != 2 {
		t.Errorf("%d resources on %d pages", len(seen), pages)
	}
	if got := h.speak(h.admin, mine, "resources/list", map[string]any{"cursor": "#"}); got.Fault.Code != -32602 {
		t.Errorf("%s", got.body)
	}
}

// A document that contains both sides of a contradiction comes with a warning.
func TestResourcesSayWhatDisagrees(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const mine = "?agent=ada&owner=api:42"
	h.want(h.put("money.md?owner=api:42", "- The rent is 950 euros.\n- The rent is 1,020 euros.\n", nil), 201)
	got := h.speak(h.admin, mine, "resources/read", map[string]any{"uri": "memory:///money.md"})
	if all := got.Result.Contents; len(all) != 2 || !strings.Contains(all[1].Text, "Statements that disagree") {
		t.Errorf("%s", got.body)
	}
}

// Who a client is, and of which agent, comes from its key and address; what it does is audited, limited and refused as for any operation.
func TestMCPIsAnOperationLikeOthers(t *testing.T) {
	h := start(t, func(o *api.Options) {
		o.OAuthIssuer, o.PublicURL = "https://id.example.com", "https://memory.example.com"
	})
	h.agent("ada")
	key := h.key("member", memory.RoleMember, "")
	reader := h.key("reader", memory.RoleViewer, "api:42")
	// One agent needs no name.
	if got := h.speak(key, "?owner=api:42", "ping", nil); got.status != 200 {
		t.Errorf("%s", got.body)
	}
	h.agent("bob")
	h.wantError(h.speak(key, "?owner=api:42", "ping", nil).answered, 422, "invalid_request")
	h.wantError(h.speak(key, "?agent=ada&onwer=api:42", "ping", nil).answered, 422, "invalid_request")
	h.wantError(h.speak(key, "?agent=ada&owner=api:42&owner=api:43", "ping", nil).answered, 422, "invalid_request")
	h.wantError(h.speak(key, "?agent=eve", "ping", nil).answered, 404, "not_found")
	h.wantError(h.speak(reader, "?agent=ada&owner=api:43", "ping", nil).answered, 403, "owner_not_allowed")
	// A key that only reads is shown what it may call.
	tools := func(key string) (names []string) {
		for _, tool := range h.speak(key, "?agent=ada", "tools/list", nil).Result.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	if all, few := tools(key), tools(reader); len(all) != len(toolbox.Offers()) || slices.Contains(few, toolbox.Remember) || len(few) < 5 {
		t.Errorf("a member sees %q, a reader %q", all, few)
	}
	// Without a key, a client learns where to sign in.
	unknown := h.wantError(h.speak("", "?agent=ada", "ping", nil).answered, 401, "unauthorized")
	address := "https://memory.example.com/.well-known/oauth-protected-resource/mcp"
	if got, want := unknown.header.Get("WWW-Authenticate"), fmt.Sprintf("Bearer resource_metadata=%q", address); got != want {
		t.Errorf("challenge %q, want %q", got, want)
	}
	var metadata struct {
		Resource             string
		AuthorizationServers []string `json:"authorization_servers"`
	}
	page := h.want(h.doPlain(request{method: "GET", path: "/.well-known/oauth-protected-resource/mcp"}), 200)
	if err := json.Unmarshal(page.body, &metadata); err != nil || metadata.Resource != "https://memory.example.com/mcp" ||
		!slices.Equal(metadata.AuthorizationServers, []string{"https://id.example.com"}) {
		t.Errorf("%v %s", err, page.body)
	}
	// Other methods are refused as the protocol wants it.
	h.wantError(h.do(request{method: "GET", path: "/mcp?agent=ada", key: key}), 405, "method_not_allowed")
	// A revoked key ends.
	h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + h.keys["member"].String(), key: h.admin}), 200)
	h.wantError(h.speak(key, "?agent=ada", "ping", nil).answered, 401, "unauthorized")
}

// What is not a message, or too much of one, is refused, and the server goes on.
func TestHostileMessages(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const mine = "/mcp?agent=ada&owner=api:42"
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for body, status := range map[string]int{
		"":                         400,
		"null":                     400,
		"[]":                       400,
		`"x"`:                      400,
		"{":                        400,
		`{"jsonrpc":"2.0","id":1}`: 400,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:                                             400,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`:  400,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + deep + `}`:                 400,
		`{"jsonrpc":"2.0","id":1,"method":"ping","x":[` + strings.Repeat("1,", 50_000) + `1]}`: 413,
		`{"jsonrpc":"2.0","id":1,"method":"ping","x":"` + strings.Repeat("x", 9<<20) + `"}`:    413,
		`{"jsonrpc":"2.0","method":"no/such"}`:                                                 400,
	} {
		if got := h.doPlain(request{method: "POST", path: mine, key: h.admin, body: body}); got.status != status {
			t.Errorf("%.60s: %d, want %d: %.300s", body, got.status, status, got.body)
		}
	}
	for _, method := range []string{"no/such", "\x00", strings.Repeat("x", 100_000)} { // a client reads JSON-RPC's own error
		if got := h.speak(h.admin, "?agent=ada&owner=api:42", method, nil); got.status != 200 || got.Fault.Code != -32601 {
			t.Errorf("method %.20q: %d %.300s", method, got.status, got.body)
		}
	}
	for _, name := range []string{"", "no_such_tool", "\x00", strings.Repeat("x", 100_000)} {
		if got := h.use(h.admin, "?agent=ada&owner=api:42", name, nil); got.status != 200 || got.Fault.Code == 0 {
			t.Errorf("tool %.20q: %d %.300s", name, got.status, got.body)
		}
	}
	hostile := []any{
		"\x00", "a\x00b", strings.Repeat("x", 300_000), "\ufeff\u202e", -1, 1e300, true, nil, []any{}, map[string]any{"a": map[string]any{}},
	}
	for _, tool := range toolbox.Offers() {
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			for _, value := range hostile {
				var arguments map[string]any
				if err := json.Unmarshal([]byte(strings.ReplaceAll(toolCalls[tool.Name], "%d", "7")), &arguments); err != nil {
					t.Fatal(err)
				}
				arguments[name] = value
				got := h.use(h.admin, "?agent=ada&owner=api:42", tool.Name, arguments)
				if got.status != 200 || got.Fault.Code != 0 || got.text() == "" || strings.Contains(got.text(), `"internal"`) {
					t.Errorf("%s %s=%.20v: %d %.300s", tool.Name, name, value, got.status, got.body)
				}
			}
		}
		for _, name := range []string{"owner", "agent", "user_id", "endUserId", "workspace"} { // whose it is, no argument says
			if got := h.use(h.admin, "?agent=ada&owner=api:42", tool.Name, map[string]any{name: "api:43"}); !got.Result.IsError {
				t.Errorf("%s takes %s: %s", tool.Name, name, got.body)
			}
		}
	}
	if got := h.speak(h.admin, "?agent=ada", "ping", nil); got.status != 200 || strings.Contains(h.log.String(), "panicked") {
		t.Errorf("afterwards: %s", got.body)
	}
}

// A call with an idempotency key is made once.
func TestRepeatedMCPCall(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("list.md?owner=api:42", "a\n", nil), 201)
	for range 2 {
		got := h.speak(h.admin, "?agent=ada&owner=api:42", "tools/call", map[string]any{
			"name": toolbox.EditFile, "arguments": map[string]any{"filename": "list.md", "oldText": "a", "newText": "ab"},
			"_meta": map[string]any{"reverie/idempotencyKey": "call-1"},
		})
		if got.Result.IsError {
			t.Errorf("%s", got.body)
		}
	}
	if got := h.use(h.admin, "?agent=ada&owner=api:42", toolbox.ReadFile, map[string]any{"filename": "list.md"}); !strings.Contains(got.text(), `"ab\n"`) {
		t.Errorf("%s", got.text())
	}
}

func TestPrompts(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for name, arguments := range map[string]map[string]any{
		"memory_recall": {"topic": "the boat"}, "morning_card": nil,
	} {
		got := h.speak(h.admin, "?agent=ada", "prompts/get", map[string]any{"name": name, "arguments": arguments})
		if len(got.Result.Messages) != 1 || !strings.Contains(got.Result.Messages[0].Content.Text, toolbox.MemorySearch) {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store/dreams"
	"reverie/store/talk"
)

// operation holds the parts of an OpenAPI operation that the matrix needs.
type operation struct {
	id, method, path string
	role             memory.Role // empty: public
	original         string      // the path of the system that it was taken from; empty: none
}

func operations(t *testing.T) map[string]operation {
	t.Helper()
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Paths map[string]map[string]struct {
			OperationID string           `json:"operationId"`
			Role        memory.Role      `json:"x-reverie-role"`
			SameAs      string           `json:"x-reverie-same-as"`
			Security    []map[string]any `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(encoded, &parsed); err != nil {
		t.Fatal(err)
	}
	out := map[string]operation{}
	for path, methods := range parsed.Paths {
		for method, op := range methods {
			if (op.Role != "") != (len(op.Security) > 0) {
				t.Errorf("%s: role %q and security %v do not agree", op.OperationID, op.Role, op.Security)
			}
			known := out[cmp.Or(op.SameAs, op.OperationID)]
			if op.SameAs != "" {
				known.original = path
				out[op.SameAs] = known
				continue
			}
			out[op.OperationID] = operation{op.OperationID, strings.ToUpper(method), path, op.Role, known.original}
		}
	}
	return out
}

// at returns a path as the operation has it in its new place, for one that fits its original template.
func (o operation) at(path string) string {
	path, query, _ := strings.Cut(path, "?")
	values := map[string]string{}
	segments := strings.Split(path, "/")
	for i, name := range strings.Split(o.original, "/") {
		values[name] = segments[i]
	}
	segments = strings.Split(o.path, "/")
	for i, name := range segments {
		if strings.HasPrefix(name, "{") {
			segments[i] = values[name]
		}
	}
	return strings.TrimSuffix(strings.Join(segments, "/")+"?"+query, "?")
}

// caller is one kind of key.
type caller struct {
	role    memory.Role // empty: no valid key
	agents  []string
	owner   string
	revoked bool
}

var callers = map[string]caller{
	"nobody":                 {},
	"a wrong key":            {},
	"a revoked key":          {role: memory.RoleAdmin, revoked: true},
	"viewer":                 {role: memory.RoleViewer},
	"viewer of ada":          {role: memory.RoleViewer, agents: []string{"ada"}},
	"viewer of another":      {role: memory.RoleViewer, agents: []string{"bob"}},
	"viewer for one owner":   {role: memory.RoleViewer, owner: "api:42"},
	"member":                 {role: memory.RoleMember},
	"member of ada":          {role: memory.RoleMember, agents: []string{"ada"}},
	"member of another":      {role: memory.RoleMember, agents: []string{"bob"}},
	"member for one owner":   {role: memory.RoleMember, owner: "api:42"},
	"member for another":     {role: memory.RoleMember, owner: "api:43"},
	"owner's member of ada":  {role: memory.RoleMember, owner: "api:42", agents: []string{"ada"}},
	"owner's member, no ada": {role: memory.RoleMember, owner: "api:42", agents: []string{"bob"}},
	"admin":                  {role: memory.RoleAdmin},
	"admin of ada":           {role: memory.RoleAdmin, agents: []string{"ada"}},
	"admin of another":       {role: memory.RoleAdmin, agents: []string{"bob"}},
}

// expected is the rule of the matrix: what a caller gets from an operation.
func expected(op operation, p probe, c caller) (status int, name string) {
	aboutAda := p.named || strings.Contains(op.path, "{agent}")
	switch {
	case c.role == "" || c.revoked:
		return 401, "unauthorized"
	case !c.role.Includes(op.role):
		return 403, "forbidden"
	case p.whole && (c.agents != nil || c.owner != ""):
		return 403, "forbidden"
	case aboutAda && c.agents != nil && !slices.Contains(c.agents, "ada"):
		return 404, "not_found"
	case p.unpinned && c.owner != "":
		return 403, "forbidden"
	case p.owner && c.owner == "" && c.role == memory.RoleViewer:
		return 403, "owner_not_allowed"
	case p.owner && c.owner == "" && c.role == memory.RoleMember:
		return 422, "owner_required"
	case slices.Contains([]string{"morning-card", "see-morning-card", "list-injections", "get-injection"}, op.id) && // they name api:42
		(c.owner == "api:43" || c.owner == "" && c.role == memory.RoleViewer):
		return 403, "owner_not_allowed"
	case slices.Contains([]string{"create-deletion", "create-revocation", "list-approvals", "get-approval", "decide-approval"}, op.id) && c.owner == "" &&
		c.role != memory.RoleAdmin:
		return 403, "forbidden"
	case p.words && c.owner == "" && !c.role.Includes(memory.RoleAdmin):
		return 403, "owner_not_allowed"
	case c.owner == "api:43":
		switch op.id { // what it asks for is api:42's
		case "add-messages", "create-import", "assemble-context", "chat", "chat-stream", "create-chat-completion", "remember", "forget", "create-deletion", "create-webhook", "create-revocation", "write-memory", "list-held",
			"accept-held", "refuse-held":
			return 403, "owner_not_allowed"
		case "list-messages",
			"list-compactions",
			"list-flushes",
			"compact-conversation",
			"summarize-conversation",
			"get-extraction",
			"retry-extraction",
			"delete-file",
			"undelete-file",
			"restore-file",
			"set-prompt-file",
			"get-import",
			"add-import-items",
			"list-import-items",
			"start-import",
			"cancel-import",
			"get-dream",
			"list-dream-candidates",
			"compare-dreams",
			"replay-dream",
			"confirm-entry",
			"edit-entry",
			"forget-entry",
			"revert-dream",
			"dream-again":
			return 404, "not_found"
		}
	}
	if c.owner != "" && slices.Contains([]string{"add-import-items", "start-import", "cancel-import"}, op.id) {
		return 403, "forbidden" // another key made the import
	}
	return p.status, map[int]string{503: "workflows_unavailable", 404: "not_found", 422: "invalid_request", 409: "conflict"}[p.status]
}

func TestWhoMayCallWhat(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)
	dreamt, rehearsed := h.dreamt(
		"api:42",
		dreams.NewDream{},
	), h.dreamt(
		"api:42",
		dreams.NewDream{Mode: "nightly", Trigger: "request", DryRun: true},
	)
	table := probes(h.quarantined("c1"), dreamt.ID, rehearsed.ID)
	ops := operations(t)
	for id := range table {
		if _, found := ops[id]; !found {
			t.Errorf("%s is no operation any more", id)
		}
	}
	secrets := map[string]string{"nobody": "", "a wrong key": "rv_wrong"}
	for name, c := range callers {
		if c.role == "" {
			continue
		}
		secrets[name] = h.key(name, c.role, c.owner, c.agents...)
		if c.revoked {
			h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + h.keys[name].String(), key: h.admin}), 200)
		}
	}
	var n atomic.Int64
	for _, id := range slices.Sorted(maps.Keys(ops)) {
		op := ops[id]
		p, found := table[id]
		switch {
		case op.role == "":
			continue
		case !found:
			t.Errorf("%s has no entry in the matrix", id)
			continue
		}
		for _, who := range slices.Sorted(maps.Keys(callers)) {
			number := n.Add(1)
			if p.prepare != nil {
				p.prepare(h, number)
			}
			r := request{method: op.method, path: strings.ReplaceAll(p.path, "%d", fmt.Sprint(number)), key: secrets[who], header: p.header}
			if p.body != nil {
				r.body = p.body(number)
			}
			status, name := expected(op, p, callers[who])
			paths := []string{r.path}
			if op.original != "" { // the table has the original paths
				paths = append(paths, op.at(r.path))
			}
			for _, r.path = range paths {
				if got := h.do(r); got.status != status || got.Error != name {
					t.Errorf("%s at %s by %s: %d %q, want %d %q: %s", id, r.path, who, got.status, got.Error, status, name, got.body)
				}
			}
		}
	}
	h.wantAudited(slices.Collect(maps.Values(ops)))
	for _, id := range []string{"health", "ready", "openapi-json", "openapi-yaml", "docs", "docs-asset", "metrics"} {
		if op, found := ops[id]; !found || op.role != "" {
			t.Errorf("%s is not public: %+v", id, op)
		}
	}
}

// quarantined makes a refused extraction of a conversation of api:42 of agent ada, as the worker records one.
func (h *harness) quarantined(conversation string) uuid.UUID {
	h.t.Helper()
	id := memory.Identity{
		Workspace: workspace, Agent: "ada", Owner: "api:42", Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "extract/test", RunID: uuid.NewString()},
	}
	c, err := h.store.Conversation(h.t.Context(), id, conversation)
	if err != nil {
		h.t.Fatal(err)
	}
	x, err := h.store.BeginExtraction(h.t.Context(), id, talk.Range{ConversationUID: c.UID, From: 1, To: c.Last})
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = h.store.RecordOutcome(h.t.Context(), id, x.ID, talk.Ending{
		Outcome: memory.OutcomeQuarantined, ReasonCode: "guards", Reason: "REASONMARKER", Raw: "RAWMARKER",
		Violations: []proposals.Violation{{Code: "too_long", Message: "VIOLATIONMARKER"}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return x.ID
}

// Whom a key may name.
func TestWhoMaySpeakForWhom(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("secret.md?owner=api:42", "about 42\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	viewer := h.key("viewer", memory.RoleViewer, "")
	member := h.key("member", memory.RoleMember, "")
	read := func(key, who string) answered {
		return h.do(request{method: "GET", path: workspaceFiles + "files/secret.md" + who, key: key})
	}
	for _, c := range []struct {
		key, who string
		status   int
		name     string
	}{
		{pinned, "", 200, ""},
		{pinned, "?owner=api:42", 200, ""},
		{pinned, "?endUserId=42", 200, ""},
		{pinned, "?owner=api:43", 403, "owner_not_allowed"},
		{pinned, "?owner=system", 403, "owner_not_allowed"},
		{member, "", 404, "not_found"},
		{member, "?owner=api:42", 200, ""},
		{member, "?channel=api&sender=42", 200, ""},
		{member, "?owner=api:43", 404, "not_found"},
		{member, "?owner=system", 403, "owner_not_allowed"},
		{viewer, "", 404, "not_found"},
		{viewer, "?owner=api:42", 403, "owner_not_allowed"},
		{h.admin, "?owner=api:42", 200, ""},
		{h.admin, "?owner=system", 404, "not_found"},
	} {
		if got := read(c.key, c.who); got.status != c.status || got.Error != c.name {
			t.Errorf("%s: %d %q, want %d %q", c.who, got.status, got.Error, c.status, c.name)
		}
	}
	// A pinned key writes its owner's memory only.
	write := func(key, query string) answered {
		return h.do(
			request{
				method: "PUT",
				path:   workspaceFiles + "files/w-" + uuid.NewString() + ".md" + query,
				key:    key,
				body:   map[string]any{"content": "x"},
			},
		)
	}
	h.want(write(pinned, ""), 201)
	h.wantError(write(pinned, "?scope=TEAM"), 403, "forbidden")
	h.want(write(member, "?scope=TEAM"), 201)
	h.wantError(write(member, "?scope=GLOBAL"), 403, "forbidden")
	h.want(write(h.admin, "?scope=GLOBAL"), 201)
	// Other ways of saying who one is decide nothing.
	for _, header := range []string{"X-Owner", "X-User-Id", "X-End-User-Id", "X-Workspace-Id", "X-Forwarded-User"} {
		got := h.do(
			request{method: "GET", path: workspaceFiles + "files/secret.md", key: member, header: map[string]string{header: "api:42"}},
		)
		h.wantError(got, 404, "not_found")
	}
}

// An agent that a key may not use looks like one that does not exist.
func TestForeignAgentsAreNotRevealed(t *testing.T) {
	h := start(t)
	h.agent("ada")
	limited := h.key("limited", memory.RoleMember, "", "bob")
	foreign := h.do(request{method: "GET", path: "/api/v1/agents/ada", key: limited})
	missing := h.do(request{method: "GET", path: "/api/v1/agents/eve", key: limited})
	if foreign.status != 404 || strings.ReplaceAll(string(foreign.body), "ada", "eve") != string(missing.body) {
		t.Errorf("%s and %s tell the two apart", foreign.body, missing.body)
	}
	type agents struct{ Items []struct{ ID string } }
	if got := as[agents](h, h.do(request{method: "GET", path: "/api/v1/agents", key: limited})); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestKeys(t *testing.T) {
	h := start(t)
	made := h.want(h.do(request{method: "POST", path: "/api/v1/keys", key: h.admin, body: map[string]any{
		"name": "backend", "role": "member", "agents": []string{"ada"}, "owner": "api:42",
	}}), 201)
	key := as[struct {
		ID, Name, Role, Owner, Secret string
		Agents                        []string
	}](h, made)
	if !strings.HasPrefix(key.Secret, "rv_") || key.Role != "member" || key.Owner != "api:42" || fmt.Sprint(key.Agents) != "[ada]" {
		t.Errorf("%+v", key)
	}
	if made.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer with a secret may be stored: %s", made.header.Get("Cache-Control"))
	}
	listed := h.want(h.get("/api/v1/keys"), 200)
	if !strings.Contains(string(listed.body), key.ID) || strings.Contains(string(listed.body), key.Secret) {
		t.Errorf("%s", listed.body)
	}
	// A revoked key stops working at once on the server that revoked it, though it was just used.
	h.want(h.do(request{method: "GET", path: "/api/v1/status", key: key.Secret}), 200)
	h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + key.ID, key: h.admin}), 200)
	h.wantError(h.do(request{method: "GET", path: "/api/v1/status", key: key.Secret}), 401, "unauthorized")

	for name, body := range map[string]map[string]any{
		"role": {"name": "n", "role": "owner"}, "owner": {"name": "n", "role": "viewer", "owner": "nobody"},
		"agents": {"name": "n", "role": "viewer", "agents": []string{}}, "slug": {"name": "n", "role": "viewer", "agents": []string{"A B"}},
		"name": {"name": "", "role": "viewer"}, "pinned admin": {"name": "n", "role": "admin", "owner": "api:1"},
	} {
		if got := h.do(request{method: "POST", path: "/api/v1/keys", key: h.admin, body: body}); got.status != 422 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	h.wantError(h.do(request{method: "DELETE", path: "/api/v1/keys/nonsense", key: h.admin}), 422, "invalid_request")
}

// A key that is revoked elsewhere stops working within the cache's time.
func TestARevocationElsewhereIsNoticed(t *testing.T) {
	clock := &fakeClock{at: time.Now()}
	h := start(t, func(o *api.Options) { o.Now = clock.now })
	key := h.key("k", memory.RoleViewer, "")
	call := func() answered { return h.do(request{method: "GET", path: "/api/v1/agents", key: key}) }
	h.want(call(), 200)
	id := memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "other server"}}
	if err := h.store.RevokeKey(t.Context(), id, h.keys["k"]); err != nil {
		t.Fatal(err)
	}
	clock.advance(4900 * time.Millisecond)
	h.want(call(), 200)
	clock.advance(100 * time.Millisecond)
	h.wantError(call(), 401, "unauthorized")
}

// fakeClock implements a clock that moves only when a test advances it.
type fakeClock struct {
	at      time.Time
	elapsed atomic.Int64
}

func (c *fakeClock) now() time.Time          { return c.at.Add(time.Duration(c.elapsed.Load())) }
func (c *fakeClock) advance(d time.Duration) { c.elapsed.Add(int64(d)) }

func TestRateLimit(t *testing.T) {
	clock := &fakeClock{at: time.Now()}
	h := start(t, func(o *api.Options) { o.RateLimit, o.Now = 0.5, clock.now })
	other := h.key("other", memory.RoleViewer, "") // the admin key's only request for now
	limited := h.wantError(h.get("/api/v1/agents"), http.StatusTooManyRequests, "rate_limited")
	if limited.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
	}
	h.want(h.do(request{method: "GET", path: "/api/v1/agents", key: other}), 200) // each key has its own
	clock.advance(2 * time.Second)
	h.want(h.get("/api/v1/agents"), 200)
	h.wantError(h.get("/api/v1/agents"), http.StatusTooManyRequests, "rate_limited")
}

// A client that tries many wrong keys is slowed down. Clients at the same address whose keys have been valid are not, however long
// ago that was.
func TestGuessingKeysIsSlow(t *testing.T) {
	clock := &fakeClock{at: time.Now()}
	h := start(t, func(o *api.Options) { o.Now = clock.now })
	h.want(h.get("/api/v1/agents"), 200)
	clock.advance(time.Hour)
	statuses := map[int]int{}
	for i := range 30 {
		statuses[h.do(request{method: "GET", path: "/api/v1/agents", key: fmt.Sprint("guess ", i)}).status]++
	}
	if statuses[401] != 20 || statuses[429] != 10 {
		t.Errorf("statuses %v", statuses)
	}
	h.want(h.get("/api/v1/agents"), 200)
}

// A server that has seen nothing yet, after a restart or beside another one, does not lock valid keys out while keys are guessed at
// their address. A key that was valid once gets an answer that says so.
func TestARestartWhileKeysAreGuessed(t *testing.T) {
	before := start(t)
	ended := before.key("ended", memory.RoleViewer, "")
	before.want(before.do(request{method: "DELETE", path: "/api/v1/keys/" + before.keys["ended"].String(), key: before.admin}), 200)
	valid := before.key("valid", memory.RoleViewer, "")
	h := startOn(t, before.database)
	guess := func() int {
		return h.do(request{method: "GET", path: "/api/v1/agents", key: "guess " + uuid.NewString()}).status
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for n := 0; guess() != 429; n++ {
		if n == 100 {
			t.Fatal("nobody slows guessing down")
		}
	}
	for range 8 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = guess()
				}
			}
		})
	}
	h.want(h.do(request{method: "GET", path: "/api/v1/agents", key: valid}), 200)
	for n := range 10 {
		fresh := h.key(fmt.Sprint("fresh ", n), memory.RoleViewer, "")
		h.want(h.do(request{method: "GET", path: "/api/v1/agents", key: fresh}), 200)
	}
	h.want(h.do(request{method: "GET", path: "/api/v1/agents", key: ended}), 401)
}

// Wrong keys count for the client that a trusted proxy names, and for the connection if the proxy is not trusted.
func TestGuessingBehindAProxy(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		clock := &fakeClock{at: time.Now()}
		h := start(t, func(o *api.Options) {
			o.Now = clock.now
			if trusted {
				o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
			}
		})
		call := func(forwarded, key string) int {
			return h.do(request{method: "GET", path: "/api/v1/agents", key: key, header: map[string]string{"X-Forwarded-For": forwarded}}).status
		}
		guesses := func(forwarded string) map[int]int {
			statuses := map[int]int{}
			for range 30 {
				statuses[call(forwarded, "guess "+uuid.NewString())]++
			}
			return statuses
		}
		if first := guesses("198.51.100.7, 10.1.2.3"); first[401] != 20 {
			t.Errorf("trusted %v: %v", trusted, first)
		}
		want := map[bool]int{true: 20, false: 0}[trusted]
		if other := guesses("198.51.100.7, 203.0.113.9"); other[401] != want {
			t.Errorf("trusted %v, another client: %v", trusted, other)
		}
		if same := guesses("203.0.113.1, 198.51.100.7, 10.1.2.3"); same[401] != 0 {
			t.Errorf("trusted %v, the same client with an invented address in front: %v", trusted, same)
		}
		if trusted && !strings.Contains(h.log.String(), `"address":"203.0.113.9"`) {
			t.Error("the log does not say where wrong keys came from")
		}
	}
}

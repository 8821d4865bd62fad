package web_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/api/rest"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/facts"
	"reverie/store/storetest"
	"reverie/web"
)

func TestMain(m *testing.M) { devtest.Main(m) }

const workspace = "acme"

var root = memory.Identity{Workspace: workspace, Role: memory.RoleAdmin}

// harness is a server with pages, on a real database, without Temporal.
type harness struct {
	t     testing.TB
	url   string
	data  string // the address of the database
	store *store.Store
	pages *web.Browser
	keys  map[string]string // secrets by name
	talk  string            // the conversation of api:42
	whose string            // the id of api:42 in addresses
	fact  string            // the fact of api:42
}

// start runs a server with agent ada, of whom api:42 has a document and a conversation, and agent bob.
func start(tb testing.TB, options ...func(*store.Options)) *harness {
	tb.Helper()
	o := store.Options{}
	for _, option := range options {
		option(&o)
	}
	s, database := storetest.Open(tb, o)
	check(tb, s.EnsureWorkspace(tb.Context(), workspace, "Acme"))
	temporal, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	check(tb, err)
	tb.Cleanup(temporal.Close)
	log := slog.New(slog.NewTextHandler(tb.Output(), nil))
	server, err := api.New(api.Options{
		Store: s, Temporal: temporal, Timing: setting.DefaultTiming(), Workspace: workspace,
		Version: "test", Log: log, AuditAdmins: true, Model: api.Model{Name: "builtin/extractive", BuiltIn: true},
		DeletionGrace: time.Hour,
	})
	check(tb, err)
	h := &harness{t: tb, data: database, store: s, pages: web.Register(server)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(tb, err)
	h.url = "http://" + listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	tb.Cleanup(func() {
		stop()
		check(tb, <-ended)
	})
	h.keys = map[string]string{}
	secret := "test-admin-key-" + uuid.NewString()
	check(tb, s.EnsureKey(tb.Context(), workspace, "test", secret, memory.RoleAdmin))
	h.keys["admin"] = secret
	for _, agent := range []string{"ada", "bob"} {
		h.call(http.MethodPost, "/agents", `{"id":"`+agent+`"}`)
	}
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/bees.md?endUserId=42", `{"content":"# Facts\n\n- Grace keeps bees.\n"}`)
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/bees.md?endUserId=42", `{"content":"# Facts\n\n- Grace keeps bees in Bern.\n"}`, "If-Match", "*")
	h.call(http.MethodPost, "/agents/ada/conversations/garden-talk/messages",
		`{"endUserId":"42","messages":[{"id":"m1","role":"user","content":"I keep bees in Bern."}]}`)
	grace := root.For("ada", "api:42")
	owner, err := s.OwnerID(tb.Context(), grace)
	check(tb, err)
	conversation, err := s.Conversations(tb.Context(), grace, store.Page{})
	check(tb, err)
	facts, err := s.ByTrust(tb.Context(), grace, facts.Query{})
	check(tb, err)
	if len(facts.Items) != 1 {
		tb.Fatalf("%d facts", len(facts.Items))
	}
	h.fact = facts.Items[0].ID.String()
	h.whose, h.talk = owner.String(), conversation.Items[0].UID.String()
	return h
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// call makes a request of the API as the administrator.
func (h *harness) call(method, path, body string, header ...string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+"/api/v1"+path, strings.NewReader(body))
	check(h.t, err)
	r.Header.Set("Authorization", "Bearer "+h.keys["admin"])
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	check(h.t, err)
	defer answer.Body.Close()
	if answer.StatusCode > 299 {
		said, _ := io.ReadAll(answer.Body)
		h.t.Fatalf("%s %s: %s %s", method, path, answer.Status, said)
	}
}

// key makes a key, and returns its secret.
func (h *harness) key(name string, role memory.Role, owner memory.Owner, agents ...string) string {
	h.t.Helper()
	secret, _, err := h.store.CreateKey(h.t.Context(), root, admin.NewKey{Name: name, Role: role, Owner: owner, Agents: agents})
	check(h.t, err)
	return secret
}

// visitor is a browser.
type visitor struct {
	*harness
	http.Client
	cookie *http.Cookie
	csrf   string
}

// page is an answer.
type page struct {
	status   int
	header   http.Header
	body     string
	location string
}

func (h *harness) visitor() *visitor {
	v := &visitor{harness: h}
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return v
}

// do requests a page; a form makes it a POST with the token of the session.
func (v *visitor) do(method, path string, form url.Values, header ...string) page {
	v.t.Helper()
	if method != http.MethodPost {
		return v.send(method, path, nil, header...)
	}
	sent := url.Values{"csrf": {v.csrf}}
	maps.Copy(sent, form)
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}, header...)
	return v.send(method, path, strings.NewReader(sent.Encode()), header...)
}

// send makes a request, with pairs of a header's name and value.
func (v *visitor) send(method, path string, body io.Reader, header ...string) page {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, body)
	check(v.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	answer, err := v.Do(r)
	check(v.t, err)
	defer answer.Body.Close()
	var raw []byte
	if answer.Header.Get("Content-Type") == rest.EventStream { // it would not end
		raw = make([]byte, 64)
		n, err := answer.Body.Read(raw)
		check(v.t, err)
		raw = raw[:n]
	} else {
		raw, err = io.ReadAll(answer.Body)
		check(v.t, err)
	}
	for _, c := range answer.Cookies() {
		if c.Name == rest.SessionCookie {
			v.cookie = c
		}
	}
	return page{answer.StatusCode, answer.Header, string(raw), answer.Header.Get("Location")}
}

func (v *visitor) get(path string) page { v.t.Helper(); return v.do(http.MethodGet, path, nil) }

var csrfField = regexp.MustCompile(`name="csrf" value="([0-9a-f]{64})"`)

// signIn opens a session with the secret of a key.
func (v *visitor) signIn(secret string) *visitor {
	v.t.Helper()
	if p := v.do(http.MethodPost, "/sign-in", url.Values{"key": {secret}}); p.status != http.StatusSeeOther || p.location != "/" {
		v.t.Fatalf("signing in: %d %s", p.status, p.body)
	}
	found := csrfField.FindStringSubmatch(v.get("/").body)
	if found == nil {
		v.t.Fatal("the overview has no form with a token")
	}
	v.csrf = found[1]
	return v
}

// caller is a visitor of the table.
type caller struct {
	role   memory.Role // empty: no session
	owner  memory.Owner
	agents []string
}

var callers = map[string]caller{
	"nobody":                 {},
	"viewer":                 {role: memory.RoleViewer},
	"viewer of another":      {role: memory.RoleViewer, agents: []string{"bob"}},
	"viewer for one owner":   {role: memory.RoleViewer, owner: "api:42"},
	"member":                 {role: memory.RoleMember},
	"member of another":      {role: memory.RoleMember, agents: []string{"bob"}},
	"member for one owner":   {role: memory.RoleMember, owner: "api:42"},
	"member for another":     {role: memory.RoleMember, owner: "api:43"},
	"owner's member, no ada": {role: memory.RoleMember, owner: "api:42", agents: []string{"bob"}},
	"admin":                  {role: memory.RoleAdmin},
	"admin of ada":           {role: memory.RoleAdmin, agents: []string{"ada"}},
	"admin of another":       {role: memory.RoleAdmin, agents: []string{"bob"}},
}

// probe is a request of a page. In its path {agent} is ada, {owner} is tried with each kind of memory, and other parameters are replaced.
type probe struct {
	rest string     // replaces the last parameter
	form url.Values // of a POST
	ok   int        // the status for those who may; 0: 200
	// of reports whether the page exists for a memory: "" those of api:42, "shared" or "other". nil: for all.
	of func(whose string) bool
	// root: for administrators of all agents only.
	root bool
	// words: of a memory without a person, only an administrator sees it.
	words bool
}

func personal(whose string) bool { return whose != "shared" }

func onlyGrace(whose string) bool { return whose == "42" }

const document = "notes/bees.md?scope=PERSONAL"

// probes has each page with the request that the table makes of it.
var probes = map[string]probe{
	"page-asset":               {rest: "reverie.css"},
	"page-icon":                {},
	"page-sign-in":             {},
	"page-sign-in-key":         {form: url.Values{"key": {"rv_none-none-none-none-none"}}, ok: http.StatusUnauthorized},
	"page-sign-in-link":        {form: url.Values{"link": {"none"}}, ok: http.StatusUnauthorized},
	"page-sign-out":            {}, // tried by TestSession; here it would end the caller's
	"page-overview":            {},
	"page-people":              {},
	"page-find-person":         {form: url.Values{"owner": {"api:42"}}},
	"page-memory":              {},
	"page-document":            {rest: document, of: onlyGrace},
	"page-history":             {rest: document, of: onlyGrace},
	"page-compare":             {rest: document + "&to=2", of: onlyGrace},
	"page-restore":             {rest: document, form: url.Values{"version": {"2"}}, ok: http.StatusSeeOther, of: onlyGrace},
	"page-edit":                {rest: document, of: onlyGrace},
	"page-save":                {rest: document, form: url.Values{"base": {"1"}, "content": {"# Facts\n"}}, ok: http.StatusConflict, of: onlyGrace},
	"page-delete":              {rest: document, form: url.Values{"base": {"1"}}, ok: http.StatusConflict, of: onlyGrace},
	"page-search":              {form: url.Values{"q": {"bees"}}},
	"page-search-all":          {form: url.Values{"q": {"bees"}}},
	"page-conversations":       {},
	"page-conversation":        {of: onlyGrace, words: true},
	"page-revocation":          {of: onlyGrace, words: true},
	"page-revoke":              {ok: http.StatusSeeOther, of: onlyGrace, words: true},
	"page-deletions":           {words: true},
	"page-delete-owner":        {ok: http.StatusUnprocessableEntity, of: personal},
	"page-cancel-deletion":     {ok: http.StatusNotFound, words: true},
	"page-deletion":            {of: onlyGrace, words: true},
	"page-delete-conversation": {ok: http.StatusUnprocessableEntity, of: onlyGrace, words: true},
	"page-source":              {},
	"page-revoke-source":       {form: url.Values{"kind": {"connector"}, "source": {"crm-*"}}, ok: http.StatusNotFound},
	"page-extraction":          {of: func(string) bool { return false }},
	"page-retry":               {of: func(string) bool { return false }},
	"page-timeline":            {},
	"page-live":                {},
	"page-keys":                {root: true},
	"page-new-key":             {form: url.Values{"name": {""}}, root: true},
	"page-rotate-key":          {ok: http.StatusNotFound, root: true},
	"page-revoke-key":          {ok: http.StatusNotFound, root: true},
	"page-webhooks":            {},
	"page-new-webhook":         {form: url.Values{"url": {"none"}}},
	"page-change-webhook":      {form: url.Values{"do": {"delete"}}, ok: http.StatusNotFound},
	"page-usage":               {},
	"page-budget":              {form: url.Values{"do": {"resume"}}, ok: http.StatusSeeOther},
	"page-queues":              {root: true},
	"page-doctor":              {},
	"page-fix":                 {},
	"page-facts":               {},
	"page-find-facts":          {form: url.Values{"keyword": {"bees"}}},
	"page-fact":                {of: onlyGrace},
	"page-opinion":             {form: url.Values{"opinion": {"helpful"}}, ok: http.StatusSeeOther, of: onlyGrace},
	"page-change-fact":         {form: url.Values{"do": {"restore"}}, ok: http.StatusSeeOther, of: onlyGrace}, // of one that is not archived
	"page-archived":            {},
	"page-find-archived":       {form: url.Values{"keyword": {"bees"}}},
	"page-contradictions":      {},
	"page-resolve":             {form: url.Values{"resolution": {"IGNORE"}}, of: func(string) bool { return false }},
	"page-card":                {of: personal},
	"page-card-seen":           {form: url.Values{"report": {uuid.NewString()}}, of: func(string) bool { return false }},
	"page-entry":               {form: url.Values{"decision": {"confirm"}}, of: func(string) bool { return false }},
	"page-injections":          {of: personal},
	"page-injection":           {of: func(string) bool { return false }},
	"page-ask-injection":       {form: url.Values{"about": {"bees"}}, of: func(string) bool { return false }},
	"page-context":             {of: personal},
	"page-ask-context":         {form: url.Values{"message": {"Where do I keep bees?"}}, of: personal},
	"page-prompt":              {form: url.Values{"move": {"in PERSONAL notes/bees.md"}}, ok: http.StatusSeeOther, of: onlyGrace},
	"page-transfer":            {},
	"page-export":              {},
	"page-preview":             {},
	"page-import":              {ok: http.StatusUnprocessableEntity},
	"page-chat":                {of: personal},
	"page-say-first":           {of: personal},
	"page-chatting":            {of: onlyGrace},
	"page-say":                 {of: onlyGrace},
	"page-replay":              {of: func(string) bool { return false }},
	"page-replay-now":          {of: func(string) bool { return false }},
	"page-difference":          {of: func(string) bool { return false }},
	"page-schedules":           {},
	"page-dream":               {of: func(string) bool { return false }},
	"page-dream-now":           {ok: http.StatusServiceUnavailable}, // without Temporal
	"page-dream-undo":          {of: func(string) bool { return false }},
	"page-dream-again":         {of: func(string) bool { return false }},
	"page-held":                {},
	"page-approvals":           {},
	"page-approve": {
		form: url.Values{"approval": {uuid.NewString()}, "line": {"0"}, "decision": {"approve"}}, of: func(string) bool { return false },
	},
	"page-decide": {form: url.Values{"entry": {strings.Repeat("a", 32)}, "decision": {"accept"}}, of: func(string) bool { return false }},
}

// TestAccess requests every page as every kind of caller. A new page without a probe fails.
func TestAccess(t *testing.T) {
	h := start(t)
	for name, c := range callers {
		v := h.visitor()
		switch {
		case name == "admin":
			v.signIn(h.keys["admin"])
		case c.role != "":
			v.signIn(h.key(name, c.role, c.owner, c.agents...))
		}
		for _, r := range h.pages.Pages() {
			p, known := probes[r.ID]
			if !known {
				t.Fatalf("page %s has no probe", r.ID)
			}
			if r.ID == "page-sign-out" {
				continue
			}
			wholes := []string{""}
			if strings.Contains(r.Path, "{owner}") {
				wholes = []string{"me", "shared", h.whose}
			}
			for _, whose := range wholes {
				path := strings.NewReplacer("{agent}", "ada", "{owner}", whose, "{conversation}", h.talk, "{extraction}", uuid.NewString(),
					"{report}", uuid.NewString(), "{fact}", h.fact, "{key}", uuid.NewString(), "{contradiction}", uuid.NewString(),
					"{injection}", uuid.NewString(), "{deletion}", uuid.NewString(),
					"{entry}", strings.Repeat("a", 32), "{path}", p.rest, "{asset}", p.rest, "{$}", "").Replace(r.Path)
				got := v.do(r.Method, path, p.form)
				want := h.expected(r, p, c, whose)
				if !slices.Contains(want, got.status) {
					t.Errorf("%s, %s of %q: status %d, want %d: %.300s", name, r.ID, whose, got.status, want, text(got.body))
				}
				if got.status == http.StatusOK && c.owner == "api:43" && strings.Contains(got.body, "Bern") {
					t.Errorf("%s, %s of %q shows what api:42 said", name, r.ID, whose)
				}
				if c.role == "" && r.Need != "" && got.location != "/sign-in" {
					t.Errorf("%s: without a session it leads to %q", r.ID, got.location)
				}
				checkHeaders(t, r.ID, got)
			}
		}
	}
	for id := range probes {
		if !slices.ContainsFunc(h.pages.Pages(), func(r rest.Route) bool { return r.ID == id }) {
			t.Errorf("there is no page %s", id)
		}
	}
}

var tags = regexp.MustCompile(`(?s)<head>.*</head>|<[^>]*>|\s+`)

func text(html string) string {
	return strings.Join(strings.Fields(tags.ReplaceAllString(html, " ")), " ")
}

// expected is the rule of the table: the statuses that a caller may get of a page about a memory.
func (h *harness) expected(r rest.Route, p probe, c caller, whose string) []int {
	ok := []int{max(p.ok, http.StatusOK)}
	ofAda := strings.Contains(r.Path, "{agent}")
	pinned := c.owner != memory.NoOwner
	switch {
	case r.Need == "":
		return ok
	case c.role == "":
		return []int{http.StatusSeeOther}
	case !c.role.Includes(r.Need):
		return []int{http.StatusForbidden}
	case p.root && (c.agents != nil || pinned):
		return []int{http.StatusForbidden}
	case !ofAda:
		return ok
	case r.ID == "page-people" && (pinned || !c.role.Includes(memory.RoleMember)): // leads to the one memory that it sees
		return []int{http.StatusSeeOther}
	case c.agents != nil && !slices.Contains(c.agents, "ada"):
		return []int{http.StatusNotFound}
	case r.ID == "page-find-person" && c.owner == "api:43":
		return []int{http.StatusForbidden}
	case r.ID == "page-find-person":
		return []int{http.StatusSeeOther}
	case whose == "":
		return ok
	case pinned != (whose == "me"), whose == h.whose && !c.role.Includes(memory.RoleMember):
		return []int{http.StatusNotFound}
	}
	memories := "42"
	if whose == "shared" {
		memories = "shared"
	} else if c.owner == "api:43" {
		memories = "other"
	}
	deletes := slices.Contains([]string{"page-deletion", "page-delete-conversation", "page-delete-owner"}, r.ID)
	switch {
	case memories != "shared" && deletes && !pinned && c.role != memory.RoleAdmin:
		return []int{http.StatusForbidden}
	case memories == "42" && strings.HasPrefix(r.ID, "page-revo") && !pinned && c.role != memory.RoleAdmin:
		return []int{http.StatusForbidden}
	case memories == "shared" && p.words && c.role == memory.RoleViewer:
		return []int{http.StatusForbidden}
	case memories == "shared" && p.words && c.role == memory.RoleMember:
		return []int{http.StatusUnprocessableEntity}
	case memories == "shared" && p.words:
		return ok
	case memories == "shared" && r.ID == "page-live" && c.role != memory.RoleAdmin:
		return []int{http.StatusNotFound}
	case memories == "shared" && strings.HasPrefix(r.ID, "page-held") && c.role != memory.RoleAdmin:
		return []int{http.StatusForbidden}
	case strings.HasPrefix(r.ID, "page-appro") && c.role != memory.RoleAdmin && c.owner == "": // for the person with a key of theirs
		return []int{http.StatusForbidden}
	case p.of != nil && !p.of(memories):
		return []int{http.StatusNotFound, http.StatusForbidden, http.StatusSeeOther, http.StatusUnprocessableEntity} // it may lead to its history
	}
	return ok
}

// checkHeaders checks what every answer of a page has.
func checkHeaders(t *testing.T, id string, p page) {
	t.Helper()
	policy := p.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", id, policy)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s has %s: %q", id, name, got)
		}
	}
	if cache := p.header.Get("Cache-Control"); cache != "no-store" && !strings.HasPrefix(id, "page-asset") && !strings.HasPrefix(id, "page-icon") {
		t.Errorf("%s may be cached: %q", id, cache)
	}
	if strings.Contains(p.body, "<script>") || strings.Contains(p.body, " style=") || strings.Contains(p.body, " onclick=") {
		t.Errorf("%s has inline scripts or styles", id)
	}
}

// A session is a cookie that scripts cannot read and other sites cannot send. It ends when it is closed, and with its key.
func TestSession(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	if c := v.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Expires.IsZero() {
		t.Errorf("the cookie is %+v", c)
	}
	old := *v.cookie
	if p := v.do(http.MethodPost, "/sign-out", nil); p.location != "/sign-in" {
		t.Fatalf("%d %s", p.status, p.body)
	}
	v.cookie = &old
	if p := v.get("/"); p.location != "/sign-in" {
		t.Errorf("after signing out: %d", p.status)
	}
	secret := h.key("short", memory.RoleMember, "")
	v = h.visitor().signIn(secret)
	key, err := h.store.Authenticate(t.Context(), secret)
	check(t, err)
	check(t, h.store.RevokeKey(t.Context(), root, key.ID))
	if p := v.get("/"); p.location != "/sign-in" {
		t.Errorf("with a revoked key: %d", p.status)
	}
	r := h.visitor().do(http.MethodGet, "/", nil, "Authorization", "Bearer "+h.keys["admin"])
	if r.location != "/sign-in" {
		t.Errorf("a page is entered with a key: %d", r.status)
	}
}

// A key does not enter a page, and a session does not enter the API.
func TestSessionsAreForPages(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	if p := v.get("/api/v1/agents"); p.status != http.StatusUnauthorized {
		t.Errorf("the API takes the cookie: %d", p.status)
	}
}

// A browser that asks for an unknown page gets one with a way back; programs get JSON.
func TestUnknownPage(t *testing.T) {
	h := start(t)
	v := h.visitor()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for path, status := range map[string]int{
		"/nowhere": http.StatusNotFound, "/agents/ada/nowhere/at/all": http.StatusNotFound, "/sign-out": http.StatusMethodNotAllowed,
	} {
		p := v.do(http.MethodGet, path, nil, "Accept", browser)
		if p.status != status || p.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", path, p.status, p.header.Get("Content-Type"))
		}
		if !strings.Contains(p.body, "<h1>"+http.StatusText(status)+"</h1>") || !strings.Contains(p.body, `href="/"`) {
			t.Errorf("%s: %s", path, p.body)
		}
		checkHeaders(t, path, p)
	}
	for path, accept := range map[string]string{
		"/nowhere": "*/*", "/elsewhere": "", "/somewhere": "application/json", "/api/v1/nowhere": browser, "/v1/nowhere": "application/json",
	} {
		p := v.do(http.MethodGet, path, nil, "Accept", accept)
		if p.status != http.StatusNotFound || p.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(p.body, "{") {
			t.Errorf("%s for %q: %d %s %s", path, accept, p.status, p.header.Get("Content-Type"), p.body)
		}
	}
}

// Forms that another site sends, or that have no token of the session, change nothing.
func TestForgedForms(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	path := "/agents/ada/of/" + h.whose + "/edit/" + document
	form := url.Values{"base": {"2"}, "content": {"# Facts\n\n- Forged.\n"}}
	token := v.csrf
	other := h.visitor().signIn(h.keys["admin"]).csrf
	for _, sent := range []string{"", "x", other} {
		v.csrf = sent
		if p := v.do(http.MethodPost, path, form); p.status != http.StatusForbidden {
			t.Errorf("token %q: %d", sent, p.status)
		}
	}
	for _, site := range []string{"cross-site", "same-site", "none"} {
		p := h.visitor().do(http.MethodPost, "/sign-in", url.Values{"key": {h.keys["admin"]}}, "Sec-Fetch-Site", site)
		if p.status != http.StatusForbidden || p.header.Get("Set-Cookie") != "" {
			t.Errorf("signing in from %s: %d", site, p.status)
		}
	}
	v.csrf = token
	if p := v.do(http.MethodPost, path, form); p.status != http.StatusSeeOther {
		t.Errorf("with the token: %d %s", p.status, text(p.body))
	}
}

// A person's key shows that person's memory and no other.
func TestPersonSeesOnlyItself(t *testing.T) {
	h := start(t)
	grace := h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))
	if p := grace.get("/agents/ada/of/me/memory/" + document); !strings.Contains(p.body, "bees in Bern") {
		t.Errorf("the own document: %d %s", p.status, text(p.body))
	}
	other := h.visitor().signIn(h.key("other", memory.RoleMember, "api:43"))
	for _, path := range []string{"/memory", "/conversations", "/timeline", "/conversations/" + h.talk, "/memory/" + document} {
		if p := other.get("/agents/ada/of/me" + path); strings.Contains(p.body, "Bern") || strings.Contains(p.body, "garden-talk") {
			t.Errorf("another person sees on %s: %s", path, text(p.body))
		}
	}
	if p := other.do(http.MethodPost, "/search", url.Values{"q": {"bees"}}); strings.Contains(p.body, "Bern") {
		t.Errorf("another person finds: %s", text(p.body))
	}
}

// Each look of an administrator at somebody's memory is in the audit log.
func TestLooksAreAudited(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	if p := v.get("/agents/ada/of/" + h.whose + "/memory/" + document); p.status != http.StatusOK {
		t.Fatalf("%d %s", p.status, text(p.body))
	}
	listed, err := h.store.Audit(t.Context(), root, admin.AuditFilter{}, store.Page{Limit: 20})
	check(t, err)
	for _, record := range listed.Items {
		if record.Operation == "page-document" {
			if said := fmt.Sprintf("%+v", record); !strings.Contains(said, "api:42") || !strings.Contains(said, "notes/bees.md") {
				t.Errorf("the record is %s", said)
			}
			return
		}
	}
	t.Errorf("the look is not among %+v", listed.Items)
}

// A page about several agents is recorded for each of them.
func TestLooksAtSeveralAgentsAreAudited(t *testing.T) {
	h := start(t)
	if p := h.visitor().signIn(h.keys["admin"]).get("/"); p.status != http.StatusOK {
		t.Fatalf("%d %s", p.status, text(p.body))
	}
	for _, agent := range []string{"ada", "bob"} {
		listed, err := h.store.Audit(t.Context(), root, admin.AuditFilter{Agent: agent, Operation: "page-overview"}, store.Page{Limit: 20})
		check(t, err)
		if len(listed.Items) == 0 {
			t.Errorf("the look at %s is not recorded", agent)
		}
	}
}

// The first page is small.
func TestFirstPageIsSmall(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	total := len(v.get("/").body)
	for _, asset := range []string{"reverie.css", "reverie.js", "icon.svg"} {
		total += len(v.get("/static/" + asset).body)
	}
	t.Logf("%d bytes", total)
	if total > 100_000 {
		t.Errorf("the first page has %d bytes", total)
	}
}

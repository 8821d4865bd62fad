package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/approvals"
	"reverie/store/deletion"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/talk"
)

// parameters are those of a path that name no record.
var parameters = []string{"agent", "owner", "path", "asset", "$"}

var parameter = regexp.MustCompile(`\{([^}]+)\}`)

// records makes one existing record of api:42 for each parameter of a path, and for each field of a form that names one.
func (h *harness) records() map[string]string {
	h.t.Helper()
	ctx, grace := h.t.Context(), root.For("ada", "api:42")
	grace.Author = memory.Author{Kind: memory.AuthorDream, ID: "rules", WorkflowID: "dream/records", RunID: uuid.NewString()}
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/atlas.md?endUserId=42",
		`{"content":"- The budget of Atlas is 5000 euros.\n- The budget of Atlas is 7500 euros.\n"}`)
	begin := func(d dreams.NewDream) string {
		d.Mode, d.Trigger, d.Settings = memory.DreamNightly, memory.DreamBySchedule, setting.DefaultDreamSettings()
		made, err := h.store.BeginDream(ctx, grace, d)
		check(h.t, err)
		id := markdown.EntryIDOf("- Lives in Bern.")
		check(h.t, h.store.StageDream(ctx, grace, made.ID, dreams.StagedDream{
			AsOf: time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC), From: "2026-01-25", Scope: memory.ScopePersonal,
			Candidates: []dream.Candidate{{
				ID: id, Text: "Lives in Bern.", Score: .8, Verdict: dream.VerdictPromoted, ReasonCode: dream.ReasonPassed, Line: "- Lives in Bern.",
			}},
			Pins: dream.Pins{Material: strings.Repeat("a", 64), Candidates: strings.Repeat("b", 64)},
		}))
		_, err = h.store.EndDream(ctx, grace, made.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing})
		check(h.t, err)
		return made.ID.String()
	}
	report := begin(dreams.NewDream{})
	h.call(http.MethodPost, "/agents/ada/conversations/garden-talk/messages",
		`{"endUserId":"42","turnComplete":true,"messages":[{"id":"m2","role":"assistant","content":"Noted."}]}`)
	run, err := h.store.BeginExtraction(ctx, grace, talk.Range{ConversationUID: uuid.MustParse(h.talk), From: 1, To: 2})
	check(h.t, err)
	_, err = h.store.RecordOutcome(ctx, grace, run.ID, talk.Ending{Outcome: memory.OutcomeQuarantined, ReasonCode: "quarantined"})
	check(h.t, err)
	injection := uuid.Must(uuid.NewV7())
	check(h.t, h.store.RecordInjections(ctx, []facts.Injected{{
		Identity: grace, Injection: facts.Injection{ID: injection, At: time.Now(), Conversation: "garden-talk", Choices: []facts.Choice{}},
	}}))
	pairs, err := h.store.Contradictions(ctx, grace, facts.StateOpen, store.Page{})
	check(h.t, err)
	h.call(http.MethodPost, "/agents/ada/webhooks", `{"url":"https://example.com/","owner":"api:42"}`)
	hooks, err := h.store.Webhooks(ctx, grace, store.Page{})
	check(h.t, err)
	h.call(http.MethodPatch, "/agents/ada", `{"settings":{"approvals":"all"}}`)
	h.call(http.MethodPost, "/agents/ada/tools/write_workspace_memory_file?owner=api:42", `{"filename":"notes/wasps.md","content":"# Wasps\n\n- Fears wasps in Bern.\n"}`)
	h.call(http.MethodPatch, "/agents/ada", `{"settings":{"approvals":"off"}}`)
	waiting, err := h.store.Approvals(ctx, grace, approvals.Filter{Open: true})
	check(h.t, err)
	if len(pairs.Items) == 0 || len(waiting.Items) == 0 || len(hooks.Items) == 0 {
		h.t.Fatalf("%d contradictions, %d approvals, %d webhooks", len(pairs.Items), len(waiting.Items), len(hooks.Items))
	}
	self := grace
	self.Pinned, self.Role = true, memory.RoleMember
	asked, err := h.store.RequestDeletion(ctx, self, deletion.Target{Kind: deletion.Conversation, Conversation: "garden-talk", Grace: time.Hour})
	check(h.t, err)
	// A key belongs to a workspace: this one to another.
	check(h.t, h.store.EnsureWorkspace(ctx, "globex", "Globex"))
	_, key, err := h.store.CreateKey(ctx, memory.Identity{Workspace: "globex", Role: memory.RoleAdmin}, admin.NewKey{Name: "theirs", Role: memory.RoleMember})
	check(h.t, err)
	return map[string]string{
		"conversation": h.talk, "fact": h.fact, "report": report, "entry": string(markdown.EntryIDOf("- Lives in Bern.")),
		"extraction": run.ID.String(), "injection": injection.String(), "contradiction": pairs.Items[0].ID.String(),
		"webhook": hooks.Items[0].ID.String(), "key": key.ID.String(), "approval": waiting.Items[0].ID.String(),
		"deletion": asked.ID.String(),
	}
}

// TestRecordsOfOthers requests every page that takes the id of a record, with one that exists and is api:42's: for another person, an
// administrator who looks at another person, and at another agent, it does not exist. Its own person finds it. A page with a parameter
// that has no record here fails.
func TestRecordsOfOthers(t *testing.T) {
	h := start(t)
	records := h.records()
	id := func(agent string, owner memory.Owner) string {
		h.call(http.MethodPut, "/agents/"+agent+"/workspace/files/notes/own.md?owner="+string(owner), `{"content":"- Tea.\n"}`)
		found, err := h.store.OwnerID(t.Context(), root.For(agent, owner))
		check(t, err)
		return found.String()
	}
	type look struct {
		name, agent, owner string
		*visitor
	}
	admins := h.visitor().signIn(h.keys["admin"])
	strangers := []look{
		{"another person", "ada", "me", h.visitor().signIn(h.key("other", memory.RoleMember, "api:43"))},
		{"an administrator at another person", "ada", id("ada", "api:43"), admins},
		{"an administrator at another agent", "bob", id("bob", "api:42"), admins},
		{"a person at another agent", "bob", "me", h.visitor().signIn(h.key("elsewhere", memory.RoleMember, "api:42"))},
	}
	own := look{"its person", "ada", "me", h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))}
	keeper := look{"its administrator", "ada", h.whose, admins}

	request := func(by look, r rest.Route) page {
		form := url.Values{}
		maps.Copy(form, probes[r.ID].form)
		for field := range form {
			if record, known := records[field]; known {
				form.Set(field, record)
			}
		}
		path := parameter.ReplaceAllStringFunc(r.Path, func(p string) string {
			switch name := strings.Trim(p, "{}"); name {
			case "agent":
				return by.agent
			case "owner":
				return by.owner
			default:
				return records[name]
			}
		})
		return by.do(r.Method, path, form)
	}
	var tried []rest.Route
	for _, r := range h.pages.Pages() {
		names := false
		for _, m := range parameter.FindAllStringSubmatch(r.Path, -1) {
			if slices.Contains(parameters, m[1]) {
				continue
			}
			names = true
			if records[m[1]] == "" {
				t.Errorf("page %s takes a %s, of which there is no record to try", r.ID, m[1])
			}
		}
		for field := range probes[r.ID].form {
			names = names || strings.Contains(r.Path, "{owner}") && records[field] != ""
		}
		if names {
			tried = append(tried, r)
		}
	}
	for _, r := range tried {
		for _, by := range strangers {
			administers := r.Need == memory.RoleAdmin
			if administers && by.visitor != admins || strings.Contains(r.Path, "{webhook}") && by.agent == "ada" {
				continue // TestAccess: these pages are for administrators, who see all of an agent
			}
			p := request(by, r)
			if p.status != http.StatusNotFound {
				t.Errorf("%s for %s: %d %.200s", r.ID, by.name, p.status, text(p.body))
			}
			for _, word := range []string{"Bern", "Atlas", "Lives in", "wasps", "example.com"} {
				if strings.Contains(p.body, word) {
					t.Errorf("%s tells %s of %q", r.ID, by.name, word)
				}
			}
		}
	}
	// Those that look come first: the others change what they are about.
	slices.SortStableFunc(tried, func(a, b rest.Route) int { return strings.Compare(a.Method, b.Method) })
	for _, r := range tried {
		if strings.Contains(r.Path, "{key}") || r.ID == "page-difference" { // a key of another workspace; a dream that is not a replay
			continue
		}
		by := own
		if r.Need == memory.RoleAdmin {
			by = keeper
		}
		if p := request(by, r); p.status == http.StatusNotFound || p.status == http.StatusForbidden || p.status == http.StatusOK && r.Method == http.MethodGet && p.body == "" {
			t.Errorf("%s for %s: %d %.200s", r.ID, by.name, p.status, text(p.body))
		}
	}
	t.Logf("%d pages take the id of a record", len(tried))
	if len(tried) < 20 {
		t.Errorf("only %d pages were tried", len(tried))
	}
}

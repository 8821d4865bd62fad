package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
)

const (
	factsPath         = "/api/v1/agents/ada/facts"
	originalFactsPath = "/api/v1/memory/ada/facts"
)

type fact struct {
	ID                                                            uuid.UUID
	Text, Path, SourceRef, Subject, Attribute, Value, Kind, Owner string
	Predicate, Object                                             string
	StartLine                                                     int
	Trust                                                         float64
}

type factList struct {
	Items  []fact
	Next   string
	Behind bool
}

type knownFact struct {
	Fact     fact
	Explain  []struct{ Term string }
	Wordings []struct{ Text string }
	Feedback []struct {
		ID       uuid.UUID
		Kind     string
		UndoneAt string
	}
	Story []struct{ Kind, Text string }
}

func (h *harness) facts(key, path string) factList {
	h.t.Helper()
	return as[factList](h, h.want(h.do(request{method: "GET", path: path, key: key}), 200))
}

func TestFacts(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n## Work Week\n\n- Keeps bees.\n- **deploy day**: Thursday\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n## Work Week\n\n- Keeps bees.\n- **deploy day**: Friday\n", map[string]string{"If-Match": "*"}), 200)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	if list := h.facts(pinned, factsPath); !list.Behind {
		t.Error("a member derives facts of shared documents")
	}
	h.facts(h.admin, factsPath) // derives them
	for _, path := range []string{factsPath, originalFactsPath} {
		list := h.facts(pinned, path+"?keyword=FRIDAY")
		if len(list.Items) != 1 {
			t.Fatalf("%+v", list)
		}
		day := list.Items[0]
		want := fact{
			ID: day.ID, Text: "**deploy day**: Friday", Path: "MEMORY.md", SourceRef: "MEMORY.md#work-week", Subject: "deploy day", Attribute: "is",
			Value: "Friday", Kind: day.Kind, Owner: "api:42", Predicate: "is", Object: "Friday", StartLine: 6, Trust: day.Trust,
		}
		if diff := cmp.Diff(want, day); diff != "" || day.Trust < .69 || day.Trust > .7 {
			t.Errorf("trust %g: %s", day.Trust, diff)
		}
	}
	for query, n := range map[string]int{
		"": 2, "?attribute=is": 1, "?path=MEMORY.md": 2, "?path=other.md": 0, "?category=general": 2, "?category=project": 0, "?kind=PROFILE": 0,
		"?minTrust=0.5": 2, "?minTrust=0.9": 0, "?keyword=bees&minTrust=0.5": 1,
	} {
		if list := h.facts(pinned, factsPath+query); len(list.Items) != n || list.Behind {
			t.Errorf("%s: %+v, want %d", query, list, n)
		}
	}
	first := h.facts(pinned, factsPath+"?limit=1")
	second := h.facts(pinned, factsPath+"?limit=1&cursor="+url.QueryEscape(first.Next))
	if len(first.Items) != 1 || len(second.Items) != 1 || first.Items[0].ID == second.Items[0].ID || second.Next != "" {
		t.Errorf("pages: %+v %+v", first, second)
	}
	day := h.facts(pinned, factsPath+"?keyword=friday").Items[0]
	known := as[knownFact](h, h.want(h.do(request{method: "GET", path: factsPath + "/" + day.ID.String(), key: pinned}), 200))
	if len(known.Explain) != 5 || len(known.Wordings) != 1 || len(known.Story) == 0 || known.Feedback == nil {
		t.Errorf("%+v", known)
	}
	h.want(h.do(request{method: "POST", path: factsPath + "/rebuild", key: h.admin}), 202)
	if again := h.facts(pinned, factsPath+"?keyword=friday").Items; len(again) != 1 || again[0].ID != day.ID {
		t.Errorf("rebuilt: %+v, want %s", again, day.ID)
	}
}

func TestFactFeedback(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "- Keeps bees.\n", nil), 201)
	h.want(h.put("TEAM.md?scope=TEAM", "- The team meets on Mondays.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	h.facts(h.admin, factsPath) // derives those of shared documents
	bees := h.facts(pinned, factsPath+"?keyword=bees").Items[0]
	meets := h.facts(pinned, factsPath+"?keyword=meets").Items[0]
	give := func(key, path, kind string, header map[string]string) answered {
		return h.do(request{method: "POST", path: path + "/feedback", key: key, header: header, body: map[string]any{"kind": kind}})
	}
	once := map[string]string{"Idempotency-Key": "one"}
	var known knownFact
	for range 2 {
		known = as[knownFact](h, h.want(give(pinned, originalFactsPath+"/"+bees.ID.String(), "UNHELPFUL", once), 200))
	}
	if len(known.Feedback) != 1 || bees.Trust-known.Fact.Trust < .19 || bees.Trust-known.Fact.Trust > .21 {
		t.Fatalf("trust %g, then %+v", bees.Trust, known)
	}
	undo := request{method: "DELETE", path: factsPath + "/" + bees.ID.String() + "/feedback/" + known.Feedback[0].ID.String(), key: pinned}
	known = as[knownFact](h, h.want(h.do(undo), 200))
	if len(known.Feedback) != 1 || known.Feedback[0].UndoneAt == "" || bees.Trust-known.Fact.Trust > .01 {
		t.Errorf("undone: %+v", known)
	}
	h.wantError(h.do(undo), 404, "not_found")
	h.wantError(give(pinned, factsPath+"/"+meets.ID.String(), "HELPFUL", nil), 403, "forbidden")
	h.want(give(h.admin, factsPath+"/"+meets.ID.String(), "HELPFUL", nil), 200)
	for _, kind := range []string{"", "helpful", "MAYBE"} {
		h.wantError(give(pinned, factsPath+"/"+bees.ID.String(), kind, nil), 422, "invalid_request")
	}
	for _, path := range []string{
		factsPath + "?keyword=a%00b", factsPath + "?attribute=%ff", factsPath + "?path=%00", factsPath + "?minTrust=2", factsPath + "?category=x",
		factsPath + "?kind=x", factsPath + "?cursor=x", factsPath + "?limit=0", factsPath + "/x", factsPath + "?keyword=" + strings.Repeat("a", 257),
	} {
		h.wantError(h.do(request{method: "GET", path: path, key: pinned}), 422, "invalid_request")
	}
}

// Nobody sees, judges or takes back what is about another person.
func TestFactsAreIsolated(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("bob")
	for n := range 2 {
		h.want(h.put(fmt.Sprintf("MEMORY.md?owner=api:%d", n), fmt.Sprintf("- The password word is MARKER%d.\n", n), nil), 201)
	}
	h.want(h.put("team.md?scope=TEAM", "- The password word is TEAMMARKER.\n", nil), 201)
	owner, stranger := h.key("owner", memory.RoleMember, "api:0"), h.key("stranger", memory.RoleMember, "api:1")
	h.facts(h.admin, factsPath+"?owner=api:1") // derives those of shared documents
	mine := factsPath + "/" + h.facts(owner, factsPath+"?keyword=marker0").Items[0].ID.String()
	for key, want := range map[string][]string{
		owner: {"MARKER0", "TEAMMARKER"}, stranger: {"MARKER1", "TEAMMARKER"}, h.key("viewer", memory.RoleViewer, ""): {"TEAMMARKER"},
		h.admin: {"TEAMMARKER"},
	} {
		list := h.facts(key, factsPath)
		if len(list.Items) != len(want) {
			t.Errorf("%+v, want %q", list, want)
		}
		for _, marker := range want {
			if !strings.Contains(fmt.Sprint(list), "is "+marker) {
				t.Errorf("%+v, want %q", list, want)
			}
		}
	}
	if list := h.facts(h.admin, "/api/v1/agents/bob/facts"); len(list.Items) > 0 {
		t.Errorf("of another agent: %+v", list)
	}
	helpful := map[string]any{"kind": "HELPFUL"}
	given := as[knownFact](h, h.want(h.postTo(owner, mine+"/feedback", helpful), 200)).Feedback[0].ID.String()
	h.wantError(h.do(request{method: "GET", path: mine, key: stranger}), 404, "not_found")
	h.wantError(h.postTo(stranger, mine+"/feedback", helpful), 404, "not_found")
	h.wantError(h.do(request{method: "DELETE", path: mine + "/feedback/" + given, key: stranger}), 404, "not_found")
	h.wantError(h.do(request{method: "GET", path: factsPath + "?owner=api:0", key: stranger}), 403, "owner_not_allowed")
	h.wantError(h.postTo(owner, factsPath+"/rebuild", nil), 403, "forbidden")
}

func TestStructuredConsolidation(t *testing.T) {
	h := start(t)
	h.agent("ada")
	tool := "/api/v1/agents/ada/tools/remember_structured?owner=api:"
	for owner, entries := range map[string]int{"1": 9, "2": 3} {
		for i := range entries {
			content := fmt.Sprintf("Fact number %d.", i)
			if i > 6 {
				content = "Likes green tea."
			}
			body := map[string]any{"type": "user", "key": fmt.Sprintf("key %d", i), "content": content}
			h.want(h.postTo(h.admin, tool+owner, body), 200)
		}
		h.want(h.post("c"+owner, batch(owner, true, "Hello, there.")), 202) // makes the owner known
	}
	type counts struct {
		OwnersConsolidated, Updated, SkippedSmall, SkippedOverCap, Failed, EntriesBefore, EntriesAfter int
	}
	const path = "/api/v1/memory/ada/structured-consolidation"
	got := as[counts](h, h.want(h.postTo(h.admin, path, nil), 200))
	if want := (counts{OwnersConsolidated: 1, Updated: 1, SkippedSmall: 2, EntriesBefore: 12, EntriesAfter: 11}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	again := as[counts](h, h.want(h.postTo(h.admin, path, nil), 200))
	if again.Updated != 0 || again.EntriesAfter != 11 {
		t.Errorf("again: %+v", again)
	}
	h.wantError(h.postTo(h.key("member", memory.RoleMember, ""), path, nil), 403, "forbidden")
}

func TestFactsSwitchedOff(t *testing.T) {
	h := startWith(t, store.Options{FactsOff: true})
	h.agent("ada")
	h.want(h.put("note.md", "- Keeps bees.\n", nil), 201)
	h.want(h.put("note.md", "- Keeps goats.\n", map[string]string{"If-Match": "*"}), 200)
	some := "/" + uuid.NewString()
	for _, r := range []request{
		{method: "GET", path: factsPath},
		{method: "GET", path: originalFactsPath},
		{method: "GET", path: factsPath + some},
		{method: "POST", path: factsPath + some + "/feedback", body: map[string]any{"kind": "HELPFUL"}},
		{method: "DELETE", path: factsPath + some + "/feedback" + some},
		{method: "GET", path: factsPath + "?asOf=2026-01-31"},
		{method: "GET", path: originalFactsPath + "?asOf=2026-01-31"},
		{method: "GET", path: factsPath + "/contradictions"},
		{method: "GET", path: originalFactsPath + "/contradictions"},
		{method: "POST", path: factsPath + "/contradictions" + some + "/resolve", body: map[string]any{"resolution": "IGNORE"}},
		{method: "POST", path: originalFactsPath + "/contradictions" + some + "/resolve", body: map[string]any{"resolution": "IGNORE"}},
		{method: "POST", path: factsPath + some + "/restore"},
		{method: "POST", path: factsPath + "/rebuild"},
		{method: "POST", path: factsPath + some + "/forget"},
		{method: "POST", path: originalFactsPath + some + "/forget"},
	} {
		r.key = h.admin
		h.wantError(h.do(r), 410, "facts_off")
	}
	on := startOn(t, h.database)
	if list := on.facts(on.admin, factsPath+"?path=note.md"); !strings.Contains(fmt.Sprint(list), "Keeps goats.") {
		t.Errorf("switched on again: %+v", list)
	}
}

type contradiction struct {
	ID           uuid.UUID
	FactA, FactB fact
	Resolution   string
}

func TestContradictions(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n- The port of the API is 8080.\n", nil), 201)
	h.want(h.put("notes.md?owner=api:42", "- The port of the API is 9090.\n", nil), 201)
	pinned, viewer := h.key("pinned", memory.RoleMember, "api:42"), h.key("viewer", memory.RoleViewer, "api:42")
	list := func(key, path string) []contradiction {
		t.Helper()
		return as[struct{ Items []contradiction }](h, h.want(h.do(request{method: "GET", path: path, key: key}), 200)).Items
	}
	for _, path := range []string{factsPath, originalFactsPath} {
		if open := list(pinned, path+"/contradictions"); len(open) != 1 || open[0].FactA.Text == open[0].FactB.Text {
			t.Fatalf("%s: %+v", path, open)
		}
	}
	open := list(pinned, factsPath+"/contradictions")[0]
	resolve := func(key, body string, status int) contradiction {
		t.Helper()
		r := h.want(h.do(request{method: "POST", path: originalFactsPath + "/contradictions/" + open.ID.String() + "/resolve", key: key, body: body}), status)
		if status != 200 {
			return contradiction{}
		}
		return as[contradiction](h, r)
	}
	resolve(viewer, `{"resolution": "KEEP_A"}`, 403)
	resolve(h.key("other", memory.RoleMember, "api:7"), `{"resolution": "KEEP_A"}`, 404)
	resolve(pinned, `{"resolution": "MERGE"}`, 422)
	resolve(pinned, `{"resolution": "BOTH"}`, 422)
	if got := resolve(pinned, `{"resolution": "KEEP_A"}`, 200); got.Resolution != "KEEP_A" || got.FactA.Text != open.FactA.Text {
		t.Errorf("%+v", got)
	}
	resolve(pinned, `{"resolution": "KEEP_B"}`, 409)
	for state, n := range map[string]int{"open": 0, "superseded": 0, "resolved": 1} {
		if got := list(pinned, factsPath+"/contradictions?state="+state); len(got) != n {
			t.Errorf("%s: %+v", state, got)
		}
	}
	if kept := h.facts(pinned, factsPath+"?keyword=port").Items; len(kept) != 1 || kept[0].Text != open.FactA.Text {
		t.Errorf("kept: %+v", kept)
	}
}

// What was believed at a time has the words and the trust of then.
func TestFactsOfAPastTime(t *testing.T) {
	h := start(t)
	h.agent("ada")
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	began := time.Now().Add(-time.Second)
	h.want(h.put("MEMORY.md?owner=api:42", "- Keeps bees.\n- **deploy day**: Thursday\n", nil), 201)
	h.want(h.put("notes/a.md?owner=api:42", "- Keeps bees.\n", nil), 201)
	day := h.facts(pinned, factsPath+"?keyword=thursday").Items[0]
	then := time.Now()
	h.want(h.do(request{method: "POST", path: factsPath + "/" + day.ID.String() + "/feedback", key: pinned, body: map[string]any{"kind": "UNHELPFUL"}}), 200)
	h.want(h.put("MEMORY.md?owner=api:42", "- **deploy day**: Friday\n", map[string]string{"If-Match": "*"}), 200)
	at := func(when time.Time, more string) (texts string) {
		t.Helper()
		for _, f := range h.facts(pinned, factsPath+"?asOf="+url.QueryEscape(when.Format(time.RFC3339Nano))+more).Items {
			texts += fmt.Sprintf("%s %s %.1f; ", f.Path, f.Text, f.Trust)
		}
		return texts
	}
	for _, c := range []struct {
		when time.Time
		more string
		want []string
	}{
		{began, "", nil},
		{then, "&keyword=bees", []string{"MEMORY.md Keeps bees. 0.7; "}},
		{then, "&keyword=deploy", []string{"MEMORY.md **deploy day**: Thursday 0.7; "}},
		{time.Now(), "&keyword=deploy", []string{"MEMORY.md **deploy day**: Friday 0.7; "}},
		{time.Now(), "&keyword=bees", []string{"notes/a.md Keeps bees. 0.7; "}},
		{then, "&minTrust=0.8", nil},
	} {
		if got := at(c.when, c.more); got != strings.Join(c.want, "") {
			t.Errorf("%s%s: %s, want %s", c.when, c.more, got, c.want)
		}
	}
	first := h.facts(pinned, factsPath+"?limit=1&asOf="+url.QueryEscape(then.Format(time.RFC3339Nano)))
	second := h.facts(pinned, factsPath+"?limit=1&asOf="+url.QueryEscape(then.Format(time.RFC3339Nano))+"&cursor="+first.Next)
	if len(first.Items) != 1 || len(second.Items) != 1 || first.Items[0].ID == second.Items[0].ID || second.Next != "" {
		t.Errorf("pages: %+v %+v", first, second)
	}
}

// A search and the system prompt say right after a write that statements disagree.
func TestDisagreementsAreSaidAtOnce(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const both = "- The rent is 950 euros.\n- The rent is 1,020 euros.\n"
	h.want(h.put("MEMORY.md?owner=api:42", both, nil), 201)
	found := as[struct {
		Disagreements []struct{ Older, Newer string }
	}](h, h.want(h.postTo(h.admin, "/api/v1/agents/ada/memory/search?owner=api:42", map[string]any{"query": "How much is the rent?"}), 200))
	if len(found.Disagreements) != 1 {
		t.Errorf("search: %+v", found)
	}
	h.want(h.put("MEMORY.md?owner=api:43", both, nil), 201)
	got := as[struct{ Prompt string }](h, h.want(h.get("/api/v1/agents/ada/system-prompt?owner=api:43"), 200))
	if !strings.Contains(got.Prompt, "Statements that disagree") {
		t.Error(got.Prompt)
	}
}

// Options in a body that a request does not have are refused: nothing happens without them.
func TestBodiesOfRequestsWithoutOne(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?endUserId=42", "# Memory\n\n- Likes tea.\n", nil), 201)
	key := h.key("pinned", memory.RoleMember, "api:42")
	type listed struct{ Items []struct{ ID string } }
	facts := as[listed](h, h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/facts", key: key}), 200)).Items
	if len(facts) != 1 {
		t.Fatalf("%d facts", len(facts))
	}
	path := "/api/v1/agents/ada/facts/" + facts[0].ID + "/forget"
	for _, body := range []any{map[string]any{"dryRun": true}, map[string]any{"erase": true}, []string{"a"}} {
		h.wantError(h.postTo(key, path, body), 422, "invalid_request")
	}
	if left := as[listed](h, h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/facts", key: key}), 200)).Items; len(left) != 1 {
		t.Errorf("%d facts after refused requests", len(left))
	}
	h.want(h.postTo(key, path+"?dryRun=true", map[string]any{}), 200)
	h.want(h.postTo(key, path, nil), 200)
}

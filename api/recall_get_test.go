package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"reverie/memory"
)

type excerpt struct {
	Path, Corpus, Text, Notice, Citation, Scope, Owner, Conversation string
	From, Lines, Total, NextFrom, NextSkip, Version                  int
	Truncated                                                        bool
	MessageIDs                                                       []string
}

// part reads with the admin key.
func (h *harness) part(query string) excerpt {
	h.t.Helper()
	return as[excerpt](h, h.want(h.get("/api/v1/agents/ada/memory/get?"+query), 200))
}

func TestReadingPartsOfDocuments(t *testing.T) {
	h := start(t)
	h.agent("ada")
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	h.want(h.put("long.md?owner=api:42", strings.Join(lines, "\n")+"\n", nil), 201)
	got := h.part("path=long.md&owner=api:42")
	if got.From != 1 || got.Lines != 120 || got.Total != 300 || !got.Truncated || got.NextFrom != 121 || got.Notice == "" ||
		got.Citation != "long.md#L1-L120" ||
		got.Text != strings.Join(lines[:120], "\n") || got.Corpus != "memory" || got.Scope != "PERSONAL" ||
		got.Owner != "api:42" ||
		got.Version != 1 {
		t.Errorf("%+v", got)
	}
	// The parts are the whole.
	var read []string
	for from := 1; from > 0; {
		part := h.part(fmt.Sprintf("path=long.md&owner=api:42&lines=77&from=%d", from))
		read = append(read, strings.Split(part.Text, "\n")...)
		from = part.NextFrom
	}
	if !slices.Equal(read, lines) {
		t.Errorf("the parts are %d lines", len(read))
	}
	if got := h.part("path=long.md&owner=api:42&from=301"); got.Text != "" || got.Lines != 0 || got.Truncated || got.From != 301 {
		t.Errorf("behind the end: %+v", got)
	}
	if got := h.part("path=missing.md&owner=api:42"); got.Text != "" || got.Path != "missing.md" || got.Corpus != "" || got.Truncated {
		t.Errorf("a missing document: %+v", got)
	}
	if got := h.part("path=long.md"); got.Text != "" {
		t.Errorf("somebody's document is shared: %+v", got)
	}
	if got := h.part("path=MEMORY.md&scope=TEAM"); got.Scope != "TEAM" || got.Text == "" {
		t.Errorf("%+v", got)
	}
	// One line that is too long is read in parts.
	long := strings.Repeat("0123456789", 2500)
	h.want(h.put("wide.md?owner=api:42", long+"\nend\n", nil), 201)
	text := ""
	for from, skip := 1, 0; from == 1; {
		part := h.part(fmt.Sprintf("path=wide.md&owner=api:42&from=%d&skip=%d", from, skip))
		if len(part.Text) > 12_000 {
			t.Fatalf("a part of %d characters", len(part.Text))
		}
		text += part.Text
		from, skip = part.NextFrom, part.NextSkip
	}
	if text != long && text != long+"\nend" {
		t.Errorf("the parts are %d characters", len(text))
	}
	for query, says := range map[string]string{
		"path=../etc.md": "path", "path=notes.txt": "path", "path=/a.md": "path", "": "path", "path=a.md&from=0": "from",
		"path=a.md&lines=0":    "lines",
		"path=a.md&lines=5001": "lines", "path=a.md&from=-1": "from", "path=a.md&corpus=wiki": "memory, sessions, all",
		"path=a.md&corpus=sessions": "sessions/",
		"path=a.md&skip=-1":         "skip", "path=" + strings.Repeat("a", 301): "path",
	} {
		bad := h.wantError(h.get("/api/v1/agents/ada/memory/get?"+query), 422, "invalid_search")
		if !strings.Contains(bad.Msg, says) {
			t.Errorf("%s: %s", query, bad.Msg)
		}
	}
}

func TestReadingPartsOfConversations(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c%2F1", map[string]any{"endUserId": "42", "messages": []map[string]any{
		{
			"id":      "a",
			"role":    "user",
			"name":    "Grace",
			"content": "Hello,\n\nAda.",
		}, {"id": "b", "role": "assistant", "content": "Hi."}, {"id": "c", "role": "tool", "content": "42"},
	}}), 202)
	path := "path=" + url.QueryEscape("sessions/c/1")
	got := h.part(path + "&owner=api:42")
	if got.Text != "Grace: Hello, Ada.\nAssistant: Hi.\nTool: 42" || got.From != 1 || got.Lines != 3 || got.Total != 3 || got.Truncated ||
		got.Conversation != "c/1" || !slices.Equal(got.MessageIDs, []string{"a", "b", "c"}) || got.Corpus != "sessions" ||
		got.Citation != "sessions/c/1#L1-L3" {
		t.Errorf("%+v", got)
	}
	got = h.part(path + "&owner=api:42&from=2&lines=1")
	if got.Text != "Assistant: Hi." || got.From != 2 || got.Lines != 1 || !got.Truncated || got.NextFrom != 3 || got.Notice == "" ||
		!slices.Equal(got.MessageIDs, []string{"b"}) {
		t.Errorf("%+v", got)
	}
	if got := h.part(path + "&owner=api:42&from=9"); got.Text != "" || got.Lines != 0 {
		t.Errorf("%+v", got)
	}
	if got := h.part(path); got.Text == "" { // as an admin reads conversations
		t.Errorf("%+v", got)
	}
	for _, query := range []string{path + "&owner=api:43", "path=sessions/none&owner=api:42", path + "&owner=api:42&corpus=memory"} {
		a := h.get("/api/v1/agents/ada/memory/get?" + query)
		if strings.HasSuffix(query, "memory") {
			h.wantError(a, 422, "invalid_search")
			continue
		}
		if got := as[excerpt](h, h.want(a, 200)); got.Text != "" || got.Total != 0 {
			t.Errorf("%s: %+v", query, got)
		}
	}
	member, viewer := h.key("member", memory.RoleMember, ""), h.key("viewer", memory.RoleViewer, "")
	read := func(key string) answered {
		return h.do(request{method: "GET", path: "/api/v1/agents/ada/memory/get?" + path, key: key})
	}
	h.wantError(read(member), 422, "owner_required")
	h.wantError(read(viewer), 403, "owner_not_allowed")
}

func TestKeywordSearch(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Flat\n\nThe blue cabinet is in the hall.\nNothing else.\n", nil), 201)
	h.want(h.put("memory/2026-01-02.md?owner=api:42", "A cabinet, painted BLUE.\n项目进展顺利\n", nil), 201)
	h.want(h.put("notes.md?owner=api:43", "The blue cabinet of somebody else.\n", nil), 201)
	type hits struct {
		Query, Scope, Hint string
		TotalHits          int
		Hits               []struct {
			Filename, Snippet string
			LineNumber        int
			Score             float64
		}
	}
	find := func(body map[string]any) hits {
		t.Helper()
		return as[hits](
			h,
			h.want(h.do(request{method: "POST", path: "/api/v1/agents/ada/memory/keyword?owner=api:42", key: h.admin, body: body}), 200),
		)
	}
	got := find(map[string]any{"query": "blue cabinet"})
	if got.TotalHits != 2 || got.Scope != "all" || got.Query != "blue cabinet" || len(got.Hits) != 2 || got.Hits[0].Filename != "MEMORY.md" ||
		got.Hits[0].LineNumber != 3 ||
		got.Hits[0].Score != 2 ||
		got.Hits[0].Snippet != "The [[blue]] [[cabinet]] is in the hall." ||
		got.Hits[1].Score != 1.4 {
		t.Errorf("%+v", got)
	}
	if got := find(map[string]any{"query": "进展"}); got.TotalHits != 1 || got.Hits[0].LineNumber != 2 {
		t.Errorf("%+v", got)
	}
	if got := find(map[string]any{"query": "看项目进展吗"}); got.TotalHits != 1 || got.Hits[0].Snippet != "[[项目进展]]顺利" {
		t.Errorf("%+v", got)
	}
	if got := find(map[string]any{"query": "blue cabinet", "limit": 1}); len(got.Hits) != 1 {
		t.Errorf("%+v", got)
	}
	if got := find(map[string]any{"query": "blue cabinet", "scope": "profile"}); len(got.Hits) != 0 || got.Hint == "" || got.Hits == nil {
		t.Errorf("%+v", got)
	}
	for _, body := range []map[string]any{
		{"query": "x"},
		{"query": strings.Repeat("x", 65)},
		{"query": "  x "},
		{"query": "   "},
		{"query": "blue", "scope": "everything"},
		{"query": "blue", "limit": 31},
		{"query": "blue", "limit": -1},
	} {
		h.wantError(
			h.do(request{method: "POST", path: "/api/v1/agents/ada/memory/keyword", key: h.admin, body: body}),
			422,
			"invalid_search",
		)
	}
}

// Of more documents than are examined, the one with most of the query is among them, however old.
func TestKeywordSearchOfManyDocuments(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("memory/old.md?owner=api:42", "项目进展顺利\n", nil), 201)
	for i := range 51 {
		h.want(h.put(fmt.Sprintf("memory/new-%d.md?owner=api:42", i), "项目\n", nil), 201)
	}
	got := as[struct{ Hits []struct{ Filename string } }](h, h.want(h.do(request{
		method: "POST", path: "/api/v1/agents/ada/memory/keyword?owner=api:42", key: h.admin, body: map[string]any{"query": "项目进展"},
	}), 200))
	if len(got.Hits) == 0 || got.Hits[0].Filename != "memory/old.md" {
		t.Errorf("%+v", got)
	}
}

func TestStatusOfTheIndex(t *testing.T) {
	h := start(t)
	said(h)
	type status struct {
		Enabled bool
		Mode    string
		Corpora []struct {
			Corpus                              string
			Sources, Units, Fresh, Stale, Bytes int64
		}
		Vectors struct {
			Configured bool
			Spaces     []any
			Pending    int64
		}
		SelfCheck []struct {
			Corpus                 string
			Checked, Found, Broken int
		}
		Embedders []any
	}
	got := as[status](h, h.want(h.get("/api/v1/agents/ada/memory/status?deep=true"), 200))
	if !got.Enabled || got.Mode != "lexical" || len(got.Corpora) != 2 || got.Vectors.Configured || got.Vectors.Pending != 0 ||
		got.Vectors.Spaces == nil {
		t.Errorf("%+v", got)
	}
	for _, c := range got.Corpora {
		if c.Sources == 0 || c.Units == 0 || c.Stale != 0 || c.Bytes == 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(got.SelfCheck) != 2 {
		t.Fatalf("%+v", got.SelfCheck)
	}
	for _, c := range got.SelfCheck {
		if c.Checked == 0 || c.Found != c.Checked || c.Broken != 0 {
			t.Errorf("%+v", c)
		}
	}
	pinned := h.key("pinned", memory.RoleViewer, "api:43")
	own := as[status](h, h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/memory/status", key: pinned}), 200))
	if own.Corpora[1].Sources != 0 || own.Corpora[0].Sources >= got.Corpora[0].Sources {
		t.Errorf("a pinned key counts what is not its owner's: %+v", own.Corpora)
	}
	type progress struct {
		State, WorkflowID    string
		Done, Total, Pending int64
	}
	if p := as[progress](h, h.want(h.get("/api/v1/agents/ada/memory/index"), 200)); p.State != "unknown" || p.Done != p.Total ||
		p.Total == 0 ||
		p.WorkflowID == "" {
		t.Errorf("%+v", p)
	}
	h.wantError(
		h.do(request{method: "POST", path: "/api/v1/agents/ada/memory/index", key: h.admin, body: map[string]any{"force": true}}),
		503,
		"workflows_unavailable",
	)
}

package toolbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/toolbox"
)

func TestKeywords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	long := strings.Repeat("a ", 60) + "the Blue cabinet, blue as ever" + strings.Repeat(" b", 60)
	for path, content := range map[string]string{
		"MEMORY.md":            "# Memory\n\n- The blue cabinet holds tea\n- blue\n",
		"PROFILE.md":           "Likes the BLUE cabinet\n",
		"AGENTS.md":            "Never open the blue cabinet\n",
		"notes.md":             "a blue cabinet\n",
		"memory/2026-01-02.md": "- 北京分公司的会议室\n" + long + "\n",
		"memory/many.md":       strings.Repeat("cabinet\n", 8) + "blue\n",
	} {
		h.apply(c, memory.ScopePersonal, path, content)
	}
	h.apply(h.as("user:2"), memory.ScopePersonal, "MEMORY.md", "- The blue cabinet of somebody else\n")
	for name, x := range map[string]struct {
		args m
		want []string // file:line score
	}{
		"weights": {m{"query": "blue cabinet"}, []string{
			"MEMORY.md:3 2", "memory/2026-01-02.md:2 1.4", "MEMORY.md:4 1", "PROFILE.md:1 1",
			"memory/many.md:1 0.7", "memory/many.md:2 0.7", "memory/many.md:3 0.7", "memory/many.md:4 0.7", "memory/many.md:5 0.7", "AGENTS.md:1 0.6",
		}},
		"limit":              {m{"query": "blue cabinet", "limit": 1}, []string{"MEMORY.md:3 2"}},
		"memory":             {m{"query": "blue cabinet tea", "scope": "memory"}, []string{"MEMORY.md:3 3", "MEMORY.md:4 1"}},
		"profile":            {m{"query": "blue", "scope": "profile"}, []string{"PROFILE.md:1 0.5"}},
		"persona":            {m{"query": "blue", "scope": "persona"}, []string{"AGENTS.md:1 0.3"}},
		"every word":         {m{"query": "blue elephant"}, nil},
		"Chinese in pairs":   {m{"query": "北京分公"}, []string{"memory/2026-01-02.md:1 1.4"}},
		"six words":          {m{"query": "the blue cabinet as ever a zebra"}, []string{"memory/2026-01-02.md:2 4.2"}},
		"signs are no words": {m{"query": "!? --"}, nil},
	} {
		a := h.want(c, toolbox.SearchFiles, x.args)
		var got []string
		for _, hit := range a.list("hits") {
			hit, _ := hit.(map[string]any)
			got = append(got, fmt.Sprintf("%v:%v %v", hit["filename"], hit["lineNumber"], hit["score"]))
			if hit["scope"] != "PERSONAL" {
				t.Errorf("%s: %v", name, hit)
			}
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s:%s", name, diff)
		}
		if a.number("totalHits") != len(got) || (a.text("hint") == "") != (len(got) > 0) || a.text("query") != x.args["query"] || len(a.Found) != len(got) {
			t.Errorf("%s: %s", name, a.Content)
		}
	}
	found := h.want(c, toolbox.SearchFiles, m{"query": "blue cabinet", "scope": "memory"})
	snippets := map[string]string{}
	for _, hit := range found.list("hits") {
		hit, _ := hit.(map[string]any)
		snippets[fmt.Sprint(hit["filename"], ":", hit["lineNumber"])] = fmt.Sprint(hit["snippet"])
	}
	want := "..." + strings.Repeat("a ", 38) + "the [[Blue]] [[cabinet]], [[blue]] as ever" + strings.Repeat(" b", 29) + "..."
	if got := snippets["memory/2026-01-02.md:2"]; got != want {
		t.Errorf("%q", got)
	}
	if a := h.call(c, toolbox.SearchFiles, m{"query": strings.Repeat("x", 65)}); !a.IsError || !strings.Contains(a.text("message"), "at most 64") {
		t.Errorf("%s", a.Content)
	}
	off := false
	c.Agent.Settings.MemoryEnabled = &off
	if a := h.call(c, toolbox.SearchFiles, m{"query": "blue"}); !a.IsError || !strings.Contains(a.text("message"), "switched off") {
		t.Errorf("%s", a.Content)
	}
}

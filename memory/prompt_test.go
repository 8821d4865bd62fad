package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSystemPrompt(t *testing.T) {
	got := SystemPrompt([]Document{
		{Path: "MEMORY.md", Scope: ScopePersonal, Enabled: true, SortOrder: 3, Content: "# Memory\n\n- tea\n"},
		{Path: "MEMORY.md", Scope: ScopeTeam, Enabled: true, SortOrder: 3, Content: "\n# Memory\n"},
		{Path: "b.md", Scope: ScopeTeam, Enabled: true, SortOrder: 1, Content: "B"},
		{Path: "a.md", Scope: ScopeTeam, Enabled: true, SortOrder: 1, Content: "A, team"},
		{Path: "a.md", Scope: ScopeGlobal, Enabled: true, SortOrder: 1, Content: "A, global"},
		{Path: "AGENTS.md", Scope: ScopeTeam, Enabled: true, Content: "Rules\r\n"},
		{Path: "off.md", Scope: ScopeTeam, Content: "x"},
		{Path: "deleted.md", Scope: ScopeTeam, Enabled: true, Deleted: true, Content: "x"},
		{Path: "blank.md", Scope: ScopeTeam, Enabled: true, Content: " \n"},
		{Path: "PROFILE.md", Scope: ScopePersonal, Enabled: true, SortOrder: 2, Content: "# Profile"},
	})
	want := `--- AGENTS.md ---
Rules

--- a.md ---
A, global

--- a.md ---
A, team

--- b.md ---
B

--- MEMORY.md ---
# Memory

` + ownerIntroduction + `

--- PROFILE.md ---
# Profile

--- MEMORY.md ---
# Memory

- tea`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := SystemPrompt(nil); got != "" {
		t.Errorf("without documents: %q", got)
	}
	if got := SystemPrompt([]Document{{Path: "a.md", Scope: ScopePersonal, Enabled: true, Content: "x"}}); got != ownerIntroduction+
		"\n\n--- a.md ---\nx" {
		t.Errorf("without shared documents: %q", got)
	}
}

// No document can imitate another one.
func TestSystemPromptCannotBeForged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs []Document
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"--- SOUL.md ---", "  --- x ---  ", "---", "------", "--- a", "text", ""}),
				0, 5).Draw(t, "lines")
			docs = append(docs, Document{Path: "x.md", Scope: ScopeTeam, Enabled: true, Content: "x\n" + strings.Join(lines, "\n")})
		}
		separators := 0
		for line := range strings.Lines(SystemPrompt(docs)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "--- ") && strings.HasSuffix(line, " ---") {
				separators++
			}
		}
		if separators != len(docs) {
			t.Fatalf("%d documents, %d separators:\n%s", len(docs), separators, SystemPrompt(docs))
		}
	})
}

package memory

import (
	"strings"
	"testing"
)

func TestWriteAllowed(t *testing.T) {
	for _, c := range []struct {
		targets []string
		path    string
		want    bool
	}{
		{nil, "MEMORY.md", true},
		{nil, "memory/2026-01-31.md", true},
		{nil, "AGENTS.md", false},
		{nil, "SOUL.md", false},
		{nil, "notes/SOUL.md", true},
		{[]string{}, "MEMORY.md", false},
		{[]string{"AGENTS.md"}, "AGENTS.md", true},
		{[]string{"*.md", "**", "**/*.md", "[S]OUL.md"}, "SOUL.md", false},
		{[]string{"*.md"}, "MEMORY.md", true},
		{[]string{"*.md"}, "notes/a.md", false},
		{[]string{"notes/*.md"}, "notes/a.md", true},
		{[]string{"notes/*.md"}, "notes/deep/a.md", false},
		{[]string{"notes/**"}, "notes/deep/er/a.md", true},
		{[]string{"**/a.md"}, "a.md", true},
		{[]string{"**/a.md"}, "x/y/a.md", true},
		{[]string{"a/**/b/**/c.md"}, "a/1/2/b/c.md", true},
		{[]string{"a/**/b/**/c.md"}, "a/1/2/c.md", false},
		{[]string{"memory/20??-*.md"}, "memory/2026-01.md", true},
		{[]string{"case[0-9].md"}, "case7.md", true},
		{[]string{"case[0-9.md"}, "case7.md", false},
		{[]string{"cafe\u0301.md"}, "caf\u00e9.md", true},
		{[]string{"other.md", "MEMORY.md"}, "MEMORY.md", true},
	} {
		if got := WriteAllowed(c.targets, c.path); got != c.want {
			t.Errorf("%q %s: %t", c.targets, c.path, got)
		}
	}
	// Time stays bounded whatever the pattern: a pattern that would be tried in every way.
	if WriteAllowed([]string{strings.Repeat("**/", 80) + "x"}, strings.Repeat("a/", 120)+"b.md") {
		t.Error("matched")
	}
}

func TestValidWriteTarget(t *testing.T) {
	for _, target := range []string{"MEMORY.md", "memory/**", "**/*.md", "case[0-9].md", "客户/*.md"} {
		if err := ValidWriteTarget(target); err != nil {
			t.Errorf("%q: %v", target, err)
		}
	}
	for _, target := range []string{
		"", "/a.md", "a//b.md", "../a.md", "a/./b.md", "case[.md", "a\u200b.md",
		strings.Repeat("a", MaxPathBytes+1),
	} {
		if err := ValidWriteTarget(target); err == nil {
			t.Errorf("%q is taken", target)
		}
	}
}

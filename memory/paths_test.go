package memory

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestParsePath(t *testing.T) {
	for _, good := range []string{
		"MEMORY.md", "memory/2026-01-31.md", "memory/dreaming/deep/2026-01-31.md", "notes/a b.md", "记忆/今天.md", "a.b.md", "..a/b...md",
		"x/.hidden/y.md", "Q?.md", "memory/2026-01-31-café.md", strings.Repeat("a", MaxPathBytes-3) + ".md",
	} {
		if got, err := ParsePath(good); err != nil || got != good {
			t.Errorf("ParsePath(%q) is %q, %v", good, got, err)
		}
	}
	for bad, rule := range map[string]string{
		"":              "name a document",
		"/MEMORY.md":    "leading /",
		`\MEMORY.md`:    "backslash",
		`memory\x.md`:   "backslash",
		"../x.md":       "..",
		"a/../../x.md":  "..",
		"./x.md":        "..",
		"a/./x.md":      "..",
		"a//x.md":       "empty folder",
		"x.txt":         ".md",
		"x.MD":          ".md",
		"x":             ".md",
		"x.md/":         ".md",
		".md":           "a name before",
		"a/.md":         "a name before",
		"a\x00.md":      "invisible",
		"a\n.md":        "invisible",
		"a\u202egpj.md": "invisible",
		"a\u200b.md":    "invisible",
		"\ufeffa.md":    "invisible",
		" a.md":         "spaces",
		"a /b.md":       "spaces",
		"a/\u3000b.md":  "spaces",
		"C:/a.md":       "drive",
		"c:a.md":        "drive",
		"a\xff.md":      "UTF-8",
		strings.Repeat("a", MaxPathBytes-2) + ".md": "shorten",
		strings.Repeat("记", 85) + ".md":             "shorten",
	} {
		got, err := ParsePath(bad)
		var broken *PathError
		if !errors.As(err, &broken) || got != "" {
			t.Errorf("ParsePath(%q) is %q, %v, want a *PathError", bad, got, err)
			continue
		}
		if !strings.Contains(broken.Rule, rule) || broken.Path != bad {
			t.Errorf("ParsePath(%q) says %q, want something about %q", bad, broken.Rule, rule)
		}
		if len(broken.Error()) > 300 {
			t.Errorf("the error repeats too much: %q", broken.Error())
		}
	}
}

func TestParsePathGivesOneSpelling(t *testing.T) {
	composed, err := ParsePath("caf\u00e9.md")
	if err != nil {
		t.Fatal(err)
	}
	decomposed, err := ParsePath("cafe\u0301.md")
	if err != nil || decomposed != composed {
		t.Errorf("two spellings of one name give %q and %q, %v", composed, decomposed, err)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"MEMORY.md", "a/../b.md", "a\\b.md", "/x.md", "e\u0301.md", "a\u202e.md", "\xff.md", "C:x.md"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := ParsePath(s)
		if err != nil {
			var broken *PathError
			if !errors.As(err, &broken) || broken.Rule == "" || path != "" {
				t.Fatalf("ParsePath(%q) is %q, %v", s, path, err)
			}
			return
		}
		if again, err := ParsePath(path); err != nil || again != path {
			t.Fatalf("ParsePath(%q) is %q, which is itself read as %q, %v", s, path, again, err)
		}
		switch {
		case !utf8.ValidString(path), !norm.NFC.IsNormalString(path), len(path) > MaxPathBytes, !strings.HasSuffix(path, ".md"),
			strings.ContainsAny(path, "\\\x00\r\n\t"), strings.HasPrefix(path, "/"), strings.Contains(path, "//"),
			strings.Contains("/"+path, "/../"), strings.Contains("/"+path, "/./"):
			t.Fatalf("ParsePath(%q) lets %q pass", s, path)
		}
	})
}

func TestDailyNotePathFollowsTheZoneOfTheDay(t *testing.T) {
	at := time.Date(2026, 1, 31, 23, 30, 0, 0, time.UTC)
	if got := DailyNotePath(at); got != "memory/2026-01-31.md" {
		t.Error(got)
	}
	if got := DailyNotePath(at.In(time.FixedZone("", 3600))); got != "memory/2026-02-01.md" {
		t.Error(got)
	}
}

func TestValidContent(t *testing.T) {
	for _, good := range []string{"", "text\r\n", "记忆", strings.Repeat("a", MaxDocumentBytes)} {
		if err := ValidContent(good); err != nil {
			t.Errorf("%.20q: %v", good, err)
		}
	}
	for _, bad := range []string{"a\x00", "a\xff", strings.Repeat("a", MaxDocumentBytes+1)} {
		if err := ValidContent(bad); !errors.Is(err, ErrInvalidContent) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

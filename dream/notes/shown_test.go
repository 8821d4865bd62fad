package notes_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/memory"
	"reverie/memory/proposals"
)

func note(day dream.Day, content string) notes.Note {
	return notes.Note{Document: memory.Document{Path: "memory/" + string(day) + ".md", Content: content}, Day: day}
}

func TestShownNotes(t *testing.T) {
	given := []notes.Note{
		note("2026-01-28", strings.Repeat("a\n", 50)), note("2026-01-30", strings.Repeat("b\n", 50)),
		note("2026-01-29", "short\n"), note("2026-01-27", ""),
	}
	got := notes.ShownNotes(given, 46)
	if diff := cmp.Diff([]proposals.ConsolidationNote{
		{Path: "memory/2026-01-30.md", Text: strings.Repeat("b\n", 10), Cut: true},
		{Path: "memory/2026-01-29.md", Text: "short\n"},
		{Path: "memory/2026-01-28.md", Text: strings.Repeat("a\n", 10), Cut: true},
	}, got); diff != "" {
		t.Error(diff)
	}
	if got := notes.ShownNotes(given, 1000); len(got) != 3 || got[0].Cut || got[2].Cut {
		t.Errorf("%+v", got)
	}
	if got := notes.ShownNotes(given, 0); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// The limit holds, and is used up when there is enough to show, except for lines that would be cut.
func TestShownNotesKeepTheirBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var given []notes.Note
		all, longest := 0, 0
		for i := range rapid.IntRange(0, 6).Draw(t, "notes") {
			content := strings.Repeat(strings.Repeat("记", rapid.IntRange(1, 5).Draw(t, "line"))+"\n",
				rapid.IntRange(0, 40).Draw(t, "lines"))
			given = append(given, note(dream.Day("2026-01-0"+string(rune('1'+i))), content))
			all += utf8.RuneCountInString(content)
			longest = max(longest, 6)
		}
		limit := rapid.IntRange(0, 500).Draw(t, "limit")
		shown := 0
		for _, n := range notes.ShownNotes(given, limit) {
			shown += utf8.RuneCountInString(n.Text)
		}
		if shown > limit || shown < min(limit, all)-longest*len(given) {
			t.Fatalf("%d of %d characters with a limit of %d", shown, all, limit)
		}
	})
}

package notes

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
)

// TestQuotedLinesAreStatements reads lines as the built-in engine writes them.
func TestQuotedLinesAreStatements(t *testing.T) {
	long := strings.Repeat("so much to say ", 18)
	content := "# 2026-03-10\n\n## 15:04 I don't eat meat\n\n" +
		"- \"My son Max, he's 12, broke his arm at handball.\"\n" +
		"- [Which city do you live in?] \"Bonn.\"\n" +
		"- Jonas: \"I'm allergic to nuts.\"\n" +
		"- (later: 2026-03-10) \"The door code is 4712.\"\n" +
		"- \"We fly next Friday [2026-03-20]\"\n" +
		"- “We call it \"the bridge\" at work”\n" +
		"- \"Please remember that the spare key is at the bakery.\"\n" +
		"- \"I no longer drink coffee.\"\n" +
		"- \"The port is 5434, not 5433.\"\n" +
		"- \"Am I allergic to nuts?\"\n" + // questions
		"- Jonas: \"Who has the key?\"\n" +
		"- Where did I put the key?\n" +
		"- \"Okay.\"\n" + // too short
		"- \"" + long + long + "\"\n"
	type read struct {
		Text, Heading, Corrects string
		Asked, Ends             bool
	}
	var got []read
	for _, s := range NoteStatements(Note{Day: "2026-03-10", Document: memory.Document{Content: content}}, time.UTC) {
		got = append(got, read{s.Text, s.Heading, s.Corrects, s.Asked, s.Ends})
		if s.ID != markdown.EntryIDOf(s.Text) || dream.DayOf(s.At) != "2026-03-10" || s.At.Hour() != 15 {
			t.Errorf("%s has the id %s and the time %s", s.Text, s.ID, s.At)
		}
	}
	want := []read{
		{Text: `"My son Max, he's 12, broke his arm at handball."`},
		{Text: `[Which city do you live in?] "Bonn."`},
		{Text: `Jonas: "I'm allergic to nuts."`},
		{Text: `(later: 2026-03-10) "The door code is 4712."`},
		{Text: `"We fly next Friday [2026-03-20]"`},
		{Text: `“We call it "the bridge" at work”`},
		{Text: `"Please remember that the spare key is at the bakery."`, Asked: true},
		{Text: `"I no longer drink coffee."`, Ends: true},
		{Text: `"The port is 5434, not 5433."`, Corrects: "5433"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

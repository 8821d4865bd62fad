package chunk

import (
	"strings"
	"testing"
	"time"

	"reverie/search/searchtest"
)

// long returns documents of about a megabyte for which a naive chunker takes quadratic time or unbounded memory.
func long() map[string]string {
	const size = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var deep strings.Builder
	for i := 0; deep.Len() < size; i++ {
		deep.WriteString(strings.Repeat(" ", i) + "- a\n")
	}
	return map[string]string{
		"notes":            repeat(searchtest.Note),
		"one line":         repeat("word and "),
		"one word":         repeat("x"),
		"one sentence end": repeat(". "),
		"CJK line":         repeat("他们去了里斯本。"),
		"no spaces":        repeat("他们去了里斯本"),
		"headings":         repeat("# a heading\n"),
		"nested headings":  strings.Repeat("# "+strings.Repeat("long ", 200)+"\n## b\n### c\n#### d\n##### e\n###### f\n\ntext\n", size/1050),
		"empty headings":   repeat("#\n"),
		"line breaks":      "a" + repeat("\n") + "b",
		"short lines":      repeat("a\n"),
		"list":             repeat("- a\n"),
		"nested list":      deep.String(),
		"markers":          repeat("- "),
		"nested markers":   strings.Repeat("- ", size/4) + "a" + strings.Repeat("\n", size/2) + "b",
		"quotes":           repeat("> "),
		"open fence":       "```\n" + repeat("code\n"),
		"fences":           repeat("```\n"),
		"table":            "| a | b |\n|---|---|\n" + repeat("| 1 | 2 |\n"),
		"pipes":            repeat("|"),
		"pipe lines":       repeat("|\n"),
		"rules":            repeat("---\n"),
		"comment":          "<!--" + repeat("\n# no heading"),
		"marks":            "e" + repeat("\u0301"),
		"emoji":            repeat("👨‍👩‍👧‍👦"),
		"blanks":           "a" + strings.Repeat(" ", size) + "b",
		"daily":            repeat("## 09:05 a\n\n- b\n\n"),
	}
}

// TestChunkDocumentIsLinear checks that a megabyte of anything takes well below a second. The limit allows for a busy
// machine; quadratic time would take minutes.
func TestChunkDocumentIsLinear(t *testing.T) {
	for name, content := range long() {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			pieces := Document("memory/2026-01-31.md", content, DefaultOptions())
			took := time.Since(began)
			checkPieces(t, content, pieces, DefaultOptions())
			if took > 10*time.Second {
				t.Errorf("%d bytes took %s", len(content), took)
			}
			texts := 0
			for _, p := range pieces {
				texts += len(p.Text) + len(p.Context)
			}
			if texts > 4*len(content) {
				t.Errorf("%d pieces hold %d bytes, of a document of %d", len(pieces), texts, len(content))
			}
			if parts := Turn(Message{Seq: 1, Speaker: "Ann", Text: content}, DefaultOptions()); len(parts) > MaxParts {
				t.Errorf("a turn has %d parts", len(parts))
			}
			t.Logf("%s, %d pieces", took, len(pieces))
		})
	}
}

func BenchmarkChunkDocument(b *testing.B) {
	for name, content := range long() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				Document("memory/2026-01-31.md", content, DefaultOptions())
			}
		})
	}
}

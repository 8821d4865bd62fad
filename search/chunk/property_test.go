package chunk

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"reverie/language/sentence"
	"reverie/search/searchtest"
)

// checkPieces checks the invariants of the pieces of any text.
func checkPieces(t interface {
	Helper()
	Fatalf(string, ...any)
}, content string, pieces []Piece, o Options,
) {
	t.Helper()
	covered, last := 0, -1
	if strings.HasPrefix(content, sentence.ByteOrderMark) { // no text
		covered = len(sentence.ByteOrderMark)
	}
	for i, p := range pieces {
		if p.Text != content[p.Start:p.End] {
			t.Fatalf("piece %d is not the text at %d to %d: %q", i, p.Start, p.End, p.Text)
		}
		if strings.TrimSpace(p.Text) == "" {
			t.Fatalf("piece %d is blank", i)
		}
		if got, want := p.FromLine, 1+strings.Count(content[:p.Start], "\n"); got != want {
			t.Fatalf("piece %d begins in line %d, want %d", i, got, want)
		}
		if got, want := p.ToLine, 1+strings.Count(strings.TrimSuffix(content[:p.End], "\n"), "\n"); got != want {
			t.Fatalf("piece %d ends in line %d, want %d", i, got, want)
		}
		if p.End <= last {
			t.Fatalf("piece %d says nothing new: it ends at %d, the one before at %d", i, p.End, last)
		}
		if i > 0 && p.Start <= pieces[i-1].Start || i > 1 && p.Start < pieces[i-2].End {
			t.Fatalf("piece %d begins at %d, with all of the piece before", i, p.Start)
		}
		if p.Start > covered {
			if gap := content[covered:p.Start]; strings.TrimSpace(gap) != "" {
				t.Fatalf("no piece has %q", gap)
			}
		} else if again := content[p.Start:covered]; i > 0 && weigh(again) > 2*o.Overlap*tokenWeight {
			t.Fatalf("piece %d says %d tokens again: %q", i, EstimateTokens(again), again)
		}
		covered, last = p.End, p.End
	}
	if rest := content[covered:]; strings.TrimSpace(rest) != "" {
		t.Fatalf("no piece has %q", rest)
	}
}

// chunkOptions draws sizes from the minimum to the usual.
func chunkOptions() *rapid.Generator[Options] {
	return rapid.Custom(func(t *rapid.T) Options {
		o := Options{Tokens: rapid.IntRange(minChunkTokens, 400).Draw(t, "tokens")}
		o.Overlap = rapid.IntRange(0, o.Tokens/2).Draw(t, "overlap")
		return o
	})
}

func TestChunkDocumentProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content, o := searchtest.Markdown().Draw(t, "content"), chunkOptions().Draw(t, "options")
		path := rapid.SampledFrom([]string{"MEMORY.md", "memory/2026-01-31.md"}).Draw(t, "path")
		pieces := Document(path, content, o)
		checkPieces(t, content, pieces, o)
		borders := searchtest.Borders(content)
		for i, p := range pieces {
			if p.Seq != int64(i+1) {
				t.Fatalf("piece %d is number %d", i, p.Seq)
			}
			if !strings.HasPrefix(p.Context, path) {
				t.Fatalf("piece %d is in %q", i, p.Context)
			}
			if tokens := EstimateTokens(p.Text); tokens > o.Tokens+o.Tokens/tinyShare && len(p.Text) > sentence.MaxCluster {
				t.Fatalf("piece %d has %d tokens, about %d are allowed", i, tokens, o.Tokens)
			}
			if !borders[p.Start] || !borders[p.End] {
				t.Fatalf("piece %d is cut inside a character: %q", i, p.Text)
			}
		}
	})
}

func TestChunkTurnProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content, o := searchtest.Markdown().Draw(t, "content"), chunkOptions().Draw(t, "options")
		pieces := Turn(Message{Seq: 7, Speaker: "Ann", Text: content, At: 99}, o)
		checkPieces(t, content, pieces, o)
		if EstimateTokens(content) <= o.Tokens && len(pieces) > 0 && pieces[0].Text != content {
			t.Fatalf("a short turn is not one piece: %+v", pieces)
		}
		for i, p := range pieces {
			if p.Seq != 7 || p.Part != i || p.Part >= MaxParts || p.Context != "Ann" || p.At != 99 {
				t.Fatalf("part %d is %+v", i, p)
			}
			if voice := Voice(p.Section); voice != Someone && voice != Rule {
				t.Fatalf("part %d of a person's message is of voice %d", i, voice)
			}
		}
	})
}

func FuzzChunkDocument(f *testing.F) {
	f.Add("MEMORY.md", searchtest.Note, 400, 80)
	f.Add("memory/2026-01-31.md", "## 14:05 A\r\n- a\r\n  - b\r\n\r\n```\r\n# x", 20, 5)
	f.Add("a.md", strings.Repeat("|a|b|\n|-|-|\n", 30), 16, 8)
	f.Fuzz(func(t *testing.T, path, content string, tokens, overlap int) {
		o := Options{Tokens: tokens % 1000, Overlap: overlap % 1000}
		checkPieces(t, content, Document(path, content, o), o.settled())
		parts := Turn(Message{Seq: 1, Speaker: path, Text: content}, o)
		checkPieces(t, content, parts, o.settled())
		if len(parts) > MaxParts {
			t.Fatalf("%d parts", len(parts))
		}
		if !utf8.ValidString(content) {
			return
		}
		for _, p := range parts {
			if !utf8.ValidString(p.Text) || strings.ContainsFunc(p.Text, unicode.IsLetter) && EstimateTokens(p.Text) == 0 {
				t.Fatalf("a part is %q", p.Text)
			}
		}
	})
}

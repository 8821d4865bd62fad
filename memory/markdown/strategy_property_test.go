package markdown

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// markdownLines are lines with a meaning in Markdown, and lines that almost have one.
var markdownLines = []string{
	"", "", "text", "# T", "## A", "## A", "## B ##", "### N", "####### no", "#none", "A", "B", "---", "===", "```", "~~~", "```yaml",
	"    code", "\tcode",
	"- item", "- key: value", "* **key**: other", "key: value", "key: https://x/y:z", "https://x", "键：值", "two words: x", "  key: in",
	"1. n: 1", "> # quoted",
	"<!--", "-->", "<div>", "| a: b |", "[r]: /url", "  ## C", "  ", "a  ", "12:30",
}

// drawnMarkdown draws a document with one kind of line breaks, or both.
func drawnMarkdown(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom(markdownLines), 0, 14).Draw(t, name)
	breaks := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, name+" breaks")
	text := strings.Join(lines, breaks)
	if rapid.Bool().Draw(t, name+" ends") {
		text += breaks
	}
	return text
}

func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { mergeProperties(t, drawnMarkdown(t, "existing"), drawnMarkdown(t, "incoming")) })
}

// failer is a test, of testing or rapid.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// mergeProperties checks what holds for the merge of any two texts.
func mergeProperties(t failer, existing, incoming string) {
	t.Helper()
	for _, s := range []Strategy{StrategyAppend, StrategySection, StrategyUpsert, StrategyOverwrite} {
		got, err := s.Merge(existing, incoming)
		if err != nil {
			var refused *StrategyError
			if !errors.As(err, &refused) || got != "" || refused.Line < 0 || refused.Line > strings.Count(incoming, "\n")+1 {
				t.Fatalf("%s: %q, %#v", s, got, err)
			}
			continue
		}
		switch s {
		case StrategyAppend:
			appendLosesNothing(t, existing, incoming, got)
			continue
		case StrategySection:
			if len(titles(incoming)) == 0 {
				continue // an append
			}
			othersStay(t, existing, incoming, got)
		case StrategyUpsert:
			onlyValuesChange(t, existing, incoming, got)
		case StrategyOverwrite:
			if got != incoming {
				t.Fatalf("overwritten: %q", got)
			}
		}
		if again, err := s.Merge(got, incoming); err != nil || again != got {
			t.Fatalf("%s of %q into %q:\n%q, and a second time\n%q, %v", s, incoming, existing, got, again, err)
		}
	}
}

// withoutCR returns a line without the carriage returns before its break. A changed line break takes one of them or none.
func withoutCR(line string) string { return strings.TrimRight(lineText(line), "\r") }

// appendLosesNothing checks that all non-blank lines of both texts are there, in order.
func appendLosesNothing(t failer, existing, incoming, got string) {
	t.Helper()
	said := func(text string) (lines []string) {
		for _, line := range Lines(text) {
			if !isBlank(line) {
				lines = append(lines, withoutCR(line))
			}
		}
		return lines
	}
	if want := append(said(existing), said(incoming)...); !slices.Equal(want, said(got)) {
		t.Fatalf("append of %q to %q: %q", incoming, existing, got)
	}
}

// othersStay checks that everything outside of replaced sections is unchanged, in order.
func othersStay(t failer, existing, incoming, got string) {
	t.Helper()
	parts, err := incomingSections(withLineBreak(incoming, lineBreakFor(existing, incoming)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := sectionWork{existing: existing, titles: titles(existing)}
	s.spans = spans(existing, s.titles)
	s.place(parts)
	var outside []string
	at := 0
	slices.SortFunc(parts, func(a, b *incomingSection) int { return a.place - b.place })
	for _, part := range parts {
		if part.place >= 0 {
			outside = append(outside, existing[at:s.spans[part.place][0]])
			at = s.spans[part.place][1]
		}
	}
	rest := got
	for _, stretch := range append(outside, withoutBlankEnd(existing[at:])) {
		i := strings.Index(rest, stretch)
		if i < 0 {
			t.Fatalf("replace_section of %q in %q: %q lacks %q", incoming, existing, got, stretch)
		}
		rest = rest[i+len(stretch):]
	}
	for _, part := range parts {
		if !strings.Contains(got, part.text) {
			t.Fatalf("replace_section of %q in %q: %q lacks %q", incoming, existing, got, part.text)
		}
	}
}

// onlyValuesChange checks that each line of before is in its place; only a line that sets a key of the text may have
// another value.
func onlyValuesChange(t failer, existing, incoming, got string) {
	t.Helper()
	before, after := splitLines(existing), splitLines(got)
	if isBlank(existing) && len(keyLines(incoming)) > 0 {
		return
	}
	if len(after) < len(before) {
		t.Fatalf("upsert of %q in %q: %q has fewer lines", incoming, existing, got)
	}
	set := firstOfEachKey(keyLines(incoming))
	for i, line := range before {
		if line == after[i] || i == len(before)-1 && withoutCR(line) == withoutCR(after[i]) {
			continue
		}
		key, ok := keyLineOf(lineText(line))
		if _, wanted := set[key.key]; !ok || !wanted || !strings.HasPrefix(after[i], key.prefix) {
			t.Fatalf("upsert of %q in %q: line %q became %q", incoming, existing, line, after[i])
		}
	}
}

func FuzzMerge(f *testing.F) {
	for _, vectors := range [][]vector{appendVectors, sectionVectors, upsertVectors} {
		for _, v := range vectors {
			f.Add(v.existing, v.incoming)
		}
	}
	f.Fuzz(func(t *testing.T, existing, incoming string) {
		if !isText(existing) || !isText(incoming) {
			t.Skip()
		}
		mergeProperties(t, existing, incoming)
	})
}

// isText reports whether s can be the content of a document.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

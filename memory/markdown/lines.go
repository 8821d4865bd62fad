// Package markdown reads and changes Markdown texts by line: sections, statements, differences, merges and merge strategies.
package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

// splitLines splits s into lines with their line breaks. The last line may have none. An empty text has no lines.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		lines = append(lines, line)
	}
	return lines
}

// lineText returns a line without its line break, "\n" or "\r\n".
func lineText(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// Lines splits s into lines without their line breaks.
func Lines(s string) []string {
	lines := splitLines(s)
	for i, line := range lines {
		lines[i] = lineText(line)
	}
	return lines
}

// Words returns the terms of a text for comparison: case-folded words of letters, marks and digits, and pairs of adjacent
// characters in scripts without spaces (a single such character on its own).
func Words(s string) map[string]bool {
	out := map[string]bool{}
	var (
		run []rune
		cjk bool // run is in a script without spaces
	)
	flush := func() {
		if !cjk && len(run) > 0 || len(run) == 1 {
			out[string(run)] = true
		} else {
			for i := 1; i < len(run); i++ {
				out[string(run[i-1:i+1])] = true
			}
		}
		run = run[:0]
	}
	for _, r := range cases.Fold().String(norm.NFKC.String(s)) {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			flush()
			continue
		}
		if is := comparedInPairs(r); is != cjk {
			flush()
			cjk = is
		}
		run = append(run, r)
	}
	flush()
	return out
}

// comparedInPairs reports whether texts are compared by pairs of characters in r's script: where words are written without
// spaces, and in Korean, which attaches particles to its words.
func comparedInPairs(r rune) bool { return script.IsUnspaced(r) || script.IsHangul(r) }

var listMarker = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])\s+`)

// isListMarker reports whether a word marks a list item, as listMarker does. It is called for each line of documents.
func isListMarker(word string) bool {
	if word == "-" || word == "*" || word == "+" {
		return true
	}
	number := strings.TrimRight(word, ".)")
	return len(word) == len(number)+1 && 0 < len(number) && len(number) <= 9 && strings.Trim(number, "0123456789") == ""
}

// LineKey normalizes a line for comparison: without indentation, list marker and repeated spaces. Two lines are the same
// to a person, and to the guards, if LineKey returns the same text for them.
func LineKey(line string) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && isListMarker(fields[0]) {
		fields = fields[1:]
	}
	return strings.Join(fields, " ")
}

// HasText reports whether a line has more than punctuation. Rules and fences of code do not.
func HasText(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.So) })
}

// Tail returns the last whole lines of s that fit into limit characters, or the end of the last line if that alone is too
// long.
func Tail(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	start := len(s)
	for n := 0; n < limit && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	if start == 0 || s[start-1] == '\n' {
		return s[start:]
	}
	if _, rest, found := strings.Cut(s[start:], "\n"); found && rest != "" {
		return rest
	}
	return s[start:]
}

// Tidied removes a fence around the whole text and surrounding white space, and ends the text with one line break. A blank
// text becomes empty.
func Tidied(text string) string {
	text = strings.TrimSpace(text)
	if m := wholeFence.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], "\n```") {
		text = strings.TrimSpace(m[1])
	}
	if text == "" {
		return ""
	}
	return text + "\n"
}

var wholeFence = regexp.MustCompile("(?s)^```(?:markdown|md)?[ \t]*\n(.*)\n```$")

// lineBreak returns the line break of a text's first line, "\n" or "\r\n".
func lineBreak(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withLineBreak returns text with all line breaks replaced by end.
func withLineBreak(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// lineBreakFor returns the line break for text added to existing: that of existing or, if that is blank, of incoming.
func lineBreakFor(existing, incoming string) string {
	if isBlank(existing) {
		return lineBreak(incoming)
	}
	return lineBreak(existing)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// withoutBlankEnd returns text without trailing blank lines and without its last line break. Trailing spaces of the last
// line stay: two of them are a line break in Markdown.
func withoutBlankEnd(text string) string {
	for {
		cut := strings.TrimRight(strings.TrimSuffix(text, "\n"), "\r")
		last := cut[strings.LastIndexByte(cut, '\n')+1:]
		if !isBlank(last) || cut == "" {
			return cut
		}
		text = cut[:len(cut)-len(last)]
	}
}

// withoutBlankStart returns text without leading blank lines. The first other line keeps its indentation.
func withoutBlankStart(text string) string {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || !isBlank(line) {
			return text
		}
		text = rest
	}
}

// Head returns the first limit characters of s, and whether there are more.
func Head(s string, limit int) (string, bool) {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], true
		}
		n++
	}
	return s, false
}

package memory

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

// splitLines splits s into its lines, each with its line break. The last one may have none; an empty text has no line.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		lines = append(lines, line)
	}
	return lines
}

// lineText is a line without its line break, "\n" or "\r\n".
func lineText(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// lineTexts splits s into its lines without their line breaks.
func lineTexts(s string) []string {
	lines := splitLines(s)
	for i, line := range lines {
		lines[i] = lineText(line)
	}
	return lines
}

// words are the terms of a text for comparing texts with one another: case-folded words of letters, marks and digits, and
// pairs of neighbouring characters where words are written without spaces (a single such character by itself).
func words(s string) map[string]bool {
	out := map[string]bool{}
	var (
		run []rune
		cjk bool // what run is made of
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

// bare is what a line says: without indentation, list marker and surplus spaces. Two lines that say the same are the same
// line to a person.
func SameLine(line string) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && listMarker.MatchString(fields[0]+" ") {
		fields = fields[1:]
	}
	return strings.Join(fields, " ")
}

// saysSomething reports whether a line holds more than punctuation, as a rule or the fence of code does not.
func SaysSomething(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.So) })
}

// Tail returns the last whole lines of s that fit into limit characters; of a last line that is longer, its end.
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

// tidied takes off a fence around the whole text and spaces around it, and ends it with one line break.
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

// lineBreak is how the lines of a text end: as its first one does.
func lineBreak(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withLineBreak returns text with its lines ending in end.
func withLineBreak(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// lineBreakFor is how lines end that are put into a document: as its own do, or as they came when it says nothing.
func lineBreakFor(existing, incoming string) string {
	if isBlank(existing) {
		return lineBreak(incoming)
	}
	return lineBreak(existing)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// withoutBlankEnd returns text without the blank lines at its end and without its last line break. The spaces at the end of a
// line that says something stay: two of them are a line break in Markdown.
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

// withoutBlankStart returns text without the blank lines in front of its first other one, whose indentation stays.
func withoutBlankStart(text string) string {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || !isBlank(line) {
			return text
		}
		text = rest
	}
}

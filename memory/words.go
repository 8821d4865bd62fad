package memory

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

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
func bare(line string) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && listMarker.MatchString(fields[0]+" ") {
		fields = fields[1:]
	}
	return strings.Join(fields, " ")
}

// saysSomething reports whether a line holds more than punctuation, as a rule or the fence of code does not.
func saysSomething(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.So) })
}

package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// words are the terms of a text for comparing texts with one another: case-folded words of letters and digits, and pairs
// of neighbouring characters where words are written without spaces (a single such character by itself).
func words(s string) map[string]bool {
	out := map[string]bool{}
	folded := cases.Fold().String(norm.NFKC.String(s))
	var run []rune
	cjk := false
	flush := func() {
		switch {
		case len(run) == 0:
		case !cjk || len(run) == 1:
			out[string(run)] = true
		default:
			for i := range len(run) - 1 {
				out[string(run[i:i+2])] = true
			}
		}
		run = run[:0]
	}
	for _, r := range folded {
		isWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		if wasCJK := cjk; isWord {
			cjk = isCJK(r)
			if cjk != wasCJK {
				now := cjk
				cjk = wasCJK
				flush()
				cjk = now
			}
			run = append(run, r)
			continue
		}
		flush()
	}
	flush()
	return out
}

// shared counts the terms that both have.
func shared(a, b map[string]bool) int {
	if len(b) < len(a) {
		a, b = b, a
	}
	n := 0
	for term := range a {
		if b[term] {
			n++
		}
	}
	return n
}

// bare is a line without its list marker, check box and spaces around: what a person means by "the same line".
func bare(line string) string {
	s := strings.TrimSpace(line)
	for _, marker := range []string{"- ", "* ", "+ "} {
		if rest, found := strings.CutPrefix(s, marker); found {
			s = rest
			break
		}
	}
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		s = strings.TrimPrefix(s, box)
	}
	return strings.Join(strings.Fields(s), " ")
}

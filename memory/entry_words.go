package memory

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	openBox     = regexp.MustCompile(`^\[ \](?:\s+|$)`)
	tickedBox   = regexp.MustCompile(`^\[[xX]\](?:\s+|$)`)
	quoteMarks  = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]*)+`)
)

// unmarked takes off a statement what only places it: quotation marks of Markdown and one list marker.
func unmarked(text string) string {
	text = strings.TrimSpace(quoteMarks.ReplaceAllString(text, ""))
	said, _ := unlisted(text)
	return said
}

// entryWords is what a statement says, in one form for all the ways to write it.
func entryWords(said string) string {
	said = strings.TrimSpace(htmlComment.ReplaceAllString(said, ""))
	said = openBox.ReplaceAllString(said, "")
	said = tickedBox.ReplaceAllString(said, "☑ ")
	said = norm.NFKC.String(said)
	said = cases.Fold().String(unstyled(said))
	said = joined(norm.NFKC.String(sameMarks.Replace(said)))
	return strings.TrimRight(said, " .,;:!。、")
}

// sameMarks brings marks together that only typography tells apart, and drops those that cannot be seen.
var sameMarks = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'",
	"‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-",
	"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "", "\ufe0e", "", "\ufe0f", "",
)

// joined writes one space for all blanks, and none beside a character of a script that has none.
func joined(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	last, blank := rune(0), false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = true
			continue
		}
		if blank && last != 0 && !spaceless(last) && !spaceless(r) {
			out.WriteByte(' ')
		}
		blank = false
		out.WriteRune(r)
		last = r
	}
	return out.String()
}

// spaceless reports whether a blank beside r only breaks a line, or sets off words of another script.
func spaceless(r rune) bool {
	return 0x2E80 <= r && r <= 0x303F || script.IsHan(r) || script.IsKana(r)
}

// unstyled takes off the marks of emphasis (one or more * or _ on both sides of words), of code, and the backslashes in front of
// marks that mean themselves. A mark between letters or by itself is a part of the text: db_port, 2*3, a * b.
func unstyled(s string) string {
	runes := []rune(s)
	drop := make([]bool, len(runes))
	opened := map[rune][]int{}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if r == '\\' && i+1 < len(runes) && runes[i+1] < unicode.MaxASCII && (unicode.IsPunct(runes[i+1]) || unicode.IsSymbol(runes[i+1])) {
			drop[i] = true
			i++
			continue
		}
		if r != '*' && r != '_' && r != '`' {
			continue
		}
		from := i
		for i+1 < len(runes) && runes[i+1] == r {
			i++
		}
		before, after := wordAt(runes, from-1), wordAt(runes, i+1)
		if before == 'w' && after == 'w' && r != '`' {
			continue
		}
		for at := from; at <= i; at++ {
			stack := opened[r]
			switch {
			case len(stack) > 0 && (before != ' ' || r == '`'):
				drop[at], drop[stack[len(stack)-1]] = true, true
				opened[r] = stack[:len(stack)-1]
			case after != ' ' || r == '`':
				opened[r] = append(stack, at)
			}
		}
	}
	out := runes[:0]
	for i, r := range runes {
		if !drop[i] {
			out = append(out, r)
		}
	}
	return string(out)
}

// wordAt tells what stands at i: 'w' for a letter, digit or mark of a script with spaces, ' ' for a blank or nothing, '.' for
// anything else.
func wordAt(runes []rune, i int) rune {
	switch {
	case i < 0 || i >= len(runes) || unicode.IsSpace(runes[i]):
		return ' '
	case unicode.In(runes[i], unicode.L, unicode.N, unicode.M) && !comparedInPairs(runes[i]):
		return 'w'
	}
	return '.'
}

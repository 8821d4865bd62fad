package keyword

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/fold"
	"reverie/language/script"
)

// keywordContext is how much of a line stands on either side of the first match, in characters.
const keywordContext = 80

// keywordSnippet is the surroundings of the first match in the line content.text[start:end], with the terms marked.
// What matches is what stands in the original, whole characters of it: "ﬁ" is marked for "f".
func keywordSnippet(original string, content fold.Folded, start, end int, terms []string) string {
	lineStart, lineEnd := content.Origin(start, end)
	first, last := -1, -1
	for _, term := range terms {
		if at := strings.Index(content.Text[start:end], term); at >= 0 && (first < 0 || start+at < first) {
			first, last = start+at, start+at+len(term)
		}
	}
	matchStart, matchEnd := content.Origin(first, last)
	from := back(original[lineStart:matchStart], keywordContext) + lineStart
	to := forward(original[matchEnd:lineEnd], keywordContext) + matchEnd
	line := original[lineStart:lineEnd]
	if rest := strings.TrimLeftFunc(line, unicode.IsSpace); from <= lineEnd-len(rest) {
		from = lineEnd - len(rest)
		lineStart = from
	}
	if rest := strings.TrimRightFunc(line, unicode.IsSpace); to >= lineEnd-len(line)+len(rest) {
		to = lineEnd - len(line) + len(rest)
		lineEnd = to
	}

	var snippet strings.Builder
	if from > lineStart {
		snippet.WriteString("...")
	}
	at := from
	for _, mark := range keywordMarks(original, content, start, end, from, to, terms) {
		snippet.WriteString(original[at:mark[0]])
		snippet.WriteString("[[")
		snippet.WriteString(original[mark[0]:mark[1]])
		snippet.WriteString("]]")
		at = mark[1]
	}
	snippet.WriteString(original[at:to])
	if to < lineEnd {
		snippet.WriteString("...")
	}
	return snippet.String()
}

// keywordMarks are the matches between the bytes from and to of the original, in order and without overlap; where terms
// overlap, the longest has it.
func keywordMarks(original string, content fold.Folded, start, end, from, to int, terms []string) [][2]int {
	longest := slices.Clone(terms)
	slices.SortStableFunc(longest, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	line := content.Text[start:end]
	var marks [][2]int
	for _, term := range longest {
		taken := len(marks)
		next := 0
		for at := 0; ; {
			i := strings.Index(line[at:], term)
			if i < 0 {
				break
			}
			matchStart, matchEnd := content.Origin(start+at+i, start+at+i+len(term))
			at += i + len(term)
			matchEnd += script.MarksAt(original[matchEnd:max(matchEnd, to)])
			if matchEnd > to {
				break
			}
			if matchStart < from {
				continue
			}
			// Both are in order: what was taken by longer terms is passed once.
			for next < taken && marks[next][1] <= matchStart {
				next++
			}
			if (next == taken || matchEnd <= marks[next][0]) && (len(marks) == taken || marks[len(marks)-1][1] <= matchStart) {
				marks = append(marks, [2]int{matchStart, matchEnd})
			}
		}
		slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	}
	return marks
}

// forward is the byte behind the first n characters of text.
func forward(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at + script.MarksAt(text[at:])
}

// back is the byte before the last n characters of text.
func back(text string, n int) int {
	at := len(text)
	step := func() (rune, int) { return utf8.DecodeLastRuneInString(text[:at]) }
	for ; n > 0 && at > 0; n-- {
		_, size := step()
		at -= size
	}
	for range script.MaxMarks {
		r, _ := utf8.DecodeRuneInString(text[at:])
		if at == 0 || !script.IsAttached(r) {
			break
		}
		_, size := step()
		at -= size
	}
	return at
}

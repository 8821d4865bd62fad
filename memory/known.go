package memory

import (
	"slices"
	"strings"

	"reverie/memory/markdown"
)

// Says reports whether a statement is known.
type Says func(markdown.Entry) bool

// WithoutKnown removes the statements that a new version adds to before and that are known. A statement stays when something nested
// under it is not known, and so do headings, unless they are new and all their text was removed. It reports whether it removed any.
func WithoutKnown(before, after string, known Says) (string, bool) {
	had := EntrySet{}
	for _, e := range markdown.EntriesOf(before) {
		had[e.ID] = true
	}
	entries := markdown.EntriesOf(after)
	goes := make([]bool, len(entries))
	for i, e := range slices.Backward(entries) {
		goes[i] = !had[e.ID] && known(e)
		for j := i + 1; j < len(entries) && isUnder(entries, j, i); j++ {
			goes[i] = goes[i] && goes[j]
		}
	}
	again := EntrySet{}
	for i, e := range entries {
		if goes[i] {
			again[e.ID] = true
		}
	}
	for i, e := range entries { // one occurrence that stays keeps the others
		if !goes[i] {
			delete(again, e.ID)
		}
	}
	if len(again) == 0 {
		return after, false
	}
	_, _, lines := again.Find(after)
	return withoutEmptied(before, after, lines), true
}

// withoutEmptied removes lines from content, and the headings that before does not have and that lose all their text.
func withoutEmptied(before, content string, gone []LineSpan) string {
	had := map[string]bool{}
	for line := range strings.Lines(before) {
		had[strings.TrimSpace(line)] = true
	}
	return WithoutLines(content, WithEmptied(content, gone, func(_ int, heading string) bool { return !had[strings.TrimSpace(heading)] }))
}

// WithEmptied adds to lines that are removed from a document the headings that lose all their text by it and may be removed, with the blank
// lines before what was last. mayGo gets the index of a heading's line, from 0, and the line.
func WithEmptied(content string, gone []LineSpan, mayGo func(at int, heading string) bool) []LineSpan {
	lines := slices.Collect(strings.Lines(content))
	removed := make([]bool, len(lines))
	for _, s := range gone {
		for i := s.From; i < min(s.To, len(lines)); i++ {
			removed[i] = true
		}
	}
	titles := markdown.HeadingLines(content)
	for i, line := range slices.Backward(lines) {
		if !titles[i] || !mayGo(i, line) {
			continue
		}
		level := markdown.HeadingLevel(line)
		to, lost := i+1, false
		for ; to < len(lines) && (!titles[to] || markdown.HeadingLevel(lines[to]) > level); to++ {
			if strings.TrimSpace(lines[to]) == "" {
				continue
			}
			if lost = removed[to]; !lost {
				break
			}
		}
		from := i
		isLast := !slices.Contains(removed[to:], false)
		for isLast && from > 0 && strings.TrimSpace(lines[from-1]) == "" { // blank lines in front of the last section
			from--
		}
		for j := from; lost && j < to; j++ {
			removed[j] = true
		}
	}
	var spans []LineSpan
	for i := 0; i < len(lines); i++ {
		from := i
		for i < len(lines) && removed[i] {
			i++
		}
		if i > from {
			spans = append(spans, LineSpan{from, i})
		}
	}
	return spans
}

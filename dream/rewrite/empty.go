package rewrite

import (
	"slices"
	"strings"

	"reverie/dream"
	"reverie/memory"
)

// WithoutEmptySections is a text of MEMORY.md, or of an archive of it, without the headings of sections that dreams made and
// in which nothing stands any more. A heading that is a line of protected stays, and so does one whose going would change what
// other lines say or leave nothing.
func WithoutEmptySections(text string, protected ...string) string {
	keeps := saidSet(protected)
	for i := len(sectionsOf(text, machineDay)) - 1; i >= 0; i-- {
		s := sectionsOf(text, machineDay)[i] // of the text as it is by now: sections in front of one that went are the same
		lines := LinesOf(text)
		if keeps[memory.SameLine(lines[s.from])] || slices.ContainsFunc(lines[s.from+1:s.to], saysMore) {
			continue
		}
		gap := ""
		if s.from > 0 && s.to < len(lines) && strings.TrimSpace(lines[s.from-1]) != "" {
			gap = "\n"
		}
		rest := slices.Replace(lines, s.from, s.to, gap)
		without := Remaining(rest, make([]bool, len(rest)))
		if without != "" && sameStatements(memory.EntriesOf(text), memory.EntriesOf(without)) {
			text = without
		}
	}
	return text
}

// saysMore reports whether a line is more than space in a section that a dream made.
func saysMore(line string) bool {
	said := strings.TrimSpace(line)
	return said != "" && said != strings.Repeat("#", promotedLevel+1)+" "+replacedBy
}

// machineDay is the day of a section that a dream made, in MEMORY.md or in an archive; empty for any other section.
func machineDay(s memory.Section) dream.Day {
	if day, found := strings.CutPrefix(s.Heading, replacedOn+" "); found {
		s.Heading = promotedOn(dream.Day(day))
	}
	return promotedDay(s)
}

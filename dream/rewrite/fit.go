package rewrite

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// ArchiveFolder holds machine-made sections that moved out of MEMORY.md when it grew too long, in one file for each month.
const ArchiveFolder = "memory/archive/"

// Fit removes a fence around a text that a model wrote, and makes it fit the limit by moving the oldest machine-made sections
// to an archive, except those with a protected line. It drops empty machine-made sections. Check refuses text that is still
// too long.
func Fit(text string, asOf time.Time, s setting.DreamSettings, protected ...string) (fitted string, moved []dream.MovedSection) {
	return makeRoom(WithoutEmptySections(markdown.Tidied(text), protected...), s.MemoryMaxChars, dream.DayOf(asOf), protected)
}

// makeRoom moves sections, oldest first, until text has at most limit characters. The section of today stays.
func makeRoom(text string, limit int, today dream.Day, protected []string) (string, []dream.MovedSection) {
	if utf8.RuneCountInString(text) <= limit {
		return text, nil
	}
	lines := LinesOf(text)
	sections := promotedSections(text)
	keeps := saidSet(protected)
	sections = slices.DeleteFunc(sections, func(s promotedSection) bool {
		return s.day == today || slices.ContainsFunc(lines[s.from:s.to], func(line string) bool { return keeps[markdown.LineKey(line)] })
	})
	slices.SortStableFunc(sections, func(a, b promotedSection) int { return strings.Compare(string(a.day), string(b.day)) })
	var moved []dream.MovedSection
	gone := make([]bool, len(lines))
	for _, s := range sections {
		part := strings.TrimSpace(strings.Join(lines[s.from:s.to], "")) + "\n"
		for i := s.from; i < s.to; i++ {
			gone[i] = true
		}
		moved = append(moved,
			dream.MovedSection{Heading: s.heading, Text: part, Day: s.day, Path: ArchiveFolder + string(s.day)[:len("2006-01")] + ".md"})
		if text = Remaining(lines, gone); utf8.RuneCountInString(text) <= limit {
			break
		}
	}
	return text, moved
}

// Remaining joins the lines that are not gone, with one line break at the end.
func Remaining(lines []string, gone []bool) string {
	var b strings.Builder
	for i, line := range lines {
		if !gone[i] {
			b.WriteString(line)
		}
	}
	if text := strings.TrimRight(b.String(), "\r\n"); text != "" {
		return text + "\n"
	}
	return ""
}

// saidSet returns the keys of lines, without those that have no text.
func saidSet(lines []string) map[string]bool {
	out := make(map[string]bool, len(lines))
	for _, line := range lines {
		if markdown.HasText(line) {
			out[markdown.LineKey(line)] = true
		}
	}
	return out
}

// LinesOf splits a text into lines, each with its line break.
func LinesOf(text string) []string { return slices.Collect(strings.Lines(text)) }

// promotedSection is a section of MEMORY.md that dreams made: lines from to to, excluding to.
type promotedSection struct {
	heading  string
	day      dream.Day
	from, to int
	body     int // line at which a nested section begins; to when there is none
}

// promotedOn returns the heading of the section of a day; datedHeading parses the day.
func promotedOn(day dream.Day) string { return notes.PromotedHeading + " (" + string(day) + ")" }

var datedHeading = regexp.MustCompile(`^` + regexp.QuoteMeta(notes.PromotedHeading) + ` \((\d{4}-\d{2}-\d{2})\)$`)

// promotedLevel is the heading level of such sections.
const promotedLevel = 2

// promotedSections returns the machine-made sections in document order. A section ends at the next heading of its level or a
// higher one.
func promotedSections(text string) []promotedSection { return sectionsOf(text, promotedDay) }

// sectionsOf returns the sections for which dayOf returns a day.
func sectionsOf(text string, dayOf func(markdown.Section) dream.Day) []promotedSection {
	var (
		out  []promotedSection
		open bool
		at   int
	)
	for _, s := range markdown.Sections(text) {
		if s.Level > 0 && s.Level <= promotedLevel {
			open = false
		}
		if day := dayOf(s); day != "" {
			open = true
			out = append(out, promotedSection{heading: s.Heading, day: day, from: at, body: at + 1 + len(s.Lines)})
		}
		if at += len(s.Lines); s.Level > 0 {
			at++
		}
		if open {
			out[len(out)-1].to = at
		}
	}
	return out
}

// promotedDay returns the day of a machine-made section; empty for any other section.
func promotedDay(s markdown.Section) dream.Day {
	m := datedHeading.FindStringSubmatch(s.Heading)
	if m == nil || s.Level != promotedLevel {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
		return ""
	}
	return dream.Day(m[1])
}

// WithoutEmptySections removes the headings of empty machine-made sections from MEMORY.md or an archive of it. A heading that
// is a protected line stays, and so does one whose removal would change the meaning of other lines or leave the text empty.
func WithoutEmptySections(text string, protected ...string) string {
	keeps := saidSet(protected)
	for i := len(sectionsOf(text, machineDay)) - 1; i >= 0; i-- {
		s := sectionsOf(text, machineDay)[i] // positions before a removed section are still valid
		lines := LinesOf(text)
		if keeps[markdown.LineKey(lines[s.from])] || slices.ContainsFunc(lines[s.from+1:s.to], saysMore) {
			continue
		}
		gap := ""
		if s.from > 0 && s.to < len(lines) && strings.TrimSpace(lines[s.from-1]) != "" {
			gap = "\n"
		}
		rest := slices.Replace(lines, s.from, s.to, gap)
		without := Remaining(rest, make([]bool, len(rest)))
		if without != "" && sameStatements(markdown.EntriesOf(text), markdown.EntriesOf(without)) {
			text = without
		}
	}
	return text
}

// saysMore reports whether a line in a machine-made section is content: not blank, and not the heading of corrections.
func saysMore(line string) bool {
	said := strings.TrimSpace(line)
	return said != "" && said != strings.Repeat("#", promotedLevel+1)+" "+replacedBy
}

// machineDay returns the day of a machine-made section, in MEMORY.md or in an archive; empty for any other section.
func machineDay(s markdown.Section) dream.Day {
	if day, found := strings.CutPrefix(s.Heading, replacedOn+" "); found {
		s.Heading = promotedOn(dream.Day(day))
	}
	return promotedDay(s)
}

// Settle updates the verdicts of a ranking after a model wrote MEMORY.md. A candidate that passed is promoted when the text
// contains it now and did not before, known when it did before, and kept (left_out) when it does not. Others are unchanged.
func Settle(before, after string, r dream.Ranking) dream.Ranking {
	fresh, stood := newIn(claimsOf(before), claimsOf(after))
	out := dream.Ranking{Candidates: append([]dream.Candidate(nil), r.Candidates...), Contradictions: r.Contradictions}
	for i := range out.Candidates {
		c := &out.Candidates[i]
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		said := ClaimOf(c.Text)
		if line, found := said.statedIn(fresh); found {
			c.Line = line
			continue
		}
		if _, found := said.statedIn(stood); found {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "MEMORY.md says it already")
		} else {
			c.Judge(dream.VerdictKept, dream.ReasonLeftOut, "the model did not take it")
		}
	}
	return out
}

package rewrite

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// ArchiveFolder holds machine-made sections and lines that moved out of MEMORY.md when it grew too long, in one file for each
// month.
const ArchiveFolder = "memory/archive/"

// Fit removes a fence around a text that a model wrote, and makes it fit the limit by moving the oldest machine-made sections
// to an archive, except protected lines of them. It drops empty machine-made sections. Check refuses text that is still too
// long.
func Fit(text string, asOf time.Time, s setting.DreamSettings, protected ...string) (fitted string, moved []dream.MovedSection) {
	r := room{text: WithoutEmptySections(markdown.Tidied(text), protected...), limit: s.MemoryMaxChars, today: dream.DayOf(asOf)}
	r.keeps = saidSet(protected)
	r.moveSections()
	return r.text, r.moved
}

// room makes a text fit its limit by moving what machines wrote to archives.
type room struct {
	text  string
	limit int // characters
	today dream.Day
	keeps map[string]bool // lines of people
	moved []dream.MovedSection
}

func (r *room) fits() bool { return utf8.RuneCountInString(r.text) <= r.limit }

// moveSections moves machine-made sections, oldest first, until the text fits. The section of today stays, and of a section with
// a protected line the lines that cannot be moved singly.
func (r *room) moveSections() {
	days := map[dream.Day]bool{}
	for _, s := range promotedSections(r.text) {
		days[s.day] = s.day != r.today
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		for n := 0; days[day] && !r.fits(); n++ {
			lines := LinesOf(r.text)
			sections := slices.DeleteFunc(promotedSections(r.text), func(s promotedSection) bool { return s.day != day })
			if n >= len(sections) {
				break
			}
			s := sections[n]
			if slices.ContainsFunc(lines[s.from:s.to], func(line string) bool { return r.keeps[markdown.LineKey(line)] }) {
				r.moveLines(s.heading, day, func(at int) bool {
					return slices.ContainsFunc(promotedSections(r.text), func(s promotedSection) bool {
						return s.day == day && s.from < at && at < s.body
					})
				})
				continue
			}
			part := strings.TrimSpace(strings.Join(lines[s.from:s.to], "")) + "\n"
			rest, ok := withoutLines(r.text, s.from, s.to)
			if !ok || !isClosed(part) { // it ends a comment or code that begins before it, or has the beginning of one
				continue
			}
			r.moved = append(r.moved, dream.MovedSection{Heading: s.heading, Text: part, Day: day, Path: archiveOf(day)})
			r.text = rest
			n--
		}
	}
}

// isClosed reports whether text after a part of a document is visible: no comment or code is open at its end.
func isClosed(part string) bool {
	const end = "- end"
	entries := markdown.EntriesOf(part + "\n" + end + "\n")
	return len(entries) > 0 && entries[len(entries)-1].ID == markdown.EntryIDOf(end)
}

// moveOthers moves single list items outside of the sections of dreams that no person wrote, from the beginning of the text, until
// the text fits. Writers append, so that the first lines of a section are its oldest. Lines about a person of a group stay in that
// person's section.
func (r *room) moveOthers() {
	r.moveLines(movedOn+" "+string(r.today), r.today, func(at int) bool {
		return memory.PersonAt(r.text, at+1) == memory.NoOwner &&
			!slices.ContainsFunc(promotedSections(r.text), func(s promotedSection) bool { return s.from < at && at < s.to })
	})
}

// moveLines moves single list items at which here is true (the index of the line) to a section of the archive until the text
// fits. Items from under other headings keep these as headings below that of the section.
func (r *room) moveLines(heading string, day dream.Day, here func(at int) bool) {
	moved := dream.MovedSection{
		Heading: heading, Day: day, Path: archiveOf(day), Text: strings.Repeat("#", promotedLevel) + " " + heading + "\n\n",
	}
	under := heading
	for from := 0; !r.fits(); {
		all, entries := LinesOf(r.text), markdown.EntriesOf(r.text)
		i := slices.IndexFunc(entries, func(e markdown.Entry) bool {
			return e.FromLine > from && !r.keeps[markdown.LineKey(all[e.FromLine-1])] && here(e.FromLine-1)
		})
		if i < 0 {
			break
		}
		at := entries[i].FromLine - 1
		line := strings.TrimRight(all[at], "\r\n")
		rest, ok := "", false
		if !isWoven(entries, i, line) {
			rest, ok = withoutLines(r.text, at, at+1)
		}
		if !ok {
			from = at + 1
			continue
		}
		if over := entries[i].Heading; over != under && over != "" {
			under = over
			moved.Text = strings.TrimSpace(moved.Text) + "\n\n" + strings.Repeat("#", promotedLevel+1) + " " + under + "\n\n"
		}
		r.text, from = rest, at
		moved.Lines, moved.Text = append(moved.Lines, line), moved.Text+line+"\n"
	}
	if len(moved.Lines) > 0 {
		r.moved = append(r.moved, moved)
	}
}

// archiveOf returns the archive for a day.
func archiveOf(day dream.Day) string { return ArchiveFolder + string(day)[:len("2006-01")] + ".md" }

// movedOn begins the heading in an archive over lines that were moved to make room; the day follows.
const movedOn = "Moved on"

// Remaining joins the lines that were not removed, with one line break at the end.
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

var datedHeading = lazyregexp.New(`^` + regexp.QuoteMeta(notes.PromotedHeading) + ` \((\d{4}-\d{2}-\d{2})\)$`)

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
	for _, over := range []string{replacedOn, movedOn} {
		if day, found := strings.CutPrefix(s.Heading, over+" "); found {
			s.Heading = promotedOn(dream.Day(day))
		}
	}
	return promotedDay(s)
}

// Refuse updates the verdicts of a ranking after a text for MEMORY.md was refused, so that nothing was written: a candidate that passed is
// known when MEMORY.md says it already, and else kept (refused), to be judged in the next dream.
func Refuse(before string, r dream.Ranking) dream.Ranking {
	out := Settle(before, before, r)
	for i := range out.Candidates {
		if c := &out.Candidates[i]; c.ReasonCode == dream.ReasonLeftOut && r.Candidates[i].Verdict == dream.VerdictPromoted {
			c.Judge(dream.VerdictKept, dream.ReasonRefused, "the new text was refused")
		}
	}
	return out
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

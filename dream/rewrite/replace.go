package rewrite

import (
	"slices"
	"strings"

	"reverie/dream"
	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
)

const (
	// replacedOn begins the heading in an archive over lines that a later statement corrected; the day follows. The
	// correction is under replacedBy. Both are separate statements there, so that each of them can be forgotten.
	replacedOn = "Replaced on"
	replacedBy = "Replaced by"
)

// Reasons why a corrected line stays in MEMORY.md, in words.
const (
	staysPerson  = "a person wrote it"
	staysOutside = "it is outside the part that dreams write"
	staysShare   = "no more lines may be removed in one night"
	staysWoven   = "it cannot be removed alone"
)

// replacement is the result of removing corrected lines from MEMORY.md.
type replacement struct {
	text  string // MEMORY.md without the moved lines
	moved []dream.MovedSection
	gone  []int          // indexes of contradictions whose older line moved
	stays map[int]string // contradictions whose older line stays, with the reason
}

// replace moves lines that the chosen candidates correct out of text, which already contains the candidates. It moves only
// single list items of machine-made sections that no person wrote or confirmed, at most MaxRetiredShare of the lines but at
// least one.
func (p *promoting) replace(text string, chosen []int) replacement {
	out := replacement{text: text, stays: map[int]string{}}
	left := max(1, int(p.settings.MaxRetiredShare*float64(contentLines(p.current))))
	keeps, came := saidSet(p.protected), map[markdown.EntryID]bool{}
	for _, at := range chosen {
		came[markdown.EntryIDOf(p.ranking.Candidates[at].Line)] = true
	}
	lines := map[int][]string{} // by candidate
	var order []int
	for n, pair := range p.ranking.Contradictions {
		newer, found := p.heir(pair, chosen)
		if !found || came[pair.Older] {
			continue
		}
		for more := true; more; {
			at, line, why := out.find(pair.Older, keeps)
			switch {
			case at < 0:
				more = false
				if why != "" {
					out.stays[n] = why
				}
				continue
			case left == 0:
				out.stays[n], more = staysShare, false
				continue
			}
			rest, ok := withoutLines(out.text, at, at+1)
			if !ok {
				out.stays[n], more = staysWoven, false
				continue
			}
			if lines[newer] == nil {
				order = append(order, newer)
			}
			out.text, lines[newer], left = rest, append(lines[newer], line), left-1
			if !slices.Contains(out.gone, n) {
				out.gone = append(out.gone, n)
			}
		}
	}
	for _, newer := range order {
		out.moved = append(out.moved, replacedSection(lines[newer], p.ranking.Candidates[newer].Line, p.day))
	}
	return out
}

// heir returns the chosen candidate that corrects the older side of a pair, directly or through a chain of corrections.
func (p *promoting) heir(pair dream.Contradiction, chosen []int) (at int, found bool) {
	if !pair.Settled {
		return 0, false
	}
	for range p.ranking.Contradictions {
		for _, at := range chosen {
			if p.ranking.Candidates[at].ID == pair.Newer {
				return at, true
			}
		}
		next := slices.IndexFunc(p.ranking.Contradictions, func(c dream.Contradiction) bool { return c.Settled && c.Older == pair.Newer })
		if next < 0 {
			break
		}
		pair = p.ranking.Contradictions[next]
	}
	return 0, false
}

// find returns the first line, counted from 0, that contains a statement and may be moved. Otherwise at is negative, and why
// is the reason that keeps such a line; empty when there is none.
func (r *replacement) find(id markdown.EntryID, keeps map[string]bool) (at int, line, why string) {
	entries, all := markdown.EntriesOf(r.text), LinesOf(r.text)
	sections := promotedSections(r.text)
	for i, e := range entries {
		if e.ID != id {
			continue
		}
		at, line = e.FromLine-1, strings.TrimRight(all[e.FromLine-1], "\r\n")
		switch {
		case slices.ContainsFunc(all[e.FromLine-1:e.ToLine], func(l string) bool { return keeps[markdown.LineKey(l)] }):
			why = staysPerson
		case !slices.ContainsFunc(sections, func(s promotedSection) bool { return at > s.from && e.ToLine <= s.body }):
			why = staysOutside
		case isWoven(entries, i, line):
			why = staysWoven
		default:
			return at, line, ""
		}
	}
	return -1, "", why
}

// isWoven reports whether the i-th entry, which begins with line, cannot be moved alone: it is not a list item of a single line,
// or other items are nested with it.
func isWoven(entries []markdown.Entry, i int, line string) bool {
	e := entries[i]
	return e.ToLine > e.FromLine || e.Parent >= 0 || !bullet.MatchString(line) ||
		slices.ContainsFunc(entries, func(o markdown.Entry) bool { return o.Parent == i })
}

// bullet matches a list item as dreams write them.
var bullet = lazyregexp.New(`^[-*+] \S`)

// withoutLines removes the lines from to to, excluding to, from a text. It reports false when that would change the meaning of
// another line.
func withoutLines(text string, from, to int) (string, bool) {
	lines := slices.Delete(LinesOf(text), from, to)
	rest := Remaining(lines, make([]bool, len(lines)))
	want := slices.DeleteFunc(markdown.EntriesOf(text), func(e markdown.Entry) bool { return e.FromLine > from && e.FromLine <= to })
	return rest, sameStatements(want, markdown.EntriesOf(rest))
}

// sameStatements reports whether two texts have the same statements under the same headings.
func sameStatements(a, b []markdown.Entry) bool {
	return slices.EqualFunc(a, b, func(x, y markdown.Entry) bool {
		return x.Text == y.Text && x.Heading == y.Heading && (x.Parent < 0) == (y.Parent < 0)
	})
}

// replacedSection returns the section for the archive.
func replacedSection(lines []string, by string, day dream.Day) dream.MovedSection {
	heading := replacedOn + " " + string(day)
	return dream.MovedSection{
		Heading: heading, Day: day, Path: archiveOf(day), Replaced: lines, By: by,
		Text: strings.Repeat("#", promotedLevel) + " " + heading + "\n\n" + strings.Join(lines, "\n") + "\n\n" +
			strings.Repeat("#", promotedLevel+1) + " " + replacedBy + "\n\n" + by + "\n",
	}
}

// contentLines counts the lines of a text that have content and are not headings.
func contentLines(text string) int {
	n := 0
	for _, s := range markdown.Sections(text) {
		for _, line := range s.Lines {
			if markdown.HasText(line) {
				n++
			}
		}
	}
	return n
}

// withOutcomes returns the contradictions, with the outcome for the older line added.
func (r *replacement) withOutcomes(pairs []dream.Contradiction) []dream.Contradiction {
	out := slices.Clone(pairs)
	for _, n := range r.gone {
		out[n].Why += "; the older line left MEMORY.md for the archive"
	}
	for n, why := range r.stays {
		out[n].Settled = false
		out[n].Why += "; the older line stays in MEMORY.md beside it, since " + why
	}
	return out
}

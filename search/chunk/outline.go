package chunk

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

// outline is a document as a tree of sections.
type outline struct {
	lines    []markdownLine
	sections []section // in order; sections[0] is the text before the first heading
}

// section is a heading with the text below it, up to the next heading.
type section struct {
	line   int   // its first line
	level  uint8 // of the heading; 0: none
	title  string
	parent int  // enclosing section; -1: none
	says   bool // it has text besides its heading
	past   bool // it is the archive, or in it
	entry  int  // section of the daily note entry that contains this one; -1: none
	at     int64
}

// outlineOf reads the sections of a document. day is the date in its name, or the zero time.
func outlineOf(content string, day time.Time) *outline {
	doc := &outline{lines: scanLines(content)}
	headings := 0
	for _, line := range doc.lines {
		if line.level > 0 {
			headings++
		}
	}
	doc.sections = make([]section, 0, headings+1)
	doc.add(section{parent: -1, entry: -1}, day)
	for i, line := range doc.lines {
		switch {
		case line.level > 0:
			doc.add(section{line: i, level: line.level, title: headingTitle(content[line.start:line.end])}, day)
		case !line.blank && !line.silent:
			doc.sections[len(doc.sections)-1].says = true
		}
	}
	return doc
}

// A section of this level with this heading is the archive of its document (markdown.ArchiveHeading).
const (
	archiveHeading = "Archived"
	archiveLevel   = 2
)

// add appends s to the sections.
func (doc *outline) add(s section, day time.Time) {
	if !day.IsZero() {
		s.at = day.Unix()
	}
	if s.level > 0 {
		s.parent = len(doc.sections) - 1
		for s.parent > 0 && doc.sections[s.parent].level >= s.level {
			s.parent = doc.sections[s.parent].parent
		}
		above := doc.sections[max(s.parent, 0)]
		s.at, s.entry = above.at, above.entry
		if clock, found := clockOf(s.title); found && !day.IsZero() {
			s.at = day.Add(clock).Unix()
			if s.entry < 0 {
				s.entry = len(doc.sections)
			}
		}
		if s.past = s.level > archiveLevel && above.past || s.level == archiveLevel && s.title == archiveHeading; s.past {
			s.entry = -1
		}
		if s.parent == 0 {
			s.parent = -1
		}
	}
	doc.sections = append(doc.sections, s)
}

// atomGroup is a run of atoms that is cut separately.
type atomGroup struct {
	from, to int
	archived bool
}

// sectionGroup is a run of sections that is cut separately.
type sectionGroup struct {
	first, last int
	main        int // the first section of the run with text
	from, to    int // atoms
	weight      int
}

// groups joins sections that belong into one piece, and returns the atoms of each run.
func (doc *outline) groups(c *cutter) []atomGroup {
	tiny := c.limit / tinyShare
	var runs []sectionGroup
	for first := 0; first < len(doc.sections); {
		run := doc.run(c, first)
		first = run.last + 1
		if run.from == run.to {
			continue
		}
		if n := len(runs); n > 0 && run.weight < tiny && runs[n-1].mayTake(doc, run, tiny) &&
			c.weight(runs[n-1].from, run.to) <= c.limit/sharedShare {
			runs[n-1].last, runs[n-1].to = run.last, run.to
			continue
		}
		runs = append(runs, run)
	}
	out := make([]atomGroup, len(runs))
	for i, run := range runs {
		out[i] = atomGroup{run.from, run.to, doc.sections[run.main].past}
	}
	return out
}

// A section below an eighth of a piece has one or two sentences: too little for a separate result. Joined, such
// sections make up at most a quarter of a piece, so that it still has few subjects.
const (
	tinyShare   = 8
	sharedShare = 4
)

// run returns the shortest run of sections from first that stays together: headings without text with the section below
// them, an entry of a daily note with all its subsections, or one section.
func (doc *outline) run(c *cutter, first int) sectionGroup {
	main := first
	for !doc.sections[main].says && main+1 < len(doc.sections) && doc.sections[main+1].parent == main && doc.sections[main].level > 0 {
		main++
	}
	last := main
	for last+1 < len(doc.sections) && doc.sections[main].entry >= 0 && doc.sections[last+1].entry == doc.sections[main].entry {
		last++
	}
	run := sectionGroup{first: first, last: last, main: main}
	end := len(doc.lines)
	if last+1 < len(doc.sections) {
		end = doc.sections[last+1].line
	}
	run.from, run.to = c.atomAt(doc.sections[first].line), c.atomAt(end)
	run.weight = c.weight(run.from, run.to)
	return run
}

// mayTake reports whether the tiny run after g may share g's piece: g consists of tiny sections, and run is under the
// same heading, or under g's heading.
func (g sectionGroup) mayTake(doc *outline, run sectionGroup, tiny int) bool {
	mine, other := doc.sections[g.main], doc.sections[run.main]
	if mine.past != other.past || mine.entry >= 0 || other.entry >= 0 || g.last == g.main && g.weight >= tiny {
		return false
	}
	return run.first == run.main && (other.parent == mine.parent || other.parent == g.main)
}

// sectionOf returns the innermost section that contains all text of the lines first to last.
func (doc *outline) sectionOf(first, last int) int {
	from, to := doc.sectionAt(first), doc.sectionAt(last)
	common := -1
	for i := from; i <= to; i++ {
		switch {
		case !doc.sections[i].says:
		case common < 0:
			common = i
		default:
			common = doc.enclosing(common, i)
		}
	}
	switch {
	case common >= 0:
		return common
	case from == to:
		return from
	}
	return doc.enclosing(from, to)
}

// sectionAt returns the section of a line.
func (doc *outline) sectionAt(line int) int {
	return sort.Search(len(doc.sections), func(i int) bool { return doc.sections[i].line > line }) - 1
}

// enclosing returns the innermost section that contains both a and b, possibly one of them; 0 if only the document
// does.
func (doc *outline) enclosing(a, b int) int {
	for a != b && a >= 0 && b >= 0 {
		if a > b {
			a = doc.sections[a].parent
		} else {
			b = doc.sections[b].parent
		}
	}
	return max(min(a, b), 0)
}

// maxTitle is the maximum length of a heading in a context, in bytes.
const maxTitle = 200

// context returns the path of the document, the headings that enclose a section including its own, and the other
// surroundings of a line: the list items above it, or the head of its table.
func (doc *outline) context(path, content string, section, line int) string {
	var titles []string
	for n := 0; n < maxListDepth && doc.lines[line].under > 0; n++ {
		line = int(doc.lines[line].under) - 1
		titles = append(titles, shortened(unmarked(content[doc.lines[line].start:doc.lines[line].end]), maxTitle))
	}
	for i := section; i >= 0; i = doc.sections[i].parent {
		titles = append(titles, shortened(doc.sections[i].title, maxTitle))
	}
	var out strings.Builder
	out.WriteString(path)
	for _, title := range slices.Backward(titles) {
		if title == "" {
			continue
		}
		if out.Len() > 0 {
			out.WriteString(" > ")
		}
		out.WriteString(title)
	}
	return out.String()
}

// unmarked returns a line without indentation and list marker.
func unmarked(line string) string {
	line = strings.TrimSpace(line)
	if width, _ := listMarker(line); width > 0 {
		line = strings.TrimSpace(line[width:])
	}
	return line
}

// shortened returns the longest prefix of s that fits into limit bytes.
func shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

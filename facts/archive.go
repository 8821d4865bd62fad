package facts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
)

// Archive returns a document with statements moved into its archive: list items and paragraphs with what is nested under them, of a
// structured document whole entries. Statements in the section of a person of a group stay, because the archive does not say whose they
// are. The error is a *markdown.SectionError for a document that cannot get an archive.
func Archive(path, content string, entries memory.EntrySet) (string, error) {
	if _, is := structured.TypeOf(path); is {
		for _, s := range entriesOf(path, content) {
			if !entries[s.Entry] || s.Archived {
				continue
			}
			next, found, err := structured.Archive(content, markdown.TopHeadingAt(content, s.FromLine))
			if err != nil {
				return "", err
			}
			if found {
				next, err = Archive(path, next, entries) // lines have moved
				return next, err
			}
		}
		return content, nil
	}
	current, archive := markdown.CutArchive(content)
	spans := movable(current, entries)
	if len(spans) == 0 {
		return content, nil
	}
	lines := slices.Collect(strings.Lines(current))
	for _, s := range spans {
		archive = added(archive, lines[s.From:min(s.To, len(lines))])
	}
	return markdown.WithArchive(memory.WithoutLines(current, spans), archive)
}

// Moved returns the lines of its document that Archive moves for a statement: none if it is not current, or stays.
func (s Statement) Moved(path, content string) (moved []memory.LineSpan) {
	if _, is := structured.TypeOf(path); !is {
		current, _ := markdown.CutArchive(content)
		return movable(current, memory.EntrySet{s.Entry: true})
	}
	for _, o := range entriesOf(path, content) {
		if o.Entry != s.Entry || o.Archived {
			continue
		}
		if _, from, to, found := markdown.TopSection(content, markdown.TopHeadingAt(content, o.FromLine)); found {
			moved = append(moved, memory.LineSpan{From: from - 1, To: to})
		}
	}
	return moved
}

// movable returns the lines of statements of a document without its archive, of sections that are not a person's.
func movable(current string, entries memory.EntrySet) []memory.LineSpan {
	_, _, spans := entries.Find(current)
	return slices.DeleteFunc(spans, func(s memory.LineSpan) bool {
		return strings.HasPrefix(markdown.TopHeadingAt(current, s.From+1), memory.PersonHeading)
	})
}

// Restore returns a document with a statement moved out of its archive, to the end of the section with a heading, or of the text before
// the first section; of a structured document, its whole entry. It reports false if the archive does not have it. The error is a
// *markdown.SectionError, or structured.ErrCurrent.
func Restore(path, content string, entry markdown.EntryID, heading string) (string, bool, error) {
	if _, is := structured.TypeOf(path); is {
		for _, e := range structured.Parse(content) {
			has := func(x markdown.Entry) bool { return x.ID == entry }
			if e.Archived && slices.ContainsFunc(markdown.EntriesOf(e.Content), has) {
				next, err := structured.Restore(content, e.Key)
				return next, err == nil, err
			}
		}
		return content, false, nil
	}
	current, archive := markdown.CutArchive(content)
	_, found, spans := memory.EntrySet{entry: true}.Find(archive)
	if len(found) == 0 {
		return content, false, nil
	}
	lines := slices.Collect(strings.Lines(archive))
	moved := lines[spans[0].From:min(spans[0].To, len(lines))]
	next, err := markdown.WithArchive(under(current, heading, moved), memory.WithoutLines(archive, spans[:1]))
	return next, err == nil, err
}

// under returns a document with lines at the end of the section with a heading; without such a section, at its end below that heading.
func under(document, heading string, lines []string) string {
	end := markdown.SectionEnd(document, func(s markdown.Section) bool {
		return s.Heading == heading && s.Level > 0 || heading == "" && s.Level <= 1
	})
	all := slices.Collect(strings.Lines(document))
	if end == 0 && heading != "" {
		end, all = len(all)+1, append(all, "\n## "+heading+"\n")
	}
	before, behind := strings.Join(all[:min(end, len(all))], ""), strings.Join(all[min(end, len(all)):], "")
	next := added(strings.TrimRight(before, "\n"), lines) + "\n"
	if behind != "" && !strings.HasPrefix(behind, "\n") {
		next += "\n"
	}
	return next + behind
}

// added returns a text with lines after it, without the indentation of the first one.
func added(text string, lines []string) string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	next := strings.TrimSpace(b.String())
	last := text[strings.LastIndexByte(text, '\n')+1:]
	between := "\n\n"
	if memory.ListPrefix(strings.TrimLeft(last, " \t")) != "" && memory.ListPrefix(next) != "" {
		between = "\n"
	}
	return strings.TrimSpace(text + between + next)
}

// Standing holds the values that decide whether a current fact is archived.
type Standing struct {
	Trust float64
	Seen  time.Time // when it was said, confirmed or used last
	Kept  bool      // a person wrote or confirmed it: it is never archived
}

// Best returns the standing of two facts that are archived together: that of the better one.
func (s Standing) Best(o Standing) Standing {
	if o.Seen.After(s.Seen) {
		s.Seen = o.Seen
	}
	s.Trust, s.Kept = max(s.Trust, o.Trust), s.Kept || o.Kept
	return s
}

// Limits decide which facts are archived.
type Limits struct {
	MinTrust float64       // facts below it are archived when they were not seen for Unseen; 0: none
	Unseen   time.Duration // since Seen
	Most     int           // facts that are not archived; 0: any number
}

// Retire returns the indexes of the facts to archive, in order: those below the least trust that were not seen lately, and as many of the
// least trusted of the others as are too many. Of equally trusted ones the one that was seen longest ago is archived first, then the first
// one of all.
func Retire(all []Standing, at time.Time, limits Limits) []int {
	var order []int
	for i, s := range all {
		if !s.Kept {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].Trust, all[b].Trust), all[a].Seen.Compare(all[b].Seen))
	})
	var out []int
	for _, i := range order {
		low := all[i].Trust < limits.MinTrust && at.Sub(all[i].Seen) >= limits.Unseen
		excess := limits.Most > 0 && len(all)-len(out) > limits.Most
		if low || excess {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

package memory

import (
	"regexp"
	"slices"
	"strings"

	"reverie/memory/markdown"
)

// EntrySet is a set of statements. It holds every id under which a statement may occur in documents: its own, those of other wordings
// of it, and that of the list item that says it.
type EntrySet map[markdown.EntryID]bool

// Add adds a statement by its id, the ids of its other wordings, and its texts.
func (s EntrySet) Add(id markdown.EntryID, aliases []markdown.EntryID, texts ...string) {
	if id != "" {
		s[id] = true
	}
	for _, alias := range aliases {
		s[alias] = true
	}
	for _, text := range texts { // a nested item that was promoted is a list item there, with the text of its parents
		if strings.TrimSpace(text) != "" {
			s[ItemID(text)] = true
		}
	}
}

// Erased replaces erased words in texts. Automatic writes do not add it to documents as a statement.
const Erased = "[erased]"

// ItemID returns the id of a text as a list item at the top level.
func ItemID(text string) markdown.EntryID {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "- ") {
		return markdown.EntryIDOf(text)
	}
	return markdown.EntryIDOf("- " + text)
}

// LineSpan is a range of lines, counted from 0; To is the line after the last one.
type LineSpan struct{ From, To int }

// Find returns all entries of content, the indexes of those in the set, and the lines of each with everything nested under it. An
// entry inside another one that is found is not returned separately.
func (s EntrySet) Find(content string) (entries []markdown.Entry, found []int, lines []LineSpan) {
	return FindEntries(content, func(e markdown.Entry) bool { return s[e.ID] })
}

// FindEntries is Find for the entries that a function selects.
func FindEntries(content string, is func(markdown.Entry) bool) (entries []markdown.Entry, found []int, lines []LineSpan) {
	entries = markdown.EntriesOf(content)
	texts := strings.Split(content, "\n")
	covered := 0
	for i, e := range entries {
		if e.FromLine-1 < covered || !is(e) {
			continue
		}
		to := e.ToLine
		for j := i + 1; j < len(entries) && isUnder(entries, j, i); j++ {
			to = max(to, entries[j].ToLine)
		}
		if to < len(texts) && strings.Contains(texts[to-1], "|") && markdown.IsTableRule(texts[to]) { // the header of a table without rows
			to++
		}
		found, lines = append(found, i), append(lines, LineSpan{e.FromLine - 1, to})
		covered = to
	}
	return entries, found, lines
}

// isUnder reports whether entry i is nested under entry of.
func isUnder(entries []markdown.Entry, i, of int) bool {
	for i > of {
		i = entries[i].Parent
	}
	return i == of
}

// WithoutLines removes lines from content. Lines that would become one paragraph are kept apart by a blank one.
func WithoutLines(content string, gone []LineSpan) string {
	lines := slices.Collect(strings.Lines(content))
	for _, s := range slices.Backward(gone) {
		to := min(s.To, len(lines))
		var between []string
		if s.From > 0 && to < len(lines) && strings.TrimSpace(lines[s.From-1]) != "" && continuesText(lines[to]) {
			between = []string{"\n"}
		}
		lines = slices.Replace(lines, s.From, to, between...)
	}
	return strings.Join(lines, "")
}

// WithLineAt removes lines from content and puts a statement in place of the first ones, with their list marker and indentation.
func WithLineAt(content string, gone []LineSpan, text string) string {
	lines := slices.Collect(strings.Lines(content))
	if len(gone) == 0 || gone[0].From >= len(lines) {
		return WithoutLines(content, gone)
	}
	lines[gone[0].From] = ListPrefix(lines[gone[0].From]) + text + "\n"
	first := LineSpan{gone[0].From + 1, gone[0].To}
	rest := append([]LineSpan{first}, gone[1:]...)
	if first.From >= first.To {
		rest = rest[1:]
	}
	return WithoutLines(strings.Join(lines, ""), rest)
}

// continuesText reports whether a line would continue a paragraph in front of it, or turn it into a table.
func continuesText(line string) bool {
	return markdown.IsTableRule(strings.TrimRight(line, "\n")) ||
		strings.TrimSpace(line) != "" && ListPrefix(line) == "" && !IsHeading(line) && !strings.HasPrefix(line, "|")
}

var listPrefix = regexp.MustCompile(`^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?`)

// ListPrefix returns what a line has in front of its statement: indentation, quotation marks and a list marker.
func ListPrefix(line string) string { return listPrefix.FindString(line) }

// IsHeading reports whether a line is an ATX heading of any level.
func IsHeading(line string) bool {
	said := strings.TrimLeft(line, "#")
	return said != line && strings.TrimLeft(said, " \t") != said
}

// AddedEntries returns the entries of after that before does not have.
func AddedEntries(before, after string) []markdown.Entry {
	had := EntrySet{}
	for _, e := range markdown.EntriesOf(before) {
		had[e.ID] = true
	}
	return slices.DeleteFunc(markdown.EntriesOf(after), func(e markdown.Entry) bool { return had[e.ID] })
}

// Withheld is a new version of a document without the statements that were forgotten.
type Withheld struct {
	Content string
	// Any reports whether the version had added forgotten statements. Otherwise Content is the version as it was.
	Any bool
	// All reports whether it had added nothing else.
	All bool
}

// WithholdForgotten removes the statements that a version adds to a document and that were forgotten, so that what a person wanted
// forgotten does not come back by an automatic write. exists is false for a new or deleted document. Forgotten statements that the
// document already has stay. A version that adds nothing but forgotten statements, and perhaps headings for them, changes nothing.
func WithholdForgotten(before string, exists bool, after string, forgotten func(markdown.Entry) bool) Withheld {
	added := AddedEntries(before, after)
	again := EntrySet{}
	others := 0
	for _, e := range added {
		if forgotten(e) {
			again[e.ID] = true
		} else {
			others++
		}
	}
	switch {
	case len(again) == 0:
		return Withheld{Content: after}
	case others == 0 && exists && len(AddedEntries(after, before)) == 0:
		return Withheld{Content: before, Any: true, All: true}
	}
	_, _, lines := again.Find(after)
	return Withheld{Content: WithoutLines(after, lines), Any: true, All: others == 0}
}

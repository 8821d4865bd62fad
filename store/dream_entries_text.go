package store

import (
	"regexp"
	"slices"
	"strings"

	"reverie/dream"
	"reverie/memory"
)

// names are the identities under which one statement may stand in documents: its own, those of other wordings of it, and
// that of the line of MEMORY.md that says it.
type names map[memory.EntryID]bool

// add adds what a statement is called, in a state or in a candidate.
func (n names) add(id memory.EntryID, aliases []memory.EntryID, texts ...string) {
	if id != "" {
		n[id] = true
	}
	for _, alias := range aliases {
		n[alias] = true
	}
	for _, text := range texts { // a nested item that was promoted stands by itself there, with what it stood under
		if strings.TrimSpace(text) != "" {
			n[itemID(text)] = true
		}
	}
}

// itemID is the identity of a text as a list item of its own.
func itemID(text string) memory.EntryID {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "- ") {
		return memory.EntryIDOf(text)
	}
	return memory.EntryIDOf("- " + text)
}

// stretch are lines of a document, from 0; to is behind the last one.
type stretch struct{ from, to int }

// placesOf finds the statements of content that names mean: entries by index, and the lines of each with everything under it.
// A statement inside another one that is found is not named again.
func (n names) placesOf(content string) (entries []memory.EntryAt, found []int, lines []stretch) {
	entries = memory.EntriesOf(content)
	texts := strings.Split(content, "\n")
	covered := 0
	for i, e := range entries {
		if !n[e.ID] || e.FromLine-1 < covered {
			continue
		}
		to := e.ToLine
		for j := i + 1; j < len(entries) && isUnder(entries, j, i); j++ {
			to = max(to, entries[j].ToLine)
		}
		if to < len(texts) && strings.Contains(texts[to-1], "|") && isTableRule(texts[to]) { // of a table that has no rows
			to++
		}
		found, lines = append(found, i), append(lines, stretch{e.FromLine - 1, to})
		covered = to
	}
	return entries, found, lines
}

// isUnder reports whether entry i is inside entry of.
func isUnder(entries []memory.EntryAt, i, of int) bool {
	for i > of {
		i = entries[i].Parent
	}
	return i == of
}

func isTableRule(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|:- \t\r\n") == ""
}

// without is content without some of its lines. Lines that would become one paragraph are kept apart by a blank one.
func without(content string, gone []stretch) string {
	lines := slices.Collect(strings.Lines(content))
	for _, s := range slices.Backward(gone) {
		to := min(s.to, len(lines))
		var between []string
		if s.from > 0 && to < len(lines) && strings.TrimSpace(lines[s.from-1]) != "" && isText(lines[to]) {
			between = []string{"\n"}
		}
		lines = slices.Replace(lines, s.from, to, between...)
	}
	return strings.Join(lines, "")
}

// isText reports whether a line would go on with a paragraph in front of it, or make a table of it.
func isText(line string) bool {
	return isTableRule(line) || strings.TrimSpace(line) != "" && itemStart.FindString(line) == "" && !isHeading(line) && !strings.HasPrefix(line, "|")
}

// itemStart is what stands in front of a statement: indentation, marks of quotation and the marker of a list.
var itemStart = regexp.MustCompile(`^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?`)

// rewritten puts text in the place of one statement of content; what stands under it stays. It reports false when the
// statement is of a kind that has no line to itself (a row of a table, code), so that other statements would change.
func rewritten(content string, entries []memory.EntryAt, at int, text string) (string, bool) {
	lines := slices.Collect(strings.Lines(content))
	e := entries[at]
	first, last := lines[e.FromLine-1], lines[e.ToLine-1]
	end := last[len(strings.TrimRight(last, "\r\n")):]
	line := itemStart.FindString(first) + text + end
	out := strings.Join(slices.Replace(lines, e.FromLine-1, e.ToLine, line), "")
	after := memory.EntriesOf(out)
	if len(after) != len(entries) {
		return "", false
	}
	for i := range after {
		want := entries[i].Text
		if i == at {
			want = text
		}
		if after[i].Text != want || after[i].Parent != entries[i].Parent || after[i].Heading != entries[i].Heading {
			return "", false
		}
	}
	return out, true
}

var comments = regexp.MustCompile(`[ \t]*<!--.*?-->`)

// confirmedMark stands behind a line that a person confirmed and that had no mark of a dream to lose.
const confirmedMark = " <!-- confirmed -->"

// owned makes a statement of content the words of whoever writes the new version: what a dream had noted behind it goes, so
// that its line is another one; a line without a note is marked instead. A statement whose lines a person wrote already, and
// one that cannot be rewritten, stay as they are.
func owned(content string, person []string, entries []memory.EntryAt, at int) string {
	e := entries[at]
	lines := slices.Collect(strings.Lines(content))[e.FromLine-1 : e.ToLine]
	if !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(person, strings.TrimRight(line, "\r\n")) }) {
		return content
	}
	text := comments.ReplaceAllString(e.Text, "")
	if len(lines) == 1 && text == e.Text {
		text += confirmedMark
	}
	if out, ok := rewritten(content, entries, at, text); ok {
		return out
	}
	return content
}

// confirmedHeading is the section of MEMORY.md for what a person put there out of a report.
const confirmedHeading = "Confirmed"

// emptyMemory is what a MEMORY.md begins with.
const emptyMemory = "# Memory\n"

// withConfirmed adds a line to the section of what was confirmed, which is made at the end when there is none.
func withConfirmed(content, text string) string {
	if strings.TrimSpace(content) == "" {
		content = emptyMemory
	}
	line := "- " + text + "\n"
	at := memory.SectionEnd(content, func(s memory.Section) bool { return s.Level == 2 && s.Heading == confirmedHeading })
	if at == 0 {
		return strings.TrimRight(content, " \t\r\n") + "\n\n## " + confirmedHeading + "\n\n" + line
	}
	lines := slices.Collect(strings.Lines(content))
	if !strings.HasSuffix(lines[at-1], "\n") {
		lines[at-1] += "\n"
	}
	if strings.HasPrefix(lines[at-1], "#") { // there is nothing in it
		line = "\n" + line
	}
	return strings.Join(slices.Insert(lines, at, line), "")
}

// protectedLines are the lines of content that no dream may touch: those that a person wrote, and those that say what a
// person confirmed.
func protectedLines(content string, person []string, states []dream.State) []string {
	confirmed := names{}
	for _, s := range states {
		if s.Status == dream.Confirmed {
			confirmed.add(s.ID, s.Aliases, s.Text)
		}
	}
	out := slices.Clone(person)
	lines := strings.Split(content, "\n")
	for _, e := range memory.EntriesOf(content) {
		if !confirmed[e.ID] {
			continue
		}
		for _, line := range lines[e.FromLine-1 : e.ToLine] {
			if line = strings.TrimRight(line, "\r"); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

package rewrite

import (
	"slices"
	"strings"

	"reverie/dream"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
)

// Reword replaces one statement of content by text and keeps what is nested under it. It reports false when the statement shares
// its line with others (a row of a table, code), so that they would change.
func Reword(content string, entries []markdown.Entry, at int, text string) (string, bool) {
	lines := slices.Collect(strings.Lines(content))
	e := entries[at]
	first, last := lines[e.FromLine-1], lines[e.ToLine-1]
	end := last[len(strings.TrimRight(last, "\r\n")):]
	line := memory.ListPrefix(first) + text + end
	out := strings.Join(slices.Replace(lines, e.FromLine-1, e.ToLine, line), "")
	after := markdown.EntriesOf(out)
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

// WithoutComments removes the comments from a line.
func WithoutComments(line string) string { return comments.ReplaceAllString(line, "") }

var comments = lazyregexp.New(`[ \t]*<!--.*?-->`)

// confirmedMark follows a line that a person confirmed and that had no comment of a dream to remove.
const confirmedMark = " <!-- confirmed -->"

// Own makes a statement of content the text of the author of the new version: it removes the comment of a dream, so that the line
// changes, or adds confirmedMark when there is none. A statement whose lines a person wrote already, and one that cannot be
// rewritten, stay unchanged.
func Own(content string, person []string, entries []markdown.Entry, at int) string {
	e := entries[at]
	lines := slices.Collect(strings.Lines(content))[e.FromLine-1 : e.ToLine]
	if !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(person, strings.TrimRight(line, "\r\n")) }) {
		return content
	}
	text := WithoutComments(e.Text)
	if len(lines) == 1 && text == e.Text {
		text += confirmedMark
	}
	if out, ok := Reword(content, entries, at, text); ok {
		return out
	}
	return content
}

// confirmedHeading is the heading in MEMORY.md of statements that people confirmed from a report.
const confirmedHeading = "Confirmed"

// emptyMemory is the beginning of a new MEMORY.md.
const emptyMemory = "# Memory\n"

// Confirm adds a line to the section of confirmed statements, which is created at the end if need be.
func Confirm(content, text string) string {
	if strings.TrimSpace(content) == "" {
		content = emptyMemory
	}
	line := "- " + text + "\n"
	at := markdown.SectionEnd(content, func(s markdown.Section) bool { return s.Level == 2 && s.Heading == confirmedHeading })
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

// Protected returns the lines of content that no dream may change: those that a person wrote, and those of confirmed
// statements.
func Protected(content string, person []string, states []dream.State) []string {
	confirmed := memory.EntrySet{}
	for _, s := range states {
		if s.Status == dream.Confirmed {
			confirmed.Add(s.ID, s.Aliases, s.Text)
		}
	}
	out := slices.Clone(person)
	lines := strings.Split(content, "\n")
	for _, e := range markdown.EntriesOf(content) {
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

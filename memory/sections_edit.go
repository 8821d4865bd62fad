package memory

import (
	"slices"
	"strings"
)

// sectionLevel is the level of the headings that InsertUnderHeading makes.
const sectionLevel = 2

// InsertUnderHeading adds a line at the end of the section with this heading, directly under its last line, and makes the
// section at the end of the document when there is none. Headings are compared without regard to case; of several equal
// ones the first is used. Nothing else in the document changes but its missing last line break.
func InsertUnderHeading(doc, heading, line string) string {
	lines, eol := lineTexts(doc), lineBreak(doc)
	at, found := sectionEnd(doc, lines, heading)
	if !found {
		lines = trimBlankEnd(lines)
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Repeat("#", sectionLevel)+" "+heading, "", line)
		return strings.Join(lines, eol) + eol
	}
	add := []string{line}
	if at > 0 && isHeadingLine(doc, at-1) {
		add = []string{"", line} // the first line of its section
	}
	if at < len(lines) && strings.TrimSpace(lines[at]) != "" {
		add = append(add, "")
	}
	return strings.Join(slices.Insert(lines, at, add...), eol) + eol
}

// sectionEnd is the number of the line behind the last line with text of a section, its heading included.
func sectionEnd(doc string, lines []string, name string) (int, bool) {
	all := headings(doc)
	for i, h := range all {
		if !strings.EqualFold(h.text, strings.TrimSpace(name)) {
			continue
		}
		end := len(lines)
		if i+1 < len(all) {
			end = all[i+1].line
		}
		for strings.TrimSpace(lines[end-1]) == "" {
			end--
		}
		return end, true
	}
	return 0, false
}

func isHeadingLine(doc string, line int) bool {
	return slices.ContainsFunc(headings(doc), func(h heading) bool { return h.line == line })
}

func trimBlankEnd(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lineBreak is the line break that a document uses, "\n" when it uses none.
func lineBreak(doc string) string {
	if first, _, found := strings.Cut(doc, "\n"); found && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}

// ReplaceLine puts a new line in the place of the first one that says the same as old, list marker and spaces aside, and
// reports whether there was one. Everything else stays as it is.
func ReplaceLine(doc, old, line string) (string, bool) {
	return editLine(doc, old, func(was string) string { return line + was[len(lineText(was)):] })
}

// RemoveLine takes out the first line that says the same as line, list marker and spaces aside, and reports whether there
// was one. Everything else stays as it is.
func RemoveLine(doc, line string) (string, bool) {
	return editLine(doc, line, func(string) string { return "" })
}

func editLine(doc, line string, edit func(was string) string) (string, bool) {
	said := bare(line)
	lines := splitLines(doc)
	for i, was := range lines {
		if said != "" && bare(was) == said {
			lines[i] = edit(was)
			return strings.Join(lines, ""), true
		}
	}
	return doc, false
}

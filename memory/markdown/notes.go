package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxDailyHeading bounds the heading of an entry in a daily note, in characters, including its time.
const MaxDailyHeading = 30

// entryLevel is the level of an entry's heading, below the note's title.
const entryLevel = 2

// DailyEntry normalizes an entry for a daily note: a heading "## HH:mm Title" above the text.
//
// A missing time is taken from now, in the owner's time zone. A title "# 2026-01-31" is removed, because the note already
// has it, and all other headings become subheadings. A heading that is too long becomes the first line of the text. The
// result is empty for an entry without content, and otherwise ends with a line break.
func DailyEntry(entry string, now time.Time) string {
	entry = Tidied(strings.ReplaceAll(entry, "\r\n", "\n"))
	lines := Lines(entry)
	title, inner := entryTitle(lines, headingsFrom(lines, 0)) // an entry has no front matter
	deeper := 0
	for _, h := range inner {
		deeper = max(deeper, entryLevel+1-h.level)
	}
	for _, h := range inner {
		lines[h.line] = strings.Repeat("#", min(h.level+deeper, 6)) + " " + h.text
	}
	clock, title := clockOf(title, now)
	body := strings.TrimSpace(strings.Join(lines, "\n"))
	if utf8.RuneCountInString(clock+" "+title) > MaxDailyHeading {
		body = strings.TrimSpace(title + "\n\n" + body)
		title = ""
	}
	if title == "" && !HasText(body) {
		return ""
	}
	out := strings.TrimSpace(strings.Repeat("#", entryLevel) + " " + clock + " " + title)
	if body != "" {
		out += "\n\n" + body
	}
	return out + "\n"
}

// entryTitle removes the title of an entry, and a date title before it, and returns the other headings.
func entryTitle(lines []string, all []heading) (title string, inner []heading) {
	for i, h := range all {
		if strings.TrimSpace(strings.Join(lines[:h.line], "")) != "" {
			return "", all[i:]
		}
		lines[h.line] = ""
		if !dateTitle.MatchString(h.text) {
			return h.text, all[i+1:]
		}
	}
	return "", nil
}

var (
	dateTitle = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	clockHead = regexp.MustCompile(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?::[0-5]\d)?(?:\s*[-–—:：·|]\s+|\s+|$)`)
)

// clockOf splits the time off a heading. Without one it returns the time of now.
func clockOf(heading string, now time.Time) (clock, title string) {
	m := clockHead.FindStringSubmatch(heading)
	if m == nil {
		return now.Format("15:04"), heading
	}
	return fmt.Sprintf("%02s:%s", m[1], m[2]), strings.TrimSpace(heading[len(m[0]):])
}

// ReplaceEntries replaces entries of a note by one text, at the place of the first one. An empty text removes them. Other
// lines stay. It reports false if the note no longer has all entries line for line and in order, or if there are none.
func ReplaceEntries(note string, entries []string, with string) (string, bool) {
	lines := splitLines(note)
	var out []string
	at := 0
	for i, entry := range entries {
		sought := Lines(strings.Trim(entry, "\r\n"))
		found := indexLines(lines[at:], sought)
		if found < 0 {
			return "", false
		}
		out = append(out, lines[at:at+found]...)
		at += found + len(sought)
		if i == 0 && with != "" {
			out = append(out, strings.Trim(with, "\r\n")+"\n")
			continue
		}
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" { // blank lines after the removed entry
			at++
		}
	}
	if at == 0 {
		return "", false
	}
	out = append(out, lines[at:]...)
	return strings.TrimRight(strings.Join(out, ""), "\r\n") + "\n", true
}

// indexLines returns the index of consecutive lines, ignoring line breaks; -1 if there are none.
func indexLines(lines, sought []string) int {
	if len(sought) == 0 {
		return -1
	}
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = lineText(line)
	}
	for i := range len(texts) - len(sought) + 1 {
		if slices.Equal(texts[i:i+len(sought)], sought) {
			return i
		}
	}
	return -1
}

// AddMissing appends the statements of incoming that current does not have (see EntriesOf), under a heading.
//
// Each missing statement comes with its context: the statements that enclose it, and its headings, two levels deeper.
// Existing text stays byte for byte. If nothing is missing, current is returned unchanged.
func AddMissing(current, incoming, heading string) string {
	lines := missingLines(current, incoming)
	if len(lines) == 0 {
		return current
	}
	if l := Lines(current); len(l) > 0 && l[0] == "---" && frontMatter(l) == 0 {
		unruled(lines)
	}
	body := strings.Join(lines, "\n") + "\n"
	if strings.TrimSpace(current) == "" {
		return current + heading + "\n\n" + body
	}
	return strings.TrimRight(current, "\r\n") + "\n" + openEnd(current) + "\n" + heading + "\n\n" + body
}

// unruled appends a space to lines "---". The document begins with such a line and nothing closes it; another one would
// turn everything before it into front matter. In Markdown the space changes nothing.
func unruled(lines []string) {
	for i, line := range lines {
		if line == "---" {
			lines[i] = line + " "
		}
	}
}

// openEnd returns the line that closes code or a comment left open at the end of a document; empty if there is none.
func openEnd(document string) string {
	s := scanEntries(document)
	switch {
	case s.fence != "":
		return s.fence + "\n"
	case s.comment:
		return "-->\n"
	}
	return ""
}

// missingLines returns the lines of incoming that current lacks, with their headings two levels deeper.
func missingLines(current, incoming string) []string {
	known := map[EntryID]bool{}
	for _, e := range EntriesOf(current) {
		known[e.ID] = true
	}
	lines := Lines(strings.ReplaceAll(incoming, "\r\n", "\n"))
	asWritten := slices.Clone(lines)
	entries := EntriesOf(incoming)
	keep := make([]bool, len(lines))
	for _, e := range entries {
		if known[e.ID] {
			continue
		}
		root := e
		for root.Parent >= 0 {
			root = entries[root.Parent]
		}
		_, indent := unindented(asWritten[root.FromLine-1], len(asWritten[root.FromLine-1]))
		for at := e; ; at = entries[at.Parent] {
			for n := at.FromLine - 1; n < min(at.ToLine, len(lines)); n++ {
				if !keep[n] { // the parent item may be missing here
					lines[n], _ = unindented(lines[n], indent)
				}
				keep[n] = true
			}
			if at.Parent < 0 {
				break
			}
		}
	}
	return importedLines(lines, keep)
}

// unindented removes at most limit leading spaces and returns how many.
func unindented(line string, limit int) (rest string, taken int) {
	taken = min(limit, len(line)-len(strings.TrimLeft(line, " ")))
	return line[taken:], taken
}

// importedDeeper is the number of levels that headings of an imported document move down, below a level-2 heading.
const importedDeeper = 2

// importedLines returns the kept lines with the headings above them, the delimiter rows of their tables, and blank lines
// between them.
func importedLines(lines []string, keep []bool) []string {
	levels := map[int]heading{}
	for _, h := range headingsFrom(lines, frontMatter(lines)) {
		levels[h.line] = h
	}
	var out []string
	var above []heading // not written yet
	gap := false
	for i, line := range lines {
		h, isHeading := levels[i]
		switch {
		case isHeading:
			above = slices.DeleteFunc(above, func(a heading) bool { return a.level >= h.level })
			above, gap = append(above, h), true
			continue
		case !keep[i] && i > 0 && keep[i-1] && IsTableRule(line): // the line below a table's head
		case !keep[i]:
			gap = gap || !strings.HasPrefix(line, "|") // a row of a table may be missing between two others
			continue
		}
		for _, a := range above {
			out = separated(out)
			out = append(out, strings.Repeat("#", min(a.level+importedDeeper, 6))+" "+a.text)
		}
		if len(above) > 0 || gap {
			out = separated(out)
		}
		above, gap = above[:0], false
		out = append(out, line)
	}
	return out
}

// separated appends a blank line unless there is one.
func separated(lines []string) []string {
	if n := len(lines); n == 0 || lines[n-1] == "" {
		return lines
	}
	return append(lines, "")
}

package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxDailyHeading bounds the heading of an entry in a daily note, in characters, its time included.
const MaxDailyHeading = 30

// entryLevel is the level of an entry's heading; the note's title is above it.
const entryLevel = 2

// DailyEntry brings an entry for a daily note into its form: a heading "## HH:mm Title" over the text. now, in the owner's
// time zone, gives the time that is missing. The note has its date as title already, so that a title "# 2026-01-31" goes,
// and all other headings of the entry become subheadings. A heading that is too long becomes the first line of the text. An
// entry that says nothing is empty; the others end with a line break.
func DailyEntry(entry string, now time.Time) string {
	entry = Tidied(strings.ReplaceAll(entry, "\r\n", "\n"))
	lines := lineTexts(entry)
	title, inner := entryTitle(lines, headingsFrom(lines, 0)) // a piece of a note has no front matter
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
	if title == "" && !SaysSomething(body) {
		return ""
	}
	out := strings.TrimSpace(strings.Repeat("#", entryLevel) + " " + clock + " " + title)
	if body != "" {
		out += "\n\n" + body
	}
	return out + "\n"
}

// entryTitle takes the title off an entry, and the note's own title in front of it, and returns the other headings.
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

// clockOf splits the time off a heading; without one it is the time of now.
func clockOf(heading string, now time.Time) (clock, title string) {
	m := clockHead.FindStringSubmatch(heading)
	if m == nil {
		return now.Format("15:04"), heading
	}
	return fmt.Sprintf("%02s:%s", m[1], m[2]), strings.TrimSpace(heading[len(m[0]):])
}

// ReplaceEntries puts a text in the place of entries of a note: it stands where the first one stood, and the others go. Without a
// text all of them go. Other lines stay as they are. It reports false when the entries do not all stand in the note any more, line
// for line and in their order: somebody has edited them, or there are none.
func ReplaceEntries(note string, entries []string, with string) (string, bool) {
	lines := splitLines(note)
	var out []string
	at := 0
	for i, entry := range entries {
		sought := lineTexts(strings.Trim(entry, "\r\n"))
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
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" { // one blank line stands in front of it
			at++
		}
	}
	if at == 0 {
		return "", false
	}
	out = append(out, lines[at:]...)
	return strings.TrimRight(strings.Join(out, ""), "\r\n") + "\n", true
}

// indexLines finds lines one behind the other, whatever their line breaks; -1: they do not stand there.
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
	if l := lineTexts(current); len(l) > 0 && l[0] == "---" && frontMatter(l) == 0 {
		unruled(lines)
	}
	body := strings.Join(lines, "\n") + "\n"
	if strings.TrimSpace(current) == "" {
		return current + heading + "\n\n" + body
	}
	return strings.TrimRight(current, "\r\n") + "\n" + openEnd(current) + "\n" + heading + "\n\n" + body
}

// unruled has no line end what would be front matter then: the document begins with a rule that nothing ends. A space behind the
// dashes says the same in Markdown.
func unruled(lines []string) {
	for i, line := range lines {
		if line == "---" {
			lines[i] = line + " "
		}
	}
}

// openEnd ends what a document leaves open, code or a comment, of which everything behind it would be a part.
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

// missingLines are the lines of incoming that say what current does not, with their headings two levels deeper.
func missingLines(current, incoming string) []string {
	known := map[EntryID]bool{}
	for _, e := range EntriesOf(current) {
		known[e.ID] = true
	}
	lines := lineTexts(strings.ReplaceAll(incoming, "\r\n", "\n"))
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
				if !keep[n] { // what begins a list here may have stood below something else
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

// unindented takes at most limit spaces off the beginning of a line, and says how many.
func unindented(line string, limit int) (rest string, taken int) {
	taken = min(limit, len(line)-len(strings.TrimLeft(line, " ")))
	return line[taken:], taken
}

// importedDeeper is how much deeper the headings of an imported document go: below a heading of the second level.
const importedDeeper = 2

// importedLines are the kept lines with the headings above them, the rules of their tables, and the blank lines in between.
func importedLines(lines []string, keep []bool) []string {
	levels := map[int]heading{}
	for _, h := range headingsFrom(lines, frontMatter(lines)) {
		levels[h.line] = h
	}
	var out []string
	var above []heading // that are not written yet
	gap := false
	for i, line := range lines {
		h, isHeading := levels[i]
		switch {
		case isHeading:
			above = slices.DeleteFunc(above, func(a heading) bool { return a.level >= h.level })
			above, gap = append(above, h), true
			continue
		case !keep[i] && i > 0 && keep[i-1] && isTableRule(line): // the line below a table's head
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

// separated ends lines with a blank one.
func separated(lines []string) []string {
	if n := len(lines); n == 0 || lines[n-1] == "" {
		return lines
	}
	return append(lines, "")
}

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
	entry = tidied(strings.ReplaceAll(entry, "\r\n", "\n"))
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
	if title == "" && !saysSomething(body) {
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

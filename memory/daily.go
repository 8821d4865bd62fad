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

// DailyEntry brings an entry for a daily note into its form: a heading "## HH:mm Title" over the text. now, in the owner's
// time zone, gives the time that is missing. The note has its date as title already, so that a title "# 2026-01-31" goes,
// and all other headings of the entry become subheadings. A heading that is too long becomes the first line of the text. An
// entry that says nothing is empty; the others end with a line break.
func DailyEntry(entry string, now time.Time) string {
	entry = tidied(strings.ReplaceAll(entry, "\r\n", "\n"))
	lines := lineTexts(entry)
	var title string
	first := true
	for _, h := range headings(entry) {
		switch above := strings.TrimSpace(strings.Join(lines[:h.line], "")); {
		case above == "" && dateTitle.MatchString(h.text):
			lines[h.line] = ""
		case first && above == "":
			title = h.text
			lines[h.line] = ""
		default:
			lines[h.line] = strings.Repeat("#", min(max(h.level+1, 3), 6)) + " " + h.text
		}
		if title != "" {
			first = false
		}
	}
	clock, title := clockOf(title, now)
	body := strings.TrimSpace(strings.Join(lines, "\n"))
	if utf8.RuneCountInString(clock+" "+title) > MaxDailyHeading {
		body = strings.TrimSpace(title + "\n\n" + body)
		title = ""
	}
	if !slices.ContainsFunc(lineTexts(body), saysSomething) {
		if title == "" {
			return ""
		}
	}
	out := strings.TrimSpace("## " + clock + " " + title)
	if body != "" {
		out += "\n\n" + body
	}
	return out + "\n"
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

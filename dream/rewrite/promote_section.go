package rewrite

import (
	"slices"
	"strings"

	"reverie/dream"
	"reverie/memory"
)

// memoryTitle is what a MEMORY.md without text begins with.
const memoryTitle = "# Memory"

// withPromoted adds lines to the section of a day, which is made at the end when there is none. It reports false when there is
// no place for them, since the text ends in code or a comment that is not closed.
func withPromoted(text string, lines []string, day dream.Day) (string, bool) {
	if strings.TrimSpace(text) == "" {
		text = memoryTitle + "\n"
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	heading := promotedOn(day)
	block := strings.Join(lines, end) + end
	all := LinesOf(text)
	var places []insertion
	for _, s := range slices.Backward(promotedSections(text)) {
		if s.day == day {
			places = append(places, insertion{at: lastSaid(all, s.from, s.body), text: block, tight: lastSaid(all, s.from, s.body) > s.from+1})
			break
		}
	}
	section := strings.Repeat("#", promotedLevel) + " " + heading + end + end + block
	places = append(places, insertion{at: len(all), text: section})
	at := 0
	var before []insertion // other sections, for a text whose end is no place
	for _, s := range memory.Sections(text) {
		if s.Level > 0 && s.Level <= promotedLevel && at > 0 {
			before = append(before, insertion{at: at, text: section})
		}
		if at += len(s.Lines); s.Level > 0 {
			at++
		}
	}
	slices.Reverse(before)
	for _, place := range append(places, before...) {
		if out := place.into(all, end); allStand(out, lines, heading) {
			return out, true
		}
	}
	return "", false
}

// insertion is text that is to stand in front of line at.
type insertion struct {
	at    int
	text  string
	tight bool // it goes on with a list: no blank line in front
}

// into inserts it, with blank lines around.
func (n insertion) into(lines []string, end string) string {
	before, after := strings.Join(lines[:n.at], ""), strings.Join(lines[n.at:], "")
	switch {
	case n.tight && !strings.HasSuffix(before, "\n"):
		before += end
	case !n.tight && before != "":
		before = strings.TrimRight(before, "\r\n") + end + end
	}
	if strings.TrimSpace(after) != "" {
		after = end + strings.TrimLeft(after, "\r\n")
	} else {
		after = ""
	}
	return before + n.text + after
}

// lastSaid is the line behind the last one of lines[from:to] that is not blank.
func lastSaid(lines []string, from, to int) int {
	for to > from+1 && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}

// allStand reports whether all lines are statements of text under a heading.
func allStand(text string, lines []string, heading string) bool {
	stands := map[memory.EntryID]bool{}
	for _, e := range memory.EntriesOf(text) {
		if e.Heading == heading && e.Parent < 0 {
			stands[e.ID] = true
		}
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return !stands[memory.EntryIDOf(line)] })
}

package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/memory"
)

const (
	// leastRecall is how many tokens of a passage that is too long are worth showing.
	leastRecall = 24
	maxSource   = 120 // characters of what a line says about its source
	lineJoin    = " / "
)

// Recall renders recalled passages, best first, as one labelled block within a number of tokens: a line for each, with source
// and age, escaped. It returns which of them are in it, by their index; the text is empty when none fits.
//
// A passage that the scan would not let into memory is left out, and secrets are redacted: what was written before a rule
// existed is held to it as well. A passage that is too long for what is left is cut, if enough of it remains; shorter ones that
// come after it still have their chance.
func Recall(found []Recalled, now time.Time, budget int, count func(string) int) (text string, used []int) {
	left := budget - count(RecallPrefix+"\n\n"+RecallSuffix)
	lines := []string{}
	for i, r := range found {
		if left < leastRecall {
			break
		}
		line, ok := recallLine(r, now, left, count)
		if !ok {
			continue
		}
		lines, used = append(lines, line), append(used, i)
		left -= count(line + "\n")
	}
	for len(used) > 0 {
		text = RecallPrefix + "\n" + strings.Join(lines, "\n") + "\n" + RecallSuffix
		if count(text) <= budget { // tokens of a whole may be more than those of its parts
			return text, used
		}
		lines, used = lines[:len(lines)-1], used[:len(used)-1]
	}
	return "", nil
}

// recallLine renders one passage within a number of tokens.
func recallLine(r Recalled, now time.Time, limit int, count func(string) int) (line string, ok bool) {
	scanned := memory.Scan(visible(r.Text))
	if scanned.Verdict == memory.VerdictQuarantine {
		return "", false
	}
	label := "- [" + sourceLabel(r.Source) + " · " + age(r.At, now) + "] "
	text := oneLine(Escape(scanned.Text))
	if text == "" {
		return "", false
	}
	if count(label+text+"\n") <= limit {
		return label + text, true
	}
	room := limit - count(label+"\n")
	if room < leastRecall {
		return "", false
	}
	text, ok = cutEnd(text, room, count)
	return label + text, ok
}

// oneLine joins the lines of a text.
func oneLine(text string) string {
	var parts []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, lineJoin)
}

// sourceLabel is a source without what could end its label.
func sourceLabel(source string) string {
	s := []rune(strings.NewReplacer("[", "(", "]", ")", "［", "(", "］", ")", "<", "(", ">", ")", "＜", "(", "·", "-", "\n", " ").Replace(visible(source)))
	if len(s) > maxSource {
		s = append(slices.Clone(s[:maxSource-1]), '…')
	}
	if name := strings.TrimSpace(string(s)); name != "" {
		return name
	}
	return "source unknown"
}

const (
	daysOfWeeks  = 14 // from here on an age is told in weeks
	daysOfMonths = 60 // and from here on by its month
)

// age says how old something is, in calendar days of the zone of now. What is older than two months is told by its month, so
// that the model can set it against other dates.
func age(at, now time.Time) string {
	if at.IsZero() {
		return "age unknown"
	}
	switch days := daysBetween(at.In(now.Location()), now); {
	case days < 0:
		return at.In(now.Location()).Format(time.DateOnly)
	case days == 0:
		return "today"
	case days == 1:
		return "yesterday"
	case days < daysOfWeeks:
		return fmt.Sprintf("%d days ago", days)
	case days < daysOfMonths:
		return fmt.Sprintf("%d weeks ago", days/7)
	}
	return at.In(now.Location()).Format("January 2006")
}

// daysBetween is how many midnights lie between two times of one zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}

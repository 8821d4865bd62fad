package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/scan"
)

const (
	// leastRecall is the minimum number of tokens for showing a part of a passage that is too long.
	leastRecall = 24
	maxSource   = 120 // characters of a line's source label
	lineJoin    = " / "
)

// Recall renders recalled passages, best first, as one labelled block within a token budget: one escaped line per
// passage, with source and age. It returns the indexes of the passages used; the text is empty if none fits.
//
// A passage that the scan would not let into memory is dropped, and secrets are redacted, because it may have been
// written before a rule existed. A passage that is too long for the rest of the budget is cut if enough of it
// remains; shorter ones after it may still fit.
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
		if count(text) <= budget { // the whole may have more tokens than the sum of its parts
			return text, used
		}
		lines, used = lines[:len(lines)-1], used[:len(used)-1]
	}
	return "", nil
}

// recallLine renders one passage within a token limit.
func recallLine(r Recalled, now time.Time, limit int, count func(string) int) (line string, ok bool) {
	scanned := scan.Scan(visible(r.Text))
	if scanned.Verdict == scan.VerdictQuarantine {
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

// sourceLabel returns the source without characters that could end its label.
func sourceLabel(source string) string {
	s := []rune(strings.NewReplacer("[", "(", "]", ")", "［", "(", "］", ")", "<", "(", ">", ")", "＜", "(", "·", "-", "\n",
		" ").Replace(visible(source)))
	if len(s) > maxSource {
		s = append(slices.Clone(s[:maxSource-1]), '…')
	}
	if name := strings.TrimSpace(string(s)); name != "" {
		return name
	}
	return "source unknown"
}

const (
	daysOfWeeks  = 14 // from here on an age is given in weeks
	daysOfMonths = 60 // and from here on as a month
)

// age describes how old something is, in calendar days of the time zone of now. Above two months it names the month,
// so that the model can relate it to other dates.
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

// daysBetween counts the midnights between two times of one zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}

package window

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/memory/setting"
	"reverie/scan"
)

const (
	// minRecall is the minimum number of tokens for showing a part of a passage that is too long.
	minRecall = 24
	maxSource = 120 // characters of a line's source label
	lineJoin  = " / "
)

// Layer is the reason why a passage is in a context. The zero value is Matched.
type Layer int

// Layers. Identity and Trusted have a share of the budget; what they do not use is for Matched. Provided has a separate budget.
const (
	Matched  Layer = iota // to the message
	Identity              // about the person, always
	Trusted               // the most trusted
	Provided              // by other programs
)

// String returns the name of a layer in the API.
func (l Layer) String() string { return [...]string{"matched", "identity", "trusted", "provided"}[l] }

// Recall renders recalled passages as one labelled block within a token budget: one escaped line per passage, with source
// and age, those of Identity first, then Trusted, then Matched, and within a separate budget Provided. The passages of each layer
// are best first. It returns the indexes of the passages used, in their order in the text, and how many did not fit, which the
// last line says. The text is empty if none fits.
//
// A passage that the scan would not let into memory is dropped, and secrets are redacted, because it may have been
// written before a rule existed. A passage that is too long for the rest of the budget is cut if enough of it
// remains; shorter ones after it may still fit. One whose text another one contains is dropped.
func Recall(
	found []Recalled, now time.Time, budget Budget, shares setting.InjectShares, count func(string) int,
) (text string, used []int, omitted int) {
	b := recallBlock{found: found, now: now, shares: shares, count: count}
	if !b.anyProvided() {
		budget.Provided = 0
	}
	whole := budget.Own + budget.Provided
	// What frames the block is paid by memory, or if it has no budget by other programs.
	fill := func(frame string) {
		cost := count(frame)
		b.fill(budget.Own-cost, budget.Provided+min(0, budget.Own-cost))
	}
	fill(RecallPrefix + "\n\n" + RecallSuffix)
	if b.omitted > 0 { // the note needs room as well
		fill(RecallPrefix + "\n\n" + RecallSuffix + "\n" + fmt.Sprintf(omittedNote, len(found)))
	}
	for len(b.used) > 0 {
		if text = b.text(); count(text) <= whole { // the whole may have more tokens than the sum of its parts
			return text, b.used, b.omitted
		}
		b.lines, b.used, b.omitted = b.lines[:len(b.lines)-1], b.used[:len(b.used)-1], b.omitted+1
	}
	return "", nil, b.omitted
}

// Budget is the number of tokens of a block.
type Budget struct {
	Own      int // of memory
	Provided int // besides, of passages of Provided
}

// recallBlock is a block under construction.
type recallBlock struct {
	found  []Recalled
	now    time.Time
	shares setting.InjectShares
	count  func(string) int

	lines   []string // in the order of used
	used    []int
	omitted int
}

func (b *recallBlock) anyProvided() bool {
	return slices.ContainsFunc(b.found, func(r Recalled) bool { return r.Layer == Provided })
}

// fill chooses lines within a number of tokens. What matches the message takes its part first, so that nothing that is shown
// anyway takes room from it, and what the others leave.
func (b *recallBlock) fill(total, provided int) {
	chosen := map[int]string{}
	share := func(s float64) int { return int(s * float64(total)) }
	left := total
	left -= b.add(chosen, Matched, max(0, left-share(b.shares.Identity)-share(b.shares.Trusted)))
	left -= b.add(chosen, Identity, min(left, share(b.shares.Identity)))
	left -= b.add(chosen, Trusted, min(left, share(b.shares.Trusted)))
	b.add(chosen, Matched, left)
	b.add(chosen, Provided, provided)
	b.used, b.lines, b.omitted = nil, nil, 0
	for _, layer := range []Layer{Identity, Trusted, Matched, Provided} {
		for i, r := range b.found {
			line, is := chosen[i]
			switch {
			case r.Layer != layer:
			case is:
				b.used, b.lines = append(b.used, i), append(b.lines, line)
			case !b.has(chosen, r.Text) && MayShow(r.Text):
				b.omitted++
			}
		}
	}
}

// add chooses lines of a layer within a number of tokens, and returns how many they have.
func (b *recallBlock) add(chosen map[int]string, layer Layer, room int) (cost int) {
	for i, r := range b.found {
		if r.Layer != layer || room-cost < minRecall || b.has(chosen, r.Text) {
			continue
		}
		if line, fits := recallLine(r, b.now, room-cost, b.count); fits {
			chosen[i] = line
			cost += b.count(line + "\n")
		}
	}
	return cost
}

// has reports whether a line contains a text.
func (b *recallBlock) has(chosen map[int]string, text string) bool {
	for i := range chosen {
		if strings.Contains(b.found[i].Text, strings.TrimSpace(text)) {
			return true
		}
	}
	return false
}

func (b *recallBlock) text() string {
	lines := b.lines
	if b.omitted > 0 {
		lines = append(slices.Clone(lines), fmt.Sprintf(omittedNote, b.omitted))
	}
	return RecallPrefix + "\n" + strings.Join(lines, "\n") + "\n" + RecallSuffix
}

// omittedNote is the last line of the block if there was no room for everything.
const omittedNote = "(+%d omitted)"

// MayShow reports whether a passage may be part of a context.
func MayShow(text string) bool { return shown(text) != "" }

// shown returns a text as a line that may be shown; empty: it may not.
func shown(text string) string {
	scanned := scan.Scan(visible(text))
	if scanned.Verdict == scan.VerdictQuarantine {
		return ""
	}
	return oneLine(Escape(scanned.Text))
}

// recallLine renders one passage within a token limit.
func recallLine(r Recalled, now time.Time, limit int, count func(string) int) (line string, fits bool) {
	text := shown(r.Text)
	if text == "" {
		return "", false
	}
	label := "- [" + sourceLabel(r.Source) + " · " + age(r.At, now) + "] "
	if count(label+text+"\n") <= limit {
		return label + text, true
	}
	room := limit - count(label+"\n")
	if room < minRecall {
		return "", false
	}
	text, fits = cutEnd(text, room, count)
	return label + text, fits
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

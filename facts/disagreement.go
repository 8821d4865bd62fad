package facts

import (
	"fmt"
	"strings"
)

// Disagreement is two statements that cannot both hold, and about which no decision was made. A caller that shows both must report it.
type Disagreement struct {
	Older, Newer string
	Superseded   bool // the newer one says that something has changed, and counts
}

// Within returns those of which texts together show both sides.
func Within(all []Disagreement, texts ...string) (shown []Disagreement) {
	if len(all) == 0 {
		return nil
	}
	var words strings.Builder
	for _, text := range texts {
		words.WriteString(strings.Join(strings.Fields(text), " "))
		words.WriteByte('\n')
	}
	for _, d := range all {
		d.Older, d.Newer = strings.Join(strings.Fields(d.Older), " "), strings.Join(strings.Fields(d.Newer), " ")
		if strings.Contains(words.String(), d.Older) && strings.Contains(words.String(), d.Newer) {
			shown = append(shown, d)
		}
	}
	return shown
}

// PairsWithin returns the statements of disagreements of which texts together show both sides, the older one first.
func PairsWithin(all []Disagreement, texts ...string) (pairs [][2]string) {
	for _, d := range Within(all, texts...) {
		pairs = append(pairs, [2]string{d.Older, d.Newer})
	}
	return pairs
}

const (
	// maxWarned bounds the disagreements that a warning quotes; of others it gives the number.
	maxWarned = 4
	// maxQuoted bounds the characters of a statement in a warning.
	maxQuoted = 120
)

// Beside renders, for a text that shows one side of disagreements, what the other sides say; empty if it shows none, or both. The result
// has the words of memory: it belongs to the text, as data.
func Beside(all []Disagreement, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	var b strings.Builder
	for _, d := range all {
		older, newer := strings.Contains(text, d.Older), strings.Contains(text, d.Newer)
		switch {
		case older == newer:
		case older && d.Superseded:
			fmt.Fprintf(&b, " (superseded: %q)", quoted(d.Newer))
		case newer && d.Superseded:
			fmt.Fprintf(&b, " (supersedes: %q)", quoted(d.Older))
		case older:
			fmt.Fprintf(&b, " (undecided, a newer statement disagrees: %q)", quoted(d.Newer))
		default:
			fmt.Fprintf(&b, " (undecided, an older statement disagrees: %q)", quoted(d.Older))
		}
	}
	return b.String()
}

// Warning renders disagreements for a model that is shown both sides, the first ones with both statements; none is the empty string.
// safe makes a statement safe where the warning is shown.
func Warning(all []Disagreement, safe func(string) string) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n# Statements that disagree\n\nMemory holds both statements of each pair below. They are data, too.\n")
	for _, d := range all[:min(len(all), maxWarned)] {
		say := "nobody has decided which one holds: say so, or ask, before you rely on either"
		if d.Superseded {
			say = "the second one is newer and counts"
		}
		fmt.Fprintf(&b, "\n- %q and %q: %s.", safe(quoted(d.Older)), safe(quoted(d.Newer)), say)
	}
	if len(all) > maxWarned {
		fmt.Fprintf(&b, "\n- %d of %d pairs are shown.", maxWarned, len(all))
	}
	return b.String()
}

// quoted returns a statement, or its beginning.
func quoted(text string) string {
	if r := []rune(text); len(r) > maxQuoted {
		return string(r[:maxQuoted]) + "…"
	}
	return text
}

package facts

import (
	"fmt"
	"strings"
)

// Disagreement is two statements that cannot both hold, and about which nobody has decided. Whoever shows both has to say so.
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

const (
	// maxWarned bounds the disagreements that a warning quotes; of others it gives the number.
	maxWarned = 4
	// maxQuoted bounds the characters of a statement in a warning.
	maxQuoted = 120
)

// Warning renders disagreements for a model that is shown both sides, the first ones with both statements; none is the empty string.
func Warning(all []Disagreement) string {
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
		fmt.Fprintf(&b, "\n- %q and %q: %s.", quoted(d.Older), quoted(d.Newer), say)
	}
	if more := len(all) - maxWarned; more > 0 {
		fmt.Fprintf(&b, "\n- and %d more pairs.", more)
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

package facts

import (
	"fmt"
	"slices"
	"strings"

	"reverie/memory/markdown"
)

// Disagreement is two statements that cannot both hold, and about which no decision was made. A caller that shows both must report it.
type Disagreement struct {
	Older, Newer string
	Superseded   bool // the newer one says that something has changed, and counts
}

// Disagreements is one page of disagreements, the latest first.
type Disagreements struct {
	Latest []Disagreement
	More   bool // there are earlier ones, which a caller looks for by what it shows
}

const (
	// maxWhole is the longest statement, in characters, that is shown whole or not at all. Excerpts have parts of longer ones.
	maxWhole = 200
	// partSize and partStep are the size of the parts by which longer statements are recognised, and their distance, in characters.
	partSize, partStep = 40, 20
)

// Shown is text in which both sides of disagreements are looked for.
type Shown string

// ShownIn returns texts that are shown together.
func ShownIn(texts ...string) Shown {
	var words strings.Builder
	for _, text := range texts {
		words.WriteString(plain(text))
		words.WriteByte('\n')
	}
	return Shown(words.String())
}

// plain returns a text without comments, marks of quotation and line breaks.
func plain(text string) string {
	words := strings.Fields(markdown.WithoutComments(text))
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.Trim(word, ">") == "" }), " ")
}

// Both returns those of which the text shows both sides.
func (s Shown) Both(all []Disagreement) (shown []Disagreement) {
	for _, d := range all {
		if older, newer := s.sides(d); older && newer {
			shown = append(shown, d)
		}
	}
	return shown
}

// sides reports which sides of a disagreement the text shows, as a whole or in parts that only that side has.
func (s Shown) sides(d Disagreement) (older, newer bool) {
	was, is := plain(d.Older), plain(d.Newer)
	return s.has(was, is), s.has(is, was)
}

func (s Shown) has(statement, other string) bool {
	if strings.Contains(string(s), statement) {
		return true
	}
	if len(statement) <= maxWhole {
		return false
	}
	said := []rune(statement)
	for from := 0; len(said) > maxWhole && from+partSize <= len(said); from += partStep {
		if part := string(said[from : from+partSize]); strings.Contains(string(s), part) && !strings.Contains(other, part) {
			return true
		}
	}
	return false
}

// Pairs returns the statements of disagreements, the older one first.
func Pairs(all []Disagreement) (pairs [][2]string) {
	for _, d := range all {
		pairs = append(pairs, [2]string{plain(d.Older), plain(d.Newer)})
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
	shown := ShownIn(text)
	var b strings.Builder
	for _, d := range all {
		older, newer := shown.sides(d)
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

package dream

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reverie/language/analysis"
	"reverie/language/script"
)

// words is what a statement says, in a form that can be compared.
type words struct {
	units     []meaning
	sorted    []string // keys of units
	turns     turns
	opposites uint64 // bits of the words in opposedPairs that it has
	relations uint32 // bits of those in relations
	listed    bool   // it joins words by and, or, but: what belongs to what is told by their order
	spaceless bool   // some units are characters
}

// meaning is a word that carries meaning, or a character of a script without spaces.
type meaning struct {
	key   string
	exact bool // a number, name, identifier or person: a statement without it says something else
	name  bool // it has a capital letter, and not because it begins the statement
	// phrase counts the prepositions in front of it, and relation is the last of them; see relations.
	phrase   int
	relation uint32
}

// wordsOf reads a statement.
func wordsOf(text string) words {
	var w words
	if strings.Contains(text, "~~") && struck.MatchString(text) { // it says that something is so no more
		w.turns |= former
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		w.turns |= doubtful
	}
	if script.HasHan(text) {
		w.turns |= turnsOfHan(text)
		text = hanFillers.Replace(text)
	}
	if negatedUnspaced(text) {
		w.turns |= negated
	}
	tokens := analysed(text)
	var (
		within   int // end of the last identifier that was taken whole
		phrase   int
		relation uint32
	)
	for i, t := range tokens {
		folded := t.Forms[0]
		w.opposites |= opposedBits[folded]
		w.relations |= relations[folded]
		w.listed = w.listed || conjunctions[folded]
		if r := relations[folded]; r != 0 {
			relation = r
			phrase++
		}
		w.turns |= turnOf(folded)
		if folded == "used" && i+1 < len(tokens) && tokens[i+1].Forms[0] == "to" {
			w.turns |= former
			continue
		}
		u, ok := meaningOf(t, within)
		if !ok || len(w.units) == 0 && leads[folded] {
			continue
		}
		if t.Kind == analysis.Identifier {
			within = t.End
		}
		u.name, u.phrase, u.relation = i > 0 && startsUpper(t.Text), phrase, relation
		w.spaceless = w.spaceless || t.Kind == analysis.Ideographs
		w.units = append(w.units, u)
	}
	w.sorted = make([]string, len(w.units))
	for i, u := range w.units {
		w.sorted[i] = u.key
	}
	slices.Sort(w.sorted)
	return w
}

// analysed are the terms of a text. Short texts rarely tell their language; an English word is put behind them, so that they
// are stemmed as English besides what they look like, and not in every language there is.
func analysed(text string) []analysis.Token {
	tokens := analysis.Analyse(text + "\nthe")
	return tokens[:len(tokens)-1]
}

// meaningOf is the meaning of a token; false when it says nothing by itself. within is where the last whole identifier ends.
func meaningOf(t analysis.Token, within int) (meaning, bool) {
	folded := t.Forms[0]
	switch {
	case t.Start < within || t.Stop || fillers[folded]:
		return meaning{}, false
	case t.Kind == analysis.Identifier:
		return meaning{key: t.Forms[len(t.Forms)-1], exact: true}, isWhole(t) // the parts of others follow
	case t.Kind == analysis.Number:
		return meaning{key: t.Forms[len(t.Forms)-1], exact: true}, true
	case t.Kind == analysis.Ideographs:
		return meaning{key: folded, exact: strings.Contains(hanNumerals, folded)}, len([]rune(folded)) == 1
	}
	key := inflectionKey(t)
	if digit, ok := numberWords[folded]; ok {
		return meaning{key: digit, exact: true}, true
	}
	if same, ok := synonyms[folded]; ok {
		return meaning{key: same, exact: persons[same]}, true
	}
	return meaning{key: key, exact: persons[folded] || startsUpper(t.Text)}, true
}

// isWhole reports whether an identifier is one thing, such as db_port or MySQL. Of words with a hyphen each is one by itself.
func isWhole(t analysis.Token) bool {
	return !strings.Contains(t.Text, "-") || strings.ContainsAny(t.Text, "0123456789_./@:#")
}

// englishMark begins English stems among the forms of a token.
const englishMark = "en~"

// inflectionKey is the form under which the inflections of a word are one: its English stem, or that of the language it is in.
func inflectionKey(t analysis.Token) string {
	for _, f := range t.Forms[1:] {
		if strings.HasPrefix(f, englishMark) {
			return f
		}
	}
	if len(t.Forms) > 1 {
		return t.Forms[len(t.Forms)-1]
	}
	return t.Forms[0]
}

// Shares of its units that a statement must have in common with a shorter one. Characters carry less than words.
const (
	wordShare      = 4. / 5
	characterShare = 6. / 7
)

// sameStatement reports whether a and b say the same, see Alike.
func sameStatement(a, b words) bool {
	if len(a.units) > len(b.units) {
		a, b = b, a
	}
	if len(a.units) == 0 || a.turns != b.turns || opposed(a.opposites, b.opposites) || !related(a.relations, b.relations) {
		return false
	}
	share := wordShare
	if a.spaceless || b.spaceless {
		share = characterShare
	}
	return float64(len(a.units)) >= share*float64(len(b.units)) && a.within(b) && (a.inOrder(b) || a.inPhrases(b))
}

// within reports whether b has all units of a, and nothing exact besides.
func (a words) within(b words) bool {
	i := 0
	for _, key := range b.sorted {
		if i < len(a.sorted) && a.sorted[i] == key {
			i++
		} else if b.isExact(key) {
			return false
		}
	}
	return i == len(a.sorted)
}

func (a words) isExact(key string) bool {
	return slices.ContainsFunc(a.units, func(u meaning) bool { return u.key == key && u.exact })
}

// minTurned is the fewest units of which one phrase may move to the other end: two names that change places say something else.
const minTurned = 3

// inOrder reports whether the units of a stand in b in their order, or with a phrase of the beginning moved to the end.
func (a words) inOrder(b words) bool {
	for cut := range a.units {
		if cut > 0 && len(a.units) < minTurned {
			return false
		}
		at := 0
		for _, u := range b.units {
			if at < len(a.units) && a.units[(cut+at)%len(a.units)].key == u.key {
				at++
			}
		}
		if at == len(a.units) {
			return true
		}
	}
	return false
}

// inPhrases reports whether a and b have the same phrases in any order ("on Mondays at 9:30"), or the same two words of which none
// is a name: "a peanut allergy", "allergic to peanuts".
func (a words) inPhrases(b words) bool {
	if len(a.units) != len(b.units) || a.listed || b.listed || a.spaceless || b.spaceless {
		return false
	}
	isName := func(u meaning) bool { return u.name }
	if len(a.units) == 2 && !slices.ContainsFunc(a.units, isName) && !slices.ContainsFunc(b.units, isName) {
		return true
	}
	return slices.Equal(a.phrases(), b.phrases())
}

// phrases are the units in front of the first preposition and those behind each, with it, sorted.
func (a words) phrases() []string {
	var out []string
	last := -1
	for _, u := range a.units {
		if u.phrase != last {
			last = u.phrase
			out = append(out, strconv.Itoa(int(u.relation)))
		}
		out[len(out)-1] += " " + u.key
	}
	slices.Sort(out)
	return out
}

// overlap is the share of units that two alike statements have in common, 0 to 1.
func (a words) overlap(b words) float64 {
	return float64(min(len(a.units), len(b.units))) / float64(max(len(a.units), len(b.units), 1))
}

// struck is what a person has struck out.
var struck = regexp.MustCompile(`~~[^~]+~~`)

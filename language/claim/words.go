// Package claim reads statements: what they say, of which subject and attribute, and which of two supersedes the other.
package claim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reverie/language/analysis"
	"reverie/language/script"
)

// Words is what a statement says, in a form that can be compared.
type Words struct {
	Units     []Meaning
	Sorted    []string // keys of units
	Turns     Turns
	Opposites uint64 // bits of the words in opposedPairs that it has
	relations uint32 // bits of those in relations
	listed    bool   // it joins words by and, or, but: what belongs to what is told by their order
	Spaceless bool   // some units are characters
}

// Meaning is a word that carries meaning, or a character of a script without spaces.
type Meaning struct {
	Key   string
	Exact bool // a number, name, identifier or person: a statement without it says something else
	name  bool // it has a capital letter, and not because it begins the statement
	// phrase counts the prepositions in front of it, and relation is the last of them; see relations.
	phrase   int
	relation uint32
}

// WordsOf reads a statement.
func WordsOf(text string) Words {
	var w Words
	if strings.Contains(text, "~~") && Struck.MatchString(text) { // it says that something is so no more
		w.Turns |= Former
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		w.Turns |= doubtful
	}
	if script.HasHan(text) {
		w.Turns |= turnsOfHan(text)
		text = hanFillers.Replace(text)
	}
	if negatedUnspaced(text) {
		w.Turns |= Negated
	}
	tokens := analysed(text)
	var (
		within   int // end of the last identifier that was taken whole
		phrase   int
		relation uint32
	)
	for i, t := range tokens {
		folded := t.Forms[0]
		w.Opposites |= opposedBits[folded]
		w.relations |= relations[folded]
		w.listed = w.listed || conjunctions[folded]
		if r := relations[folded]; r != 0 {
			relation = r
			phrase++
		}
		w.Turns |= turnOf(folded)
		if folded == "used" && i+1 < len(tokens) && tokens[i+1].Forms[0] == "to" {
			w.Turns |= Former
			continue
		}
		u, ok := meaningOf(t, within)
		if !ok || len(w.Units) == 0 && leads[folded] {
			continue
		}
		if t.Kind == analysis.Identifier {
			within = t.End
		}
		u.name, u.phrase, u.relation = i > 0 && startsUpper(t.Text), phrase, relation
		w.Spaceless = w.Spaceless || t.Kind == analysis.Ideographs
		w.Units = append(w.Units, u)
	}
	w.Sorted = make([]string, len(w.Units))
	for i, u := range w.Units {
		w.Sorted[i] = u.Key
	}
	slices.Sort(w.Sorted)
	return w
}

// analysed are the terms of a text. Short texts rarely tell their language; an English word is put behind them, so that they
// are stemmed as English besides what they look like, and not in every language there is.
func analysed(text string) []analysis.Token {
	tokens := analysis.Analyse(text + "\nthe")
	return tokens[:len(tokens)-1]
}

// meaningOf is the meaning of a token; false when it says nothing by itself. within is where the last whole identifier ends.
func meaningOf(t analysis.Token, within int) (Meaning, bool) {
	folded := t.Forms[0]
	switch {
	case t.Start < within || t.Stop || fillers[folded]:
		return Meaning{}, false
	case t.Kind == analysis.Identifier:
		return Meaning{Key: t.Forms[len(t.Forms)-1], Exact: true}, isWhole(t) // the parts of others follow
	case t.Kind == analysis.Number:
		return Meaning{Key: t.Forms[len(t.Forms)-1], Exact: true}, true
	case t.Kind == analysis.Ideographs:
		return Meaning{Key: folded, Exact: strings.Contains(hanNumerals, folded)}, len([]rune(folded)) == 1
	}
	key := inflectionKey(t)
	if digit, ok := numberWords[folded]; ok {
		return Meaning{Key: digit, Exact: true}, true
	}
	if same, ok := synonyms[folded]; ok {
		return Meaning{Key: same, Exact: persons[same]}, true
	}
	return Meaning{Key: key, Exact: persons[folded] || startsUpper(t.Text)}, true
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
	CharacterShare = 6. / 7
)

// SameStatement reports whether a and b say the same, see Alike.
func SameStatement(a, b Words) bool {
	if len(a.Units) > len(b.Units) {
		a, b = b, a
	}
	if len(a.Units) == 0 || a.Turns != b.Turns || Opposed(a.Opposites, b.Opposites) || !related(a.relations, b.relations) {
		return false
	}
	share := wordShare
	if a.Spaceless || b.Spaceless {
		share = CharacterShare
	}
	return float64(len(a.Units)) >= share*float64(len(b.Units)) && a.Within(b) && (a.inOrder(b) || a.inPhrases(b))
}

// Within reports whether b has all units of a, and nothing exact besides.
func (a Words) Within(b Words) bool {
	i := 0
	for _, key := range b.Sorted {
		if i < len(a.Sorted) && a.Sorted[i] == key {
			i++
		} else if b.isExact(key) {
			return false
		}
	}
	return i == len(a.Sorted)
}

func (a Words) isExact(key string) bool {
	return slices.ContainsFunc(a.Units, func(u Meaning) bool { return u.Key == key && u.Exact })
}

// minTurned is the fewest units of which one phrase may move to the other end: two names that change places say something else.
const minTurned = 3

// inOrder reports whether the units of a stand in b in their order, or with a phrase of the beginning moved to the end.
func (a Words) inOrder(b Words) bool {
	for cut := range a.Units {
		if cut > 0 && len(a.Units) < minTurned {
			return false
		}
		at := 0
		for _, u := range b.Units {
			if at < len(a.Units) && a.Units[(cut+at)%len(a.Units)].Key == u.Key {
				at++
			}
		}
		if at == len(a.Units) {
			return true
		}
	}
	return false
}

// inPhrases reports whether a and b have the same phrases in any order ("on Mondays at 9:30"), or the same two words of which none
// is a name: "a peanut allergy", "allergic to peanuts".
func (a Words) inPhrases(b Words) bool {
	if len(a.Units) != len(b.Units) || a.listed || b.listed || a.Spaceless || b.Spaceless {
		return false
	}
	isName := func(u Meaning) bool { return u.name }
	if len(a.Units) == 2 && !slices.ContainsFunc(a.Units, isName) && !slices.ContainsFunc(b.Units, isName) {
		return true
	}
	return slices.Equal(a.phrases(), b.phrases())
}

// phrases are the units in front of the first preposition and those behind each, with it, sorted.
func (a Words) phrases() []string {
	var out []string
	last := -1
	for _, u := range a.Units {
		if u.phrase != last {
			last = u.phrase
			out = append(out, strconv.Itoa(int(u.relation)))
		}
		out[len(out)-1] += " " + u.Key
	}
	slices.Sort(out)
	return out
}

// Overlap is the share of units that two alike statements have in common, 0 to 1.
func (a Words) Overlap(b Words) float64 {
	return float64(min(len(a.Units), len(b.Units))) / float64(max(len(a.Units), len(b.Units), 1))
}

// Struck is what a person has struck out.
var Struck = regexp.MustCompile(`~~[^~]+~~`)

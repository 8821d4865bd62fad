// Package claim reads statements: their subject, attribute and value, and whether one supersedes another.
package claim

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
)

// Words is the content of a statement in a comparable form.
type Words struct {
	Units     []Meaning
	Sorted    []string // keys of units
	Turns     Turns
	Opposites uint64 // bits of its words in opposedPairs
	relations uint32 // bits of its words in relations
	listed    bool   // it joins words by and, or, but: their order assigns one to another
	Spaceless bool   // some units are characters
	subject   string // whom it is about, see subjectKey
}

// Subject returns whom the statement is about: User, a relative or acquaintance, or "" if that is not certain.
func (a Words) Subject() string { return a.subject }

// Meaning is a word that carries meaning, or a character of a script without spaces.
type Meaning struct {
	Key   string
	Exact bool // a number, name, identifier or person: a statement without it means something else
	name  bool // it is capitalized, and not because it begins the statement
	other bool // a person, see persons
	// phrase counts the prepositions before it, and relation is the last of them; see relations.
	phrase   int
	relation uint32
}

// WordsOf reads a statement. Of a Quote it reads the content.
func WordsOf(text string) Words {
	var w Words
	text = unquoted(text)
	if strings.Contains(text, "~~") && Struck.MatchString(text) { // it marks something as no longer true
		w.Turns |= Former
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		w.Turns |= doubtful
	}
	w.subject = subjectKey(text)
	if script.HasHan(text) {
		w.Turns |= turnsOfHan(text)
		text = hanFillers.Replace(text)
	}
	if negatedUnspaced(text) {
		w.Turns |= Negated
	}
	tokens := analysed(text)
	var (
		within   int // end of the last identifier taken as a whole
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

// analysed returns the tokens of a text. Short texts rarely identify their language; an appended English word causes
// them to be stemmed as English besides their likely language, rather than in every known language.
func analysed(text string) []analysis.Token {
	tokens := analysis.Analyse(text + "\nthe")
	return tokens[:len(tokens)-1]
}

// meaningOf returns the meaning of a token; false if it has none on its own. within is the end of the last whole
// identifier.
func meaningOf(t analysis.Token, within int) (Meaning, bool) {
	folded := t.Forms[0]
	switch {
	case t.Start < within || t.Stop || fillers[folded]:
		return Meaning{}, false
	case t.Kind == analysis.Identifier:
		return Meaning{Key: t.Forms[len(t.Forms)-1], Exact: true}, isWhole(t) // the parts of other identifiers follow
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
		return Meaning{Key: same, Exact: persons[same], other: persons[same]}, true
	}
	return Meaning{Key: key, Exact: persons[folded] || startsUpper(t.Text), other: persons[folded]}, true
}

// isWhole reports whether an identifier is one thing, such as db_port or MySQL. The words of a hyphenated one count
// separately.
func isWhole(t analysis.Token) bool {
	return !strings.Contains(t.Text, "-") || strings.ContainsAny(t.Text, "0123456789_./@:#")
}

// englishMark begins English stems among the forms of a token.
const englishMark = "en~"

// inflectionKey returns the form shared by the inflections of a word: its English stem, or that of its language.
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

// Minimum shares of its units that a statement must have in common with a shorter one. Characters carry less than
// words.
const (
	wordShare      = 4. / 5
	CharacterShare = 6. / 7
)

// SameStatement reports whether a and b make the same statement.
func SameStatement(a, b Words) bool {
	if len(a.Units) > len(b.Units) {
		a, b = b, a
	}
	if len(a.Units) == 0 || a.Turns != b.Turns || differ(a.subject, b.subject) || Opposed(a.Opposites, b.Opposites) || !related(a.relations, b.relations) {
		return false
	}
	share := wordShare
	if a.Spaceless || b.Spaceless {
		share = CharacterShare
	}
	return float64(len(a.Units)) >= share*float64(len(b.Units)) && a.Within(b) && (a.inOrder(b) || a.inPhrases(b))
}

// Within reports whether b has all units of a, and no other exact ones.
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

// minTurned is the minimum number of units for which one phrase may move to the other end: swapping two names changes
// the meaning.
const minTurned = 3

// inOrder reports whether the units of a occur in b in order, or with a phrase moved from the beginning to the end.
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

// inPhrases reports whether a and b have the same phrases in any order ("on Mondays at 9:30"), or the same two words,
// neither of which is a name: "a peanut allergy", "allergic to peanuts".
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

// phrases returns the units before the first preposition and those after each, with the preposition, sorted.
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

// Minimum numbers of units of a statement that RestatedIn finds in another one. A single word is too little, and so are two characters.
const (
	minRestated           = 2
	minRestatedCharacters = 3
)

// Doubtful reports whether a statement is a question or said with doubt.
func (a Words) Doubtful() bool { return a.Turns&doubtful != 0 }

// RestatedIn reports whether b says all of a, and not much more: it has all units of a in the same sense, they are at least half
// of b's units, and b names no other person. "My back hurts" is restated in "Ugh, my back hurts so much today". Words of one or
// two letters do not count: in most languages they have no meaning on their own.
func (a Words) RestatedIn(b Words) bool {
	short, long, least := a.Units, b.Units, minRestatedCharacters
	if !a.Spaceless && !b.Spaceless {
		short, long, least = withoutShort(short), withoutShort(long), minRestated
	}
	if len(short) < least || 2*len(short) < len(long) || a.Turns != b.Turns || Opposed(a.Opposites, b.Opposites) ||
		!related(a.relations, b.relations) || least == minRestatedCharacters && !a.inOrder(b) {
		return false
	}
	has := func(units []Meaning, m Meaning) bool {
		return slices.ContainsFunc(units, func(u Meaning) bool { return u.stem() == m.stem() })
	}
	return !slices.ContainsFunc(short, func(u Meaning) bool { return !has(long, u) }) &&
		!slices.ContainsFunc(long, func(u Meaning) bool { return u.other && !has(short, u) })
}

// comma matches the end of a clause.
var comma = lazyregexp.New(`[,;]\s|[，；]`)

// ClausesOf reads the independent parts of a statement: of several sentences each one, and of a sentence with
// commas what comes before the first, since what follows may be a reason. Doubt and limits ("only", "if") hold for a whole
// sentence. It returns nil for a statement of one part, and for an answer that needs its question.
func ClausesOf(text string) []Words {
	q, quoted := QuoteOf(text)
	switch {
	case quoted && q.Question != "":
		return nil
	case !quoted:
		q = Quote{Words: text}
	}
	read := func(said string) Words { return WordsOf(Quote{Speaker: q.Speaker, Words: said}.Plain()) }
	var out []Words
	sentences := sentence.Split(q.Words)
	for _, s := range sentences {
		at := comma.FindStringIndex(s)
		if at == nil && len(sentences) == 1 {
			return nil
		}
		whole := read(s)
		out = append(out, whole)
		if at != nil {
			clause := read(s[:at[0]])
			clause.Turns |= whole.Turns & (doubtful | limited)
			out = append(out, clause)
		}
	}
	return out
}

// withoutShort returns the units that are exact or have more than two letters.
func withoutShort(units []Meaning) []Meaning {
	return slices.DeleteFunc(slices.Clone(units), func(u Meaning) bool { return !u.Exact && utf8.RuneCountInString(u.stem()) <= 2 })
}

// stem returns the key without the mark of a language, which short texts rarely identify.
func (m Meaning) stem() string { return m.Key[strings.Index(m.Key, "~")+1:] }

// Stems returns the distinct units without the marks of languages, sorted. Two statements that are the same, or of which one is
// restated in the other, have stems in common.
func (a Words) Stems() []string {
	out := make([]string, len(a.Units))
	for i, u := range a.Units {
		out[i] = u.stem()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Overlap returns the share of units that two alike statements have in common, 0 to 1.
func (a Words) Overlap(b Words) float64 {
	return float64(min(len(a.Units), len(b.Units))) / float64(max(len(a.Units), len(b.Units), 1))
}

// Struck matches text that a person has struck out.
var Struck = lazyregexp.New(`~~[^~]+~~`)

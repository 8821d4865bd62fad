package conflict

import (
	"fmt"
	"slices"
	"strings"

	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// Statement is the content of a statement by its words and values, in any language.
type Statement struct {
	words   []string // search keys of what it is about, in order, each once
	values  []value
	said    claim.Words
	aboutMe bool
}

// aboutUser matches words by which people speak of themselves, and the user.
var aboutUser = lazyregexp.New(`(?i)\b(?:i|me|my|mine|myself|we|us|our|ours|user|ich|mir|mich|mein\w*|wir|uns|unser\w*|nutzer\w*)\b|` +
	`我|咱|本人|自己|用户`)

// StatementOf reads a statement under another one and a heading (see ReadUnder).
func StatementOf(text, above, heading string) *Statement {
	plainText, _, ok := plainOf(text)
	if !ok {
		return &Statement{} // a question
	}
	s := &Statement{said: claim.WordsOf(plainText), aboutMe: aboutUser.MatchString(plainText)}
	values, rest := valuesOf(plainText)
	s.values = values
	s.add(claim.Concepts(rest))
	for _, place := range []string{above, heading} {
		s.add(slices.DeleteFunc(claim.Concepts(place), func(c claim.Concept) bool { return sections[stemOf(c.Word)] }))
	}
	return s
}

func (s *Statement) add(concepts []claim.Concept) {
	for _, c := range concepts {
		for _, key := range keysOf(c.Key) {
			if !slices.Contains(s.words, key) {
				s.words = append(s.words, key)
			}
		}
	}
}

// keysOf returns keys that forms and compounds of a word share.
func keysOf(word string) (out []string) {
	const letters = 5
	runes := []rune(word[strings.IndexByte(word, '~')+1:]) // without the language of a stem
	if !script.HasHan(word) {
		return []string{string(runes[:min(len(runes), letters)])}
	}
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// MaxTopics bounds the topics of one statement.
const MaxTopics = 12

// Topics returns keys of what a statement is about: types of its values, and words. Of the statements that have some in common with it,
// those whose common topics are rarest may contradict it.
func (s *Statement) Topics() []string {
	var out []string
	for _, v := range s.values {
		if topic := "value " + v.sort(); !slices.Contains(out, topic) {
			out = append(out, topic)
		}
	}
	for _, w := range s.words {
		out = append(out, "word "+w)
	}
	return out[:min(len(out), MaxTopics)]
}

// sort is the type and unit by which values are compared.
func (v value) sort() string {
	if v.Kind == kindNumber {
		return "number " + v.Unit
	}
	return string(v.Kind)
}

// MayContradict reports whether two statements with common topics may contradict one another, and why: they do not say the same. A reader
// of both has to decide.
func MayContradict(o, n *Statement) (why Why, may bool) {
	if o.said.Units == nil || n.said.Units == nil || claim.SameStatement(o.said, n.said) {
		return "", false
	}
	if o.said.Turns&claim.Negated != n.said.Turns&claim.Negated {
		return Opposite, true
	}
	return Values, true
}

// Meaning returns what a statement says in a form that does not depend on the order of its words.
func (s *Statement) Meaning() string {
	all := slices.Clone(s.words)
	for _, v := range s.values {
		all = append(all, fmt.Sprint(v.sort(), v.Number, v.Date, v.Text))
	}
	slices.Sort(all)
	return fmt.Sprint(strings.Join(all, "\n"), "\n", s.said.Turns)
}

// ShareWord reports whether two statements have a word in common.
func ShareWord(a, b *Statement) bool {
	return slices.ContainsFunc(a.words, func(w string) bool { return slices.Contains(b.words, w) })
}

// OfUser reports whether a statement is about the person who says it.
func (s *Statement) OfUser() bool { return s.aboutMe }

package recall

import (
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/sentence"
	"reverie/search/choose"
	"reverie/search/index"
)

// statement returns the sentence of a text with the most words of the question; nil if none has one. Among equals the
// first one with a value counts.
func (s *searching) statement(text string) (best *choose.Statement) {
	if !strings.ContainsAny(text, "0123456789") { // without a value it has no rivals
		return nil
	}
	asked := map[string]int{}
	for i, term := range s.query.Terms {
		for _, form := range term.Forms {
			if !term.Stop {
				asked[form] = i
			}
		}
	}
	for _, one := range sentence.Split(text) {
		found := statementOf(one, asked)
		if len(found.Asked) == 0 || best != nil && (len(found.Asked) < len(best.Asked) ||
			len(found.Asked) == len(best.Asked) && (len(best.Values) > 0 || len(found.Values) == 0)) {
			continue
		}
		best = &found
	}
	return best
}

// statementOf reads a sentence; asked holds the terms of the question by form.
func statementOf(text string, asked map[string]int) (s choose.Statement) {
	tokens := analysis.Analyse(text)
	for i, token := range tokens {
		switch {
		case isDigit(token.Text[0]):
			s.Values = append(s.Values, valuesOf(text, tokens, i)...)
		case !token.Stop:
			s.Words = append(s.Words, wordOf(token))
			for _, form := range token.Forms {
				if term, found := asked[form]; found {
					s.Asked = append(s.Asked, index.TermID(term))
					break
				}
			}
		}
	}
	for _, list := range []*[]index.TermID{&s.Asked, &s.Words} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

// valuesOf returns the number that token i begins with, per unit: what is written on to it ("300ms", "5%"), or else the
// words next to it.
func valuesOf(text string, tokens []analysis.Token, i int) (values []choose.Value) {
	number, unit := tokens[i].Text, ""
	if at := strings.IndexFunc(number, func(r rune) bool { return r > '9' }); at > 0 {
		number, unit = number[:at], number[at:]
	} else if r, _ := utf8.DecodeRuneInString(text[tokens[i].End:]); strings.ContainsRune("%‰°€$£¥", r) {
		unit = string(r)
	}
	add := func(unit index.TermID) {
		values = append(values, choose.Value{Unit: unit, Number: index.Body.ID(number)})
	}
	if unit != "" {
		add(index.Body.ID(unit))
		return values
	}
	for _, next := range []int{i - 1, i + 1} {
		if next >= 0 && next < len(tokens) && !tokens[next].Stop && !isDigit(tokens[next].Text[0]) {
			add(wordOf(tokens[next]))
		}
	}
	return values
}

func wordOf(token analysis.Token) index.TermID { return index.Body.ID(token.Forms[len(token.Forms)-1]) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

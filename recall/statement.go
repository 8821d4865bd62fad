package recall

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/index"
	"reverie/store/indexes"
)

// statementOf returns the sentence of a passage with the most words of the question; nil if none has one. Among equals the first one
// with a value counts.
func (v *view) statementOf(p indexes.Passage) (best *choose.Statement) {
	if !strings.ContainsAny(p.Text, "0123456789") { // without a value it has no rivals
		return nil
	}
	asked := map[string]int{}
	for i, term := range v.query.Terms {
		for _, form := range term.Forms {
			if !term.Stop {
				asked[form] = i
			}
		}
	}
	read := func(text string, first, last int64) {
		for _, one := range sentence.Split(text) {
			found := statementOf(one, asked)
			if len(found.Asked) == 0 || best != nil && (len(found.Asked) < len(best.Asked) ||
				len(found.Asked) == len(best.Asked) && (len(best.Values) > 0 || len(found.Values) == 0)) {
				continue
			}
			found.First, found.Last = first, last
			best = &found
		}
	}
	if v.Corpus == search.Sessions {
		read(p.Text, p.Unit.At, p.Unit.At)
		return best
	}
	for line := range strings.Lines(p.Text) {
		first, last := v.dayOf(p.Source.Path + line)
		read(notSaid.ReplaceAllString(line, ""), first, last)
	}
	return best
}

var (
	// noted matches the day of a daily note, in its path or in the comment of a line that was taken from it, or after a line.
	noted = lazyregexp.New(`(?:memory/|\()(\d{4}-\d{2}-\d{2})`)
	// notSaid matches what a line of a document has besides its statement: comments, and days in brackets.
	notSaid = lazyregexp.New(`<!--.*?-->|\(\d{4}-\d{2}-\d{2}\)|\[\d{4}-\d{2}[^\]]*\]`)
)

// dayOf returns the bounds of the day at which a line of a document was noted; 0 if it names none. The last one counts.
func (s *searching) dayOf(line string) (first, last int64) {
	all := noted.FindAllStringSubmatch(line, -1)
	if len(all) == 0 {
		return 0, 0
	}
	day, err := time.ParseInLocation(time.DateOnly, all[len(all)-1][1], s.request.zone())
	if err != nil {
		return 0, 0
	}
	return day.Unix(), day.AddDate(0, 0, 1).Unix() - 1
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

package recall

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/index"
	"reverie/search/rank"
	"reverie/store/facts"
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

const (
	// lowTrust is the trust below which a statement ranks lower, in proportion. Age does not count here: a search has decay for it.
	lowTrust = .4
	// minBelieved is the part of its score that a statement without any trust keeps, so that it is still found.
	minBelieved = .5
)

// doubts are statements with low trust, by document.
type doubts map[uuid.UUID][]facts.Doubt

// doubtsOf selects the doubts that matter.
func doubtsOf(all []facts.Doubt) doubts {
	found := doubts{}
	for _, d := range all {
		if d.Trust < lowTrust {
			found[d.Document] = append(found[d.Document], d)
		}
	}
	return found
}

// believed returns the part of its score that a passage keeps: less than 1 if it has words of the question only in statements with low
// trust.
func (v *view) believed(p indexes.Passage) float64 {
	if v.Corpus != search.Memory {
		return 1
	}
	rest, least := p.Text, 1.0
	for _, d := range v.doubts[p.Source.Document] {
		if without := strings.ReplaceAll(rest, d.Text, ""); without != rest {
			rest, least = without, min(least, minBelieved+(1-minBelieved)*d.Trust/lowTrust)
		}
	}
	if least == 1 || len(rank.Matches(v.query, rest)) >= len(rank.Matches(v.query, p.Text)) {
		return 1
	}
	return least
}

// withoutForgotten removes from messages the sentences that make or repeat a statement which their owner had forgotten since. Messages
// without another sentence are removed. What was said after the forgetting stays.
func withoutForgotten(passages map[index.UnitKey]indexes.Passage, forgotten []indexes.Forgotten) {
	if len(forgotten) == 0 {
		return
	}
	for key, p := range passages {
		if p.Text = WithoutForgotten(p.Text, p.Unit.Time(), forgotten); p.Text == "" {
			delete(passages, key)
		} else {
			passages[key] = p
		}
	}
}

// WithoutForgotten returns a text that was said at a time without the sentences that make or repeat a statement which was forgotten since.
func WithoutForgotten(text string, at time.Time, forgotten []indexes.Forgotten) string {
	for _, said := range sentence.Split(text) {
		compared := claim.Compare(said)
		if slices.ContainsFunc(forgotten, func(f indexes.Forgotten) bool {
			return !at.After(f.At) && (f.Same(compared) || f.ToldBy(compared))
		}) {
			text = strings.Replace(text, said, "", 1)
		}
	}
	return strings.TrimSpace(text)
}

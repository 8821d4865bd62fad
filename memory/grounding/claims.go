package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// The shares of a clause's words that make clauses alike.
const (
	alike = .4
	sure  = .5
)

// claims compares each clause with the clauses of the sources that share most words with it, in the same language.
func (c *checking) claims(whole bool) {
	if c.isTranslated() || whole && c.isQuoted {
		return
	}
	for i := 0; i < len(c.line.clauses); i++ {
		l := c.line.clauses[i]
		for i+1 < len(c.line.clauses) && c.contents(l) < 2 && c.line.clauses[i+1].sentence == l.sentence { // "in Leeds, near the park"
			i++
			l = l.with(c.line.clauses[i])
		}
		c.claim(l)
	}
}

// contents returns the number of words of a clause of the line that carry content.
func (c *checking) contents(l clause) int {
	n := 0
	for _, w := range c.line.words[l.start:l.end] {
		if w.content {
			n++
		}
	}
	return n
}

// with returns a clause together with the next one.
func (l clause) with(next clause) clause {
	l.end = next.end
	l.negated, l.unclear, l.adverse = l.negated || next.negated, l.unclear || next.unclear, l.adverse || next.adverse
	l.self, l.third, l.explicit = l.self || next.self, l.third || next.third, l.explicit || next.explicit
	l.kin = append(slices.Clone(l.kin), next.kin...)
	return l
}

// claimed is the comparison of a clause with a speech: the clauses with the most common words.
type claimed struct {
	clauses []int
	share   float64 // of the weight of the words
	words   int
	common  int // words
}

// compare finds the clauses of a speech that share most words with a clause of the line.
func (c *checking) compare(l clause, s *speech, accept func(clause) bool) claimed {
	if len(s.counts) < len(s.clauses) {
		s.counts = make([]float64, len(s.clauses))
	}
	var touched []int
	out := claimed{}
	total := 0.
	common := map[int]int{}
	for _, w := range c.line.words[l.start:l.end] {
		if !w.content || c.speakers[w.forms[0]] {
			continue
		}
		found := s.having(w)
		weight := 1 / (1 + math.Log2(float64(max(1, len(found))))/4)
		if r, _ := firstRune(w.forms[0]); isRun(r) {
			weight /= 2
		}
		if c.said.persons[w.forms[0]] {
			weight /= 2 // what is said weighs more than of whom
		}
		total += weight
		out.words++
		last := -1
		for _, o := range found { // in order
			if at := s.words[o].clause; at != last {
				last = at
				if s.counts[at] == 0 {
					touched = append(touched, at)
				}
				s.counts[at] += weight
				common[at]++
			}
		}
	}
	top := 0.
	for _, at := range touched {
		n := s.counts[at]
		s.counts[at] = 0
		switch {
		case accept != nil && !accept(s.clauses[at]):
		case n > top+.01:
			top, out.clauses = n, []int{at}
		case n > top-.01:
			out.clauses = append(out.clauses, at)
		}
	}
	if len(out.clauses) > 0 {
		out.share = top / total
		out.common = common[out.clauses[0]]
	}
	return out
}

func (c *checking) voice(s clause) voice { return s.voice }

func (c *checking) claim(l clause) {
	mine := c.compare(l, c.said, func(s clause) bool { return c.voice(s) != aside })
	if len(mine.clauses) == 0 || mine.share < alike {
		if l.negated && !l.unclear && mine.words > 0 && !c.said.negates {
			c.fault(Negation, c.clauseText(l))
		}
		heard := c.compare(l, c.answered, nil)
		if others := c.compare(l, c.said, func(s clause) bool { return c.voice(s) == aside }); others.share > heard.share {
			heard = others
		}
		if heard.share >= .6 && heard.words > 1 && mine.share*3 <= heard.share && c.saidShare(l) < most {
			c.fault(Assistant, c.clauseText(l))
		}
		return
	}
	if slices.ContainsFunc(mine.clauses, func(at int) bool { return c.voice(c.said.clauses[at]) == own }) {
		mine.clauses = slices.DeleteFunc(mine.clauses, func(at int) bool { return c.voice(c.said.clauses[at]) == lead })
	}
	c.polarity(l, mine)
	c.subject(l, mine)
}

// saidShare returns the share of the words of a clause that users say anywhere.
func (c *checking) saidShare(l clause) float64 {
	n := 0
	for _, w := range c.line.words[l.start:l.end] {
		if w.content && slices.ContainsFunc(c.said.having(w), func(i int) bool { return !c.isUnsaid(c.said.words[i].clause) }) {
			n++
		}
	}
	return float64(n) / float64(max(1, c.contents(l)))
}

func (c *checking) clauseText(l clause) string {
	return strings.TrimSpace(c.line.sentences[l.sentence].text)
}

// isSpecific reports whether clauses have enough words in common to be about the same: two, or all of a line of one word.
func (c *checking) isSpecific(mine claimed) bool {
	return mine.common >= 2 || mine.words <= 2 && len(c.line.clauses) == 1
}

// contrasts reports whether what a clause negates is not what the line says, "the 26th, not the
// 25th". Where the negation follows the verb, it denies the words right before it.
func (c *checking) contrasts(l, s clause) bool {
	shared := func(w word) bool {
		return w.content && slices.ContainsFunc(c.line.words[l.start:l.end], func(m word) bool {
			return slices.Contains(w.forms, m.forms[0]) || slices.Contains(w.forms, m.forms[len(m.forms)-1])
		})
	}
	words := c.said.words
	if after := words[s.after:s.end]; slices.ContainsFunc(after, shared) {
		return false
	} else if r, _ := firstRune(words[s.start].forms[0]); !isRun(r) {
		return slices.ContainsFunc(after, func(w word) bool { return w.content || unicode.IsDigit(rune(w.forms[0][0])) })
	}
	return !slices.ContainsFunc(words[max(s.start, s.after-negated):s.after], shared)
}

// negated is the number of characters before a negation that it may deny, in scripts without spaces.
const negated = 5

// maxLabel is the length in bytes of a label before a colon. It may say what the words behind it do not: "Not allowed: …".
const maxLabel = 24

// most is the share of the words of a clause that a source must have for its negation to count.
const most = .6

// polarity compares whether clauses are negated.
func (c *checking) polarity(l clause, mine claimed) {
	if label, _, found := strings.Cut(c.clauseText(l), ":"); found && len(label) < maxLabel { // "Dealbreakers: smokers"
		return
	}
	if mine.share < most && mine.words > 2 || !c.isSpecific(mine) || l.unclear {
		return
	}
	for _, at := range mine.clauses {
		s := c.said.clauses[at]
		if s.unclear || s.adverse != l.adverse || s.negated && c.contrasts(l, s) || s.negated == l.negated {
			return
		}
	}
	for _, at := range mine.clauses { // another clause of the sentence may say it
		in := c.said.clauses[at].sentence
		beside := c.compare(l, c.said, func(s clause) bool { return s.sentence == in && s.negated == l.negated })
		if beside.common >= 2 || c.said.clauses[at].negated == l.negated {
			return
		}
	}
	// A message may take back what a document says.
	news := c.compare(l, c.said, func(s clause) bool { return !c.said.passages[c.said.sentences[s.sentence].passage].document })
	if news.common >= 2 && slices.ContainsFunc(news.clauses, func(at int) bool { return c.said.clauses[at].negated == l.negated }) {
		return
	}
	c.fault(Negation, c.clauseText(l))
}

// subject compares whom the clauses are about.
func (c *checking) subject(l clause, mine claimed) {
	if mine.share < sure || !c.isSpecific(mine) {
		return
	}
	over := append(slices.Clone(l.kin), c.kinAbove()...)
	isOther := len(over) > 0 || l.third && !l.explicit || c.startsWithName(l)
	if !isOther && !l.explicit && (c.hasTopic(l) || len(c.speakers) > 0) {
		return
	}
	for _, at := range mine.clauses {
		s := c.said.clauses[at]
		document := c.said.passages[c.said.sentences[s.sentence].passage].document
		switch {
		case c.voice(s) == lead, isOther && len(over) == 0: // names are checked as values
			return
		case isOther:
			if !s.self || s.third || s.pronoun || document || len(s.kin) > 0 || c.kinNear(s, over) ||
				slices.ContainsFunc(over, func(k kin) bool { return k.wider == "" }) {
				return
			}
		case s.self || document && len(s.kin) == 0 || !s.third && !s.subject || !l.explicit && len(s.kin) == 0:
			return
		}
	}
	c.fault(Person, c.clauseText(l))
}

// kinNear reports whether another clause of the passage names one of the relations.
func (c *checking) kinNear(s clause, list []kin) bool {
	passage := c.said.sentences[s.sentence].passage
	return slices.ContainsFunc(c.said.clauses, func(o clause) bool {
		return c.said.sentences[o.sentence].passage == passage && (o.pronoun ||
			slices.ContainsFunc(o.kin, func(k kin) bool { return slices.ContainsFunc(list, k.matches) }))
	})
}

// hasTopic reports whether a clause in Japanese, Korean or Arabic may have another subject than the user: these languages leave
// out the subject and have no capital letters that show a name.
func (c *checking) hasTopic(l clause) bool {
	return strings.ContainsFunc(c.line.sentences[l.sentence].text, func(r rune) bool {
		return unicode.In(r, unicode.Hiragana, unicode.Hangul, unicode.Arabic)
	})
}

func (c *checking) kinAbove() []kin {
	var out []kin
	for _, l := range c.context.clauses {
		out = append(out, l.kin...)
	}
	return out
}

// startsWithName reports whether a clause, or a line above it, begins with a name of the sources.
func (c *checking) startsWithName(l clause) bool {
	return slices.ContainsFunc(c.line.names, func(n site) bool {
		return c.line.clauses[n.clause].sentence == l.sentence && n.initial && c.names[n.keys[0]]
	}) || slices.ContainsFunc(c.context.names, func(n site) bool { return c.names[n.keys[0]] })
}

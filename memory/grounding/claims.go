package grounding

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"reverie/language"
	"reverie/language/lazyregexp"
	"reverie/language/script"
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
	c.reversal()
}

// reversal compares the negations of each word: what a line says of one thing and denies of another must not be the other way round in
// the sources.
func (c *checking) reversal() {
	said, denied := false, false
	for _, l := range c.line.clauses {
		for _, w := range c.line.words[l.start:l.end] {
			if !w.content || l.unclear || l.adverse {
				continue
			}
			all, negated := 0, 0
			for _, i := range c.said.having(w) {
				if s := c.said.clauses[c.said.words[i].clause]; s.voice == own && !s.unclear && !s.adverse {
					all++
					if s.negated && i >= s.after {
						negated++
					}
				}
			}
			said = said || all > 0 && negated == all && !l.negated
			denied = denied || all > 0 && negated == 0 && l.negated && slices.ContainsFunc(c.line.words[l.after:l.end], func(o word) bool { return o.at == w.at })
		}
	}
	if said && denied {
		c.fault(Negation, c.clauseText(c.line.clauses[0]))
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
		if c.names[w.forms[0]] || slices.ContainsFunc(c.line.kin, func(k site) bool { return k.clause == w.clause && k.start == w.start }) {
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
	c.unmentioned(l)
	if l.negated && !l.unclear && !l.adverse && !c.isDenied(l) {
		c.fault(Negation, c.clauseText(l))
		return
	}
	mine := c.compare(l, c.said, func(s clause) bool { return c.voice(s) != aside })
	others := c.compare(l, c.said, func(s clause) bool { return c.voice(s) == aside })
	alone := len(c.line.clauses) == 1
	isAnswered := c.compare(l, c.answered, nil).outweighs(mine, answerLead, alone && len(c.faults) == 0)
	if others.outweighs(mine, asideLead, alone) || isAnswered && c.saidShare(l) < most {
		c.fault(Assistant, c.clauseText(l))
		return
	}
	if len(mine.clauses) == 0 || mine.share < alike {
		if l.negated && !l.unclear && mine.words > 0 && !c.said.negates {
			c.fault(Negation, c.clauseText(l))
		}
		return
	}
	if slices.ContainsFunc(mine.clauses, func(at int) bool { return c.voice(c.said.clauses[at]) == own }) {
		mine.clauses = slices.DeleteFunc(mine.clauses, func(at int) bool { return c.voice(c.said.clauses[at]) == lead })
	}
	c.polarity(l, mine)
	if c.subject(l, mine); c.isSaidOfOthers(l) {
		c.fault(Person, c.clauseText(l))
	}
}

// The shares of what another source has in common with a clause up to which the users' own words do not support it.
const (
	asideLead  = .6
	answerLead = .45
)

// outweighs reports whether a source supports a clause that the users' own words do not: it has most of the clause's words, more of them
// than the users, who have at most a share of what it has.
// One word suffices for a line of one clause.
func (s claimed) outweighs(mine claimed, share float64, alone bool) bool {
	return s.share >= .6 && s.common > mine.common && mine.share <= share*s.share && (s.common > 1 || s.words == 1 && alone && mine.common == 0)
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

// maxLabel is the length in bytes of a label before a colon. It may say what the words after it do not: "Not allowed: …".
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
	// A message may retract what a document says.
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
	named := c.namedIn(l)
	if topic := c.topic(l); topic != "" && len(named) == 0 && len(over) == 0 {
		named = []string{topic}
	}
	isOther := len(over) > 0 || l.third && !l.explicit || len(named) > 0
	if !isOther && !l.explicit && (c.hasTopic(l) || len(c.speakers) > 0) {
		return
	}
	for _, at := range mine.clauses {
		s := c.said.clauses[at]
		document := c.said.passages[c.said.sentences[s.sentence].passage].document
		switch {
		case c.voice(s) == lead:
			return
		case len(named) > 0:
			if document || len(c.speakers) > 0 || len(over) > 0 && slices.ContainsFunc(s.kin, func(k kin) bool { return slices.ContainsFunc(over, k.matches) }) ||
				!c.isOfAnother(at, named) {
				return
			}
		case isOther && len(over) == 0: // a pronoun
			return
		case isOther:
			if !s.self || s.third || s.pronoun || document || len(s.kin) > 0 || !(s.i && c.isAboutKin(l)) && c.kinNear(s, over) ||
				slices.ContainsFunc(over, func(k kin) bool { return k.wider == "" }) {
				return
			}
		case s.self || document && len(s.kin) == 0 || !c.isLeftOut(l, s) && (!s.third && !s.subject || !l.explicit && len(s.kin) == 0):
			return
		}
	}
	c.fault(Person, c.clauseText(l))
}

// isDenied reports whether a sentence of the sources that shares a word with a clause denies, asks or restricts something. Of a clause
// that shares less than two words nothing is known.
func (c *checking) isDenied(l clause) bool {
	shared := 0
	for _, w := range c.line.words[l.start:l.end] {
		found := c.said.having(w)
		if !w.content || len(found) == 0 || c.names[w.forms[0]] {
			continue
		}
		shared++
		for _, i := range found {
			at := c.said.words[i].clause
			in := c.said.clauses[at].sentence
			for at > 0 && c.said.clauses[at-1].sentence == in {
				at--
			}
			for ; at < len(c.said.clauses) && c.said.clauses[at].sentence == in; at++ {
				if s := c.said.clauses[at]; s.negated || s.unclear || s.adverse {
					return true
				}
			}
		}
	}
	return shared < 2
}

// unmentioned checks that the sources have the relation of whom a clause is about.
func (c *checking) unmentioned(l clause) {
	isNamed := func(k site) bool { // "Sister Joan"
		return slices.ContainsFunc(c.line.names, func(n site) bool { return n.at > k.at && n.at-k.at <= 2*perWord })
	}
	if !c.isAboutKin(l) || slices.ContainsFunc(c.line.kin, isNamed) {
		return
	}
	for _, is := range l.kin {
		if !slices.ContainsFunc(c.said.kin, func(o site) bool { return is.matches(kinOf(o.keys[0])) }) {
			c.fault(Person, c.clauseText(l))
		}
	}
}

// isLeftOut reports whether a clause of the line begins with a verb, so that it is about the user, and the clause of the sources has
// another subject, which the line does not name.
func (c *checking) isLeftOut(l, s clause) bool {
	text := strings.TrimSpace(c.line.sentences[l.sentence].text)
	verb, _, _ := strings.Cut(text, " ")
	if _, isVerb := lists()["predicate"].words[verb]; !isVerb || s.self {
		return false
	}
	said := c.said.sentences[s.sentence].text
	subject := ""
	for i, w := range wordsOf(said[offset(c.said.words, &s):]) {
		word := said[offset(c.said.words, &s):][w.start:w.end]
		if _, isVerb := lists()["predicate"].words[word]; i > subjectWords || isVerb {
			return isVerb && subject != "" && !strings.Contains(bare(text), subject)
		}
		if language.FunctionWords[word] == 0 {
			subject = bare(word)
		}
	}
	return false
}

// namedIn returns the names that are the subject of a clause of the line, or of a line above it.
func (c *checking) namedIn(l clause) []string {
	var out []string
	for _, n := range c.line.names {
		if o := c.line.clauses[n.clause]; o.sentence == l.sentence && (n.initial || len(l.kin) > 0 && slices.Contains(l.leading, n.keys[0])) && c.names[n.keys[0]] {
			out = append(out, n.keys[0])
		}
	}
	for _, n := range c.context.names {
		if c.names[n.keys[0]] {
			out = append(out, n.keys[0])
		}
	}
	return out
}

// isSomebodyElse reports whether the sources show that a name is not the user's: it has a relation, or is a subject.
func (c *checking) isSomebodyElse(name string) bool {
	return len(c.said.relations[name]) > 0 || slices.ContainsFunc(c.said.clauses, func(s clause) bool { return !s.self && slices.Contains(s.leading, name) }) ||
		slices.ContainsFunc(c.said.names, func(n site) bool { return n.initial && n.keys[0] == name && !c.said.clauses[n.clause].self }) ||
		isRun([]rune(name)[0])
}

// topics match the topic of a sentence in Chinese, which has no capital letters.
var topics = lazyregexp.New(`^(\p{Han}{2,4}?)(?:对|是|有|在|不|很|爱|喜|讨|怕|也|从|每|的)`)

// topic returns who a clause in Chinese is about, if the sources name them; empty: the user or nobody.
func (c *checking) topic(l clause) string {
	text := strings.TrimSpace(c.line.sentences[l.sentence].text)
	m := topics.FindStringSubmatch(text)
	if m == nil || l.explicit || l.self || l.third || !strings.Contains(c.said.squeezed, m[1]) {
		return ""
	}
	return m[1]
}

// isOfAnother reports whether a clause of the sources is about somebody who has none of these names: about the user, who has another name,
// about other names, or about a relation that the names do not have.
func (c *checking) isOfAnother(at int, names []string) bool {
	s := c.said.clauses[at]
	isNamed := func(name string) bool {
		return strings.Contains(squeezed(c.said.sentences[s.sentence].text), name) || slices.ContainsFunc(c.said.index[name], func(i int) bool {
			return c.said.clauses[c.said.words[i].clause].sentence == s.sentence
		})
	}
	isUser := slices.ContainsFunc(names, func(n string) bool { return c.said.selves[n] })
	switch {
	case s.pronoun || slices.ContainsFunc(names, isNamed):
		return false
	case strings.Contains(light(c.said.passages[c.said.sentences[s.sentence].passage].lead), names[0]): // the question names them
		return false
	case len(s.leading) == 0:
		return s.i && !s.third && !isUser && slices.ContainsFunc(names, c.isSomebodyElse)
	case s.self:
		return false
	case isUser:
		return true
	}
	for _, who := range s.leading {
		is := kinOf(who)
		if is.wider == "" && c.said.persons[who] {
			continue // another name
		}
		if slices.ContainsFunc(names, func(n string) bool {
			known := c.said.relations[n]
			return len(known) == 0 || slices.ContainsFunc(known, is.matches)
		}) {
			return false
		}
	}
	return true
}

// isAboutKin reports whether a clause of the line begins with a relation: "Mother had …", not "They call grandma …".
func (c *checking) isAboutKin(l clause) bool {
	return slices.ContainsFunc(c.line.kin, func(k site) bool {
		return c.line.clauses[k.clause].sentence == l.sentence && !slices.ContainsFunc(c.line.words, func(w word) bool {
			return w.clause == k.clause && w.start < k.start && w.content
		})
	})
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
		return script.IsHiragana(r) || script.IsHangul(r) || unicode.Is(unicode.Arabic, r)
	})
}

func (c *checking) kinAbove() []kin {
	var out []kin
	for _, l := range c.context.clauses {
		out = append(out, l.kin...)
	}
	return out
}

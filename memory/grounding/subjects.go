package grounding

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"reverie/language"
)

// A value belongs to the subject of its clause: of "Max is 12 and Anna is 9", "Anna is 12" has somebody else's age. Distances between words
// do not show that, because all words of the line are close together in the source.

// theUser is the subject of clauses about the speaker, beside names and relations.
const theUser = "\x00"

// isOfOtherSubject reports whether the sources have a value only in clauses about others than the line, and another value of its kind in a
// clause about whom the line is about. places are the sites of the value, others those of values of its kind.
func (c *checking) isOfOtherSubject(v site, places, others []site) bool {
	mine := c.subjectsOfLine(c.line.clauses[v.clause], v.keys)
	line := slices.Concat(c.line.numbers, c.line.names)
	return c.isOfOthers(mine, clausesOf(places), v.keys, func(yield func(clause int) bool) {
		for _, o := range others {
			if !o.shares(v) && !slices.Contains(mine, o.keys[0]) && !slices.ContainsFunc(line, o.shares) &&
				areAmong(c.said, c.subjectsOf(o.clause, o.keys), mine) && !yield(o.clause) {
				return
			}
		}
	})
}

// isSaidOfOthers reports whether the sources have all words of a clause of the line only in clauses about others, and some of them, with
// other words, in a clause about whom the line is about: of "Ben is allergic to nuts and Mia is allergic to milk", "Mia is allergic to nuts".
func (c *checking) isSaidOfOthers(l clause) bool {
	mine := c.subjectsOfLine(l, nil)
	if len(mine) == 0 {
		return false
	}
	having := map[int]int{} // number of the clause's words that each clause of the sources has
	words := 0
	for _, w := range c.line.words[l.start:l.end] {
		isKin := slices.ContainsFunc(c.line.kin, func(k site) bool { return k.clause == w.clause && k.start == w.start })
		if !w.content || isKin || slices.Contains(mine, w.forms[0]) {
			continue
		}
		words++
		last := -1
		for _, i := range c.said.having(w) {
			if at := c.said.words[i].clause; at != last {
				having[at]++
				last = at
			}
		}
	}
	if words < 2 {
		return false
	}
	var places []int
	for at, n := range having {
		if n == words {
			places = append(places, at)
		}
	}
	return c.isOfOthers(mine, places, nil, func(yield func(clause int) bool) {
		for at, n := range having {
			if n < words && c.hasMore(at, n, mine) && areAmong(c.said, c.subjectsOf(at, nil), mine) && !yield(at) {
				return
			}
		}
	})
}

// hasMore reports whether a clause of the sources has more than n words with content, without the names of some people.
func (c *checking) hasMore(at, n int, names []string) bool {
	s := c.said.clauses[at]
	for _, w := range c.said.words[s.start:s.end] {
		if w.content && !slices.Contains(names, w.forms[0]) {
			n--
		}
	}
	return n < 0
}

// isOfOthers reports whether clauses of the sources are about others than some people, and a clause about these is a rival of them. keys are
// those of the value that is compared.
func (c *checking) isOfOthers(mine []string, places []int, keys []string, rivals iter.Seq[int]) bool {
	if len(c.speakers) > 0 || len(places) == 0 || len(mine) == 0 {
		return false
	}
	beside := map[int]bool{} // sentences that have the value and name whom the line is about
	for _, at := range places {
		s := c.said.clauses[at]
		theirs := c.subjectsOf(at, keys)
		if s.voice != own || s.pronoun || len(theirs) == 0 || c.isNamedIn(s, mine) || areAmong(c.said, theirs, mine) || c.isMentioned(theirs) {
			return false
		}
		if c.namesBeside(at, mine) {
			beside[s.sentence] = true
		}
	}
	found := false
	for at := range rivals {
		if s := c.said.clauses[at]; s.voice == own {
			found = true
			delete(beside, s.sentence) // "Ben loves Rome and Mia loves Oslo", not "Ben loves Rome, and so does Mia"
		}
	}
	return found && len(beside) == 0
}

func clausesOf(sites []site) []int {
	var out []int
	for _, v := range sites {
		out = append(out, v.clause)
	}
	return out
}

// subjectsOfLine returns the names and relations that a clause of the line is about, or theUser; none: it is not clear. A value with the keys
// is no subject.
func (c *checking) subjectsOfLine(l clause, keys []string) []string {
	if l.pronoun {
		return nil
	}
	out := slices.DeleteFunc(c.namedIn(l), func(name string) bool { return !c.said.persons[name] })
	for _, who := range l.leading {
		if is := kinOf(who); is.wider != "" {
			out = append(out, who)
		}
	}
	out = slices.DeleteFunc(out, func(name string) bool { return slices.Contains(keys, name) })
	if len(out) == 0 && l.explicit && len(l.kin) == 0 {
		return []string{theUser}
	}
	return out
}

// subjectsOf returns the names and relations that a clause of the sources is about, or theUser. A value with the keys is no subject.
func (c *checking) subjectsOf(at int, keys []string) []string {
	s := c.said.clauses[at]
	out := slices.Clone(s.leading)
	from := offset(c.said.words, &s)
	text := c.said.sentences[s.sentence].text
	names := c.said.names // in order
	for i := sort.Search(len(names), func(i int) bool { return names[i].clause >= at }); i < len(names) && names[i].clause == at; i++ {
		n := names[i]
		if n.text != "" && n.start >= from && (c.names[n.keys[0]] && leads(text[from:], n.start-from) || n.initial && isBeforeVerb(text, n)) {
			out = append(out, n.keys[0])
		}
	}
	out = slices.DeleteFunc(out, func(who string) bool { return slices.Contains(keys, who) })
	if len(out) == 0 && s.i && !s.third && len(s.kin) == 0 {
		return []string{theUser}
	}
	return out
}

// isBeforeVerb reports whether a verb follows a word that may be a name.
func isBeforeVerb(text string, n site) bool {
	if isPlainWord(n.keys[0]) || language.FunctionWords[n.keys[0]] != 0 {
		return false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(text[min(len(text), n.start+len(light(n.text))):], " "), " ")
	_, isVerb := lists()["predicate"].words[next]
	return isVerb
}

// isNamedIn reports whether a clause of the sources names one of some people in any place.
func (c *checking) isNamedIn(s clause, names []string) bool {
	return slices.ContainsFunc(c.said.words[s.start:s.end], func(w word) bool { return slices.Contains(names, w.forms[0]) })
}

// namesBeside reports whether another clause of the sentence of a clause names one of some people or their relation.
func (c *checking) namesBeside(at int, names []string) bool {
	all, in := c.said.clauses, c.said.clauses[at].sentence
	first, end := at, at
	for first > 0 && all[first-1].sentence == in {
		first--
	}
	for end < len(all) && all[end].sentence == in {
		end++
	}
	return slices.ContainsFunc(all[first:end], func(s clause) bool {
		return c.isNamedIn(s, names) || areAmong(c.said, s.leading, names) || s.i && slices.Contains(names, theUser)
	})
}

// areAmong reports whether one of the subjects of a clause is one of some people: has the name, or a relation that the name has in s.
func areAmong(s *speech, subjects, names []string) bool {
	return slices.ContainsFunc(subjects, func(who string) bool {
		is := kinOf(who)
		return slices.ContainsFunc(names, func(name string) bool {
			other := kinOf(name)
			switch {
			case who == name:
				return true
			case is.wider != "" && other.wider != "":
				return is.matches(other)
			case is.wider != "":
				return slices.ContainsFunc(s.relations[name], is.matches)
			}
			return other.wider != "" && slices.ContainsFunc(s.relations[who], other.matches)
		})
	})
}

// isMentioned reports whether the line names one of the subjects of a clause, or their relation.
func (c *checking) isMentioned(subjects []string) bool {
	var named []string
	for _, n := range c.line.names {
		named = append(named, n.keys[0])
	}
	for _, k := range c.line.kin {
		named = append(named, k.keys[0])
	}
	for _, l := range c.line.clauses {
		if l.explicit {
			named = append(named, theUser)
		}
	}
	return areAmong(c.said, subjects, named)
}

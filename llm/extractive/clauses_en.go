package extractive

import "strings"

// coordinators join clauses of equal rank.
var coordinators = set(`and but so or then plus though although while whereas yet & also`)

// subordinators lists conjunctions of subordinate clauses.
var subordinators = set(`when whenever while after before until unless once where`)

// splitClauses cuts a sentence (contractions undone, dates absolute) into clauses with their own subjects:
// "I live in Lyon and work as a teacher" → "I live in Lyon" and "I work as a teacher".
func splitClauses(ws []word) [][]word {
	ws = asA(ws)
	var out [][]word
	var limit []word // a subordinate clause that came first
	start := 0
	emit := func(end int) {
		part := ws[start:end]
		start = end
		part = trimCoordinators(part)
		if len(part) == 0 {
			return
		}
		if subordinators[part[0].low] && end < len(ws) && !hasFiniteMain(part) {
			limit = part
			return
		}
		part = trimmed(part)
		if len(limit) > 0 {
			part = append(append([]word(nil), part...), lowerWords(limit)...)
			limit = nil
		}
		out = append(out, part)
	}
	for i := 1; i < len(ws); i++ {
		j := i
		for j < len(ws) && coordinators[ws[j].low] && j-i < 2 {
			j++
		}
		comma := ws[i-1].endsClause()
		if j >= len(ws) || !comma && j == i {
			continue
		}
		if startsClause(ws, j, comma) {
			emit(i)
			continue
		}
		if shared := sharedSubject(ws[start:i], ws[j:], comma); shared != nil {
			emit(i)
			joined := append(append([]word(nil), shared...), ws[j:]...)
			return append(out, splitClauses(joined)...)
		}
	}
	emit(len(ws))
	return out
}

// asA turns "As a nurse, I work nights" into "I am a nurse, I work nights".
func asA(ws []word) []word {
	if len(ws) < 5 || ws[0].low != "as" || ws[1].low != "a" && ws[1].low != "an" && ws[1].low != "the" {
		return ws
	}
	for k := 2; k < min(9, len(ws)-1); k++ {
		if ws[k].endsClause() && ws[k+1].low == "i" {
			switch ws[min(k+2, len(ws)-1)].low {
			case "want", "need", "can", "should", "would":
				return nil // a user story, not the user
			}
			return append([]word{{text: "I", low: "i"}, {text: "am", low: "am"}}, ws[1:]...)
		}
	}
	return ws
}

// hasFiniteMain reports whether a part that begins with a subordinator holds its main clause as well.
func hasFiniteMain(part []word) bool {
	for k := 2; k < len(part)-1; k++ {
		if part[k].endsClause() {
			return true
		}
	}
	return false
}

// startsClause reports whether a new clause with its own subject begins at word j.
func startsClause(ws []word, j int, comma bool) bool {
	for j < len(ws) && (droppedAdverbs[ws[j].low] || fillers.one(ws[j].low)) {
		j++
	}
	if j+1 >= len(ws) {
		return false
	}
	w, next := ws[j], ws[j+1]
	if parents[w.low] && (verbForms[next.low].form == formThird || next.low == "is" || next.low == "has") {
		return true
	}
	switch w.low {
	case "i", "he", "she", "it", "they":
		return true
	case "we", "you":
		return next.low != "" && (auxiliaries[next.low] || verbForms[next.low].lemma != "" || droppedAdverbs[next.low] || keptAdverbs[next.low])
	case "let":
		return next.low == "us"
	case "please", "remember", "do":
		return w.low != "do" || next.low == "not"
	case "always", "never":
		return comma && verbForms[next.low].form == formBase
	case "from":
		return next.low == "now"
	}
	if prepositions[w.low] && j > 0 && coordinators[ws[j-1].low] {
		for k := j + 2; k < min(j+5, len(ws)-1); k++ { // "…, but at work we mostly write Java"
			if ws[k].low == "i" || ws[k].low == "we" {
				return true
			}
		}
	}
	if comma && subordinators[ws[0].low] && orderVerbs[w.low] {
		return true // "When you write code for me, use TypeScript"
	}
	if !determiners[w.low] {
		for k := j; k < min(j+3, len(ws)-1); k++ { // "…, so feature freeze is November 6"
			if (factNouns[ws[k].low] || eventNouns[ws[k].low]) && (ws[k+1].low == "is" || ws[k+1].low == "are") {
				return true
			}
		}
	}
	if comma && manneredVerbs[w.low] && w.low != "be" && w.low != "use" && w.low != "stop" {
		return true
	}
	if (determiners[w.low] || w.isName()) && w.low != "a" && w.low != "an" {
		if !determiners[w.low] && !comma && !auxiliaries[next.low] && verbForms[next.low].form != formThird {
			return false
		}
		end := j + 1
		for end < len(ws) && !ws[end-1].endsClause() {
			end++
		}
		return findVerb(ws[j:end]) > 0
	}
	return false
}

// plainVerbs are base forms that after "and" can only be verbs of the same subject, not nouns.
var plainVerbs = set(`am have live speak prefer hate enjoy own teach go know cannot do want need eat commute volunteer dislike run drive
	bake sing hike swim collect usually always never often mostly sometimes originally currently work play use study like love drink take get
	moved will would might`)

// sharedSubject returns the words to put before next if it continues main with the same subject, otherwise nil.
func sharedSubject(main, next []word, comma bool) []word {
	main = trimCoordinators(main)
	main, _ = withoutFillers(main)
	if len(main) < 2 || len(next) < 2 {
		return nil
	}
	i := 0
	for i < len(next) && droppedAdverbs[next[i].low] {
		i++
	}
	if i+1 >= len(next) {
		return nil
	}
	w := next[i].low
	c := parseClause(main)
	if c.verb == "" {
		return nil
	}
	f := verbForms[w]
	switch c.subject {
	case self, we:
		who := main[:1]
		isCopula := c.verb == "be" && (c.tense == present || c.tense == progressive) || c.tense == progressive
		switch {
		case isCopula && c.subject == self && nameOf(c.rest) > 0 && comma && isOccupation(headNoun(next[i:])) && !prepositions[w] && w != "a" &&
			w != "an" && w != "the":
			return append(append([]word(nil), who...), word{text: "am", low: "am"},
				word{text: "a", low: "a"}) // "I'm Ada, product designer from Galway"
		case isCopula && c.subject == self && iAmContinues(next[i:], comma, c):
			return append(append([]word(nil), who...), word{text: "am", low: "am"})
		case c.modal != "" || c.tense == future:
			return nil
		case c.tense == past && (f.form == formPast && f.lemma != w || w == "was" || w == "had"):
			return who
		case c.tense == perfect && (f.form == formParticiple || f.form == formPast) && f.lemma != w:
			return append(append([]word(nil), who...), word{text: "have", low: "have"})
		case c.tense != past && plainVerbs[w] && !(c.verb == "like" || c.verb == "love" || c.verb == "enjoy" || c.verb == "prefer") &&
			(f.lemma == w || w == "am" || w == "cannot" || keptAdverbs[w] && verbForms[next[i+1].low].form == formBase):
			return who
		case c.tense != past && (w == "am" || w == "have" || w == "hate" || w == "prefer" || w == "cannot" || w == "do" &&
			next[i+1].low == "not" || (w == "love" || w == "like" || w == "live" || w == "work") && len(next) > i+1 && f.lemma == w):
			if !likes[c.verb] || w != "love" && w != "like" { // "I love the hope and love in it"
				return who
			}
		}
	case thing, pronoun:
		if len(c.noun) > 0 && (w == "is" || w == "has" || f.form == formThird && len(next) > i+1 || c.tense == past && f.form == formPast &&
			f.lemma != w) && !strings.HasSuffix(lows(c.noun), " and") {
			return c.noun
		}
	}
	return nil
}

// iAmContinues reports whether next continues "I am …": "…, a nurse from Hamburg", "…, based in Berlin", "… and working at X".
func iAmContinues(next []word, comma bool, c clause) bool {
	w := next[0].low
	introduces := c.verb == "be" && c.tense == present && nameOf(c.rest) > 0 && comma
	switch w {
	case "a", "an":
		return len(c.rest) > 0 && c.tense != progressive
	case "at", "with", "in":
		return introduces && len(next) > 1
	case "from", "based", "originally", "currently", "married", "allergic", "fluent", "into", "located", "responsible", "born":
		return c.tense != progressive
	}
	if traits[w] || isDigits(w) && comma && len(w) == 2 {
		return c.tense != progressive
	}
	f := verbForms[w]
	if f.form != formIng || len(next) < 2 {
		return false
	}
	return c.tense == progressive && !comma || comma && callings[f.lemma]
}

// callings are verbs of what somebody does for years; their -ing form goes on an introduction: "I'm Tom, living in Leeds".
var callings = set(`live work study learn teach train major research run lead manage build freelance specialize intern volunteer`)

func trimCoordinators(ws []word) []word {
	for len(ws) > 0 && coordinators[ws[0].low] {
		ws = ws[1:]
	}
	return ws
}

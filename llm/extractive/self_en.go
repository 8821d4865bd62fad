package extractive

import "strings"

// givenUp returns the thing that ended in "I quit smoking", "I left my job at Acme" and similar: the words that find its line.
func givenUp(c clause) string {
	if c.subject != self || c.tense != past && c.tense != perfect {
		return ""
	}
	switch {
	case (c.verb == "quit" || c.verb == "stop") && isGivenUp(c.rest):
		return lows(upTo(undatedWords(c.rest), "because"))
	case (c.verb == "quit" || c.verb == "leave" || c.verb == "lose") && isJobLeft(c.rest):
		if k := max(indexLow(c.rest, "at"), indexLow(c.rest, "with")); k > 0 {
			return lows(placeWords(c.rest[k+1:]))
		}
	case c.verb == "leave" && beginsWithName(c.rest):
		return lows(placeWords(c.rest))
	}
	return ""
}

// undatedWords returns the words before a date.
func undatedWords(ws []word) []word {
	for k, w := range ws {
		if w.when.span != noSpan {
			for k > 0 && datePrepositions[ws[k-1].low] {
				k--
			}
			return ws[:k]
		}
	}
	return ws
}

// aboutSelf reads "I …" and "we …".
func (r *reader) aboutSelf(c clause) (place, string, bool) {
	r.meet(c)
	if p, text, ok := decided(c, r.now); ok {
		return p, text, true
	}
	if c.verb == "be" && c.modal == "" && (c.tense == present || c.tense == perfect || c.tense == past) {
		if n := nameOf(c.rest); n > 0 && c.subject == self && c.tense == present && !c.negated {
			return r.introduced(c, n)
		}
		if p, ok := appointment(c, r.now); ok {
			return p, c.thirdPerson(), true
		}
		if p, ok := copula(c); ok {
			if c.subject == we && len(c.rest) > 1 && c.rest[0].low == "on" && isChosen(c.rest[1:]) {
				return facts, "The team " + lowerFirst(c.thirdPerson()), true
			}
			return p, c.thirdPerson(), true
		}
		return noteOnly, c.thirdPerson(), event(c) && c.tense == past && hasDay(c.rest)
	}
	if p, ok := obligation(c, r.now); ok {
		return p, c.thirdPerson(), true
	}
	if p, ok := taste(c); ok {
		return p, c.thirdPerson(), true
	}
	if c.modal != "" {
		return noteOnly, "", false
	}
	if p, ok := appointment(c, r.now); ok {
		return p, c.thirdPerson(), true
	}
	if c.verb == "have" {
		if p, ok := r.have(c); ok {
			return p, c.thirdPerson(), true
		}
	}
	if p, text, ok := r.ofTeam(c); ok {
		return p, text, ok
	}
	for _, rule := range selfVerbs[c.verb] {
		if rule.match(c) {
			return rule.place, c.thirdPerson(), true
		}
	}
	if p, ok := habit(c); ok {
		return p, c.thirdPerson(), true
	}
	if event(c) {
		return noteOnly, c.thirdPerson(), true
	}
	return noteOnly, "", false
}

// meet records people mentioned in the user's statements, for a later "he" or "she".
func (r *reader) meet(c clause) {
	for k := 0; k+1 < len(c.rest); k++ {
		if c.rest[k].low != "my" && c.rest[k].low != "our" {
			continue
		}
		for j := k + 1; j < min(k+4, len(c.rest)); j++ {
			if !isRelation(c.rest[j].low) || strings.HasSuffix(c.rest[j].text, "'s") || j+1 < len(c.rest) && eventNouns[c.rest[j+1].low] {
				continue
			}
			end := j + 1
			for end < len(c.rest) && c.rest[end].isName() && !c.rest[end-1].endsClause() {
				end++
			}
			r.person = personOf(plainRelation(c.rest[k:end]))
			r.learnNames(c.rest[j+1 : end])
			return
		}
	}
	if c.verb == "get" && len(c.rest) > 0 && (c.rest[0].low == "engaged" || c.rest[0].low == "married") {
		r.person = []word{{text: "partner", low: "partner"}}
	}
}

// introduced splits "I am Ada from London" into the name and the rest.
func (r *reader) introduced(c clause, n int) (place, string, bool) {
	name := joinWords(trimmed(c.rest[:n]))
	r.say(statement{place: identity, text: sentence("Name is " + name), strength: stated})
	if rest := c.rest[n:]; len(rest) > 0 && (rest[0].low == "from" || rest[0].low == "in" || rest[0].low == "at" || rest[0].low == "with") {
		c.rest = rest
		if p, ok := copula(c); ok && p != noteOnly {
			return p, c.thirdPerson(), true
		}
	}
	return noteOnly, "", false
}

// ofTeam reads what a team does: "we use Postgres for billing", "we deploy on Thursdays".
func (r *reader) ofTeam(c clause) (place, string, bool) {
	if c.subject != we || isBusiness(c.rest) || len(c.rest) == 0 || pointsBack(c.rest) || c.tense != present && c.tense != progressive {
		return noteOnly, "", false
	}
	switch c.verb {
	case "use":
		if len(c.rest) < 6 && !codeNouns[headNoun(c.rest)] {
			return facts, "The team " + lowerFirst(c.thirdPerson()), true
		}
	case "own":
		if !isHaving(c.rest) {
			return facts, "The team " + lowerFirst(c.thirdPerson()), true
		}
		return noteOnly, "", false
	case "run", "host", "store", "deploy", "release", "ship", "write", "build", "maintain", "support", "rely", "depend", "migrate", "test",
		"?containerize", "rotate", "log", "?log", "track", "charge", "?bill", "?sell", "sell", "?onboard":
	default:
		return noteOnly, "", false
	}
	if c.negated && c.verb != "use" && c.verb != "deploy" && c.verb != "release" && c.verb != "support" || codeNouns[headNoun(c.rest)] ||
		!isValue(c.rest) && !isRecurring(c.rest) && !isProject(c.rest) {
		return noteOnly, "", false
	}
	return facts, "The team " + lowerFirst(c.thirdPerson()), true
}

// habit reads "I always …", "I never …" with any verb.
func habit(c clause) (place, bool) {
	if c.tense != present || len(c.adverbs) == 0 && (!isHabit(c.rest) || strings.HasPrefix(c.verb, "?")) || c.modal != "" ||
		len(c.rest) > 20 || c.verb == "be" {
		return noteOnly, false
	}
	if len(trimUnknown(c.verb)) < 3 && c.verb != "go" {
		return noteOnly, false
	}
	switch v := trimUnknown(c.verb); v {
	case "do", "have", "make", "get", "go":
		return preferences, isHabit(c.rest) && !pointsBack(c.rest) && !hasDay(c.rest)
	case "see", "forget", "think", "know", "say", "feel", "want", "need", "wonder", "remember", "learn", "thank", "mean", "find", "understand",
		"happen", "fail":
		return noteOnly, false
	}
	if pointsBack(c.rest) && len(c.rest) > 0 {
		return noteOnly, false
	}
	return preferences, len(c.rest) > 0 && !hasDay(c.rest)
}

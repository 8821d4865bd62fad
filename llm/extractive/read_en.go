package extractive

import "strings"

// english reads one English sentence.
func (r *reader) english(s string) {
	ws := englishWords(s)
	if len(ws) == 0 || len(ws) > 90 {
		return
	}
	question := isQuestion(s, ws)
	if r.list && !question {
		r.remember(ws, stated+1)
		return
	}
	if r.requestEN(ws, question) {
		return
	}
	nameLowered(ws)
	ws, done := r.repairEN(ws)
	if done {
		return
	}
	if question {
		if text, ok := order(ws, false); ok && !hasAny(padded(ws), supposed) {
			r.say(statement{place: preferences, text: sentence(text), strength: stated, ofUser: true})
			return
		}
		if ws = beforeQuestion(ws); len(ws) == 0 {
			return
		}
	}
	if body, ok := rememberedBefore(ws); ok {
		r.remember(body, asked)
		return
	}
	l := padded(ws)
	if isConditional(ws) {
		r.conditionalOrder(ws)
		return
	}
	if hasAny(l, supposed) || isReported(ws) {
		return
	}
	if r.appointed(ws, r.question != "") {
		return
	}
	r.clauses(ws, stated)
}

// clauses reads the clauses of a sentence.
func (r *reader) clauses(ws []word, firmly strength) {
	if r.label(absoluteDates(ws, r.base), firmly) {
		return
	}
	doubted := false
	stands := hasAny(padded(ws), standingPhrases)
	for i, part := range splitClauses(absoluteDates(withSubject(ws), r.base)) {
		l := padded(part)
		doubt := hasAny(l, doubtful)
		if i == 0 {
			doubted = doubt && hasAny(l, []string{" i think ", " i guess ", " not sure ", " maybe ", " i believe "}) && len(part) < 5
		}
		s := firmly
		if (doubt || doubted) && firmly < asked {
			s = unsure
			part = withoutDoubt(part)
		}
		if text, ok := order(part, stands); ok {
			r.say(statement{place: preferences, text: sentence(text), strength: s, ofUser: true})
			continue
		}
		r.clause(parseClause(part), part, s)
	}
}

// clause reads one clause: the first rule that knows it writes the line.
func (r *reader) clause(c clause, part []word, firmly strength) {
	if c.verb == "" {
		return
	}
	add := func(p place, text string) {
		s := statement{
			place: p, text: sentence(text), strength: firmly, ends: c.ended,
			ofUser:   c.subject == self || c.subject == we && !strings.HasPrefix(text, "The team") && p != decisions,
			ofPerson: c.subject == pronoun || c.subject == thing && len(r.person) > 0 && p != facts && p != decisions,
		}
		if c.ended {
			s.topic = lows(c.rest)
		} else if topic := givenUp(c); topic != "" {
			s.ends, s.topic = true, topic
		}
		if p == decisions || p == facts && hasLow(c.rest, "instead") {
			s.supersedes = supersededBy(append([]word{{low: c.verb}}, c.rest...))
		}
		r.say(s)
	}
	if text, ok := settled(c); ok {
		add(decisions, text)
		return
	}
	switch c.subject {
	case self, we:
		if p, text, ok := r.aboutSelf(c); ok {
			add(p, text)
		} else if (c.tense == past || c.tense == perfect) && !c.negated && c.modal == "" && c.verb != "be" && len(c.rest) > 0 &&
			firmly >= stated {
			r.say(statement{text: sentence(c.thirdPerson()), strength: firmly, ofUser: true, ifDone: true})
		}
	case together:
		if p, text, ok := proposed(c, r.now); ok {
			add(p, text)
		}
	case imperative:
		if c.verb == "go" && len(c.rest) > 1 && c.rest[0].low == "with" && isChosen(c.rest[1:]) && !c.negated {
			add(decisions, "Decided to go "+joinWords(impersonal(c.rest)))
		}
	case pronoun:
		if c.noun[0].low == "there" {
			if when, ok := lastMoment(c.rest); ok && !when.before(r.now) && c.verb == "be" && len(c.rest) > 2 && !pointsBack(c.rest) {
				add(dates, joinWords(impersonal(withoutArticle(c.rest))))
			}
			return
		}
		if c.noun[0].low == "it" && len(r.thing) > 0 && (isHardValue(c.rest) || hasDay(c.rest)) {
			c.subject, c.noun = thing, r.thing
			if p, text, ok := r.aboutThing(c, r.now); ok {
				add(p, text)
			}
			return
		}
		if len(r.person) > 0 && r.fits(c.noun[0].low) {
			who := r.person
			c.noun = who
			if p, text, ok := r.aboutPerson(c, 0, r.now); ok {
				add(p, text)
			}
			r.person = who
		}
	case thing:
		if isCouncil(c.noun) && (c.tense == past || c.tense == perfect) {
			if p, text, ok := decidedPast(c, r.now); ok {
				add(p, joinWords(withoutArticle(c.noun))+" "+lowerFirst(text))
				return
			}
		}
		if relationAt(c.noun) < 0 {
			r.thing = c.noun
		}
		if p, text, ok := r.aboutThing(c, r.now); ok {
			add(p, text)
		}
	}
}

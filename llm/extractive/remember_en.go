package extractive

import "strings"

// requestEN reads requests to remember and to be reminded.
func (r *reader) requestEN(ws []word, question bool) bool {
	kind, rest := requested(ws, question)
	switch kind {
	case noRequest:
		return false
	case rememberWhat:
		r.list = true
	case rememberIt:
		r.rememberPrevious()
	case remember:
		r.remember(rest, asked)
	case remindTo, todo:
		r.toDo(kind, rest)
	}
	return true
}

// toDo writes "remind me to …" and "TODO: …".
func (r *reader) toDo(kind request, rest []word) {
	rest = trimmed(cutFillers(absoluteDates(rest, r.base)))
	for len(rest) > 0 && (rest[0].low == "to" || rest[0].low == "that" || rest[0].low == "about") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	if text, ok := order(rest, false); kind == todo && ok {
		r.say(statement{place: preferences, text: sentence(text), strength: asked})
		return
	}
	rest = reminderDateLast(rest)
	lead := "Wants to be reminded to "
	if kind == todo {
		lead = "To do: "
	} else if f, ok := verbForms[rest[0].low]; !ok || f.form != formBase && f.lemma != rest[0].low {
		lead = "Wants to be reminded: "
	}
	rest[0].text = lowerFirst(rest[0].text)
	r.say(statement{place: tasks, text: sentence(lead + joinWords(impersonal(rest))), strength: asked})
}

// reminderDateLast moves a date before the task behind it: "on 2026-11-22 to water the plants".
func reminderDateLast(ws []word) []word {
	if !datePrepositions[ws[0].low] {
		return ws
	}
	for k := 0; k+1 < len(ws) && k < 6; k++ {
		if ws[k].when.span == noSpan {
			continue
		}
		rest := ws[k+1:]
		for len(rest) > 0 && (rest[0].low == "to" || rest[0].low == "that" || rest[0].low == "about") {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			return append(append([]word(nil), rest...), ws[:k+1]...)
		}
	}
	return ws
}

// remember records a request to remember something: in a more precise place where a rule reads it, else under Remembered.
func (r *reader) remember(ws []word, firmly strength) {
	ws = trimmed(ws)
	for len(ws) > 1 && (ws[0].low == "that" || fillers.at(ws) > 0 || coordinators[ws[0].low]) {
		ws = ws[max(1, fillers.at(ws)):]
	}
	if len(ws) < 2 {
		return
	}
	from := len(r.out)
	if text, ok := order(ws, false); ok {
		r.say(statement{place: preferences, text: sentence(text), strength: firmly, ofUser: true})
		return
	}
	dated := absoluteDates(ws, r.base)
	read := true
	for _, part := range splitClauses(dated) {
		before := len(r.out)
		r.clause(parseClause(part), part, firmly)
		read = read && len(r.out) > before && r.out[len(r.out)-1].place != noteOnly
	}
	if read {
		return
	}
	r.out = r.out[:from]
	p := remembered
	if len(dated) > 2 && (dated[0].low == "my" || dated[0].low == "our" || dated[0].low == "the") && parseClause(dated).verb == "" {
		dated = dated[1:]
		if when, ok := lastMoment(dated); ok && !when.before(r.now) && eventNouns[headNoun(dated)] {
			p = dates // "remember my flight to Oslo on June 12"
		}
	}
	r.say(statement{place: p, text: sentence(toldWords(dated)), strength: firmly})
}

// toldWords puts any words into the third person.
func toldWords(ws []word) string {
	c := parseClause(ws)
	switch {
	case (c.subject == self || c.subject == we) && c.verb != "" && !strings.HasPrefix(c.verb, "?"):
		return c.thirdPerson()
	case c.subject == thing && c.verb != "":
		return factText(c)
	}
	return joinWords(impersonal(ws))
}

// rememberPrevious records the previous sentence as a thing to remember.
func (r *reader) rememberPrevious() {
	if len(r.out) > r.previous.from {
		for i := r.previous.from; i < len(r.out); i++ {
			r.out[i].strength = asked
		}
		return
	}
	if s := r.previous.sentence; s != "" && languageOf(s) == english {
		if ws := englishWords(withoutQuotations(s)); !isQuestion(s, ws) && len(ws) > 2 {
			r.remember(ws, asked)
		}
	}
}

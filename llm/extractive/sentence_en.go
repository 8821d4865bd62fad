package extractive

// beforeQuestion returns the introduction of a question: "I'm vegetarian, what can I cook?" → "I'm vegetarian".
func beforeQuestion(ws []word) []word {
	for k := len(ws) - 2; k >= 2; k-- {
		if !ws[k-1].endsClause() {
			continue
		}
		tail := trimCoordinators(ws[k:])
		if len(tail) > 1 && isQuestion("", tail) && !isQuestion("", ws[:k]) && !hasLow(ws[:min(3, k)], "if") {
			return trimmed(ws[:k])
		}
	}
	return nil
}

// conditionalOrder reads "If I ask for directions, always assume I'm walking"; other conditions say nothing.
func (r *reader) conditionalOrder(ws []word) {
	ws, _ = withoutFillers(ws)
	for k := 3; k+1 < len(ws); k++ {
		if !ws[k-1].endsClause() || ws[1].low != "i" && ws[1].low != "you" {
			continue
		}
		if text, ok := order(trimmed(ws[k:]), ws[k].low == "always" || ws[k].low == "never" || ws[k].low == "please"); ok {
			r.say(statement{
				place: preferences, text: sentence(text + " " + joinWords(impersonal(lowerWords(ws[:k])))), strength: stated,
				ofUser: true,
			})
		}
		return
	}
}

// appointed reads what is no clause but names something with its day: "Dentist on Tuesday at 9", and as an answer also
// "the Pine Ridge half on December 13th".
func (r *reader) appointed(ws []word, answers bool) bool {
	rest := ws[consumed(affirmative, ws):]
	rest, _ = withoutFillers(rest)
	rest = trimmed(absoluteDates(rest, r.base))
	when, ok := lastMoment(rest)
	if !ok || when.before(r.now) || len(rest) < 3 || len(rest) > 12 || anyAuxiliary(rest) || rest[0].when.span != noSpan ||
		looksIng(rest[0].low) && !eventNouns[rest[0].low] || datePrepositions[rest[0].low] || isPersonal[rest[0].low] {
		return false
	}
	head := headNoun(rest)
	if c := parseClause(rest); c.verb != "" && c.subject != imperative || !eventNouns[head] && !(acquaintances[head] && !answers) &&
		!(answers && hasName(rest)) {
		return false
	}
	if rest[0].low == "the" || rest[0].low == "my" || rest[0].low == "our" || rest[0].low == "a" || rest[0].low == "an" {
		rest = rest[1:]
	}
	r.say(statement{place: dates, text: sentence(joinWords(impersonal(rest))), strength: stated})
	return true
}

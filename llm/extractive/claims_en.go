package extractive

import (
	"slices"
	"strings"
)

// claimsEN reads a line in English.
func claimsEN(s string, owner []string) []claim {
	ws := englishWords(s)
	if len(ws) == 0 {
		return nil
	}
	if key, value, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(value, "//") && len(strings.Fields(key)) <= 5 &&
		strings.TrimSpace(value) != "" {
		if c := labelled(key, value); c.attribute != "" {
			return []claim{c}
		}
	}
	ws = aboutUser(ws, owner)
	if c := orderClaim(ws); c.attribute != "" {
		return []claim{c}
	}
	c := parseClause(ws)
	if c.verb == "" {
		return dayOf(ws)
	}
	subject := ""
	if c.subject == thing {
		if rel := relationAt(c.noun); rel >= 0 {
			subject = personKey(c.noun)
			if last := c.noun[len(c.noun)-1].low; last == "name" || last == "names" {
				return nil // two daughters have two names
			}
		} else if len(c.noun) == 1 && c.noun[0].isName() && !technologies[c.noun[0].low] && attributes[c.noun[0].low] == noteOnly &&
			!factNouns[c.noun[0].low] && !eventNouns[c.noun[0].low] && (c.verb != "be" || !isHardValue(c.rest) && !isRoleOf(c.rest)) {
			subject = c.noun[0].low
		} else {
			return thingClaims(c)
		}
	}
	return personClaims(c, subject)
}

// isRoleOf reads "the product owner" in "Dana is the product owner".
func isRoleOf(r []word) bool {
	return len(r) > 1 && (r[0].low == "the" || r[0].low == "their" || r[0].low == "a" || r[0].low == "an") && !isOccupation(headNoun(r[1:]))
}

// aboutUser adds a subject known to the parser to a line about the user.
func aboutUser(ws []word, owner []string) []word {
	he := word{text: "he", low: "he"}
	for len(ws) > 1 && droppedAdverbs[ws[0].low] {
		ws = ws[1:]
	}
	w := ws[0].low
	switch {
	case w == "user" && len(ws) > 1:
		return append([]word{he}, ws[1:]...)
	case w == "the" && len(ws) > 2 && ws[1].low == "user":
		return append([]word{he}, ws[2:]...)
	case w == "i" || w == "we" || w == "he" || w == "she" || w == "they":
		return append([]word{he}, ws[1:]...)
	case slices.Contains(owner, w) && len(ws) > 1:
		return append([]word{he}, ws[1:]...)
	}
	f := verbForms[w]
	if (f.form == formThird || f.form == formPast || w == "is" || w == "has" || w == "does" || w == "no" || w == "was" || w == "cannot" ||
		keptAdverbs[w]) && !(len(ws) > 1 && isBe[ws[1].low]) {
		return append([]word{he}, ws...)
	}
	if f.form == formIng && len(ws) > 1 || w == "based" || traits[w] && len(ws) < 4 || w == "allergic" || w == "from" || w == "not" {
		return append([]word{he, {text: "is", low: "is"}}, ws...)
	}
	return ws
}

// personKey returns the key of a person, relation and name: "sister", "sister anna".
func personKey(noun []word) string {
	var parts []string
	for _, w := range personOf(noun) {
		parts = append(parts, w.low)
	}
	return strings.Join(parts, " ")
}

// personClaims reads the claims of a clause about the user or a person in their life.
func personClaims(c clause, subject string) []claim {
	one := func(attribute string, ws []word) []claim {
		return []claim{{subject: subject, attribute: attribute, value: joinWords(ws), negative: c.negated, single: true}}
	}
	r := c.rest
	if c.modal != "" || len(r) == 0 {
		return nil
	}
	switch c.verb {
	case "live", "reside", "?reside", "?dwell":
		if prepositions[r[0].low] && r[0].low != "with" && c.tense != past && c.tense != perfect {
			return one("location", placeWords(r[1:]))
		}
	case "move", "relocate":
		if k := indexLow(r, "to"); k >= 0 && k < 4 && c.tense != progressive && len(c.when) == 0 && toPlace(r[k:]) {
			return one("location", placeWords(r[k+1:]))
		}
	case "come", "hail", "?hail":
		if r[0].low == "from" {
			return one("origin", placeWords(r[1:]))
		}
	case "work":
		if c.tense == past {
			return nil
		}
		return workClaims(r, subject, c.negated)
	case "join":
		return one("employer", placeWords(r))
	case "get", "land", "accept", "start":
		switch {
		case marital[r[0].low]:
			return one("marital", r[:1])
		case (r[0].low == "promoted" || r[0].low == "hired") && len(r) > 2 && (r[1].low == "to" || r[1].low == "as"):
			return one("job", placeWords(withoutArticle(r[2:])))
		case isNewJob(r):
			return workClaims(r, subject, c.negated)
		}
	case "turn":
		if isAge(r) {
			return one("age", r[:1])
		}
	case "have":
		return haveClaims(r, subject)
	case "go":
		if r[0].low == "by" && len(r) > 1 && subject == "" {
			return one("nickname", r[1:])
		}
	case "be":
		return beClaims(c, subject)
	}
	if likes[c.verb] || dislikes[c.verb] {
		if c.tense == past {
			return nil
		}
		if k := comparison(r); k > 0 {
			both := termsOf(joinWords(r[:k]) + " " + joinWords(r[k+1:])).set
			return []claim{{
				subject: subject, attribute: "choice " + strings.Join(sorted(both), " "), value: joinWords(r[:k]),
				negative: dislikes[c.verb] != c.negated, single: true,
			}}
		}
		object := termsOf(joinWords(r)).set
		return []claim{{
			subject: subject, attribute: "taste " + strings.Join(sorted(object), " "), value: joinWords(r),
			negative: dislikes[c.verb] != c.negated, single: true,
		}}
	}
	return nil
}

// comparison returns the index of the word between the two sides of a preference, or 0 if there is none.
func comparison(r []word) int {
	for k := 1; k+1 < len(r); k++ {
		if w := r[k].low; w == "over" || w == "than" || w == "to" && verbForms[r[k+1].low].form != formBase {
			return k
		}
	}
	return 0
}

// workClaims reads "as a nurse at Charité".
func workClaims(r []word, subject string, negative bool) []claim {
	var out []claim
	for k := 0; k+1 < len(r); k++ {
		rest := placeWords(r[k+1:])
		if len(rest) == 0 {
			continue
		}
		switch r[k].low {
		case "as":
			out = append(out, claim{subject: subject, attribute: "job", value: joinWords(withoutArticle(rest)), negative: negative, single: true})
		case "at", "for":
			if rest[0].isName() || rest[0].low == "a" || rest[0].low == "an" || rest[0].low == "the" {
				out = append(out, claim{subject: subject, attribute: "employer", value: joinWords(rest), negative: negative, single: true})
			}
		}
	}
	return out
}

func beClaims(c clause, subject string) []claim {
	r := c.rest
	if c.tense == past {
		return nil
	}
	add := func(attribute string, ws []word, single bool) []claim {
		return []claim{{subject: subject, attribute: attribute, value: joinWords(ws), negative: c.negated, single: single}}
	}
	switch w := r[0].low; {
	case (w == "based" || w == "located" || w == "living") && len(r) > 2:
		return add("location", placeWords(r[2:]), true)
	case w == "from" && len(r) > 1:
		return add("origin", placeWords(r[1:]), true)
	case (w == "called" || w == "named") && len(r) > 1 && subject == "":
		return add("name", r[1:], true)
	case isDigits(w) && len(w) <= 2 && (len(r) == 1 || r[1].low == "years"):
		return add("age", r[:1], true)
	case strings.HasSuffix(w, "-years-old"):
		return add("age", r[:1], true)
	case diets[w] && len(r) < 4:
		return add("diet", r[:1], true)
	case (w == "a" || w == "an") && len(r) > 1 && diets[r[1].low]:
		return add("diet", r[1:2], true)
	case marital[w]:
		return add("marital", r[:1], true)
	case traits[w]:
		return add("trait "+w, r[:1], true)
	case isDemonym(r[0]):
		return add("nationality", r[:1], true)
	case w == "a" || w == "an" || w == "the":
		rest := r[1:]
		if p, ok := nounComplement(rest, w == "the"); ok && p == identity {
			job := placeWords(rest)
			out := []claim{{subject: subject, attribute: "job", value: joinWords(job), negative: c.negated, single: true}}
			return append(out, workClaims(rest[min(len(job), len(rest)):], subject, c.negated)...)
		}
	case w == "at" && len(r) > 1:
		return add("employer", placeWords(r[1:]), true)
	}
	return nil
}

// thingClaims reads "staging DB port is 5433", "billing service runs on port 8080", "name is Ada".
func thingClaims(c clause) []claim {
	r := c.rest
	if len(r) == 0 || c.modal != "" || c.tense == past {
		return nil
	}
	noun := c.noun
	if len(r) > 1 && r[0].low == "spelled" {
		r = r[1:]
	}
	low := lows(plainKey(noun))
	switch c.verb {
	case "be":
		if a, ok := attributeKeys[low]; ok {
			return []claim{{attribute: a, value: joinWords(r), negative: c.negated, single: true}}
		}
		if accumulating[noun[len(noun)-1].low] {
			return nil
		}
		if r[0].low == "hosted" || r[0].low == "deployed" || r[0].low == "located" || r[0].low == "written" {
			return []claim{{subject: thingKey(noun), attribute: r[0].low, value: joinWords(r[1:]), single: true}}
		}
		if (r[0].low == "the" || r[0].low == "a" || r[0].low == "an" || r[0].low == "their") && noun[0].isName() && len(r) > 1 {
			return []claim{{subject: thingKey(r), attribute: "is", value: joinWords(noun), single: true}} // "Dana is the product owner"
		}
		return []claim{{subject: thingKey(noun), attribute: "is", value: joinWords(withoutLead(r)), negative: c.negated, single: true}}
	case "run", "listen", "live":
		if k := indexLow(r, "port"); k >= 0 && k+1 < len(r) {
			return []claim{{subject: thingKey(append(append([]word(nil), noun...), r[k])), attribute: "is", value: r[k+1].bare(), single: true}}
		}
		if prepositions[r[0].low] && len(r) > 1 && !isRecurring(r) {
			return []claim{{subject: thingKey(noun), attribute: c.verb + " " + r[0].low, value: joinWords(r[1:]), single: true}}
		}
	case "start", "end", "begin", "leave", "depart", "arrive", "open", "close", "expire", "launch", "ship", "cost":
		return []claim{{subject: thingKey(noun), attribute: c.verb, value: joinWords(withoutLead(r)), single: true}}
	}
	return nil
}

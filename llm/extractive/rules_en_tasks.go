package extractive

import (
	"slices"
	"time"
)

// obligation reads "I need to …", "I want to …", "I will …" and the like: to-dos, plans and goals.
func obligation(c clause, now time.Time) (place, bool) {
	if c.verb == "" || c.modal == "" || len(c.rest) > 30 || c.tense == past && c.modal != "used to" {
		return noteOnly, false
	}
	when, dated := lastMoment(c.rest)
	dated = dated && !when.before(now)
	verb := trimUnknown(c.verb)
	if verb == "forget" && c.negated {
		return tasks, len(c.rest) > 1 && c.rest[0].low == "to" && !pointsBack(c.rest[1:])
	}
	r := c.rest
	if c.negated && c.modal == "want to" && aversions[verb] && len(r) > 0 && !pointsBack(r) && !codeNouns[headNoun(r)] {
		return preferences, true
	}
	if c.negated && c.modal != "can" {
		return noteOnly, false
	}
	if len(r) > 0 && (r[0].low == "you" || r[0].low == "your") || verb == "ask" && len(r) > 0 && r[0].low == "you" {
		return noteOnly, false
	}
	back := len(r) > 0 && pointsBack(r)
	aboutCode := codeNouns[headNoun(r)]
	switch c.modal {
	case "supposed to":
		return tasks, dated && !back
	case "need to", "have to", "must", "should":
		switch {
		case dated && when.span != noSpan:
			return tasks, !(back && len(r) < 3) && verb != "run" || verb == "run" && dated
		case c.modal == "should":
			return noteOnly, false
		}
		return tasks, commitments[verb] && len(r) > 0 && !back && !aboutCode
	case "want to", "plan to", "intend to", "aim to", "going to", "prepare to", "promise to":
		switch {
		case dated:
			return planPlace(c), !(back && len(r) < 3)
		case c.modal == "want to":
			return tasks, goals[verb] && len(r) > 0 && !back && !aboutCode && !explains(r)
		}
		if (c.modal == "plan to" || c.modal == "intend to") && len(r) > 1 && !back && !aboutCode && !explains(r) {
			return tasks, true
		}
		return tasks, (goals[verb] || commitments[verb]) && len(r) > 0 && !back && !aboutCode && !explains(r)
	case "would like to":
		return tasks, dated && !back || dreams[verb] && len(r) > 0 && !back && !aboutCode && !explains(r)
	case "will":
		if verb == "be" && len(r) > 1 && (r[0].low == "a" || r[0].low == "an") {
			_, ok := nounComplement(r[1:], false)
			return background, ok
		}
		return planPlace(c), dated && !(back && len(r) < 2)
	case "try to":
		if striving[verb] && len(r) > 0 && (!back || r[0].low == "less" || r[0].low == "more") && !aboutCode {
			return background, true
		}
		return tasks, false
	case "hope to", "wish to", "look to", "expect to":
		return tasks, dated && !back
	case "can":
		return ability(c)
	case "used to":
		return background, formerly[verb] && hasObject(r) || verb == "be" && len(r) > 1 && isNounComplement(r)
	}
	return noteOnly, false
}

// aversions lists verbs of lasting aversions.
var aversions = set(`use work fly drive live eat drink travel move`)

// striving lists verbs of lasting efforts: "I'm trying to eat less sugar".
var striving = set(`eat drink lose quit sleep exercise run save spend learn reduce cut smoke walk gain conceive`)

// planPlace returns dates for events to attend, and tasks for things to do.
func planPlace(c clause) place {
	switch c.verb {
	case "be", "go", "fly", "travel", "visit", "meet", "attend", "move", "leave", "arrive", "depart", "return", "come", "have", "start", "see",
		"celebrate", "marry", "turn", "host", "stay":
		return dates
	}
	return tasks
}

func isNounComplement(r []word) bool {
	if r[0].low != "a" && r[0].low != "an" {
		_, ok := adjective(r, clause{})
		return ok
	}
	_, ok := nounComplement(r[1:], false)
	return ok
}

// dreams are the verbs of wishes that last; "I'd like to book a flight" is a request.
var dreams = set(`learn visit travel retire adopt climb move marry become publish quit lose`)

// formerly lists verbs of former states with "used to".
var formerly = set(`live work play study smoke drink teach run own have write swim dance sing drive train serve volunteer collect eat
	compete coach manage lead`)

// explains reports whether an object asks for an explanation: "learn how to sort a list", "learn about closures".
func explains(r []word) bool {
	switch r[0].low {
	case "how", "about", "more", "what", "why", "whether", "if":
		return true
	}
	return false
}

// abilities are verbs that "can" and "cannot" make lasting.
var abilities = set(`eat drink have drive swim cook read speak play sing dance ride run ski hear see digest tolerate attend come work meet
	travel fly sleep wear touch type take`)

func ability(c clause) (place, bool) {
	r := c.rest
	verb := trimUnknown(c.verb)
	if !abilities[verb] || len(r) > 16 {
		return noteOnly, false
	}
	if hasDay(r) {
		return dates, verb == "attend" || verb == "come" || verb == "meet" || verb == "work" || verb == "travel" || verb == "fly"
	}
	if len(r) > 0 && pointsBack(r) {
		return noteOnly, false
	}
	switch verb {
	case "eat", "drink", "have", "digest", "tolerate", "wear", "touch", "take":
		return background, c.negated && len(r) > 0 && !codeNouns[headNoun(r)]
	case "see", "hear", "come", "read", "type":
		return background, len(r) > 0 && (hasLow(r, "without") || isLanguageOrSkill(r) || hasLow(r, "ear"))
	case "attend", "meet", "work", "run", "travel", "fly", "sleep":
		return preferences, len(r) > 0 && (c.negated || contains(c.adverbs, "only") || hasLow(r, "before") || hasLow(r, "after"))
	}
	return background, true
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

func trimUnknown(verb string) string {
	if len(verb) > 0 && verb[0] == '?' {
		return verb[1:]
	}
	return verb
}

// lastMoment is the latest date in ws.
func lastMoment(ws []word) (moment, bool) {
	var m moment
	for _, w := range ws {
		if w.when.span != noSpan && (m.span == noSpan || w.when.start.After(m.start)) {
			m = w.when
		}
	}
	return m, m.span != noSpan
}

// happened reports verbs of life that make a day worth noting, with "just" or "recently" but no date.
var happened = set(`sign join adopt buy move finish graduate marry book quit retire launch publish win lose pass receive accept complete
	celebrate enroll enrol register open hire resign divorce start return break become get have`)

// event reads what the user did or what happened to them: today's note.
func event(c clause) bool {
	if c.negated || c.modal != "" || c.tense != past && c.tense != perfect || len(c.rest) > 30 {
		return false
	}
	if c.verb == "be" && len(c.rest) > 0 && (moods[c.rest[0].low] || traits[c.rest[0].low]) {
		return false
	}
	if len(c.rest) > 0 && pointsBack(c.rest) && !(c.rest[0].low == "my" || c.rest[0].low == "some" || c.rest[0].low == "one") {
		return false
	}
	if hasLow(c.rest, "what") || hasLow(c.rest, "you") {
		return false
	}
	switch c.verb {
	case "forget", "mean", "remember", "say", "tell", "think", "see", "ask", "mention", "try", "need", "want", "notice", "?notice", "guess",
		"know", "read", "check", "fail", "":
		return false
	}
	if hasDay(c.rest) {
		return len(c.rest) > 1
	}
	if (c.verb == "sell" || c.verb == "lose" || c.verb == "break") && len(c.rest) > 1 && len(c.rest) < 5 && c.rest[0].low == "my" {
		return true
	}
	return happened[c.verb] && c.recent && len(c.rest) > 1 && !codeNouns[headNoun(c.rest)]
}

// appointment reads "I am flying to Madrid on 2027-01-02" and "I have a dentist appointment on …".
func appointment(c clause, now time.Time) (place, bool) {
	when, ok := lastMoment(c.rest)
	if !ok || when.before(now) || c.negated || c.modal != "" {
		return noteOnly, false
	}
	switch {
	case c.tense == progressive && c.verb != "be":
		switch c.verb {
		case "think", "try", "look", "wonder", "ask", "hope", "get":
			return dates, c.verb == "get" && len(c.rest) > 1
		case "finish", "submit", "send", "write", "prepare", "deliver":
			return tasks, true
		}
		return dates, true
	case c.verb == "have" && c.tense == present:
		return dates, !pointsBack(c.rest) || c.rest[0].low == "some"
	case c.verb == "be" && c.tense == present:
		switch c.rest[0].low {
		case "on", "off", "out", "away", "unavailable", "back", "free", "available", "busy", "in", "at":
			return dates, true
		}
	case (c.verb == "start" || c.verb == "leave" || c.verb == "fly" || c.verb == "arrive" || c.verb == "return" || c.verb == "turn" ||
		c.verb == "travel" || c.verb == "finish" || c.verb == "present" || c.verb == "meet" || c.verb == "graduate") && c.tense == present:
		return dates, true
	}
	return noteOnly, false
}

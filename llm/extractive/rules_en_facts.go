package extractive

import "strings"

// passing reports whether a complement describes a state that passes ("down", "broken", "running").
func passing(w word) bool {
	f, known := verbForms[w.low]
	switch {
	case moods[w.low], w.low == "not", w.low == "down", w.low == "up", w.low == "broken", w.low == "slow", w.low == "gone", w.low == "full",
		w.low == "empty", w.low == "missing", w.low == "different", w.low == "same", w.low == "important", w.low == "nice", w.low == "cool",
		w.low == "awesome", w.low == "beautiful":
		return true
	case known && f.form == formIng:
		return true
	case settledParticiples[w.low]:
		return false
	case known && (f.form == formPast || f.form == formParticiple) && f.lemma != w.low:
		return true
	}
	return false
}

// settledParticiples make a lasting fact: "is hosted on", "is due on".
var settledParticiples = set(`hosted located called named based deployed written due set scheduled planned stored owned maintained managed
	limited capped built run pinned configured reserved booked kept spelled pronounced licensed registered handled published fixed mounted
	exposed mapped`)

// thingVerbs maps verbs of lasting facts about things to the words that may follow.
var thingVerbs = map[string]string{
	"run": "on in at under as every daily nightly weekly", "listen": "on", "live": "in at on under", "use": "", "depend": "on", "expire": "",
	"belong": "to", "cost": "", "take": "", "support": "", "require": "", "start": "at on in every", "end": "at on in", "begin": "at on in",
	"close": "at on in", "open": "at on in", "leave": "at from on", "depart": "at from on",
	"arrive": "at on in", "meet": "every on at in daily weekly", "happen": "on at every in", "go": "to out", "point": "to", "need": "",
	"handle": "", "own": "", "lead": "", "manage": "", "sit": "in on under", "cover": "", "include": "", "weigh": "",
	"deploy": "to on every from", "contain": "", "report": "to", "have": "", "store": "", "charge": "", "allow": "",
}

// isFact reads "the staging DB port is 5433", "the cluster runs in eu-central-1", "our stack is Go and Vue".
func isFact(c clause, head string) bool {
	noun, rest := c.noun, c.rest
	for _, w := range noun {
		if w.low == "character" || w.low == "characters" || w.low == "protagonist" || w.low == "hero" || w.low == "heroine" ||
			w.low == "villain" || w.low == "narrator" {
			return false // of a story
		}
	}
	if noun[0].low == "everything" && len(noun) == 1 && (settledParticiples[rest[0].low] || c.verb == "run" || c.verb == "live") &&
		isValue(rest) {
		return true
	}
	switch noun[0].low {
	case "this", "that", "these", "those", "any", "some", "no", "another", "such":
		return false
	}
	definite := noun[0].low == "the" || noun[0].low == "our" || noun[0].low == "my" || noun[0].isName() || technologies[noun[0].low] ||
		len(noun) <= 4 && (factNouns[head] || factNouns[strings.TrimSuffix(head, "s")])
	if (c.modal == "must" || c.modal == "have to" || c.modal == "need to") && c.tense == present && c.subject == thing &&
		(hasLow(noun, "our") || noun[0].low == "every" || noun[0].low == "all" || noun[0].low == "each") && !codeNouns[head] && len(rest) > 1 &&
		len(rest) < 16 && !pointsBack(rest) {
		return true
	}
	if !definite || len(rest) == 0 || len(rest) > 22 || len(noun) > 8 || c.modal != "" || stopSubjects[head] &&
		!(noun[0].low == "our" && ours[head]) || stopSubjects[noun[min(1, len(noun)-1)].low] && len(noun) <= 2 || hasLow(noun, "you") ||
		hasLow(noun, "i") {
		return false
	}
	if c.tense != present && !(c.tense == future && hasDay(rest)) || verbForms[noun[0].low].form == formIng {
		return false
	}
	hasFactNoun := factNouns[head] || factNouns[strings.TrimSuffix(head, "s")] || len(noun) > 2 && hasFactNounBeforeOf(noun)
	switch c.verb {
	case "be":
		if passing(rest[0]) || c.negated && !isValue(rest) {
			return false
		}
		if settledParticiples[rest[0].low] {
			return len(rest) > 1
		}
		if pointsBack(rest) {
			return false
		}
		if (noun[0].low == "my" || noun[0].low == "our") && len(rest) < 7 && namesValue(rest) {
			return !codeNouns[head]
		}
		return hasFactNoun && (isValue(rest) || isShortNoun(rest)) || isHardValue(rest) &&
			(noun[0].low == "the" || noun[0].low == "our" || noun[0].low == "my")
	default:
		follow, ok := thingVerbs[c.verb]
		if !ok || pointsBack(rest) && rest[0].low != "every" {
			return false
		}
		if eventNouns[head] && !isRecurring(rest) {
			return false // without a day, "my flight leaves at 8:15" is of today
		}
		if follow != "" {
			return strings.Contains(" "+follow+" ", " "+rest[0].low+" ") && (isValue(rest) || hasFactNoun || isRecurring(rest))
		}
		return isValue(rest) && (c.verb != "have" && c.verb != "need" || hasFactNoun)
	}
}

// ours are things that with "our" are a team's own, though they mostly stand for something at hand.
var ours = set(`tests test build builds code docs documentation site website app page pages status-page task tasks`)

// hasFactNounBeforeOf finds "the deadline for Alpha", "the port of the staging DB".
func hasFactNounBeforeOf(noun []word) bool {
	for k := 1; k+1 < len(noun); k++ {
		if prepositions[noun[k+1].low] && (factNouns[noun[k].low] || eventNouns[noun[k].low]) {
			return true
		}
	}
	return false
}

// isValue reports whether words hold a value: a number, an address, a name, a technology.
func isValue(ws []word) bool {
	if isHardValue(ws) {
		return true
	}
	for _, w := range ws {
		if technologies[w.low] || w.isName() {
			return true
		}
	}
	return false
}

// namesValue wants a proper name or a technology.
func namesValue(ws []word) bool {
	for _, w := range ws {
		if w.isName() || technologies[w.low] {
			return true
		}
	}
	return false
}

// isHardValue wants digits or an address.
func isHardValue(ws []word) bool {
	for _, w := range ws {
		if strings.ContainsAny(w.low, "0123456789@#") || strings.Contains(w.low, "/") && len(w.low) > 3 && !strings.HasSuffix(w.low, "/or") ||
			strings.HasPrefix(w.text, "`") || strings.Contains(strings.TrimRight(w.text, "."), ".") && len(w.low) > 4 {
			return true
		}
	}
	return false
}

func isShortNoun(ws []word) bool {
	if len(ws) > 5 || ws[0].low == "too" || ws[0].low == "so" || ws[0].low == "very" {
		return false
	}
	f, isVerb := verbForms[ws[0].low]
	return !isVerb || f.form == formBase || len(ws) > 1
}

func isRecurring(ws []word) bool {
	l := " " + lows(ws) + " "
	if strings.Contains(l, " every ") || strings.Contains(l, " daily") || strings.Contains(l, " weekly") || strings.Contains(l, " nightly") ||
		strings.Contains(l, " monthly") {
		return true
	}
	for _, w := range ws {
		if d, ok := strings.CutSuffix(w.low, "s"); ok {
			if _, ok := weekdaysEN[d]; ok && len(d) > 4 {
				return true
			}
		}
	}
	return false
}

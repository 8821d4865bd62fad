package extractive

import (
	"strings"
	"time"
)

// decisionVerbs are verbs by which "we" or "I" decide, with the words that may follow; "" allows any object.
var decisionVerbs = map[string]string{
	"decide": "to on that against not", "agree": "on that to upon", "settle": "on for", "opt": "for", "pick": "", "choose": "", "select": "",
	"finalize": "", "finalise": "", "adopt": "", "approve": "", "standardize": "on", "standardise": "on", "switch": "", "migrate": "",
	"ditch": "", "drop": "", "replace": "", "rename": "", "vote": "for on to against", "postpone": "", "reschedule": "", "cancel": "",
}

// decided reads "we decided to …", "I went with …", "we will use …".
func decided(c clause, now time.Time) (place, string, bool) {
	r := c.rest
	if c.verb == "" || len(r) == 0 || len(r) > 28 || c.negated && c.modal == "" && c.verb != "decide" {
		return noteOnly, "", false
	}
	if c.tense == past || c.tense == perfect {
		return decidedPast(c, now)
	}
	if c.subject == self && c.modal != "going to" && c.modal != "will" && !(c.tense == progressive && c.verb == "go") {
		return noteOnly, "", false
	}
	willing := c.modal == "will" || c.modal == "going to" || c.tense == progressive
	if !willing || c.negated {
		if willing && c.negated && (c.verb == "use" || c.verb == "support" || c.verb == "do") && c.subject == we && !pointsBack(r) {
			return decisions, "Decided not to " + c.verb + " " + joinWords(impersonal(r)), true
		}
		return noteOnly, "", false
	}
	switch c.verb {
	case "go", "stick", "proceed", "run":
		if r[0].low != "with" || len(r) < 2 || pointsBack(r[1:]) {
			return noteOnly, "", false
		}
	case "use", "adopt", "switch", "migrate", "keep", "drop", "deprecate", "standardize", "replace":
		if isIng(r[0].low) {
			return noteOnly, "", false // "we'll keep going"
		}
		if c.subject == self && !isChosen(r) || pointsBack(r) || codeNouns[headNoun(r)] {
			return noteOnly, "", false
		}
		if prepositions[r[0].low] && len(r) > 1 && pointsBack(r[1:]) {
			return noteOnly, "", false
		}
	default:
		return noteOnly, "", false
	}
	return decisions, "Decided to " + c.verb + " " + joinWords(impersonal(r)), true
}

// isCouncil reports whether a subject is a group that decides.
func isCouncil(noun []word) bool {
	if len(noun) > 4 {
		return false
	}
	switch noun[len(noun)-1].low {
	case "team", "group", "board", "committee", "management", "company", "everyone", "family", "council", "majority":
		return true
	}
	return false
}

func decidedPast(c clause, now time.Time) (place, string, bool) {
	r := c.rest
	text := c.thirdPerson()
	switch c.verb {
	case "go", "stick":
		if r[0].low != "with" || len(r) < 2 || pointsBack(r[1:]) || c.negated {
			return noteOnly, "", false
		}
		return narrated(r, now), "Decided to " + c.verb + " " + joinWords(impersonal(r)), true
	case "move":
		if r[0].low != "from" && r[0].low != "to" || !namesTechnology(r) {
			return noteOnly, "", false
		}
		return decisions, text, true
	}
	follow, ok := decisionVerbs[c.verb]
	if !ok || c.negated {
		return noteOnly, "", false
	}
	if follow != "" {
		allowed := false
		for _, w := range splitTrim(follow, " ") {
			allowed = allowed || w == r[0].low
		}
		if !allowed || len(r) < 2 || (pointsBack(r[1:]) && r[0].low != "that" && !(r[0].low == "on" && r[1].when.span != noSpan)) {
			return noteOnly, "", false
		}
		return narrated(r, now), text, true
	}
	if pointsBack(r) && !(r[0].low == "the" && isChosen(r) && (c.verb == "choose" || c.verb == "pick" || c.verb == "select")) ||
		prepositions[r[0].low] && len(r) > 1 && pointsBack(r[1:]) {
		return noteOnly, "", false
	}
	switch c.verb {
	case "switch", "migrate", "drop", "ditch", "replace", "select", "cancel", "postpone", "approve", "rename", "reschedule", "adopt":
		// Of one person these are chores more often than decisions, unless they name what was chosen.
		if c.subject == self && !isChosen(r) || codeNouns[headNoun(r)] || isAnimalOrPerson(r) {
			return noteOnly, "", false
		}
	}
	return narrated(r, now), text, true
}

// narrated returns noteOnly for a decision of a past day that is part of a story, otherwise decisions.
func narrated(r []word, now time.Time) place {
	for _, w := range r {
		if w.when.before(now) && !isChosen(r) {
			return noteOnly
		}
	}
	return decisions
}

// isIng reports whether a word looks like the -ing form of a verb.
func isIng(low string) bool {
	return verbForms[low].form == formIng || len(low) > 5 && (strings.HasSuffix(low, "ing") || strings.HasSuffix(low, "in'"))
}

func namesTechnology(r []word) bool {
	for _, w := range r {
		if technologies[w.low] {
			return true
		}
	}
	return false
}

// isChosen reports whether words name a technology or a proper name.
func isChosen(r []word) bool {
	for k, w := range r {
		if technologies[w.low] || k > 0 && w.isName() || k == 0 && w.isName() {
			return true
		}
	}
	return false
}

// proposed reads "let us go with Postgres": the verbs that settle something, not those that only go on talking.
func proposed(c clause, now time.Time) (place, string, bool) {
	r := c.rest
	if len(r) == 0 || len(r) > 24 {
		return noteOnly, "", false
	}
	when, dated := lastMoment(r)
	dated = dated && !when.before(now)
	if dated && (c.verb == "meet" || c.verb == "have" || c.verb == "schedule" || c.verb == "do" || c.verb == "plan" || c.verb == "launch" ||
		c.verb == "release" || c.verb == "ship" || c.verb == "set" || c.verb == "go" || c.verb == "get" || c.verb == "target" ||
		c.verb == "book" || c.verb == "aim" || c.verb == "?aim" || c.verb == "?target") && !c.negated {
		return dates, "Agreed to " + trimUnknown(c.verb) + " " + joinWords(impersonal(r)), true
	}
	not := ""
	if c.negated {
		not = "not "
	}
	switch c.verb {
	case "do":
		if r[0].low != "option" && r[0].low != "plan" && r[0].low != "variant" && r[0].low != "version" {
			return noteOnly, "", false
		}
	case "go", "stick":
		if r[0].low != "with" || len(r) < 2 || pointsBack(r[1:]) && !dated {
			return noteOnly, "", false
		}
	case "settle", "standardize", "standardise", "switch", "migrate", "move":
		if len(r) < 2 || pointsBack(r[1:]) || c.verb == "move" && !isChosen(r) || r[0].low == "gears" || r[0].low == "topics" ||
			r[0].low == "on" && c.verb == "move" {
			return noteOnly, "", false
		}
	case "use", "keep", "adopt", "pick", "choose", "drop", "skip", "postpone", "name", "call", "cancel", "avoid", "target", "rename",
		"replace", "ditch", "deprecate", "?deprecate":
		if pointsBack(r) && !(c.verb == "call" || c.verb == "name") || codeNouns[headNoun(r)] || r[0].low == "a" && !isChosen(r) &&
			c.verb == "use" || r[0].low == "talking" || r[0].low == "going" || hasLow(r, "here") || c.verb == "keep" && isIng(r[0].low) {
			return noteOnly, "", false
		}
		if (c.verb == "call" || c.verb == "name") && (len(r) < 2 || r[0].low != "it" && r[0].low != "the" || r[1].low == "a" ||
			second(r) == "day") {
			return noteOnly, "", false
		}
	default:
		return noteOnly, "", false
	}
	return decisions, "Decided " + not + "to " + trimUnknown(c.verb) + " " + joinWords(impersonal(r)), true
}

// settled reads decisions that nobody is the subject of: "it was decided that …", "the plan is to …".
func settled(c clause) (string, bool) {
	r := c.rest
	if len(r) < 2 || c.negated || c.verb != "be" {
		return "", false
	}
	switch c.subject {
	case pronoun:
		if c.noun[0].low == "it" && (r[0].low == "decided" || r[0].low == "agreed" || r[0].low == "settled") &&
			(r[1].low == "that" || r[1].low == "to") {
			return capitalise(r[0].low) + " " + joinWords(impersonal(r[1:])), true
		}
	case thing:
		head := c.noun[len(c.noun)-1].low
		if head != "decision" && head != "plan" && head != "agreement" && head != "consensus" && head != "choice" && head != "verdict" {
			return "", false
		}
		if r[0].low == "to" || r[0].low == "that" {
			return "Decided " + joinWords(impersonal(r)), true
		}
		if head != "plan" && isChosen(r) {
			return factText(c), true
		}
	}
	return "", false
}

package extractive

import "strings"

// The functions in this file classify the object of a verb.

func anything([]word) bool { return true }

// hasObject wants an object that does not point into the conversation.
func hasObject(r []word) bool {
	if len(r) == 0 || len(r) > 30 {
		return false
	}
	i := 0
	if prepositions[r[0].low] && len(r) > 1 {
		i = 1
	}
	return !pointsBack(r[i:])
}

// pointsBack reports whether an object is a pronoun or names something of the conversation: "it", "the second one", "your idea".
func pointsBack(r []word) bool {
	if len(r) == 0 {
		return true
	}
	if stopObjects[r[0].low] {
		return true
	}
	if l := lows(r[:min(2, len(r))]); l == "a lot" || l == "a ton" || l == "so much" || l == "a bit" || l == "a bunch" ||
		r[0].low == "others" || r[0].low == "tons" || r[0].low == "lots" {
		return true
	}
	if r[0].low != "the" && r[0].low != "your" && r[0].low != "how" {
		return false
	}
	for k := 1; k < min(4, len(r)); k++ {
		if stopNouns[r[k].low] || stopNouns[strings.TrimSuffix(r[k].low, "s")] {
			return true
		}
		if r[k-1].endsClause() {
			break
		}
	}
	return r[0].low == "your" || r[0].low == "how"
}

// notNow wants an object that is not bound to the moment.
func notNow(r []word) bool {
	for _, w := range r {
		if w.when.span == spanDay {
			return false
		}
	}
	return hasObject(r) && !codeNouns[headNoun(r)]
}

func hasName(r []word) bool {
	for _, w := range r[min(1, len(r)):] {
		if w.isName() || strings.Contains(w.low, "/") {
			return true
		}
	}
	return len(r) == 1 && r[0].isName()
}

func beginsWithName(r []word) bool { return len(r) > 0 && r[0].isName() }

func isDated(r []word) bool { return hasDay(r) && len(r) > 3 }

// isStill reads "I have lived in Tokyo for ten years": what began then and goes on.
func isStill(r []word) bool { return hasLow(r, "since") || indexLow(r, "for") > 0 && hasObject(r) }

// isAge wants a number of years: "I turned 30 in April".
func isAge(r []word) bool {
	return len(r) > 0 && isDigits(r[0].low) && len(r[0].low) == 2
}

func hasNumber(r []word) bool {
	return len(r) < 12 && strings.ContainsAny(lows(r), "0123456789") || len(r) > 0 && hasObject(r) && len(r) < 8 && hasNumberWord(r)
}

func hasNumberWord(r []word) bool {
	for _, w := range r {
		if numbersEN[w.low] > 1 {
			return true
		}
	}
	return false
}

// atPlace wants a place to live at.
func atPlace(r []word) bool {
	return hasObject(r) && !technologies[second(r)] && !codeNouns[headNoun(r)] && second(r) != "fear" && second(r) != "peace" &&
		second(r) != "moment" && second(r) != "present"
}

// toPlace wants somewhere that one moves to, not a technology or a step.
func toPlace(r []word) bool {
	switch second(r) {
	case "step", "next", "production", "prod", "staging", "another", "phase", "different":
		return false
	}
	name := false
	for i, w := range r {
		if technologies[w.low] {
			return false
		}
		name = name || w.isName() && i > 0
		switch w.low {
		case "countryside", "city", "coast", "village", "town", "suburbs", "apartment", "flat", "house", "abroad", "country", "downtown", "home",
			"together":
			name = true
		}
	}
	if len(r) > 0 && (r[0].low == "in" || r[0].low == "out" || r[0].low == "back") && len(r) > 1 &&
		(r[1].low == "with" || r[1].low == "to" || r[1].low == "together") {
		return true
	}
	return name
}

func second(r []word) string {
	if len(r) < 2 {
		return ""
	}
	return r[1].low
}

// isWork reports whether the object is a job, an employer or a way of working; "work on" and "work with" need something that lasts.
func isWork(r []word) bool {
	if len(r) == 0 {
		return false
	}
	switch r[0].low {
	case "with", "on":
		if hasLow(r, "team") && (r[0].low == "on") {
			return true
		}
		return len(r) > 1 && hasObject(r) && !codeNouns[headNoun(r)] &&
			(r[0].low == "with" && (technologies[second(r)] || isPlural(headNoun(r))) || isProject(r[1:]))
	case "for":
		return second(r) != "me" && second(r) != "you" && second(r) != "now" && second(r) != "us" && hasObject(r)
	case "in":
		return second(r) != "progress" && second(r) != "my" && hasObject(r)
	case "as":
		return hasObject(r) && second(r) != "expected" && second(r) != "intended" && second(r) != "well"
	case "at":
		return hasObject(r) && second(r) != "all" && second(r) != "first"
	case "working":
		return isWork(r[1:])
	}
	return true
}

// isLanguageOrSkill wants a language or a technology.
func isLanguageOrSkill(r []word) bool {
	for k, w := range r {
		if k > 6 {
			break
		}
		if languages[w.low] || technologies[w.low] && w.low != "c" && w.low != "r" && w.low != "go" {
			return true
		}
	}
	return false
}

// isHabit wants a frequency, a place or a time of day, as habits have them.
func isHabit(r []word) bool {
	for k, w := range r {
		switch {
		case w.low == "every" || w.low == "daily" || w.low == "weekly" || w.low == "times" || w.low == "twice" || w.low == "mornings" ||
			w.low == "evenings" || w.low == "weekends" || w.low == "marathons":
			return true
		case k > 0 && (r[k-1].low == "a" || r[k-1].low == "per" || r[k-1].low == "each") &&
			(w.low == "day" || w.low == "week" || w.low == "month" || w.low == "year"):
			return true
		case k > 0 && r[k-1].low == "on" && strings.HasSuffix(w.low, "days"):
			return true
		case w.low == "gym" || w.low == "church" || w.low == "mosque" || w.low == "therapy" || w.low == "university" || w.low == "college":
			return true
		}
	}
	return false
}

// isUsed reports whether the object is in lasting use: a technology, or a purpose "for" it.
func isUsed(r []word) bool {
	if !hasObject(r) {
		return false
	}
	for k, w := range r {
		if k < 6 && (technologies[w.low] || w.low == "wheelchair" || w.low == "pronouns" || w.low == "metric" || w.low == "imperial") {
			return !codeNouns[headNoun(r)]
		}
	}
	return hasLow(r, "everything") || hasLow(r, "every") || hasLow(r, "daily") || r[0].isName() && len(r) <= 6
}

var projects = set(`software project startup company app application game library framework product platform book novel thesis dissertation
	album film documentary website tool service bot engine plugin extension compiler database system course podcast channel house cabin boat
	business studio store shop cli robot drone prototype paper newsletter dashboard marketplace portal language saas site api clone`)

// isProject reports whether the object is something that takes months to build.
func isProject(r []word) bool {
	if !hasObject(r) {
		return false
	}
	for k, w := range r {
		if k > 8 {
			break
		}
		if projects[w.low] || (w.low == "called" || w.low == "named") && k > 0 {
			return true
		}
	}
	return false
}

// headNoun is the last word of the noun phrase that begins r, past a preposition: "at a small bakery in Rome" → bakery.
func headNoun(r []word) string {
	if len(r) > 1 && prepositions[r[0].low] {
		r = r[1:]
	}
	head := ""
	for k, w := range r {
		if prepositions[w.low] || w.low == "and" || w.low == "or" || w.low == "but" || w.low == "who" || w.low == "that" || w.low == "which" ||
			w.low == "named" || w.low == "called" || w.low == "because" || w.low == "when" || w.low == "to" || w.when.span != noSpan || k > 8 {
			break
		}
		head = w.low
		if w.endsClause() {
			break
		}
	}
	return head
}

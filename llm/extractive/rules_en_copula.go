package extractive

import "strings"

// copula reads "I am …": who and what the user is. It returns noteOnly and false when nothing lasting is said.
func copula(c clause) (place, bool) {
	r := c.rest
	if len(r) == 0 || len(r) > 25 {
		return noteOnly, false
	}
	if c.tense == past {
		return copulaPast(r)
	}
	if len(r) > 3 && r[0].low == "more" && r[1].low == "of" {
		r = r[2:]
	}
	switch w := r[0].low; w {
	case "a", "an", "the", "one", "also", "half", "part":
		return nounComplement(r[1:], w == "the")
	case "from", "based", "located", "situated":
		return identity, len(r) > 1 && (hasName(r) || w != "from") && second(r) != "now" || isTeamName(second(r))
	case "called", "named", "known":
		return identity, len(r) > 1
	case "in":
		return inComplement(r)
	case "on":
		return onComplement(r)
	case "at", "with":
		return identity, len(r) > 1 && r[1].isName() && !technologies[r[1].low] && !strings.ContainsAny(r[1].low[:1], "0123456789")
	case "allergic", "intolerant", "sensitive", "afraid", "scared", "terrified", "immune", "prone":
		return background, len(r) > 2 && !pointsBack(r[2:])
	case "into", "fond", "crazy", "obsessed", "passionate", "keen", "big", "addicted", "partial", "hooked", "enthusiastic", "picky":
		if second(r) == "to" {
			return noteOnly, false
		}
		k := 1
		for k < len(r) && (prepositions[r[k].low] || r[k].low == "on") {
			k++
		}
		return preferences, k < len(r) && !pointsBack(r[k:]) || w == "picky"
	case "interested":
		return noteOnly, len(r) > 2 && !pointsBack(r[2:]) && !codeNouns[headNoun(r[1:])]
	case "good", "bad", "terrible", "proficient", "experienced", "familiar", "certified", "trained", "skilled", "fluent", "comfortable", "new",
		"conversational", "native":
		return background, len(r) > 2 && prepositions[r[1].low] && !pointsBack(r[2:]) && second(r) != "for" && r[2].low != "here" &&
			!eventNouns[r[2].low]
	case "married", "engaged":
		return people, true
	case "responsible", "in-charge":
		return identity, len(r) > 2 && !pointsBack(r[2:])
	}
	return adjective(r, c)
}

func adjective(r []word, c clause) (place, bool) {
	low := r[0].low
	if isDigits(low) {
		n := len(low)
		return identity, n == 2 && (len(r) == 1 || r[0].endsClause() || r[1].low == "years" || r[1].low == "and" || r[1].low == "now") ||
			len(r) > 1 && (r[1].low == "cm" || r[1].low == "kg" || r[1].low == "m" || r[1].low == "feet" || r[1].low == "foot")
	}
	if len(low) > 2 && low[0] >= '3' && low[0] <= '8' && low[1] == '\'' {
		return background, true // 6'2"
	}
	if isAgeWord(low) && (len(r) == 1 || r[0].endsClause() || r[1].low == "years" || r[1].low == "and" || r[1].low == "now") {
		return identity, true
	}
	if strings.HasSuffix(low, "-years-old") || strings.HasSuffix(low, "yo") && low[0] <= '9' {
		return identity, true
	}
	l := lows(r)
	for _, t := range twoWordTraits {
		if strings.HasPrefix(l, t) {
			return background, true
		}
	}
	if traits[low] && low != "lactose" {
		return background, len(r) < 8
	}
	if isDemonym(r[0]) && (len(r) < 6) && low != "polish" {
		return identity, true
	}
	if hyphen := strings.Split(low, "-"); len(hyphen) == 2 && demonyms[hyphen[0]] && demonyms[hyphen[1]] {
		return identity, true
	}
	if low == "free" || low == "available" || low == "off" || low == "away" || low == "unavailable" || low == "out" || low == "busy" {
		return dates, hasDay(r)
	}
	if low == "not" || c.negated && moods[low] {
		return noteOnly, false
	}
	return noteOnly, false
}

func copulaPast(r []word) (place, bool) {
	switch r[0].low {
	case "born", "raised":
		return background, len(r) > 1 && r[1].low != "to" && r[1].low != "for" && r[1].low != "yesterday"
	case "diagnosed", "vaccinated", "treated":
		return background, len(r) > 1
	case "promoted", "hired", "elected", "appointed", "awarded", "accepted", "laid", "fired":
		return background, true
	case "a", "an":
		p, ok := nounComplement(r[1:], false)
		if p == identity {
			p = background
		}
		return p, ok
	}
	return noteOnly, false
}

// nounComplement judges "a nurse in Hamburg", "the CTO of Corva", "a tea person", "a mother of two".
func nounComplement(r []word, definite bool) (place, bool) {
	if len(r) > 0 && !definite && (headNoun(r) == "company" || headNoun(r) == "startup" || headNoun(r) == "nonprofit" ||
		headNoun(r) == "agency") {
		return facts, true // "we're a remote-first company"
	}
	if len(r) == 0 || stopNouns[r[0].low] || r[0].low == "bit" || r[0].low == "little" || r[0].low == "lot" || r[0].low == "few" {
		return noteOnly, false
	}
	head := headNoun(r)
	l := lows(r)
	switch head {
	case "fan", "lover", "enthusiast", "hater", "person", "eater", "drinker", "owl", "bird", "connoisseur", "buff", "nerd", "geek", "junkie",
		"bookworm", "foodie", "minimalist", "perfectionist", "gamer", "homebody", "goner", "addict", "aficionado", "admirer", "believer",
		"supporter", "follower":
		if head == "person" && len(r) == 1 || pointsBack(tailAfter(r, "of")) && strings.Contains(l, " of ") {
			return noteOnly, false
		}
		return preferences, true
	case "mother", "father", "mom", "mum", "dad", "parent", "grandmother", "grandfather", "grandma", "grandpa", "uncle", "aunt", "twin",
		"widow", "widower", "godmother", "godfather", "stepmom", "stepdad", "newlywed":
		return people, true
	case "vegetarian", "vegan", "pescatarian", "diabetic", "celiac", "coeliac", "member", "speaker", "resident", "citizen", "native",
		"graduate", "alumnus", "alumna", "survivor", "immigrant", "refugee", "expat", "introvert", "extrovert", "beginner", "leftie", "lefty",
		"smoker", "non-smoker", "nonsmoker", "muslim", "christian", "buddhist", "hindu", "catholic", "jew", "atheist", "leo", "virgo", "libra",
		"scorpio", "capricorn", "aquarius", "pisces", "aries", "taurus", "gemini", "veteran", "volunteer", "learner", "newbie", "novice",
		"expert", "runner", "swimmer", "cyclist", "climber", "hiker", "skier", "surfer", "reader", "collector", "donor", "polyglot", "morning",
		"homeowner", "dog-owner", "millennial", "child", "immigrant's", "alcoholic", "insomniac", "asthmatic", "hobbyist", "owner",
		"grad", "alum":
		return background, head != "child" || strings.HasPrefix(l, "only") || strings.HasPrefix(l, "middle")
	}
	if strings.HasPrefix(head, "year-old") || head == "old" {
		return identity, true
	}
	if isOccupation(head) || isOccupation(l) {
		return identity, true
	}
	if definite {
		switch r[0].low {
		case "oldest", "eldest", "youngest", "middle", "only":
			return people, len(r) > 1 && r[1].low != "one"
		}
		return noteOnly, false
	}
	if len(r[0].low) > 8 && strings.HasSuffix(r[0].low, "-year-old") || strings.HasSuffix(head, "-year-old") {
		return identity, true
	}
	if isDemonym(r[0]) {
		return identity, true
	}
	for _, w := range r[:min(5, len(r))] {
		if w.low == "who" || w.endsClause() || prepositions[w.low] {
			break
		}
		if isOccupation(w.low) && w.low != "junior" && w.low != "senior" && w.low != "head" && w.low != "lead" && w.low != "model" &&
			w.low != "fellow" && w.low != "guide" {
			return identity, true
		}
	}
	return noteOnly, false
}

// tailAfter returns the words after the first stop word of r.
func tailAfter(r []word, stop string) []word {
	for k, w := range r {
		if w.low == stop {
			return r[k+1:]
		}
	}
	return nil
}

func inComplement(r []word) (place, bool) {
	if len(r) < 2 {
		return noteOnly, false
	}
	w := r[1].low
	switch {
	case w == "charge":
		return identity, len(r) > 3
	case w == "my" && len(r) > 2 && (strings.HasSuffix(r[2].low, "ties") || r[2].low == "early" || r[2].low == "mid" || r[2].low == "late" ||
		strings.HasSuffix(r[2].low, "0s")):
		return identity, true
	case isTimeZone(w), w == "the" && hasLow(r, "timezone"), hasLow(r, "timezone"), w == "the" && hasLow(r, "time") && hasLow(r, "zone"):
		return identity, true
	case fields[w]:
		return identity, len(r) < 5
	case w == "grade", w == "high" && hasLow(r, "school"), w == "college", w == "university", strings.HasSuffix(w, "th") && hasLow(r, "grade"),
		w == "my" && hasLow(r, "year"):
		return background, true
	case r[1].isName() && !technologies[w]:
		return noteOnly, true // where somebody is says little about where they live
	}
	return noteOnly, false
}

func onComplement(r []word) (place, bool) {
	if len(r) < 2 {
		return noteOnly, false
	}
	for _, w := range r[1:min(6, len(r))] {
		switch w.low {
		case "vacation", "holiday", "holidays", "leave", "pto", "sabbatical", "business":
			if hasDay(r) {
				return dates, true
			}
			return noteOnly, true
		case "call", "duty":
			return dates, hasDay(r)
		case "plan", "tier", "keto", "diet", "insulin", "medication", "antidepressants", "statins", "visa":
			return background, true
		}
		if editorsAndSystems[w.low] || technologies[w.low] {
			return background, true
		}
	}
	return noteOnly, false
}

// hasDay reports whether the sentence has a date.
func hasDay(ws []word) bool {
	for _, w := range ws {
		if w.when.span != noSpan {
			return true
		}
	}
	return false
}

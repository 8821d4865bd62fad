package extractive

import "strings"

// isTeamName reports whether low is a department that people are "from".
func isTeamName(low string) bool {
	return fields[low] || low == "legal" || low == "product" || low == "ops" || low == "infra" || low == "platform" || low == "billing"
}

// isAgeWord reads "seventy-eight".
func isAgeWord(low string) bool {
	tens, _, _ := strings.Cut(low, "-")
	switch tens {
	case "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety":
		return true
	}
	return false
}

func isDemonym(w word) bool {
	l := w.low
	return demonyms[l] || firstRune(w.bare()) < 'a' && w.isName() &&
		(strings.HasSuffix(l, "ese") || strings.HasSuffix(l, "nian") || strings.HasSuffix(l, "rian"))
}

// isOccupation reports whether a noun is an occupation.
func isOccupation(noun string) bool {
	if occupations[noun] {
		return true
	}
	if notOccupations[noun] || len(noun) < 5 || strings.Contains(noun, " ") {
		return false
	}
	if strings.HasSuffix(noun, "-in-chief") {
		return true
	}
	for _, suffix := range []string{
		"ologist", "ographer", "grapher", "maker", "worker", "keeper", "writer", "engineer", "ician", "strator",
		"ator", "etor", "itor", "ctor", "urer", "builder", "smith", "master", "trician", "therapist", "developer", "analyst", "scientist",
		"manager", "officer", "fighter", "driver", "dealer", "planner", "trader", "broker", "teacher", "player", "singer", "hunter",
	} {
		if strings.HasSuffix(noun, suffix) {
			return true
		}
	}
	return false
}

// isPlainName reads "im tom, 27" and "i'm sam, a nurse from …": a name in lower case, recognized by its context.
func isPlainName(r []word) bool {
	w := r[0].low
	_, isVerb := verbForms[w]
	if !strings.HasSuffix(r[0].text, ",") || len(w) < 3 || isVerb || moods[w] || traits[w] || demonyms[w] || isClosedClass[w] ||
		isOccupation(w) || keptAdverbs[w] || droppedAdverbs[w] || strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing") {
		return false
	}
	switch next := r[1].low; {
	case isDigits(next) && len(next) == 2, next == "from", next == "a", next == "an", next == "living", next == "based":
		return true
	}
	return false
}

// nameOf reads "I am Marta" and "I am Ada Lovelace from London": how many words are the name, 0 when it is none.
func nameOf(r []word) int {
	n := 0
	for n < len(r) && n < 4 {
		w := r[n]
		b := w.bare()
		if !w.isName() || isDemonym(w) || technologies[w.low] || traits[w.low] || isOccupation(w.low) || moods[w.low] ||
			strings.ContainsAny(b, "0123456789/@_") || len(b) > 3 && b == strings.ToUpper(b) {
			break
		}
		n++
		if w.endsClause() {
			break
		}
	}
	if n == 0 || n == 4 {
		return 0
	}
	if n < len(r) && !r[n-1].endsClause() && !strings.HasPrefix(r[n].text, "(") {
		switch r[n].low {
		case "from", "in", "and", "by", "here", "the", "at", "with":
			return n
		}
		return 0
	}
	return n
}

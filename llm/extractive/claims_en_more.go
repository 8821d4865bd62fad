package extractive

import "strings"

// orderClaim reads instructions to the assistant of which only one can hold: the language of its answers, and how it
// calls the user.
func orderClaim(ws []word) claim {
	l := lows(ws)
	for _, lead := range []string{"he wants to be called ", "wants to be called "} {
		if name, ok := strings.CutPrefix(l, lead); ok {
			return claim{attribute: "nickname", value: name, single: true}
		}
	}
	if !strings.Contains(l, "answer") && !strings.Contains(l, "repl") && !strings.Contains(l, "respon") && !strings.Contains(l, "speak") {
		return claim{}
	}
	if !strings.Contains(l, "want") && !strings.Contains(l, "prefer") {
		return claim{}
	}
	for k := 1; k < len(ws); k++ {
		if languages[ws[k].low] && (ws[k-1].low == "in" || ws[k-1].low == "prefers" || k == 2) && len(ws) < 12 && !hasLow(ws, "when") &&
			!hasLow(ws, "for") {
			return claim{attribute: "answer language", value: ws[k].bare(), single: true}
		}
	}
	return claim{}
}

// haveClaims reads "has two cats" and "has a dentist appointment on 2026-05-20". Appointments accumulate; a line that moves
// one ("dentist appointment is on 2026-05-27") finds it by its words.
func haveClaims(r []word, subject string) []claim {
	if len(r) < 2 {
		return nil
	}
	if n := numbersEN[r[0].low]; n > 1 && r[0].low != "couple" && r[0].low != "few" || isDigits(r[0].low) {
		if noun := r[1]; isPlural(noun.low) && len(r) < 4 {
			return []claim{{subject: subject, attribute: "count of " + noun.low, value: r[0].bare(), single: true}}
		}
	}
	if subject != "" {
		return nil
	}
	c := dayOf(withoutArticle(r))
	return c
}

// dayOf reads "dentist appointment on 2026-05-20 at 9am": a thing with its day, and no verb.
func dayOf(ws []word) []claim {
	for k := 1; k < min(6, len(ws)-1); k++ {
		if ws[k].low != "on" || !isoDate.MatchString(ws[k+1].text) {
			continue
		}
		noun := ws[:k]
		if !eventNouns[headNoun(noun)] && !acquaintances[headNoun(noun)] {
			return nil
		}
		return []claim{{subject: thingKey(noun), attribute: "is", value: joinWords(ws[k+1:])}}
	}
	return nil
}

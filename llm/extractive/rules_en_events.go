package extractive

import (
	"strings"
	"time"
)

// aboutEvent reads "my flight leaves on …", "the release is planned for …", "Alpha's deadline moved to …".
func aboutEvent(c clause, now time.Time) (place, string, bool) {
	noun, rest := c.noun, c.rest
	if len(noun) > 8 || len(rest) == 0 || len(rest) > 20 || c.negated {
		return noteOnly, "", false
	}
	isEvent := false
	yearly := false
	for k, w := range noun {
		if k > 0 && prepositions[w.low] {
			break
		}
		isEvent = isEvent || eventNouns[w.low]
		yearly = yearly || w.low == "birthday" || w.low == "anniversary" || w.low == "bday"
	}
	when, dated := lastMoment(rest)
	text := factText(c)
	if relationAt(noun) >= 0 && !isEvent {
		return noteOnly, "", false
	}
	if yearly && c.verb == "be" {
		if namesMonth(rest) || dated {
			if noun[0].low == "my" && len(noun) == 2 {
				return identity, text, true
			}
			return dates, text, true
		}
		return noteOnly, "", false
	}
	if !dated || when.before(now) {
		return noteOnly, "", false
	}
	if c.verb == "be" && (c.tense == past || c.tense == perfect) && len(rest) > 2 && rescheduled[rest[0].low] && isEvent {
		c.rest = rest[1:]
		return dates, movedText(c), true
	}
	if c.tense == past && !rescheduled[c.said] && c.verb != "move" && c.verb != "get" {
		return noteOnly, "", false
	}
	definite := noun[0].low == "my" || noun[0].low == "our" || noun[0].low == "the" || noun[0].isName()
	switch c.verb {
	case "be":
		scheduled := rest[0].low == "on" || rest[0].low == "in" || rest[0].low == "at" || rest[0].low == "due" || rest[0].low == "scheduled" ||
			rest[0].low == "planned" || rest[0].low == "set" || rest[0].low == "from" || rest[0].low == "by" || rest[0].low == "around" ||
			rest[0].low == "booked" || rest[0].low == "now" || rest[0].when.span != noSpan || rest[0].low == "fixed" || rest[0].low == "coming" ||
			rest[0].low == "happening" || rest[0].low == "until" || rest[0].low == "expected"
		return dates, text, (isEvent || definite) && scheduled && !stopSubjects[noun[len(noun)-1].low] || isEvent && scheduled
	case "get":
		if len(rest) > 2 && rescheduled[rest[0].low] {
			c.rest = rest[1:]
			return dates, movedText(c), true
		}
	case "move", "push", "postpone", "reschedule", "change", "shift", "delay", "extend":
		return dates, movedText(c), isEvent
	case "start", "end", "begin", "leave", "depart", "arrive", "open", "close", "happen", "expire", "take", "run", "go", "ship", "launch",
		"land", "finish", "come", "turn", "renew", "resume", "continue":
		return dates, text, isEvent || definite
	}
	return noteOnly, "", false
}

// movedText states a new date as the date: "Alpha's deadline moved to 2026-06-08" → "Alpha's deadline is 2026-06-08".
func movedText(c clause) string {
	rest := c.rest
	for k, w := range rest {
		if w.low == "to" || w.low == "until" || w.low == "till" {
			c.rest, c.verb, c.said, c.tense = rest[k+1:], "be", "is", present
			if len(c.rest) > 0 {
				return factText(c)
			}
			break
		}
	}
	c.rest = rest
	return factText(c)
}

func namesMonth(ws []word) bool {
	for _, w := range ws {
		if _, ok := monthsEN[w.low]; ok {
			return true
		}
	}
	return strings.Contains(lows(ws), "christmas") || strings.Contains(lows(ws), "new year")
}

package extractive

import (
	"strings"
	"time"
)

var monthsEN = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
	"nov": 11, "dec": 12,
}

var weekdaysEN = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
}

var numbersEN = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "couple": 2, "few": 3,
}

var dayParts = map[string]string{
	"morning": "in the morning", "afternoon": "in the afternoon", "evening": "in the evening",
	"night": "at night",
}

// datePrepositions lists prepositions before dates; no "on" or "in" is then added.
var datePrepositions = set(`on in by until till before after from since to for due through between around during of at within starting
	beginning`)

// absoluteDates replaces the date expressions of an English sentence by absolute ones ("by Friday" → "by 2026-03-13"),
// as seen from base. Recurring days ("every Friday", "Monday to Friday") stay; so do birthdays and anniversaries without a year.
func absoluteDates(ws []word, base time.Time) []word {
	out := make([]word, 0, len(ws)+4)
	yearly := false
	for _, w := range ws {
		yearly = yearly || w.low == "birthday" || w.low == "anniversary" || w.low == "born"
	}
	usual := habitual(ws)
	for i := 0; i < len(ws); {
		m, n, tail := dateAt(ws, i, base)
		if usual && (m.span == spanMonth || m.span == spanDay && !m.said) {
			n = 0 // "harvest usually starts in January"
		}
		if n > 0 && yearly && m.span == spanDay && m.said {
			n = 0
		}
		if n == 0 {
			out = append(out, ws[i])
			i++
			continue
		}
		out = appendDate(out, m.moment, ws[i+n-1], tail, i == 0)
		i += n
	}
	return out
}

// habitual reports whether a sentence is about a repeated event.
func habitual(ws []word) bool {
	for _, w := range ws {
		switch w.low {
		case "usually", "typically", "generally", "normally", "every", "each", "annually", "yearly", "monthly":
			return true
		}
	}
	return false
}

// saidDate is a moment, and whether month and day were named in it.
type saidDate struct {
	moment
	said bool
}

func appendDate(out []word, m moment, last word, tail string, first bool) []word {
	preposition, text := m.english()
	if n := len(out); n > 0 {
		before := out[n-1].low
		switch {
		case before == "early" || before == "late" || before == "mid":
			preposition = ""
		case strings.HasSuffix(out[n-1].text, ":"):
			preposition = "" // "Deadline: 2026-03-30"
		case before == "in" && preposition != "in", before == "on" && preposition != "on":
			out[n-1].text, out[n-1].low = preposition, preposition
			preposition = ""
		case datePrepositions[before] && !out[n-1].endsClause():
			preposition = ""
		}
	}
	punctuation := ""
	if j := strings.LastIndexFunc(last.text, isWordRune); j >= 0 {
		punctuation = last.text[j+len(string(firstRune(last.text[j:]))):]
	}
	if preposition != "" {
		if first {
			preposition = capitalise(preposition)
		}
		out = append(out, word{text: preposition, low: strings.ToLower(preposition)})
	}
	parts := strings.Fields(text)
	if tail != "" {
		parts = append(parts, strings.Fields(tail)...)
	}
	for k, p := range parts {
		w := word{text: p, low: strings.ToLower(strings.Trim(p, "()"))}
		if k == len(parts)-1 {
			w.text += punctuation
			w.when = m
		}
		out = append(out, w)
	}
	return out
}

// dateAt reads a date expression at word i: the moment, how many words it takes, and words that follow it ("in the evening").
func dateAt(ws []word, i int, base time.Time) (saidDate, int, string) {
	low := func(k int) string {
		if k < 0 || k >= len(ws) || k > i && ws[k-1].endsClause() && !strings.HasSuffix(ws[k-1].text, ",") {
			return ""
		}
		return ws[k].low
	}
	if m, n, tail := relativeDay(low, i, base); n > 0 {
		return saidDate{m, false}, n, tail
	}
	if m, n, tail := rangeOfDays(low, i, base, isPastContext(ws, i)); n > 0 {
		return saidDate{m, true}, n, tail
	}
	if m, n := namedDay(ws, low, i, base); n > 0 {
		return m, n, ""
	}
	if m, n := countedDate(low, i, base); n > 0 {
		return saidDate{m, false}, n, ""
	}
	return saidDate{}, 0, ""
}

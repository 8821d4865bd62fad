package extractive

import (
	"strconv"
	"strings"
	"time"
)

var monthsEN = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var weekdaysEN = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
}

var numbersEN = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "couple": 2, "few": 3,
}

var dayParts = map[string]string{"morning": "in the morning", "afternoon": "in the afternoon", "evening": "in the evening", "night": "at night"}

// datePrepositions stand before a date and make an "on" or "in" of our own needless.
var datePrepositions = set(`on in by until till before after from since to for due through between around during of at within starting beginning`)

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

// habitual reports whether a sentence tells what happens time and again.
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

func relativeDay(low func(int) string, i int, base time.Time) (moment, int, string) {
	part := func(k int) (string, int) {
		if p, ok := dayParts[low(k)]; ok {
			return p, 1
		}
		return "", 0
	}
	switch w := low(i); w {
	case "today":
		return day(base), 1, ""
	case "tonight":
		return day(base), 1, "in the evening"
	case "eod":
		return day(base), 1, ""
	case "tomorrow", "yesterday":
		step := 1
		if w == "yesterday" {
			step = -1
		}
		p, n := part(i + 1)
		return day(base.AddDate(0, 0, step)), 1 + n, p
	case "the", "day":
		k := i
		if w == "the" {
			k++
		}
		if low(k) == "end" {
			if m, n, tail := endOf(low, k, base); n > 0 {
				return m, n + k - i, tail
			}
		}
		if low(k) == "day" && low(k+1) == "after" && low(k+2) == "tomorrow" {
			return day(base.AddDate(0, 0, 2)), k + 3 - i, ""
		}
		if low(k) == "day" && low(k+1) == "before" && low(k+2) == "yesterday" {
			return day(base.AddDate(0, 0, -2)), k + 3 - i, ""
		}
	case "this", "next", "last", "coming", "past":
		return relativeSpan(low, i, base)
	case "end":
		return endOf(low, i, base)
	}
	return moment{}, 0, ""
}

func relativeSpan(low func(int) string, i int, base time.Time) (moment, int, string) {
	step := map[string]int{"next": 1, "coming": 1, "last": -1, "past": -1}[low(i)]
	unit := low(i + 1)
	if p, ok := dayParts[unit]; ok && step <= 0 {
		return day(base.AddDate(0, 0, step)), 2, p
	}
	if w, ok := weekdaysEN[unit]; ok && low(i+2) != "of" {
		var m moment
		switch low(i) {
		case "next":
			m = weekdayOfWeek(base, 1, w) // of the next calendar week, as 下周五 is
		case "last", "past":
			m = lastWeekday(base, w)
		default:
			m = comingWeekday(base.AddDate(0, 0, -1), w) // "this Friday" on a Friday is today
		}
		p := ""
		n := 2
		if q, ok := dayParts[low(i+2)]; ok {
			p, n = q, 3
		}
		return m, n, p
	}
	if month, ok := monthsEN[unit]; ok && unit != "mar" && unit != "may" {
		return monthOf(base, 0, month, step < 0), 2, ""
	}
	switch unit {
	case "week":
		return moment{start: monday(base).AddDate(0, 0, 7*step), span: spanWeek}, 2, ""
	case "weekend":
		m := day(monday(base).AddDate(0, 0, 7*step+5))
		m.weekend = true
		return m, 2, ""
	case "month":
		return moment{start: time.Date(base.Year(), base.Month()+time.Month(step), 1, 0, 0, 0, 0, base.Location()), span: spanMonth}, 2, ""
	case "year":
		return moment{start: time.Date(base.Year()+step, 1, 1, 0, 0, 0, 0, base.Location()), span: spanYear}, 2, ""
	}
	return moment{}, 0, ""
}

// endOf reads "end of (the|this|next) week|month|year" as its last day.
func endOf(low func(int) string, i int, base time.Time) (moment, int, string) {
	if low(i+1) != "of" {
		return moment{}, 0, ""
	}
	k, step := i+2, 0
	switch low(k) {
	case "the", "this":
		k++
	case "next":
		k, step = k+1, 1
	}
	n := k + 1 - i
	switch low(k) {
	case "day":
		return day(base), n, ""
	case "week":
		return day(monday(base).AddDate(0, 0, 7*step+6)), n, ""
	case "month":
		return day(time.Date(base.Year(), base.Month()+time.Month(step)+1, 0, 0, 0, 0, 0, base.Location())), n, ""
	case "year":
		return day(time.Date(base.Year()+step, 12, 31, 0, 0, 0, 0, base.Location())), n, ""
	}
	return moment{}, 0, "" // "the end of October" stays, with the year of that October
}

// countedDate reads "in three days", "two weeks ago", "3 months from now".
func countedDate(low func(int) string, i int, base time.Time) (moment, int) {
	k := i
	if low(i) == "in" || low(i) == "within" {
		k++
	}
	n, ok := numbersEN[low(k)]
	if !ok {
		v, err := strconv.Atoi(low(k))
		if err != nil || v < 1 || v > 400 {
			return moment{}, 0
		}
		n = v
	}
	k++
	if low(k-1) == "a" && (low(k) == "couple" || low(k) == "few") {
		n = numbersEN[low(k)]
		k++
	}
	if low(k) == "of" {
		k++
	}
	unit := strings.TrimSuffix(low(k), "s")
	k++
	sign := 1
	switch {
	case low(k) == "ago":
		k, sign = k+1, -1
	case low(k) == "from" && low(k+1) == "now":
		k += 2
	case low(i) == "in" && (low(k) != "a" && low(k) != "row"):
	default:
		return moment{}, 0
	}
	n *= sign
	switch unit {
	case "day":
		return day(base.AddDate(0, 0, n)), k - i
	case "week", "weekend":
		m := day(base.AddDate(0, 0, 7*n))
		m.about = true
		return m, k - i
	case "month":
		return moment{start: time.Date(base.Year(), base.Month()+time.Month(n), 1, 0, 0, 0, 0, base.Location()), span: spanMonth}, k - i
	case "year":
		return moment{start: time.Date(base.Year()+n, 1, 1, 0, 0, 0, 0, base.Location()), span: spanYear}, k - i
	}
	return moment{}, 0
}

package extractive

import (
	"strconv"
	"strings"
	"time"
)

// namedDay reads dates that name a day: "March 3rd, 2027", "3 March", "the 10th", "Friday", "in June", "14.03.2026".
func namedDay(ws []word, low func(int) string, i int, base time.Time) (saidDate, int) {
	past := isPastContext(ws, i)
	k := i
	weekday, hasWeekday := weekdaysEN[low(i)]
	if hasWeekday {
		k++
		if low(k) == "the" {
			k++
		}
	}
	if m, n := monthAndDay(ws, low, k, base, past); n > 0 {
		return saidDate{m, true}, k + n - i
	}
	if hasWeekday {
		return plainWeekday(ws, low, i, base, weekday, past)
	}
	if m, n := monthAlone(ws, low, i, base, past); n > 0 {
		return saidDate{m, false}, n
	}
	if m, n := theNth(low, i, base, past); n > 0 {
		return saidDate{m, false}, n
	}
	if m, ok := numericDate(low(i), base, past); ok {
		return saidDate{m, true}, 1
	}
	return saidDate{}, 0
}

// dayRange reads "14-16" as two days of a month.
func dayRange(s string) (from, to int, ok bool) {
	a, b, found := strings.Cut(strings.ReplaceAll(s, "–", "-"), "-")
	if !found {
		return 0, 0, false
	}
	from, okFrom := ordinal(a)
	to, okTo := ordinal(b)
	return from, to, okFrom && okTo && from < to
}

// rangeOfDays reads "September 14-16" and "14-16 September": its first day, and the end as words.
func rangeOfDays(low func(int) string, i int, base time.Time, past bool) (moment, int, string) {
	month, ok := monthsEN[low(i)]
	days := low(i + 1)
	if !ok {
		days = low(i)
		month, ok = monthsEN[low(i+1)]
	}
	from, to, isRange := dayRange(days)
	if !ok || !isRange {
		return moment{}, 0, ""
	}
	m, ok := monthDay(base, 0, month, from, past)
	if !ok {
		return moment{}, 0, ""
	}
	return m, 2, "to " + m.start.AddDate(0, 0, to-from).Format(time.DateOnly)
}

func monthAndDay(ws []word, low func(int) string, i int, base time.Time, past bool) (moment, int) {
	var month time.Month
	var d, n int
	if m, ok := monthsEN[low(i)]; ok { // March 3rd
		if v, ok := ordinal(low(i + 1)); ok && !strings.HasSuffix(ws[i].text, ",") {
			month, d, n = m, v, 2
		}
	} else if v, ok := ordinal(low(i)); ok { // 3rd of March
		k := i + 1
		if low(k) == "of" {
			k++
		}
		if m, ok := monthsEN[low(k)]; ok && firstRune(ws[k].text) < 'a' {
			month, d, n = m, v, k+1-i
		}
	}
	if n == 0 {
		// "February 9 to 13": the end of a range takes the month of its beginning.
		if v, ok := ordinal(low(i)); ok && i >= 3 && (low(i-1) == "to" || low(i-1) == "until" || low(i-1) == "and" || low(i-1) == "through") {
			if m, ok := monthsEN[low(i-3)]; ok {
				if _, ok := ordinal(low(i - 2)); ok {
					month, d, n = m, v, 1
				}
			}
		}
	}
	if n == 0 {
		return moment{}, 0
	}
	year := 0
	if y, err := strconv.Atoi(low(i + n)); err == nil && y >= 1900 && y < 2200 {
		year, n = y, n+1
	}
	m, ok := monthDay(base, year, month, d, past)
	if !ok {
		return moment{}, 0
	}
	return m, n
}

func plainWeekday(ws []word, low func(int) string, i int, base time.Time, w time.Weekday, past bool) (saidDate, int) {
	short := len(low(i)) <= 5 && low(i) != "today"
	before := low(i - 1)
	switch {
	case before == "first" || before == "second" || before == "third" || before == "fourth" || before == "black" || before == "good" ||
		before == "cyber" || before == "ash" || before == "easter" || before == "palm":
		return saidDate{}, 0
	case before == "every" || before == "each" || before == "most" || before == "a" || before == "any":
		return saidDate{}, 0
	case low(i+1) == "mornings" || low(i+1) == "afternoons" || low(i+1) == "evenings" || low(i+1) == "nights":
		return saidDate{}, 0
	case isRange(low, i):
		return saidDate{}, 0 // "Monday to Friday" is a working week
	case short && firstRune(ws[i].text) >= 'a':
		return saidDate{}, 0 // "sat", "sun" and "wed" are words too
	case short && (low(i) == "sun" || low(i) == "sat" || low(i) == "wed") && !datePrepositions[before]:
		return saidDate{}, 0
	}
	if next := low(i + 1); next != "" && !ws[i].endsClause() && firstRune(ws[i+1].text) >= 'a' && firstRune(ws[i+1].text) <= 'z' &&
		dayParts[next] == "" && !prepositions[next] && !coordinators[next] && !auxiliaries[next] && !isClosedClass[next] &&
		!subordinators[next] && !droppedAdverbs[next] && !datePrepositions[next] {
		return saidDate{}, 0 // "Friday demos"
	}
	if past && before != "by" && before != "until" {
		return saidDate{lastWeekday(base, w), false}, 1
	}
	return saidDate{comingWeekday(base, w), false}, 1
}

func isRange(low func(int) string, i int) bool {
	isDay := func(k int) bool { _, ok := weekdaysEN[low(k)]; return ok }
	return (low(i+1) == "to" || low(i+1) == "through" || low(i+1) == "-" || low(i+1) == "and" || low(i+1) == "or") && isDay(i+2) ||
		(low(i-1) == "to" || low(i-1) == "through" || low(i-1) == "-" || low(i-1) == "and" || low(i-1) == "or") && isDay(i-2)
}

// monthAlone reads a month after a preposition: "in March", "by June 2027".
func monthAlone(ws []word, low func(int) string, i int, base time.Time, past bool) (moment, int) {
	month, ok := monthsEN[low(i)]
	if !ok || firstRune(ws[i].text) >= 'a' {
		return moment{}, 0
	}
	switch low(i - 1) {
	case "of":
		if before := low(i - 2); before != "end" && before != "beginning" && before != "middle" && before != "start" && before != "summer" {
			return moment{}, 0
		}
	case "in", "by", "since", "until", "till", "before", "during", "around", "early", "late", "mid", "for":
	default:
		return moment{}, 0
	}
	if y, err := strconv.Atoi(low(i + 1)); err == nil && y >= 1900 && y < 2200 {
		return monthOf(base, y, month, past), 2
	}
	if low(i+2) == "year" { // "in September next year"
		if step, ok := map[string]int{"next": 1, "this": 0, "last": -1}[low(i+1)]; ok {
			return monthOf(base, base.Year()+step, month, past), 3
		}
	}
	return monthOf(base, 0, month, past || low(i-1) == "since"), 1
}

// theNth reads "the 10th" where a preposition makes it a date.
func theNth(low func(int) string, i int, base time.Time, past bool) (moment, int) {
	if low(i) != "the" || !(low(i-1) == "by" || low(i-1) == "on" || low(i-1) == "before" || low(i-1) == "until" || low(i-1) == "from" ||
		low(i-1) == "to" || low(i-1) == "for") {
		return moment{}, 0
	}
	d, ok := ordinal(low(i + 1))
	if !ok || isDigits(low(i+1)) {
		return moment{}, 0
	}
	if next := low(i + 2); next != "" && !prepositions[next] && !coordinators[next] && next != "because" && next != "if" && next != "when" &&
		next != "i" && next != "we" {
		return moment{}, 0 // "on the 5th floor"
	}
	m, ok := dayOfMonth(base, d, past)
	if !ok {
		return moment{}, 0
	}
	return m, 2
}

// numericDate reads 2026-03-14, 14.03.2026, 14.3. and 3/14 where only one reading is possible.
func numericDate(s string, base time.Time, past bool) (moment, bool) {
	if t, err := time.ParseInLocation(time.DateOnly, s, base.Location()); err == nil {
		return day(t), true
	}
	sep := "."
	if strings.Contains(s, "/") {
		sep = "/"
	}
	parts := strings.Split(s, sep)
	if len(parts) < 2 || len(parts) > 3 {
		return moment{}, false
	}
	var n [3]int
	for k, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 1 {
			return moment{}, false
		}
		n[k] = v
	}
	if len(parts) == 3 && n[0] > 1900 { // 2026/3/14
		return monthDay(base, n[0], time.Month(n[1]), n[2], past)
	}
	if len(parts) == 3 && n[2] < 100 {
		n[2] += 2000
	}
	if len(parts) == 2 && sep == "." {
		return moment{}, false // 14.3 is as often a version as a date
	}
	d, month := n[0], n[1]
	if sep == "/" {
		switch {
		case n[1] > 12 && n[0] <= 12:
			d, month = n[1], n[0]
		case n[0] <= 12 && n[0] != n[1]:
			return moment{}, false // 3/4 is March 4 to some and 3 April to others
		}
	}
	if month > 12 {
		return moment{}, false
	}
	return monthDay(base, n[2], time.Month(month), d, past)
}

// ordinal reads 3, 3rd, third as the day of a month.
func ordinal(s string) (int, bool) {
	if len(s) == 0 || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	digits := strings.TrimRight(s, "stndrh")
	if len(s)-len(digits) != 0 && len(s)-len(digits) != 2 {
		return 0, false
	}
	v, err := strconv.Atoi(digits)
	return v, err == nil && v >= 1 && v <= 31
}

var (
	futureWords = set(`will is are am be need have must by due planned scheduled until till before next going plan planning expected should
		want starting`)
	intending     = set(`decided agreed planned chose promised scheduled arranged hoped wanted`)
	pastWords     = set(`was were did had ago since`)
	rescheduled   = set(`moved pushed postponed rescheduled changed shifted delayed extended`)
	futureTailCut = 10 // words before a date in which its tense is looked for
)

// isPastContext reports, from the nearest verb before word i, whether a date without a year is in the past.
func isPastContext(ws []word, i int) bool {
	for k := i - 1; k >= 0 && k >= i-futureTailCut; k-- {
		w := ws[k].low
		if strings.HasSuffix(ws[k].text, ":") {
			return false
		}
		switch {
		case w == "promised" || w == "scheduled":
			return false
		case rescheduled[w] && hasEvent(ws[:k]):
			return false
		case rescheduled[w] && k+2 == i && ws[k+1].low == "to", rescheduled[w] && k+3 >= i && hasLow(ws[k:i], "to"):
			return k > 0 && (ws[k-1].low == "i" || ws[k-1].low == "we")
		case intending[w] && hasLow(ws[k:i], "to"):
			return false
		case futureWords[w] && !(w == "have" && k+1 < len(ws) && isPastForm(ws[k+1].low)):
			return false
		case verbForms[w].form == formThird && k > 0:
			return false
		case pastWords[w]:
			return true
		case isPastForm(w):
			if k > 0 && (ws[k-1].low == "getting" || ws[k-1].low == "get" || ws[k-1].low == "be" || ws[k-1].low == "is" || ws[k-1].low == "are" ||
				ws[k-1].low == "being") {
				continue // "is getting married in October"
			}
			return true
		}
	}
	return false
}

func hasEvent(ws []word) bool {
	for _, w := range ws {
		if eventNouns[w.low] {
			return true
		}
	}
	return false
}

func hasLow(ws []word, low string) bool {
	for _, w := range ws {
		if w.low == low {
			return true
		}
	}
	return false
}

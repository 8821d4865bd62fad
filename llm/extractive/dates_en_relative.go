package extractive

import (
	"strconv"
	"strings"
	"time"
)

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

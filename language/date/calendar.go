package date

import (
	"time"
)

// dated reads a date with a month's name or in numbers.
func (r *periodReader) dated(i int) (stretch, int) {
	for _, read := range []func(int) (stretch, int){r.season, r.eastAsian, r.numeric, r.vietnamese, r.dayMonth, r.monthDay, r.monthYear} {
		if p, n := read(i); n > 0 {
			return p, n
		}
	}
	return stretch{}, 0
}

// season reads "summer of 2023" as that year: where a season lies depends on the place.
func (r *periodReader) season(i int) (stretch, int) {
	if !isWord(r.text(i), seasons) {
		return stretch{}, 0
	}
	if year, n := r.yearAfter(i + 1); n > 0 {
		return r.year(year), 1 + n
	}
	return stretch{}, 0
}

// text is lexeme i, or "".
func (r *periodReader) text(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].text
}

// number is lexeme i as a number, or -1.
func (r *periodReader) number(i int) int {
	if i < 0 || i >= len(r.words) {
		return -1
	}
	return r.words[i].number
}

// numeric reads 2023-05-08, 2023/5/8, 2023-05 and 8.5.2023. Where day and month may be exchanged, as in 5/8/2023, it reads
// nothing.
func (r *periodReader) numeric(i int) (stretch, int) {
	sign := r.text(i + 1)
	if r.number(i) < 0 || r.number(i+2) < 0 || !isSign(sign) || !r.words[i+1].glued || !r.words[i+2].glued && sign != "." {
		return stretch{}, 0
	}
	if i > 0 && r.words[i].glued && isSign(r.text(i-1)) {
		return stretch{}, 0
	}
	first, second := r.number(i), r.number(i+2)
	third := -1
	if r.text(i+3) == sign && r.number(i+4) >= 0 {
		third = r.number(i + 4)
	}
	goesOn := func(n int) bool {
		return i+n+1 < len(r.words) && r.words[i+n].glued && isSign(r.text(i+n)) && r.words[i+n+1].glued
	}
	switch {
	case isYear(r.words[i]) && third >= 0 && (sign == "-" || sign == "/" || sign == ".") && 1 <= second && second <= 12 && !goesOn(5):
		if p, ok := r.onDay(first, time.Month(second), third); ok {
			return p, 5
		}
	case isYear(r.words[i]) && sign == "-" && len(r.text(i+2)) == 2 && 1 <= second && second <= 12 && !goesOn(3):
		return r.month(first, time.Month(second)), 3
	case third >= 0 && isYear(r.words[i+4]) && !goesOn(5):
		day, month := first, second
		if sign == "/" || sign == "-" {
			switch {
			case first > 12:
			case second > 12:
				day, month = second, first
			default:
				return stretch{}, 0
			}
		}
		if sign != ":" && sign != "," && 1 <= month && month <= 12 {
			if p, ok := r.onDay(third, time.Month(month), day); ok {
				return p, 5
			}
		}
	}
	return stretch{}, 0
}

// eastAsian reads 2023年5月8日, 2023年5月, 5月8日, 2023年, 5月 and the same in Korean.
func (r *periodReader) eastAsian(i int) (stretch, int) {
	j := i
	year, month, day := -1, -1, -1
	take := func(signs ...string) int {
		n := r.number(j)
		if n < 0 || !isWord(firstOf(r.text(j+1)), signs) {
			return -1
		}
		if next := r.text(j + 2); isWord(next, agoWords) || next == "间" || next == "間" {
			return -1 // an amount
		}
		j += 2
		return n
	}
	if l := r.number(i); l >= 1900 && l <= 2100 {
		year = take("年", "년")
	}
	if n := r.number(j); n >= 1 && n <= 12 {
		month = take("月", "월")
	}
	if month > 0 {
		if n := r.number(j); n >= 1 && n <= 31 {
			day = take(daySigns...)
		}
	}
	switch {
	case day > 0 && year > 0:
		if p, ok := r.onDay(year, time.Month(month), day); ok {
			return p, j - i
		}
	case day > 0:
		if p, ok := r.latestDay(time.Month(month), day); ok {
			return p, j - i
		}
	case month > 0 && year > 0:
		return r.month(year, time.Month(month)), j - i
	case month > 0:
		return r.latestMonth(time.Month(month)), j - i
	case year > 0:
		return r.year(year), j - i
	}
	return stretch{}, 0
}

// firstOf is the first character of a lexeme: in Korean a particle may follow.
func firstOf(text string) string {
	for i := range text {
		if i > 0 {
			return text[:i]
		}
	}
	return text
}

// vietnamese reads "ngày 8 tháng 5 năm 2023", "tháng 5 năm 2023", "tháng 5" and "năm 2022".
func (r *periodReader) vietnamese(i int) (stretch, int) {
	j, day := i, -1
	if r.text(j) == "ngày" && r.number(j+1) > 0 && r.text(j+2) == "tháng" {
		day = r.number(j + 1)
		j += 2
	}
	month := r.number(j + 1)
	switch {
	case r.text(j) == "tháng" && 1 <= month && month <= 12:
		j += 2
		year := -1
		if r.text(j) == "năm" && j+1 < len(r.words) && isYear(r.words[j+1]) {
			year = r.number(j + 1)
			j += 2
		}
		return r.calendar(year, time.Month(month), day, j-i)
	case r.text(i) == "năm" && i+1 < len(r.words) && isYear(r.words[i+1]):
		return r.year(r.number(i + 1)), 2
	}
	return stretch{}, 0
}

// calendar is a day or month, in a year or in the latest that has it; -1 stands for what is not said. n is passed on.
func (r *periodReader) calendar(year int, month time.Month, day, n int) (stretch, int) {
	var p stretch
	ok := true
	switch {
	case day >= 0 && year >= 0:
		p, ok = r.onDay(year, month, day)
	case day >= 0:
		p, ok = r.latestDay(month, day)
	case year >= 0:
		p = r.month(year, month)
	default:
		p = r.latestMonth(month)
	}
	if !ok {
		return stretch{}, 0
	}
	return p, n
}

// monthAt is the month that lexeme i names; short names count too.
func (r *periodReader) monthAt(i int) (time.Month, bool) {
	if month, ok := months[r.text(i)]; ok {
		return month, true
	}
	month, ok := shortMonths[r.text(i)]
	return month, ok
}

// ordinal is how many lexemes after a day belong to it: "8th", "8.", "8th of", "8 de".
func (r *periodReader) ordinal(i int) (n int, certain bool) {
	if i < len(r.words) && (isWord(r.text(i), ordinals) && r.words[i].glued || r.text(i) == ".") {
		n, certain = 1, r.text(i) != "."
	}
	if of := r.text(i + n); of == "of" || of == "de" || of == "di" {
		n, certain = n+1, true
	}
	return n, certain
}

// yearAfter reads a year after a month, with what may stand between: "May, 2023", "May of 2023", "mayo de 2023".
func (r *periodReader) yearAfter(i int) (year, n int) {
	j := i
	if text := r.text(j); text == "," || text == "of" || text == "de" || text == "del" || text == "." {
		j++
	}
	if j < len(r.words) && isYear(r.words[j]) && (j+1 >= len(r.words) || !r.words[j+1].glued || !isSign(r.text(j+1)) ||
		j+2 >= len(r.words) || !r.words[j+2].glued) {
		return r.number(j), j - i + 1
	}
	if fixed, n := r.fixed(j); n > 0 && fixed.unit == oneYear { // May last year
		return r.now.Year() + fixed.offset, j - i + n
	}
	return -1, 0
}

// dayMonth reads "8 May 2023", "the 8th of May", "8. Mai", "8 de mayo de 2023".
func (r *periodReader) dayMonth(i int) (stretch, int) {
	day := r.number(i)
	if day < 1 || day > 31 || len(r.text(i)) > 2 || i > 0 && r.words[i].glued {
		return stretch{}, 0
	}
	n, certain := r.ordinal(i + 1)
	j := i + 1 + n
	month, ok := r.monthAt(j)
	if !ok {
		return stretch{}, 0
	}
	year, m := r.yearAfter(j + 1)
	if m == 0 && !certain && isWord(r.text(j), verbMonths) && !r.isCapital(j) && !isWord(r.text(i-1), dayWords) {
		return stretch{}, 0
	}
	return r.calendar(year, month, day, j+1+m-i)
}

// monthDay reads "May 8th, 2023", "May 8" and "May 8-10, 2023".
func (r *periodReader) monthDay(i int) (stretch, int) {
	month, ok := r.monthAt(i)
	day := r.number(i + 1)
	if !ok || day < 1 || day > 31 || len(r.text(i+1)) > 2 {
		return stretch{}, 0
	}
	n, certain := r.ordinal(i + 2)
	if r.text(i+2) == "." || n > 0 && !isWord(r.text(i+2), ordinals) {
		n, certain = 0, false
	}
	j := i + 2 + n
	last := day
	if r.text(j) == "-" || r.text(j) == "–" {
		if to := r.number(j + 1); to > day && to <= 31 {
			last = to
			j += 2
		}
	}
	year, m := r.yearAfter(j)
	if m == 0 && !certain && isWord(r.text(i), verbMonths) && !isWord(r.text(i-1), dayWords) &&
		(!r.isCapital(i) || i == 0 || j < len(r.words) && !isSign(r.text(j)) && r.text(j) != "?") {
		return stretch{}, 0
	}
	if next := r.text(j); next == ":" || next == "%" { // a time of day, a share
		return stretch{}, 0
	}
	from, taken := r.calendar(year, month, day, j+m-i)
	if taken == 0 || last == day {
		return from, taken
	}
	to, ok := r.onDay(from.from.Year(), month, last)
	if !ok {
		return stretch{}, 0
	}
	return stretch{from.from, to.to}, taken
}

// monthYear reads "May 2023".
func (r *periodReader) monthYear(i int) (stretch, int) {
	month, ok := r.monthAt(i)
	if !ok {
		return stretch{}, 0
	}
	year, n := r.yearAfter(i + 1)
	if n == 0 {
		return stretch{}, 0
	}
	return r.month(year, month), 1 + n
}

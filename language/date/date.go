// Package date finds the days, months and years that a question names, and completes those of a statement.
package date

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/fold"
	"reverie/language/script"
)

// Period is a range of time that the question names: "in May 2023", "last week", "上周".
type Period struct {
	Text     string // as it was written
	From, To time.Time
}

// maxDated is the number of bytes of a question that are searched for dates.
const maxDated = 4096

// Periods returns the periods that a question names, in order and without overlap: days, months and years, with or
// without a year number ("in May" is the latest May that has begun), and expressions relative to now ("last week", "3
// days ago", "上周"). Weeks begin on Monday. All times are in now's location.
//
// in holds the languages that the question may be in. Ambiguous expressions are ignored: "may" and "march" without a
// date, 5/8/2023, a bare number, seasons.
func Periods(text string, in language.Set, now time.Time) []Period {
	if len(text) > maxDated {
		text = text[:maxDated]
	}
	folded := fold.Fold(text)
	r := periodReader{
		source: text, folded: folded, words: withoutAbbreviations(lex(folded.Text)), in: in, now: now, months: months, tense: inPast,
	}
	var found []Period
	for i := 0; i < len(r.words); {
		p, n := r.at(i)
		if n == 0 {
			i++
			continue
		}
		start, end := folded.Origin(r.words[i].start, r.words[i+n-1].end)
		found = append(found, Period{Text: text[start:end], From: p.from, To: p.to})
		i += n
	}
	return found
}

// stretch is a half-open range of time.
type stretch struct{ from, to time.Time }

// lexeme is a word, a number or a sign of a question. In scripts without spaces, each character is one.
type lexeme struct {
	text       string
	start, end int // bytes of the folded question
	number     int // -1: none
	glued      bool
}

// lex splits a folded text into lexemes. A lexeme that follows another without a space is glued.
func lex(text string) []lexeme {
	found := make([]lexeme, 0, len(text)/4+1)
	kind := func(r rune) int {
		switch s := script.Of(r); {
		case r >= '0' && r <= '9':
			return 1
		case s == script.Spaced || s == script.Mark, s == script.Hangul:
			return 2
		case unicode.IsSpace(r):
			return 0
		}
		return 3
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		k := kind(r)
		end := i + size
		if k == 1 || k == 2 {
			for end < len(text) {
				next, n := utf8.DecodeRuneInString(text[end:])
				if kind(next) != k {
					break
				}
				end += n
			}
		}
		if k != 0 {
			l := lexeme{text: text[i:end], start: i, end: end, number: -1}
			l.glued = len(found) > 0 && found[len(found)-1].end == i
			if k == 1 && len(l.text) <= 4 {
				l.number = 0
				for _, digit := range l.text {
					l.number = 10*l.number + int(digit-'0')
				}
			}
			found = append(found, l)
		}
		i = end
	}
	return found
}

// withoutAbbreviations removes the points of abbreviations such as "Sept. 5".
func withoutAbbreviations(words []lexeme) []lexeme {
	kept := words[:0]
	for i, l := range words {
		if l.text == "." && l.glued && i+1 < len(words) && words[i+1].number >= 0 {
			if _, ok := shortMonths[words[i-1].text]; ok {
				continue
			}
		}
		kept = append(kept, l)
	}
	return kept
}

// periodReader finds the periods in a question.
type periodReader struct {
	source string
	folded fold.Folded
	words  []lexeme
	in     language.Set
	now    time.Time
	months map[string]time.Month
	// tense decides the year of dates without one, at the lexeme position.
	tense    func() tense
	position int
	// given is the year of dates without one, if positive.
	given int
}

// inPast is the tense of questions.
func inPast() tense { return pastTense }

// at reads the period that begins at lexeme i and returns the number of lexemes it takes; 0 if none begins there.
func (r *periodReader) at(i int) (stretch, int) {
	if p, n := r.between(i); n > 0 {
		return p, n
	}
	if p, n := r.since(i); n > 0 {
		return p, n
	}
	if isWord(r.words[i].text, boundaryWords) { // an open boundary: skip the date after it
		if _, n := r.point(i + 1); n > 0 {
			return stretch{}, 0
		}
	}
	if r.follows(i, boundaryWords) {
		return stretch{}, 0
	}
	if p, n := r.relative(i); n > 0 {
		return p, n
	}
	if p, n := r.dated(i); n > 0 {
		return p, n
	}
	if isWord(r.words[i].text, inWords) {
		if p, n := r.calendarPoint(i + 1); n > 0 {
			return p, n + 1
		}
	}
	return stretch{}, 0
}

// follows reports whether the word before lexeme i, ignoring articles, is in the list.
func (r *periodReader) follows(i int, list []string) bool {
	for i--; i >= 0 && isWord(r.words[i].text, fillWords); i-- {
	}
	return i >= 0 && isWord(r.words[i].text, list)
}

// between reads "between May and June 2023" and "from 2020 to 2022". Parts missing in the first date are taken from the
// second.
func (r *periodReader) between(i int) (stretch, int) {
	if !isWord(r.words[i].text, betweenWords) {
		return stretch{}, 0
	}
	first, n := r.point(i + 1)
	if n == 0 {
		return stretch{}, 0
	}
	j := i + 1 + n
	if j >= len(r.words) || !isWord(r.words[j].text, andWords) {
		return stretch{}, 0
	}
	second, m := r.point(j + 1)
	if m == 0 {
		return stretch{}, 0
	}
	if !r.hasYear(i+1, n) && r.hasYear(j+1, m) {
		for first.from.After(second.from) || first.from.Year() > second.from.Year() {
			first.from = first.from.AddDate(-1, 0, 0)
		}
		for first.from.AddDate(1, 0, 0).Before(second.to) {
			first.from = first.from.AddDate(1, 0, 0)
		}
	} else if first.from.After(second.from) {
		first.from = first.from.AddDate(-1, 0, 0)
	}
	if !first.from.Before(second.to) {
		return stretch{}, 0
	}
	return stretch{first.from, second.to}, j + 1 + m - i
}

// hasYear reports whether there is a year among n lexemes from i.
func (r *periodReader) hasYear(i, n int) bool {
	return slices.ContainsFunc(r.words[i:i+n], isYear)
}

// since reads "since May 2023" and "after May 2023", which last until now.
func (r *periodReader) since(i int) (stretch, int) {
	after := isWord(r.words[i].text, afterWords)
	if !after && !isWord(r.words[i].text, sinceWords) {
		return stretch{}, 0
	}
	p, n := r.point(i + 1)
	if n == 0 {
		return stretch{}, 0
	}
	if after {
		p.from = p.to
	}
	if !p.from.Before(r.now) {
		return stretch{}, 0
	}
	return stretch{p.from, r.day(0).to}, n + 1
}

// point reads one date, month, year or relative day after a word that announces a time.
func (r *periodReader) point(i int) (stretch, int) {
	filled := r.filled(i)
	if filled < len(r.words) {
		if p, n := r.relative(filled); n > 0 {
			return p, filled - i + n
		}
	}
	return r.calendarPoint(i)
}

// calendarPoint reads one date, month or year after a word that announces a time.
func (r *periodReader) calendarPoint(i int) (stretch, int) {
	filled := r.filled(i)
	if p, n := r.dated(filled); n > 0 {
		return p, filled - i + n
	}
	if p, n := r.loose(filled); n > 0 {
		return p, filled - i + n
	}
	return stretch{}, 0
}

// filled returns the first lexeme from i that is not an article or similar.
func (r *periodReader) filled(i int) int {
	for i < len(r.words) && isWord(r.words[i].text, fillWords) {
		i++
	}
	return i
}

// loose reads a month or year without a day.
func (r *periodReader) loose(i int) (stretch, int) {
	if i >= len(r.words) {
		return stretch{}, 0
	}
	l := r.words[i]
	if isYear(l) {
		if i+1 < len(r.words) && r.words[i+1].text == "s" && r.words[i+1].glued && l.number%10 == 0 { // the 1990s
			return stretch{r.date(l.number, 1, 1), r.date(l.number+10, 1, 1)}, 2
		}
		if i+1 < len(r.words) && r.words[i+1].glued && (isSign(r.words[i+1].text) && i+2 < len(r.words) && r.words[i+2].glued ||
			r.words[i+1].text == "%") {
			return stretch{}, 0 // part of a longer number
		}
		return r.year(l.number), 1
	}
	if month, ok := r.months[l.text]; ok {
		if i+1 < len(r.words) && r.words[i+1].glued && r.words[i+1].text == "'" {
			return stretch{}, 0
		}
		return r.nearestMonth(month), 1
	}
	return stretch{}, 0
}

func isSign(text string) bool {
	return text == "-" || text == "." || text == "/" || text == "," || text == ":"
}

// isYear reports whether a bare number can be a year.
func isYear(l lexeme) bool { return len(l.text) == 4 && 1900 <= l.number && l.number <= 2100 }

func isWord(text string, list []string) bool { return slices.Contains(list, text) }

func (r *periodReader) date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, r.now.Location())
}

func (r *periodReader) year(year int) stretch {
	return stretch{r.date(year, 1, 1), r.date(year+1, 1, 1)}
}

func (r *periodReader) month(year int, month time.Month) stretch {
	return stretch{r.date(year, month, 1), r.date(year, month+1, 1)}
}

// day returns the day at an offset in days from today.
func (r *periodReader) day(offset int) stretch {
	year, month, day := r.now.Date()
	return stretch{r.date(year, month, day+offset), r.date(year, month, day+offset+1)}
}

// nearestMonth returns the latest month of that name that has begun; outside the past, the first that has not ended.
func (r *periodReader) nearestMonth(month time.Month) stretch {
	p := r.month(r.now.Year(), month)
	if r.given > 0 {
		return r.month(r.given, month)
	}
	switch past := r.tense() == pastTense; {
	case past && p.from.After(r.now):
		return r.month(r.now.Year()-1, month)
	case !past && !p.to.After(r.now):
		return r.month(r.now.Year()+1, month)
	}
	return p
}

// onDay returns a calendar day; false if it does not exist.
func (r *periodReader) onDay(year int, month time.Month, day int) (stretch, bool) {
	from := r.date(year, month, day)
	if day < 1 || from.Day() != day || from.Month() != month {
		return stretch{}, false
	}
	return stretch{from, r.date(year, month, day+1)}, true
}

// nearestDay returns the latest such day that has begun; outside the past, the first that has not ended. For February 29
// it is in a leap year.
func (r *periodReader) nearestDay(month time.Month, day int) (stretch, bool) {
	if r.given > 0 {
		return r.onDay(r.given, month, day)
	}
	past, step := r.tense() == pastTense, 1
	if past {
		step = -1
	}
	for years := range 9 {
		p, ok := r.onDay(r.now.Year()+step*years, month, day)
		if ok && (past && !p.from.After(r.now) || !past && p.to.After(r.now)) {
			return p, true
		}
	}
	return stretch{}, false
}

// isCapital reports whether lexeme i begins with a capital letter.
func (r *periodReader) isCapital(i int) bool {
	start, _ := r.folded.Origin(r.words[i].start, r.words[i].end)
	first, _ := utf8.DecodeRuneInString(r.source[start:])
	return unicode.IsUpper(first)
}

// fields splits a list of words.
func fields(list string) []string { return strings.Fields(list) }

// dated reads a date with a month's name or in numbers.
func (r *periodReader) dated(i int) (stretch, int) {
	for _, read := range []func(int) (stretch, int){r.season, r.eastAsian, r.numeric, r.vietnamese, r.dayMonth, r.monthDay, r.monthYear} {
		if p, n := read(i); n > 0 {
			return p, n
		}
	}
	return stretch{}, 0
}

// season reads "summer of 2023" as that year: the dates of a season depend on the place.
func (r *periodReader) season(i int) (stretch, int) {
	if !isWord(r.text(i), seasons) {
		return stretch{}, 0
	}
	if year, n := r.yearAfter(i + 1); n > 0 {
		return r.year(year), 1 + n
	}
	return stretch{}, 0
}

// text returns lexeme i, or "" if out of range.
func (r *periodReader) text(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].text
}

// number returns lexeme i as a number, or -1.
func (r *periodReader) number(i int) int {
	if i < 0 || i >= len(r.words) {
		return -1
	}
	return r.words[i].number
}

// numeric reads 2023-05-08, 2023/5/8, 2023-05 and 8.5.2023. It reads nothing if day and month are ambiguous, as in
// 5/8/2023.
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

// eras maps the eras by which Japan counts years since 1868, and Taiwan since 1912, to the year before their first one.
var eras = map[string]int{"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民国": 1911, "民國": 1911}

// lastOfEra bounds the years of an era.
const lastOfEra = 150

// EraYear returns the year that is number n of the era with whose name a text ends, such as 1985 for "昭和" and 60; false without an era.
func EraYear(before string, n int) (year int, ok bool) {
	for era, last := range eras {
		if strings.HasSuffix(before, era) && n >= 1 && n <= lastOfEra {
			return last + n, true
		}
	}
	return 0, false
}

// eastAsian reads 2023年5月8日, 2023年5月, 5月8日, 2023年, 5月 and the same in Korean, and years of eras: 令和5年5月8日, 平成元年.
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
	} else if n := r.ofEra(i + 2); n > 0 && firstOf(r.text(i+3)) == "年" {
		if of, is := EraYear(r.text(i)+r.text(i+1), n); is {
			year, j = of, i+4
		}
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
		if p, ok := r.nearestDay(time.Month(month), day); ok {
			return p, j - i
		}
	case month > 0 && year > 0:
		return r.month(year, time.Month(month)), j - i
	case month > 0:
		return r.nearestMonth(time.Month(month)), j - i
	case year > 0:
		return r.year(year), j - i
	}
	return stretch{}, 0
}

// ofEra returns the number of a year of an era, whose first one is called 元; -1: none.
func (r *periodReader) ofEra(i int) int {
	if r.text(i) == "元" {
		return 1
	}
	return r.number(i)
}

// firstOf returns the first character of a lexeme: in Korean a particle may follow.
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

// calendar returns a day or month, in a year or in the latest one that has it; -1 means not given. n is passed through.
func (r *periodReader) calendar(year int, month time.Month, day, n int) (stretch, int) {
	var p stretch
	ok := true
	switch {
	case day >= 0 && year >= 0:
		p, ok = r.onDay(year, month, day)
	case day >= 0:
		p, ok = r.nearestDay(month, day)
	case year >= 0:
		p = r.month(year, month)
	default:
		p = r.nearestMonth(month)
	}
	if !ok {
		return stretch{}, 0
	}
	return p, n
}

// monthAt returns the month that lexeme i names, including short names.
func (r *periodReader) monthAt(i int) (time.Month, bool) {
	if month, ok := r.months[r.text(i)]; ok {
		return month, true
	}
	month, ok := shortMonths[r.text(i)]
	return month, ok
}

// ordinal returns the number of lexemes after a day that belong to it: "8th", "8.", "8th of", "8 de".
func (r *periodReader) ordinal(i int) (n int, certain bool) {
	if i < len(r.words) && (isWord(r.text(i), ordinals) && r.words[i].glued || r.text(i) == ".") {
		n, certain = 1, r.text(i) != "."
	}
	if of := r.text(i + n); of == "of" || of == "de" || of == "di" {
		n, certain = n+1, true
	}
	return n, certain
}

// yearAfter reads a year after a month, including words between them: "May, 2023", "May of 2023", "mayo de 2023".
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
	if next := r.text(j); next == ":" || next == "%" { // a time of day or a percentage
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

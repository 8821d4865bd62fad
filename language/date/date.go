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

// Period is a stretch of time that the question names: "in May 2023", "last week", "上周".
type Period struct {
	Text     string // as it was written
	From, To time.Time
}

// maxDated bounds how much of a question is read for dates, in bytes.
const maxDated = 4096

// Periods are the stretches of time that a question names, in order and without overlap: days, months and years,
// with or without numbers for the year ("in May" is the latest that has begun), and what is relative to now ("last
// week", "3 days ago", "上周"). Weeks begin on Monday. All are in now's location.
//
// in are the languages that the question may be in. What may as well be something else names none: "may" and "march" without a date, 5/8/2023, a bare number, seasons.
func Periods(text string, in language.Set, now time.Time) []Period {
	if len(text) > maxDated {
		text = text[:maxDated]
	}
	folded := fold.Fold(text)
	r := periodReader{source: text, folded: folded, words: withoutAbbreviations(lex(folded.Text)), in: in, now: now}
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

// stretch is a stretch of time, half-open.
type stretch struct{ from, to time.Time }

// lexeme is a word, a number or a sign of a question. Of scripts without spaces, each character is one.
type lexeme struct {
	text       string
	start, end int // bytes of the folded question
	number     int // -1: none
	glued      bool
}

// lex cuts a folded text into lexemes. Those that follow the one before without a space are glued.
func lex(text string) []lexeme {
	var found []lexeme
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

// withoutAbbreviations leaves out the points of "Sept. 5".
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

// periodReader reads periods out of a question.
type periodReader struct {
	source string
	folded fold.Folded
	words  []lexeme
	in     language.Set
	now    time.Time
}

// at reads the period that begins at lexeme i and tells how many lexemes it takes; 0 when none begins there.
func (r *periodReader) at(i int) (stretch, int) {
	if p, n := r.between(i); n > 0 {
		return p, n
	}
	if p, n := r.since(i); n > 0 {
		return p, n
	}
	if isWord(r.words[i].text, boundaryWords) { // a limit, and nothing that it excludes
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

// follows reports whether the word before lexeme i, articles aside, is in the list.
func (r *periodReader) follows(i int, list []string) bool {
	for i--; i >= 0 && isWord(r.words[i].text, fillWords); i-- {
	}
	return i >= 0 && isWord(r.words[i].text, list)
}

// between reads "between May and June 2023" and "from 2020 to 2022". What the first lacks it has from the second.
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

// hasYear reports whether a year is among n lexemes from i.
func (r *periodReader) hasYear(i, n int) bool {
	return slices.ContainsFunc(r.words[i:i+n], isYear)
}

// since reads "since May 2023" and "after May 2023": until now.
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

// point reads one date, month, year or relative day, where the word before it says that a time follows.
func (r *periodReader) point(i int) (stretch, int) {
	filled := r.filled(i)
	if filled < len(r.words) {
		if p, n := r.relative(filled); n > 0 {
			return p, filled - i + n
		}
	}
	return r.calendarPoint(i)
}

// calendarPoint reads one date, month or year, where the word before it says that a time follows.
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

// filled is the first lexeme from i that is not an article or the like.
func (r *periodReader) filled(i int) int {
	for i < len(r.words) && isWord(r.words[i].text, fillWords) {
		i++
	}
	return i
}

// loose reads a month or year that stands alone.
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
	if month, ok := months[l.text]; ok {
		if i+1 < len(r.words) && r.words[i+1].glued && r.words[i+1].text == "'" {
			return stretch{}, 0
		}
		return r.latestMonth(month), 1
	}
	return stretch{}, 0
}

func isSign(text string) bool {
	return text == "-" || text == "." || text == "/" || text == "," || text == ":"
}

// isYear reports whether a number can be a year without saying so.
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

// day is the day that is so many away from today.
func (r *periodReader) day(offset int) stretch {
	year, month, day := r.now.Date()
	return stretch{r.date(year, month, day+offset), r.date(year, month, day+offset+1)}
}

// latestMonth is the latest such month that has begun.
func (r *periodReader) latestMonth(month time.Month) stretch {
	p := r.month(r.now.Year(), month)
	if p.from.After(r.now) {
		return r.month(r.now.Year()-1, month)
	}
	return p
}

// onDay is a day of the calendar; false when there is none such.
func (r *periodReader) onDay(year int, month time.Month, day int) (stretch, bool) {
	from := r.date(year, month, day)
	if day < 1 || from.Day() != day || from.Month() != month {
		return stretch{}, false
	}
	return stretch{from, r.date(year, month, day+1)}, true
}

// latestDay is the latest such day that has begun; of February 29, in the latest year that has one.
func (r *periodReader) latestDay(month time.Month, day int) (stretch, bool) {
	for year := r.now.Year(); year > r.now.Year()-9; year-- {
		if p, ok := r.onDay(year, month, day); ok && !p.from.After(r.now) {
			return p, true
		}
	}
	return stretch{}, false
}

// isCapital reports whether lexeme i is written with a capital.
func (r *periodReader) isCapital(i int) bool {
	start, _ := r.folded.Origin(r.words[i].start, r.words[i].end)
	first, _ := utf8.DecodeRuneInString(r.source[start:])
	return unicode.IsUpper(first)
}

// fields cuts a list of words.
func fields(list string) []string { return strings.Fields(list) }

package date

import (
	"time"
	"unicode"
	"unicode/utf8"
)

func (s *statementReader) isDay(p stretch) bool { return p.to.Sub(p.from) < 36*time.Hour }

// isFar reports whether a date is so far ahead that, without any sign of the future, another year may be meant.
func (s *statementReader) isFar(p stretch) bool {
	return s.given == 0 && p.from.Sub(s.now) > 240*24*time.Hour && s.tenseAt() == unknownTense
}

// format returns the most precise name of a period.
func format(p stretch) string {
	last := p.to.AddDate(0, 0, -1)
	switch {
	case p.from.AddDate(0, 0, 1).Equal(p.to):
		return p.from.Format(time.DateOnly)
	case p.from.Weekday() == time.Monday && p.from.AddDate(0, 0, 7).Equal(p.to):
		return "week of " + p.from.Format(time.DateOnly)
	case p.from.Day() == 1 && p.from.AddDate(0, 1, 0).Equal(p.to):
		return p.from.Format("2006-01")
	case p.from.YearDay() == 1 && p.from.AddDate(1, 0, 0).Equal(p.to):
		return p.from.Format("2006")
	}
	return p.from.Format(time.DateOnly) + " to " + last.Format(time.DateOnly)
}

// resolve returns the period that a pattern means; false if it needs no bracket or may mean several.
func (s *statementReader) resolve(got captured) (stretch, bool) {
	year, month, day := s.now.Date()
	today := (int(s.now.Weekday()) + 6) % 7
	ahead := (got.weekday - today + 7) % 7 // days until the weekday
	inWeek := func(offset int) stretch { return s.day(7*offset + got.weekday - today) }
	switch got.means.kind {
	case "on", "alone", "timed", "nth", "date", "range":
		if s.given == 0 && s.tenseAt() == anyTense {
			return stretch{}, false
		}
	}
	switch got.means.kind {
	case "unit":
		if got.hasDay {
			return inWeek(got.means.offset), true
		}
		offset := got.means.offset
		if len(got.days) > 0 {
			first := s.unitAt(oneMonth, offset).from
			return s.onDay(first.Year(), first.Month(), got.days[0])
		}
		if got.means.unit == oneWeekend && offset == 0 && s.tenseAt() == pastTense && today < 5 {
			offset = -1
		}
		return s.unitAt(got.means.unit, offset), true
	case "ago":
		return s.unitAt(got.unit, -got.count), !s.isOneOfSeveral(s.position)
	case "ahead":
		return s.unitAt(got.unit, got.count), s.tenseAt() != pastTense // "read it in three days"
	case "latest", "coming":
		if len(got.months) > 0 {
			ahead := int(got.months[0]-month+23)%12 + 1 // "last March", said in March, was a year ago
			if got.means.kind == "latest" {
				return s.unitAt(oneMonth, ahead%12-12), true
			}
			return s.unitAt(oneMonth, ahead), true
		}
		if got.means.kind == "latest" {
			return s.day((ahead+6)%7 - 6), true
		}
		return s.day((ahead+6)%7 + 1), true
	case "this":
		return inWeek(0), got.weekday >= today || s.tenseAt() == pastTense
	case "next":
		return inWeek(1), got.weekday <= today
	case "last":
		return inWeek(-1), got.weekday >= today
	case "on", "alone", "timed":
		isUnsure := got.means.kind == "alone" && !s.isAlone(got) || got.means.kind == "timed" && !s.isTimed()
		switch {
		case isUnsure || s.recurs("habit"):
			return stretch{}, false
		case ahead == 0: // today or another week: only a day of the month after it decides
			return s.day(0), false
		}
		if s.tenseAt() == pastTense {
			return s.day(ahead - 7), true
		}
		return s.day(ahead), true
	case "nth":
		if s.recurs("habit") {
			return stretch{}, false
		}
		step := 1
		past := s.tenseAt() == pastTense
		if past {
			step = -1
		}
		for i := range 3 { // there is no 31st of each month
			first := s.date(year, month+time.Month(i*step), 1)
			p, ok := s.onDay(first.Year(), first.Month(), got.days[0])
			if ok && (past && p.from.Before(s.now) || !past && p.from.After(s.date(year, month, day-1))) {
				return p, true
			}
		}
	case "date":
		return s.yearless(got)
	case "range":
		return s.span(got)
	}
	return stretch{}, false
}

// yearless resolves a month, or a day of one.
func (s *statementReader) yearless(got captured) (stretch, bool) {
	if s.given == 0 && (s.recurs("habit") || s.recurs("yearly")) {
		return stretch{}, false
	}
	day := -1
	if len(got.days) > 0 {
		day = got.days[0]
	}
	p, n := s.calendar(-1, got.months[0], day, 1)
	return p, n > 0 && !s.isFar(p)
}

// span resolves a range of days.
func (s *statementReader) span(got captured) (stretch, bool) {
	if s.recurs("habit") || s.recurs("yearly") {
		return stretch{}, false
	}
	first, n := s.calendar(-1, got.months[0], got.days[0], 1)
	if n == 0 {
		return stretch{}, false
	}
	last, ok := s.onDay(first.from.Year(), got.months[len(got.months)-1], got.days[1])
	return stretch{first.from, last.to}, ok && first.from.Before(last.from) && !s.isFar(first)
}

// isOneOfSeveral reports whether the number at lexeme i is the second of "two or three".
func (s *statementReader) isOneOfSeveral(i int) bool {
	if i < 2 {
		return false
	}
	_, first := s.count(i - 2)
	_, second := s.count(i)
	return first == 1 && second > 0
}

// standsAlone reports whether the word before lexeme i can be a date on its own: no noun follows it.
func (s *statementReader) standsAlone(i int) bool {
	if i >= len(s.words) || s.lexicon.after[s.text(i)] || s.number(i) >= 0 {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s.text(i))
	return !unicode.IsLetter(first)
}

// isTimed reports whether a time of day follows the date, as in "quinta às 11".
func (s *statementReader) isTimed() bool {
	got := s.match(&s.lexicon.at, captured{next: s.reach})
	return got.means != nil && s.number(got.next) >= 0
}

// isAlone reports whether a weekday without a word before it is a date: no noun follows, it is not short, and not the end
// of a name such as "Freaky Friday".
func (s *statementReader) isAlone(got captured) bool {
	i := got.next - 1
	isName := i > 1 && s.isCapital(i) && s.isCapital(i-1) && s.text(i-1) != "i"
	return s.standsAlone(got.next) && len(s.text(i)) > maxShort && !isName
}

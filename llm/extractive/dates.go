package extractive

import (
	"fmt"
	"time"
)

// span is the period of time of a date expression.
type span int

const (
	noSpan span = iota
	spanDay
	spanWeek
	spanMonth
	spanYear
)

// moment is an absolute date from a message. The zero value is no date.
type moment struct {
	start time.Time // first day of the span, at midnight in the reader's zone
	span  span
	about bool // "in two weeks": not to the day
	// weekend is true for a Saturday that denotes its weekend.
	weekend bool
}

// day returns the moment of one day.
func day(t time.Time) moment { return moment{start: midnight(t), span: spanDay} }

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// monday is the first day of t's week. Weeks begin on Monday in both languages here.
func monday(t time.Time) time.Time {
	return midnight(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// before reports whether m is over on the day of now.
func (m moment) before(now time.Time) bool {
	end := m.start
	switch m.span {
	case noSpan:
		return false
	case spanDay:
		end = end.AddDate(0, 0, 1)
	case spanWeek:
		end = end.AddDate(0, 0, 7)
	case spanMonth:
		end = end.AddDate(0, 1, 0)
	case spanYear:
		end = end.AddDate(1, 0, 0)
	}
	return !end.After(midnight(now))
}

// english formats the moment for use after a preposition, and returns its default preposition.
func (m moment) english() (preposition, text string) {
	switch m.span {
	case spanWeek:
		return "in", "the week of " + m.iso()
	case spanMonth:
		return "in", m.start.Format("January 2006")
	case spanYear:
		return "in", m.start.Format("2006")
	}
	if m.about {
		return "around", m.iso()
	}
	if m.weekend {
		return "on", "the weekend of " + m.iso()
	}
	return "on", m.iso()
}

// chinese formats the moment for use before a verb.
func (m moment) chinese() string {
	switch m.span {
	case spanWeek:
		return m.iso() + "那周"
	case spanMonth:
		return fmt.Sprintf("%d年%d月", m.start.Year(), int(m.start.Month()))
	case spanYear:
		return fmt.Sprintf("%d年", m.start.Year())
	}
	if m.about {
		return m.iso() + "前后"
	}
	return m.iso()
}

func (m moment) iso() string { return m.start.Format(time.DateOnly) }

// dayOfMonth finds the next d-th of a month from base on, or the last one before it.
func dayOfMonth(base time.Time, d int, past bool) (moment, bool) {
	for i := range 3 {
		step := i
		if past {
			step = -i
		}
		first := time.Date(base.Year(), base.Month()+time.Month(step), 1, 0, 0, 0, 0, base.Location())
		t := first.AddDate(0, 0, d-1)
		if t.Month() != first.Month() {
			continue // there is no 31st of it
		}
		if past && !t.After(base) || !past && !t.Before(midnight(base)) {
			return day(t), true
		}
	}
	return moment{}, false
}

// monthDay returns the day in the given year, otherwise the nearest one on the side that the tense asks for.
func monthDay(base time.Time, year int, month time.Month, d int, past bool) (moment, bool) {
	said := year != 0
	if !said {
		year = base.Year()
	}
	t := time.Date(year, month, d, 0, 0, 0, 0, base.Location())
	if t.Month() != month || d < 1 {
		return moment{}, false
	}
	today := midnight(base)
	switch {
	case said:
	case past && t.After(today):
		t = t.AddDate(-1, 0, 0)
	case !past && t.Before(today):
		t = t.AddDate(1, 0, 0)
	}
	return day(t), t.Month() == month
}

// monthOf returns the month in the given year, otherwise the nearest one on the side that the tense asks for.
func monthOf(base time.Time, year int, month time.Month, past bool) moment {
	said := year != 0
	if !said {
		year = base.Year()
	}
	t := time.Date(year, month, 1, 0, 0, 0, 0, base.Location())
	switch this := time.Date(base.Year(), base.Month(), 1, 0, 0, 0, 0, base.Location()); {
	case said:
	case past && t.After(this):
		t = t.AddDate(-1, 0, 0)
	case !past && t.Before(this):
		t = t.AddDate(1, 0, 0)
	}
	return moment{start: t, span: spanMonth}
}

// comingWeekday is the next such day after today, lastWeekday the last one before it.
func comingWeekday(base time.Time, w time.Weekday) moment {
	return day(base.AddDate(0, 0, (int(w)-int(base.Weekday())+6)%7+1))
}

func lastWeekday(base time.Time, w time.Weekday) moment {
	return day(base.AddDate(0, 0, -((int(base.Weekday())-int(w)+6)%7 + 1)))
}

// weekdayOfWeek is day w of the week that is weeks away from base's.
func weekdayOfWeek(base time.Time, weeks int, w time.Weekday) moment {
	return day(monday(base).AddDate(0, 0, 7*weeks+(int(w)+6)%7))
}

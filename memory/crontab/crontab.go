// Package crontab parses cron expressions and matches them against wall-clock times.
package crontab

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Cron is a recurring wall-clock time in minutes, as five cron fields: minute, hour, day of month, month, day of week. If
// both day fields are restricted, a day that matches either of them matches.
type Cron struct {
	text string
	spec cron.SpecSchedule
}

// starBit marks a field written as a star, as in the parser.
const starBit = 1 << 63

var cronParser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// maxCron bounds an expression, in bytes.
const maxCron = 100

// Parse parses five cron fields. It refuses expressions that never match, such as 30 February, time zones, because
// agents have their own, and names such as @daily. Errors name the accepted form.
func Parse(s string) (Cron, error) {
	const hint = "write five fields, minute hour day-of-month month day-of-week (0 to 6, Sunday is 0), such as 0 2 * * *"
	text := strings.Join(strings.Fields(s), " ")
	switch {
	case len(s) > maxCron:
		return Cron{}, fmt.Errorf("it is longer than %d characters: %s", maxCron, hint)
	case strings.ContainsAny(text, "=@"):
		return Cron{}, fmt.Errorf("%q has more than five fields of numbers; the time zone is the agent's: %s", text, hint)
	}
	parsed, err := cronParser.Parse(text)
	if err != nil {
		return Cron{}, fmt.Errorf("%q: %w: %s", text, err, hint)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return Cron{}, fmt.Errorf("%q is not understood: %s", text, hint)
	}
	c := Cron{text, *spec}
	c.spec.Location = time.UTC
	if c.spec.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Cron{}, fmt.Errorf("%q never fires: use a date that exists", text)
	}
	return c, nil
}

// String returns the expression with single spaces.
func (c Cron) String() string { return c.text }

// Matches reports whether the minute of t matches, in t's own time zone.
func (c Cron) Matches(t time.Time) bool {
	return has(c.spec.Minute, t.Minute()) && has(c.spec.Hour, t.Hour()) && has(c.spec.Month, int(t.Month())) && c.matchesDay(t)
}

func (c Cron) matchesDay(t time.Time) bool {
	day, weekday := has(c.spec.Dom, t.Day()), has(c.spec.Dow, int(t.Weekday()))
	if c.EitherDay() {
		return day || weekday
	}
	return day && weekday
}

// EitherDay reports whether both day fields are restricted, so that one of them suffices.
func (c Cron) EitherDay() bool { return c.spec.Dom&starBit == 0 && c.spec.Dow&starBit == 0 }

// Minutes returns the matching minutes of the hour, ascending.
func (c Cron) Minutes() []int { return values(c.spec.Minute, 0, 59) }

// Hours returns the matching hours of the day, ascending.
func (c Cron) Hours() []int { return values(c.spec.Hour, 0, 23) }

// Days returns the matching days of the month, ascending.
func (c Cron) Days() []int { return values(c.spec.Dom, 1, 31) }

// Months returns the matching months, ascending.
func (c Cron) Months() []int { return values(c.spec.Month, 1, 12) }

// Weekdays returns the matching days of the week, ascending; Sunday is 0.
func (c Cron) Weekdays() []int { return values(c.spec.Dow, 0, 6) }

func has(bits uint64, value int) bool { return bits&(1<<value) != 0 }

func values(bits uint64, first, last int) []int {
	var out []int
	for v := first; v <= last; v++ {
		if has(bits, v) {
			out = append(out, v)
		}
	}
	return out
}

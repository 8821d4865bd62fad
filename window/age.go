package window

import (
	"fmt"
	"time"
)

const (
	daysOfWeeks  = 14 // from here on an age is told in weeks
	daysOfMonths = 60 // and from here on by its month
)

// age says how old something is, in calendar days of the zone of now. What is older than two months is told by its month, so
// that the model can set it against other dates.
func age(at, now time.Time) string {
	if at.IsZero() {
		return "age unknown"
	}
	switch days := daysBetween(at.In(now.Location()), now); {
	case days < 0:
		return at.In(now.Location()).Format(time.DateOnly)
	case days == 0:
		return "today"
	case days == 1:
		return "yesterday"
	case days < daysOfWeeks:
		return fmt.Sprintf("%d days ago", days)
	case days < daysOfMonths:
		return fmt.Sprintf("%d weeks ago", days/7)
	}
	return at.In(now.Location()).Format("January 2006")
}

// daysBetween is how many midnights lie between two times of one zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}

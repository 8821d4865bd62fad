package chunk

import (
	"path"
	"regexp"
	"strconv"
	"time"
)

// clockHeading is the heading of an entry in a daily note: a time of day with a separator or nothing behind it.
var clockHeading = regexp.MustCompile(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?:\s|[-–—·|]|$)`)

// pathDay is the day that a document is about, by its name: the beginning of the date in UTC, the zero time without one.
func pathDay(name string) time.Time {
	base := path.Base(name)
	if len(base) < len(time.DateOnly) {
		return time.Time{}
	}
	day, rest := base[:len(time.DateOnly)], base[len(time.DateOnly):]
	if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}
	return at
}

// clockOf reads the time of day at the beginning of a heading, as the time since midnight.
func clockOf(heading string) (clock time.Duration, found bool) {
	m := clockHeading.FindStringSubmatch(heading)
	if m == nil {
		return 0, false
	}
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(m[i+1]) // digits, or nothing for the seconds
		clock += time.Duration(n) * unit
	}
	return clock, true
}

package crontab

import "time"

// Occurrence returns the wall-clock time, in UTC, at which t is an occurrence of c: t's own, or one that was skipped because clocks
// were put forward and that t replaces, such as 02:00 for 03:00. It returns false for any other t.
func (c Cron) Occurrence(t time.Time) (time.Time, bool) {
	if t.Second() != 0 {
		return time.Time{}, false
	}
	if c.Matches(t) {
		return onTheClock(t), true
	}
	skipped, ok := skippedBefore(t)
	return skipped, ok && c.Matches(skipped)
}

// Skipped is a wall-clock time that does not exist, in UTC, and the time that replaces it.
type Skipped struct{ Wall, Instead time.Time }

// Skipped returns the occurrences that are skipped because the zone puts its clocks forward between from and to.
func (c Cron) Skipped(zone *time.Location, from, to time.Time) []Skipped {
	var out []Skipped
	_, change := from.In(zone).ZoneBounds()
	for ; !change.IsZero() && change.Before(to); _, change = change.ZoneBounds() {
		for at := time.Duration(0); at < gapAt(change); at += time.Minute {
			instead := change.Add(at)
			skipped, ok := skippedBefore(instead)
			if ok && c.Matches(skipped) && !c.Matches(instead) { // otherwise it occurs anyway
				out = append(out, Skipped{skipped, instead})
			}
		}
	}
	return out
}

// Interval returns the shortest time between two occurrences, at most a day.
func (c Cron) Interval() time.Duration {
	interval := 24 * time.Hour
	if hours := c.Hours(); len(hours) > 1 {
		interval = time.Duration(minGap(hours, 24)) * time.Hour
	}
	if minutes := c.Minutes(); len(minutes) > 1 {
		interval = time.Duration(minGap(minutes, 60)) * time.Minute
	}
	return interval
}

// minGap returns the smallest distance between two of some ascending values on a circle.
func minGap(values []int, circle int) int {
	least := values[0] + circle - values[len(values)-1]
	for i, v := range values[1:] {
		least = min(least, v-values[i])
	}
	return least
}

// skippedBefore returns the skipped local time that t replaces: 02:00 for 03:00 where clocks go from 02:00 to 03:00. It applies for
// as long after the change as the clocks were put forward. The result is in UTC, since the zone itself does not have that time.
func skippedBefore(t time.Time) (time.Time, bool) {
	change, _ := t.ZoneBounds()
	if change.IsZero() {
		return time.Time{}, false
	}
	gap := gapAt(change)
	if gap <= 0 || t.Sub(change) >= gap {
		return time.Time{}, false
	}
	return onTheClock(t).Add(-gap), true
}

// gapAt returns how far the clocks are put forward at a change of the zone's offset; negative for backward.
func gapAt(change time.Time) time.Duration {
	_, before := change.Add(-time.Second).Zone()
	_, after := change.Zone()
	return time.Duration(after-before) * time.Second
}

// onTheClock returns the local wall-clock time of t as a UTC time.
func onTheClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

package workflows

import (
	"time"

	"reverie/memory"
)

// Layouts of night keys.
const (
	nightLayout   = "2006-01-02T15:04"
	triggerLayout = "2006-01-02T15:04:05"
)

// NightKey names the night of a DreamNight: by the wall clock of the agent's zone at the minute that the cron expression
// means, such as 2026-01-31T02:00, and by the second when a person triggered it at another time. scheduled is the nominal
// time of the schedule (the search attribute TemporalScheduledStartTime, which has no jitter).
//
// One night has one key: a wall-clock minute that autumn repeats has the same key both times, and one that spring skips keeps
// its name although it is dreamed later. The result follows the time zone database of this process: ask in a step.
func NightKey(scheduled time.Time, zone, expression string) string {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	wall := scheduled.In(location)
	cron, err := memory.ParseCron(expression)
	if err != nil || wall.Second() != 0 {
		return wall.Format(triggerLayout)
	}
	if cron.Matches(wall) {
		return wall.Format(nightLayout)
	}
	if skipped, ok := skippedBefore(wall); ok && cron.Matches(skipped) {
		return skipped.Format(nightLayout)
	}
	return wall.Format(triggerLayout)
}

// skippedBefore returns the time of day that t stands in for, as long as the clocks have not run for as long since they were
// put forward as they were put forward: 02:00 for 03:00 where the clocks go from 02:00 to 03:00. It is in UTC, since its own
// zone does not have it.
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

// gapAt is how far the clocks are put forward at a change of the zone's offset; negative: backward.
func gapAt(change time.Time) time.Duration {
	_, before := change.Add(-time.Second).Zone()
	_, after := change.Zone()
	return time.Duration(after-before) * time.Second
}

// onTheClock is what clocks show at t, in a zone without changes.
func onTheClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

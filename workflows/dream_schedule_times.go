package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/memory"
)

// skippedNightsReach is how far skipped nights are looked for, back and ahead: a night of the past year can be dreamed again, and a worker that looks once an
// hour adds those of next year in time.
const skippedNightsReach = 400 * 24 * time.Hour

// dreamTimes are the nights of a schedule in the calendars of a zone: what the cron expression means, and what stands in for
// nights that the zone's clocks skip.
//
// Temporal matches what the clocks show. It leaves out what they skip in spring. What they show twice in autumn it takes once
// east of Greenwich and twice west of it; the second time is no other night (NightKey), so that nothing is dreamed in it again.
func dreamTimes(cron memory.Cron, zone *time.Location, now time.Time) []client.ScheduleCalendarSpec {
	times := []client.ScheduleCalendarSpec{{
		Minute: ranges(cron.Minutes()), Hour: ranges(cron.Hours()), Month: ranges(cron.Months()),
		DayOfMonth: ranges(cron.Days()), DayOfWeek: ranges(cron.Weekdays()),
		Comment: fmt.Sprintf("%s in %s", cron, zone),
	}}
	if cron.EitherDay() { // a calendar means both
		other := times[0]
		times[0].DayOfWeek = ranges(everyWeekday)
		other.DayOfMonth = []client.ScheduleRange{{Start: 1, End: 31}}
		times[0].Comment += ", on its days of the month"
		other.Comment += ", on its days of the week"
		times = append(times, other)
	}
	nights := skippedNights(cron, zone, now.Add(-skippedNightsReach), now.Add(skippedNightsReach))
	for len(nights) > 0 {
		first, minutes := nights[0], []int{}
		for len(nights) > 0 && nights[0].instead.Truncate(time.Hour).Equal(first.instead.Truncate(time.Hour)) {
			minutes, nights = append(minutes, nights[0].instead.Minute()), nights[1:]
		}
		times = append(times, client.ScheduleCalendarSpec{
			Minute: ranges(minutes), Hour: ranges([]int{first.instead.Hour()}), DayOfMonth: ranges([]int{first.instead.Day()}),
			Month: ranges([]int{int(first.instead.Month())}), Year: ranges([]int{first.instead.Year()}), DayOfWeek: ranges(everyWeekday),
			Comment: "for " + first.skipped.Format(nightLayout) + ", which the clocks skip",
		})
	}
	return times
}

var everyWeekday = []int{0, 1, 2, 3, 4, 5, 6}

// skippedNight is a night that the clocks do not show, and what they show when it is dreamed instead.
type skippedNight struct{ skipped, instead time.Time }

// skippedNights are those whose zone puts its clocks forward between from and to.
func skippedNights(cron memory.Cron, zone *time.Location, from, to time.Time) []skippedNight {
	var nights []skippedNight
	_, change := from.In(zone).ZoneBounds()
	for ; !change.IsZero() && change.Before(to); _, change = change.ZoneBounds() {
		for at := time.Duration(0); at < gapAt(change); at += time.Minute {
			instead := change.Add(at)
			skipped, ok := skippedBefore(instead)
			if ok && cron.Matches(skipped) && !cron.Matches(instead) { // else it is dreamed anyhow
				nights = append(nights, skippedNight{skipped, instead})
			}
		}
	}
	return nights
}

// ranges joins ascending values that follow one another.
func ranges(values []int) []client.ScheduleRange {
	var out []client.ScheduleRange
	for _, v := range values {
		if last := len(out) - 1; last >= 0 && out[last].End == v-1 {
			out[last].End = v
			continue
		}
		out = append(out, client.ScheduleRange{Start: v, End: v})
	}
	return out
}

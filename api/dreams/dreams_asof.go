package dreams

import (
	"slices"
	"time"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// maxNightAge is how long ago a night may be that is dreamed afterwards: about a quarter of a year. What was said before that
// is no short-term memory any more.
const maxNightAge = 92 * 24 * time.Hour

// nightAsked reads an asOf: the end of what is looked at, and the key of the night that it is in. Empty: now, of no night.
func (s *Room) nightAsked(agent store.Agent, asOf string) (time.Time, string, error) {
	if asOf == "" {
		return time.Time{}, "", nil
	}
	zone, err := time.LoadLocation(agent.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	expression := s.DreamSchedule.With(agent.Settings).Cron
	day, err := time.ParseInLocation(time.DateOnly, asOf, zone)
	at := nightOf(day, expression)
	if err != nil {
		if at, err = time.Parse(time.RFC3339, asOf); err != nil {
			return at, "", fault.InvalidAt("query.asOf", "write a date such as 2026-01-31, or RFC 3339 such as 2026-01-31T02:00:00Z")
		}
		day = at.In(zone)
	}
	switch now := s.Now(); {
	case at.After(now):
		return at, "", fault.InvalidAt("query.asOf", "it is in the future: this night is still to come")
	case now.Sub(at) > maxNightAge:
		return at, "", fault.InvalidAt("query.asOf", "it is more than %d days ago", int(maxNightAge.Hours()/24))
	}
	return at, workflows.NightKey(nightOf(day, expression), zone.String(), expression), nil
}

// nightOf is the first time on a day, in its zone, that a cron expression means; at its hour and minute also on days on which
// it does not stand.
func nightOf(day time.Time, expression string) time.Time {
	hour, minute := 0, 0
	if cron, err := memory.ParseCron(expression); err == nil {
		hour, minute = slices.Min(cron.Hours()), slices.Min(cron.Minutes())
	}
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

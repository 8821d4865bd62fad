package store

import (
	"time"

	"reverie/memory"
)

// firstDay are the messages of the beginning that were said on one day, so that what is noted of them stands in the note of that
// day: what was had elsewhere is moved in long after it was said, and one conversation may go on for months.
func firstDay(messages []memory.Message, zone *time.Location) []memory.Message {
	day := messages[0].CreatedAt.In(zone).Format(time.DateOnly)
	for i, m := range messages {
		if m.CreatedAt.In(zone).Format(time.DateOnly) != day {
			return messages[:i]
		}
	}
	return messages
}

// lastSaid is when the last of the messages was said, in the zone of now and never after it: nothing is noted in a day to come.
func lastSaid(messages []memory.Message, now time.Time) time.Time {
	said := messages[len(messages)-1].CreatedAt.In(now.Location())
	if said.After(now) {
		return now
	}
	return said
}

package workflows

import (
	"testing"
	"time"
)

func TestNightKey(t *testing.T) {
	for _, c := range []struct{ name, at, zone, cron, want string }{
		{"nominal", "2026-01-31T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T02:00"},
		{"triggered", "2026-01-31T13:37:12Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T14:37:12"},
		{"triggered on the minute", "2026-01-31T13:37:00Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T14:37:00"},
		{"triggered in the minute of the night", "2026-01-31T01:00:07Z", "Europe/Berlin", "0 2 * * *", "2026-01-31T02:00:07"},
		{"the wrong weekday", "2026-01-31T01:00:00Z", "Europe/Berlin", "0 2 * * 1", "2026-01-31T02:00:00"},
		{"skipped in spring", "2026-03-29T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-03-29T02:00"},
		{"half past two is skipped too", "2026-03-29T01:30:00Z", "Europe/Berlin", "30 2 * * *", "2026-03-29T02:30"},
		{"three o'clock is itself", "2026-03-29T01:00:00Z", "Europe/Berlin", "0 2,3 * * *", "2026-03-29T03:00"},
		{"long after spring", "2026-03-29T02:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-03-29T04:00:00"},
		{"autumn, first", "2026-10-25T00:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-10-25T02:00"},
		{"autumn, repeated", "2026-10-25T01:00:00Z", "Europe/Berlin", "0 2 * * *", "2026-10-25T02:00"},
		{"half an hour skipped", "2026-10-03T15:30:00Z", "Australia/Lord_Howe", "0 2 * * *", "2026-10-04T02:00"},
		{"half an hour repeated, first", "2026-04-04T14:30:00Z", "Australia/Lord_Howe", "30 1 * * *", "2026-04-05T01:30"},
		{"half an hour repeated, second", "2026-04-04T15:00:00Z", "Australia/Lord_Howe", "30 1 * * *", "2026-04-05T01:30"},
		{"no changes", "2026-03-28T20:30:00Z", "Asia/Kolkata", "0 2 * * *", "2026-03-29T02:00"},
		{"an unknown zone counts as UTC", "2026-01-31T02:00:00Z", "Nowhere/Land", "0 2 * * *", "2026-01-31T02:00"},
		{"an expression that is not understood", "2026-01-31T02:00:00Z", "UTC", "at night", "2026-01-31T02:00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := NightKey(at, c.zone, c.cron); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

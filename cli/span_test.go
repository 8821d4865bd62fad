package cli

import (
	"strings"
	"testing"
	"time"
)

// A key ends after days or hours, or on a day. What is neither is refused with an example instead of Go's words.
func TestDeadlines(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"0": {}, "36h": now.Add(36 * time.Hour), "40d": now.Add(40 * day), "1d12h": now.Add(36 * time.Hour),
		"2026-12-31": time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC),
	} {
		var d deadline
		if err := d.Set(text); err != nil || !d.from(now).Equal(want) {
			t.Errorf("%s: %s, want %s; %v", text, d.from(now), want, err)
		}
	}
	for _, zero := range []string{"0d", "0h", "0s"} { // not "for ever"
		if err := new(deadline).Set(zero); err == nil {
			t.Errorf("%s is a deadline", zero)
		}
	}
	for _, text := range []string{"", "d", "2026-13-31", "40", "40 d", "1.5d", "-1d", "99999d", "1d2d", "tomorrow"} {
		var d deadline
		if err := d.Set(text); err == nil || !strings.Contains(err.Error(), "90d") || !strings.Contains(err.Error(), "2027-12-31") {
			t.Errorf("%q: %v", text, err)
		}
		var s span
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), "90d") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

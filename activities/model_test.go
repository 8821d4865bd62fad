package activities

import (
	"testing"
	"time"
)

func TestModelRest(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	var r modelRest
	if r.away(start) {
		t.Error("away before anybody asked")
	}
	r.unanswered(at(0), at(time.Second))
	r.unanswered(at(2*time.Second), at(awayAfter-time.Second))
	if r.away(at(awayAfter - time.Nanosecond)) {
		t.Error("away after a short while")
	}
	if !r.away(at(awayAfter)) {
		t.Error("not away after failing for awayAfter")
	}
	last := awayAfter - time.Second
	if !r.away(at(last+restFor-time.Nanosecond)) || r.away(at(last+restFor)) {
		t.Error("it rests for restFor after the last call")
	}
	r.unanswered(at(2*time.Minute), at(2*time.Minute+time.Second))
	if !r.away(at(2*time.Minute + time.Second)) {
		t.Error("one failed call is enough when it was away before")
	}
	r.answered()
	if r.away(at(2*time.Minute + 2*time.Second)) {
		t.Error("away after an answer")
	}
	r.unanswered(at(3*time.Minute), at(3*time.Minute+awayAfter)) // silent all the time
	if !r.away(at(3*time.Minute + awayAfter)) {
		t.Error("not away after one long silence")
	}
}

package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func cutHeader(line string) (name, value string, ok bool) { return strings.Cut(line, ": ") }

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		headers []string
		message string
		delay   string
		want    time.Duration
	}{
		{[]string{"Retry-After: 20"}, "", "", 20 * time.Second},
		{[]string{"Retry-After: 0.25"}, "", "", 250 * time.Millisecond},
		{[]string{"Retry-After: 20", "Retry-After-Ms: 1500"}, "", "", 1500 * time.Millisecond},
		{[]string{"Retry-After: Fri, 20 Nov 2026 12:01:30 GMT"}, "", "", 90 * time.Second},
		{[]string{"Retry-After: Fri, 20 Nov 2026 12:01:30 GMT", "Date: Fri, 20 Nov 2026 12:01:00 GMT"}, "", "", 30 * time.Second},
		{[]string{"Retry-After: Fri, 20 Nov 2026 11:00:00 GMT"}, "", "", 0},
		{[]string{"Retry-After: 0"}, "Please try again in 3s.", "", 3 * time.Second},
		{[]string{"Retry-After: -5"}, "", "", 0},
		{[]string{"Retry-After: soon"}, "", "", 0},
		{[]string{"Retry-After: NaN"}, "", "", 0},
		{[]string{"Retry-After: 1e300"}, "", "", maxRetryAfter},
		{[]string{"Retry-After: +Inf"}, "", "", maxRetryAfter},
		{nil, "", "39s", 39 * time.Second},
		{nil, "", "1.5s", 1500 * time.Millisecond},
		{nil, "Please try again in 7.2s. Visit", "", 7200 * time.Millisecond},
		{nil, "Please try again in 320ms.", "", 320 * time.Millisecond},
		{nil, "Please try again in 1m26.4s.", "", 86400 * time.Millisecond},
		{nil, "Please try again in 2h3m4s.", "", 2*time.Hour + 3*time.Minute + 4*time.Second},
		{nil, "Please retry after 6 seconds.", "", 6 * time.Second},
		{nil, "please wait 20 seconds", "", 20 * time.Second},
		{nil, "Try again in 1 minute 5 seconds", "", 65 * time.Second},
		{nil, "Please retry in 39.215s.", "", 39215 * time.Millisecond},
		{nil, "try again in 3 steps", "", 0},
		{nil, "Limit 3, used 3s", "", 0},
		{nil, "try again later", "", 0},
	}
	for _, test := range tests {
		header := http.Header{}
		for _, line := range test.headers {
			name, value, _ := cutHeader(line)
			header.Set(name, value)
		}
		if got := retryAfter(header, complaint{message: test.message, delay: test.delay}, now); got != test.want {
			t.Errorf("%q %q %q: %s, want %s", test.headers, test.message, test.delay, got, test.want)
		}
	}
}

// A delay is never negative and never longer than the bound, and Go's notation of durations is parsed.
func TestRetryAfterIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		header := http.Header{"Retry-After": {rapid.String().Draw(t, "header")}}
		if d := retryAfter(header, complaint{message: rapid.String().Draw(t, "message")}, time.Now()); d < 0 || d > maxRetryAfter {
			t.Fatalf("%s", d)
		}
		want := time.Duration(rapid.Int64Range(1, int64(time.Hour/time.Millisecond)).Draw(t, "ms")) * time.Millisecond
		got := retryAfter(nil, complaint{message: "Please try again in " + want.String() + "."}, time.Now())
		if (got - want).Abs() > time.Microsecond {
			t.Fatalf("%s reads as %s", want, got)
		}
	})
}

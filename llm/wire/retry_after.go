package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds a provider's delay, so that a nonsense number does not stop work for good.
const maxRetryAfter = 24 * time.Hour

// waitPart matches one number with its unit.
var waitPart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(milliseconds?|ms|hours?|minutes?|seconds?|h|m|s)`)

// waitWords matches the delay in a message, such as "Please try again in 1m26.4s", "in 320ms", "Please retry in
// 39.2s", "retry after 6 seconds" or "wait 20 seconds".
var waitWords = regexp.MustCompile(`(?i)(?:try again|retry|wait)(?: in| after| for)?\s+(` +
	waitPart.String() + `(?:\s*` + waitPart.String() + `)*)\b`)

// retryAfter returns the delay that the provider asks for; 0 if it names none. The most precise source wins: the millisecond
// header, the standard header as seconds or as a date, a field of the body, the text of the message.
func retryAfter(header http.Header, c complaint, now time.Time) time.Duration {
	for _, wait := range []func() (time.Duration, bool){
		func() (time.Duration, bool) { return number(header.Get("Retry-After-Ms"), time.Millisecond) },
		func() (time.Duration, bool) { return number(header.Get("Retry-After"), time.Second) },
		func() (time.Duration, bool) { return until(header, now) },
		func() (time.Duration, bool) { return spoken(c.delay) },
		func() (time.Duration, bool) { return spoken(waitIn(c.message)) },
	} {
		if d, ok := wait(); ok {
			return d
		}
	}
	return 0
}

// number reads a count of units.
func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, false
	}
	return bounded(n * float64(unit))
}

// until reads the standard header as a date, relative to the server's clock if the response has its time.
func until(header http.Header, now time.Time) (time.Duration, bool) {
	at, err := http.ParseTime(header.Get("Retry-After"))
	if err != nil {
		return 0, false
	}
	if server, err := http.ParseTime(header.Get("Date")); err == nil {
		now = server
	}
	return bounded(float64(at.Sub(now)))
}

// waitIn returns the delay in a message.
func waitIn(message string) string {
	found := waitWords.FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	return found[1]
}

// spoken parses numbers with units, such as "1m26.4s" or "6 seconds".
func spoken(s string) (time.Duration, bool) {
	var sum float64
	parts := waitPart.FindAllStringSubmatch(s, -1)
	for _, part := range parts {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, false
		}
		sum += n * float64(units[unitOf(part[2])])
	}
	if len(parts) == 0 {
		return 0, false
	}
	return bounded(sum)
}

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour}

// unitOf shortens a unit's name.
func unitOf(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "milli") || name == "ms" {
		return "ms"
	}
	return name[:1]
}

// bounded converts nanoseconds to a duration without overflow. A value that is negative or not a number is no delay.
func bounded(ns float64) (time.Duration, bool) {
	if !(ns > 0) {
		return 0, false
	}
	return time.Duration(min(ns, float64(maxRetryAfter))), true
}

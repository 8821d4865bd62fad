package llm

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what a provider asks for, so that a nonsense number does not stop work for good.
const maxRetryAfter = 24 * time.Hour

// waitPart is one number with its unit.
var waitPart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(milliseconds?|ms|hours?|minutes?|seconds?|h|m|s)`)

// waitWords finds the time to wait in a message, such as "Please try again in 1m26.4s", "in 320ms", "Please retry in
// 39.2s", "retry after 6 seconds" or "wait 20 seconds".
var waitWords = regexp.MustCompile(`(?i)(?:try again|retry|wait)(?: in| after| for)?\s+(` +
	waitPart.String() + `(?:\s*` + waitPart.String() + `)*)\b`)

// retryAfter is how long the provider asks to wait; 0 when it does not say. The most precise source comes first: the
// millisecond header, the standard header as seconds or as a date, a field of the body, the words of the message.
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

// until reads the standard header as a date, by the server's clock if it tells the time.
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

// waitIn is the part of a message that says how long to wait.
func waitIn(message string) string {
	found := waitWords.FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	return found[1]
}

// spoken reads numbers with units, such as "1m26.4s" or "6 seconds".
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

// bounded makes a duration of nanoseconds that cannot overflow. What lies in the past or is no number is no wait.
func bounded(ns float64) (time.Duration, bool) {
	if !(ns > 0) {
		return 0, false
	}
	return time.Duration(min(ns, float64(maxRetryAfter))), true
}

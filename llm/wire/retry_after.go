package wire

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds a provider's delay, so that a nonsense number does not stop work permanently.
const maxRetryAfter = 24 * time.Hour

// waitPart matches one number with its unit.
var waitPart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(milliseconds?|ms|hours?|minutes?|seconds?|h|m|s)`)

// waitWords matches the delay in a message, such as "Please try again in 1m26.4s", "in 320ms", "Please retry in
// 39.2s", "retry after 6 seconds" or "wait 20 seconds".
var waitWords = regexp.MustCompile(`(?i)(?:try again|retry|wait)(?: in| after| for)?\s+` +
	waitPart.String() + `(?:\s*` + waitPart.String() + `)*\b`)

// retryAfter returns the delay that the provider asks for; 0 if it names none. The most precise source wins: the millisecond
// header, the standard header as seconds or as a date, a field of the body, the text of the message.
func retryAfter(header http.Header, c complaint, now time.Time) time.Duration {
	return cmp.Or(
		number(header.Get("Retry-After-Ms"), time.Millisecond),
		number(header.Get("Retry-After"), time.Second),
		until(header, now),
		spoken(c.delay),
		spoken(waitWords.FindString(c.message)),
	)
}

// number reads a count of units.
func number(s string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0
	}
	return bounded(n * float64(unit))
}

// until reads the standard header as a date, relative to the server's clock if the response has its time.
func until(header http.Header, now time.Time) time.Duration {
	at, err := http.ParseTime(header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	if server, err := http.ParseTime(header.Get("Date")); err == nil {
		now = server
	}
	return bounded(float64(at.Sub(now)))
}

// spoken adds up numbers with units, such as "1m26.4s" or "6 seconds".
func spoken(s string) time.Duration {
	var sum time.Duration
	for _, part := range waitPart.FindAllStringSubmatch(strings.ToLower(s), -1) {
		unit := units[part[2][:1]]
		if strings.HasPrefix(part[2], "mil") || part[2] == "ms" {
			unit = time.Millisecond
		}
		sum = bounded(float64(sum) + float64(number(part[1], unit)))
	}
	return sum
}

var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// bounded converts nanoseconds to a duration without overflow. A value that is negative or not a number is not a delay.
func bounded(ns float64) time.Duration {
	if !(ns > 0) {
		return 0
	}
	return time.Duration(min(ns, float64(maxRetryAfter)))
}

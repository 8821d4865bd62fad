package recall

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
	"reverie/search"
)

// Limits of a request. A request beyond one of them is refused, not cut.
const (
	MaxQuery   = 4096             // characters of a question
	MaxResults = 50               // of one search
	MaxWait    = 10 * time.Second // for vectors of what was just written
)

// All is what a request says to search every corpus.
const All search.Corpus = "all"

// CorpusNames are what a request may name: the registered corpora, and all of them.
func CorpusNames() []search.Corpus { return append(search.Corpora(), All) }

// Request is one search. The zero value of everything but Query is usable.
type Request struct {
	Query      string
	Corpus     search.Corpus // empty: All
	MaxResults *int          // nil: the agent's or the server's setting
	MinScore   *float64      // nil: the agent's or the server's setting
	// From and To bound the time of what is found: From included, To excluded; zero: open. What has no time is outside.
	From, To time.Time
	Explain  bool
	// After is the token of a write whose vectors the search waits for, up to Wait. Words never lag behind.
	After int64
	Wait  time.Duration
	// Synthetic searches (tests, dreams, operators) are recorded as such and never count as use.
	Synthetic bool
	// Unrecorded leaves it to the caller to say with Used which results were used: for whoever shows only some of them.
	Unrecorded bool
	Options    Options
	// Agent is what the agent has set for itself, and Zone its time zone; nil: UTC.
	Agent memory.AgentSettings
	Zone  *time.Location
}

// InvalidError says what is wrong with a request.
type InvalidError struct {
	Field   string // as the API names it
	Problem string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// check returns every fault of a request, joined.
func (r Request) check() error {
	var errs []error
	bad := func(field, format string, args ...any) { errs = append(errs, invalid(field, format, args...)) }
	if n := utf8.RuneCountInString(r.Query); n > MaxQuery {
		bad("query", "it has %d characters, at most %d are possible: ask for what matters", n, MaxQuery)
	}
	if !utf8.ValidString(r.Query) {
		bad("query", "it is not valid UTF-8")
	}
	if r.Corpus != "" && !slices.Contains(CorpusNames(), r.Corpus) {
		bad("corpus", "%q is not known: name one of %s", clipped(string(r.Corpus)), list(CorpusNames()))
	}
	if n := r.MaxResults; n != nil && (*n < 1 || *n > MaxResults) {
		bad("maxResults", "%d must be from 1 to %d", *n, MaxResults)
	}
	if s := r.MinScore; s != nil && !isShare(*s) {
		bad("minScore", "%v must be from 0 to 1", *s)
	}
	if !r.From.IsZero() && !r.To.IsZero() && !r.From.Before(r.To) {
		bad("to", "it must be later than from")
	}
	if r.Wait < 0 || r.Wait > MaxWait {
		bad("wait", "%s must be from 0s to %s", r.Wait, MaxWait)
	}
	if r.After < 0 {
		bad("after", "it is no token of a receipt")
	}
	return errors.Join(append(errs, r.Options.check()...)...)
}

func (r Request) corpora() []search.Corpus {
	if r.Corpus == "" || r.Corpus == All {
		return search.Corpora()
	}
	return []search.Corpus{r.Corpus}
}

func (r Request) zone() *time.Location {
	if r.Zone == nil {
		return time.UTC
	}
	return r.Zone
}

// covers reports whether a time, in Unix seconds and 0 when it is not known, is inside From and To.
func (r Request) covers(at int64) bool {
	if !r.bounded() {
		return true
	}
	t := time.Unix(at, 0)
	return at != 0 && (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || t.Before(r.To))
}

func (r Request) bounded() bool { return !r.From.IsZero() || !r.To.IsZero() }

func isShare(x float64) bool { return !math.IsNaN(x) && x >= 0 && x <= 1 }

func list[T ~string](names []T) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return strings.Join(words, ", ")
}

// maxQuoted bounds what an error repeats of a request.
const maxQuoted = 40

func clipped(s string) string {
	if utf8.RuneCountInString(s) <= maxQuoted {
		return s
	}
	return string([]rune(s)[:maxQuoted]) + "…"
}

// ParsePeriod reads the bounds of a period, each RFC 3339 or a date in the zone; empty: open. A date as the end means the
// end of that day.
func ParsePeriod(from, to string, zone *time.Location) (start, end time.Time, err error) {
	var errs []error
	if start, _, err = parseTime(from, zone); err != nil {
		errs = append(errs, invalid("from", "write a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31"))
	}
	end, isDay, err := parseTime(to, zone)
	switch {
	case err != nil:
		errs = append(errs, invalid("to", "write a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31"))
	case isDay:
		end = end.AddDate(0, 0, 1)
	}
	return start, end, errors.Join(errs...)
}

func parseTime(s string, zone *time.Location) (_ time.Time, isDay bool, err error) {
	if s == "" {
		return time.Time{}, false, nil
	}
	if zone == nil {
		zone = time.UTC
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, zone); err == nil {
		return day, true, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, false, err
}

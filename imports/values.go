package imports

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decoded reads JSON and reports whether it was what is wanted. What the JSON is instead is nobody's business but the
// owner's, so that no error repeats it.
func decoded(raw []byte, into any) bool { return json.Unmarshal(raw, into) == nil }

// word is a string of an export. Null is empty; a number or a truth value is its literal, since ids are written either
// way; anything else is empty.
type word string

// UnmarshalJSON never fails on valid JSON.
func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null" || raw[0] == '{' || raw[0] == '[':
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
	default:
		s = string(raw)
	}
	*w = word(s)
	return nil
}

// loose is a part of an export without which the rest can still be read.
type loose[T any] struct {
	value T
	ok    bool // it was there, and was a T
}

// UnmarshalJSON never fails.
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var value T
	if l.ok = string(raw) != "null" && decoded(raw, &value); l.ok {
		l.value = value
	}
	return nil
}

// list is an array of an export; anything else is empty.
type list[T any] []T

// UnmarshalJSON never fails because of types; an element that is no T is the zero T.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var elements []json.RawMessage
	if !decoded(raw, &elements) {
		*l = nil
		return nil
	}
	out := make([]T, 0, len(elements))
	for _, raw := range elements {
		var element loose[T]
		_ = element.UnmarshalJSON(raw) // it never fails
		out = append(out, element.value)
	}
	*l = out
	return nil
}

// moment is a point in time of an export: seconds or milliseconds since 1970, or a text. What is no time, or lies outside
// of the years in which there are conversations with machines, is zero.
type moment struct{ time.Time }

// Years outside of which a date is a mistake.
const (
	firstYear = 1990
	lastYear  = 2199
)

// timeLayouts are the texts that exports have. Without a zone, UTC is meant.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999-0700", time.DateOnly,
}

// UnmarshalJSON never fails on valid JSON.
func (m *moment) UnmarshalJSON(raw []byte) error {
	var text word
	if err := text.UnmarshalJSON(raw); err != nil {
		return err
	}
	m.Time = timeOf(string(text))
	return nil
}

// timeOf reads a time; zero when it is none.
func timeOf(text string) time.Time {
	text = strings.TrimSpace(text)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return plausible(unix(number))
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return plausible(at)
		}
	}
	return time.Time{}
}

// unix is a number of seconds, or of milliseconds when seconds would lie in the far future, to the microsecond.
func unix(number float64) time.Time {
	const farFuture = 1e11
	if math.IsNaN(number) || math.Abs(number) > 1e15 {
		return time.Time{}
	}
	if math.Abs(number) > farFuture {
		number /= 1000
	}
	whole, part := math.Modf(number)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000)
}

func plausible(at time.Time) time.Time {
	if at = at.UTC(); at.Year() < firstYear || at.Year() > lastYear {
		return time.Time{}
	}
	return at.Truncate(time.Microsecond) // as the database keeps it
}

// textOf is text as memory takes it: UTF-8 without NUL.
func textOf(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cutTo cuts s to at most limit bytes, between characters.
func cutTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

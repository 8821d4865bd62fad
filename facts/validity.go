package facts

import (
	"strings"
	"time"

	"reverie/language/lazyregexp"
)

// A date in brackets completes the words in front of it: "since March [2026-03]". Which end of a period it is depends on the word
// that introduces it, or in East Asian languages on the one after.
var (
	bracketed = lazyregexp.New(`\[(\d{4}(?:-\d{2}(?:-\d{2})?)?)\]`)
	beginning = lazyregexp.New(`(?i)(?:^|\P{L})(?:since|from|starting|as of|effective|seit|ab|desde|a partir de|depuis|dès|à partir d[eu]|` +
		`dal(?:l[ao])?|da|desde|с|со|начиная с|từ|kể từ|منذ|ابتداء من)\s+[^.;,]{0,40}$|[从自]\S{0,12}$`)
	beginningBehind = lazyregexp.New(`^\s*(?:起|以来|开始|から|以降|부터)`)
	ending          = lazyregexp.New(`(?i)(?:^|\P{L})(?:until|till|through|up to|bis(?: zum)?|hasta|jusqu'(?:au|en|à)|fino a[ld]?|até|` +
		`до|по|đến|cho đến|حتى)\s+[^.;,]{0,40}$|到\S{0,12}$`)
	endingBehind = lazyregexp.New(`^\s*(?:为止|まで|까지)`)
)

// Expired reports whether a statement names a last day that is over at a time.
func (r Reading) Expired(at time.Time) bool {
	return !r.To.IsZero() && !at.Before(r.To.AddDate(0, 0, 1))
}

// validity returns the first and the last day on which a statement says that it holds; zero for what it does not say.
func validity(said string) (from, to time.Time) {
	for _, at := range bracketed.FindAllStringSubmatchIndex(said, -1) {
		first, last, ok := period(said[at[2]:at[3]])
		if !ok {
			continue
		}
		before, behind := said[:at[0]], said[at[1]:]
		if i := strings.LastIndexByte(before, ']'); i >= 0 {
			before = before[i+1:]
		}
		switch {
		case ending.MatchString(before), endingBehind.MatchString(behind):
			to = last
		case beginning.MatchString(before), beginningBehind.MatchString(behind):
			from = first
		}
	}
	first, last := fullValidity(said)
	if from.IsZero() {
		from = first
	}
	if to.IsZero() {
		to = last
	}
	return from, to
}

// period returns the first and the last day of a year, month or day.
func period(date string) (first, last time.Time, ok bool) {
	for layout, next := range map[string]func(time.Time) time.Time{
		"2006":        func(t time.Time) time.Time { return t.AddDate(1, 0, 0) },
		"2006-01":     func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
		time.DateOnly: func(t time.Time) time.Time { return t.AddDate(0, 0, 1) },
	} {
		if t, err := time.Parse(layout, date); err == nil {
			return t, next(t).AddDate(0, 0, -1), true
		}
	}
	return first, last, false
}

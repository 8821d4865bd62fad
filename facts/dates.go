package facts

import (
	"strings"
	"time"

	"reverie/language/cue"
	"reverie/language/date"
	"reverie/language/lazyregexp"
)

// Words directly before or after a full date that say which end of a period it is.
const (
	fillers = `(?:(?:the|de[mnr]|l[aeo]|el|o|zum|día|dia|ngày|يوم)\s+){0,2}$`
	sinces  = `since|starting|as of|effective|seit|ab|desde|a partir del?|depuis|dès|à partir d[eu]|kể từ|từ|منذ|ابتداء من|начиная с`
	froms   = `from|vom|von|del?|du|dal|da|с|со|من`
	untils  = `until|till|through|bis|hasta|jusqu['’]a?u?e?n?|jusqu['’]à|fino al?|até|до|đến|cho đến|حتى`
	tos     = `to|au|al?|ao|по|إلى`
)

var (
	sinceFull = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:` + sinces + `)\s+` + fillers + `|[从從自]$`)
	fromFull  = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:` + froms + `)\s+` + fillers)
	untilFull = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:` + untils + `)\s+` + fillers + `|(?:直到|截至|截止到)$`)
	toFull    = lazyregexp.New(`(?i)^\s*(?:` + untils + `|` + tos + `)\s+` + fillers + `|^\s*[到至]$`)
	// loneFrom matches "from" where it says since when something holds, and not which letter is meant: "the letter from".
	loneFrom = lazyregexp.New(`(?i)\bfrom\s+(?:the\s+)?$`)
	mentions = lazyregexp.New(`(?i)(?:^|\b(?:the|an?|my|our|his|her|their|your|this|that|from)\s+)[\p{L}'-]+\s+from\s+(?:the\s+)?$`)
	hasYear  = lazyregexp.New(`(?:19|20)\d\d`)
)

// fullDates are the full dates of a statement with what is around them.
type fullDates struct {
	said  string
	dates []date.Full
	moves cue.Marks // words that say that something has changed
}

// fullValidity returns the first and the last day on which a statement says that it holds, by its full dates.
func fullValidity(said string) (from, to time.Time) {
	if !hasYear.MatchString(said) {
		return from, to
	}
	lang := cue.LanguageOf(said)
	f := fullDates{said: said, dates: date.FullDates(said, lang)}
	if len(f.dates) == 0 {
		return from, to
	}
	for _, m := range cue.Find(said, lang) {
		if m.Kind == cue.Change || m.Kind == cue.Correct {
			f.moves = append(f.moves, m)
		}
	}
	for i, d := range f.dates {
		switch {
		case f.ends(i) || i > 0 && f.pairs(i-1):
			to = d.Last
		case f.begins(i):
			from = d.First
		}
	}
	return from, to
}

// before returns the text between a date and the one before it, from the beginning of the text for the first one.
func (f fullDates) before(i int) string {
	start := 0
	if i > 0 {
		start = f.dates[i-1].End
	}
	return f.said[start:f.dates[i].Start]
}

// after returns the text between a date and the next one, to the end of the text for the last one.
func (f fullDates) after(i int) string {
	if i+1 < len(f.dates) {
		return f.before(i + 1)
	}
	return f.said[f.dates[i].End:]
}

// ends reports whether a date is the end of a period: "until …". What is postponed until a day does not hold until then.
func (f fullDates) ends(i int) bool {
	if endingBehind.MatchString(f.after(i)) {
		return true
	}
	at := untilFull.FindStringIndex(f.before(i))
	if at == nil {
		return false
	}
	start := f.dates[i].Start - len(f.before(i)) + at[0]
	for _, m := range f.moves {
		if m.End <= start && strings.TrimSpace(f.said[m.End:start]) == "" || // "postponed until", "bis … verschoben"
			m.Start >= f.dates[i].End && strings.TrimSpace(f.said[f.dates[i].End:m.Start]) == "" {
			return false
		}
	}
	return true
}

// pairs reports whether a date and the next one are the ends of a period: "from … to …". What moves from one day to another has none.
func (f fullDates) pairs(i int) bool {
	if i+1 >= len(f.dates) || !f.opens(i) {
		return false
	}
	return f.ends(i+1) || toFull.MatchString(f.before(i+1)) && len(f.moves) == 0
}

// opens reports whether a word for a beginning is before or after a date.
func (f fullDates) opens(i int) bool {
	before := f.before(i)
	return sinceFull.MatchString(before) || fromFull.MatchString(before) || beginningBehind.MatchString(f.after(i))
}

// begins reports whether a date is the beginning of a period.
func (f fullDates) begins(i int) bool {
	if f.pairs(i) {
		return true
	}
	if i+1 < len(f.dates) && len(strings.Fields(f.after(i))) <= 2 { // "from … on …": it is moved
		return false
	}
	before := f.before(i)
	return sinceFull.MatchString(before) || beginningBehind.MatchString(f.after(i)) || loneFrom.MatchString(before) && !mentions.MatchString(before)
}

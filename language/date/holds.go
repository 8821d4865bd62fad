package date

import (
	"strings"
	"time"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// Words directly before a date that say which end of a period it is, in several languages.
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

// A date in brackets completes the words in front of it: "since March [2026-03]". The word that introduces them may be some words before.
var (
	bracketed      = lazyregexp.New(`\[(\d{4}(?:-\d{2}(?:-\d{2})?)?)\]`)
	sinceBracketed = lazyregexp.New(`(?i)(?:^|\P{L})(?:` + sinces + `|from|dal(?:l[ao])?|da|с|со)\s+[^.;,]{0,40}$|[从自]\S{0,12}$`)
	untilBracketed = lazyregexp.New(`(?i)(?:^|\P{L})(?:` + untils + `|up to|fino ad|по)\s+[^.;,]{0,40}$|到\S{0,12}$`)
)

// Words after a date that say which end of a period it is. までに is "by".
var (
	sinceBehind = lazyregexp.New(`^\s*(?:起|以来|开始|から|以降|부터)`)
	untilBehind = lazyregexp.New(`^\s*(?:为止|まで(?:[^に]|$)|까지)`)
)

// Holds returns the first and the last day on which a statement says that it holds; zero for what it does not say. Dates count with their
// year, or with the date in brackets that Complete adds. A deadline is not a last day.
func Holds(statement string) (from, to time.Time) {
	lang := cue.LanguageOf(statement)
	for _, at := range bracketed.FindAllStringSubmatchIndex(statement, -1) {
		first, last, ok := bracketedPeriod(statement[at[2]:at[3]])
		if !ok {
			continue
		}
		before, behind := statement[:at[0]], statement[at[1]:]
		if i := strings.LastIndexByte(before, ']'); i >= 0 {
			before = before[i+1:]
		}
		switch {
		case untilBracketed.MatchString(before), untilBehind.MatchString(behind):
			if !isDeadline(statement, lang, at[0]) {
				to = last
			}
		case sinceBracketed.MatchString(before), sinceBehind.MatchString(behind):
			from = first
		}
	}
	first, last := holdsInFull(statement, lang)
	if from.IsZero() {
		from = first
	}
	if to.IsZero() {
		to = last
	}
	return from, to
}

// bracketedPeriod returns the first and the last day of a year, month or day.
func bracketedPeriod(date string) (first, last time.Time, ok bool) {
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

// isDeadline reports whether the limit that the date at a byte of a statement belongs to is a deadline: its clause has a word for what is
// done by then.
func isDeadline(statement, lang string, at int) bool {
	s := newStatementReader(statement, lang, time.Unix(0, 0)) // any time: no date is resolved
	if s == nil || len(s.lexicon.due.globs)+len(s.lexicon.due.tree.next) == 0 {
		return false
	}
	begin := 0
	for begin < len(s.words) {
		if from, _ := s.folded.Origin(s.words[begin].start, s.words[begin].end); from >= at {
			break
		}
		begin++
	}
	due, ends := s.mark(&s.lexicon.due, func(int) string { return "" }), s.listen()
	isEnd := func(i int) bool { return ends[i] == "clause" || ends[i] == "sentence" }
	first, last := begin, begin
	for first > 0 && !isEnd(first-1) {
		first--
	}
	for last < len(s.words) && !isEnd(last) {
		last++
	}
	for i := first; i < last; i++ {
		if due[i] != "" {
			return true
		}
		for _, parted := range s.lexicon.dueParted {
			if s.text(i) == parted[0] && s.text(last-1) == parted[1] {
				return true
			}
		}
	}
	return false
}

// fullDates are the full dates of a statement with what is around them.
type fullDates struct {
	said  string
	dates []fullDate
	moves cue.Marks // words that say that something has changed
}

// holdsInFull is Holds by the dates of a statement that have a year.
func holdsInFull(said, lang string) (from, to time.Time) {
	if !hasYear.MatchString(said) {
		return from, to
	}
	f := fullDates{said: said, dates: findFullDates(said, lang)}
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
			if !isDeadline(said, lang, d.Start) {
				to = d.Last
			}
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
	if untilBehind.MatchString(f.after(i)) {
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
	return sinceFull.MatchString(before) || fromFull.MatchString(before) || sinceBehind.MatchString(f.after(i))
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
	return sinceFull.MatchString(before) || sinceBehind.MatchString(f.after(i)) || loneFrom.MatchString(before) && !mentions.MatchString(before)
}

// fullDate is a date that a text names with its year.
type fullDate struct {
	Start, End  int // bytes of the text
	First, Last time.Time
}

// findFullDates returns the days and months that a text in a language, given by its tag as for Complete, names with a year, in order. All
// times are midnights in UTC.
func findFullDates(text, lang string) (found []fullDate) {
	s := newStatementReader(text, lang, time.Unix(0, 0)) // any time: it only decides which year is meant
	if s == nil {
		return nil
	}
	for i := 0; i < len(s.words); {
		p, n := stretch{}, 0
		if s.couldBeDate(i) {
			p, n = s.dated(i)
		}
		if n > 0 && s.hasYear(i, n) {
			end := s.words[i+n-1].end
			if last := s.words[i+n-1]; len(s.lexicon.particles) > 0 && last.number < 0 {
				end = last.start + len(firstOf(last.text))
			}
			from, to := s.folded.Origin(s.words[i].start, end)
			found = append(found, fullDate{from, to, p.from, p.to.AddDate(0, 0, -1)})
		}
		i += max(n, 1)
	}
	return found
}

// partly matches words for part of the time: one lives at two places by turns.
var partly = lazyregexp.New(`(?i)\b(?:during the week|on weekdays|(?:on|at|over) (?:the )?weekends?|in (?:the )?(?:summer|winter)s?|` +
	`half (?:of )?the (?:year|time)|part of the (?:year|time)|unter der woche|wochentags|am wochenende|` +
	`an (?:den )?wochenenden|im (?:sommer|winter)|en semaine|` +
	`le week-?end|les week-?ends|en (?:hiver|été|verano|invierno)|entre semana|(?:los )?fin(?:es)? de semana)\b|en été|平时|工作日|周末|夏天|冬天`)

// moves match a change of the place, which happens once: "moved over the weekend".
var moves = lazyregexp.New(`(?i)\b(?:moved|relocated|joined|started|gezogen|umgezogen|zog|gewechselt|déménag|emménag|` +
	`mud(?:é|ó|amos|ado))|搬|入职|跳槽`)

// HoldsPartly reports whether a clause holds only part of the time: on weekends, in summer.
func HoldsPartly(clause string) bool { return partly.MatchString(clause) && !moves.MatchString(clause) }

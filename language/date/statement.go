package date

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language/fold"
)

// Insertion is a date in brackets, to be inserted at an offset of a text.
type Insertion struct {
	Offset int    // in bytes
	Text   string // with a space before it, except in Chinese, Japanese and Korean
	// DayOnly is set when the words name only the day of a month ("on the 14th"): the month may have been named before.
	DayOnly bool
}

// Complete returns a statement with the absolute date inserted in brackets after each relative or incomplete one: "We
// fly next Friday [2026-03-20]". It changes nothing else, and nothing in a text that it has completed. See Insertions.
func Complete(text, lang string, at time.Time) string {
	return Insert(text, Insertions(text, lang, at))
}

// Insert returns a text with insertions, which are in order.
func Insert(text string, all []Insertion) string {
	var b strings.Builder
	end := 0
	for _, in := range all {
		b.WriteString(text[end:in.Offset])
		b.WriteString(in.Text)
		end = in.Offset
	}
	b.WriteString(text[end:])
	return b.String()
}

// Insertions finds the relative and incomplete dates of a statement, in order. The statement was made at the given
// time, in the zone of the speaker, in a language given by its tag: en zh de es fr pt it ja ko vi ru ar. In any other
// there are none.
//
// Brackets are as precise as the words: [2026-03-20], [week of 2026-03-16], [2026-03-14 to 2026-03-15], [2026-03],
// [2026]. Weeks begin on Monday. Days without a week and dates without a year are past or to come by the tense of their
// clause. "Next Friday" is the one of the next week, also if said on a Tuesday, as are its Russian and Chinese
// counterparts; where both readings are common, as in "nächsten Freitag", it is completed only if they agree.
//
// Full dates, quoted ones, vague ones ("soon"), repeated ones ("every Friday", birthdays) and dates relative to another
// event are not completed.
func Insertions(text, lang string, at time.Time) []Insertion {
	text, completed := withoutBrackets(text)
	s := newStatementReader(text, lang, at)
	if s == nil {
		return nil
	}
	return outside(completed, s.insertions())
}

// NamesMonth reports whether a statement names a month, alone or in a date.
func NamesMonth(text, lang string) bool {
	text, _ = withoutBrackets(text)
	s := newStatementReader(text, lang, time.Unix(0, 0)) // any time: it only decides which year is meant
	if s == nil {
		return false
	}
	for i := range s.words {
		if s.isMonth(i) || s.read(i).month {
			return true
		}
	}
	return false
}

// newStatementReader returns nil for an unknown language.
func newStatementReader(text, lang string, at time.Time) *statementReader {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	read := lexicons[lang]
	if read == nil {
		return nil
	}
	// Days are counted in UTC, where each has a midnight.
	year, month, day := at.Date()
	at = time.Date(year, month, day, at.Hour(), at.Minute(), 0, 0, time.UTC)
	folded := fold.Fold(text)
	s := &statementReader{lexicon: read(), quoted: quotations(text)}
	s.periodReader = periodReader{
		source: text, folded: folded, words: withoutAbbreviations(lex(folded.Text)), now: at, months: s.lexicon.months, tense: s.tenseAt,
	}
	for i := range s.words {
		s.words[i].text = s.lexicon.fold(s.words[i].text)
	}
	return s
}

// brackets matches what Complete inserts.
var brackets = regexp.MustCompile(` *\[(?:week of )?\d{4}(?:-\d\d(?:-\d\d(?: to \d{4}-\d\d-\d\d)?)?)?\]`)

// bracket is a date in brackets that was cut out of a text: its length, and its offset in the rest.
type bracket struct{ offset, length int }

// Uncompleted returns a text as it was before Complete.
func Uncompleted(text string) string {
	text, _ = withoutBrackets(text)
	return text
}

// withoutBrackets returns a text without the brackets of dates already completed.
func withoutBrackets(text string) (string, []bracket) {
	if !strings.Contains(text, "[") {
		return text, nil
	}
	var rest strings.Builder
	var cut []bracket
	end := 0
	for _, at := range brackets.FindAllStringIndex(text, -1) {
		rest.WriteString(text[end:at[0]])
		cut = append(cut, bracket{rest.Len(), at[1] - at[0]})
		end = at[1]
	}
	rest.WriteString(text[end:])
	return rest.String(), cut
}

// outside maps insertions to the text with its brackets and drops those where one is.
func outside(cut []bracket, all []Insertion) []Insertion {
	if len(cut) == 0 {
		return all
	}
	kept := all[:0]
	shift := 0
	for _, in := range all {
		for len(cut) > 0 && cut[0].offset < in.Offset {
			shift += cut[0].length
			cut = cut[1:]
		}
		if len(cut) == 0 || cut[0].offset > in.Offset {
			in.Offset += shift
			kept = append(kept, in)
		}
	}
	return kept
}

// statementReader finds dates in a statement.
type statementReader struct {
	periodReader
	lexicon *lexicon
	quoted  [][2]int // bytes of the source
	reach   int      // lexeme after the date at the current position
	signals []string // see listen
	// arranging holds for each lexeme the kind of the word of arranging that begins there.
	arranging []string
}

// reading is a date in a statement.
type reading struct {
	next, end int // lexeme and folded byte after it; next is 0 if there is no date
	stretch
	ok   bool // it is known, and incomplete
	kind string
	day  bool // it names a day of a month
	// monthOnly, yearOnly and weekday: it names nothing more precise.
	month, yearOnly, weekday bool
}

func (s *statementReader) insertions() []Insertion {
	var found []Insertion
	var before context
	last := 0 // lexeme after the last date
	for i := 0; i < len(s.words); {
		d := s.read(i)
		if d.next == 0 {
			i++
			continue
		}
		if slices.Contains(s.listen()[last:i+1], "sentence") {
			before = context{}
		}
		last = d.next
		from, to := s.folded.Origin(s.words[i].start, d.end)
		if d.ok && s.isFree(i, d) && !s.isQuoted(from) && !before.governs(d) {
			text := "[" + format(d.stretch) + "]"
			if !s.lexicon.tight {
				text = " " + text
			}
			found = append(found, Insertion{Offset: to, Text: text, DayOnly: d.kind == "nth"})
		}
		if d.ok {
			before.far = before.far || d.from.Sub(s.now) > 7*24*time.Hour || s.now.Sub(d.to) > 7*24*time.Hour ||
				!s.isDay(d.stretch) && (d.from.After(s.now) || d.to.Before(s.now))
			before.month = before.month || d.month
			before.otherYear = before.otherYear || d.yearOnly && d.from.Year() != s.now.Year()
		}
		i = d.next
	}
	return found
}

// context summarizes the dates before another one in its sentence.
type context struct {
	far       bool // one is more than a week away, or in another week
	otherYear bool // one is another year
	month     bool // one names a month
}

// governs reports whether a date without a week or year may be relative to one before it: "last year I moved, in May",
// "they land on the 20th and go back on Tuesday", "they marry in August, on the 23rd".
func (c context) governs(d reading) bool {
	return c.otherYear && d.month || c.month && d.kind == "nth" || c.far && isWord(d.kind, fromTense)
}

// read reads the date that begins at lexeme i.
func (s *statementReader) read(i int) reading {
	s.position, s.given = i, 0
	d := s.readOne(i)
	switch {
	case d.yearOnly: // last year in May
		j := d.next
		for inner := s.inYear(j, d.from.Year()); j < len(s.words); inner = s.inYear(j, d.from.Year()) {
			if inner.month {
				return inner
			}
			if !isWord(s.text(j), betweenDates) {
				break
			}
			j++
		}
	case d.month: // in May of last year
		j := d.next
		for j < len(s.words) && isWord(s.text(j), betweenDates) {
			j++
		}
		s.position = j
		if year := s.readOne(j); year.ok && year.yearOnly {
			if inner := s.inYear(i, year.from.Year()); inner.month {
				inner.next, inner.end = year.next, year.end
				return inner
			}
		}
	case d.weekday && !d.from.IsZero():
		d = s.withDay(d)
	}
	s.position = i
	return d
}

// withDay reads a day of the month after a weekday, as in "Friday, the 20th". If in English or German the number may also
// count something, as in "Friday 20 guests", the date is unknown.
func (s *statementReader) withDay(d reading) reading {
	j := d.next
	for j < len(s.words) && (s.text(j) == "," || isWord(s.text(j), dayWords)) {
		j++
	}
	number, next := s.number(j), j+1
	if number < 1 || number > 31 || s.lexicon.tight || isWord(s.text(next), hours) {
		return d
	}
	end := s.words[j].end
	if next < len(s.words) && s.words[next].glued && isWord(s.text(next), ordinals) {
		end = s.words[next].end
		next++
	}
	month := next
	if isWord(s.text(month), ofMonth) || s.text(month) == "." {
		month++
	}
	if s.isMonth(month) {
		return d
	}
	step := 7
	if isWord(d.kind, fromTense) && s.tenseAt() == pastTense {
		step = -7
	}
	counts := s.lexicon.capitals || len(s.lexicon.after) > 0 // English or German
	for week := range 5 {
		p := stretch{d.from.AddDate(0, 0, step*week), d.to.AddDate(0, 0, step*week)}
		if p.from.Day() != number {
			continue
		}
		first, _ := utf8.DecodeRuneInString(s.text(next))
		if counts && j == d.next && unicode.IsLetter(first) && end == s.words[j].end && !isWord(s.text(next), inWords) {
			d.ok = false
			return d
		}
		d.stretch, d.next, d.end, d.ok = p, next, end, true
		if s.lexicon.capitals && s.text(next) == "." {
			d.next, d.end = next+1, s.words[next].end
		}
		return d
	}
	if !counts && j == d.next && (next == len(s.words) || s.listen()[next] == "clause" || s.listen()[next] == "sentence") {
		d.ok = false // a day of some other month, as in "el lunes 7"
	}
	return d
}

// fromTense are the kinds of weekdays without a week.
var fromTense = fields(`on alone timed`)

// hours may follow a number that is a time of day.
var hours = fields(`: uhr h hs hrs am pm horas ore heures ч час часов часа giờ`)

func (s *statementReader) isMonth(i int) bool {
	_, ok := s.monthAt(i)
	return ok
}

// betweenDates are the words between a month and its year.
var betweenDates = fields(`, of de del do dell ' of in im le в の`)

// inYear reads a date with a month, in a given year.
func (s *statementReader) inYear(i, year int) reading {
	s.position, s.given = i, year
	d := s.readOne(i)
	s.given = 0
	return d
}

// readOne reads one expression at lexeme i.
func (s *statementReader) readOne(i int) reading {
	var d reading
	if i >= len(s.words) {
		return d
	}
	if s.couldBeDate(i) {
		s.reach = i + 1
		if _, n := s.dated(i); n > 0 {
			s.reach = i + n // on which the tense may depend
			p, _ := s.dated(i)
			d = reading{next: i + n, end: s.words[i+n-1].end, stretch: p, kind: "date", day: s.isDay(p)}
			if last := s.words[i+n-1]; len(s.lexicon.particles) > 0 && last.number < 0 {
				d.end = last.start + len(firstOf(last.text))
			}
			d.ok = !s.hasYear(i, n) && (s.given > 0 || !s.recurs("yearly")) && !s.isFar(p)
			d.month = !s.hasYear(i, n)
		}
	}
	got := s.match(&s.lexicon.patterns, captured{next: i})
	if got.means == nil || got.next <= d.next || s.goesOn(got) {
		return d
	}
	s.reach = got.next
	d = reading{next: got.next, end: got.end, kind: got.means.kind, day: len(got.days) > 0}
	if len(got.months) > 0 {
		if _, n := s.yearAfter(got.next); n > 0 && s.hasYear(got.next, n) {
			d.next += n
			return d
		}
	}
	d.stretch, d.ok = s.resolve(got)
	d.month = len(got.months) > 0
	d.yearOnly = d.kind == "unit" && got.means.unit == oneYear || d.kind == "ago" && got.unit == oneYear
	d.weekday = got.hasDay
	return d
}

// goesOn reports whether the text after a pattern is a part of another expression: a number after a month, a noun or a
// month after the day of a month, a measure word after a Chinese weekday.
func (s *statementReader) goesOn(got captured) bool {
	next := s.text(got.next)
	switch got.means.kind {
	case "date":
		return len(got.days) == 0 && s.number(got.next) > 0 && s.number(got.next) <= 31
	case "nth":
		_, month := s.monthAt(got.next)
		return month || s.isNumeric(got.next) || isWord(next, ofMonth) || s.beginsNoun(got.next)
	}
	return got.hasDay && s.lexicon.tight && isWord(next, counted)
}

// isNumeric reports whether lexeme i is a number, or a mark of a date before one.
func (s *statementReader) isNumeric(i int) bool {
	return s.number(i) >= 0 || (s.text(i) == "/" || s.text(i) == ".") && s.number(i+1) >= 0
}

// beginsNoun reports whether lexeme i may begin what is counted.
func (s *statementReader) beginsNoun(i int) bool {
	return len(s.lexicon.after) > 0 && !s.standsAlone(i) || s.lexicon.capitals && i < len(s.words) && s.isCapital(i)
}

// ofMonth may come between the day of a month and its month.
var ofMonth = fields(`of de tháng`)

// couldBeDate reports whether lexeme i can begin a date with a day of a month, a month's number or a year.
func (s *statementReader) couldBeDate(i int) bool {
	if s.number(i) >= 0 {
		return true
	}
	if _, ok := s.monthAt(i); ok {
		_, short := shortMonths[s.text(i)]
		return !short || s.number(i+1) >= 0
	}
	return s.text(i) == "ngày" || s.text(i) == "tháng" || s.text(i) == "năm"
}

// isFree reports whether the date at lexeme i is independent: it is not part of a name such as friday-demo, no possessive,
// and not followed by a more precise date, in brackets or not.
func (s *statementReader) isFree(i int, d reading) bool {
	if i > 0 && s.words[i].glued &&
		(isWord(s.text(i-1), nameSigns) || i > 1 && s.words[i-1].glued && isWord(s.text(i-1), joiners)) {
		return false
	}
	j := d.next
	if j < len(s.words) && s.words[j].glued && d.end == s.words[j-1].end &&
		(isWord(s.text(j), nameSigns) || j+1 < len(s.words) && s.words[j+1].glued && (isWord(s.text(j), joiners) || s.text(j) == "'")) {
		return false
	}
	if s.text(j) == "(" && s.number(j+1) >= 0 {
		return false
	}
	if d.kind == "date" || d.kind == "range" {
		return true
	}
	for j < len(s.words) && (s.text(j) == "," || s.text(j) == "、" || isWord(s.text(j), fillWords) || isWord(s.text(j), dayWords)) {
		j++
	}
	return j >= len(s.words) || !s.read(j).day
}

var (
	joiners   = fields(`- / . :`)
	nameSigns = fields(`_ @ # \ =`)
)

// isQuoted reports whether the source byte is inside quotation marks.
func (s *statementReader) isQuoted(at int) bool {
	i, found := slices.BinarySearchFunc(s.quoted, at, func(q [2]int, at int) int { return q[0] - at })
	return found || i > 0 && at < s.quoted[i-1][1]
}

// closers maps opening quotation marks to closing ones.
var closers = map[rune]string{
	'"': `"`, '`': "`", '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』", '《': "》",
}

// quotations returns the ranges of a text inside quotation marks, in order.
func quotations(text string) [][2]int {
	var found [][2]int
	from, closing := 0, ""
	for i, r := range text {
		switch {
		case r == '\n':
			closing = ""
		case closing != "" && strings.ContainsRune(closing, r):
			found = append(found, [2]int{from, i})
			closing = ""
		case closing == "":
			from, closing = i, closers[r]
		}
	}
	return found
}

package grounding

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language"
)

// values checks numbers, dates and names.
func (c *checking) values() {
	whole := strings.Contains(c.said.squeezed, squeezed(brackets.ReplaceAllString(stripped(c.lineText()), "")))
	for _, s := range c.line.sentences {
		for _, d := range s.dates {
			c.date(d, s)
		}
	}
	for _, n := range c.line.numbers {
		s := c.line.sentences[c.line.clauses[n.clause].sentence]
		i := slices.IndexFunc(s.dates, func(d day) bool { return d.start <= n.start && n.start < d.end })
		switch {
		case i >= 0 && s.dates[i].year > 0: // a resolved date
		case !whole && c.replaces(n):
			c.fault(Number, n.text)
		case i < 0 && !n.unsure:
			c.number(n, whole)
		}
	}
	c.nameValues(whole)
	c.runNames()
}

func (c *checking) lineText() string {
	var b strings.Builder
	for _, s := range c.line.sentences {
		b.WriteString(s.text)
	}
	return b.String()
}

// date checks one date of the line.
func (c *checking) date(d day, s sentence) {
	if s.text[d.start:d.end] == "may" { // the verb
		return
	}
	if d.month > 0 && d.day > 0 {
		days := []int{d.year}
		if d.year == 0 {
			days = []int{c.day.Year()}
		}
		for _, y := range days {
			if c.isDayOfMessage(dateKey(y, d.month, d.day)) {
				return
			}
		}
	}
	key := d
	key.start, key.end = 0, 0
	held, known := c.held[key]
	if !known {
		for i := range c.said.sentences {
			if c.said.calendarOf(i).has(d) {
				held = append(held, i)
			}
		}
		c.held[key] = held
	}
	if len(held) == 0 || !c.near(held, c.anchors(-1, -1)) {
		c.fault(Date, strings.TrimSpace(s.text[d.start:d.end]))
	}
}

func dateKey(year, month, day int) string { return dateOf(year, month, day).Format("2006-01-02") }

func (g *Ground) isDayOfMessage(key string) bool {
	if g.days == nil {
		g.days = map[string]bool{g.day.Format(time.DateOnly): true}
		for _, p := range g.said.passages {
			g.days[p.at.Format(time.DateOnly)] = true
		}
	}
	return g.days[key]
}

// anchor is a word of the line that the sources have too.
type anchor struct {
	terms []int // of the sources
	gap   int   // from the value, in the line; negative: before it
}

// maxAnchors is the number of words next to a value that are looked up in the sources.
const maxAnchors = 4

// anchors returns the words of the line that the sources have, the nearest to a position first. -1: all of a sentence.
func (c *checking) anchors(at, clause int, except ...string) []anchor {
	var out []anchor
	for _, t := range c.line.terms {
		if !t.content || slices.Contains(except, t.forms[0]) {
			continue
		}
		if clause >= 0 && t.clause != clause {
			continue
		}
		if found := c.said.having(t); len(found) > 0 {
			gap := t.at - at
			if at < 0 {
				gap = 0
			}
			out = append(out, anchor{found, gap})
		}
	}
	slices.SortStableFunc(out, func(a, b anchor) int { return cmp.Compare(abs(a.gap), abs(b.gap)) })
	if at >= 0 {
		out = out[:min(len(out), maxAnchors)]
	}
	return out
}

func abs(n int) int { return max(n, -n) }

// maxOccurrences bounds how often one word is looked up.
const maxOccurrences = 256

// having returns the terms of a speech that share a form with t.
func (s *speech) having(t term) []int {
	key := ""
	if len(t.forms) > 1 {
		key = strings.Join(t.forms, " ")
		if out, known := s.found[key]; known {
			return out
		}
	}
	var out []int
	for i, form := range t.forms {
		found := s.index[form]
		found = found[:min(len(found), maxOccurrences)]
		if len(found) == 0 {
			continue
		}
		if out == nil && i == len(t.forms)-1 {
			out = found
			break
		}
		out = append(slices.Clip(out), found...)
	}
	if len(t.forms) > 1 {
		slices.Sort(out)
		out = slices.Compact(out)
		s.found[key] = out
	}
	return out
}

// near reports whether one of the sentences, or one next to it in the same message, has an anchor. Without anchors, as in a line
// of another language, it is true.
func (c *checking) near(sentences []int, anchors []anchor) bool {
	if len(anchors) == 0 || c.isAbroad() {
		return true
	}
	for _, a := range anchors {
		for _, t := range a.terms {
			at := c.said.clauses[c.said.terms[t].clause].sentence
			from, _ := slices.BinarySearch(sentences, at-1)
			for _, s := range sentences[from:min(len(sentences), from+3)] {
				if abs(s-at) <= 1 && c.said.sentences[s].passage == c.said.sentences[at].passage {
					return true
				}
			}
		}
	}
	return false
}

// number checks one number of the line.
func (c *checking) number(n mention, whole bool) {
	var held []int
	for _, k := range n.keys {
		held = append(held, c.said.byNumber[k]...)
	}
	slices.Sort(held)
	held = slices.Compact(held)
	if len(held) == 0 {
		for _, k := range n.keys {
			if c.times[k] || c.isHeading && strings.HasPrefix(k, "t:") {
				return
			}
			if year := atoi(k); year >= 1900 && year <= 2100 &&
				(c.isAbroad() && len(c.said.byNumber[strconv.Itoa(year%100)]) > 0 || c.hasYear(year)) {
				return
			}
		}
		code := Number
		if slices.ContainsFunc(n.keys, func(k string) bool { return len(c.answered.byNumber[k]) > 0 }) {
			code = Assistant
		}
		c.fault(code, n.text)
		return
	}
	if whole || c.isHeading {
		return
	}
	if c.ofOthers(n, held) {
		c.fault(Person, n.text)
		return
	}
	if !c.fitsUnit(n, held) || !c.bound(n, held, c.said.numbers, func(o mention) bool {
		return !slices.ContainsFunc(o.keys, func(k string) bool { return slices.Contains(n.keys, k) })
	}) {
		c.fault(Number, n.text)
	}
}

// ofOthers reports whether a number of somebody's is, in every source, one of somebody else's.
func (c *checking) ofOthers(n mention, held []int) bool {
	mine := c.line.clauses[n.clause].kin
	if len(mine) == 0 {
		return false
	}
	for _, h := range held {
		s := c.said.clauses[c.said.numbers[h].clause]
		if len(s.kin) == 0 || slices.ContainsFunc(s.kin, func(k kin) bool { return k.wider == "" || slices.ContainsFunc(mine, k.matches) }) {
			return false
		}
	}
	return true
}

// flank is the number of characters compared on each side of a value.
const flank = 6

// replaces reports whether the line is a sentence of a source with another number in its place.
func (c *checking) replaces(n mention) bool {
	text, start := c.lineText(), n.start
	for _, s := range c.line.sentences[:c.line.clauses[n.clause].sentence] {
		start += len(s.text)
	}
	if start+len(n.text) > len(text) || n.text == "" || n.text[0] < '0' || n.text[0] > '9' {
		return false
	}
	before, after := []rune(squeezed(text[:start])), []rune(squeezed(text[start+len(n.text):]))
	before, after = before[max(0, len(before)-flank):], after[:min(len(after), flank)]
	if (len(before) < 2 || len(after) < 2 || len(before)+len(after) < flank) && max(len(before), len(after)) < flank {
		return false
	}
	digits, others := squeezed(n.text), false
	runs := wholeRuns
	if strings.Contains(digits, ".") {
		runs = dottedRuns
	}
	if len(before) > 0 && unicode.IsDigit(before[len(before)-1]) {
		before = append(before, '.')
	}
	if len(after) > 0 && unicode.IsDigit(after[0]) {
		after = append([]rune{'.'}, after...)
	}
	text = c.said.squeezed
	for _, at := range c.said.runsOf(runs) {
		if !strings.HasSuffix(text[:at[0]], string(before)) || !strings.HasPrefix(text[at[1]:], string(after)) {
			continue
		}
		if text[at[0]:at[1]] == digits {
			return false
		}
		from, to := at[0]-len(string(before)), at[1]+len(string(after))
		others = others || strings.Contains(c.messages, text[from:to]) || !c.saidByUser(n) // a message may bring a document up to date
	}
	return others
}

// Digits in squeezed text.
var (
	wholeRuns  = regexp.MustCompile(`\d+`)
	dottedRuns = regexp.MustCompile(`\d+(?:\.\d+)+`)
)

// runsOf returns the digits in the squeezed text.
func (s *speech) runsOf(kind *regexp.Regexp) [][]int {
	if s.runs == nil {
		s.runs = map[*regexp.Regexp][][]int{}
	}
	if _, known := s.runs[kind]; !known {
		s.runs[kind] = kind.FindAllStringIndex(s.squeezed, -1)
	}
	return s.runs[kind]
}

// isAbroad reports whether most words of the line are in no source, as in a line of another language. Its values cannot be compared
// by the words next to them.
func (c *checking) isAbroad() bool {
	if c.known == nil {
		share := c.share(c.said, c.answered)
		c.known = &share
	}
	return *c.known < sure
}

// share returns the share of the words of the line that one of the speeches has.
func (c *checking) share(in ...*speech) float64 {
	known, all := 0, 0
	for _, t := range c.line.terms {
		if t.content {
			all++
			if slices.ContainsFunc(in, func(s *speech) bool { return len(s.having(t)) > 0 }) {
				known++
			}
		}
	}
	if all == 0 {
		return 1
	}
	return float64(known) / float64(all)
}

// fitsUnit reports whether a number with a unit after it has that unit in a source too, or is the whole of an answer there, unless
// no source has the unit after a number.
func (c *checking) fitsUnit(n mention, held []int) bool {
	unit := unitAfter(c.line, n)
	if unit == "" {
		return true
	}
	used, counts := false, true
	for i, o := range c.said.numbers {
		if c.said.unit(i, o) == unit {
			used = true
			if slices.Contains(held, i) {
				return true
			}
		}
	}
	for _, h := range held {
		o := c.said.numbers[h]
		r, _ := firstRune(o.text)
		counts = counts && (c.said.unit(h, o) != "" || !unicode.IsDigit(r) && !c.isAnswer(o))
	}
	return !used || !counts
}

// isAnswer reports whether a number stands in a short answer to a question.
func (c *checking) isAnswer(n mention) bool {
	s := c.said.sentences[c.said.clauses[n.clause].sentence]
	return !s.isLead && c.said.passages[s.passage].lead != "" && (n.start <= 1 || len(strings.Fields(s.text)) <= 3)
}

// unit returns what the number at an index counts.
func (s *speech) unit(i int, n mention) string {
	if len(s.units) < len(s.numbers) {
		s.units = make([]*string, len(s.numbers))
	}
	if s.units[i] == nil {
		unit := unitAfter(s, n)
		s.units[i] = &unit
	}
	return *s.units[i]
}

// unitAfter returns what a number counts: the unit of time, the word or, in a script without spaces, the character after it.
func unitAfter(s *speech, n mention) string {
	text := s.sentences[s.clauses[n.clause].sentence].text
	rest := text[min(len(text), n.start+len(n.text)):]
	if len(rest) > 32 {
		rest = strings.ToValidUTF8(rest[:32], "")
	}
	rest = strings.TrimLeft(rest, " -.")
	if found := units.in(rest); len(found) > 0 && found[0].start == 0 {
		return found[0].value
	}
	r, _ := firstRune(rest)
	if isRun(r) {
		return string(r)
	}
	if words := wordsOf(rest); len(words) > 0 && words[0].start == 0 && unicode.IsLetter(r) {
		if word := rest[:words[0].end]; !language.FunctionWords[word].Has(s.in) {
			return trimmedUnit(word)
		}
	}
	return ""
}

// trimmedUnit removes the plural of a unit.
func trimmedUnit(word string) string {
	word = strings.TrimRight(bare(word), "se")
	return word
}

func (c *checking) hasYear(year int) bool {
	var held []int
	for i := range c.said.sentences {
		if c.said.calendarOf(i).years[year] {
			held = append(held, i)
		}
	}
	return len(held) > 0 && c.near(held, c.anchors(-1, -1))
}

// reach is the distance within which a number belongs to a word of another sentence.
const reach = 160

// bound reports whether a value of the line belongs to what the line says of it: it stands near one of its neighbours in a
// source, and no other value of the same kind is nearer to that neighbour.
func (c *checking) bound(v mention, held []int, kind []mention, rival func(mention) bool) bool {
	anchors := c.anchors(v.at, v.clause, v.keys...)
	if len(anchors) == 0 || c.isAbroad() {
		return true
	}
	for _, a := range anchors {
		for _, t := range a.terms {
			w := c.said.terms[t]
			for _, h := range held {
				if abs(kind[h].at-w.at) > reach {
					continue
				}
				in := c.said.clauses[w.clause].sentence
				o := kind[h]
				at := c.said.clauses[o.clause].sentence
				switch {
				case c.said.sentences[at].passage != c.said.sentences[in].passage || abs(o.at-w.at) > reach:
				case c.nearest(v, o, w, a.gap, kind, rival):
					return true
				}
			}
		}
	}
	return c.onlyInDocuments(anchors, held, kind) || c.besideOthers(v, held, kind)
}

// saidByUser reports whether a message has a number.
func (c *checking) saidByUser(n mention) bool {
	return slices.ContainsFunc(n.keys, func(k string) bool {
		return slices.ContainsFunc(c.said.byNumber[k], func(h int) bool { return !c.isDocument(c.said.numbers[h].clause) })
	})
}

// onlyInDocuments reports whether only documents speak of what the line says, while a message has the value: the message may bring
// a document up to date.
func (c *checking) onlyInDocuments(anchors []anchor, held []int, kind []mention) bool {
	for _, a := range anchors {
		for _, t := range a.terms {
			if !c.isDocument(c.said.terms[t].clause) {
				return false
			}
		}
	}
	return slices.ContainsFunc(held, func(h int) bool { return !c.isDocument(kind[h].clause) })
}

// isDocument reports whether a clause of the sources is in a document.
func (c *checking) isDocument(clause int) bool {
	return c.said.passages[c.said.sentences[c.said.clauses[clause].sentence].passage].document
}

// besideOthers reports whether a value stands in one passage with words of another clause of the line.
func (c *checking) besideOthers(v mention, held []int, kind []mention) bool {
	for _, a := range c.anchors(v.at, v.clause, v.keys...) {
		for _, t := range a.terms {
			w := c.said.terms[t]
			from := sort.Search(len(kind), func(i int) bool { return kind[i].at >= w.at-4*perWord })
			if from < len(kind) && kind[from].at <= w.at+4*perWord && !kind[from].unsure {
				return false // the word has another number
			}
		}
	}
	for i := range c.line.clauses {
		if i == v.clause {
			continue
		}
		for _, a := range c.anchors(v.at, i, v.keys...) {
			for _, t := range a.terms {
				w := c.said.terms[t]
				for _, h := range held {
					if o := kind[h]; c.said.sentences[c.said.clauses[o.clause].sentence].passage ==
						c.said.sentences[c.said.clauses[w.clause].sentence].passage && abs(o.at-w.at) <= reach {
						return true
					}
				}
			}
		}
	}
	return false
}

// nearest reports whether no rival of o is nearer to the word w. A rival does not count if the line has it near the word too, or
// if it is on the other side of the word than o, where the line has the value.
func (c *checking) nearest(v, o mention, w term, gap int, kind []mention, rival func(mention) bool) bool {
	distance := abs(o.at - w.at)
	in := c.said.clauses[w.clause].sentence
	sameSide := (o.at < w.at) == (gap > 0)
	from := sort.Search(len(kind), func(i int) bool { return kind[i].at > w.at-distance })
	for _, r := range kind[from:] {
		if r.at >= w.at+distance {
			break
		}
		if r.unsure || r.at == w.at || c.said.clauses[r.clause].sentence != in || abs(r.at-w.at) >= distance || !rival(r) ||
			c.inLine(r, v, gap) {
			continue
		}
		if sameSide && (r.at < w.at) != (o.at < w.at) && abs(r.at-w.at) > 2*perWord {
			continue
		}
		return false
	}
	return true
}

// inLine reports whether the line has a rival too, nearer than v to the word at a gap from v.
func (c *checking) inLine(r, v mention, gap int) bool {
	for _, list := range [][]mention{c.line.numbers, c.line.names} {
		for _, n := range list {
			if slices.Contains(r.keys, n.keys[0]) && abs(n.at-v.at-gap) <= abs(gap) {
				return true
			}
		}
	}
	return false
}

// nameValues checks the names of the line that are written in capital letters.
func (c *checking) nameValues(whole bool) {
	german := c.line.in == language.German
	for _, n := range c.line.names {
		if c.isPlain(n, german) {
			continue
		}
		held, found := c.heardName(n)
		if !found {
			switch {
			case c.isHeading && len(c.line.names) > 0 && !c.inAnswers(n):
			case n.initial && !c.looksLikeName(n):
			case c.inAnswers(n):
				c.fault(Assistant, n.text)
			default:
				c.fault(Name, n.text)
			}
			continue
		}
		if whole || c.isHeading || len(held) == 0 || n.initial && !c.capitalised(n) {
			continue
		}
		if c.isPersonName(n) && c.taken(n) || c.replacesName(n) {
			c.fault(Name, n.text)
		}
	}
}

// surePerson is the weight of the words that a sentence must share with the line to say the same of somebody: two words.
const surePerson = 4

// taken reports whether what the line says of a person is said of others: each source sentence with most words of the line names
// another person nearer to them.
func (c *checking) taken(n mention) bool {
	same := func(o mention) bool { return slices.Contains(n.keys, o.keys[0]) || slices.Contains(o.keys, n.keys[0]) }
	clause := n.clause
	if !slices.ContainsFunc(c.line.names, func(o mention) bool { return o.keys[0] != n.keys[0] && c.isPersonName(o) }) {
		clause = -1 // the only person of the line
	}
	words := map[int]int{} // by sentence
	nearest := map[int]term{}
	best := 0
	for _, t := range c.line.terms {
		if !t.content || clause >= 0 && t.clause != clause || slices.Contains(t.forms, n.keys[0]) || c.said.persons[t.forms[0]] {
			continue
		}
		last := -1
		for _, o := range c.said.having(t) {
			w := c.said.terms[o]
			if in := c.said.clauses[w.clause].sentence; in != last {
				last = in
				words[in] += t.weight
				best = max(best, words[in])
				if _, known := nearest[in]; !known {
					nearest[in] = w
				}
			}
		}
	}
	for _, m := range c.line.numbers {
		if m.unsure || clause >= 0 && m.clause != clause {
			continue
		}
		counted := map[int]bool{}
		for _, k := range m.keys {
			for _, h := range c.said.byNumber[k] {
				o := c.said.numbers[h]
				in := c.said.clauses[o.clause].sentence
				if !counted[in] {
					counted[in] = true
					words[in] += surePerson
					best = max(best, words[in])
					if _, known := nearest[in]; !known {
						nearest[in] = term{at: o.at}
					}
				}
			}
		}
	}
	if best < surePerson {
		return false
	}
	others := false
	for in, count := range words {
		if count < best {
			continue
		}
		near := nearest[in]
		if c.pronounOnly(in) {
			in-- // she, he: the sentence before names the person
		}
		mine, other := 1<<30, 1<<30
		from := sort.Search(len(c.said.names), func(i int) bool { return c.said.clauses[c.said.names[i].clause].sentence >= in })
		for i := from; i < len(c.said.names) && c.said.clauses[c.said.names[i].clause].sentence == in; i++ {
			o := &c.said.names[i]
			distance := abs(o.at - near.at)
			if same(*o) {
				mine = min(mine, distance)
			} else if c.said.persons[o.keys[0]] && !c.inLine(*o, n, 1<<20) {
				other = min(other, distance)
			}
		}
		if mine <= other || other == 1<<30 {
			return false
		}
		others = true
	}
	return others
}

// pronounOnly reports whether a sentence says something of a person whom only the sentence before it names.
func (c *checking) pronounOnly(in int) bool {
	if in == 0 || c.said.sentences[in-1].passage != c.said.sentences[in].passage {
		return false
	}
	if slices.ContainsFunc(c.said.names, func(n mention) bool { return c.said.clauses[n.clause].sentence == in && c.said.persons[n.keys[0]] }) {
		return false
	}
	return slices.ContainsFunc(c.said.clauses, func(s clause) bool { return s.sentence == in && s.third })
}

// isPersonName reports whether a name of the line is used for a person, there or in a source.
func (c *checking) isPersonName(n mention) bool {
	return c.said.persons[n.keys[0]] || c.line.persons[n.keys[0]]
}

// replacesName reports whether the line has a name where a sentence of a source has another word between the same words.
func (c *checking) replacesName(n mention) bool {
	text := c.line.sentences[c.line.clauses[n.clause].sentence].text
	before, after, found := strings.Cut(text, light(n.text))
	left, right := []rune(squeezed(before)), []rune(squeezed(after))
	left, right = left[max(0, len(left)-flank):], right[:min(len(right), flank)]
	if !found || len(left) < flank || len(right) < flank {
		return false
	}
	name, others := squeezed(n.text), false
	for rest := c.said.squeezed; ; {
		at := strings.Index(rest, string(left))
		if at < 0 {
			return others
		}
		rest = rest[at+len(string(left)):]
		end := strings.Index(rest[:min(len(rest), 4*flank)], string(right))
		if end < 0 {
			continue
		}
		if strings.Contains(rest[:end], name) {
			return false
		}
		others = others || end > 2
	}
}

// relations checks "my brother Max": the name next to a relation must be in a sentence with that relation, if any source has a
// name next to it.
func (c *checking) relations() {
	for _, s := range c.line.sentences {
		for _, f := range people.in(s.text) {
			is, wider, _ := strings.Cut(f.value, "/")
			k := kin{is, wider}
			w := bare(wordAfter(s.text, f.end))
			rest, found := withoutPossessive(w)
			if found {
				w = rest
			}
			isName := slices.ContainsFunc(c.line.names, func(n mention) bool { return n.keys[0] == w }) || c.said.follows(w)
			if !isName || len(c.said.index[w]) == 0 {
				continue
			}
			adjacent, together := false, false
			for _, o := range c.said.kinPlaces() {
				if !k.matches(o.kin) {
					continue
				}
				adjacent = adjacent || o.next != ""
				together = together || slices.ContainsFunc(c.said.index[w], func(t int) bool {
					return c.said.clauses[c.said.terms[t].clause].sentence == o.sentence
				})
			}
			if adjacent && !together {
				c.fault(Name, w)
			}
		}
	}
}

// wordAfter returns the word after a position in a text.
func wordAfter(text string, at int) string {
	rest := strings.TrimLeft(text[at:], " ,:")
	if words := wordsOf(rest); len(words) > 0 && words[0].start == 0 && !words[0].isRun {
		return rest[:words[0].end]
	}
	return ""
}

// kinPlace is a relation in a sentence, with the content word after it.
type kinPlace struct {
	kin
	sentence int
	next     string // folded; empty: a function word, or nothing
}

// kinPlaces returns the relations of a speech.
func (s *speech) kinPlaces() []kinPlace {
	if s.places == nil {
		s.places = []kinPlace{}
		for i, o := range s.sentences {
			for _, f := range people.in(o.text) {
				is, wider, _ := strings.Cut(f.value, "/")
				p := kinPlace{kin: kin{is, wider}, sentence: i}
				if next := wordAfter(o.text, f.end); language.FunctionWords[next] == 0 {
					p.next = bare(next)
				}
				s.places = append(s.places, p)
			}
		}
	}
	return s.places
}

// follows reports whether a word in Arabic letters, which have no capitals, stands next to a relation.
func (s *speech) follows(word string) bool {
	r, _ := firstRune(word)
	return unicode.Is(unicode.Arabic, r) && slices.ContainsFunc(s.kinPlaces(), func(p kinPlace) bool { return p.next == word })
}

// isPlain reports whether a word in capital letters is no name.
func (c *checking) isPlain(n mention, german bool) bool {
	word := n.keys[0]
	if plain[word] || generic[word] || language.FunctionWords[light(n.text)] != 0 && n.initial {
		return true
	}
	lower := light(n.text)
	if len(monthNames.in(lower)) > 0 || len(weekdayNames.in(lower)) > 0 || len(relativeDays.in(lower)) > 0 || len(people.in(lower)) > 0 ||
		len(holidays.in(lower)) > 0 {
		return true
	}
	if _, isNumber := wordNumber(lower); isNumber {
		return true
	}
	if german {
		return c.isGermanNoun(n)
	}
	return len(word) <= maxAcronym && n.text == strings.ToUpper(n.text) && c.isAbroad()
}

// maxAcronym is the length of words in capital letters that a line in another language may have for words of the source: HR, GP.
const maxAcronym = 4

// heardName returns the names of the sources that are the same, and whether the word occurs at all.
func (c *checking) heardName(n mention) (held []int, found bool) {
	for _, k := range n.keys {
		found = found || len(c.said.index[k]) > 0
	}
	runes := []rune(n.keys[0])
	found = found || c.names[light(n.text)] || len(runes) >= stem && c.said.stems[string(runes[:stem])]
	if !found {
		return nil, c.isTransliterated() || slices.ContainsFunc(namesAbroad()[n.keys[0]], func(other string) bool {
			return strings.Contains(c.said.squeezed, other)
		})
	}
	for i, o := range c.said.names {
		if slices.ContainsFunc(o.keys, func(k string) bool { return slices.Contains(n.keys, k) }) {
			held = append(held, i)
		}
	}
	return held, true
}

func (c *checking) capitalised(n mention) bool {
	return slices.ContainsFunc(c.said.names, func(o mention) bool { return o.keys[0] == n.keys[0] && !o.initial })
}

func (c *checking) inAnswers(n mention) bool { return len(c.answered.index[n.keys[0]]) > 0 }

// looksLikeName reports whether the first word of a sentence is used as a name: "Karl is", "Karl's", "Karl Maier", "Karl: ".
func (c *checking) looksLikeName(n mention) bool {
	if strings.HasSuffix(light(n.text), "'s") {
		return true
	}
	text := c.line.sentences[c.line.clauses[n.clause].sentence].text
	_, rest, _ := strings.Cut(text, light(n.text))
	if strings.HasPrefix(rest, ":") && len(c.names) > 0 {
		return true
	}
	word := strings.TrimRight(firstWord(rest), ",.;:")
	if n.isVerbLike() {
		return false
	}
	return predicates[bare(word)] && !copulas[bare(word)] || strings.HasPrefix(rest, ",") && len([]rune(n.text)) > 2
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(s, " "), " ")
	return word
}

// isVerbLike reports whether a word has an ending of English verbs.
func (n mention) isVerbLike() bool {
	w := n.keys[0]
	return strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ed")
}

// copulas follow common nouns as often as names: "Deadline is", "Budget was".
var copulas = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`is was has had will can needs takes goes does ist war hat est a était es tiene era está é tem era está è ha là có`) {
		out[bare(word)] = true
	}
	return out
}()

// predicates follow a name that is a subject.
var predicates = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`is was has had likes lives works wants loves hates prefers broke needs will can does plays goes takes left said says went got took came told gave keeps wants thinks made did owns drinks eats
		ist hat war wohnt arbeitet mag isst trinkt kommt est a était habite travaille aime vit mange es tiene vive trabaja era está come bebe
		é tem mora trabalha gosta era está è ha vive lavora abita ama mangia là có sống làm thích живёт живет работает любит имеет ест`) {
		out[bare(word)] = true
	}
	return out
}()

// nounEndings are endings of German nouns that are no names.
var nounEndings = strings.Fields(`ung ungen heit keit schaft tion tionen ismus ität tät nis zeit
	woche jahr stunde stunden arbeit haus kurs wagen küche schule arzt termin amt geld essen`)

// isGermanNoun reports whether a German word in capital letters is a common noun: an article or a preposition with one stands
// before it, it has an ending of nouns, or a word of the sources contains it.
func (c *checking) isGermanNoun(n mention) bool {
	word := n.keys[0]
	if len([]rune(word)) < 3 {
		return false
	}
	if slices.ContainsFunc(c.line.numbers, func(m mention) bool { return n.at-m.at > 0 && n.at-m.at <= 2*perWord && m.clause == n.clause }) {
		return true
	}
	for _, ending := range nounEndings {
		if strings.HasSuffix(word, bare(ending)) && len(word) > len(ending)+1 {
			return true
		}
	}
	text := c.line.sentences[c.line.clauses[n.clause].sentence].text
	before, _, _ := strings.Cut(text, light(n.text))
	words := strings.Fields(before)
	for i := len(words) - 1; i >= max(0, len(words)-2); i-- {
		if determiners[words[i]] {
			return true
		}
		if !slices.ContainsFunc(adjectiveEndings, func(e string) bool { return strings.HasSuffix(words[i], e) }) {
			break
		}
	}
	runes := []rune(word)
	if len(runes) >= 5 {
		stem := string(runes[:min(len(runes), 6)])
		return strings.Contains(c.said.squeezed, stem) || strings.Contains(c.said.squeezed, string(runes[:4]))
	}
	return false
}

var (
	adjectiveEndings = strings.Fields("e en er es em")
	determiners      = func() map[string]bool {
		out := map[string]bool{}
		for word := range strings.FieldsSeq(`der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen
			meinem meiner sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere im am zum zur beim vom ins ans jede jeder jeden
			jedes alle viele zwei drei vier fünf mehr weniger dieser diese dieses diesen pro per als ohne keinerlei`) {
			out[word] = true
		}
		return out
	}()
)

// runNames checks names in scripts without capital letters: katakana, and characters inside of a line in another script.
func (c *checking) runNames() {
	if c.isTransliterated() {
		return
	}
	text := c.lineText()
	foreign := !mostlyRun(text)
	for _, m := range introducedSpaced.FindAllStringSubmatch(text, -1) {
		if name := m[1] + m[2]; !strings.Contains(c.said.squeezed, squeezed(name)) {
			c.fault(Name, name)
		}
	}
	for _, w := range wordsOf(text) {
		if !w.isRun {
			continue
		}
		run := text[w.start:w.end]
		if foreign {
			if utf8.RuneCountInString(run) > 1 && !strings.Contains(c.said.squeezed, squeezed(run)) && !c.isHeading {
				c.fault(Name, run)
			}
			continue
		}
		c.runPersons(run)
		for _, kana := range strings.FieldsFunc(run, func(r rune) bool { return !unicode.Is(unicode.Katakana, r) && r != 'ー' }) {
			if utf8.RuneCountInString(kana) > 1 && !plainKana[kana] && !strings.Contains(c.said.squeezed, squeezed(kana)) {
				c.fault(Name, kana)
			}
		}
	}
}

// introduced match names in Chinese and Korean by the words around them.
var introduced = regexp.MustCompile(`(?:和|跟|与|叫|叫做|名叫|找|同事|朋友|给)([赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹潘葛范彭鲁韦马苗方俞任袁柳唐薛贺倪汤罗齐郝康余顾孟黄萧尹姚邵汪毛戴宋庞熊杜阮蓝贾江郭梅林钟徐邱骆高夏蔡田胡霍万卢丁邓洪包崔龚程邢陆翁侯段雷钱叶黎白赖刘龙曾]\p{Han}{1,2}?)(?:一起|说|的|是|也|在|去|来|，|。|$)`)

// introducedSpaced match names in Korean and Arabic.
var introducedSpaced = regexp.MustCompile(`([\p{Hangul}]{2,4}) (?:씨|님|쌤)(?:[^\p{Hangul}]|와|과|가|는|이|를|의|$)|(?:اسمه|اسمها|اسمي|يدعي|تدعي) (\p{Arabic}+)`)

// runPersons checks names of persons in a run without spaces.
func (c *checking) runPersons(run string) {
	for _, m := range introduced.FindAllStringSubmatch(run, -1) {
		if name := m[1]; !strings.Contains(c.said.squeezed, name) {
			c.fault(Name, name)
		}
	}
}

var plainKana = map[string]bool{"ユーザー": true, "メモ": true, "アレルギー": true, "アシスタント": true}

func mostlyRun(text string) bool {
	runs, letters := 0, 0
	for _, r := range text {
		if isRun(r) {
			runs += 4
		} else if unicode.IsLetter(r) {
			letters++
		}
	}
	return runs > letters
}

// claims compares each clause with the clauses of the sources that share most words with it.
func (c *checking) claims(whole bool) {
	if c.isAbroad() && (c.isTransliterated() || c.said.isLatin && c.line.in != c.said.in) {
		return
	}
	for i := range c.line.clauses {
		l := c.line.clauses[i]
		if !whole || !c.isQuoted { // the words may be part of a sentence that says the opposite, or that is about somebody else
			c.claim(l)
		}
	}
	if !whole {
		c.relations()
	}
}

// claimed is the comparison of a clause with a speech: the clauses with the most common words.
type claimed struct {
	clauses []int
	share   float64
	words   int
	common  int // weight of the common words
}

func (c *checking) compare(l clause, s *speech, accept func(clause) bool) claimed {
	score, touched := s.counters()
	total, words := 0, 0
	for _, t := range c.line.terms[l.start:l.end] {
		if !t.content || c.isSpeaker(t) {
			continue
		}
		if c.said.persons[t.forms[0]] || c.line.in != language.German && slices.ContainsFunc(c.line.names, func(n mention) bool { return n.at == t.at }) {
			t.weight = 1 // what is said weighs more than of whom
		}
		total += t.weight
		words++
		last := -1
		for _, o := range s.having(t) { // in order
			if at := s.terms[o].clause; at != last {
				last = at
				if score[at] == 0 {
					touched = append(touched, at)
				}
				score[at] += t.weight
			}
		}
	}
	out := claimed{words: words}
	best := 0
	for _, at := range touched {
		n := score[at]
		score[at] = 0
		if accept != nil && !accept(s.clauses[at]) {
			continue
		}
		switch {
		case n > best:
			best, out.clauses = n, []int{at}
		case n == best:
			out.clauses = append(out.clauses, at)
		}
	}
	if slices.ContainsFunc(out.clauses, func(at int) bool { return !s.clauses[at].isLead }) {
		out.clauses = slices.DeleteFunc(out.clauses, func(at int) bool { return s.clauses[at].isLead })
	}
	if total > 0 {
		out.share = float64(best) / float64(total)
		out.common = best
	}
	return out
}

// counters returns a counter for each clause, all zero, and an empty list.
func (s *speech) counters() (counts, touched []int) {
	if len(s.counts) < len(s.clauses) {
		s.counts = make([]int, len(s.clauses))
	}
	return s.counts, nil
}

// isSpeaker reports whether a term is the name of a speaker of the group.
func (c *checking) isSpeaker(t term) bool {
	return slices.ContainsFunc(t.forms, func(form string) bool {
		for name := range c.names {
			if rest, found := strings.CutPrefix(form, bare(name)); found && (rest == "" || rest == "s") {
				return true
			}
		}
		return false
	})
}

// The shares of a clause's words that make clauses alike.
const (
	alike = .4
	sure  = .5
)

func (c *checking) claim(l clause) {
	if c.kinUnheard(l) {
		return
	}
	best := c.compare(l, c.said, nil)
	if len(best.clauses) == 0 || best.share < alike {
		if l.negated && !l.either && best.words > 0 && !c.said.negates {
			c.fault(Negation, c.textOf(l))
		}
		if heard := c.compare(l, c.answered, nil); heard.share >= .6 && heard.words > 1 && best.share*3 <= heard.share {
			c.fault(Assistant, c.textOf(l))
		}
		return
	}
	c.polarity(l, best)
	c.subject(l, best)
	c.speaker(l, best)
}

// statements counts the clauses of the line that have words.
func (c *checking) statements() int {
	n := 0
	for _, l := range c.line.clauses {
		if slices.ContainsFunc(c.line.terms[l.start:l.end], func(t term) bool { return t.content }) {
			n++
		}
	}
	return n
}

func (c *checking) textOf(l clause) string {
	return strings.TrimSpace(c.line.sentences[l.sentence].text)
}

func (c *checking) polarity(l clause, best claimed) {
	if best.common < 2 && best.share < .6 {
		return
	}
	for _, at := range best.clauses {
		s := c.said.clauses[at]
		if s.either || l.either || s.negated == l.negated || l.negated && s.adverse || s.negated && l.adverse {
			return
		}
	}
	for _, at := range best.clauses { // another clause of the sentence may say it
		in := c.said.clauses[at].sentence
		beside := c.compare(l, c.said, func(s clause) bool { return s.sentence == in && s.negated == l.negated })
		if beside.common >= 2 {
			return
		}
	}
	// A message may take back what a document says.
	news := c.compare(l, c.said, func(s clause) bool { return !c.said.passages[c.said.sentences[s.sentence].passage].document })
	if news.common >= 2 && slices.ContainsFunc(news.clauses, func(at int) bool { return c.said.clauses[at].negated == l.negated }) {
		return
	}
	c.fault(Negation, c.textOf(l))
}

// kinUnheard reports whether a clause names a relation that no source names.
func (c *checking) kinUnheard(l clause) bool {
	for _, k := range l.kin {
		if k.wider != "" && !slices.ContainsFunc(c.said.clauses, func(s clause) bool { return slices.ContainsFunc(s.kin, k.matches) }) {
			c.fault(Person, k.is)
			return true
		}
	}
	return false
}

// subject compares whom the clauses are about.
func (c *checking) subject(l clause, best claimed) {
	if best.share < sure || best.common <= 2 && !l.explicit && c.statements() > 1 && !mostlyRun(c.lineText()) {
		return
	}
	kinOver := append(slices.Clone(l.kin), c.kinAbove()...)
	isOther := len(kinOver) > 0 || l.third && !l.explicit || c.startsWithName(l) || c.startsWithNameAbove()
	if !isOther && !l.explicit && (c.hasTopic(l) || len(c.names) > 0) {
		return
	}
	for _, at := range best.clauses {
		s := c.said.clauses[at]
		document := c.said.passages[c.said.sentences[s.sentence].passage].document
		switch {
		case s.isLead:
			return
		case isOther && len(kinOver) == 0:
			return // names are checked as values
		case isOther:
			if len(s.kin) == 0 && (!s.self || s.third || document) || c.kinNear(s, kinOver) ||
				slices.ContainsFunc(kinOver, func(k kin) bool { return k.wider == "" }) {
				return
			}
		default:
			if s.self || document && len(s.kin) == 0 || !s.third && !s.subject && !(s.byLead && l.explicit) {
				return
			}
			if !l.explicit && len(s.kin) == 0 { // "it matters": whose the line is cannot be known
				return
			}
		}
	}
	c.fault(Person, c.textOf(l))
}

// kinNear reports whether a clause, or another one of its passage if it has no relation itself, names one of the relations.
func (c *checking) kinNear(s clause, list []kin) bool {
	named := func(o clause) bool {
		return slices.ContainsFunc(o.kin, func(k kin) bool { return slices.ContainsFunc(list, k.matches) })
	}
	if len(s.kin) > 0 {
		return named(s)
	}
	passage := c.said.sentences[s.sentence].passage
	return slices.ContainsFunc(c.said.clauses, func(o clause) bool { return c.said.sentences[o.sentence].passage == passage && named(o) })
}

// hasTopic reports whether a clause in Japanese, Korean or Arabic may have another subject than the user: these languages leave
// out the subject and have no capital letters that show a name.
func (c *checking) hasTopic(l clause) bool {
	text := c.line.sentences[l.sentence].text
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Hangul, unicode.Arabic) })
}

func (c *checking) kinAbove() []kin {
	var out []kin
	for _, l := range c.context.clauses {
		out = append(out, l.kin...)
	}
	return out
}

// startsWithName reports whether a clause begins with a name of the sources.
func (c *checking) startsWithName(l clause) bool {
	for _, n := range c.line.names {
		if c.line.clauses[n.clause].sentence == l.sentence && n.initial && !c.isPlain(n, false) && c.capitalised(n) {
			return true
		}
	}
	return false
}

func (c *checking) startsWithNameAbove() bool {
	return slices.ContainsFunc(c.context.names, func(n mention) bool { return c.capitalised(n) || c.names[light(n.text)] })
}

// speaker checks in a group that what a line says about a speaker rests on that speaker's messages, or on one that names them.
func (c *checking) speaker(l clause, best claimed) {
	if len(c.names) == 0 || best.share < sure {
		return
	}
	who := c.speakerOf(l)
	if who == "" {
		return
	}
	theirs := c.compare(l, c.said, func(s clause) bool {
		sent := c.said.sentences[s.sentence]
		return !s.isLead && c.said.passages[sent.passage].speaker == who || strings.Contains(sent.text, who) || c.said.passages[sent.passage].document
	})
	if theirs.share*2 < best.share {
		c.fault(Person, who)
	}
}

// speakerOf returns the speaker that a line is about: named first in it, or above it.
func (c *checking) speakerOf(l clause) string {
	text := c.line.sentences[l.sentence].text
	for name := range c.names {
		if rest, found := strings.CutPrefix(strings.TrimLeft(text, " \"“«「*"), name); found {
			rest = strings.TrimPrefix(rest, "s")
			if r, _ := firstRune(rest); !unicode.IsLetter(r) || isRun(r) {
				return name
			}
		}
	}
	for _, s := range c.context.sentences {
		for name := range c.names {
			if strings.TrimRight(strings.TrimSpace(s.text), ":：") == name {
				return name
			}
		}
	}
	return ""
}

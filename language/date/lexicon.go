package date

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"reverie/language/fold"
)

// The files of words describe how one language says dates in statements, a rule a line: "meaning: pattern, pattern".
// A pattern is a sequence of words and slots: <day> a day of the week, <month> a name of a month, <m> its number, <d> a
// day of the month, <n> a count, <unit> a unit of the calendar. "(a|b)" expands to several patterns; alternatives may be
// empty.
//
// Meanings of patterns:
//
//	day N, week N, weekend N, month N, year N   N units from the current one; with <day> or <d>, that day of the week or
//	                  month
//	ago, ahead        <n> <unit> before or after today
//	on                the latest or coming <day>, by the tense of the clause
//	alone             the same, if no noun can follow: only before the words of "after"
//	timed             the same, if a time of day follows, which begins with a word of "at"
//	coming, latest    the first <day> after, or before, today
//	this              the <day> of this week, if it is still to come, or past and told in the past
//	next, last        the <day> of the next or last week, unless the coming or latest one is another
//	date              <d> of <month>, or a <month>; the year by the tense of the clause
//	nth               <d> of a month, by the tense of the clause
//	range             <d> to <d> of <month>
//	none              not a date
//
// Meanings of words, which may begin or end with *:
//
//	past, future      decide the tense of a clause; "neutral" words decide nothing, although they look like them
//	limit             the end of a time; the future, unless the clause speaks about the past
//	due               words whose limit is a deadline ("bis Freitag abgeben"), where one word says until and by; "due parted", verbs with
//	                  their particle at the end of the clause: "gibt ab"
//	arranging         verbs and nouns for which a date may be the day arranged, not the one on which it was done: "booked"
//	arranging before, arranging after
//	                  those for which any date behind, or before, them in their clause is the day arranged, unless "occasion"
//	purpose           phrases before the day arranged: "for"; "purpose behind", what is written behind it
//	occasion          phrases before the day of arranging itself; "occasion behind", what is written behind it
//	at                phrases between a day and a time of day, which shows that something takes place then
//	habit             sentences in which days recur
//	yearly            sentences in which months and days of months recur
//	clause            words that begin a clause
//	particle          endings of a date's last word (Korean)
//	prefix            one-letter words written together with the next word (Arabic)
//
// "month", "weekday", "number" and "ordinal" list names in order, with _ for spaces; "unit day" and the like, those of units.
//
//go:embed words/*.txt
var wordFiles embed.FS

// slot is a variable part of a pattern.
type slot uint8

const (
	noSlot slot = iota
	weekdaySlot
	monthSlot
	monthNumberSlot
	daySlot
	countSlot
	unitSlot
	slotCount
)

var slotNames = map[string]slot{
	"day": weekdaySlot, "month": monthSlot, "m": monthNumberSlot, "d": daySlot, "n": countSlot, "unit": unitSlot,
}

// meaning is the meaning of a pattern: a kind, and a unit and an offset for the kind "unit".
type meaning struct {
	kind string
	fixedPeriod
}

// slotsOf holds the slots that a pattern of a kind must have, because its meaning reads them: all of one list.
var slotsOf = map[string][][]string{
	"ago": {{"<n>", "<unit>"}}, "ahead": {{"<n>", "<unit>"}}, "nth": {{"<d>"}},
	"date": {{"<month>"}, {"<m>"}}, "range": {{"<d>", "<d>", "<month>"}, {"<d>", "<d>", "<m>"}},
	"on": {{"<day>"}}, "alone": {{"<day>"}}, "timed": {{"<day>"}}, "this": {{"<day>"}}, "next": {{"<day>"}}, "last": {{"<day>"}},
	"coming": {{"<day>"}, {"<month>"}, {"<m>"}}, "latest": {{"<day>"}, {"<month>"}, {"<m>"}},
}

// isComplete reports whether a pattern without alternatives has the slots of the meaning.
func (m *meaning) isComplete(pattern string) bool {
	lists, some := slotsOf[m.kind]
	return !some || slices.ContainsFunc(lists, func(list []string) bool {
		rest := pattern
		for _, name := range list {
			before, after, found := strings.Cut(rest, name)
			if !found {
				return false
			}
			rest = before + after
		}
		return true
	})
}

// node is a node of a tree of patterns, with an edge for each lexeme or slot.
type node struct {
	next  map[string]*node
	slots [slotCount]*node
	means *meaning
}

func (n *node) child(text string) *node {
	if n.next == nil {
		n.next = make(map[string]*node)
	}
	if n.next[text] == nil {
		n.next[text] = &node{}
	}
	return n.next[text]
}

// glob is a word with a variable beginning or end.
type glob struct {
	prefix, suffix, inside string
	means                  *meaning
}

func (g glob) matches(word string) bool {
	if g.inside != "" {
		return strings.Contains(word, g.inside)
	}
	return len(word) > len(g.prefix)+len(g.suffix) && strings.HasPrefix(word, g.prefix) && strings.HasSuffix(word, g.suffix)
}

// wordSet is a set of words and phrases with meanings.
type wordSet struct {
	tree  node
	globs []glob
}

// lexicon holds the words of one language.
type lexicon struct {
	months    map[string]time.Month
	weekdays  map[string]int
	numbers   map[string]int
	ordinals  map[string]int
	units     map[string]calendarUnit
	particles map[string]bool
	prefixes  map[string]bool
	after     map[string]bool
	longer    map[string]bool // the first lexemes of names of several
	patterns  node            // of dates
	signals   wordSet         // about tense, habits and clauses
	arranging wordSet
	due       wordSet
	dueParted [][2]string // verb and particle
	purposes  node        // before dates that are arranged
	occasions node        // before dates of arranging
	at        node        // before times of day
	// purposesBehind and occasionsBehind are the same behind dates.
	purposesBehind, occasionsBehind []string
	tight                           bool // brackets follow a date without a space
	capitals                        bool // nouns are written with a capital
	fold                            func(string) string
}

// lexicons maps languages to their words, read on first use.
var lexicons = func() map[string]func() *lexicon {
	found := make(map[string]func() *lexicon)
	for _, lang := range fields(`en zh de es fr pt it ja ko vi ru ar`) {
		found[lang] = sync.OnceValue(func() *lexicon { return readLexicon(lang) })
	}
	return found
}()

var unitsByName = map[string]calendarUnit{
	"day": oneDay, "week": oneWeek, "weekend": oneWeekend, "month": oneMonth, "year": oneYear,
}

// readLexicon reads the words of a language. It panics if the file is wrong.
func readLexicon(lang string) *lexicon {
	content, err := wordFiles.ReadFile("words/" + lang + ".txt")
	if err != nil {
		panic(err)
	}
	x := &lexicon{
		months: make(map[string]time.Month), weekdays: make(map[string]int), numbers: make(map[string]int), ordinals: make(map[string]int),
		units: make(map[string]calendarUnit), particles: make(map[string]bool), prefixes: make(map[string]bool),
		after: make(map[string]bool), longer: make(map[string]bool), tight: lang == "zh" || lang == "ja" || lang == "ko",
		capitals: lang == "de", fold: func(word string) string { return word },
	}
	if lang == "ar" {
		x.fold = plainArabic.Replace
	}
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, list, ok := strings.Cut(line, ":")
		if !ok || !x.add(name, list) {
			panic(fmt.Sprintf("words/%s.txt: %q", lang, line))
		}
	}
	return x
}

// plainArabic removes vowel signs and writes all forms of alef as one.
var plainArabic = strings.NewReplacer("ً", "", "ٌ", "", "ٍ", "", "َ", "", "ُ", "", "ِ", "", "ّ", "", "ْ", "", "أ", "ا", "إ", "ا", "آ", "ا")

// add adds a line of a file of words; false if it has no meaning.
func (x *lexicon) add(name, list string) bool {
	name, argument, _ := strings.Cut(name, " ")
	switch {
	case argument == "" && isWord(name, fields(`month weekday number ordinal`)):
		for i, names := range splitList(list) {
			for _, word := range fields(names) {
				word = x.key(strings.ReplaceAll(word, "_", " "))
				switch name {
				case "month":
					x.months[word] = time.Month(i + 1)
				case "weekday":
					x.weekdays[word] = i
				case "number":
					x.numbers[word] = i + 1
				default:
					x.ordinals[word] = i + 1
				}
			}
		}
	case name == "unit":
		for _, word := range fields(list) {
			x.units[x.key(word)] = unitsByName[argument]
		}
	case isWord(name, fields(`particle prefix after`)):
		to := map[string]map[string]bool{"particle": x.particles, "prefix": x.prefixes, "after": x.after}[name]
		for _, word := range fields(list) {
			to[x.fold(fold.Text(word))] = true
		}
	case isWord(name, fields(`past future limit neutral habit yearly clause`)):
		x.addWords(&x.signals, name, list)
	case name == "due" && argument == "parted":
		for _, item := range splitList(list) {
			verb, particle, _ := strings.Cut(x.fold(fold.Text(item)), " ")
			x.dueParted = append(x.dueParted, [2]string{verb, particle})
		}
	case name == "due":
		x.addWords(&x.due, name, list)
	case name == "arranging":
		x.addWords(&x.arranging, strings.TrimSpace(name+" "+argument), list)
	case argument == "behind" && isWord(name, fields(`purpose occasion`)):
		to := map[string]*[]string{"purpose": &x.purposesBehind, "occasion": &x.occasionsBehind}[name]
		for _, word := range splitList(list) {
			*to = append(*to, x.fold(fold.Text(word)))
		}
	case isWord(name, fields(`purpose occasion at`)):
		to := map[string]*node{"purpose": &x.purposes, "occasion": &x.occasions, "at": &x.at}[name]
		for _, phrase := range splitList(list) {
			for _, p := range expand(phrase) {
				x.insert(to, p, &meaning{kind: name})
			}
		}
	default:
		m := &meaning{kind: name}
		if unit, ok := unitsByName[name]; ok {
			offset, err := strconv.Atoi(argument)
			if err != nil {
				return false
			}
			m = &meaning{"unit", fixedPeriod{unit, offset}}
		} else if !isWord(name, fields(`ago ahead on alone timed coming latest this next last date nth range none`)) {
			return false
		}
		for _, pattern := range splitList(list) {
			for _, p := range expand(pattern) {
				if !m.isComplete(p) {
					return false
				}
				x.insert(&x.patterns, p, m)
			}
		}
	}
	return true
}

// addWords adds words of one meaning to a set.
func (x *lexicon) addWords(to *wordSet, name, list string) {
	m := &meaning{kind: name}
	for _, item := range splitList(list) {
		for _, p := range expand(item) {
			if !strings.Contains(p, "*") {
				x.insert(&to.tree, p, m)
				continue
			}
			prefix, suffix, _ := strings.Cut(x.fold(fold.Text(p)), "*")
			g := glob{prefix: prefix, suffix: suffix, means: m}
			if inside, ok := strings.CutSuffix(suffix, "*"); ok {
				g = glob{inside: inside, means: m}
			}
			to.globs = append(to.globs, g)
		}
	}
}

// key is the key of a name in the maps of a lexicon: its lexemes, joined.
func (x *lexicon) key(name string) string {
	words := lex(x.fold(fold.Text(name)))
	if len(words) > 1 {
		x.longer[words[0].text] = true
	}
	return key(words)
}

// expand returns the patterns of a pattern with alternatives.
func expand(pattern string) []string {
	open := strings.LastIndexByte(pattern, '(')
	if open < 0 {
		return []string{strings.Join(strings.Fields(pattern), " ")}
	}
	length := strings.IndexByte(pattern[open:], ')')
	var all []string
	for alternative := range strings.SplitSeq(pattern[open+1:open+length], "|") {
		all = append(all, expand(pattern[:open]+alternative+pattern[open+length+1:])...)
	}
	return all
}

// insert adds a pattern to a tree. The first meaning of a pattern stays.
func (x *lexicon) insert(at *node, pattern string, m *meaning) {
	for pattern != "" {
		literal, rest, more := strings.Cut(pattern, "<")
		for _, l := range lex(x.fold(fold.Text(literal))) {
			at = at.child(l.text)
		}
		if pattern = rest; !more {
			break
		}
		name, rest, _ := strings.Cut(pattern, ">")
		s, ok := slotNames[name]
		if !ok {
			panic("no slot " + name)
		}
		if at.slots[s] == nil {
			at.slots[s] = &node{}
		}
		at, pattern = at.slots[s], rest
	}
	if at.means == nil {
		at.means = m
	}
}

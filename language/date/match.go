package date

import (
	"slices"
	"time"
	"unicode/utf8"
)

// captured holds the parts of a match.
type captured struct {
	means   *meaning
	next    int // lexeme after it
	end     int // folded byte after it
	weekday int
	hasDay  bool // weekday is set
	months  []time.Month
	days    []int
	count   int
	unit    calendarUnit
}

// match returns the longest pattern of a tree that begins at lexeme got.next.
func (s *statementReader) match(at *node, got captured) captured {
	best := got
	best.means = at.means
	if got.next >= len(s.words) {
		return best
	}
	try := func(child *node, more captured) {
		if longer := s.match(child, more); longer.means != nil && (best.means == nil || longer.next > best.next) {
			best = longer
		}
	}
	l := s.words[got.next]
	var buffer [4]string
	for _, text := range s.forms(buffer[:0], got.next) {
		if child := at.next[text]; child != nil {
			more := got
			more.next, more.end = got.next+1, l.end
			if len(s.lexicon.particles) > 0 {
				more.end = l.start + len(text)
			}
			try(child, more)
		}
		for kind, child := range at.slots {
			if child == nil {
				continue
			}
			if more, ok := s.fill(slot(kind), text, got); ok {
				try(child, more)
			}
		}
	}
	return best
}

// maxParticle is the maximum length of a particle, in bytes.
const maxParticle = 15

// forms appends lexeme i, and what it is without a particle after it or a one-letter word before it.
func (s *statementReader) forms(forms []string, i int) []string {
	text := s.words[i].text
	forms = append(forms, text)
	if len(s.lexicon.particles) > 0 {
		for cut := max(1, len(text)-maxParticle); cut < len(text); cut++ {
			if utf8.RuneStart(text[cut]) && s.lexicon.particles[text[cut:]] {
				forms = append(forms, text[:cut])
			}
		}
	}
	if len(s.lexicon.prefixes) > 0 {
		if first := firstOf(text); s.lexicon.prefixes[first] && len(text) > 2*len(first) {
			forms = append(forms, text[len(first):])
		}
	}
	return forms
}

// fill reads a slot at lexeme got.next, which has the given form.
func (s *statementReader) fill(kind slot, form string, got captured) (captured, bool) {
	i := got.next
	l := s.words[i]
	n := 0
	switch kind {
	case weekdaySlot:
		if got.weekday, n = longest(s, s.lexicon.weekdays, i, form); n == 0 {
			return got, false
		}
		if n == 1 && len(form) <= maxShort && (!s.isCapital(i) || i+1 < len(s.words) && s.isCapital(i+1)) { // sat, Sun Street
			return got, false
		}
		got.hasDay = true
	case monthSlot:
		month, taken := longest(s, s.lexicon.months, i, form)
		if n = taken; n == 0 {
			return got, false
		}
		got.months = append(slices.Clip(got.months), month)
	case unitSlot:
		if got.unit, n = longest(s, s.lexicon.units, i, form); n == 0 {
			return got, false
		}
	case countSlot:
		if got.count, n = s.count(i); n == 0 || got.count > maxAmount {
			return got, false
		}
	case monthNumberSlot, daySlot:
		value, taken := s.count(i)
		if l.number < 0 && !s.lexicon.tight {
			value, taken = longest(s, s.lexicon.ordinals, i, form)
		}
		if n = taken; n == 0 || kind == daySlot && value > 31 || kind == monthNumberSlot && value > 12 {
			return got, false
		}
		if kind == monthNumberSlot {
			got.months = append(slices.Clip(got.months), time.Month(value))
			break
		}
		got.days = append(slices.Clip(got.days), value)
		if next := i + n; next < len(s.words) && s.words[next].glued && isWord(s.words[next].text, ordinals) {
			n++
		}
	}
	got.next = i + n
	got.end = s.words[got.next-1].end
	if n == 1 && len(s.lexicon.particles) > 0 {
		got.end = l.start + len(form)
	}
	return got, true
}

// maxName is the maximum number of lexemes of a name in a lexicon.
const maxName = 4

// maxShort is the maximum length of a weekday's short name, in bytes.
const maxShort = 4

// longest looks up the longest name that begins at lexeme i, which has the given form.
func longest[V any](s *statementReader, names map[string]V, i int, form string) (V, int) {
	if form == s.words[i].text && s.lexicon.longer[form] {
		for n := min(maxName, len(s.words)-i); n > 1; n-- {
			if value, ok := names[key(s.words[i:i+n])]; ok {
				return value, n
			}
		}
	}
	value, ok := names[form]
	if !ok {
		return value, 0
	}
	return value, 1
}

// count reads a number at lexeme i.
func (s *statementReader) count(i int) (value, n int) {
	if number := s.number(i); number >= 0 {
		if number == 0 {
			return 0, 0
		}
		return number, 1
	}
	if !s.lexicon.tight {
		return longest(s, s.lexicon.numbers, i, s.words[i].text)
	}
	unit := 0
	for j := i; j < len(s.words); j++ { // 三, 十二, 二十五
		number, ok := s.lexicon.numbers[s.words[j].text]
		if !ok || unit > 0 && number != 10 {
			break
		}
		n++
		if number == 10 {
			value, unit = max(unit, 1)*10, 0
			if value > 10 && j > i+1 {
				break
			}
			continue
		}
		if value > 0 {
			return value + number, n
		}
		unit = number
	}
	return value + unit, n
}

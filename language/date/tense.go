package date

import (
	"slices"
	"strings"
)

// tense is the direction in time that a clause speaks about.
type tense uint8

const (
	unknownTense tense = iota // also the present
	pastTense
	futureTense
	// anyTense is that of a limit in the past: "stayed until June" is over, "got time until June" is not.
	anyTense
)

// maxSignal is the maximum number of lexemes between a date and the word that decides its tense.
const maxSignal = 60

// listen returns for each lexeme the kind of signal that begins there: a word that decides tense or recurrence, or the end of a
// clause or sentence. It finds them once: most statements have no date that needs them.
func (s *statementReader) listen() []string {
	if s.signals == nil {
		s.signals = s.mark(&s.lexicon.signals, s.ending)
	}
	return s.signals
}

// mark returns for each lexeme the kind of the word that begins there, or, if there is none, what otherwise says about it.
func (s *statementReader) mark(words *wordSet, otherwise func(i int) string) []string {
	marks := make([]string, len(s.words))
	for i := 0; i < len(s.words); {
		got := s.match(&words.tree, captured{next: i})
		if got.means != nil && got.next > i {
			marks[i] = got.means.kind
			i = got.next
			continue
		}
		marks[i] = otherwise(i)
		for _, g := range words.globs {
			if marks[i] == "" && g.matches(s.text(i)) {
				marks[i] = g.means.kind
			}
		}
		i++
	}
	return marks
}

// ending returns what a punctuation mark ends: "clause", "sentence" or "".
func (s *statementReader) ending(i int) string {
	switch text := s.text(i); text {
	case ".", "!", "?", "。", "！", "？", "…":
		if !(text == "." && i > 0 && (s.number(i-1) >= 0 || i+1 < len(s.words) && s.words[i+1].glued)) || i+1 == len(s.words) {
			return "sentence"
		}
	case ",", ";", ":", "،", "、", "(", ")", "–", "—":
		if !s.isInNumber(i) {
			return "clause"
		}
	}
	return ""
}

// isInNumber reports whether a mark separates the digits of a number, as in "1,140".
func (s *statementReader) isInNumber(i int) bool {
	return i > 0 && i+1 < len(s.words) && s.words[i+1].glued && s.number(i-1) >= 0 && s.number(i+1) >= 0
}

// tenseAt returns the tense of the date at the current position: that of its clause, in which a limit is in the future, unless the
// clause speaks about the past.
func (s *statementReader) tenseAt() tense {
	told := s.clauseTense()
	signals := s.listen()
	for i := s.position; i >= max(0, s.position-2) && i < len(signals); i-- {
		switch {
		case signals[i] != "limit":
		case told == pastTense && !s.hasArranging():
			return anyTense
		default:
			return futureTense
		}
	}
	if told == pastTense && s.isArranged() {
		return futureTense
	}
	return told
}

// isArranged reports whether the date is the day for which something was arranged: "booked for Monday". The tense of the verb shows
// when it was arranged, which is what "booked on Monday" means.
func (s *statementReader) isArranged() bool {
	switch x := s.lexicon; {
	case s.isPreceded(&x.purposes) || s.isTimed():
		return s.hasArranging()
	case s.isPreceded(&x.occasions) || s.isFollowed(x.occasionsBehind):
		return false
	case s.isFollowed(x.purposesBehind):
		return s.hasArranging()
	}
	return s.hasArrangingOf("arranging before", -1) || s.hasArrangingOf("arranging after", 1)
}

// hasArranging reports whether the clause of the date has a verb or noun of arranging.
func (s *statementReader) hasArranging() bool {
	return s.hasArrangingOf("", -1) || s.hasArrangingOf("", 1)
}

// hasArrangingOf reports whether there is a word of arranging in a direction in the clause of the date, of a kind; "" for any.
func (s *statementReader) hasArrangingOf(kind string, step int) bool {
	if s.arranging == nil {
		s.arranging = s.mark(&s.lexicon.arranging, func(int) string { return "" })
	}
	i := s.dateBegin()
	if step > 0 {
		i = s.reach
		if kind == "" && s.isClause(i) {
			i++ // "für Freitag, den 3. April, gebucht"
		}
	}
	for n := 0; i >= 0 && i < len(s.words) && n < maxSignal; n++ {
		if found := s.arranging[i]; found != "" && (kind == "" || found == kind) {
			return true
		}
		if end := s.listen()[i]; end == "clause" || end == "sentence" {
			break
		}
		i += step
	}
	return false
}

// dateBegin returns where the date at the current position begins, with a weekday before it: "Friday, the 3rd of April".
func (s *statementReader) dateBegin() int {
	end := s.position
	for end > 0 && (s.text(end-1) == "," || isWord(s.text(end-1), dayWords)) {
		end--
	}
	for n := min(maxName, end); n > 0; n-- {
		if _, ok := s.lexicon.weekdays[key(s.words[end-n:end])]; ok {
			return end - n
		}
	}
	return s.position
}

// maxBefore is the maximum number of lexemes of a phrase before a date.
const maxBefore = 5

// isPreceded reports whether a phrase is directly before the date, or begins it: an expression may include its preposition.
func (s *statementReader) isPreceded(phrases *node) bool {
	begin := s.dateBegin()
	for i := max(0, begin-maxBefore); i <= begin; i++ {
		if got := s.match(phrases, captured{next: i}); got.means != nil && got.next > i && got.next >= begin {
			return true
		}
	}
	return false
}

// isFollowed reports whether one of the endings is directly after the date, or, as in Korean, in its last word.
func (s *statementReader) isFollowed(endings []string) bool {
	if len(endings) == 0 || s.reach < 1 || s.reach > len(s.words) {
		return false
	}
	last, rest := s.words[s.reach-1].text, s.folded.Text[s.words[s.reach-1].end:]
	return slices.ContainsFunc(endings, func(ending string) bool {
		return len(last) > len(ending) && strings.HasSuffix(last, ending) || strings.HasPrefix(rest, ending)
	})
}

// clauseTense returns the tense of the clause around the current position: that of the nearest word before the date that
// decides it, otherwise after it, otherwise, if the clause is only the date, in the clause after or before.
func (s *statementReader) clauseTense() tense {
	left, from := s.look(s.position, -1)
	if left != unknownTense {
		return left
	}
	right, to := s.look(s.position, 1)
	if right == unknownTense && s.isClause(to) && s.continuesInPast(to+1) {
		return pastTense
	}
	if right != unknownTense || from < s.position-1 || to > s.reach {
		return right
	}
	if s.isClause(to) {
		if right, _ = s.look(to+1, 1); right != unknownTense {
			return right
		}
	}
	if s.isClause(from) {
		left, _ = s.look(from-1, -1)
	}
	return left
}

// opening is the number of lexemes at the beginning of a clause among which a verb without a subject is searched.
const opening = 3

// continuesInPast reports whether a clause begins with a verb in the past, without a subject. It then continues the clause before it,
// whose verb may have one form for the present and the past: "nos casamos en junio, fue precioso".
func (s *statementReader) continuesInPast(from int) bool {
	told, at := s.look(from, 1)
	return told == pastTense && at < from+opening
}

func (s *statementReader) isClause(i int) bool {
	return i >= 0 && i < len(s.words) && s.listen()[i] == "clause"
}

// look returns the first tense from lexeme i in a direction, and where the clause ends there.
func (s *statementReader) look(i, step int) (tense, int) {
	signals := s.listen()
	for n := 0; i >= 0 && i < len(signals) && n < maxSignal; n++ {
		switch signals[i] {
		case "past":
			return pastTense, i
		case "future":
			return futureTense, i
		case "clause", "sentence":
			return unknownTense, i
		}
		i += step
	}
	return unknownTense, i
}

// recurs reports whether a word of the given kind is in the sentence around the current position. A yearly one may
// also be a habit.
func (s *statementReader) recurs(kind string) bool {
	signals := s.listen()
	for _, step := range []int{-1, 1} {
		i := s.position
		for n := 0; i >= 0 && i < len(signals) && n < maxSignal && signals[i] != "sentence"; n++ {
			if signals[i] == kind || signals[i] == "habit" {
				return true
			}
			i += step
		}
	}
	return false
}

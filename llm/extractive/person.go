package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// personIn returns the words of a text that say whom it is about: a relative ("my wife Anna"), or anyone of whose health it speaks. Whatever
// else is said of them has these words, too, and takes nothing back because of them.
func personIn(text, lang, in string, marks cue.Marks) words {
	set := marks.Set()
	if !set.Any(cue.Kin, cue.Health) {
		return nil
	}
	person := words{}
	if !set.Has(cue.Self) || set.Has(cue.Kin) {
		person.add(wordsOf(text[:nameFrom(text, 0, lang, marks, 0)], in)) // "Anna, my wife, has asthma"
	}
	for _, m := range marks {
		if m.Kind == cue.Kin {
			person.add(wordsOf(text[m.Start:nameFrom(text, m.End, lang, marks, nameWithin)], in))
		}
	}
	for _, m := range marks {
		if m.Kind == cue.Health {
			for w := range wordsOf(text[m.Start:m.End], in) {
				delete(person, w)
			}
		}
	}
	return person
}

// Lengths of names, and of what may be between a relative and their name ("my wife's name is Anna").
const (
	nameWithin = 3 // words
	longName   = 2 // words
	wideName   = 4 // characters of scripts without spaces
)

// topicMark matches what ends a name in Chinese and Japanese.
var topicMark = lazyregexp.New(`[对對是有叫吃患得也都不没沒从從会會在把の名前はがもをにで、，。：:\s]`)

// nameFrom returns where a name ends that begins at most some words after an offset of a text; the offset if there is none.
func nameFrom(text string, from int, lang string, marks cue.Marks, within int) int {
	if lang == "zh" || lang == "ja" {
		rest := strings.TrimLeft(text[from:], "の叫，、")
		from = len(text) - len(rest)
		end := firstRunes(rest, wideName)
		if at := topicMark.FindStringIndex(end); at != nil {
			end = end[:at[0]]
		}
		return from + len(end)
	}
	_, first := utf8.DecodeRuneInString(text)
	cased := strings.ContainsFunc(text[first:], unicode.IsUpper)
	end, passed, names := from, 0, 0
	for at := from; at < len(text) && passed <= within && names < longName; {
		start := at + len(text[at:]) - len(strings.TrimLeftFunc(text[at:], func(r rune) bool { return !unicode.IsLetter(r) }))
		size := strings.IndexFunc(text[start:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
		if size < 0 {
			size = len(text) - start
		}
		at = start + size
		r, _ := utf8.DecodeRuneInString(text[start:])
		known := language.FunctionWords[foldedText(text[start:at])] != 0 || slices.ContainsFunc(marks, func(m cue.Mark) bool {
			return m.Kind != cue.Plan && m.Kind != cue.Time && m.Start < at && start < m.End
		})
		switch {
		case size == 0:
			return end
		case !known && (unicode.IsUpper(r) || !cased && names == 0):
			end, names = at, names+1
		case names > 0 || !known:
			return end
		default:
			passed++
		}
	}
	return end
}

// forbids matches a line about things that somebody may not have. It remains true when they stop having them.
var forbids = lazyregexp.New(`(?i)allerg|alerg|аллерг|過敏|过敏|アレルギー|알레르기|dị ứng|حساسي|intoler|verträg|непереносим|не переносит|c[oœ]?eliac|zöliak|` +
	`glutenfr|can['’]?t (?:have|eat|take)|不能吃`)

// isOn reports whether clause w of a passage is about what a text says, and not only about the same person: it has a word of what the text
// says of them. An end of what somebody may not have names the reason: who stops eating nuts is still allergic.
func (w *window) isOn(text string, terms, person words, health bool) bool {
	shares := false
	for t := range w.terms {
		if stem, ok := strings.CutPrefix(t, "ar~"); ok && !terms[t] { // a preposition is written with the word
			t = "ar~" + strings.TrimLeft(firstRunes(stem, 1), "بلكوف") + strings.TrimPrefix(stem, firstRunes(stem, 1))
		}
		shares = shares || terms[t] && !person[t] && !isEnding(t)
	}
	if !health || !shares {
		return shares
	}
	return !forbids.MatchString(text) || forbids.MatchString(w.text)
}

// isEnding reports whether a word is a piece of Japanese or Korean grammar, such as "です" and "어요", or a single character.
func isEnding(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	switch {
	case script.IsHangul(r):
		return size == len(word) || strings.ContainsAny(word, "요어았었있은는을를")
	case script.IsUnspaced(r):
		return size == len(word) || !strings.ContainsFunc(word, func(r rune) bool { return script.IsHan(r) || script.IsKatakana(r) })
	}
	return false
}

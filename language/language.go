// Package language knows the languages that texts are written in: their function words, letters and stems.
package language

import (
	"math/bits"
	"strings"
	"unicode"

	"reverie/language/fold"
)

// Language is a language with known function words. Those before StemmedCount have Snowball stems.
type Language uint8

// Languages.
const (
	English Language = iota
	German
	French
	Spanish
	Italian
	Portuguese
	Dutch
	Swedish
	Norwegian
	Danish
	Finnish
	Hungarian
	Romanian
	Turkish
	Irish
	Russian
	Arabic
	Tamil
	StemmedCount // how many of them have stems

	Vietnamese = iota - 1
	Indonesian
	Polish
	Czech
	Greek
	Ukrainian
	Hindi
	Hebrew
	Persian
	Count // how many there are
)

// Set is a set of languages, one bit each.
type Set uint32

const (
	// LatinStems are the languages written in Latin script whose stems are known.
	LatinStems Set = 1<<Russian - 1
	// Latin are all that are written in it.
	Latin = LatinStems | 1<<Vietnamese | 1<<Indonesian | 1<<Polish | 1<<Czech
)

// Has reports whether lang is in the set.
func (l Set) Has(lang Language) bool { return l&(1<<lang) != 0 }

// Len returns the number of languages in the set.
func (l Set) Len() int { return bits.OnesCount32(uint32(l)) }

// Evidence weighs in which Latin-script language a text is written, by its function words and its letters.
type Evidence struct {
	score [Count]float32
}

// What one observation says about a language.
const (
	functionWordWeight = 1
	homographWeight    = .3
	letterWeight       = .6
	// englishPrior decides where nothing else does: most text without any evidence is names, code or English.
	englishPrior = .3
	// clearLead is the share of the best score that another language must reach to stay plausible.
	clearLead = .7
)

// Word takes a folded word of Latin script into account.
func (e *Evidence) Word(word string, of Set) {
	of &= Latin
	if of == 0 {
		for _, r := range word {
			if r >= 0x80 {
				e.add(letterLanguages(r), letterWeight)
			}
		}
		return
	}
	weight := float32(functionWordWeight)
	if len(word) == 1 || homographs[word] {
		weight = homographWeight
	}
	e.add(of, weight)
}

func (e *Evidence) add(of Set, weight float32) {
	for ; of != 0; of &= of - 1 {
		e.score[bits.TrailingZeros32(uint32(of))] += weight
	}
}

// Plausible are the languages in which the text may be written: the best one and those that come close to it. Without any
// evidence it is none.
func (e *Evidence) Plausible() Set {
	score := e.score
	var best float32
	for _, s := range score {
		best = max(best, s)
	}
	if best == 0 {
		return 0
	}
	score[English] += englishPrior
	best = max(best, score[English])
	var found Set
	for lang, s := range score {
		if s >= best*clearLead {
			found |= 1 << lang
		}
	}
	return found
}

// letterLanguages are the languages of Latin script that write their own words with a folded letter outside of a to z.
func letterLanguages(r rune) Set {
	if of, ok := letters[r]; ok {
		return of
	}
	if 0x1EA0 <= r && r <= 0x1EF9 {
		return 1 << Vietnamese
	}
	return 0
}

var letters = func() map[rune]Set {
	alphabets := map[Language]string{
		German: "äöü", French: "éèêëàâîïôùûüçœæ", Spanish: "áéíóúñü", Italian: "àèéìòù", Portuguese: "ãõáâàçéêíóôú",
		Dutch: "éëïóöü", Swedish: "åäö", Norwegian: "åæøéòô", Danish: "åæøé", Finnish: "äö", Hungarian: "áéíóöőúüű",
		Romanian: "ăâîșşțţ", Turkish: "çğıöşüâ", Irish: "áéíóú", Vietnamese: "ăâđêôơưàáãèéìíòóõùúýĩũ",
		Polish: "ąćęłńóśźż", Czech: "áčďéěíňóřšťúůýž",
	}
	of := make(map[rune]Set)
	for lang, letters := range alphabets {
		for _, r := range letters {
			of[r] |= 1 << lang
		}
	}
	return of
}()

// List appends the languages of the set to into.
func (l Set) List(into []Language) []Language {
	for ; l != 0; l &= l - 1 {
		into = append(into, Language(bits.TrailingZeros32(uint32(l))))
	}
	return into
}

// Likeliest returns which of the candidates, all of Latin script, text is written in by its function words and letters. It is
// the first candidate when another one is not likelier.
func Likeliest(text string, candidates ...Language) Language {
	var e Evidence
	for word := range strings.FieldsFuncSeq(fold.Text(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		e.Word(word, FunctionWords[word])
	}
	best := candidates[0]
	for _, candidate := range candidates[1:] {
		if e.score[candidate] > e.score[best] {
			best = candidate
		}
	}
	return best
}

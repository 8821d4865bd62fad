// Package language knows the languages that texts are written in: their function words, letters and stems.
package language

import (
	"math/bits"
	"slices"
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
	StemmedCount // number of languages with stems

	Vietnamese = iota - 1
	Indonesian
	Polish
	Czech
	Greek
	Ukrainian
	Hindi
	Hebrew
	Persian
	Count // number of languages
)

// Set is a set of languages, one bit each.
type Set uint32

const (
	// LatinStems are the languages written in Latin script that have stems.
	LatinStems Set = 1<<Russian - 1
	// Latin are all languages written in Latin script.
	Latin = LatinStems | 1<<Vietnamese | 1<<Indonesian | 1<<Polish | 1<<Czech
)

// Has reports whether lang is in the set.
func (l Set) Has(lang Language) bool { return l&(1<<lang) != 0 }

// Len returns the number of languages in the set.
func (l Set) Len() int { return bits.OnesCount32(uint32(l)) }

// Evidence accumulates evidence for the Latin-script language of a text, from its function words and letters.
type Evidence struct {
	score [Count]float32
}

// Weights of one observation.
const (
	functionWordWeight = 1
	homographWeight    = .3
	letterWeight       = .6
	// englishPrior breaks ties: most text without any evidence is names, code or English.
	englishPrior = .3
	// clearLead is the share of the best score that another language must reach to stay plausible.
	clearLead = .7
)

// Word adds the evidence of a folded word of Latin script.
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

// Plausible returns the languages in which the text may be written: the best one and those close to it. Without any
// evidence the set is empty.
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

// letterLanguages returns the languages of Latin script that use a folded letter outside of a to z in their own words.
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

// Likeliest returns the candidate language, all of Latin script, that best matches the function words and letters of
// text. Ties go to the first candidate.
func Likeliest(text string, candidates ...Language) Language {
	e := evidenceOf(text)
	best := candidates[0]
	for _, candidate := range candidates[1:] {
		if e.score[candidate] > e.score[best] {
			best = candidate
		}
	}
	return best
}

// Plausible returns the languages of Latin script in which text may be written, by its function words and letters.
func Plausible(text string) Set {
	e := evidenceOf(text)
	return e.Plausible()
}

// Undecided reports whether at most one function word of a text shows its language.
func Undecided(text string) bool {
	e := evidenceOf(text)
	return slices.Max(e.score[:]) <= functionWordWeight
}

func evidenceOf(text string) Evidence {
	var e Evidence
	for word := range strings.FieldsFuncSeq(fold.Text(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		e.Word(word, FunctionWords[word])
	}
	return e
}

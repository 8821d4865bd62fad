package search

import "math/bits"

// language is one that the analyser knows function words of. Those before languageStems have Snowball stems.
type language uint8

const (
	english language = iota
	german
	french
	spanish
	italian
	portuguese
	dutch
	swedish
	norwegian
	danish
	finnish
	hungarian
	romanian
	turkish
	irish
	russian
	arabic
	tamil
	languageStems // how many of them have stems

	vietnamese = iota - 1
	indonesian
	polish
	czech
	greek
	ukrainian
	hindi
	hebrew
	persian
	languageCount // how many there are
)

// languages is a set.
type languages uint32

const (
	// latinStems are the languages written in Latin script whose stems are known.
	latinStems languages = 1<<russian - 1
	// latin are all that are written in it.
	latin = latinStems | 1<<vietnamese | 1<<indonesian | 1<<polish | 1<<czech
)

// has reports whether lang is in the set.
func (l languages) has(lang language) bool { return l&(1<<lang) != 0 }

// count is how many there are.
func (l languages) count() int { return bits.OnesCount32(uint32(l)) }

// evidence weighs in which Latin-script language a text is written, by its function words and its letters.
type evidence struct {
	score [languageCount]float32
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

// word takes a folded word of Latin script into account.
func (e *evidence) word(word string, of languages) {
	of &= latin
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

func (e *evidence) add(of languages, weight float32) {
	for ; of != 0; of &= of - 1 {
		e.score[bits.TrailingZeros32(uint32(of))] += weight
	}
}

// plausible are the languages in which the text may be written: the best one and those that come close to it. Without any
// evidence it is none.
func (e *evidence) plausible() languages {
	score := e.score
	var best float32
	for _, s := range score {
		best = max(best, s)
	}
	if best == 0 {
		return 0
	}
	score[english] += englishPrior
	best = max(best, score[english])
	var found languages
	for lang, s := range score {
		if s >= best*clearLead {
			found |= 1 << lang
		}
	}
	return found
}

// letterLanguages are the languages of Latin script that write their own words with a folded letter outside of a to z.
func letterLanguages(r rune) languages {
	if of, ok := letters[r]; ok {
		return of
	}
	if 0x1EA0 <= r && r <= 0x1EF9 {
		return 1 << vietnamese
	}
	return 0
}

var letters = func() map[rune]languages {
	alphabets := map[language]string{
		german: "äöü", french: "éèêëàâîïôùûüçœæ", spanish: "áéíóúñü", italian: "àèéìòù", portuguese: "ãõáâàçéêíóôú",
		dutch: "éëïóöü", swedish: "åäö", norwegian: "åæøéòô", danish: "åæøé", finnish: "äö", hungarian: "áéíóöőúüű",
		romanian: "ăâîșşțţ", turkish: "çğıöşüâ", irish: "áéíóú", vietnamese: "ăâđêôơưàáãèéìíòóõùúýĩũ",
		polish: "ąćęłńóśźż", czech: "áčďéěíňóřšťúůýž",
	}
	of := make(map[rune]languages)
	for lang, letters := range alphabets {
		for _, r := range letters {
			of[r] |= 1 << lang
		}
	}
	return of
}()

// list appends the languages of the set to into.
func (l languages) list(into []language) []language {
	for ; l != 0; l &= l - 1 {
		into = append(into, language(bits.TrailingZeros32(uint32(l))))
	}
	return into
}

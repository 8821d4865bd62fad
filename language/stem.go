package language

import (
	"cmp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	snowarabic "github.com/blevesearch/snowballstem/arabic"
	snowdanish "github.com/blevesearch/snowballstem/danish"
	snowdutch "github.com/blevesearch/snowballstem/dutch"
	snowenglish "github.com/blevesearch/snowballstem/english"
	snowfinnish "github.com/blevesearch/snowballstem/finnish"
	snowfrench "github.com/blevesearch/snowballstem/french"
	snowgerman "github.com/blevesearch/snowballstem/german"
	snowhungarian "github.com/blevesearch/snowballstem/hungarian"
	snowirish "github.com/blevesearch/snowballstem/irish"
	snowitalian "github.com/blevesearch/snowballstem/italian"
	snownorwegian "github.com/blevesearch/snowballstem/norwegian"
	snowportuguese "github.com/blevesearch/snowballstem/portuguese"
	snowromanian "github.com/blevesearch/snowballstem/romanian"
	snowrussian "github.com/blevesearch/snowballstem/russian"
	snowspanish "github.com/blevesearch/snowballstem/spanish"
	snowswedish "github.com/blevesearch/snowballstem/swedish"
	snowtamil "github.com/blevesearch/snowballstem/tamil"
	snowturkish "github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"

	"reverie/language/fold"
)

// stemmer is what is known about the stems of a language. Its code marks them, so that the German stem "hat" of "hatte" is
// not the English word.
type stemmer struct {
	code string
	stem func(*snowballstem.Env) bool
}

// StemMark stands between the code of a language and a stem. No word has it.
const StemMark = "~"

var stemmers = [StemmedCount]stemmer{
	English:    {"en", snowenglish.Stem},
	German:     {"de", snowgerman.Stem},
	French:     {"fr", snowfrench.Stem},
	Spanish:    {"es", snowspanish.Stem},
	Italian:    {"it", snowitalian.Stem},
	Portuguese: {"pt", snowportuguese.Stem},
	Dutch:      {"nl", snowdutch.Stem},
	swedish:    {"sv", snowswedish.Stem},
	norwegian:  {"no", snownorwegian.Stem},
	danish:     {"da", snowdanish.Stem},
	Finnish:    {"fi", snowfinnish.Stem},
	Hungarian:  {"hu", snowhungarian.Stem},
	romanian:   {"ro", snowromanian.Stem},
	Turkish:    {"tr", snowturkish.Stem},
	irish:      {"ga", snowirish.Stem},
	Russian:    {"ru", snowrussian.Stem},
	Arabic:     {"ar", snowarabic.Stem},
	Tamil:      {"ta", snowtamil.Stem},
}

// MaxForm is the longest form that is kept as it is, in bytes. Longer ones are cut, and told apart by a hash.
const MaxForm = 64

// minStemmed is the shortest word that is stemmed, in characters: a single letter has no ending.
const minStemmed = 2

// maxStemmings is how often a word is stemmed until it stays as it is: of many languages, Snowball takes one ending off at
// a time, so that the plural loses its ending and the singular the end of its stem (ciudades, ciudad, ciud). English is
// stemmed once.
const maxStemmings = 3

var stemEnvironments = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// stem is the marked stem of a folded word in a language, "" when the word is too short or too long to have one.
//
// Accents are left out of stems of the Latin script, so that "ecole" finds "école".
func stem(word string, lang Language) string {
	if len(word) > MaxForm || len(word) < minStemmed || utf8.RuneCountInString(word) < minStemmed {
		return ""
	}
	if lang == English {
		if regular, ok := irregularForms[word]; ok {
			word = regular
		}
	}
	env, ok := stemEnvironments.Get().(*snowballstem.Env)
	if !ok {
		return ""
	}
	defer stemEnvironments.Put(env)
	found := word
	for range maxStemmings {
		env.SetCurrent(found)
		stemmers[lang].stem(env)
		if env.Current() == found || env.Current() == "" || lang == English {
			found = cmp.Or(env.Current(), found)
			break
		}
		found = env.Current()
	}
	if LatinStems.Has(lang) {
		found = withoutAccents(found)
	}
	return stemmers[lang].code + StemMark + found
}

// Stems are those found so far in a text, whose words come again and again; finding them took a third of the time of analysing
// it. The nil map keeps none.
type Stems map[stemOf]string

type stemOf struct {
	word string
	in   Language
}

// maxKnownStems bounds what is kept of a text of ever new words.
const maxKnownStems = 1 << 15

// Stem is stem, remembered.
func (s Stems) Stem(word string, lang Language) string {
	key := stemOf{word, lang}
	found, ok := s[key]
	if ok {
		return found
	}
	found = stem(word, lang)
	if s != nil && len(s) < maxKnownStems {
		s[key] = found
	}
	return found
}

// withoutAccents is text in Latin script without its marks.
func withoutAccents(text string) string {
	if fold.ASCIIPrefix(text) == len(text) {
		return text
	}
	var plain strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case 0x300 <= r && r <= 0x36F:
		case r == 'ı':
			plain.WriteByte('i')
		default:
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

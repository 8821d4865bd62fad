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

// stemmer holds the stemmer of a language. Its code marks the stems, so that the German stem "hat" of "hatte" differs
// from the English word.
type stemmer struct {
	code string
	stem func(*snowballstem.Env) bool
}

// StemMark separates the code of a language from a stem. No word contains it.
const StemMark = "~"

var stemmers = [StemmedCount]stemmer{
	English:    {"en", snowenglish.Stem},
	German:     {"de", snowgerman.Stem},
	French:     {"fr", snowfrench.Stem},
	Spanish:    {"es", snowspanish.Stem},
	Italian:    {"it", snowitalian.Stem},
	Portuguese: {"pt", snowportuguese.Stem},
	Dutch:      {"nl", snowdutch.Stem},
	Swedish:    {"sv", snowswedish.Stem},
	Norwegian:  {"no", snownorwegian.Stem},
	Danish:     {"da", snowdanish.Stem},
	Finnish:    {"fi", snowfinnish.Stem},
	Hungarian:  {"hu", snowhungarian.Stem},
	Romanian:   {"ro", snowromanian.Stem},
	Turkish:    {"tr", snowturkish.Stem},
	Irish:      {"ga", snowirish.Stem},
	Russian:    {"ru", snowrussian.Stem},
	Arabic:     {"ar", snowarabic.Stem},
	Tamil:      {"ta", snowtamil.Stem},
}

// MaxForm is the maximum length of a form in bytes. Longer ones are cut and made distinct by a hash.
const MaxForm = 64

// minStemmed is the minimum length in characters of a word to be stemmed: a single letter has no ending.
const minStemmed = 2

// maxStemmings is the maximum number of times a word is stemmed until it no longer changes. In many languages, Snowball
// removes one ending at a time, so that the plural loses its ending and the singular the end of its stem (ciudades,
// ciudad, ciud). English is stemmed once.
const maxStemmings = 3

var stemEnvironments = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// stem returns the marked stem of a folded word in a language, or "" if the word is too short or too long to have one.
//
// Accents are removed from stems of the Latin script, so that "ecole" finds "école".
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

// Stems caches the stems of a text, whose words recur; without it, stemming took a third of the time of analysis. A nil
// map caches nothing.
type Stems map[stemOf]string

type stemOf struct {
	word string
	in   Language
}

// maxKnownStems bounds the cache for a text of ever new words.
const maxKnownStems = 1 << 15

// Stem returns the stem of a word, from the cache if possible.
func (s Stems) Stem(word string, lang Language) string {
	key := stemOf{word, lang}
	found, ok := s[key]
	if ok {
		return found
	}
	found = stem(word, lang)
	if s != nil && len(s) < maxKnownStems {
		s[stemOf{strings.Clone(word), lang}] = found // not the whole text
	}
	return found
}

// withoutAccents returns text in Latin script without its marks.
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

// irregularForms maps irregular English forms to their base words: the closed classes of irregular verbs and plurals.
// Forms that are equally common as other words (left, saw, found, ground, rose, lay, felt) are excluded.
var irregularForms = func() map[string]string {
	forms := make(map[string]string, 256)
	for line := range strings.SplitSeq(irregularLists, ";") {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			forms[form] = words[0]
		}
	}
	return forms
}()

const irregularLists = `arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun;
	bend bent; bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built;
	burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug;
	draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fallen; feed fed;
	fight fought; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
	freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid
	hidden; hold held; keep kept; kneel knelt; know knew known; lead led; leap leapt; learn learnt; lend lent; light lit;
	lose lost; make made; mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid; prove proven;
	ride rode ridden; ring rang rung; rise risen; run ran; say said; see seen; seek sought; sell sold; send sent; sew sewn;
	shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat;
	sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spill spilt; spin spun; spoil spoilt; spread;
	spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn;
	sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
	think thought; throw threw thrown; understand understood; undertake undertook undertaken; wake woke woken;
	wear wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote written;
	child children; foot feet; goose geese; man men; mouse mice; ox oxen; person people; tooth teeth; woman women;
	die dying; lie lying; tie tying; half halves; knife knives; leaf leaves; life lives; loaf loaves; shelf shelves;
	thief thieves; wife wives; wolf wolves; calf calves; crisis crises; analysis analyses; thesis theses;
	diagnosis diagnoses; hypothesis hypotheses; phenomenon phenomena; criterion criteria; curriculum curricula`

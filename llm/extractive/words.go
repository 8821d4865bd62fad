package extractive

import (
	"sync"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/language/fold"
)

// words are the content words of a text: stems, numbers, identifiers, and pairs of characters of scripts without
// spaces, and pairs of Vietnamese syllables.
type words map[string]bool

// stemmed holds the languages whose words have stems; the others have English words at most.
var stemmed = map[string]language.Language{
	"de": language.German, "es": language.Spanish, "fr": language.French, "pt": language.Portuguese, "it": language.Italian,
	"ru": language.Russian, "ar": language.Arabic,
}

// ownFunctionWords are the languages whose function words are never names in a text of a language.
func ownFunctionWords(lang string) language.Set {
	if lang == "vi" {
		return 1<<language.English | 1<<language.Vietnamese
	}
	return 1<<language.English | 1<<stemmed[lang]
}

// indexers share the stems of one text with the next.
var indexers = sync.Pool{New: func() any { return analysis.NewIndexer() }}

// shortName is the minimum length of a name, in bytes: "L-Thyroxin" has no name "L".
const shortName = 2

// bytesPerWord is about the length of a content word with the text up to the next one.
const bytesPerWord = 10

// wordsOf returns the words of a text with the stems of a language. Texts are comparable if they are read in the same language:
// lines and clauses are too short to show theirs. Without a language it is guessed. Function words of all languages are left out, except
// that a name may be one of another language ("Theo").
func wordsOf(text, lang string) words {
	w := make(words, len(text)/bytesPerWord)
	var in language.Set
	if lang != "" {
		in = 1 << stemmed[lang]
	}
	own := language.Set(0)
	if lang != "" {
		own = ownFunctionWords(lang)
	}
	last, position := "", -1
	x := indexers.Get().(*analysis.Indexer) //nolint:forcetypeassert // the pool holds nothing else
	x.Words(text, in, func(folded, stem string, at int, capitalized bool) {
		if of := language.FunctionWords[folded]; of != 0 && (!capitalized || own == 0 || of&own != 0 || len(folded) < shortName) {
			return
		}
		w[stem] = true
		if lang == "vi" {
			if at == position+1 && last != "" {
				w[last+" "+stem] = true
			}
			last, position = stem, at
		}
	})
	indexers.Put(x)
	return w
}

func tokensOf(text, lang string) []analysis.Token {
	if lang == "" {
		return analysis.Analyse(text)
	}
	return analysis.AnalyseIn(text, 1<<stemmed[lang])
}

// shared counts the words that two texts have in common.
func (w words) shared(o words) int {
	n := 0
	for word := range w {
		if o[word] {
			n++
		}
	}
	return n
}

// within is the share of the words of w that o has; 0 if w has none.
func (w words) within(o words) float64 {
	if len(w) == 0 {
		return 0
	}
	return float64(w.shared(o)) / float64(len(w))
}

// add adds the words of another text.
func (w words) add(o words) {
	for word := range o {
		w[word] = true
	}
}

// foldedText returns a text for comparison of what it says, word for word.
func foldedText(s string) string { return fold.Text(s) }

package extractive

import (
	"sync"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/language/fold"
)

// words are the content words of a text: stems, numbers, identifiers, and pairs of characters of scripts without spaces.
type words map[string]bool

// indexers share the stems of one text with the next.
var indexers = sync.Pool{New: func() any { return analysis.NewIndexer() }}

// bytesPerWord is about the length of a content word and what stands between it and the next one.
const bytesPerWord = 10

func wordsOf(text string) words {
	w := make(words, len(text)/bytesPerWord)
	x := indexers.Get().(*analysis.Indexer) //nolint:forcetypeassert // the pool holds nothing else
	x.Words(text, func(folded, stem string) {
		if language.FunctionWords[folded] == 0 {
			w[stem] = true
		}
	})
	indexers.Put(x)
	return w
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

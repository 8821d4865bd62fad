package extractive

import (
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

// wordsOf returns the words of a text with the stems of a language. Texts are comparable if they are read in the same language:
// lines and clauses are too short to show theirs. Without a language it is guessed.
func wordsOf(text, lang string) words {
	w := words{}
	last, position := "", -1
	for _, t := range tokensOf(text, lang) {
		if t.Stop || len(t.Forms) == 0 || language.FunctionWords[t.Forms[0]] != 0 {
			continue
		}
		word := t.Forms[len(t.Forms)-1]
		w[word] = true
		if lang == "vi" {
			if t.Position == position+1 && last != "" {
				w[last+" "+word] = true
			}
			last, position = word, t.Position
		}
	}
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

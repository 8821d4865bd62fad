package language_test

import (
	"strings"
	"testing"

	"reverie/language"
	"reverie/language/analysis"
)

// TestFunctionWordsAreWords checks that the analyser sees every function word as one word, so that none is listed in
// vain.
func TestFunctionWordsAreWords(t *testing.T) {
	if len(language.FunctionWordLists) != int(language.Count) {
		t.Errorf("%d lists for %d languages", len(language.FunctionWordLists), language.Count)
	}
	for lang, list := range language.FunctionWordLists {
		for word := range strings.FieldsSeq(list) {
			tokens := analysis.Analyse("x " + word)
			found := false
			for _, token := range tokens {
				if token.Text == word {
					found = true
				}
			}
			if !found {
				t.Errorf("language %d: %q is analysed as %v", lang, word, tokens)
			}
		}
	}
	for word := range language.Homographs {
		if language.FunctionWords[word] == 0 {
			t.Errorf("%q is no function word", word)
		}
	}
}

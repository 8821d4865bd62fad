package search

import (
	"strings"
	"testing"
)

// Function words are words as the analyser sees them: none is there in vain.
func TestFunctionWordsAreWords(t *testing.T) {
	if len(functionWordLists) != int(languageCount) {
		t.Errorf("%d lists for %d languages", len(functionWordLists), languageCount)
	}
	for lang, list := range functionWordLists {
		for word := range strings.FieldsSeq(list) {
			tokens := Analyse("x " + word)
			found := false
			for _, token := range tokens {
				if token.Text == word {
					found = true
				}
			}
			if !found {
				t.Errorf("language %d: %q is analysed as %q", lang, word, firstForms(tokens))
			}
		}
	}
	for word := range homographs {
		if functionWords[word] == 0 {
			t.Errorf("%q is no function word", word)
		}
	}
}

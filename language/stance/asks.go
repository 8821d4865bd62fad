package stance

import (
	"slices"

	"reverie/language/cue"
	"reverie/language/sentence"
)

// OnlyAsks reports whether all sentences of a text are questions. It is true for an empty text.
func OnlyAsks(text string) bool {
	reader := Reader{Lang: cue.LanguageOf(text)}
	for _, last := range slices.Backward(sentence.Split(text)) { // most texts end in a statement
		for _, s := range reader.Read(last) {
			if s.Stance != Question {
				return false
			}
		}
	}
	return true
}

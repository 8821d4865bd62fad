package stance

import (
	"reverie/language/cue"
	"reverie/language/sentence"
)

// OnlyAsks reports whether all sentences of a text are questions. It is true for an empty text.
func OnlyAsks(text string) bool {
	reader := Reader{Lang: cue.LanguageOf(text)}
	sentences := sentence.Split(text)
	for i := len(sentences) - 1; i >= 0; i-- { // most texts end in a statement
		for _, s := range reader.Read(sentences[i]) {
			if s.Stance != Question {
				return false
			}
		}
	}
	return true
}

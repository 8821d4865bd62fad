package stance

import "reverie/language/cue"

// OnlyAsks reports whether all sentences of a text are questions. It is true for an empty text.
func OnlyAsks(text string) bool {
	reader := Reader{Lang: cue.LanguageOf(text)}
	for _, s := range reader.Read(text) {
		if s.Stance != Question {
			return false
		}
	}
	return true
}

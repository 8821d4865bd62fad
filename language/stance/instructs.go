package stance

import (
	"slices"
	"strings"

	"reverie/language/cue"
	"reverie/language/sentence"
)

// Instructs reports whether a sentence of a text is a standing instruction, such as "Always answer in metric units" or "From now on
// keep it short". A habit of the speaker ("I always take the bus") and a question are not instructions.
func Instructs(text string) bool {
	lang := cue.LanguageOf(text)
	return slices.ContainsFunc(sentence.Split(text), func(one string) bool {
		s := Sentence{Text: one, Marks: cue.Find(one, lang)}
		at := slices.IndexFunc(s.Marks, func(m cue.Mark) bool { return m.Kind == cue.Always })
		if at < 0 || asks(&s, lang) {
			return false
		}
		rule, addressed := s.Marks[at], s.Marks.Set().Any(cue.You, cue.Request, cue.Style)
		for _, m := range s.Marks {
			before, next := m.Start < rule.Start, m.Start > rule.Start && strings.TrimSpace(one[rule.End:max(rule.End, m.Start)]) == ""
			if m.Kind == cue.Self && (before || next && !addressed) {
				return false // "I always", "whenever I"
			}
		}
		return addressed || rule.Start <= openingOf(&s)
	})
}

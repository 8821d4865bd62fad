package claim

import (
	"strings"

	"reverie/language/script"
)

// maxSaid is the number of words that name a subject, at most.
const maxSaid = 6

// SubjectIn returns the words by which a text names the subject of the claim ("the remembered reviews"), or the subject itself if the text
// names it elsewhere, in Chinese, or not at all.
func (c Claim) SubjectIn(text string) string {
	subject := c.Subject
	if subject == "" || subject == User || script.HasHan(text) {
		return subject
	}
	missing := map[string]bool{}
	for stem := range strings.FieldsSeq(subject) {
		missing[stem] = true
	}
	words, first := strings.Fields(marks.Replace(text)), -1
	for i, w := range words {
		stem := subjectOf(nounKey(w))
		if stem == User || !missing[stem] {
			continue
		}
		delete(missing, stem)
		if first < 0 {
			first = i
		}
		if len(missing) == 0 && i-first < maxSaid {
			return strings.Trim(strings.Join(words[first:i+1], " "), ` ,.;:!?"'`)
		}
	}
	return subject
}

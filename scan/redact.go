package scan

import (
	"strings"

	"reverie/scan/secret"
)

// Redacted returns a text without its secrets, line by line: the number of its lines stays the same, so that line numbers still fit.
//
// It is for passages that were not scanned when they were stored, such as messages. A passage may begin or end within a private key,
// so lines that can only be a part of one are redacted too.
func Redacted(text string) string {
	s := newScanner(text)
	for range maxPasses {
		edits := s.secrets()
		if len(edits) == 0 {
			for _, f := range secret.KeyParts(s.text) {
				edits = append(edits, edit{from: f.From, to: f.To, with: secret.Placeholder(f.Kind)})
			}
		}
		if len(edits) == 0 {
			break
		}
		for i, e := range edits {
			edits[i].with += strings.Repeat("\n", strings.Count(s.text[e.from:e.to], "\n"))
		}
		s.apply(edits)
	}
	if !s.edited {
		return text
	}
	return s.text
}

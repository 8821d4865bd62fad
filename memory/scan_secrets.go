package memory

import (
	"cmp"
	"slices"
)

// secret is a range of a text that must not be kept, and what kind of secret it is.
type secret struct {
	span
	kind string
}

const (
	placeholderOpen  = "[redacted: "
	placeholderClose = "]"
)

// secrets finds keys, passwords and card numbers, and returns how to replace them. What stands around them is kept, so
// that memory still says what there was.
//
// Identifiers are no secrets: UUIDs, hashes of commits, phone numbers, addresses, numbers of books and orders.
func (s *scanner) secrets() []edit {
	var found []secret
	found = append(found, privateKeys(s.text)...)
	found = append(found, keys(s.text)...)
	found = append(found, hooks(s.text)...)
	found = append(found, credentials(s.text)...)
	found = append(found, awsSecrets(s.text, s.lower)...)
	found = append(found, labelled(s.text, s.lower)...)
	found = append(found, cards(s.text, s.lower)...)
	slices.SortStableFunc(found, func(a, b secret) int { return cmp.Compare(a.from, b.from) })
	var edits []edit
	for _, f := range found {
		if last := len(edits) - 1; last >= 0 && f.from < edits[last].to {
			edits[last].to = max(edits[last].to, f.to) // two rules see parts of one secret
			continue
		}
		s.find(classSecret, f.kind, s.line(f.from))
		edits = append(edits, edit{from: f.from, to: f.to, with: placeholderOpen + f.kind + placeholderClose})
	}
	return edits
}

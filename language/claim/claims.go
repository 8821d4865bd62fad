package claim

import "strings"

// Claim is an attribute of a subject with its value, as one clause states it: {user, home, Berlin}.
type Claim struct {
	// Subject is a key, equal for different names of the same thing within a text: "user", or the sorted stems of a noun.
	Subject   string
	Attribute string
	Value     string // in the words of the text
	Single    bool   // the attribute has one value at a time
	Changed   bool   // the words mark the value as new
}

// Claims returns what a reading states, in the order of its clauses.
func (r Reading) Claims() []Claim {
	out := make([]Claim, len(r.slots))
	for i, s := range r.slots {
		subject, rest, _ := strings.Cut(s.key, "\x00")
		attribute, _, _ := strings.Cut(rest, "\x00")
		out[i] = Claim{Subject: subject, Attribute: attribute, Value: s.value, Single: s.single, Changed: s.changed}
	}
	return out
}

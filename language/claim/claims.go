package claim

import (
	"slices"
	"strings"

	"reverie/language/script"
)

// Claim is an attribute of a subject with its value, as one clause states it: {user, home, Berlin}.
type Claim struct {
	// Subject is User, or a key that is equal for different names of the same thing within a text: the sorted stems of a noun.
	Subject   string
	Attribute string
	Value     string // in the words of the text
	Single    bool   // the attribute has one value at a time
	Changed   bool   // the words mark the value as new
}

// User is the subject of claims about the user.
const User = "user"

// ClaimsOf returns what a statement in English, Chinese, German, French or Spanish states, in the order of its clauses.
func ClaimsOf(text string) []Claim {
	r := Read(text)
	slots := r.slots
	if !r.isRow && !script.HasHan(r.Text) { // German first: "am 3. Mai" is an age in English
		if german := germanSlots(r.Text); len(german) > 0 {
			slots = german
		} else if len(slots) == 0 {
			slots = romanceSlots(r.Text)
		}
	}
	out := make([]Claim, len(slots))
	for i, s := range slots {
		subject, rest, _ := strings.Cut(s.key, "\x00")
		attribute, _, _ := strings.Cut(rest, "\x00")
		out[i] = Claim{Subject: subjectOf(subject), Attribute: attribute, Value: s.value, Single: s.single, Changed: s.changed}
	}
	return out
}

// SubjectOf returns the subject that a heading or an introduction names: "My sister Anna:". It returns "" if its words are none.
func SubjectOf(text string) string {
	subject, ok := subjectEN(strings.Trim(marks.Replace(text), " :：*_"))
	if !ok {
		return ""
	}
	return subjectOf(subject)
}

// subjectOf returns a subject by its key, without the marks of languages and synonyms.
func subjectOf(key string) string {
	if key == "" {
		return User
	}
	words := strings.Fields(key)
	for i, w := range words {
		words[i] = strings.TrimPrefix(w[strings.Index(w, "~")+1:], "=")
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// IsAnaphor reports whether a subject refers to words before it: it is a pronoun, or missing.
func IsAnaphor(subject string) bool { return subject == User || pronouns[subject] }

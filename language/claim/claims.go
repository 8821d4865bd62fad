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
	slots, _ := slotsOf(text)
	out := make([]Claim, len(slots))
	for i, s := range slots {
		subject, attribute := s.about()
		out[i] = Claim{Subject: subjectOf(subject), Attribute: attribute, Value: s.value, Single: s.single, Changed: s.changed}
	}
	return out
}

// slotsOf returns what a statement states, and its text without marks.
func slotsOf(text string) (slots []slot, plain string) {
	r := Read(text)
	if !r.isRow && !script.HasHan(r.Text) { // German first: "am 3. Mai" is an age in English
		if german := germanSlots(r.Text); len(german) > 0 {
			return german, r.Text
		}
		if len(r.slots) == 0 {
			return romanceSlots(r.Text), r.Text
		}
	}
	return r.slots, r.Text
}

// SubjectOf returns the subject that a heading or an introduction names: "My sister Anna:". It returns "" if its words name none.
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

// NamesPerson reports whether a heading names a person by a word such as "sister", so that what is below may be about them.
func (a Words) NamesPerson() bool {
	return slices.ContainsFunc(a.Units, func(u Meaning) bool { return u.other })
}

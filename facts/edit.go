package facts

import (
	"slices"

	"reverie/language/claim"
	"reverie/memory/grounding"
)

// edited is a statement that is compared with others of which it may be an edit. It is read once.
type edited struct {
	text    string
	digits  []string
	reading claim.Reading
	claims  []claim.Claim
	turns   claim.Turns
	names   []string
	ground  *grounding.Ground // once needed
}

func editedOf(text string) *edited {
	return &edited{
		text: text, digits: digitsOf(text), reading: claim.Read(text), claims: claim.ClaimsOf(text), turns: claim.WordsOf(text).Turns,
		names: grounding.NamesOf(text),
	}
}

// keepsValues reports whether an edit keeps the numbers, dates, names and claims of a statement, and its negation: one that changes them
// makes another statement. Another order of words or another spelling keeps them.
func (e *edited) keepsValues(now *edited) bool {
	if !slices.Equal(e.digits, now.digits) || (e.turns^now.turns)&claim.Negated != 0 || e.renamed(now) || e.reclaimed(now) {
		return false
	}
	if _, _, disputed := claim.Dispute(e.reading, now.reading); disputed {
		return false
	}
	return e.grounds(now.text) && now.grounds(e.text)
}

// renamed reports whether each of two texts has a name that the other one has not.
func (e *edited) renamed(now *edited) bool {
	lacks := func(names, others []string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return !slices.ContainsFunc(others, func(o string) bool { return grounding.SameName(n, o) })
		})
	}
	return lacks(e.names, now.names) && lacks(now.names, e.names)
}

// reclaimed reports whether a name that a statement gives to something is another one.
func (e *edited) reclaimed(now *edited) bool {
	return slices.ContainsFunc(e.claims, func(was claim.Claim) bool {
		return slices.ContainsFunc(now.claims, func(is claim.Claim) bool {
			return was.Attribute == "name" && is.Attribute == "name" && was.Subject == is.Subject && !grounding.SameName(was.Value, is.Value)
		})
	})
}

// grounds reports whether all values of a text are among those of the statement.
func (e *edited) grounds(text string) bool {
	if e.ground == nil {
		e.ground = grounding.New(grounding.Evidence{Documents: []string{e.text}})
	}
	return !slices.ContainsFunc(e.ground.Check(text), func(f grounding.Fault) bool { return f.IsValue() || f.Code == grounding.Negation })
}

// HasOtherValue reports whether a text says most of what the statement says, with another value.
func (s Statement) HasOtherValue(text string) bool {
	return likeness(s.Text, text) >= minLikeness && !editedOf(s.Text).keepsValues(editedOf(text))
}

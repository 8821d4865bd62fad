// Package conflict finds statements that cannot both hold.
//
// A statement is read as claims: values of things that have one value at a time. Two claims of the same thing contradict one another if
// their values exclude one another. A thing has one value
//
//   - if the attribute is one that people and things have one of at a time (relations and groups): a home, an employer, a status;
//   - if the value is a quantity, a time, a date or a version, which measure one thing: a port, a price, a deadline;
//   - if a definite description names it and the value is a name ("our dentist is Dr. Weber"): it presupposes that there is one. People
//     and things of which one may have several (sons, friends, hobbies) are excepted.
//
// What is past, planned, doubted, asked, denied in part, or said to be one of several claims nothing.
//
// Statements without a common claim may still contradict one another: "My landlord charges 950", "Rent went up, it's 1,020 now".
// Rules cannot decide these. Of the statements that share words or types of values with a new one, those whose common words are rarest are
// selected for a reader of both.
package conflict

import (
	"reverie/language/claim"
	"reverie/language/sentence"
)

// Why two statements contradict one another.
type Why string

// Reasons.
const (
	Values   Why = "values"   // two values of what has one at a time
	Opposite Why = "opposite" // one denies the other
)

// Verdict describes the contradiction of two statements.
type Verdict struct {
	Why Why
	// Settled: the newer statement says that something has changed, or corrects the older one, so that it counts.
	Settled bool
	Key     string // of the claims
}

// Between compares the claims of two statements. ok is false if both can hold.
func Between(older, newer []Claim) (v Verdict, ok bool) {
	for _, was := range older {
		for _, is := range newer {
			if was.Key != is.Key || !was.excludes(is) {
				continue
			}
			v = Verdict{Why: Values, Settled: is.Changed, Key: is.Key}
			if was.Values[0].denies(is.Values[0]) {
				v.Why = Opposite
			}
			return v, true
		}
	}
	return Verdict{}, false
}

// Without returns the words of a statement, and what is left of them without the sentences and clauses that contradict a newer one: nothing,
// if it is one sentence that says nothing else. ok is false if it says more than one thing, and they cannot be told apart.
func Without(older, newer string) (words, rest string, ok bool) {
	words = older
	if q, quoted := claim.QuoteOf(older); quoted {
		words = q.Words
	}
	read := Read(newer)
	rest, found := sentence.Without(words, func(part string) bool {
		_, against := Between(Read(part), read)
		return against
	})
	if !found {
		return words, "", len(sentence.Split(words)) == 1 && len(claim.ClaimsOf(words)) <= 1
	}
	return words, rest, true
}

// excludes reports whether two claims of the same thing contradict one another. Of a thing that recurs, another day and another time are
// those of another occasion.
func (c Claim) excludes(o Claim) bool {
	if c.Year != o.Year && c.Year != 0 && o.Year != 0 { // each came about in its year
		return false
	}
	n, shared := 0, 0
	recurs := false
	for _, a := range c.Values {
		for _, b := range o.Values {
			if a.Kind != b.Kind || a.Unit != b.Unit {
				continue
			}
			shared++
			if a.excludes(b) {
				n++
			}
			recurs = recurs || a.Several || b.Several
		}
	}
	return n > 0 && !(recurs && shared > 1 && n == shared)
}

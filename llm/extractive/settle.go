package extractive

import "strings"

// settle drops statements that the user takes back later in the conversation: of two contradicting statements only the last
// stands. Statements with further claims that still hold stay; the files sort them out.
func (n *notebook) settle(said []statement) []statement {
	claims := make([][]claim, len(said))
	for i, s := range said {
		if s.place != noteOnly && s.replaces == "" {
			claims[i] = claimsOf(s.told(), n.owner)
		}
	}
	var out []statement
	for i, s := range said {
		later := i + 1
		for later < len(said) && said[later].sentence == s.sentence {
			later++ // "a data engineer by day and a DJ by night" is no correction
		}
		if len(claims[i]) == 0 || !takenBack(claims[i], claims[later:]) {
			out = append(out, s)
		}
	}
	return out
}

// takenBack reports whether later statements contradict every claim.
func takenBack(claims []claim, later [][]claim) bool {
	for _, c := range claims {
		contradicted := false
		for _, l := range later {
			switch relate([]claim{c}, l) {
			case contradicts:
				contradicted = true
			case same:
				contradicted = false // said again after that
			}
		}
		if !contradicted {
			return false
		}
	}
	return true
}

// relate compares the claims of a line with new ones: any that contradicts decides, then any that is the same.
func relate(old, claims []claim) standing {
	verdict := unrelated
	for _, c := range claims {
		for _, o := range old {
			if !sameKey(o, c) || !c.single {
				continue
			}
			switch {
			case o.negative == c.negative && (sameTerms(o.terms, c.terms) || within(c.terms, o.terms)):
				if verdict == unrelated {
					verdict = same
				}
			case o.negative && !c.negative && !sameTerms(o.terms, c.terms):
			default:
				return contradicts
			}
		}
	}
	return verdict
}

// sameKey reports whether two claims are about the same attribute of the same subject. "Sister" and "sister Anna" are taken
// for one; where a file knows two sisters, standing tells them apart.
func sameKey(o, c claim) bool {
	if o.attribute != c.attribute {
		return false
	}
	return o.subject == c.subject || c.subject != "" && o.subject != "" && isRelation(firstWord(c.subject)) &&
		(strings.HasPrefix(o.subject, c.subject+" ") || strings.HasPrefix(c.subject, o.subject+" "))
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

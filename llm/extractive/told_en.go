package extractive

import "strings"

// factText formats a clause about a thing in the third person, without article or owner.
func factText(c clause) string {
	noun := c.noun
	if len(noun) > 1 {
		switch noun[0].low {
		case "my", "our", "the":
			noun = noun[1:]
		}
	}
	return joinWords(impersonal(noun)) + " " + c.finite()
}

// finite formats verb and rest of a third-person clause unchanged.
func (c clause) finite() string {
	var b []string
	add := func(ws ...string) {
		for _, w := range ws {
			if w != "" {
				b = append(b, w)
			}
		}
	}
	not := ""
	if c.negated {
		not = "not"
		if c.ended {
			not = "no longer"
		}
	}
	adverbs := strings.Join(c.adverbs, " ")
	said := strings.ToLower(c.said)
	be := "is"
	if c.plural() {
		be = "are"
	}
	switch {
	case c.modal != "":
		add(c.modalWords(adverbs, not)...)
		if c.verb == "be" {
			add("be")
		} else {
			add(trimUnknown(c.verb))
		}
	case c.verb == "be" && c.tense == perfect:
		add(map[bool]string{true: "have", false: "has"}[c.plural()], not, adverbs, "been")
	case c.verb == "be":
		add(said, adverbs, not)
	case c.tense == progressive:
		add(be, adverbs, not, said)
	case c.tense == perfectProgressive:
		add(map[bool]string{true: "have", false: "has"}[c.plural()], not, adverbs, "been", said)
	case c.tense == perfect:
		add(map[bool]string{true: "have", false: "has"}[c.plural()], not, adverbs, said)
	case c.tense == past && c.negated:
		add("did not", adverbs, trimUnknown(c.verb))
	case c.negated && c.ended:
		add("no longer", adverbs, third(trimUnknown(c.verb)))
	case c.negated:
		add(map[bool]string{true: "do not", false: "does not"}[c.plural()], adverbs, trimUnknown(c.verb))
	default:
		add(adverbs, said)
	}
	if len(c.rest) > 0 {
		add(joinWords(impersonal(c.rest)))
	}
	if len(c.when) > 0 {
		add(joinWords(impersonal(c.when)))
	}
	return strings.Join(b, " ")
}

// plural reports whether the subject is more than one.
func (c clause) plural() bool {
	if len(c.noun) == 0 {
		return false
	}
	head := c.noun
	for k, w := range head {
		if k > 0 && prepositions[w.low] {
			head = head[:k]
			break
		}
	}
	last := head[len(head)-1].low
	return last == "they" || hasLow(c.noun, "and") || isPlural(last) && !(head[len(head)-1].isName() && len(head) > 1)
}

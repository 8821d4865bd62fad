package extractive

import "strings"

// thirdPerson writes an I- or we-clause without its subject: "I do not eat pork" → "Does not eat pork". It fails when the
// clause has no verb that can be written.
func (c clause) thirdPerson() string {
	var b []string
	add := func(words ...string) {
		for _, w := range words {
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
	verb := strings.TrimPrefix(c.verb, "?")
	switch {
	case c.modal == "would" && said == "rather":
		add("would", not, "rather")
	case c.modal != "":
		add(c.modalWords(adverbs, not)...)
		if c.verb == "be" {
			add("be")
		} else {
			add(verb)
		}
	case c.verb == "be" && c.tense == past:
		add("was", adverbs, not)
	case c.verb == "be" && c.tense == perfect:
		add("has", not, adverbs, "been")
	case c.verb == "be":
		add("is", adverbs, not)
	case c.tense == progressive:
		add("is", adverbs, not, said)
	case c.tense == perfectProgressive:
		add("has", not, adverbs, "been", said)
	case c.tense == past && c.negated:
		add("did not", adverbs, verb)
	case c.tense == past:
		add(adverbs, pastOf(said, verb))
	case c.tense == perfect && (c.negated || len(c.adverbs) > 0):
		add("has", not, adverbs, said)
	case c.tense == perfect && isStill(c.rest):
		add("has", said)
	case c.tense == perfect:
		if f, ok := verbForms[said]; ok && f.same {
			add(said) // "Moved to Munich" says it more shortly than "Has moved to Munich"
		} else {
			add("has", said)
		}
	case c.negated && c.ended:
		add("no longer", adverbs, third(verb))
	case c.negated:
		add("does not", adverbs, verb)
	default:
		add(adverbs, third(verb))
	}
	if rest := joinWords(impersonal(c.rest)); rest != "" {
		add(rest)
	}
	if len(c.when) > 0 {
		add(joinWords(impersonal(c.when)))
	}
	return strings.Join(b, " ")
}

// pastOf returns the past form as written; the table may have only the base form.
func pastOf(said, verb string) string {
	if said == "do" || said == "did" {
		return "did"
	}
	if said == "have" || said == "had" {
		return "had"
	}
	if said == "" {
		return verb
	}
	return said
}

func (c clause) modalWords(adverbs, not string) []string {
	do := func(v string) []string {
		base := strings.TrimSuffix(v, " to")
		switch {
		case c.tense == past && not != "":
			return []string{"did not", adverbs, base, "to"}
		case c.tense == past:
			return []string{adverbs, regularPast(base), "to"}
		case not == "no longer":
			return []string{"no longer", adverbs, third(base), "to"}
		case not != "":
			return []string{"does not", adverbs, base, "to"}
		}
		return []string{adverbs, third(base), "to"}
	}
	switch c.modal {
	case "need to", "want to", "have to", "plan to", "hope to", "intend to", "aim to", "promise to", "wish to", "expect to", "try to",
		"look to", "prepare to":
		if c.modal == "have to" && c.tense == past && not == "" {
			return []string{adverbs, "had to"}
		}
		return do(c.modal)
	case "going to", "supposed to":
		return []string{"is", adverbs, not, c.modal}
	case "used to":
		return []string{adverbs, "used to"}
	case "can":
		if not != "" {
			return []string{"cannot", adverbs}
		}
	}
	return []string{c.modal, not, adverbs}
}

// impersonals maps first- and second-person words to the third person: the user becomes "they", the addressee
// "the assistant".
var impersonals = map[string]string{
	"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves",
	"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
	"you": "the assistant", "your": "the assistant's", "yours": "the assistant's", "yourself": "itself",
}

// impersonal rewrites first- and second-person words.
func impersonal(ws []word) []word {
	out := append([]word(nil), ws...)
	for i := range out {
		r, ok := impersonals[out[i].low]
		if !ok || out[i].low == "us" && out[i].bare() == "US" {
			if i > 0 && (ws[i-1].low == "i" || ws[i-1].low == "we") && (out[i].low == "am" || out[i].low == "was") {
				out[i].text = map[string]string{"am": "are", "was": "were"}[out[i].low] + punctuationOf(out[i].text)
			}
			continue
		}
		lead := out[i].text[:strings.Index(strings.ToLower(out[i].text), out[i].low)]
		out[i].text = lead + r + punctuationOf(out[i].text)
		if i+1 < len(out) && r == "the assistant" && verbForms[out[i+1].low].form == formBase && subjectPosition(ws, i) {
			out[i+1].text = third(out[i+1].low) + punctuationOf(out[i+1].text)
		}
		if i+1 < len(out) && r == "the assistant" && (out[i+1].low == "are" || out[i+1].low == "were") {
			out[i+1].text = map[string]string{"are": "is", "were": "was"}[out[i+1].low]
		}
	}
	return out
}

// subjectPosition reports whether "you" at i is a subject rather than an object: at the beginning, or after that, if, when, how.
func subjectPosition(ws []word, i int) bool {
	if i == 0 {
		return false
	}
	switch ws[i-1].low {
	case "that", "if", "when", "how", "what", "whenever", "because", "so", "while":
		return true
	}
	return false
}

func punctuationOf(s string) string {
	j := strings.LastIndexFunc(s, isWordRune)
	if j < 0 {
		return ""
	}
	return s[j+len(string(firstRune(s[j:]))):]
}

// sentence closes a line: a capital first, one full stop last.
func sentence(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), ".,;:!。—- ")
	if s == "" {
		return ""
	}
	return capitalise(s) + "."
}

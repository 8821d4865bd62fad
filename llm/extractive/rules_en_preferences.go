package extractive

// likes and dislikes are the verbs of taste.
var (
	likes    = set(`like love enjoy prefer adore favor favour`)
	dislikes = set(`hate dislike detest loathe despise`)
)

// taste reads likes and dislikes of the user.
func taste(c clause) (place, bool) {
	r := c.rest
	switch {
	case c.modal == "would" && c.verb == "prefer":
	case c.modal == "can" && c.negated && (c.verb == "stand" || c.verb == "bear" || c.verb == "tolerate" || c.verb == "?tolerate" ||
		c.verb == "?bear"):
		return preferences, len(r) > 0 && !pointsBack(r)
	case c.modal == "used to":
		return noteOnly, false
	case c.modal != "":
		return noteOnly, false
	case c.verb == "care" && c.negated && len(r) > 1 && (r[0].low == "for" || r[0].low == "about"):
		return preferences, !pointsBack(r[1:])
	case c.verb == "appreciate" || c.verb == "?appreciate":
		return preferences, len(r) > 1 && (r[0].low == "when" || r[0].low == "short" || r[0].low == "concise" ||
			r[0].low == "direct") && !hasDay(r)
	case !likes[c.verb] && !dislikes[c.verb]:
		return noteOnly, false
	case c.tense == past || c.tense == progressive || c.tense == future:
		return noteOnly, false
	}
	if len(r) == 0 || hasDay(r) {
		return noteOnly, false
	}
	if toAssistant(r) {
		return preferences, c.verb == "prefer" || c.modal == "would" || r[0].low == "when" && len(r) > 3 || len(r) > 2 && r[0].low == "you" &&
			r[1].low == "to"
	}
	if c.verb == "prefer" && r[0].low == "that" && len(r) > 3 {
		return preferences, true
	}
	if r[0].low == "being" && (len(r) < 2 || r[1].low == "here" || r[1].low == "there" || r[1].low == "able" || r[1].low == "part") {
		return noteOnly, false
	}
	if hasLow(r, "you") || hasLow(r, "your") || pointsAround(c, r) {
		return noteOnly, false
	}
	if pointsBack(r) || len(r) > 22 || (r[0].low == "when" || r[0].low == "if") && len(r) < 3 {
		return noteOnly, false
	}
	return preferences, true
}

// outThere are nouns that "the" does not tie to the conversation: "I love the outdoors".
var outThere = set(`outdoors ocean sea beach mountains forest woods countryside city cold heat rain snow sun winter summer spring autumn
	fall night theater theatre opera gym silence quiet dark smell taste sound feeling idea piano guitar violin internet news weekends mornings
	desert water country`)

// pointsAround reports whether what is liked is something at hand: "I love the colors", "I like all the details".
func pointsAround(c clause, r []word) bool {
	if !likes[c.verb] || c.verb == "prefer" || c.modal != "" {
		return false
	}
	if r[0].low == "all" && len(r) > 1 {
		r = r[1:]
	}
	return r[0].low == "the" && len(r) > 1 && !outThere[r[1].low] && !r[1].isName() && !(len(r) > 2 && outThere[r[2].low])
}

package extractive

// nameLowered gives a name in lower case its capital where what follows tells that it is one: "im tom, 27, living in leeds".
func nameLowered(ws []word) {
	rest, _ := withoutFillers(ws)
	if len(rest) > 3 && rest[0].low == "i" && rest[1].low == "am" && !rest[2].isName() && isPlainName(rest[2:]) {
		rest[2].text = capitalise(rest[2].text)
	}
}

// withoutDoubt removes "I think" and the like from the beginning, so that what is doubted can be read.
func withoutDoubt(ws []word) []word {
	for _, lead := range [][2]string{{"i", "think"}, {"i", "guess"}, {"i", "suppose"}, {"i", "believe"}, {"i", "hope"}, {"i", "feel"}} {
		if len(ws) > 3 && ws[0].low == lead[0] && ws[1].low == lead[1] {
			ws = ws[2:]
			if ws[0].low == "that" || ws[0].low == "like" {
				ws = ws[1:]
			}
		}
	}
	if len(ws) > 2 && (ws[0].low == "maybe" || ws[0].low == "perhaps" || ws[0].low == "probably") {
		ws = ws[1:]
	}
	return ws
}

// impliedHeads begin sentences that leave out "I" or "I am": "Just moved here", "Love hiking", "Allergic to nuts".
var impliedVerbs = set(`love prefer hate enjoy live work need have want dislike`)

func withSubject(ws []word) []word {
	rest, _ := withoutFillers(ws)
	k := 0
	for k < len(rest) && (droppedAdverbs[rest[k].low] || rest[k].low == "usually") {
		k++
	}
	if k+1 >= len(rest) {
		return ws
	}
	w := rest[k].low
	f := verbForms[w]
	i := word{text: "I", low: "i"}
	am := word{text: "am", low: "am"}
	next := rest[k+1].low
	switch {
	case w == "going" && next == "to", f.form == formIng && w != "being" && w != "going" && w != "thinking" &&
		!(len(rest) > k+2 && anyFinite(rest[k+1:])):
		return append([]word{i, am}, lowerWords(rest)...)
	case looksIng(w) && !(f.form != 0) && prepositions[next] && !anyFinite(rest[k+1:]):
		return append([]word{i, am}, lowerWords(rest)...)
	case f.form == formPast && f.lemma != w && !isBe[next] && !anyAuxiliary(rest[k+1:]):
		return append([]word{i}, lowerWords(rest)...)
	case impliedVerbs[w] && !(w == "have" && (next == "a" && len(rest) > k+2 &&
		(rest[k+2].low == "nice" || rest[k+2].low == "great" || rest[k+2].low == "good" || rest[k+2].low == "lovely" || rest[k+2].low == "look" ||
			rest[k+2].low == "safe") || next == "fun")) && !stopObjects[next] && !(w == "enjoy" && determiners[next]) && next != "and" &&
		next != "for" && !anyAuxiliary(untilLimit(rest[k+1:])):
		return append([]word{i}, lowerWords(rest)...)
	case w == "not" && (next == "a" && hasLow(rest, "fan") || next == "into" || next == "keen" || next == "fond"), w == "big" && next == "fan":
		if w == "big" {
			return append([]word{i, am, {text: "a", low: "a"}}, lowerWords(rest)...)
		}
		return append([]word{i, am}, lowerWords(rest)...)
	case w == "this" && next == "is" && len(rest) > 2 && len(rest) < 10 && nameOf(rest[2:]) > 0:
		return append([]word{i, am}, rest[2:]...)
	case w == "used" && next == "to" && len(rest) > k+2, w == "cannot" && verbForms[next].form == formBase, w == "do" && next == "not" &&
		len(rest) > k+2 && (likes[rest[k+2].low] || rest[k+2].low == "eat" || rest[k+2].low == "drink"):
		return append([]word{i}, lowerWords(rest)...)
	case (w == "allergic" || w == "based" || w == "originally" || w == "married" || w == "fluent") && (prepositions[next] || next == "from"),
		w == "from" && rest[k+1].isName() && k == 0 && len(rest) < 5:
		return append([]word{i, am}, lowerWords(rest)...)
	}
	return ws
}

// untilLimit returns the words before a subordinate clause.
func untilLimit(ws []word) []word {
	for k, w := range ws {
		if subordinators[w.low] || w.low == "because" || w.low == "if" || w.low == "that" || w.low == "so" || w.low == "but" || w.low == "and" {
			return ws[:k]
		}
	}
	return ws
}

func anyAuxiliary(ws []word) bool {
	for k, w := range ws {
		if k > 0 && ws[k-1].endsClause() {
			return false
		}
		if auxiliaries[w.low] {
			return true
		}
	}
	return false
}

// anyFinite reports whether the words after an -ing form hold a finite verb, whose subject the form then is.
func anyFinite(ws []word) bool {
	for k, w := range ws {
		if k > 0 && ws[k-1].endsClause() {
			return false
		}
		f := verbForms[w.low]
		if auxiliaries[w.low] || f.form == formThird && k > 0 && !determiners[ws[k-1].low] {
			return true
		}
	}
	return false
}

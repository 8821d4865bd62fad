package extractive

import "strings"

// uncounted are nouns of the moment: "I have two questions".
var uncounted = set(`question questions problem problems issue issues meetings meeting calls hours minutes days weeks months years options
	ideas errors files tests tasks things points choices reasons people times seconds lines messages emails requests tickets bugs versions
	columns rows tabs items steps parts pages words appointments exams interviews deadlines functions classes variables lists arrays tables
	services instances nodes environments branches commits cases examples drafts suggestions answers users`)

// countedThings reads "four hives on the roof": a number of things that one keeps.
func countedThings(r []word, head string) bool {
	return len(r) > 1 && (numbersEN[r[0].low] > 1 && r[0].low != "few" && r[0].low != "couple" || isDigits(r[0].low) && len(r[0].low) < 3) &&
		isPlural(head) && !uncounted[head] && !codeNouns[head] && !stopNouns[head] && !hasDay(r)
}

// havePerson reads "I have two cats", "we have a daughter named Ella": people and pets; then things, ailments and dates.
func (r *reader) have(c clause) (place, bool) {
	rest := c.rest
	if len(rest) == 0 || len(rest) > 24 || c.tense != present && c.tense != perfect || pointsBack(rest) {
		return noteOnly, false
	}
	head := headNoun(rest)
	for k, w := range rest[:min(8, len(rest))] {
		if isRelation(w.low) && (w.low == head || family[w.low]) && !(k > 0 && prepositions[rest[k-1].low]) && w.low != "client" &&
			w.low != "clients" && w.low != "agent" && w.low != "family" && w.low != "students" && w.low != "fish" {
			r.person = []word{{text: w.bare(), low: w.low}}
			r.learnNames(rest[k+1:])
			return people, true
		}
		if k > 0 && (w.low == "who" || w.low == "that" || w.low == "for") {
			break
		}
	}
	if countedThings(rest, head) {
		return background, true
	}
	if havings[head] || ailments[head] {
		return background, !codeNouns[head] && (rest[0].low != "the" || ailments[head])
	}
	for _, w := range rest[:min(5, len(rest))] {
		if ailments[w.low] && w.low != "back" && w.low != "knee" && w.low != "hip" {
			return background, true
		}
	}
	if strings.HasSuffix(head, "years") && hasLow(rest, "experience") || hasLow(rest, "allergic") {
		return background, true
	}
	if technologies[head] || editorsAndSystems[head] {
		return background, rest[0].low == "a" || rest[0].low == "an"
	}
	return noteOnly, false
}

package extractive

import (
	"strings"
	"time"
)

// relationAt returns the index of the word in a noun phrase that names a person or animal of the user, or -1.
func relationAt(noun []word) int {
	for k, w := range noun {
		if k > 0 && (eventNouns[w.low] || attributes[w.low] != noteOnly && w.low != "name" && k == len(noun)-1 && !isRelation(w.low)) {
			return -1 // "my mom's birthday", "my dog's diet"
		}
	}
	for k, w := range noun {
		if isRelation(w.low) && k < 5 {
			if k+1 < len(noun) && !noun[k+1].isName() && !strings.HasSuffix(w.text, ",") && noun[k+1].low != "and" && noun[k+1].low != "name" &&
				noun[k+1].low != "names" && noun[k+1].low != "in" && noun[k+1].low != "from" && noun[k+1].low != "who" && !isRelation(noun[k+1].low) &&
				noun[k+1].low != "called" && noun[k+1].low != "named" {
				continue // "my student visa"
			}
			return k
		}
	}
	return -1
}

func isRelation(low string) bool { return family[low] || acquaintances[low] || pets[low] }

// isRelative reports whether a noun phrase is the name of a person in the user's life.
func (r *reader) isRelative(noun []word) bool { return len(noun) == 1 && r.names[noun[0].low] }

// personVerbs lists verbs of lasting activities and states of people.
var personVerbs = set(`be have live work like love hate prefer enjoy dislike adore study speak play teach drive own run come go collect eat
	drink know manage lead use smoke own sing dance paint swim train attend practice practise suffer do wear need take cook bake write read
	support detest loathe`)

// personCourses lists verbs of lasting activities of people in the progressive.
var personCourses = set(`expect study learn work live train teach turn move retire get graduate start major intern`)

// personEvents lists verbs of life events.
var personEvents = set(`move die pass retire graduate marry divorce bear start join quit adopt become found buy win`)

// aboutPerson reads a clause about a person in the user's life; rel is the word of c.noun with the relation.
func (r *reader) aboutPerson(c clause, rel int, now time.Time) (place, string, bool) {
	c.noun = plainRelation(c.noun)
	r.person = personOf(c.noun)
	r.learnNames(c.noun)
	text := factText(c)
	rest := c.rest
	if len(rest) > 0 && rest[0].low == "me" && (c.verb == "tell" || c.verb == "ask" || c.verb == "want" || c.verb == "need" ||
		c.verb == "expect") {
		if when, ok := lastMoment(rest); ok && !when.before(now) && len(rest) > 3 && rest[1].low == "to" {
			return tasks, "Needs to " + joinWords(impersonal(rest[2:])), true
		}
		return noteOnly, "", false
	}
	when, dated := lastMoment(rest)
	if dated && !when.before(now) && (c.modal == "will" || c.modal == "going to" || c.tense == present || c.tense == progressive) &&
		c.verb != "" {
		return dates, text, true
	}
	switch {
	case c.verb == "" || len(rest) > 24:
		return noteOnly, "", false
	case c.modal == "want to" && goals[c.verb], c.modal == "used to" && formerly[c.verb], c.modal == "can" && abilities[c.verb] &&
		len(rest) > 0:
		return people, text, !pointsBackAllowed(rest)
	case c.modal != "":
		return noteOnly, "", false
	case c.verb == "be" && c.tense == present:
		return r.personIs(c, text)
	case c.tense == past || c.tense == perfect:
		if c.verb == "be" && len(rest) > 0 && (rest[0].low == "born" || rest[0].low == "diagnosed") {
			return people, text, true
		}
		if personEvents[c.verb] && (len(rest) > 0 || c.verb == "die") && !pointsBackAllowed(rest) {
			return people, text, true
		}
		return noteOnly, text, dated && !c.negated
	case c.tense == progressive || c.tense == perfectProgressive:
		return people, text, personCourses[c.verb] && len(rest) > 0
	case personVerbs[c.verb] && len(rest) > 0:
		return people, text, !pointsBackAllowed(rest) && (rest[0].low != "to" || c.verb == "go") &&
			!(c.verb == "have" && passingPossession(rest)) && !(c.verb == "need" && rest[0].low != "a")
	}
	return noteOnly, "", false
}

// pointsBackAllowed is pointsBack for clauses about people, where "it" may stand for a thing just named.
func pointsBackAllowed(r []word) bool {
	return len(r) > 0 && (stopObjects[r[0].low] || r[0].low == "your")
}

func passingPossession(r []word) bool {
	h := headNoun(r)
	return h == "cold" || h == "fever" || h == "headache" || h == "flu" || h == "question" || h == "problem" || h == "idea" || h == "point" ||
		h == "meltdown"
}

func (r *reader) personIs(c clause, text string) (place, string, bool) {
	rest := c.rest
	if len(rest) == 0 {
		return noteOnly, "", false
	}
	switch w := rest[0].low; {
	case w == "sick" || w == "ill" || w == "pregnant" || w == "hospital":
		if w == "pregnant" {
			return people, text, true
		}
		return noteOnly, text, true
	case moods[w] || pointsBackAllowed(rest) || w == "there" || w == "not":
		return noteOnly, "", false
	case w == "in" || w == "at" || w == "on":
		return people, text, len(rest) > 1 && (rest[1].isName() || hasLow(rest, "grade") || hasLow(rest, "school") || hasLow(rest, "college") ||
			hasLow(rest, "university"))
	}
	if traits[rest[0].low] || marital[rest[0].low] {
		return people, text, true
	}
	if f, ok := verbForms[rest[0].low]; ok && f.form != formBase && !settledParticiples[rest[0].low] && f.lemma != rest[0].low &&
		rest[0].low != "called" && rest[0].low != "named" {
		return noteOnly, "", false
	}
	if !qualifies(rest) {
		return noteOnly, "", false
	}
	return people, text, true
}

// qualifies reports whether a complement describes a person: a noun with an article, a name, an age, a trait, a nationality.
func qualifies(r []word) bool {
	w := r[0]
	switch w.low {
	case "a", "an":
		return len(r) > 1 && second(r) != "bit" && second(r) != "little" && second(r) != "lot" && headNoun(r) != "mess" &&
			headNoun(r) != "delight" && headNoun(r) != "blessing"
	case "the":
		return len(r) > 1 && !stopNouns[second(r)] && second(r) != "best" && second(r) != "worst" && !hasLow(r, "one")
	case "from", "called", "named", "allergic", "afraid", "based", "married", "born", "into", "intolerant", "scared", "terrified", "obsessed",
		"fluent", "good", "responsible":
		return len(r) > 1
	case "turning":
		return true
	}
	return w.isName() || isDigits(w.low) || traits[w.low] || isDemonym(w) || strings.HasSuffix(w.low, "-year-old") || numbersEN[w.low] > 0 &&
		(second(r) == "years" || second(r) == "months" || second(r) == "and" || len(r) == 1) || isOccupation(w.low)
}

// plainRelation writes "my other daughter, Ivy," as "my daughter Ivy".
func plainRelation(noun []word) []word {
	out := make([]word, 0, len(noun))
	for _, w := range noun {
		w.text = strings.TrimRight(w.text, ",")
		if w.low == "other" || w.low == "dear" || w.low == "lovely" || w.low == "also" {
			continue
		}
		out = append(out, w)
	}
	return out
}

// possessed reads "her name is Chiara" about the person spoken of last.
func (r *reader) possessed(c clause) (place, string, bool) {
	if len(r.person) == 0 || c.verb != "be" || len(c.noun) < 2 || len(c.rest) == 0 || !r.fits(c.noun[0].low) {
		return noteOnly, "", false
	}
	attribute := c.noun[len(c.noun)-1].low
	if _, ok := attributes[attribute]; !ok && !isRelation(attribute) || passing(c.rest[0]) || pointsBack(c.rest) {
		return noteOnly, "", false
	}
	r.learnNames(c.rest)
	owner := joinWords(r.person) + "'s "
	return people, owner + joinWords(c.noun[1:]) + " " + c.finite(), true
}

// aboutNamed reads "Dana is the new product owner", "Hannes is my account manager", "Bob owns billing".
func (r *reader) aboutNamed(c clause, now time.Time) (place, bool) {
	rest := c.rest
	if len(rest) == 0 || c.modal != "" && c.modal != "will" || c.tense == past && c.verb != "join" {
		return noteOnly, false
	}
	when, dated := lastMoment(rest)
	switch {
	case dated && !when.before(now) && c.verb != "":
		return dates, true
	case c.verb == "be" && c.tense == present && (rest[0].low == "my" || rest[0].low == "our" || rest[0].low == "the" || rest[0].low == "a" ||
		rest[0].low == "an") && len(rest) > 1:
		head := headNoun(rest[1:])
		mine := rest[0].low == "my"
		if isRelation(head) && mine {
			r.person = c.noun
			r.learnNames(c.noun)
			return people, true
		}
		if isOccupation(head) || factNouns[head] || isRelation(head) || head == "point" || head == "person" &&
			strings.Contains(lows(rest), "contact") {
			r.person = c.noun
			if mine {
				return people, true
			}
			return facts, rest[0].low != "a" && rest[0].low != "an" || factNouns[head]
		}
	case c.verb == "be" && (rest[0].low == "responsible" || rest[0].low == "in" && second(rest) == "charge"):
		return facts, true
	case (c.verb == "own" || c.verb == "lead" || c.verb == "manage" || c.verb == "handle" || c.verb == "maintain" || c.verb == "run") &&
		c.tense == present:
		return facts, hasObject(rest)
	}
	return noteOnly, false
}

var female = set(`wife mother mom mum mama sister daughter girlfriend fiancee fiancée grandma grandmother granny nana granddaughter aunt
	niece godmother goddaughter stepmom stepmother stepdaughter stepsister half-sister mother-in-law sister-in-law daughter-in-law landlady
	ex-wife`)

var male = set(`husband father dad papa brother son boyfriend grandpa grandfather grandson uncle nephew godfather godson stepdad stepfather
	stepson stepbrother half-brother father-in-law brother-in-law son-in-law landlord ex-husband`)

// fits reports whether a pronoun may refer to the last person mentioned.
func (r *reader) fits(pronoun string) bool {
	isFemale, isMale, many := false, false, false
	for _, w := range r.person {
		isFemale, isMale = isFemale || female[w.low], isMale || male[w.low]
		many = many || isPlural(w.low) && isRelation(w.low) || w.low == "twins" || w.low == "and"
	}
	switch pronoun {
	case "he", "his":
		return !isFemale && !many
	case "she", "her":
		return !isMale && !many
	case "they", "their":
		return many || !isFemale && !isMale
	case "it", "its":
		for _, w := range r.person {
			if pets[w.low] {
				return true
			}
		}
	}
	return false
}

// personOf returns the noun phrase that identifies a person in later lines: "my sister Anna's name" → "sister Anna".
func personOf(noun []word) []word {
	var out []word
	for k, w := range noun {
		if k == 0 && determiners[w.low] {
			continue
		}
		if (w.low == "name" || w.low == "names") && len(out) > 0 {
			out[len(out)-1].text = strings.TrimSuffix(strings.TrimSuffix(out[len(out)-1].text, "'s"), "'")
			break
		}
		if w.low == "who" || prepositions[w.low] {
			break
		}
		out = append(out, w)
	}
	return out
}

// learnNames records the names of people in the user's life.
func (r *reader) learnNames(ws []word) {
	for _, w := range ws {
		if w.isName() && !isDemonym(w) && !strings.ContainsAny(w.low, "0123456789/@") {
			r.names[w.low] = true
		}
	}
}

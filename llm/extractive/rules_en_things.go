package extractive

import (
	"strings"
	"time"
)

// attributes of the user that "my … is …" states, and where they go.
var attributes = placed(map[place]string{
	identity: `name nickname surname age birthday address phone number email e-mail mail timezone zone pronouns job occupation profession title role position company employer
		hometown nationality tongue language birthplace city country residence location handle username github linkedin website homepage`,
	background: `type diet religion sign size height weight hobby hobbies major degree thesis field car bike laptop computer keyboard editor setup instrument sport goal
		goals dream ambition condition allergy allergies medication skill skills specialty speciality background education university school college commute house apartment flat garden
		schedule routine hours passion heritage ethnicity faith`,
	preferences: `favorite favorites preference preferences go-to peeve style`,
})

func placed(words map[place]string) map[string]place {
	m := map[string]place{}
	for p, list := range words {
		for w := range strings.FieldsSeq(list) {
			m[w] = p
		}
	}
	return m
}

// aboutThing reads clauses about something or somebody else than the user.
func (r *reader) aboutThing(c clause, now time.Time) (place, string, bool) {
	noun := c.noun
	owner := noun[0].low
	if rel := relationAt(noun); rel >= 0 && !(owner == "our" && trade[noun[rel].low]) && (owner == "my" || owner == "our" || owner == "his" || owner == "her" || r.isRelative(noun)) {
		return r.aboutPerson(c, rel, now)
	}
	if c.verb == "call" && len(c.rest) > 1 && len(c.rest) < 4 && c.rest[0].low == "me" && c.rest[1].isName() && c.tense == present {
		return identity, "Goes by " + joinWords(c.rest[1:]), true
	}
	if c.verb == "work" && c.negated && c.modal == "" && lows(c.rest) == "for me" {
		return preferences, factText(c), true // "meetings before 10am don't work for me"
	}
	if parents[owner] && len(noun) == 1 {
		return r.aboutPerson(c, 0, now) // "mom lives in Boston"
	}
	if r.isRelative(noun) {
		return r.aboutPerson(c, 0, now)
	}
	head := noun[len(noun)-1].low
	if owner == "his" || owner == "her" || owner == "their" || owner == "its" {
		return r.possessed(c)
	}
	if rel := relationAt(noun); rel >= 0 && owner == "the" && len(noun) == 2 && acquaintances[noun[1].low] && c.verb == "be" && c.tense == present && len(c.rest) > 0 && c.rest[0].isName() {
		return people, factText(c), true
	}
	if p, text, ok := aboutEvent(c, now); ok {
		return p, text, true
	}
	if c.verb == "be" && c.tense == present && !c.negated && len(c.rest) > 1 && c.rest[0].low == "my" && passions[headNoun(c.rest[1:])] && !stopObjects[owner] && owner != "the" {
		return preferences, factText(c), true
	}
	if owner == "my" {
		if p, ok := aboutMine(c, head); ok {
			return p, factText(c), true
		}
	}
	if noun[0].isName() && len(noun) <= 3 && !technologies[noun[0].low] {
		if p, ok := r.aboutNamed(c, now); ok {
			return p, factText(c), true
		}
	}
	if isFact(c, head) {
		return facts, factText(c), true
	}
	return noteOnly, factText(c), owner == "my" && len(noun) > 1 && eventNouns[noun[1].low] && c.tense == present && c.modal == "" && isHardValue(c.rest) && thingVerbs[c.verb] != ""
}

// passions are what "dance is my …" makes of a thing.
var passions = set(`passion hobby favorite favorites go-to relief escape therapy obsession weakness jam specialty comfort-food drug thing love religion`)

// parents need no "my".
var parents = set(`mom mum mommy mama dad daddy papa grandma grandpa granny nana`)

// trade are people whom a business has, not a person.
var trade = set(`client clients customer customers student students employee employees agent user users`)

// aboutMine reads "my favorite food is ramen", "my shoe size is 42".
func aboutMine(c clause, head string) (place, bool) {
	if c.verb != "be" || c.tense != present || len(c.rest) == 0 || len(c.rest) > 20 {
		return noteOnly, false
	}
	for _, w := range c.noun {
		if w.low == "favorite" || w.low == "favorites" || w.low == "go-to" || w.low == "preferred" || w.low == "peeve" || w.low == "top" {
			return preferences, !pointsBack(c.rest) && !passing(c.rest[0])
		}
	}
	if stopSubjects[head] && head != "dream" {
		return noteOnly, false
	}
	p, ok := attributes[head]
	if !ok || passing(c.rest[0]) && !isMannerComplement(c.rest) || stopObjects[c.rest[0].low] && c.rest[0].low != "me" {
		return noteOnly, false
	}
	return p, true
}

func isMannerComplement(r []word) bool { return len(r) > 2 }

// passing reports whether a complement describes a state that passes ("down", "broken", "running").
func passing(w word) bool {
	f, known := verbForms[w.low]
	switch {
	case moods[w.low], w.low == "not", w.low == "down", w.low == "up", w.low == "broken", w.low == "slow", w.low == "gone", w.low == "full", w.low == "empty", w.low == "missing", w.low == "different", w.low == "same", w.low == "important", w.low == "nice", w.low == "cool", w.low == "awesome", w.low == "beautiful":
		return true
	case known && f.form == formIng:
		return true
	case settledParticiples[w.low]:
		return false
	case known && (f.form == formPast || f.form == formParticiple) && f.lemma != w.low:
		return true
	}
	return false
}

// settledParticiples make a lasting fact: "is hosted on", "is due on".
var settledParticiples = set(`hosted located called named based deployed written due set scheduled planned stored owned maintained managed limited capped built run
	pinned configured reserved booked kept spelled pronounced licensed registered handled published fixed mounted exposed mapped`)

// thingVerbs are what things do for long enough to be facts, with the words that may follow.
var thingVerbs = map[string]string{
	"run": "on in at under as every daily nightly weekly", "listen": "on", "live": "in at on under", "use": "", "depend": "on", "expire": "", "belong": "to", "cost": "", "take": "",
	"support": "", "require": "", "start": "at on in every", "end": "at on in", "begin": "at on in", "close": "at on in", "open": "at on in", "leave": "at from on", "depart": "at from on",
	"arrive": "at on in", "meet": "every on at in daily weekly", "happen": "on at every in", "go": "to out", "point": "to", "need": "", "handle": "", "own": "", "lead": "", "manage": "", "sit": "in on under", "cover": "", "include": "", "weigh": "",
	"deploy": "to on every from", "contain": "", "report": "to", "have": "", "store": "", "charge": "", "allow": "",
}

// isFact reads "the staging DB port is 5433", "the cluster runs in eu-central-1", "our stack is Go and Vue".
func isFact(c clause, head string) bool {
	noun, rest := c.noun, c.rest
	for _, w := range noun {
		if w.low == "character" || w.low == "characters" || w.low == "protagonist" || w.low == "hero" || w.low == "heroine" || w.low == "villain" || w.low == "narrator" {
			return false // of a story
		}
	}
	if noun[0].low == "everything" && len(noun) == 1 && (settledParticiples[rest[0].low] || c.verb == "run" || c.verb == "live") && isValue(rest) {
		return true
	}
	switch noun[0].low {
	case "this", "that", "these", "those", "any", "some", "no", "another", "such":
		return false
	}
	definite := noun[0].low == "the" || noun[0].low == "our" || noun[0].low == "my" || noun[0].isName() || technologies[noun[0].low] || len(noun) <= 4 && (factNouns[head] || factNouns[strings.TrimSuffix(head, "s")])
	if (c.modal == "must" || c.modal == "have to" || c.modal == "need to") && c.tense == present && c.subject == thing && (hasLow(noun, "our") || noun[0].low == "every" || noun[0].low == "all" || noun[0].low == "each") && !codeNouns[head] && len(rest) > 1 && len(rest) < 16 && !pointsBack(rest) {
		return true
	}
	if !definite || len(rest) == 0 || len(rest) > 22 || len(noun) > 8 || c.modal != "" || stopSubjects[head] && !(noun[0].low == "our" && ours[head]) || stopSubjects[noun[min(1, len(noun)-1)].low] && len(noun) <= 2 || hasLow(noun, "you") || hasLow(noun, "i") {
		return false
	}
	if c.tense != present && !(c.tense == future && hasDay(rest)) || verbForms[noun[0].low].form == formIng {
		return false
	}
	hasFactNoun := factNouns[head] || factNouns[strings.TrimSuffix(head, "s")] || len(noun) > 2 && hasFactNounBeforeOf(noun)
	switch c.verb {
	case "be":
		if passing(rest[0]) || c.negated && !isValue(rest) {
			return false
		}
		if settledParticiples[rest[0].low] {
			return len(rest) > 1
		}
		if pointsBack(rest) {
			return false
		}
		if (noun[0].low == "my" || noun[0].low == "our") && len(rest) < 7 && namesValue(rest) {
			return !codeNouns[head]
		}
		return hasFactNoun && (isValue(rest) || isShortNoun(rest)) || isHardValue(rest) && (noun[0].low == "the" || noun[0].low == "our" || noun[0].low == "my")
	default:
		follow, ok := thingVerbs[c.verb]
		if !ok || pointsBack(rest) && rest[0].low != "every" {
			return false
		}
		if eventNouns[head] && !isRecurring(rest) {
			return false // without a day, "my flight leaves at 8:15" is of today
		}
		if follow != "" {
			return strings.Contains(" "+follow+" ", " "+rest[0].low+" ") && (isValue(rest) || hasFactNoun || isRecurring(rest))
		}
		return isValue(rest) && (c.verb != "have" && c.verb != "need" || hasFactNoun)
	}
}

// ours are things that with "our" are a team's own, though they mostly stand for something at hand.
var ours = set(`tests test build builds code docs documentation site website app page pages status-page task tasks`)

// hasFactNounBeforeOf finds "the deadline for Alpha", "the port of the staging DB".
func hasFactNounBeforeOf(noun []word) bool {
	for k := 1; k+1 < len(noun); k++ {
		if prepositions[noun[k+1].low] && (factNouns[noun[k].low] || eventNouns[noun[k].low]) {
			return true
		}
	}
	return false
}

// isValue reports whether words hold a value: a number, an address, a name, a technology.
func isValue(ws []word) bool {
	if isHardValue(ws) {
		return true
	}
	for _, w := range ws {
		if technologies[w.low] || w.isName() {
			return true
		}
	}
	return false
}

// namesValue wants a proper name or a technology.
func namesValue(ws []word) bool {
	for _, w := range ws {
		if w.isName() || technologies[w.low] {
			return true
		}
	}
	return false
}

// isHardValue wants digits or an address.
func isHardValue(ws []word) bool {
	for _, w := range ws {
		if strings.ContainsAny(w.low, "0123456789@#") || strings.Contains(w.low, "/") && len(w.low) > 3 && !strings.HasSuffix(w.low, "/or") || strings.HasPrefix(w.text, "`") || strings.Contains(strings.TrimRight(w.text, "."), ".") && len(w.low) > 4 {
			return true
		}
	}
	return false
}

func isShortNoun(ws []word) bool {
	if len(ws) > 5 || ws[0].low == "too" || ws[0].low == "so" || ws[0].low == "very" {
		return false
	}
	f, isVerb := verbForms[ws[0].low]
	return !isVerb || f.form == formBase || len(ws) > 1
}

func isRecurring(ws []word) bool {
	l := " " + lows(ws) + " "
	if strings.Contains(l, " every ") || strings.Contains(l, " daily") || strings.Contains(l, " weekly") || strings.Contains(l, " nightly") || strings.Contains(l, " monthly") {
		return true
	}
	for _, w := range ws {
		if d, ok := strings.CutSuffix(w.low, "s"); ok {
			if _, ok := weekdaysEN[d]; ok && len(d) > 4 {
				return true
			}
		}
	}
	return false
}

// factText writes a clause about a thing: without article or owner, the rest told impersonally.
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

// finite writes verb and rest of a third-person clause as they were said.
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

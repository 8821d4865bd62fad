package extractive

import (
	"strings"
	"time"
)

// attributes of the user that "my … is …" states, and where they go.
var attributes = placed(map[place]string{
	identity: `name nickname surname age birthday address phone number email e-mail mail timezone zone pronouns job occupation profession ` +
		`title role position company employer
		hometown nationality tongue language birthplace city country residence location handle username github linkedin website homepage`,
	background: `type diet religion sign size height weight hobby hobbies major degree thesis field car bike laptop computer keyboard ` +
		`editor setup instrument sport goal
		goals dream ambition condition allergy allergies medication skill skills specialty speciality background education university school ` +
		`college commute house apartment flat garden
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

// aboutThing reads clauses about things and people other than the user.
func (r *reader) aboutThing(c clause, now time.Time) (place, string, bool) {
	noun := c.noun
	owner := noun[0].low
	if rel := relationAt(noun); rel >= 0 && !(owner == "our" && trade[noun[rel].low]) &&
		(owner == "my" || owner == "our" || owner == "his" || owner == "her" || r.isRelative(noun)) {
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
	if rel := relationAt(noun); rel >= 0 && owner == "the" && len(noun) == 2 && acquaintances[noun[1].low] && c.verb == "be" &&
		c.tense == present && len(c.rest) > 0 && c.rest[0].isName() {
		return people, factText(c), true
	}
	if p, text, ok := aboutEvent(c, now); ok {
		return p, text, true
	}
	if c.verb == "be" && c.tense == present && !c.negated && len(c.rest) > 1 && c.rest[0].low == "my" && passions[headNoun(c.rest[1:])] &&
		!stopObjects[owner] && owner != "the" {
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
	return noteOnly, factText(c), owner == "my" && len(noun) > 1 && eventNouns[noun[1].low] && c.tense == present && c.modal == "" &&
		isHardValue(c.rest) && thingVerbs[c.verb] != ""
}

// passions lists the nouns that complete "dance is my …".
var passions = set(`passion hobby favorite favorites go-to relief escape therapy obsession weakness jam specialty comfort-food drug thing
	love religion`)

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

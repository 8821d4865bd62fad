package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// claim is one attribute of one subject that a line states: {user, location, "Hamburg"}, {staging DB, port, "5433"}. Lines
// written by people, models and this engine are read alike, so that a new statement finds the line that it corrects.
type claim struct {
	subject   string // "" is the user; else a name, a relation or the sorted words of a thing
	attribute string
	value     string // as it stands in the line
	terms     map[string]bool
	negative  bool
	// single attributes have one value at a time: a new value replaces the old one. The others accumulate.
	single bool
}

func (c claim) key() string { return c.subject + "\x00" + c.attribute }

var bold = strings.NewReplacer("**", "", "__", "", "`", "")

// plainLine is what a line of a file says, without list marker, emphasis and a date of the engine's own.
func plainLine(line string) string {
	s := strings.TrimSpace(line)
	if strings.ContainsAny(s, "*_`") {
		s = strings.TrimSpace(bold.Replace(s))
	}
	s = s[markerLen(s):]
	if strings.Contains(s, "conversation on") || strings.Contains(s, "对话中") {
		s = saidOn.ReplaceAllString(s, "")
	}
	return strings.TrimSpace(s)
}

var saidOn = regexp.MustCompile(`\s*[(（](?:said in conversation on|对话中提到于) ?\d{4}-\d\d-\d\d[)）]`)

// claimsOf reads the claims of a line. owner are the names that the user goes by, in lower case.
func claimsOf(line string, owner []string) []claim {
	s := plainLine(line)
	if s == "" || len(s) > 4*maxLine {
		return nil
	}
	var out []claim
	for _, part := range splitSentences(s) {
		if hasHan(part) {
			out = append(out, finish(claimsZH(part))...)
		} else {
			out = append(out, finish(claimsEN(part, owner))...)
		}
	}
	return out
}

func finish(cs []claim) []claim {
	out := cs[:0]
	for _, c := range cs {
		c.value = trimStop(strings.TrimSpace(c.value))
		if c.value == "" || c.attribute == "" {
			continue
		}
		c.terms = termsOf(c.value).set
		if c.attribute == "" || len(c.terms) == 0 {
			continue
		}
		out = append(out, c)
	}
	return out
}

// attributeKeys map the words by which an attribute is called to one name.
var attributeKeys = map[string]string{
	"name": "name", "full name": "name", "first name": "name", "nickname": "nickname", "age": "age", "birthday": "birthday", "date of birth": "birthday", "born": "birthday",
	"location": "location", "city": "location", "home": "location", "residence": "location", "lives in": "location", "based in": "location", "hometown": "origin",
	"job": "job", "occupation": "job", "profession": "job", "role": "job", "title": "job", "job title": "job", "position": "job", "work": "job",
	"employer": "employer", "company": "employer", "workplace": "employer", "timezone": "timezone", "time zone": "timezone", "tz": "timezone", "email": "email", "e-mail": "email",
	"phone": "phone", "phone number": "phone", "address": "address", "pronouns": "pronouns", "diet": "diet", "native language": "native language", "mother tongue": "native language",
	"nationality": "nationality", "marital status": "marital", "blood type": "blood type", "shoe size": "shoe size", "height": "height", "weight": "weight", "team": "team", "manager": "manager", "boss": "manager", "major": "major", "budget": "budget",
}

// accumulating attributes have many values under one name.
var accumulating = set(`hobby hobbies goal goals allergy allergies skill skills language languages interests pets children kids medication number dream ambition condition preferences favorites`)

var diets = set(`vegetarian vegan pescatarian keto omnivore halal kosher`)

var marital = set(`married single divorced engaged widowed`)

// claimsEN reads a line in English.
func claimsEN(s string, owner []string) []claim {
	ws := englishWords(s)
	if len(ws) == 0 {
		return nil
	}
	if key, value, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(value, "//") && len(strings.Fields(key)) <= 5 && strings.TrimSpace(value) != "" {
		if c := labelled(key, value); c.attribute != "" {
			return []claim{c}
		}
	}
	ws = aboutUser(ws, owner)
	if c := orderClaim(ws); c.attribute != "" {
		return []claim{c}
	}
	c := parseClause(ws)
	if c.verb == "" {
		return dayOf(ws)
	}
	subject := ""
	if c.subject == thing {
		if rel := relationAt(c.noun); rel >= 0 {
			subject = personKey(c.noun)
			if last := c.noun[len(c.noun)-1].low; last == "name" || last == "names" {
				return nil // two daughters have two names
			}
		} else if len(c.noun) == 1 && c.noun[0].isName() && !technologies[c.noun[0].low] && attributes[c.noun[0].low] == noteOnly && !factNouns[c.noun[0].low] && !eventNouns[c.noun[0].low] && (c.verb != "be" || !isHardValue(c.rest) && !isRoleOf(c.rest)) {
			subject = c.noun[0].low
		} else {
			return thingClaims(c)
		}
	}
	return personClaims(c, subject)
}

// isRoleOf reads "the product owner" in "Dana is the product owner".
func isRoleOf(r []word) bool {
	return len(r) > 1 && (r[0].low == "the" || r[0].low == "their" || r[0].low == "a" || r[0].low == "an") && !isOccupation(headNoun(r[1:]))
}

// aboutUser gives a line about the user a subject that the parser knows.
func aboutUser(ws []word, owner []string) []word {
	he := word{text: "he", low: "he"}
	for len(ws) > 1 && droppedAdverbs[ws[0].low] {
		ws = ws[1:]
	}
	w := ws[0].low
	switch {
	case w == "user" && len(ws) > 1:
		return append([]word{he}, ws[1:]...)
	case w == "the" && len(ws) > 2 && ws[1].low == "user":
		return append([]word{he}, ws[2:]...)
	case w == "i" || w == "we" || w == "he" || w == "she" || w == "they":
		return append([]word{he}, ws[1:]...)
	case slices.Contains(owner, w) && len(ws) > 1:
		return append([]word{he}, ws[1:]...)
	}
	f := verbForms[w]
	if (f.form == formThird || f.form == formPast || w == "is" || w == "has" || w == "does" || w == "no" || w == "was" || w == "cannot" || keptAdverbs[w]) && !(len(ws) > 1 && isBe[ws[1].low]) {
		return append([]word{he}, ws...)
	}
	if f.form == formIng && len(ws) > 1 || w == "based" || traits[w] && len(ws) < 4 || w == "allergic" || w == "from" || w == "not" {
		return append([]word{he, {text: "is", low: "is"}}, ws...)
	}
	return ws
}

// personKey names somebody by relation and name: "sister", "sister anna".
func personKey(noun []word) string {
	var parts []string
	for _, w := range personOf(noun) {
		parts = append(parts, w.low)
	}
	return strings.Join(parts, " ")
}

func labelled(key, value string) claim {
	low := strings.ToLower(strings.Join(strings.Fields(key), " "))
	if a, ok := attributeKeys[low]; ok {
		return claim{attribute: a, value: value, single: true}
	}
	ws := plainKey(englishWords(key))
	if len(ws) == 0 || accumulating[ws[len(ws)-1].low] {
		return claim{}
	}
	last := ws[len(ws)-1].low
	if low == "to do" || low == "decision" || strings.HasPrefix(low, "corrected") {
		return claim{}
	}
	if of := englishWords(value); len(of) > 1 && (factNouns[of[0].low] || eventNouns[of[0].low]) { // "Project Alpha: deadline 2026-06-01"
		return claim{subject: thingKey(append(ws, of[0])), attribute: "is", value: joinWords(withoutLead(of[1:])), single: true}
	}
	if factNouns[last] || eventNouns[last] || attributes[last] != noteOnly || hasLow(ws, "favorite") {
		return claim{subject: thingKey(ws), attribute: "is", value: value, single: true}
	}
	return claim{}
}

// personClaims reads what a clause says about the user or somebody of their life.
func personClaims(c clause, subject string) []claim {
	one := func(attribute string, ws []word) []claim {
		return []claim{{subject: subject, attribute: attribute, value: joinWords(ws), negative: c.negated, single: true}}
	}
	r := c.rest
	if c.modal != "" || len(r) == 0 {
		return nil
	}
	switch c.verb {
	case "live", "reside", "?reside", "?dwell":
		if prepositions[r[0].low] && r[0].low != "with" && c.tense != past && c.tense != perfect {
			return one("location", placeWords(r[1:]))
		}
	case "move", "relocate":
		if k := indexLow(r, "to"); k >= 0 && k < 4 && c.tense != progressive && len(c.when) == 0 && toPlace(r[k:]) {
			return one("location", placeWords(r[k+1:]))
		}
	case "come", "hail", "?hail":
		if r[0].low == "from" {
			return one("origin", placeWords(r[1:]))
		}
	case "work":
		if c.tense == past {
			return nil
		}
		return workClaims(r, subject, c.negated)
	case "join":
		return one("employer", placeWords(r))
	case "get", "land", "accept", "start":
		switch {
		case marital[r[0].low]:
			return one("marital", r[:1])
		case (r[0].low == "promoted" || r[0].low == "hired") && len(r) > 2 && (r[1].low == "to" || r[1].low == "as"):
			return one("job", placeWords(withoutArticle(r[2:])))
		case isNewJob(r):
			return workClaims(r, subject, c.negated)
		}
	case "turn":
		if isAge(r) {
			return one("age", r[:1])
		}
	case "have":
		return haveClaims(r, subject)
	case "go":
		if r[0].low == "by" && len(r) > 1 && subject == "" {
			return one("nickname", r[1:])
		}
	case "be":
		return beClaims(c, subject)
	}
	if likes[c.verb] || dislikes[c.verb] {
		if c.tense == past {
			return nil
		}
		if k := comparison(r); k > 0 {
			both := termsOf(joinWords(r[:k]) + " " + joinWords(r[k+1:])).set
			return []claim{{subject: subject, attribute: "choice " + strings.Join(sorted(both), " "), value: joinWords(r[:k]), negative: dislikes[c.verb] != c.negated, single: true}}
		}
		object := termsOf(joinWords(r)).set
		return []claim{{subject: subject, attribute: "taste " + strings.Join(sorted(object), " "), value: joinWords(r), negative: dislikes[c.verb] != c.negated, single: true}}
	}
	return nil
}

// comparison finds the word between what is preferred and what it is preferred to; 0 when there is none.
func comparison(r []word) int {
	for k := 1; k+1 < len(r); k++ {
		if w := r[k].low; w == "over" || w == "than" || w == "to" && verbForms[r[k+1].low].form != formBase {
			return k
		}
	}
	return 0
}

// workClaims reads "as a nurse at Charité".
func workClaims(r []word, subject string, negative bool) []claim {
	var out []claim
	for k := 0; k+1 < len(r); k++ {
		rest := placeWords(r[k+1:])
		if len(rest) == 0 {
			continue
		}
		switch r[k].low {
		case "as":
			out = append(out, claim{subject: subject, attribute: "job", value: joinWords(withoutArticle(rest)), negative: negative, single: true})
		case "at", "for":
			if rest[0].isName() || rest[0].low == "a" || rest[0].low == "an" || rest[0].low == "the" {
				out = append(out, claim{subject: subject, attribute: "employer", value: joinWords(rest), negative: negative, single: true})
			}
		}
	}
	return out
}

func beClaims(c clause, subject string) []claim {
	r := c.rest
	if c.tense == past {
		return nil
	}
	add := func(attribute string, ws []word, single bool) []claim {
		return []claim{{subject: subject, attribute: attribute, value: joinWords(ws), negative: c.negated, single: single}}
	}
	switch w := r[0].low; {
	case (w == "based" || w == "located" || w == "living") && len(r) > 2:
		return add("location", placeWords(r[2:]), true)
	case w == "from" && len(r) > 1:
		return add("origin", placeWords(r[1:]), true)
	case (w == "called" || w == "named") && len(r) > 1 && subject == "":
		return add("name", r[1:], true)
	case isDigits(w) && len(w) <= 2 && (len(r) == 1 || r[1].low == "years"):
		return add("age", r[:1], true)
	case strings.HasSuffix(w, "-years-old"):
		return add("age", r[:1], true)
	case diets[w] && len(r) < 4:
		return add("diet", r[:1], true)
	case (w == "a" || w == "an") && len(r) > 1 && diets[r[1].low]:
		return add("diet", r[1:2], true)
	case marital[w]:
		return add("marital", r[:1], true)
	case traits[w]:
		return add("trait "+w, r[:1], true)
	case isDemonym(r[0]):
		return add("nationality", r[:1], true)
	case w == "a" || w == "an" || w == "the":
		rest := r[1:]
		if p, ok := nounComplement(rest, w == "the"); ok && p == identity {
			job := placeWords(rest)
			out := []claim{{subject: subject, attribute: "job", value: joinWords(job), negative: c.negated, single: true}}
			return append(out, workClaims(rest[min(len(job), len(rest)):], subject, c.negated)...)
		}
	case w == "at" && len(r) > 1:
		return add("employer", placeWords(r[1:]), true)
	}
	return nil
}

// thingClaims reads "staging DB port is 5433", "billing service runs on port 8080", "name is Ada".
func thingClaims(c clause) []claim {
	r := c.rest
	if len(r) == 0 || c.modal != "" || c.tense == past {
		return nil
	}
	noun := c.noun
	if len(r) > 1 && r[0].low == "spelled" {
		r = r[1:]
	}
	low := lows(plainKey(noun))
	switch c.verb {
	case "be":
		if a, ok := attributeKeys[low]; ok {
			return []claim{{attribute: a, value: joinWords(r), negative: c.negated, single: true}}
		}
		if accumulating[noun[len(noun)-1].low] {
			return nil
		}
		if r[0].low == "hosted" || r[0].low == "deployed" || r[0].low == "located" || r[0].low == "written" {
			return []claim{{subject: thingKey(noun), attribute: r[0].low, value: joinWords(r[1:]), single: true}}
		}
		if (r[0].low == "the" || r[0].low == "a" || r[0].low == "an" || r[0].low == "their") && noun[0].isName() && len(r) > 1 {
			return []claim{{subject: thingKey(r), attribute: "is", value: joinWords(noun), single: true}} // "Dana is the product owner"
		}
		return []claim{{subject: thingKey(noun), attribute: "is", value: joinWords(withoutLead(r)), negative: c.negated, single: true}}
	case "run", "listen", "live":
		if k := indexLow(r, "port"); k >= 0 && k+1 < len(r) {
			return []claim{{subject: thingKey(append(append([]word(nil), noun...), r[k])), attribute: "is", value: r[k+1].bare(), single: true}}
		}
		if prepositions[r[0].low] && len(r) > 1 && !isRecurring(r) {
			return []claim{{subject: thingKey(noun), attribute: c.verb + " " + r[0].low, value: joinWords(r[1:]), single: true}}
		}
	case "start", "end", "begin", "leave", "depart", "arrive", "open", "close", "expire", "launch", "ship", "cost":
		return []claim{{subject: thingKey(noun), attribute: c.verb, value: joinWords(withoutLead(r)), single: true}}
	}
	return nil
}

// thingKey names a thing by its words in order of the alphabet, so that "deadline for Alpha" and "Alpha's deadline" are one.
func thingKey(noun []word) string {
	t := termsOf(strings.ToLower(joinWords(noun)))
	delete(t.set, "project")
	delete(t.set, "new")
	return strings.Join(sorted(t.set), " ")
}

func sorted(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for w := range m {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func indexLow(ws []word, low string) int {
	return slices.IndexFunc(ws, func(w word) bool { return w.low == low })
}

// withoutLead drops what stands before the value: "is on 2026-06-01", "is due by …", "is now 5434".
func withoutLead(r []word) []word {
	for len(r) > 1 && (prepositions[r[0].low] || datePrepositions[r[0].low] || r[0].low == "due" || r[0].low == "now" || r[0].low == "scheduled" || r[0].low == "planned" || r[0].low == "set" || r[0].low == "the" || r[0].low == "port") {
		r = r[1:]
	}
	return r
}

func withoutArticle(r []word) []word {
	if len(r) > 1 && (r[0].low == "a" || r[0].low == "an" || r[0].low == "the") {
		return r[1:]
	}
	return r
}

// placeWords is the place, employer or job at the beginning of r: up to a comma, a bracket, a date or another preposition.
func placeWords(r []word) []word {
	for k, w := range r {
		if k > 0 && (strings.HasPrefix(w.text, "(") || prepositions[w.low] && w.low != "of" || w.low == "and" || w.low == "because" || w.low == "but" || w.low == "who" || w.low == "when" || w.when.span != noSpan || w.low == "around" || w.low == "now" || w.low == "fully" || w.low == "long" || w.low == "where") {
			return r[:k]
		}
		if w.endsClause() {
			return r[:k+1]
		}
	}
	return r
}

package extractive

import (
	"regexp"
	"slices"
	"strings"

	"reverie/language/script"
	sentences "reverie/language/sentence"
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

// plainLine returns a line of a file without its list marker, emphasis and the date added by the engine.
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
	for _, part := range sentences.Split(s) {
		if script.HasHan(part) {
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
	"name": "name", "full name": "name", "first name": "name", "nickname": "nickname", "age": "age", "birthday": "birthday",
	"date of birth": "birthday", "born": "birthday", "location": "location", "city": "location", "home": "location", "residence": "location",
	"lives in": "location", "based in": "location", "hometown": "origin", "job": "job", "occupation": "job", "profession": "job",
	"role": "job", "title": "job", "job title": "job", "position": "job", "work": "job",
	"employer": "employer", "company": "employer", "workplace": "employer", "timezone": "timezone", "time zone": "timezone", "tz": "timezone",
	"email": "email", "e-mail": "email", "phone": "phone", "phone number": "phone", "address": "address", "pronouns": "pronouns",
	"diet": "diet", "native language": "native language", "mother tongue": "native language",
	"nationality": "nationality", "marital status": "marital", "blood type": "blood type", "shoe size": "shoe size", "height": "height",
	"weight": "weight", "team": "team", "manager": "manager", "boss": "manager", "major": "major", "budget": "budget",
}

// accumulating attributes have many values under one name.
var accumulating = set(`hobby hobbies goal goals allergy allergies skill skills language languages interests pets children kids medication
	number dream ambition condition preferences favorites`)

var diets = set(`vegetarian vegan pescatarian keto omnivore halal kosher`)

var marital = set(`married single divorced engaged widowed`)

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

// withoutLead drops the words before the value: "is on 2026-06-01", "is due by …", "is now 5434".
func withoutLead(r []word) []word {
	for len(r) > 1 && (prepositions[r[0].low] || datePrepositions[r[0].low] || r[0].low == "due" || r[0].low == "now" ||
		r[0].low == "scheduled" || r[0].low == "planned" || r[0].low == "set" || r[0].low == "the" || r[0].low == "port") {
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
		if k > 0 && (strings.HasPrefix(w.text, "(") || prepositions[w.low] && w.low != "of" || w.low == "and" || w.low == "because" ||
			w.low == "but" || w.low == "who" || w.low == "when" || w.when.span != noSpan || w.low == "around" || w.low == "now" ||
			w.low == "fully" || w.low == "long" || w.low == "where") {
			return r[:k]
		}
		if w.endsClause() {
			return r[:k+1]
		}
	}
	return r
}

package claim

import (
	"strings"

	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
)

// untilDE matches the end of a value of several words.
const untilDE = `(?i:\s+(?:und|aber|weil|denn|seit|mit|wo|der|die|das|als|bis|nach|gezogen|umgezogen|zusammen|im|am)\b.*|` +
	`[,;:](?:\s.*|$)|\s*[(\[].*)?$`

// rulesDE are attributes of persons in German, most specific first. The first match of a clause counts.
var rulesDE = []rule{
	{
		attributeHome,
		lazyregexp.New(`^(.*?)\b(?i:wohn(?:e|t|en)|leb(?:e|t|en)) (?:(?i:jetzt|nun|seit .{1,20}?|aktuell|derzeit) )*(?i:in) (.+?)` + untilDE),
		true, false, named,
	},
	{
		attributeHome, lazyregexp.New(`^(.*?)\b(?i:bin|ist|sind|zieh(?:e|t|` +
			`en)) (?:.{0,40} )?(?i:nach) (\p{Lu}\S*?)(?i: (?:um)?gezogen| um)?[.,]?$`),
		true, true, named,
	},
	{
		attributeEmployer, lazyregexp.New(`^(.*?)\b(?i:arbeit(?:e|et|en)) (?:(?i:jetzt|nun|seit .{1,20}?|aktuell|derzeit) )*(?i:bei|` +
			`für) (.+?)` + untilDE),
		true, false, named,
	},
	{attributeJob, lazyregexp.New(`^(.*?)\b(?i:arbeit(?:e|et|en)) (?i:als) (.+?)` + untilDE), false, false, nil},
	{
		attributeStatus, lazyregexp.New(`^(.*?)\b(?i:bin|ist|sind) (?i:glücklich |frisch )?(ledig|verheiratet|geschieden|verlobt|` +
			`verwitwet)\b.*$`),
		true, false, nil,
	},
	{attributeDiet, lazyregexp.New(`^(.*?)\b(?i:bin|ist|ernähre mich|isst|esse) (?i:strikt |streng )?((?i:vegetarier(?:in)?|` +
		`veganer(?:in)?|` +
		`vegan|vegetarisch))\b.*$`), true, false, nil},
	{attributeAge, lazyregexp.New(`^(.*?)\b(?i:bin|ist|sind|wird|werde) (\d{1,3})(?i: Jahre(?: alt)?)?$`), true, false, nil},
	{
		attributeBirthday, lazyregexp.New(`^(.*?)\b(?i:geburtstag ist|geburtstag:|(?:habe|hat|bin|ist)) (?i:am )(.+?)(?i: geburtstag|` +
			` geboren)?$`), true, false,
		func(_ kind, value string) bool { return dateDE.MatchString(value) },
	},
	{attributeName, lazyregexp.New(`^(.*?)\b(?i:heiß(?:e|t|en)) (.+?)` + untilDE), true, false, named},
}

// ordinalDE matches a full stop after a day, which ends no clause: "am 3. Mai".
var ordinalDE = lazyregexp.New(`\b(\d{1,2})\. (\p{Lu})`)

// dateDE matches a date in German: "3. Mai 1990", "03.05.", "1990-05-03".
var dateDE = lazyregexp.New(`(?i)^\d{1,2}\.\s?(?:\d{1,2}\.|januar|februar|märz|april|mai|juni|juli|august|september|oktober|` +
	`november|dezember)|` +
	`^\d{4}-\d\d-\d\d`)

// aboutDE matches what only German has among the first words of a clause. Rules of another language would take its words for names.
var aboutDE = lazyregexp.New(`(?i)\b(?:ich|mein(?:e|er|em|en|es)?|wohn(?:e|t|en)|leb(?:e|t|en)|arbeit(?:e|et)|bin|ist|heiß(?:e|` +
	`t)|lautet)\b`)

// meansUserDE are words of a subject that mean the user.
var meansUserDE = wordSet(`ich nutzer nutzerin benutzer benutzerin user`)

// notNowDE make a clause a wish, a plan, a question, a negation or the past.
var notNowDE = lazyregexp.New(`(?i)\b(?:nicht|kein(?:e|en|er|em)?|nie|wollte|möchte|würde|könnte|vielleicht|früher|war|waren|` +
	`wäre|falls|wenn|plant|` +
	`plane|hofft|hoffe)\b`)

// germanSlots reads the clauses of a text.
func germanSlots(text string) (all []slot) {
	if !aboutDE.MatchString(text) {
		return nil
	}
	for _, clause := range clauses.Split(ordinalDE.ReplaceAllString(text, "$1.\u00a0$2"), -1) {
		if s, ok := german(sentence.WithoutLead(strings.TrimSpace(clause))); ok {
			all = append(all, s)
		}
	}
	return all
}

// german returns what a clause in German states.
func german(clause string) (s slot, ok bool) {
	if notNowDE.MatchString(clause) {
		return slot{}, false
	}
	for _, rule := range rulesDE {
		m := rule.pattern.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		value := strings.ReplaceAll(strings.TrimSpace(m[2]), "\u00a0", " ")
		if rule.accept != nil && !rule.accept(kindOf(value), value) {
			continue
		}
		s = slotOf(subjectDE(m[1]), rule.attribute, value)
		s.single, s.changed = rule.single && !date.HoldsPartly(clause), rule.changed
		return s, len(s.words) > 0
	}
	c := copulaDE
	m := c.is.FindStringSubmatch(strings.TrimRight(clause, " .!"))
	if m == nil || strings.ContainsAny(m[2], ",;") || len(strings.Fields(m[1])) > maxThing {
		return slot{}, false
	}
	s = slotOf(subjectDE(m[1]), attributeIs, m[2])
	s.single = c.one.MatchString(folded(m[1])) && !c.several.MatchString(folded(m[1]))
	return s, len(s.words) > 0
}

// subjectDE returns the key of a clause's subject: "" for the user.
func subjectDE(before string) string {
	var out []string
	for w := range strings.FieldsSeq(before) {
		w = strings.Trim(w, `,:"'`)
		if folded := strings.ToLower(w); !meansUserDE[folded] && !determinersDE[folded] {
			out = append(out, w)
		}
	}
	return nounKey(strings.Join(out, " "))
}

var determinersDE = wordSet(`mein meine meiner meinem meinen meines der die das dem den ein eine unser unsere ist hat habe und vom von im am`)

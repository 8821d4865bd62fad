package claim

import (
	"strings"

	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
)

// ofUserRomance matches words for the user at the beginning of a clause, which are not part of its subject.
const ofUserRomance = `^(?:moi,? )?(?:je |j'|nous |mon |ma |notre |yo |nosotros |mi |nuestr[oa] )?`

// untilRomance matches the end of a value of several words.
const untilRomance = `(?i:\s+(?:avec|depuis|et|mais|près|dans|en|parce|pour|où|maintenant|actuellement|con|desde|y|pero|cerca|hace|` +
	`porque|para|donde|ahora|actualmente|como|comme)(?:\s.*|$)|[,;:](?:\s.*|$)|\s*[(\[].*)?[.!]?$`

// rulesRomance are attributes of persons in French and Spanish. The first match of a clause counts.
var rulesRomance = []rule{
	{
		attributeHome, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:habit(?:e|ons|ent)|vis|vit|vivons|vivent|résid(?:e|ons|ent)|log(?:e|eons))` +
			`(?: maintenant| actuellement| désormais| toujours| seule?)* (?:à|au|aux|en) (?-i:(\p{Lu}.*?))` + untilRomance),
		true, false, named,
	},
	{
		attributeHome, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)(?:\b(?:suis|est|ai|a|avons|me|s')[ ]?)+(?:déménagée?|emménagée?|installée?)` +
			` (?:de \S+ )?(?:à|au|aux|en) (?-i:(\p{Lu}.*?))` + untilRomance),
		true, true, named,
	},
	{
		attributeHome, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:vivo|vive|vivimos|viven|resido|reside|residimos)` +
			`(?: ahora| actualmente| todavía| sol[oa])* en (?-i:(\p{Lu}.*?))` + untilRomance),
		true, false, named,
	},
	{
		attributeHome, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:me|se|nos) (?:mudé|mudó|mudamos|(?:he|ha|hemos) mudado)` +
			` (?:de \S+ )?a (?-i:(\p{Lu}.*?))` + untilRomance),
		true, true, named,
	},
	{
		attributeEmployer, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:travaill(?:e|ons|ent)|boss(?:e|ons|ent))` +
			`(?: maintenant| actuellement| désormais| toujours)* (?:chez|pour) (?-i:(\p{Lu}.*?))` + untilRomance),
		true, false, named,
	},
	{
		attributeEmployer, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:trabaj(?:o|a|amos|an))` +
			`(?: ahora| actualmente| todavía)* (?:en|para) (?-i:(\p{Lu}.*?))` + untilRomance),
		true, false, func(k kind, value string) bool { return named(k, value) && !citiesES[strings.ToLower(value)] },
	},
	{
		attributeName, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:m'|s'|me |se )(?:appelle|nomme|llamo|llama)` +
			` (?-i:(\p{Lu}.*?))` + untilRomance),
		true, false, named,
	},
	{attributeName, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:nom|prénom) est (?-i:(\p{Lu}.*?))` + untilRomance), true, false, named},
	{attributeName, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\bnombre es (?-i:(\p{Lu}.*?))` + untilRomance), true, false, named},
	{
		attributeAge, lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:ai|a|avons|tengo|tiene|cumplo|cumplí) (\d{1,3}) (?:ans|años)[.!]?$`),
		true, false, nil,
	},
}

// citiesES are cities in which people work: "trabajo en" precedes places and employers alike.
var citiesES = wordSet(`madrid barcelona valencia sevilla zaragoza málaga murcia palma bilbao alicante córdoba valladolid vigo gijón granada
	salamanca toledo cádiz pamplona logroño burgos león oviedo almería huelva badajoz tarragona lérida lleida girona españa méxico monterrey
	guadalajara puebla bogotá medellín cali lima cusco quito guayaquil caracas rosario mendoza santiago valparaíso montevideo asunción
	argentina chile perú colombia londres parís berlín lisboa roma viena zúrich alemania francia italia portugal`)

// notNowRomance make a clause a wish, a plan, a question, a negation, the past, or one of several cases.
var notNowRomance = lazyregexp.New(`(?i)\b(?:pas|jamais|plus|si|quand|peut-être|parfois|aussi|voudrais|aimerais|avant|autrefois|no|nunca|` +
	`quizás?|tal vez|cuando|ojalá|a veces|también|antes|quiero|quisiera)\b`)

// Romance reads what a clause in French or Spanish states about a person: a home, an employer, a name or an age. The subject has the words
// of the clause; it is empty for the user. False: nothing that can be read.
func Romance(clause string) (Claim, bool) {
	if found, ok := romance(clause); ok {
		return found, true
	}
	if !movesRomance.MatchString(clause) {
		return Claim{}, false
	}
	return romance(sentence.WithoutTime(clause))
}

// movesRomance matches the verbs of moves, whose time often follows the place.
var movesRomance = lazyregexp.New(`(?i)déménag|emménag|install|mud[éoóa]|mudad`)

func romance(clause string) (Claim, bool) {
	if notNowRomance.MatchString(clause) || date.HoldsPartly(clause) {
		return Claim{}, false
	}
	for _, rule := range rulesRomance {
		m := rule.pattern.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		if value := strings.TrimSpace(m[2]); rule.accept == nil || rule.accept(kindOf(value), value) {
			return Claim{
				Subject: strings.TrimSpace(m[1]), Attribute: rule.attribute, Value: value, Single: rule.single, Changed: rule.changed,
			}, true
		}
	}
	return Claim{}, false
}

// jobRomance matches jobs, of which a person can have several.
var jobRomance = lazyregexp.New(`(?i)` + ofUserRomance + `(.*?)\b(?:travaill(?:e|ons|ent)|trabaj(?:o|a|amos|an))` +
	`(?: maintenant| actuellement| désormais| toujours| ahora| actualmente| todavía)* (?:comme|como|en tant que) (?:une? |el |la )?(.+?)` +
	untilRomance)

// romanceSlots reads the clauses of a text in French or Spanish.
func romanceSlots(text string) (all []slot) {
	for _, clause := range clauses.Split(text, -1) {
		clause = sentence.WithoutLead(strings.TrimSpace(clause))
		if p, ok := Romance(clause); ok {
			s := slotOf(nounKey(p.Subject), p.Attribute, p.Value)
			s.single, s.changed = p.Single, p.Changed
			all = append(all, s)
		} else if m := jobRomance.FindStringSubmatch(clause); m != nil && !notNowRomance.MatchString(clause) {
			all = append(all, slotOf(nounKey(m[1]), attributeJob, strings.TrimSpace(m[2])))
		}
	}
	return all
}

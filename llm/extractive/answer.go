package extractive

import (
	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// leansOnQuestion reports whether an answer means little without its question: it has no subject with a verb, or hardly more ("I do").
func leansOnQuestion(u *unit) bool {
	return u.first && !u.question && !u.deniesQuestion() && !u.isStatement()
}

// deniesQuestion reports whether an answer may deny its question: it has other values, or a negation with other words.
// German nouns look like names.
func (u *unit) deniesQuestion() bool {
	length := lengthOf(u.text)
	number := hasDigit(u.asked) && (hasDigit(u.text) || u.set.Any(cue.Number, cue.Time))
	name := u.lang != "de" && length > 2 && namesIn(u.asked) > 0 && namesIn("x "+u.text) > 0
	return number || name || length > fewWords && u.set.Any(cue.Not, cue.Correct, cue.Over)
}

// isStatement reports whether a unit is a complete statement.
func (u *unit) isStatement() bool {
	said := wordsOf(without(u.text, u.marks, cue.Filler, cue.Chat, cue.Number), u.lang)
	for w := range said {
		if hasDigit(w) {
			delete(said, w)
		}
	}
	return len(said) >= fewTerms && u.hasPredicate()
}

const (
	fewTerms = 2 // content words, numbers aside, from which a sentence is a complete statement
	fewWords = 4 // an answer up to this length, in words, has nothing beside a negation
)

// hasPredicate reports whether a unit has a subject with a verb, or in Japanese and Korean, which omit subjects, a verb.
func (u *unit) hasPredicate() bool {
	for _, m := range u.marks {
		if m.Kind == cue.Self && !owns[u.lang].MatchString(u.text[m.Start:m.End]) {
			return true
		}
	}
	return predicates[u.lang].MatchString(u.text)
}

// wholeWords returns an expression that matches one of some words.
func wholeWords(words string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)(?:^|[^\p{L}\p{M}])(?:` + words + `)(?:[^\p{L}\p{M}]|$)`)
}

// owns matches phrases of the speaker that are not a subject and have no verb.
var owns = map[string]*lazyregexp.Regexp{
	"en": lazyregexp.New(`(?i)^(?:my|me|mine|myself|our|ours|us)$`),
	"de": lazyregexp.New(`(?i)^(?:bei mir|mir|mich|mi|mei\p{L}*|mis|uns\p{L}*|selber|selbst)$`),
	"es": lazyregexp.New(`(?i)^(?:con nosotros|en casa|a m[ií]|m[ií]s?|m[ií][oa]s?|conmigo|nuestr[oa]s?)$`),
	"fr": lazyregexp.New(`(?i)^(?:à la maison|chez (?:moi|nous)|moi|mon|ma|mes|mien\p{L}*|notre|nos|nôtre|perso\p{L}*)$`),
	"pt": lazyregexp.New(`(?i)^(?:meus?|minhas?|mim|co(?:mig|nn?osc)o|noss[oa]s?|(?:pra|da) gente|(?:cá|aqui|lá) em casa|(?:pra|para|p) mim|manequim` +
		`|minha cara)$`),
	"it": lazyregexp.New(`(?i)^(?:mi[oae]|miei|me|nostr[oaei]|a casa mia|casa mia|da (?:me|noi)|taglia)$`),
	"vi": lazyregexp.New(`(?i)^(?:của .*|nhà .*|(?:bên|cty|công ty|vợ|chồng|lương|mẹ|ba|bố|má|quê|lớp|trường|nhóm|team) .*|cả nhà|gia đình|` +
		`bản thân|cho con|độc thân)$`),
	"ru": lazyregexp.New(`(?i)^(?:мо[йяеёию]\p{L}*|наш\p{L}*|сво\p{L}*|себ[ея]|сама?|мной|мною|нами)$`),
	"ar": lazyregexp.New(`ي$|نا$`),
	"zh": lazyregexp.New(`.`), // the next character decides
	"ja": lazyregexp.New(`^(?:私|わた|あた|僕|ぼく|ボク|俺|おれ|オレ|自分|うち|ウチ|我|わが|弊社|当)`),
	"ko": lazyregexp.New(`^(?:제|내|나의|저의|우리|저희|울|집에서는)`),
}

// predicates matches other subjects and verbs of a closed class.
var predicates = map[string]*lazyregexp.Regexp{
	"en": wholeWords(`he|she|it|they|there|is|are|was|were|has|have|had|does|did|can|could|will|would|should|must|\p{L}+n['’]t`),
	"de": wholeWords(`er|sie|es|man|ist|sind|waren?|hat|haben|hatten?|wird|werden|wurden?|kann|können|konnten?|muss|müssen|mussten?|sollt?en?|` +
		`soll|sollte|will|wollen|darf|dürfen|gibt|geht|gehen|kommt|kommen|kostet|heißt|heisst|wohnt|arbeitet|spielt|mag`),
	"es": wholeWords(`es|son|está|están|era|eran|fue|fueron|tienen?|hay|ha|han|pueden?|va|van|vive|trabaja|llama|él|ella|ellos|ellas`),
	"fr": wholeWords(`ils?|elles?|est|sont|était|étaient|a|ont|avait|va|vont|peut|peuvent|ça|fait|font`),
	"pt": wholeWords(`é|são|está|estão|tá|era|eram|foi|foram|tem|têm|há|vai|vão|pode|fica|mora|trabalha|chama|eles?|elas?`),
	"it": wholeWords(`è|sono|ha|hanno|era|erano|sta|stanno|va|vanno|viene|può|chiama|vive|lavora|lui|lei|loro`),
	"vi": wholeWords(`là|có|bị|đang|sẽ|đã|cần|muốn|thích|phải`),
	"ru": wholeWords(`он|она|оно|они|это|есть|был[аои]?|будет|будут|может|могут|надо|нужн[оаы]|можно|зовут|живёт|живет|работает|любит`),
	"ar": wholeWords(`هو|هي|هم|كان|كانت|يوجد|ليس|ليست|فيه|عندي|عندنا|عنده|عندها|لدي|لديّ|لدينا|لديه|لديها|معي|اسمي|عمري|يعمل|تعمل|يعيش|تعيش|` +
		`كنا|\p{L}{2,}ت`),
	"zh": lazyregexp.New(`[我咱俺他她它](?:们|們)?(?:[^的们們]|$)|\p{Han}{2}[是有叫]`),
	"ja": lazyregexp.New(`(?:ます|ました|ません|[てで]い?[るた]|[いきしちにみりえけせてねべめれっん][ただ]|[うくつぬむるぐぶ]|[^でま]す|ない|[^な]いです|んです)` +
		`(?:けど|が|ので|から|よ|ね|よね)?[。！!〜～]*$|(?:私|わたし|僕|ぼく|俺|おれ|うち)[はがも]`),
	"ko": lazyregexp.New(`(?:[아어여해워와려겨져춰봐돼써쳐켜셔커러]요?|[^입]니다|거든요?|는데요?|고 있\S*|[없있]\S*|[가하보먹]자)(?:[.!~ㅎㅋ ]|$)|(?:저|제|나|내|우리|저희)(?:는|가)`),
}

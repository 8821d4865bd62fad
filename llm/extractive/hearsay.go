package extractive

import (
	"slices"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// rumours matches what marks a statement as a rumour.
var rumours = map[string]*lazyregexp.Regexp{
	"en": wholeWords(`rumou?rs?|rumou?r(?:ed|s) (?:has it|to)|word (?:is|has it)|gossip|apparently|allegedly|supposedly|reportedly|` +
		`(?:i|we)(?:['’]ve)? (?:just )?hear(?:d)? (?:that |from|my|the|he|she|they)|people say|they say(?: that)?`),
	"de": wholeWords(`gerüchte?|angeblich|munkelt|es hei(?:ß|ss)t|man sagt|hab(?:e)? gehört,? dass|dem vernehmen nach`),
	"es": wholeWords(`rumor(?:es|ea)?|dicen que|se dice que|al parecer|por lo visto|supuestamente|dizque|o[ií] que|cuentan que`),
	"fr": wholeWords(`rumeurs?|il para[iî]t|para[iî]t[- ]il|para[iî]t que|on dit que|le bruit court|j['’]ai entendu dire`),
	"pt": wholeWords(`boatos?|rumor(?:es)?|dizem que|ao que parece|pelo visto|supostamente|ouvi (?:dizer|falar)|corre (?:o boato|por aí)`),
	"it": wholeWords(`voc[ei] (?:che )?(?:gira|girano|corre|corrono|di corridoio)|si dice che|dicono che|pare che|a quanto pare|a quanto dicono|` +
		`ho sentito (?:dire )?che|presunt[oa]`),
	"ru": wholeWords(`слух(?:и|ам|ов)?|говорят,?(?: что)?|якобы|по слухам|поговаривают|слышал[аи]?,? что`),
	"ar": wholeWords(`إشاعة|اشاعة|شائعات|إشاعات|اشاعات|يقولون|يقال|بيقولوا|سمعت (?:أن|ان|إن)|يُقال|الناس تقول`),
	"zh": lazyregexp.New(`听说|聽說|据说|據說|传闻|傳聞|谣言|謠言|传言|傳言|听人说|有人说`),
	"ja": lazyregexp.New(`噂|うわさ|って聞いた|と聞きました`),
	"ko": lazyregexp.New(`소문|카더라|[다라]고 하더라|[는은]다더라`),
	"vi": wholeWords(`nghe đồn|nghe nói|đồn (?:là|rằng)|người ta (?:nói|đồn|bảo)|tin đồn|nghe bảo`),
}

// sayings matches the verbs by which a statement is reported.
var sayings = map[string]*lazyregexp.Regexp{
	"en": wholeWords(`says?|said|tells?|told|claims?|claimed|thinks|swears|reckons|believes|insists`),
	"de": wholeWords(`sagt(?:e)?|meint(?:e)?|behauptet(?:e)?|erzählt(?:e)?|glaubt(?:e)?|schwört`),
	"es": wholeWords(`dice|dijo|jura|asegura|opina`),
	"fr": wholeWords(`dit|raconte|prétend|jure|croit|affirme|pense`),
	"pt": wholeWords(`diz|disse|jura|garante|falou`),
	"it": wholeWords(`dice|ha detto|giura|crede|pensa|sostiene|racconta`),
	"ru": wholeWords(`говорит|сказал[аи]?|утверждает|уверяет|считает|думает`),
	"ar": wholeWords(`يقول|تقول|قال|قالت|بيقول|بتقول|يدعي|تدعي|يظن|تظن`),
	"zh": lazyregexp.New(`说|說|觉得|覺得|认为|認為|声称`),
	"ja": lazyregexp.New(`って言|と言|だって[。w笑]|って話|と思って`),
	"ko": lazyregexp.New(`이래요?(?:[.!~ ㅋㅎ]|$)|라고 (?:해|하|말|우)|다고 (?:해|하|말|우)|[한된간온난는]대요?(?:[.!~ ㅋㅎ]|$)`),
	"vi": wholeWords(`bảo|nói|kể|cho rằng|khẳng định`),
}

// isHearsay reports whether a unit reports a rumor about people, or a relative's words about people outside the family: "my brother says
// the new boss is a spy". Words about the person who says them or about the speaker are not.
func (u *unit) isHearsay() bool {
	if u.set.Has(cue.Remember) {
		return false
	}
	if at := rumours[u.lang].FindStringIndex(u.text); at != nil {
		told := slices.ContainsFunc(u.marks, func(m cue.Mark) bool {
			return m.Kind == cue.Self && m.Start < at[0] && m.End >= at[0]-1 && m.End <= at[0]+1
		}) // "me dicen que"
		return !told && (u.set.Any(cue.Kin, cue.Other) || namesIn("x "+u.text) > 0)
	}
	says := sayings[u.lang].FindStringIndex(u.text)
	if says == nil {
		return false
	}
	last := u.lang == "ja" || u.lang == "ko" // the verb comes after what is said
	var by, of cue.Set                       // the person who says it, and what it is about
	for _, m := range u.marks {
		at := lengthOf(u.text[:m.Start])
		switch {
		case last && at > 1, !last && m.Start >= says[1]:
			of |= 1 << m.Kind
		case last || at <= farOff && m.Start <= says[0] && lengthOf(u.text[m.Start:says[0]]) <= farOff:
			by |= 1 << m.Kind
		}
	}
	return by.Has(cue.Kin) && !of.Any(cue.Self, cue.Kin) && of.Has(cue.Other) && !of.Has(cue.Health)
}

// farOff is the number of words up to which a person who says something is at the beginning of it, and close to the verb.
const farOff = 3

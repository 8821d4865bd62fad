package extractive

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"reverie/language/cue"
)

// fact is a statement of the user about themself that a template proves.
type fact struct {
	attribute string
	line      string // as written to PROFILE.md: "Home: Leipzig"
}

// Attributes of facts. They label the lines of PROFILE.md.
const (
	attributeName  = "Name"
	attributeAge   = "Age"
	attributeHome  = "Home"
	attributeWork  = "Work"
	attributeStyle = "Answers"
)

// templates read one attribute each. A template matches a whole clause. {Name} and {Place} are one to three words that begin
// with a capital letter, or a few characters in scripts without case; {n} is a number, {job} up to three words, {lang} one word.
var templates = map[string]map[string][]string{
	"en": {
		attributeName: {`(?:hi |hello )?my name(?: is|'s) {Name}`, `(?:please )?call me {Name}(?: please)?`, `i go by {Name}`, `everyone calls me {Name}`},
		attributeAge:  {`i(?:'m| am) {n} (?:years old|yrs old|yo|y/o)`, `i(?: just)? turned {n}(?: today| yesterday| last (?:week|month))?`},
		attributeHome: {`i live in {Place}(?: now)?`, `i(?:'m| am) (?:based|living) in {Place}`, `(?:i|we)(?:'ve| have)? (?:just )?moved to {Place}`},
		attributeWork: {`i(?: work|'m working| am working) as an? {job}`, `i(?:'m| am) an? {job} by (?:trade|profession)`},
		attributeStyle: {`(?:please )?(?:always )?(?:answer|reply|respond) (?:to me )?in {lang}(?: please| from now on)*`,
			`(?:from now on )?(?:please )?(?:always )?(?:answer|reply|speak) (?:to me )?in {lang}`},
	},
	"de": {
		attributeName:  {`(?:hallo )?ich hei(?:ße|sse) {Name}`, `mein name ist {Name}`, `(?:bitte )?nenn(?:e)? mich(?: bitte)? {Name}`},
		attributeAge:   {`ich bin {n} jahre alt`, `ich bin {n} jahre`, `ich bin (?:gerade |gestern |heute )?{n} geworden`},
		attributeHome:  {`ich (?:wohne|lebe)(?: jetzt| hier)? in {Place}`, `(?:ich bin|wir sind) (?:gerade )?nach {Place} gezogen`},
		attributeWork:  {`ich arbeite als {job}`, `ich bin {job} von beruf`},
		attributeStyle: {`(?:bitte )?(?:antworte?|schreib)(?: mir)?(?: bitte)?(?: immer| ab jetzt)? auf {lang}(?: bitte)?`},
	},
	"es": {
		attributeName:  {`(?:hola )?me llamo {Name}`, `mi nombre es {Name}`, `(?:por favor )?ll[aá]mame {Name}`},
		attributeAge:   {`tengo {n} a[nñ]os`, `(?:acabo de cumplir|cumpl[ií]) {n}(?: a[nñ]os)?`},
		attributeHome:  {`(?:ahora )?vivo en {Place}`, `me (?:acabo de mudar|mud[eé]) a {Place}`},
		attributeWork:  {`trabajo (?:como|de) {job}`},
		attributeStyle: {`(?:por favor )?(?:resp[oó]ndeme|contest[aá]me|responde)(?: siempre)? en {lang}(?: por favor)?`},
	},
	"fr": {
		attributeName:  {`(?:bonjour )?je m['’]appelle {Name}`, `mon (?:nom|pr[eé]nom) est {Name}`, `(?:tu peux m['’]appeler|appelle[- ]moi|appelez[- ]moi) {Name}`},
		attributeAge:   {`j['’]ai {n} ans`, `je viens d['’]avoir {n} ans`},
		attributeHome:  {`j['’]habite (?:maintenant )?(?:[aà]|en|au) {Place}`, `je vis (?:[aà]|en|au) {Place}`},
		attributeWork:  {`je travaille comme {job}`, `je suis {job} de m[eé]tier`},
		attributeStyle: {`(?:r[eé]ponds|r[eé]pondez)(?:[- ]moi)?(?: toujours)? en {lang}(?: s['’]il te pla[iî]t| s['’]il vous pla[iî]t| stp| svp)?`},
	},
	"pt": {
		attributeName:  {`(?:oi |ol[aá] )?(?:eu )?me chamo {Name}`, `(?:o )?meu nome [eé] {Name}`, `chamo[- ]me {Name}`, `(?:pode )?me (?:chama|chame|chamar) de {Name}`},
		attributeAge:   {`(?:eu )?tenho {n} anos`, `(?:acabei de fazer|fiz) {n}(?: anos)?`},
		attributeHome:  {`(?:eu )?moro (?:agora )?em {Place}`, `(?:eu )?vivo em {Place}`, `me mudei para {Place}`},
		attributeWork:  {`(?:eu )?trabalho como {job}`},
		attributeStyle: {`(?:por favor )?(?:me )?(?:responda|responde)(?:[- ]me)?(?: sempre)? em {lang}(?: por favor)?`},
	},
	"it": {
		attributeName:  {`(?:ciao )?mi chiamo {Name}`, `il mio nome [eè] {Name}`, `(?:puoi )?chiamami {Name}`},
		attributeAge:   {`ho {n} anni`, `ho (?:appena )?compiuto {n} anni`},
		attributeHome:  {`(?:abito|vivo) (?:ora |adesso )?(?:a|in) {Place}`, `mi sono (?:appena )?trasferit[oa] (?:a|in) {Place}`},
		attributeWork:  {`lavoro come {job}`, `faccio (?:il|la|l['’]) ?{job} di mestiere`},
		attributeStyle: {`(?:per favore )?(?:rispondimi|rispondi)(?: sempre)? in {lang}(?: per favore)?`},
	},
	"vi": {
		attributeName:  {`(?:chào bạn )?(?:mình|tôi|em) tên (?:là )?{Name}`, `tên (?:mình|tôi|em) là {Name}`, `(?:hãy |cứ )?gọi (?:mình|tôi|em) là {Name}(?: nhé| nha)?`},
		attributeAge:   {`(?:mình|tôi|em)(?: năm nay)? {n} tuổi`, `năm nay (?:mình|tôi|em) {n} tuổi`},
		attributeHome:  {`(?:mình|tôi|em)(?: đang)? sống ở {Place}`, `(?:mình|tôi|em) ở {Place}`},
		attributeWork:  {`(?:mình|tôi|em) làm nghề {job}`},
		attributeStyle: {`(?:hãy |từ nay )?trả lời(?: mình| tôi| em)? bằng {lang}(?: nhé| nha)?`},
	},
	"ru": {
		attributeName:  {`(?:привет )?меня зовут {Name}`, `мо[её] имя {Name}`, `(?:зови|называй)(?:те)? меня {Name}`},
		attributeAge:   {`мне {n} (?:лет|года?)`, `мне (?:только что |недавно )?исполнилось {n}(?: лет| года?)?`},
		attributeHome:  {`я (?:сейчас )?живу в {Place}`, `(?:живу|я переехала?) в {Place}`},
		attributeWork:  {`я? ?работаю {job}`},
		attributeStyle: {`(?:пожалуйста )?отвечай(?:те)?(?: мне)?(?: всегда)?(?: пожалуйста)? на {lang}(?: языке)?(?: пожалуйста)?`},
	},
	"ar": {
		attributeName:  {`(?:مرحبا )?(?:أنا )?اسمي {Name}`, `(?:ممكن )?نادني (?:ب)?{Name}`},
		attributeAge:   {`عمري {n}(?: سنة| عاما| عامًا| سنوات)?`},
		attributeHome:  {`(?:أنا )?(?:أعيش|أسكن|ساكن|ساكنة|عايش|عايشة) (?:الآن )?في {Place}`},
		attributeWork:  {`(?:أنا )?أعمل (?:ك|بوظيفة ){job}`},
		attributeStyle: {`(?:من فضلك )?(?:أجب|أجبني|جاوبني|رد علي)(?: دائما)? (?:بال|باللغة ال){lang}(?: من فضلك)?`},
	},
	"zh": {
		attributeName:  {`(?:你好)?我(?:的名字)?(?:叫|是叫){Name}`, `(?:请|你可以)?叫我{Name}(?:吧|就行|就好|就可以了)?`, `我的名字是{Name}`},
		attributeAge:   {`我(?:今年)?{n}岁(?:了)?`, `(?:我)?今年{n}岁(?:了)?`},
		attributeHome:  {`我(?:现在)?(?:住在|住){Place}`, `我(?:刚)?搬(?:到|去)了?{Place}(?:了)?`},
		attributeWork:  {`我(?:是|的职业是)(?:一名|一个|个){job}`},
		attributeStyle: {`(?:以后)?(?:请|麻烦)?(?:都|一律|总是)?用{lang}(?:文|语|話|话)?(?:来)?(?:回答|回复|答复)(?:我)?(?:吧)?`},
	},
	"ja": {
		attributeName:  {`(?:私|僕|俺)の名前は{Name}(?:です|だよ|といいます)?`, `{Name}(?:と申します|といいます)`, `{Name}(?:と|って)呼んで(?:ください|ね)?`},
		attributeAge:   {`(?:私は|僕は|俺は)?(?:今年で?)?{n}歳(?:です|になりました|だよ)`},
		attributeHome:  {`(?:私は|僕は|俺は)?(?:今は)?{Place}に住んで(?:います|いる|ます|る)`, `{Place}に引っ越し(?:ました|した)`},
		attributeWork:  {`(?:私の)?(?:仕事|職業)は{job}(?:です|をしています)`},
		attributeStyle: {`(?:これからは?|今後は?)?(?:いつも)?{lang}語で(?:答えて|返事して|回答して)(?:ください|ね)?`},
	},
	"ko": {
		attributeName:  {`(?:안녕하세요 )?(?:제|내) 이름은 {Name}(?:이에요|예요|입니다|이야|야)`, `(?:저는|나는) {Name}(?:이라고|라고) (?:해요|합니다|해)`, `{Name}(?:이라고|라고) 불러 ?(?:주세요|줘)`},
		attributeAge:   {`(?:저는|나는|제가)? ?(?:올해 )?{n} ?살(?:이에요|입니다|이야|인데요?)?`},
		attributeHome:  {`(?:저는|나는|전|난)? ?(?:지금 )?{Place}에 살(?:아요|고 있어요|고 있습니다|아|고 있어|고 있는데요?)`, `{Place}(?:으로|로) 이사했(?:어요|습니다|어)`},
		attributeWork:  {`(?:제|내) 직업은 {job}(?:이에요|예요|입니다)`},
		attributeStyle: {`(?:앞으로 )?(?:항상 )?{lang}로 (?:대답|답변|답)해 ?(?:주세요|줘)`},
	},
}

// slots are the expressions of the placeholders, for scripts with case, with spaces but without case, and without spaces.
var slots = map[string][3]string{
	"{Name}":  {`(?P<v>(?-i:\p{Lu}[\p{L}\p{M}'’-]*)(?: (?-i:\p{Lu}[\p{L}\p{M}'’-]*)){0,2})`, `(?P<v>[\p{L}\p{M}]{2,12})`, `(?P<v>[\p{Han}\p{Katakana}ー·]{1,6}|[A-Za-z]{2,12})`},
	"{Place}": {`(?P<v>(?-i:\p{Lu}[\p{L}\p{M}'’-]*)(?: (?-i:\p{Lu}[\p{L}\p{M}'’-]*)){0,2})`, `(?P<v>[\p{L}\p{M}]{2,14})`, `(?P<v>[\p{Han}\p{Katakana}ー]{2,8}|[A-Za-z]{2,14})`},
	"{n}":     {`(?P<v>\d{1,3})`, `(?P<v>\p{Nd}{1,3})`, `(?P<v>\p{Nd}{1,3})`},
	"{job}":   {`(?P<v>[\p{L}\p{M}'’-]{3,24}(?: [\p{L}\p{M}'’-]{2,24}){0,2})`, `(?P<v>[\p{L}\p{M}]{2,16}(?: [\p{L}\p{M}]{2,16})?)`, `(?P<v>[\p{Han}\p{Katakana}ー]{2,8})`},
	"{lang}":  {`(?P<v>[\p{L}\p{M}]{4,14}(?: [\p{L}\p{M}]{3,8})?)`, `(?P<v>[\p{L}\p{M}]{2,12})`, `(?P<v>[\p{Han}\p{Katakana}ー]{1,5})`},
}

type template struct {
	attribute string
	pattern   *regexp.Regexp
}

// compiled holds the templates of each language.
var compiled = sync.OnceValue(func() map[string][]template {
	all := map[string][]template{}
	for lang, attributes := range templates {
		class := 0
		switch lang {
		case "ar", "ko":
			class = 1
		case "zh", "ja":
			class = 2
		}
		for _, attribute := range []string{attributeName, attributeAge, attributeHome, attributeWork, attributeStyle} {
			for _, t := range attributes[attribute] {
				for slot, forms := range slots {
					t = strings.ReplaceAll(t, slot, forms[class])
				}
				all[lang] = append(all[lang], template{attribute, regexp.MustCompile(`^(?i:` + t + `)$`)})
			}
		}
	}
	return all
})

// factsOf returns the facts that the clauses of a unit state, and whether it says nothing else. A unit that is a question,
// doubts, denies or speaks of others states none.
func factsOf(u *unit) (facts []fact, all bool) {
	if u.question || u.set.Any(cue.Doubt, cue.Not, cue.Over, cue.Paste, cue.Other, cue.Suppose, cue.If) {
		return nil, false
	}
	all = true
	for _, clause := range clausesOf(u.text) {
		clause = strings.Join(strings.FieldsFunc(trimmed(clause, u.lang), func(r rune) bool { return strings.ContainsRune(" \t,.!。！،؛;", r) }), " ")
		found := clause == ""
		for _, t := range compiled()[u.lang] {
			m := t.pattern.FindStringSubmatch(clause)
			if m == nil {
				continue
			}
			value := strings.TrimSpace(m[t.pattern.SubexpIndex("v")])
			if isValue(t.attribute, value, u.lang) {
				facts = append(facts, fact{t.attribute, t.attribute + ": " + value + asOf(t.attribute, u)})
				found = true
			}
			break
		}
		all = all && found
	}
	return facts, all && len(facts) > 0
}

// clausesOf returns the clauses of a text, without the text as a whole unless it is one clause.
func clausesOf(text string) []string {
	all := windowsOf(text)
	if len(all) > 1 {
		all = all[:len(all)-1]
	}
	return all
}

// asOf returns the day of an age, which changes.
func asOf(attribute string, u *unit) string {
	if attribute != attributeAge {
		return ""
	}
	return " (" + u.at.Format("2006-01-02") + ")"
}

// Ages that people state of themselves.
const (
	minAge = 6
	maxAge = 115
)

// isValue reports whether a slot holds what its attribute expects: no cue of time, no pronoun, a plausible age.
func isValue(attribute, value, lang string) bool {
	set := cue.Find(value, lang).Set()
	switch attribute {
	case attributeAge:
		n, err := strconv.Atoi(foldedText(value))
		return err == nil && n >= minAge && n <= maxAge
	case attributeName, attributeHome:
		return !set.Any(cue.Time, cue.Self, cue.Lean, cue.You, cue.Ask, cue.Kin, cue.Number)
	case attributeStyle:
		return languageNames[foldedText(strings.Fields(value)[0])]
	}
	return !set.Any(cue.Self, cue.Lean, cue.You, cue.Time, cue.Other, cue.Kin)
}

// languageNames are the languages that people ask for, as templates read them.
var languageNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`english chinese mandarin german spanish french portuguese italian japanese korean vietnamese russian arabic
		dutch polish turkish swedish hindi ukrainian englisch chinesisch deutsch spanisch französisch portugiesisch italienisch japanisch
		koreanisch vietnamesisch russisch arabisch polnisch türkisch inglés ingles chino alemán aleman español espanol francés frances
		portugués portugues italiano japonés japones coreano vietnamita ruso árabe arabe anglais chinois allemand espagnol français francais
		portugais italien japonais coréen coreen vietnamien russe inglês chinês alemão espanhol francês português japonês russo
		inglese cinese tedesco spagnolo francese portoghese giapponese anh trung đức pháp nhật hàn việt tiếng английском китайском немецком
		испанском французском русском итальянском японском арабском إنجليزية انجليزية عربية فرنسية ألمانية المانية إسبانية روسية صينية 中 英
		日 德 法 韩 西班牙 俄 日本 英語 中国 韓国 ドイツ フランス スペイン 简体中 繁體中 繁体中 영어 한국어 일본어 중국어 독일어 프랑스어 스페인어`) {
		names[foldedText(name)] = true
	}
	return names
}()

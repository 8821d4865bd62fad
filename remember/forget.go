package remember

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/lazyregexp"
)

// Forget is the content of an explicit request to forget.
type Forget struct {
	Text     string // a statement, in the user's words; of a topic or a thing, its name
	Topic    bool   // everything about Text
	Thing    bool   // what the user has said of something of theirs: "forget my appointment"
	All      bool   // all that is known about the user; Text is empty
	Language string // as in Request
}

// Phrases for how something became known.
const (
	toldEN = `(?:you (?:know|remember|have)|i(?:['’]ve| have)?(?: just)? (?:said|mentioned|told you))`
	toldES = `(?:sabes|recuerdas|(?:te )?(?:he )?(?:dij[eo]|dicho|conté|contado))`
	toldPT = `(?:(?:você )?sabe|(?:eu )?(?:te |lhe )?(?:disse|contei|falei))`
	toldFR = `(?:tu sais|vous savez|j['’]ai dit|je (?:t['’]|vous )ai (?:dit|raconté))`
	toldIT = `(?:sai|sapete|(?:ti |vi )?ho (?:detto|raccontato))`
)

// oblivion describes the requests to forget in one language. The patterns are anchored, with the groups ask (see grammar) and kept.
type oblivion struct {
	*grammar

	said  *lazyregexp.Regexp // "forget that …", "forget: …"
	topic *lazyregexp.Regexp // "forget everything about …"
	thing *lazyregexp.Regexp // "forget my …"
}

// named is the name of a thing: no clause follows it.
const named = `(?P<kept>[^,;:.!?。！？，、؟\n]+[?？؟]?)[\s.!。！]*$`

// turnOfTalk matches what belongs to the conversation: "forget my last question" is about the answer, not about memory.
var turnOfTalk = lazyregexp.New(`(?i)\b(?:questions?|messages?|requests?|inputs?|prompts?|instructions?|orders?|comments?|words|remarks?|` +
	`frage|fragen|nachricht|anfrage|bitte|eingabe|anweisung\pL*|bemerkung|pregunta|mensaje|petición|instrucci\pL+|question|demande|` +
	`remarque|consigne\pL*|pergunta|mensagem|pedido|domanda|messaggio|richiesta)\b|问题|問題|消息|请求|指令|質問|メッセージ|依頼|질문|메시지|` +
	`요청|вопрос|сообщение|просьб|سؤالي|رسالتي|طلبي|câu hỏi|tin nhắn|yêu cầu`)

// unsaid matches text that names nothing to forget, in any of the languages.
var unsaid = lazyregexp.New(`(?i)^(?:it|this|that|these|those|him|her|them|me|us|everything|what i|das|dies|es|mich|alles|eso|esto|` +
	`ça|cela|isso|isto|questo|ciò|это|всё|هذا|ذلك|这|這|那)(?:[\s,.!]|$)|^(?:what|how|who|where|when|was|wie|wer|wo)\s`)

// me matches the user as the topic of a request, in any of the languages.
var me = lazyregexp.New(`(?i)^(?:me|myself|mich|mir|mí|mim|moi|我|我自己|私|自分|わたし|僕|俺|나|저|tôi|mình|(?:di )?me(?: stess[oa])?|мне|меня)$`)

// wipes match requests to forget all that is known about the user which the patterns of topics do not match, by language.
var wipes = map[string]*lazyregexp.Regexp{
	"en": wipe(politeEN + `(?:(?:can|could|would|will) you (?:please )?)?(?:forget|delete|erase|wipe|remove|clear)\s+(?:` +
		`(?:all|everything)(?:\s+that)?\s+you\s+(?:know|remember|have|stored|saved|have (?:stored|saved))\s+(?:on|about)\s+me|` +
		`all\s+(?:of\s+)?my\s+(?:personal\s+)?(?:data|memor(?:y|ies)|information)|my\s+(?:whole|entire)\s+memory)`),
	"de": wipe(politeDE + `(?:(?:kannst|könntest|würdest) du (?:bitte )?)?(?:vergiss|vergessen|lösche?)(?: bitte)? (?:` +
		`alles(?:,? was du)? (?:von mir|über mich)(?: (?:weißt|gespeichert hast))?|alle meine (?:daten|erinnerungen)|mein ganzes gedächtnis)` +
		`(?: löschen)?`),
	"es": wipe(politeES + `(?:olvida|borra|elimina) (?:tod[oa]s? )(?:mis (?:datos|recuerdos)|mi memoria|lo que sabes de mí)`),
	"pt": wipe(`(?:por favor[\s,]+)?(?:apague?|apaga|exclua|esque[çc]a) (?:tod[ao]s? )(?:[ao]s? )?(?:meus dados|minhas? memórias?)`),
	"fr": wipe(`(?:s['’]il te plaît[\s,]+)?(?:efface|supprime|oublie)z? (?:toutes? )(?:mes données|ma mémoire|mes souvenirs)`),
	"it": wipe(`(?:per favore[\s,]+)?(?:cancella|elimina|dimentica) (?:tutt[aie] )(?:i miei (?:dati|ricordi)|la mia memoria)`),
	"zh": wipe(politeZH + `(?:忘掉|忘记|忘記|删除|刪除|清除)(?:所有|一切|全部)?(?:关于|關於|有关|有關)?我的(?:所有|一切|全部)(?:事情?|内容|內容|记忆|記憶|数据|資料|信息|資訊)?`),
	"ja": wipe(`私の(?:データ|記憶|情報)を(?:すべて|全て|全部)(?:削除|消去|忘れ|消し)(?:して|て)?(?:ください|下さい|ね)?`),
	"ko": wipe(`(?:내|제)\s(?:모든\s)?(?:데이터|기억|정보)[를을]?\s(?:모두\s|전부\s|다\s)(?:삭제해|지워|잊어)\s?(?:줘|주세요)?`),
	"vi": wipe(politeVI + `(?:xóa|quên) (?:hết|toàn bộ|tất cả) (?:dữ liệu|trí nhớ|ký ức|thông tin) (?:của|về) (?:tôi|mình|em)`),
	"ru": wipe(`(?:пожалуйста[\s,]+)?(?:удали|сотри|забудь)(?:те)? (?:вс[её] обо мне|все мои (?:данные|воспоминания)|` +
		`вс[её],? что (?:ты )?(?:обо мне )?знаешь(?: обо мне)?)`),
	"ar": wipe(`(?:من فضلك[\s،]+)?(?:انسَ?ى?|إنسَ?ى?|امسح|احذف) (?:كل\s+(?:شيء|ما تعرفه)\s+عني|(?:كل |جميع )بياناتي)`),
}

func wipe(request string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?is)^` + request + `[\s.!。！?？؟]*$`)
}

var oblivions = []oblivion{
	{
		chinese,
		lazyregexp.New(`(?s)^` + politeZH + `(?P<ask>能不能|可不可以|能否|可以|能)?` + politeZH +
			`(?:忘掉|忘记|忘記|从记忆中删除|從記憶中刪除)(?:\s*[:：]\s*|[，,\s]*(?:我说过的?|我說過的?)?)(?P<kept>我.*?[^了\s。！!]|[^我]\S*?(?:是|在|有|喜欢|喜歡|住|` +
			`叫).*?[^了\s。！!])[\s。！!]*$`),
		lazyregexp.New(`(?s)^` + politeZH + `(?P<ask>能不能|可不可以|可以|能)?` + politeZH +
			`(?:忘掉|忘记|忘記)(?:所有|一切|全部)?(?:关于|關於|有关|有關)\s*(?P<kept>.+?)(?:的(?:所有|一切|全部)?(?:事情?|内容|內容|记忆|記憶|一切)?)?[。！!\s]*$`),
		lazyregexp.New(`(?s)^` + politeZH + `(?P<ask>能不能|可不可以|可以|能)?` + politeZH + `(?:忘掉|忘记|忘記|从记忆中删除|從記憶中刪除)我(?:们|們)?的` +
			`(?P<kept>[^，,。.！!？?\s了是在有叫]+(?:[吗嗎][？?])?)[\s。！!]*$`),
	},
	{
		japanese,
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?:忘れて(?:ください|下さい|ね)?\s*[:：]\s*(?P<kept>.+)|(?P<kept2>.+?)(?:という)?(?:こと|の)[はを](?:もう)?忘れて` +
			`(?:ください|下さい|ね|よ|おいて(?:ください)?|ほしい(?:です)?|もらえますか)?[。！!\s]*)$`),
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?P<kept>.+?)(?:について|に関する)(?:の?こと)?[はを]?(?:すべて|全て|全部)[、\s]*忘れて(?:ください|下さい|ね)?[。！!\s]*$`),
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?:私|わたし|僕|ぼく|俺|うち)の(?P<kept>[^、。！？\s]+?)(?:の(?:こと|件))?[はを](?:もう)?忘れて` +
			`(?:ください|下さい|ね|よ|おいて(?:ください)?|ほしい(?:です)?|もらえますか)?[。！!\s]*$`),
	},
	{
		korean,
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?:잊어(?:\s?(?:줘|주세요|버려))?\s*[:：]\s*(?P<kept>.+)|(?P<kept2>.+?)(?:다는|라는|는|은)\s?(?:것|거|걸|사실|` +
			`점)[을를은]?\s?` +
			`(?:이제\s)?잊어\s?(?:줘|줘요|주세요|버려|버려\s?줘)?[\s.!]*)$`),
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?P<kept>.+?)에\s?(?:대한|대해|관한)\s?(?:모든\s)?(?:것|거|걸|내용)?[을은]?\s?(?:모두\s|전부\s|다\s)?잊어\s?` +
			`(?:줘|줘요|주세요|버려)?[\s.!]*$`),
		lazyregexp.New(`(?s)^(?P<ask>\x00)?(?:내|제|나의|저의|우리)\s(?P<kept>[^,.!?]+?)[을를은는]?\s(?:이제\s)?잊어\s?` +
			`(?:줘|줘요|주세요|버려|버려\s?줘)?[\s.!]*$`),
	},
	{
		russian,
		lazyregexp.New(`(?is)^(?:пожалуйста[\s,]+)?(?P<ask>(?:ты )?(?:можешь|можете) )?(?:пожалуйста[\s,]+)?(?:забудь(?:те)?|` +
			`забыть)(?:,? пожалуйста)?` +
			`(?:\s*[:：]\s*|,?\s+что\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^(?:пожалуйста[\s,]+)?(?P<ask>\x00)?забудь(?:те)?\s+вс[её]\s+(?:,?\s*что (?:ты )?знаешь\s+)?(?:об?|` +
			`про)\s+(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^(?:пожалуйста[\s,]+)?(?P<ask>(?:ты )?(?:можешь|можете) )?(?:забудь(?:те)?|забыть)(?:,? пожалуйста,?)?` +
			`\s+(?:(?:про|об?о?)\s+)?(?:мо\p{L}+|наш\p{L}*)\s+` + named),
	},
	{
		arabic,
		lazyregexp.New(`(?s)^(?:من فضلك[\s،]+)?(?P<ask>(?:هل )?(?:يمكنك|تستطيع) أن )?(?:انسَ?ى?|إنسَ?ى?|انسي|تنسى)(?:\s*[:：]\s*|` +
			`\s+[أا]نّ?(?:ن?ي)?\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?s)^(?:من فضلك[\s،]+)?(?P<ask>\x00)?(?:انسَ?ى?|إنسَ?ى?|انسي)\s+كل\s+(?:شيء|` +
			`ما تعرفه)\s+عن\s+(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?s)^(?:من فضلك[\s،]+)?(?P<ask>(?:هل )?(?:يمكنك|تستطيع) أن )?(?:انسَ?ى?|إنسَ?ى?|انسي|تنسى)\s+(?P<kept>(?:[^أإ\s]\p{L}+|[أإ][^ن\s]\p{L}*)ي` +
			`(?:\s[^،.؟!]+)?)[\s.!]*$`),
	},
	{
		vietnamese,
		lazyregexp.New(`(?is)^` + politeVI + `(?P<ask>(?:bạn |em |anh |chị )?có thể\s+)?(?:hãy\s+)?quên(?:\s+đi)?(?:\s*[:：]\s*|` +
			`\s+(?:rằng|là|việc)\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^` + politeVI + `(?P<ask>\x00)?(?:hãy\s+)?quên(?:\s+(?:đi|hết|tất cả|mọi thứ|` +
			`những gì))+\s+về\s+(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^` + politeVI + `(?P<ask>(?:bạn |em |anh |chị )?có thể\s+)?(?:hãy\s+)?quên(?:\s+đi)?\s+(?P<kept>[^,;:.!?]+?)\s+của\s+` +
			`(?:tôi|mình|em|anh|chị|tớ|chúng tôi)(?:\s+đi)?[\s.!]*$`),
	},
	{
		english,
		lazyregexp.New(`(?is)^` + politeEN + wantEN + askEN + wantEN + `(?:forget|(?:delete|erase|remove) from (?:your |the )?memory)` +
			`(?:\s*[:：]\s*|,?\s+(?:the fact )?that\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^` + politeEN + wantEN + askEN + wantEN + `(?:forget|(?:delete|erase|remove) from (?:your |the )?memory)` +
			`\s+(?:(?:everything|anything|all)(?:\s+(?:that\s+)?` + toldEN + `)?|what\s+` + toldEN + `)\s+about\s+` +
			`(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^` + politeEN + wantEN + askEN + wantEN + `(?:forget(?: about)?|(?:delete|erase|remove) from (?:your |the )?memory)` +
			`\s+(?:my|our)\s+` + named),
	},
	{
		german,
		lazyregexp.New(`(?is)^` + politeDE + `(?P<ask>(?:kannst|könntest|würdest) du (?:bitte |mal )*)?(?:vergiss|vergesse|` +
			`vergessen sie|vergessen|` +
			`lösche? aus (?:deinem|dem) gedächtnis)(?:\s+(?:bitte|wieder))*(?P<link>\s*[:：]\s*|,?\s+dass\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^` + politeDE + `(?P<ask>(?:kannst|könntest|würdest) du (?:bitte |mal )*)?(?:vergiss|vergessen sie|` +
			`vergessen)(?:\s+bitte)?(?:\s+alles(?:,? was (?:du|sie|ich)(?: (?:dir|ihnen))?)?|,? was (?:du|sie|ich)(?: (?:dir|ihnen))?)\s+(?:über|zu)\s+` +
			`(?P<kept>.+?)(?:\s+(?:weißt|wissen|gesagt habe|erzählt habe))?[\s.!]*$`),
		lazyregexp.New(`(?is)^` + politeDE + `(?P<ask>(?:kannst|könntest|würdest) du (?:bitte |mal )*)?(?:vergiss|vergesse|vergessen sie|` +
			`lösche? aus (?:deinem|dem) gedächtnis)(?:\s+bitte)?\s+(?:mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?)\s+` + named),
	},
	{
		spanish,
		lazyregexp.New(`(?is)^[¡¿]?` + politeES + `(?P<ask>(?:puedes|podrías|podría|puede)\s+(?:por favor\s+)?)?(?:olvida(?:r)?|` +
			`olvide|olvídate de)(?:,? por favor,?)?` +
			`(?:\s*[:：]\s*|\s+que\s+)(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^[¡¿]?` + politeES + `(?P<ask>\x00)?(?:olvida|olvide)\s+(?:todo\s+(?:lo que ` + toldES + `\s+)?|` +
			`lo que ` + toldES + `\s+)(?:sobre|acerca de|de)\s+` +
			`(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^[¡¿]?` + politeES + `(?P<ask>(?:puedes|podrías|podría|puede)\s+(?:por favor\s+)?)?(?:olvida(?:r)?|olvide|olvídate de)` +
			`(?:,? por favor,?)?\s+(?:mis?|nuestr[oa]s?)\s+` + named),
	},
	{
		portuguese,
		lazyregexp.New(`(?is)^(?:por favor[\s,]+)?(?P<ask>(?:você )?(?:pode|` +
			`poderia) )?(?:esque[çc][aeo]r?)(?:,? por favor,?)?(?:\s*[:：]\s*|\s+(?:de )?que\s+)` +
			`(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^(?:por favor[\s,]+)?(?P<ask>\x00)?esque[çc][ae]\s+(?:tudo\s+(?:o que ` + toldPT + `\s+)?|o que ` + toldPT + `\s+)(?:sobre|` +
			`de)\s+(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^(?:por favor[\s,]+)?(?P<ask>(?:você )?(?:pode|poderia) )?(?:esque[çc][aeo]r?)(?:,? por favor,?)?\s+(?:d?[ao]s?\s+)?` +
			`(?:meus?|minhas?|nossos?|nossas?)\s+` + named),
	},
	{
		french,
		lazyregexp.New(`(?is)^(?:s['’]il te plaît[\s,]+)?(?P<ask>(?:peux-tu|pourrais-tu|pouvez-vous|tu peux) )?(?:oublie(?:z|` +
			`r)?)(?:,? s['’]il (?:te|vous) plaît,?)?` +
			`(?:\s*[:：]\s*|\s+(?:que\s+|qu['’]))(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^(?:s['’]il te plaît[\s,]+)?(?P<ask>\x00)?oublie(?:z)?\s+(?:tout\s+(?:ce que ` + toldFR + `\s+)?|` +
			`ce que ` + toldFR + `\s+)(?:sur|à propos de|concernant|de)\s+` +
			`(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^(?:s['’]il te plaît[\s,]+)?(?P<ask>(?:peux-tu|pourrais-tu|pouvez-vous|tu peux) )?(?:oublie(?:z|r)?)` +
			`(?:,? s['’]il (?:te|vous) plaît,?)?\s+(?:mon|ma|mes|notre|nos)\s+` + named),
	},
	{
		italian,
		lazyregexp.New(`(?is)^(?:per favore[\s,]+)?(?P<ask>(?:puoi|potresti|può) )?(?:dimentica(?:re|ti)?|` +
			`scorda(?:ti)?)(?:,? per favore,?)?(?:\s*[:：]\s*|\s+che\s+)` +
			`(?P<kept>.+)$`),
		lazyregexp.New(`(?is)^(?:per favore[\s,]+)?(?P<ask>\x00)?dimentica\s+(?:tutto\s+(?:quello che ` + toldIT + `\s+)?|` +
			`quello che ` + toldIT + `\s+)(?:su|di|` +
			`riguardo a)\s+(?P<kept>.+?)[\s.!]*$`),
		lazyregexp.New(`(?is)^(?:per favore[\s,]+)?(?P<ask>(?:puoi|potresti|può) )?(?:dimentica(?:re|ti)?|scorda(?:ti)?)(?:,? per favore,?)?` +
			`\s+(?:(?:del?|il|la|i|gli|le|l['’]|dell[ae]|dei)\s+)?(?:mi[oa]|miei|mie|nostr[oaie])\s+` + named),
	},
}

// maxThing is the length of the name of a thing, in characters.
const maxThing = 60

// ParseForget parses a message as Parse does. It reports false for everything that is not clearly a request to forget something, and
// nothing else: "forget it", a request followed by another one, "don't forget".
func ParseForget(message string) (Forget, bool) {
	text := strings.TrimSpace(invisible.Replace(norm.NFC.String(message)))
	if text == "" || utf8.RuneCountInString(text) > maxStatement || strings.ContainsAny(text, "\n`") || quoted.MatchString(text) {
		return Forget{}, false
	}
	for _, o := range oblivions {
		text := strings.TrimSpace(o.thanks.ReplaceAllString(text, ""))
		kept, topic := o.names(o.topic, text)
		if me.MatchString(kept) || wipes[o.language].MatchString(text) {
			return Forget{All: true, Language: o.language}, true
		}
		if topic {
			return Forget{Text: strings.Trim(kept, `"“”„«»「」`), Topic: true, Language: o.language}, true
		}
		if kept, ok := o.names(o.thing, text); ok {
			return Forget{Text: kept, Thing: true, Language: o.language}, utf8.RuneCountInString(kept) <= maxThing && !turnOfTalk.MatchString(kept)
		}
		if kept, ok := o.names(o.said, text); ok && o.whole(kept) {
			return Forget{Text: kept, Language: o.language}, true
		}
	}
	return Forget{}, false
}

// names returns what a message asks to forget.
func (o oblivion) names(pattern *lazyregexp.Regexp, text string) (string, bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	kept := m[pattern.SubexpIndex("kept")]
	if at := pattern.SubexpIndex("kept2"); at > 0 && kept == "" {
		kept = m[at]
	}
	kept, asked := o.answered(kept, m[pattern.SubexpIndex("ask")])
	if at := pattern.SubexpIndex("link"); at > 0 && o.clause != nil {
		kept = o.clause(m[at], kept)
	}
	kept = strings.TrimSpace(kept)
	return kept, asked && kept != "" && !unsaid.MatchString(kept) && !o.further.MatchString(kept)
}

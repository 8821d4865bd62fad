package extractive

import (
	"slices"
	"strings"

	"reverie/language/cue"
)

// Attributes of wishes for the style of all answers. Each has its own line.
const (
	attributeLength  = "Length"
	attributeTables  = "Tables"
	attributeLists   = "Lists"
	attributeEmojis  = "Emojis"
	attributeAddress = "Address"
)

// styleWish holds how a language asks for answers without something, of some length, and in which form of address. {v} marks the part
// that is kept; N in without is replaced by each of the nouns.
type styleWish struct {
	frame, without        string
	tables, lists, emojis string
	length, address       []string
	lengths, addresses    string // {v} of length and address
}

var styleWishes = map[string]styleWish{
	"en": {
		frame: `(?:from now on )?(?:(?:please|also) )*(?:(?:answer|reply|respond|write) )?{v}(?: in (?:your|the)? ?(?:answers|replies))?(?:,? (?:please|` +
			`thanks|thank you|from now on|ever))*`,
		without: `no (?:more )?N|without (?:any )?N|(?:do not|don['’]t|never) use (?:any )?N|stop using N|skip the N`, tables: `tables?`,
		lists: `(?:bulleted |bullet |numbered )?lists?|bullet ?points?|bullets`, emojis: `emojis?|emoticons|smileys`,
		lengths: `briefly|concisely|in (?:short|brief)|brief|short|concise|to the point|short and simple|detailed|in (?:one|two|three|a few) sentences?`,
		length: []string{
			`(?:from now on )?(?:please )?(?:always )?(?:answer|reply|respond|(?:keep|make) (?:it|them|(?:the |your )?(?:answers|replies|` +
				`responses)))(?: me)?(?: always)? {v}(?:,? (?:please|from now on|thanks))*`,
			`(?:please )?(?:only )?{v} (?:answers|replies|responses)(?: only)?(?: please)?`,
		},
		addresses: `formal|informal|formally|informally|casually|by my first name`,
		address:   []string{`(?:please )?(?:address|talk to|speak to|write to) me {v}(?: please)?`, `(?:please )?(?:be|keep it|stay) {v}(?: with me)?(?: please)?`},
	},
	"de": {
		frame:   `(?:ab jetzt |in zukunft )?(?:(?:bitte|und) )*(?:antworte? )?{v}(?: (?:bitte|mehr|danke))*`,
		without: `keine N|ohne N|(?:verwende|benutze?|nutze?|mache?|schreibe?) (?:bitte )?keine N`, tables: `tabellen?`,
		lists: `listen?|aufzählungen?|stichpunkte|aufzählungspunkte`, emojis: `emojis?|smileys?`,
		lengths: `kurz und knapp|kurz|knapp|ausführlich|kurze|knappe|ausführliche`,
		length: []string{
			`(?:ab jetzt )?(?:bitte )?(?:antworte|antwort|fass dich|halte? (?:dich|es|deine antworten)|schreibe?)(?: mir)?(?: bitte)?(?: immer)? {v}(?: bitte)?`,
			`(?:bitte )?{v} antworten(?: bitte)?`, `(?:bitte )?{v} antworten`,
		},
		addresses: `duze? mich|siezen sie mich|sieze? mich|duzen sie mich`,
		address:   []string{`(?:ab jetzt )?(?:bitte )?{v}(?: bitte)?(?: ruhig| gern(?:e)?)?(?: bitte)?`},
	},
	"es": {
		frame:   `(?:a partir de ahora )?(?:por favor )?(?:y )?{v}(?: (?:por favor|gracias|en tus respuestas))*`,
		without: `sin N|nada de N|no (?:uses|pongas|use) N`, tables: `tablas?`, lists: `listas?|viñetas`, emojis: `emojis?|emoticonos|caritas`,
		lengths: `brevemente|breve|corto|en corto|con brevedad|de forma (?:breve|corta|concisa)|cortas|breves|detalladas`,
		length: []string{
			`(?:por favor )?(?:responde|resp[oó]ndeme|contesta|` +
				`cont[eé]stame)(?: siempre)?(?: por favor)? {v}(?: por favor)?`, `(?:por favor )?respuestas {v}(?: por favor)?`,
		},
		addresses: `tut[eé]ame|tr[aá]tame de (?:t[uú]|usted|vos)|h[aá]blame de (?:t[uú]|usted)|tr[aá]teme de usted`,
		address:   []string{`(?:por favor )?{v}(?: por favor)?`},
	},
	"fr": {
		frame:   `(?:à partir de maintenant )?(?:et )?{v}(?: (?:s['’]il te pla[iî]t|s['’]il vous pla[iî]t|stp|svp|merci))*`,
		without: `pas de N|sans N|n['’]utilise(?:z)? (?:pas|jamais) de N|[ée]vite(?:z)? les N`, tables: `tableaux?`, lists: `listes?(?: à puces)?|` +
			`puces`, emojis: `[ée]mojis?|smileys`,
		lengths: `bri[eè]vement|en bref|bref|br[eè]ve|concis|concise|de fa[cç]on (?:courte|concise|br[eè]ve)|courtes|br[eè]ves|d[eé]taill[eé]es`,
		length: []string{
			`r[eé]pond(?:s|ez)(?:[- ]moi)?(?: toujours)? {v}(?: s['’]il te pla[iî]t| stp| svp)?`, `(?:fais[- ]moi |` +
				`fais )?des r[eé]ponses {v}(?: s['’]il te pla[iî]t| stp| svp)?`,
			`(?:sois|soyez) {v}(?: s['’]il te pla[iî]t| stp| svp)?`,
		},
		addresses: `tutoie[- ]moi|vouvoie[- ]moi|tutoyez[- ]moi|vouvoyez[- ]moi`,
		address:   []string{`(?:tu peux |vous pouvez )?{v}(?: s['’]il te pla[iî]t| s['’]il vous pla[iî]t| stp| svp)?`},
	},
	"pt": {
		frame:   `(?:a partir de agora )?(?:por favor )?(?:e )?{v}(?: (?:por favor|obrigad[oa]|nas respostas))*`,
		without: `sem N|nada de N|n[aã]o us[ea] N`, tables: `tabelas?`, lists: `listas?|t[oó]picos`, emojis: `emojis?|figurinhas`,
		lengths: `brevemente|resumidamente|em poucas palavras|curto|de forma (?:breve|curta|resumida|concisa)|curtas|breves`,
		length: []string{
			`(?:por favor )?(?:me )?respond[ae](?:[- ]me)?(?: sempre)? {v}(?: por favor)?`, `(?:por favor )?respostas {v}(?: por favor)?`,
		},
		addresses: `me tra(?:ta|te) por (?:tu|voc[eê]|senhora?)|trat[ae]-me por (?:tu|voc[eê])`,
		address:   []string{`(?:por favor )?{v}(?: por favor)?`},
	},
	"it": {
		frame:   `(?:d['’]ora in poi )?(?:per favore )?(?:e )?{v}(?: (?:per favore|grazie))*`,
		without: `niente N|senza N|non usare N`, tables: `tabell[ae]`, lists: `list[ae]|elenchi(?: puntati)?`, emojis: `emoji|faccine|emoticon`,
		lengths: `brevemente|in breve|in modo (?:breve|conciso|sintetico)|brevi|corte|dettagliate`,
		length: []string{
			`(?:per favore )?rispondi(?:mi)?(?: sempre)? {v}(?: per favore)?`, `(?:per favore )?risposte {v}(?: per favore)?`,
		},
		addresses: `dammi del (?:tu|lei)|mi dia del (?:tu|lei)|diamoci del tu`,
		address:   []string{`(?:per favore )?{v}(?: per favore)?`},
	},
	"ru": {
		frame:   `(?:пожалуйста )?(?:и )?{v}(?: (?:пожалуйста|спасибо))*`,
		without: `без N|не используй(?:те)? N|никаких N`, tables: `таблицы?`, lists: `списков|списки`, emojis: `эмодзи|смайликов|смайлов|смайлики`,
		lengths:   `кратко|коротко|покороче|подробно|кратким|короткие`,
		length:    []string{`(?:пожалуйста )?(?:отвечай|пиши)(?:те)?(?: мне)?(?: пожалуйста)?(?: всегда)? {v}(?: пожалуйста)?`, `{v} ответы(?: пожалуйста)?`},
		addresses: `на ты|на вы`,
		address:   []string{`(?:пожалуйста )?(?:давай|давайте|обращайся ко мне|обращайтесь ко мне|говори со мной)(?: пожалуйста)? {v}(?: пожалуйста)?`},
	},
	"ar": {
		frame:   `(?:من فضلك )?(?:أجب )?{v}(?: من فضلك| رجاء)?`,
		without: `(?:بدون|من غير|بلا) N|لا تستخدم N`, tables: `جداول|الجداول`, lists: `قوائم|القوائم|نقاط`, emojis: `إيموجي|ايموجي|الإيموجي|رموز تعبيرية`,
		lengths: `باختصار|بإيجاز|باختصار شديد`, length: []string{`(?:من فضلك )?(?:أجب|أجبني|جاوبني|رد|جاوب)(?: علي)?(?: دائما)? {v}(?: من فضلك)?`},
		addresses: `بصيغة المذكر|بصيغة المؤنث|بدون رسميات`, address: []string{`(?:من فضلك )?(?:خاطبني|كلمني) {v}(?: من فضلك)?`},
	},
	"zh": {
		frame:   `(?:以后|以後)?(?:回答(?:时|時|的时候)?)?(?:请|請|麻烦|麻煩)?{v}(?:了|吧|谢谢|謝謝)?`,
		without: `(?:不要|别|別|不用)(?:再)?(?:用|使用|加)?N`, tables: `表格`, lists: `列表|项目符号|清单|項目符號`, emojis: `表情(?:符号|符號)?|emoji`,
		lengths: `简短(?:一点|点|一些|些)?|简洁(?:一点|点|一些|些)?|简单(?:一点|点)?|详细(?:一点|点|一些|些)?|簡短(?:一點|點)?|詳細(?:一點|點)?`,
		length: []string{
			`(?:以后|以後)?(?:请|請|麻烦|麻煩)?(?:回答|回复|回覆)(?:我)?(?:请|尽量|都)?(?:要)?{v}(?:吧)?`, `(?:以后|以後)?(?:请|請|麻烦|麻煩)?{v}(?:地)?(?:回答|回复)(?:我)?(?:吧)?`,
		},
		addresses: `不用说您|别用您|不用对我说您|用您称呼我|用你称呼我`, address: []string{`(?:以后)?(?:请|麻烦)?{v}(?:吧|了)?`},
	},
	"ja": {
		frame:   `(?:これからは?)?(?:回答に?)?{v}(?:ください|ね|お願いします|です)?`,
		without: `N(?:は|を)?(?:使わないで|なしで|不要|いりません|やめて)`, tables: `表|テーブル`, lists: `箇条書き|リスト`, emojis: `絵文字|顔文字`,
		lengths: `短く|簡潔に|手短に|詳しく`,
		length: []string{
			`(?:これからは?)?(?:回答|返事|答え)(?:は|を)?{v}(?:して|お願いします|答えて)?(?:ください|ね)?`, `(?:これからは?)?{v}(?:答えて|回答して|返事して)(?:ください|ね)?`, `{v}お願いします`,
		},
		addresses: `敬語なし|タメ口|敬語`, address: []string{`(?:これからは?)?{v}(?:で|は)(?:話して|お願いします|いりません|いらない(?:です)?|不要です|いいです)(?:ください|ね)?`},
	},
	"ko": {
		frame:   `(?:앞으로 )?{v}(?: 부탁해요| 부탁합니다)?`,
		without: `N(?:는|은|를|을)? ?(?:쓰지 ?(?:마세요|말아 ?주세요|마|말아 ?줘)|빼 ?(?:주세요|줘)|없이(?: 답해 ?(?:주세요|줘))?)`, tables: `표`, lists: `목록|글머리표|리스트`, emojis: `이모지|이모티콘`,
		lengths: `짧게|간단히|간단하게|간결하게|자세히|자세하게`, length: []string{`(?:앞으로 )?(?:항상 )?{v} (?:대답|답변|답|말)해 ?(?:주세요|줘)`},
		addresses: `반말로|존댓말로|반말|존댓말`, address: []string{`(?:앞으로 )?{v} ?(?:로 )?(?:해|말해|써|대답해|답해) ?(?:주세요|줘)`},
	},
	"vi": {
		frame:   `(?:từ nay )?(?:xin |làm ơn )?{v}(?: nhé| nha| giúp mình| ạ)*`,
		without: `(?:đừng|không) (?:dùng|cần) N|không N|đừng có N`, tables: `bảng(?: biểu)?`, lists: `danh sách|gạch đầu dòng`, emojis: `emoji|` +
			`biểu tượng cảm xúc|icon`,
		lengths: `ngắn gọn|ngắn|chi tiết`, length: []string{`(?:hãy |từ nay |làm ơn )*trả lời(?: mình| tôi| em)? {v}(?: thôi)?(?: nhé| nha| giúp mình| ạ)*`},
		addresses: `gọi (?:mình|tôi|em) là (?:anh|chị|em|bạn)|xưng hô thân mật`, address: []string{`(?:hãy |cứ )?{v}(?: nhé| nha| đi)?`},
	},
}

// forms returns the templates of an attribute of style.
func (s *styleWish) forms(attribute string) []string {
	fill := func(forms []string, v string) []string {
		out := make([]string, len(forms))
		for i, f := range forms {
			out[i] = strings.ReplaceAll(f, "{v}", "(?P<v>"+v+")")
		}
		return out
	}
	without := func(noun string) []string {
		return fill([]string{s.frame}, strings.ReplaceAll(s.without, "N", "(?:"+noun+")"))
	}
	switch attribute {
	case attributeLength:
		return fill(s.length, s.lengths)
	case attributeAddress:
		return fill(s.address, s.addresses)
	case attributeTables:
		return without(s.tables)
	case attributeLists:
		return without(s.lists)
	default:
		return without(s.emojis)
	}
}

var styleAttributes = []string{attributeLength, attributeTables, attributeLists, attributeEmojis, attributeAddress}

// isStyle reports whether an attribute is about answers.
func isStyle(attribute string) bool {
	return attribute == attributeStyle || isWish(attribute)
}

func isWish(attribute string) bool { return slices.Contains(styleAttributes, attribute) }

// standing returns the facts of a unit without wishes for the style of one answer: with a task beside them, or for this time.
func (u *unit) standing(facts []fact, all bool) ([]fact, bool) {
	if u.set.Has(cue.Always) || u.alone && all && !u.set.Has(cue.Once) {
		return facts, all
	}
	var out []fact
	for _, f := range facts {
		if !isWish(f.attribute) {
			out = append(out, f)
		}
	}
	return out, all && len(out) == len(facts)
}

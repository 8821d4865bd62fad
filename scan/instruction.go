package scan

import "regexp"

// Instruction returns the rule by which a statement instructs the assistant in a way that no extraction may keep by itself; it is
// empty for others. The rules match what a person's own wish about style and language does not have: a message that poses as another
// role or as a tool call, a piped download, an image that reports to a server, an order for every answer, and a standing order with a
// link or an action.
//
// Such a statement is harmless in a document that a person writes, so Scan allows it.
func Instruction(statement string) string {
	for _, rule := range carriers {
		if rule.pattern.MatchString(statement) {
			return rule.name
		}
	}
	folded := Folded(statement)
	switch {
	case everyAnswer.MatchString(folded) && !(styleWish.MatchString(folded) && !hasLink.MatchString(folded)) && !described.MatchString(folded):
		return "every-answer"
	case standingOrder.MatchString(folded):
		return "standing-order"
	}
	return ""
}

type carrier struct {
	name    string
	pattern *regexp.Regexp
}

// carriers are forms that instruct whatever they say.
var carriers = []carrier{
	{"role", regexp.MustCompile(`(?im)^[\s>*_#\[<-]*(?:system|developer|系统|система|sistema|système)(?: (?:message|prompt|` +
		`note))?[\]>*_]*\s*[:：]` +
		`[^\n]{0,80}?(?:\b(?:you|your|obey|rules?|instructions?|must|always|never|ignore|override|user)\b|你|您|必须|规则|指令|\b(?:du|debes|` +
		`deves|devi|tu)\b|` +
		`(?:^|\s)(?:вы|ты)\s)`)},
	{"tool-call", regexp.MustCompile(`(?i)["'](?:tool_calls?|function_call|tool_use)["']\s*:|["']role["']\s*:\s*["'](?:system|` +
		`assistant|tool|developer)|` +
		`["'](?:name|function|tool)["']\s*:\s*["'][\w.-]+["']\s*,\s*["'](?:arguments|parameters|input)["']\s*:`)},
	{"piped-download", regexp.MustCompile(`(?i)\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|` +
		`\biex\s*\(|\b(?:ba)?sh\s+<\(\s*curl|\b(?:ba)?sh\s+-c\s+["']?\$\(\s*(?:curl|wget)`)},
	{"image", regexp.MustCompile(`(?i)<img\b[^>]*\bsrc\s*=\s*["']?https?:|!\[[^\]\n]*\]\(\s*https?://[^)\s]*\?[^)\s]*=`)},
}

// Patterns of orders, on folded text.
var (
	hasLink = regexp.MustCompile(`https?://|www\.|\b[\w-]+\.(?:com|net|org|io|dev|app|example|ru|cn|top|xyz|info|shop)\b`)

	everyAnswer = regexp.MustCompile(foldLetters(`\b(?:every|each|all)(?: of)?(?: your| single| the)? (?:answer|reply|response|` +
		`message you|mail you|email you)|` +
		`\bjede[rnms]? (?:deiner |ihrer )?(?:antwort|nachricht)|\balle[nr]? (?:deine[nr]? )?antworten|` +
		`\b(?:cada|todas(?: tus| las)*) (?:respuesta|mensaje)|\b(?:chaque|toutes (?:tes|vos|les)) (?:reponse|message)|` +
		`\b(?:cada|todas as(?: suas| tuas)?) (?:resposta|mensage)|\b(?:ogni|tutte le(?: tue)?) (?:rispost|messaggi)|` +
		`每次(?:回答|回复|答复)|每(?:个|条)(?:回答|回复|答案)|所有(?:的)?(?:回答|回复)|` +
		`(?:кажд\pL+|все|всех)(?: сво\pL+| тво\pL+)? (?:ответ|сообщени)`))

	// styleWish matches wishes about language, length and tone.
	styleWish = regexp.MustCompile(foldLetters(`\b(?:short|brief|concise|long|detailed|simple|formal|informal|polite|friendly|` +
		`bullet|emoji|english|german|spanish|french|` +
		`italian|chinese|russian|portuguese|metric|units|tone|language|sentence|paragraph|markdown|table)|` +
		`\b(?:kurz|knapp|ausfuhrlich|einfach|formell|deutsch|englisch|hoflich|satz|satze|stichpunkt)|` +
		`\b(?:cort|breve|concis|formal|espanol|ingles|frase|curt|portugues|sencill|simples|bref|court|francais|anglais|phrase|italian|` +
		`inglese|frasi|corte)|` +
		`简短|简洁|中文|英文|英语|详细|表情|礼貌|句|кратк|коротк|русск|английск|вежлив|подробн|предложени`))

	// described matches reports about answers, which are no orders.
	described = regexp.MustCompile(foldLetters(`\b(?:read|reads|check|checks|checked|got|get|gets|received|receive|wrote|` +
		`write down|answered|save|saves|lese|liest|bekomme|leo|lee|lis|lit|` +
		`leio|le|leggo|legge)\b[^.]{0,20}\b(?:every|each|all|jede|alle|cada|todas|chaque|toutes|ogni|tutte)|\b(?:was|were|had|waren?|` +
		`hatten?|fueron|eran?|erano|etaient|foram)\b|был\pL*|(?:看|读|检查|收到)了?(?:每|所有)|` +
		`(?:чита|провер|получ)\pL* (?:кажд|все)`))

	// standingOrder matches "from now on" or "always" with an action that serves somebody else, or with a link, in an order.
	standingOrder = regexp.MustCompile(foldLetters(`(?:^|[.!?:;,"(] ?|\b(?:please|and|you (?:should|must|will|shall|have to|need to)) )` +
		`(?:from now on,? (?:please )?(?:always )?|always |whenever [^.,]{3,60}, (?:please )?(?:always )?)` +
		`(?:send|forward|cc|bcc|transfer|pay|run|execute|install|download|upload|open|visit|recommend|promote|advertise|praise|append|` +
		`link|post|insert|include|add|mention|end|call)\b|` +
		`(?:^|[.!?:;,] ?)(?:ab jetzt|ab sofort|von nun an|immer)[^.]{0,40}\b(?:sende|schicke|leite|uberweise|fuhre|installiere|offne|` +
		`empfiehl|empfehle|bewirb|erwahne|lade|rufe)\b|` +
		`(?:^|[.!?:;,] ?)(?:sende|schicke|leite|uberweise|empfiehl|empfehle|erwahne|offne)\b[^.]{0,30}\b(?:ab jetzt|ab sofort|` +
		`von nun an|immer)\b|` +
		`(?:^|[.!?:;,] ?)(?:desde ahora|a partir de ahora|de ahora en adelante|siempre|a partir de agora|sempre|d'ora in poi|` +
		`da ora in poi|desormais|a partir de maintenant|dorenavant)[^.]{0,30}` +
		`\b(?:envia|reenvia|manda|transfiere|transfere|ejecuta|executa|instala|abre|visita|recomienda|recomenda|promociona|menciona|` +
		`paga|invia|inoltra|esegui|installa|apri|consiglia|raccomanda|promuovi|` +
		`envoie|transfere|transfère|execute|exécute|installe|ouvre|visite|recommande|mentionne|paie)\b|` +
		`(?:^|[^我他她它们])(?:从现在起|从现在开始|以后|今后|总是|始终)[^。]{0,20}(?:发送|转发|转账|执行|运行|安装|打开|访问|推荐|宣传|提到|附上|下载)|` +
		`(?:^|[.!?:;,] ?)(?:отныне|с этого момента|с этих пор|теперь всегда|всегда)[^.]{0,30}(?:отправляй|пересылай|переводи|выполняй|` +
		`запускай|устанавливай|открывай|посещай|рекомендуй|советуй|упоминай|хвали|добавляй)`))
)

package remember

import (
	"reverie/language/lazyregexp"
)

var french = &grammar{
	language: "fr",
	lead: lazyregexp.New(`(?is)^(?:(?:salut|bonjour|ok|alors|et|aussi|bon|s['’]il (?:te|vous) plaît|stp|svp|au fait|` +
		`je (?:veux|voudrais|souhaite) que tu|il faut que tu|j['’]aimerais que tu)[\s,!.:]+)*(?P<ask>(?:peux-tu|pourrais-tu|` +
		`pouvez-vous|pourriez-vous|tu peux) )?(?:s['’]il (?:te|vous) plaît,? )?` +
		`(?P<verb>souviens-toi|souvenez-vous|te souviennes|te souvenir|rappelle-toi|rappelez-vous|te rappelles|te rappeler|retiens|` +
		`retenez|retiennes|retenir|n['’]oublie pas|n['’]oubliez pas|note bien|note|notez|noter|` +
		`garde(?:z)? (?:en tête|à l['’]esprit|en mémoire)|mémorise(?:z|r)?|enregistre(?:z)?|mémo)` +
		`(?P<link>(?:,? s['’]il (?:te|vous) plaît,?)?(?:\s+(?:bien|ceci|cela|ça|ce qui suit|les points suivants))?\s*[:：]\s*|` +
		`(?:,? s['’]il (?:te|vous) plaît,?)?\s+(?:bien )?(?:que\s+|qu['’])|\s*\n|\s+)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:et )?(?P<ask>peux-tu )?(?:s['’]il (?:te|` +
		`vous) plaît,? )?(?:souviens-t['’]en|souvenez-vous-en|rappelle-le-toi|rappelle-toi (?:ça|cela)|retiens-le|` +
		`retiens (?:ça|cela|bien)|ne l['’]oublie pas|n['’]oublie pas(?: (?:ça|cela))?|note-le|note (?:ça|cela)|` +
		`garde (?:ça|cela|-le) en (?:tête|mémoire)|garde-le en (?:tête|mémoire)|mémorise (?:ça|cela))(?:,? s['’]il (?:te|vous) plaît|` +
		`,? stp)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:quand|comment|pourquoi|où|qui|la fois|le jour|cette fois|ça|cela|ceci|moi)(?:\s|$|[.!,])`),
	bare:  lazyregexp.New(`(?is)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s|['’])(?:est|sont|suis|es|était|ai|a|as|avons|ont|habite|vis|vit|travaille|aime|adore|` +
		`déteste|préfère|parle|bois|boit|mange|s['’]appelle|appelle|utilise|utilisons|né|née|pas|jamais|allergique|commence|finit|` +
		`coûte|va|doit|peut|veux|veut)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)que\s+$|qu['’]$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:et |puis |ensuite |maintenant )*(?:écris|donne|dis|cherche|traduis|résume|` +
		`explique|fais|crée|recommande|propose|montre|raconte)(?:\s|-|$)|` +
		`\set (?:puis )?(?:écris|donne|dis|traduis|résume|explique|propose)[\s-]`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:merci(?: beaucoup| d['’]avance)?|ok\??)[\s.!]*$`),
}

var portuguese = &grammar{
	language: "pt",
	lead: lazyregexp.New(`(?is)^(?:(?:olá|oi|ok|então|e|também|por favor|aliás|quero que (?:você )?|preciso que (?:você )?|` +
		`gostaria que (?:você )?|você|é importante que (?:você )?)[\s,!.:]*)*(?P<ask>(?:você )?(?:pode|poderia|podes) )?(?:por favor,? )?` +
		`(?P<verb>lembr[ae](?:-se|-te)?|se lembr[ae]r?|se lembre|lembrar(?:-se)?|não (?:se |te )?esque[çc]as?|não esquece|anot[ae]r?|` +
		`guard[ae]r?(?: na memória)?|memoriz[ae]r?|ten(?:ha|s) em mente|registre|toma nota)` +
		`(?P<link>(?:,? por favor,?)?(?:\s+(?:isto|isso|o seguinte|disto|disso))?\s*[:：]\s*|(?:,? por favor,?)?\s+(?:de )?que\s+|` +
		`\s*\n|\s+)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:e )?(?P<ask>pode )?(?:por favor,? )?(?:lembr[ae](?:-se|` +
		`-te) (?:disso|disto)|lembre disso|não (?:se |te )?esque[çc]as? (?:disso|disto)|não esquece|não (?:se )?esqueça|` +
		`anot[ae] (?:isso|isto|aí)|guard[ae] (?:isso|isto)|memoriz[ae] (?:isso|isto)|tenha (?:isso|isto) em mente)(?:,? por favor|` +
		`,? tá)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:quando|como era|aquele|aquela|daquele|daquela|a vez|o dia|quem|onde|isso|isto|disso|disto|` +
		`mim)(?:\s|$|[.!,])`),
	bare: lazyregexp.New(`(?is)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:é|são|sou|está|estou|foi|era|tenho|tem|temos|há|moro|mora|vivo|trabalho|trabalha|` +
		`gosto|gosta|adoro|odeio|prefiro|prefere|falo|fala|bebo|bebe|como|come|se chama|chama|chamo|uso|usa|usamos|nasci|nasceu|não|` +
		`nunca|começa|termina|custa|vai|deve|pode|quero|quer)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)que\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:e |depois |agora |também )*(?:por favor )?(?:escreva|escreve|me dê|diga|busque|` +
		`traduza|resuma|explique|faça|crie|recomende|sugira|mostre)(?:\s|-|$)|` +
		`\se (?:depois )?(?:escreva|diga|traduza|resuma|explique|sugira)\s`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:(?:muito )?obrigad[oa]|valeu|ok\??|tá\??)[\s.!]*$`),
}

// Parts of the Korean patterns.
const (
	verbKO = `(?:기억해|기억하고 있어|기억해\s?둬|기억해\s?두세요|외워|메모해|적어|기록해|저장해|잊지\s?마|잊지\s?말아)`
	endKO  = `(?:\s?(?:줘|줘요|주세요|두세요|둬|둬요|놔|놔줘|주십시오|줄래|줄래요|주실래요|주시겠어요|세요|요))*`
)

var korean = &grammar{
	language: "ko",
	lead: lazyregexp.New(`(?s)^(?:그리고|참|아|저기|네|응|다음을|이것을|이걸|꼭|[\s,])*(?P<ask>\x00)?(?P<verb>` + verbKO + endKO +
		`|메모)(?P<link>\s*[:：,.]\s*|\s*\n)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?s)^(?P<kept>.{3,}?)(?:(?:는|라는)\s?(?:것을|걸|거|것|점을|사실을)|라고|고|[.,!]\s*(?:이거|이걸|그거|그걸|이것|꼭|이 점|이것을)?|` +
		`(?:을|를))\s*(?:꼭\s*|좀\s*)?` + verbKO + `(?P<ask>\s?(?:줄래|줄래요|주실래요|주시겠어요))?` + endKO + `[\s.!?]*$`),
	never:   lazyregexp.New(`^(?:이거|이걸|그거|그걸|나|저|이름|생일)[\s.]*$|(?:때|그때|지난번)$|(?:는|는지|할|하는)\s?(?:것|거)$`),
	bare:    lazyregexp.New(`^$`),
	says:    lazyregexp.New(`(?:은|는|이|가)\s|다(?:$|[.!])|야|요|\d|[:=]|좋아|싫어|살|있|없`),
	loose:   lazyregexp.New(`[:：\n,.]`),
	further: lazyregexp.New(`[.!\n]\s*(?:그리고|그다음|이제)?.{0,30}(?:알려|써|만들어|찾아|번역해|요약해|보여|추천해|설명해)\s?(?:줘|주세요)`),
	thanks:  lazyregexp.New(`[\s,.!]*(?:고마워|감사합니다|고맙습니다|부탁해|부탁드려요|부탁합니다)(?:요)?[\s.!]*$`),
}

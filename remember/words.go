package remember

import (
	"reverie/language/lazyregexp"
)

// Parts of the English patterns.
const (
	politeEN = `(?:(?:(?:hi|hello|hey)(?: \p{L}+)?|okay?|so|and|also|oh|well|yes|yeah|no|now|please|pls|plz|kindly|just|alright|` +
		`great|btw|by the way|one more thing|for (?:future reference|the record|later|next time)|fyi)\s*[,!.:–—-]*\s+)*`
	wantEN = `(?:(?:i|we)(?:['’]d| would)? (?:really )?(?:want|need|like|ask|wish|appreciate it if) you(?: to|['’]d)? |` +
		`you (?:should|must|need to|have to|may|can) |(?:make|be) sure (?:to |that you |you )|` +
		`it(?:['’]s| is) important (?:to |that you )|let['’]s |(?:please |always |also |really |just )+)*`
	askEN  = `(?P<ask>(?:can|could|would|will) you (?:please |kindly |just |also )*)?`
	verbEN = `(?P<verb>remember|memori[sz]e|keep in (?:mind|memory)|bear in mind|don['’]?t (?:ever )?forget|` +
		`do not (?:ever )?forget|never forget|take (?:a )?note|make a (?:mental )?note|(?:note|write|jot) (?:this |that |it )?down|` +
		`(?:please )?note|memo|(?:save|add|store|commit|put|write) (?:(?:this|that|it|the following) )?(?:to|in|into) (?:your |` +
		`the )?(?:long-term )?memory|(?:save|store|record) (?:this|the following))`
	linkEN = `(?P<link>\s+(?:for (?:me|later|next time|the future)|about me)\s*[,:]?\s+that\s+|` +
		`(?:\s+(?:for (?:me|later|next time|the future)|about me|please|down))*\s*[:：]\s*|(?:\s+(?:please))?,?\s+that\s*:?\s+|` +
		`\s+(?:this|that|it|these|those|the following)(?: (?:things?|facts?|points?|details?|one|info(?:rmation)?|please|` +
		`for (?:me|later)|about me))*\s*[:：–—-]\s*|\s*\n|\s+of (?:the fact that|this:)\s+|\s+this\s+|\s*[,–—]\s*|\s+-\s+|\s+)`
	pointEN = `(?:this|that|it|these|those)`
)

var english = &grammar{
	language: "en",
	lead:     lazyregexp.New(`(?is)^` + politeEN + wantEN + askEN + wantEN + verbEN + linkEN + `(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:(?:so|and|but)\s+)?` + askEN +
		`(?:please\s*,?\s*|pls |just |always |also |do )*(?:remember(?: ` + pointEN + `)?|(?:keep|bear) ` + pointEN +
		` in mind|don['’]?t forget(?: ` + pointEN + `| about ` + pointEN + `)?|do not forget(?: ` + pointEN + `)?|(?:note|write|jot) ` +
		pointEN + `(?: down)?|make a note(?: of ` + pointEN + `)?|take note(?: of ` + pointEN + `)?|memori[sz]e ` + pointEN +
		`|(?:save|add|store|commit) ` + pointEN + `(?: (?:to|in|into) (?:your |the )?memory)?)` +
		`(?:\s+for (?:me|later|next time|the future|future reference)|,? please|,? ok(?:ay)?)*[\s.!?]*$`),
	never: lazyregexp.New(`(?is)^(?:the |that |those |this )?(?:time|times|day|days|one|night|morning|evening|week|weekend|` +
		`summer|winter|trip|song|movie|film|guy|girl|man|woman|scene|feeling|moment|episode|show|game)s? (?:when|where|that|we|you|i|` +
		`he|she|they|in|from|at|with|who|of)\b|^(?:this|that|it|these|those|me|us|him|her|them|you|everything|nothing|` +
		`what i (?:said|told))[\s.!]*$|^(?:this|that|it) (?:for|in|when|if|next|as|until)\b|` +
		`^(?:please|later|forever|well|correctly)[\s.!]*$`),
	bare: lazyregexp.New(`(?is)^(?:\S+ )+?(?:to|when|how|what|who|whom|where|why|which|me|him|her|them|us|you|last|if|whether|` +
		`back|being|seeing|going|correctly|not|all|the (?:time|day|good|old)|those|that (?:time|day|one|night))\b|` +
		`^note (?:the|how|a|an|down)\b|^(?:please )?note .*\b(?:function|variable|class|method|code|example|above|below)\b`),
	says: lazyregexp.New(`(?is)(?:^|[^\p{L}])(?:is|are|am|was|were|has|have|had|likes?|loves?|prefers?|hates?|dislikes?|` +
		`enjoys?|lives?|works?|wants?|needs?|uses?|means?|can|can['’]t|cannot|must|should|shall|will|won['’]t|don['’]t|doesn['’]t|` +
		`didn['’]t|isn['’]t|aren['’]t|never|always|speaks?|owns?|drives?|plays?|eats?|drinks?|takes?|goes|starts?|ends?|closes?|` +
		`opens?|arrives?|leaves?|turns?|moved|married|called|named|born|allergic|runs?|expires?|costs?|stands for|belongs?|i['’]m|` +
		`he['’]s|she['’]s|it['’]s|we['’]re|they['’]re|['’]s (?:a|an|the|not|called|named|allergic|on|in|at))(?:[^\p{L}]|$)|` +
		`['’]s (?:a|an|the|not|called|named|allergic) |\d|[:=]`),
	loose: lazyregexp.New(`(?i)that\s*:?\s+$|[:：\n]|(?:this|these|following)[^,]*[–—-]`),
	further: lazyregexp.New(`(?is)[.!;,\n]\s+(?:and |then |also |now |but )*(?:please |then |now )*(?:can you|could you|` +
		`would you|will you|let['’]s|write|give|tell|show|make|create|explain|help|find|search|look up|list|summari[sz]e|translate|` +
		`generate|draft|send|remind|recommend|suggest|what|what['’]s|who|where|when does|why|how|do you|does|did you|answer|compare|` +
		`calculate|fix|check|review|use that|forget|proceed|go on|continue)\b|` +
		`\band (?:then |now |please |also )*(?:write|give|tell|show|create|explain|help|find|search|summari[sz]e|translate|generate|` +
		`draft|send|remind|recommend|suggest|answer|calculate)\b (?:me|us|a|an|the|some|this|it)\b`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:thanks(?: a lot| so much| in advance)?|` +
		`thank you(?: so much| very much| in advance)?|thx|ty|cheers|will you|ok\??|okay\??|got it\??)[\s.!]*$`),
}

// Parts of the German patterns.
const (
	politeDE = `(?:(?:hallo|hey|hi|ok(?:ay)?|gut|so|und|auch|bitte|übrigens|ach ja|noch was|noch etwas|also|ja|nein|jetzt|du|` +
		`für (?:später|die zukunft)|ich möchte|ich will|ich hätte gern|mir ist wichtig|es ist wichtig|` +
		`stell sicher)[\s,!.:]+(?:dass du (?:dir )?)?)*`
	verbDE = `(?P<verb>merk(?:e|en)? (?:dir|sie sich|es dir|euch)|dir(?: bitte)? merken|dir(?: bitte)? merkst|merke|merken|` +
		`vergiss (?:bitte )?(?:nicht|nie|niemals)|vergessen sie (?:bitte )?nicht|denk(?:e)? (?:bitte )?(?:dran|daran)|` +
		`denken sie (?:bitte )?daran|erinner(?:e)? dich (?:bitte )?(?:dran|daran)|` +
		`behalt(?:e)? (?:bitte )?(?:im (?:kopf|hinterkopf|gedächtnis)|in erinnerung)|notier(?:e|en)?(?: (?:dir|sie))?|` +
		`schreib(?:e)? (?:dir )?(?:bitte )?auf|speicher(?:e)?(?: (?:dir|ab|im gedächtnis))?|nimm zur kenntnis|beachte|notiz|memo)`
	linkDE = `(?P<link>(?:\s+bitte)?(?:\s+(?:mal|gut|auch|noch|folgendes|dies(?:es)?|das(?: hier)?|` +
		`die folgenden (?:dinge|punkte|fakten)))*\s*[:：]\s*|(?:\s+bitte)?(?:\s+(?:mal|gut|auch|noch))?\s*,?\s+dass\s+|\s*\n|\s*,\s*|\s+)`
)

var german = &grammar{
	language: "de",
	lead: lazyregexp.New(`(?is)^` + politeDE +
		`(?P<ask>(?:kannst|könntest|würdest|magst) du (?:bitte |mal )*|(?:können|könnten|würden) sie (?:sich )?(?:bitte )?)?` + politeDE +
		verbDE + linkDE + `(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:und |also )?(?:bitte )?(?:(?P<ask>(?:kannst|` +
		`könntest) du (?:dir )?(?:das |dir das )?(?:bitte )?merken)|merk(?:e|en)? (?:dir|sie sich|es dir)(?: (?:das|dies|es))?|` +
		`merk(?:e)? dir(?: das)? bitte|merken|(?:das )?(?:bitte )?merken|vergiss (?:das|es|dies)(?: bitte)? (?:nicht|nie)|` +
		`nicht vergessen|denk(?:e)? (?:bitte )?(?:dran|daran)|behalt(?:e)? das im (?:kopf|hinterkopf|gedächtnis)|` +
		`notier(?:e)? (?:dir )?das|schreib (?:dir )?das auf|speicher(?:e)? das(?: ab)?)(?:,? bitte|,? ok(?:ay)?)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:das|dies|es) (?:bitte )?(?:nicht|nie)[\s.!]*$|` +
		`^(?:das|dies|es|mich|dich|wie|wann|wer|was|wo|warum|damals|als|ob|das mal|den tag|die zeit|` +
		`jenen)(?: (?:für|wir|ich|du|war|damals)\b.*)?[\s.!]*$|^(?:als|wie|wann|damals|den tag|die zeit|das eine mal|jenen)(?:\s|$)`),
	bare: lazyregexp.New(`(?is)^.*[\s,](?:zu \p{L}+|\p{L}+zu\p{L}+en)[\s.!]*$|` +
		`^(?:merken|merke|beachte|notiz|memo|speicher|notier) [^,]`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:ist|sind|bin|bist|war|hat|habe|haben|heißt|heiße|heissen|heisst|wohne|wohnt|lebe|` +
		`lebt|arbeite|arbeitet|mag|mögen|liebe|liebt|hasse|hasst|bevorzuge|bevorzugt|trinke|trinkt|esse|isst|spreche|spricht|nutze|` +
		`nutzt|verwende|verwenden|lautet|kommt|kommen|fahre|fährt|muss|darf|kann|will|soll|wird|werde|kein|keine|keinen|nicht|nie|` +
		`gehört|beginnt|endet|kostet|bedeutet|geboren|allergisch|vertrage|verträgt|steht|läuft)(?:\s|$|[,.!])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)dass\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:und |dann |jetzt |nun |außerdem )*(?:bitte )?(?:schreib|gib|sag|zeig|such|finde|` +
		`übersetz|fass|erklär|erstell|mach|empfiehl|liste|kannst du|könntest du|was|wie|wo|wer|warum|wann)(?:e|\s|$)|` +
		`\sund (?:dann |jetzt )?(?:schreib|gib|sag|zeig|such|übersetze?|fasse?|erkläre?|erstelle?|empfiehl)\s`),
	clause: mainClauseDE,
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:(?:vielen )?dank(?:e(?: (?:dir|ihnen|schön))?)?|ok(?:ay)?\??|ja\?|gut\?)[\s.!]*$`),
}

// Parts of the Spanish patterns.
const (
	politeES = `(?:(?:hola|oye|mira|vale|ok|bueno|por favor|porfa|también|y|ah|por cierto|una cosa más|además|para el futuro|` +
		`quiero que|necesito que|me gustaría que|quisiera que|te pido que|es importante que|asegúrate de|siempre|tú)[\s,!.:]+)*`
	verbES = `(?P<verb>recu[eé]rda(?:lo|me esto)?|recuerde|recuerdes|recuerden|recordar|acu[eé]rdate|acordarte|te acuerdes|` +
		`ten(?:lo)? (?:en cuenta|presente)|tengas (?:en cuenta|presente)|tener en cuenta|tenga en cuenta|toma(?:r)? nota|tome nota|` +
		`an[oó]ta(?:lo|te)?|apunta(?:r)?|ap[uú]ntate|no (?:te )?olvides|no olvide|que no se te olvide|memoriza(?:r)?|memorices|` +
		`guarda(?:r)?(?: (?:esto|en (?:la |tu )?memoria))?|nota)`
	linkES = `(?P<link>(?:,? por favor,?)?(?:\s+(?:esto|lo siguiente|estos datos|estas cosas|` +
		`este dato))?(?:,? por favor)?\s*[:：]\s*|(?:,? por favor,?)?\s+(?:de |bien )?que\s+|\s*\n|\s+)`
)

var spanish = &grammar{
	language: "es",
	lead: lazyregexp.New(`(?is)^[¡¿]?` + politeES + `[¿]?(?P<ask>(?:puedes|podrías|podría|puede)\s+(?:por favor\s+)?)?` + politeES +
		verbES + linkES + `(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:y )?(?P<ask>[¿]?(?:puedes|` +
		`podrías) )?(?:por favor,? ?)?(?:recu[eé]rdalo|recuerda(?: esto| eso)|recordarlo|no lo olvides|no te olvides|no se te olvide|` +
		`ten(?:lo)? (?:en cuenta|presente)|tenlo en mente|an[oó]talo|anota (?:eso|esto)|ap[uú]ntalo|` +
		`toma nota(?: de (?:eso|esto|ello))?|gu[aá]rdalo|memor[ií]zalo|acu[eé]rdate(?: de (?:eso|esto|ello))?)(?:,? por favor|` +
		`,? vale)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:cuando|cuándo|aquel|aquella|la vez|el día|esa vez|cómo|como era|quién|qué|dónde)(?:\s|$|` +
		`[.!,])|^(?:esto|eso|lo|me|mí)[\s.!]*$`),
	bare: lazyregexp.New(`(?i)^(?:no (?:te )?olvides|recuerda|recuerde|acu[eé]rdate|recordar|nota|guarda|anota|apunta|` +
		`\S+(?: \S+){0,3}) (?:de |a |que no |\p{L}+(?:ar|er|ir|arme|erme|irme|arlo|erlo|irlo)(?:\s|$))`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:es|son|soy|eres|está|están|estoy|fue|era|tengo|tiene|tienen|tenemos|hay|vivo|vive|` +
		`vivimos|trabajo|trabaja|prefiero|prefiere|me gusta|me gustan|le gusta|odio|odia|quiero|quiere|uso|usa|usamos|hablo|habla|` +
		`bebo|bebe|como|come|se llama|me llamo|llama|nací|nació|no|cumple|cumplo|termina|empieza|vence|cierra|abre|será|va|vamos|` +
		`viene|debo|puedo|puede|necesito|mide|pesa|cuesta|significa)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)que\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:y |luego |después |ahora |también )*(?:por favor )?(?:escribe|dame|dime|busca|` +
		`traduce|resume|explica|haz|crea|recomienda|sugiere|muéstrame|cuéntame|envía|¿)(?:\s|$|\p{L})|` +
		`\sy (?:luego |después |ahora )?(?:escribe|dame|dime|busca|traduce|resume|explica|recomiéndame|sugiéreme)\s`),
	thanks: lazyregexp.New(`(?i)[\s,.!;¡–—-]*(?:(?:muchas )?gracias(?: de antemano)?|vale\??|ok\??)[\s.!]*$`),
}

var italian = &grammar{
	language: "it",
	lead: lazyregexp.New(`(?is)^(?:(?:ciao|ok|allora|e|anche|bene|senti|a proposito|per favore|vorrei che tu|voglio che tu|` +
		`è importante che tu)[\s,!.:]+)*(?P<ask>(?:mi )?(?:puoi|potresti|può|potrebbe) )?(?:per favore,? )?` +
		`(?P<verb>ricorda(?:ti|re|rti|tevi)?|si ricordi|(?:tieni|tenere|tenga|tenga bene) a mente|non (?:dimenticar|scordar)(?:e|ti)|` +
		`annota(?:re|ti)?|prendi nota|memorizza(?:re)?|segna(?:ti)?|salva(?: in memoria)?|promemoria|memo)` +
		`(?P<link>(?:,? per favore,?)?(?:\s+(?:questo|ciò|quanto segue|i seguenti punti))?\s*[:：]\s*|` +
		`(?:,? per favore,?)?\s+(?:bene )?che\s+|\s*\n|\s+)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:e )?(?P<ask>puoi )?(?:per favore,? )?(?:ricorda(?:te)?lo|ricorda questo|` +
		`tienilo a mente|non dimenticarlo|non scordarlo|annotalo|segnatelo|memorizzalo)(?:,? per favore|,? ok)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:quando|come|perché|dove|chi|la volta|il giorno|quella volta|questo|quello|ciò|me)(?:\s|$|[.!,])`),
	bare:  lazyregexp.New(`(?is)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s|['’])(?:è|sono|sei|era|ho|ha|abbiamo|hanno|abito|abita|vivo|vive|lavoro|lavora|amo|ama|odio|` +
		`odia|preferisco|preferisce|parlo|parla|bevo|beve|mangio|mangia|chiamo|chiama|uso|usa|usiamo|nato|nata|non|mai|allergico|` +
		`allergica|inizia|comincia|finisce|costa|va|deve|può|vuole|voglio|piace)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)che\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:e |poi |ora |anche )*(?:per favore )?(?:scrivi|dammi|dimmi|cerca|traduci|riassumi|` +
		`spiega|spiegami|fai|crea|consiglia|mostra|mostrami|racconta)(?:\s|$)|\se (?:poi )?(?:scrivi|dimmi|traduci|riassumi|spiega)\s`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:grazie(?: mille)?|ok\??|va bene\??)[\s.!]*$`),
}

var russian = &grammar{
	language: "ru",
	lead: lazyregexp.New(`(?is)^(?:(?:привет|ок|так|и|а|ну|также|ещё|еще|кстати|пожалуйста|хочу,? чтобы ты|прошу)[\s,!.:]+)*` +
		`(?P<ask>(?:ты )?(?:можешь|можете|мог бы ты|могли бы вы|не могли бы вы) )?(?:пожалуйста,? )?` +
		`(?P<verb>запомни(?:те|ть)?|помни(?:те)?|запиши(?:те)?|записать|не забудь(?:те)?|не забывай(?:те)?|имей(?:те)? в виду|` +
		`учти(?:те)?|сохрани(?:те|ть)?(?: в памят[иь])?|заметь(?:те)?|на заметку|заметка)` +
		`(?P<link>(?:,? пожалуйста,?)?(?:\s+(?:это|следующее|вот что))?\s*[:：]\s*|(?:,? пожалуйста)?,?\s+что\s+|\s*\n|\s*,\s*|\s+)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?:и )?(?P<ask>\x00)?(?:пожалуйста,? )?(?:запомни(?:те)?(?: это)?|` +
		`запиши(?:те)? это|не забудь(?:те)?(?: об этом| это)?|имей(?:те)? это в виду)(?:,? пожалуйста)*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:когда|как|почему|где|кто|тот раз|тот день|это|то|меня|всё|все)(?:\s|$|[.!,])`),
	bare:  lazyregexp.New(`(?is)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:это|есть|был|была|было|были|не|нет|никогда|зовут|называется|живу|живёт|живет|работаю|работает|` +
		`люблю|любит|предпочитаю|говорю|пью|ем|ест|использую|используем|родился|родилась|начинается|стоит|нужно|должен|должна|аллергия)` +
		`(?:\s|$|[,.])|\d|[:=—–]`),
	loose: lazyregexp.New(`(?i)что\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:и |потом |теперь |также )*(?:пожалуйста,? )?(?:напиши|дай|скажи|найди|переведи|объясни|` +
		`сделай|создай|покажи|расскажи|посоветуй)(?:\s|$)|\sи (?:потом )?(?:напиши|скажи|переведи|объясни)\s`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:спасибо(?: большое)?|благодарю|хорошо\??|ок\??)[\s.!]*$`),
}

var arabic = &grammar{
	language: "ar",
	lead: lazyregexp.New(`(?s)^(?:(?:مرحبا|حسنا|و|أيضا|من فضلك|لو سمحت|رجاء|أريدك أن|أريد منك أن)[\s،,!.:]+)*` +
		`(?P<ask>(?:هل )?(?:يمكنك|تستطيع) أن )?(?P<verb>تذكّ?ر(?:ي|وا)?|تتذكّ?ر|احفظ|تحفظ|سجّ?ل|دوّ?ن|لا تنسَ?ى?|ضع في اعتبارك|ملاحظة)` +
		`(?P<link>(?:\s+(?:هذا|ذلك|ما يلي))?\s*[:：]\s*|(?:\s+من فضلك)?\s+ب?[أا]نّ?(?:ن?ي)?\s+|\s*\n|\s+)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?s)^(?P<kept>.+?)\s*[,،;؛.!–—-]+\s*(?P<ask>\x00)?(?:من فضلك[،,]? )?(?:تذكّ?ر|احفظ|سجّ?ل|دوّ?ن|لا تنسَ?ى?) ` +
		`(?:هذا|ذلك)[\s.!]*$`),
	never: lazyregexp.New(`^(?:متى|كيف|لماذا|أين|من|عندما|حين|ذلك|هذا|تلك|اليوم الذي)(?:\s|$|[.!،])`),
	bare:  lazyregexp.New(`(?s)^.`),
	says:  lazyregexp.New(`(?:^|\s)(?:هو|هي|ليس|لا|كان|كانت|لدي|عندي|اسمي|اسمه|اسمها|أحب|أسكن|أعيش|أعمل)(?:\s|$)|\d|[:=]|^ال|ي\s`),
	loose: lazyregexp.New(`[أا]نّ?(?:ن?ي)?\s+$|[:：\n]`),
	further: lazyregexp.New(`(?s)[.!؛\n]\s+(?:ثم |الآن |و)*(?:من فضلك )?(?:اكتب|أخبرني|ترجم|لخص|اشرح|ابحث|أعطني|أرني|اقترح)(?:\s|$)|` +
		`\s(?:ثم |و)(?:اكتب|أخبرني|ترجم|لخص|اشرح)\s`),
	thanks: lazyregexp.New(`[\s،,.!؛–—-]*(?:شكرا(?: لك| جزيلا)?|شكرًا|حسنا)[\s.!]*$`),
}

// Parts of the Chinese patterns, in simplified and traditional characters.
const (
	politeZH = `(?:好的?|嗯+|那么?|对了|對了|另外|还有|還有|顺便|順便|以后|也|再|哦|啊|嘿|你好|您好|[，,、。！!\s]|请|請|麻烦|麻煩|拜托|拜託|帮我|幫我|帮忙|幫忙|帮|幫|你们?|您|要|一定|务必|務必|必须|` +
		`必須|千万|先|给我|給我|替我|希望|我?(?:想|希望|要)(?:让|讓)?(?:你|您)|我希望|直接)*`
	verbZH = `(?P<verb>别让我忘了|[记記]住|[记記]一下|[记記]下来?|[记記]下來|[记記][着著]|[记記]好|[记記][录錄]一下|[别別]忘[记記]|[别別]忘了?|不要忘[记記]|不要忘了?|牢[记記]|[备備]忘录?|` +
		`[备備][注註]|[记記]得|[记記]个笔记|存(?:一下|到记忆)|加入记忆|保存到记忆)`
	whatZH = `(?:了)?(?:一下)?(?:哦|啊|哈|吧|喔)?(?:这一点|這一點|这点|這點|这件事|這件事|这个|這個|以下(?:内容|內容|几点|幾點|信息|事项)?|下面(?:这些|几点|的内容)?)?`
)

var chinese = &grammar{
	language: "zh",
	lead: lazyregexp.New(`(?s)^` + politeZH + `(?P<ask>能不能|可不可以|能否|可否|可以|能)?` + politeZH + verbZH + whatZH +
		`(?P<link>\s*[:：，,]\s*|\s*\n|\s*)(?P<kept>.+?)(?:[，,]?(?:好吗|好嗎|可以吗|可以嗎|行吗|好不好|吗|嗎)[？?])?$`),
	tail: lazyregexp.New(`(?s)^(?P<kept>.{4,}?)\s*[，,。！!；;\s]\s*(?:请|請|麻烦|麻煩|拜托|你|您|要|帮我|幫我|一定|务必|千万|也|都|先)*(?P<ask>能|` +
		`可以)?(?:[记記]住|[记記]一下|[记記]下来?|[记記]下來|[别別]忘了|[别別]忘[记記]|不要忘[记記了]|[记記][着著]|[记記]好|牢[记記])(?:了|这个|這個|这一点|這一點|这点|這點|这件事|哦|啊|吧|它|一下|喔|` +
		`吗|嗎|好吗)*[。！!～~？?]*$`),
	never: lazyregexp.New(`^(?:了?[吗嗎没沒]|了$|我说|我說|我们?的?(?:约定|話|话)$|这句话|這句話|这个$|那次|那天|那个|那年|当时|當時|小时候|小時候|以前|上次|之前|从前|` +
		`我们(?:上次|第一次|一起)|你(?:说|說|是谁|的身份)|单词|單詞|怎么|什么|谁|哪|为什么)|的(?:那个|那次|那天)|^(?:我|你|他|她|它|这|那)$`),
	bare: lazyregexp.New(`^(?:[记記]得|[别別]忘\S?\S?|不要忘\S?|别让我忘了|[记記]住) (?:要|去|得|带|帶|买|買|给|給|把|提醒|帮|幫|来|來|回|打|交|吃|做|写|寫|发|發|关|關|` +
		`锁|鎖|喂|起床|早|下次|明天|今晚|按时|准时|每天|先|每次|别|別|不要)`),
	says:  lazyregexp.New(`[是叫有爱愛住姓用喝会會能怕为為讨討喜属屬]|不|喜欢|喜歡|过敏|過敏|[过過]|在|\d|[：:=]|[一二三四五六七八九十]|改|戒|定|都|习惯|养|养了|搬`),
	loose: lazyregexp.New(`[:：\n]`),
	further: lazyregexp.New(`[。！!；;，,\n]\s*(?:然后|然後|现在|現在|接着|顺便|另外|再)?\s*(?:请|請|帮我|幫我|麻烦|给我|給我)(?:再|也)?(?:写|寫|推荐|推薦|查|搜|找|翻译|翻譯|` +
		`总结|總結|列|做|讲|講|告诉|告訴|说|說|介绍|解释|生成|画|算|订|发)|[。！!；;\n]\s*(?:然后|然後|现在|接着)(?:写|推荐|查|搜|翻译|总结|列|讲|告诉|介绍|解释|生成)|` +
		`[，,]\s*(?:然后|然後|接着|再|顺便|順便)(?:帮我|幫我|给我|給我)?(?:写|推荐|推薦|查|搜|找|翻译|总结|列|讲|告诉|介绍|解释|生成|做)|(?:怎么|什么|为什么|多少|哪里|哪儿|谁|几点)(?:[。！!]|$)|` +
		`[吗嗎呢]$`),
	thanks: lazyregexp.New(`[\s，,。！!]*(?:谢谢|謝謝|多谢|感谢|谢了|拜托了|辛苦了)(?:你|您|啦|了)?[\s。！!～~]*$`),
}

// Parts of the Japanese patterns.
const (
	verbJA = `(?:覚えて(?:おいて|おけ|ください|下さい|ね|よ|ほしい|欲しい)|覚えとい(?:て|てね)|おぼえておいて|記憶して(?:おいて|ください)?|メモして(?:おいて|ください)?|メモっ(?:て|と)(?:おいて|いて)?|` +
		`記録して(?:おいて|ください)?|心に留めておいて|忘れないで)`
	// endJA matches polite endings of a request.
	endJA = `(?:おいて)?(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|もらえ(?:ますか|る)|くれ(?:ますか|る|ませんか)|いただけますか|ね|よ|ください(?:ね|よ))*`
)

var japanese = &grammar{
	language: "ja",
	lead: lazyregexp.New(`(?s)^(?:あと|それと|では|じゃあ|ねえ|ねぇ|ちなみに|次のことを|以下(?:のこと)?を|これを?|このことを|ぜひ|必ず|[、,\s])*(?P<ask>\x00)?(?P<verb>` +
		verbJA + endJA + `|メモ|覚え書き)(?P<link>\s*[:：。、,]\s*|\s*\n)(?P<kept>.+)$`),
	tail: lazyregexp.New(`(?s)^(?P<kept>.{4,}?)\s*(?:という(?:こと|の)を|ということ|(?:って|と)いうことを|ことを|のを|って|と|を|` +
		`[。、．！!]\s*(?:これ|それ|このこと|そのこと)?(?:を|は|も)?(?:ぜひ|必ず|ちゃんと)?|\s)\s*` + verbJA +
		`(?P<ask>(?:おいて)?(?:もらえ(?:ますか|る)|くれ(?:ますか|る|ませんか)|いただけますか))?` + endJA + `[。！!～ー？?]*$`),
	never: lazyregexp.New(`(?:うん|く|ぐ|す|つ|ぬ|ぶ|む|る|う)の$|^(?:これ|それ|あれ|このこと|そのこと|私|僕|俺|あなた|名前|誕生日)$|(?:あの時|あのとき|昔|前回|この前)`),
	bare:  lazyregexp.New(`^$`),
	says:  lazyregexp.New(`[はがもだ]|です|ます|\d|[：:=]|好き|嫌い|いる|ある|なの`),
	loose: lazyregexp.New(`[:：\n]|[。、,]`),
	further: lazyregexp.New(`[。！!\n]\s*(?:それから|そして|あと|次に)?.{0,30}(?:教えて|書いて|作って|探して|翻訳して|まとめて|見せて|調べて|説明して|おすすめ)|` +
		`(?:を(?:買う|送る|する|出す|飲む|閉める)|[うくぐすつぬぶむる])の$|(?:ですか|ますか|でしょうか|かな)[。！!]?$`),
	thanks: lazyregexp.New(`[\s、。！!]*(?:ありがとう(?:ございます)?|よろしく(?:お願いします|ね)?|お願いします|お願い|頼む|頼みます)[\s。！!～]*$`),
}

// Parts of the Vietnamese patterns. People also type without diacritics.
const (
	politeVI = `(?:(?:này|nay|ơi|ê|chào(?: bạn| em)?|ok|à|và|cũng|xin|hãy|hay|vui lòng|vui long|làm ơn|lam on|nhờ|phiền|giúp|bạn|ban|` +
		`em|anh|chị|mày|cậu|tôi muốn|mình muốn|tôi cần|mình cần|muốn|cần|phải|luôn|nhất định|giùm|hộ|cho|thì|thêm nữa|nhân tiện)[\s,!.:]+)*`
	verbVI = `(?P<verb>ghi nhớ|ghi nho|nhớ kỹ|nhớ lấy|nhớ giúp|nhớ giùm|nhớ hộ|nhớ cho|nhớ|nho|lưu ý|luu y|ghi chú|ghi chu|ghi lại|` +
		`ghi lai|lưu lại|luu lai|đừng quên|dung quen|đừng bao giờ quên|khắc ghi)`
	linkVI = `(?P<link>(?:\s+(?:giúp|giùm|hộ|cho|với))?(?:\s+(?:tôi|mình|em|anh|tớ|tao|toi|minh))?(?:\s+(?:nhé|nha|với|giúp|` +
		`nhe))?(?:\s+(?:điều này|dieu nay|những điều sau|thông tin này|thông tin sau|việc này))?\s*(?:[:：]\s*|` +
		`\s(?:rằng|rang|là|la)\s*:?\s+|\n)|\s+)`
)

var vietnamese = &grammar{
	language: "vi",
	lead: lazyregexp.New(`(?is)^` + politeVI + `(?P<ask>(?:bạn |em |anh |chị )?(?:có thể|co the)\s+(?:giúp |hãy )?)?` + politeVI +
		verbVI + linkVI + `(?P<kept>.+?)(?:\s+(?:được không|được chứ|nhé|nha|giúp tôi|giúp mình)\s*[?.!]*)?$`),
	tail: lazyregexp.New(`(?is)^(?P<kept>.+?)\s*[,;.!–—-]+\s*(?P<ask>(?:bạn |em )?có thể )?(?:hãy |xin |vui lòng |làm ơn |` +
		`bạn |em |anh |nhớ |hay )*(?:ghi nhớ|nhớ|lưu ý|ghi lại|ghi chú|lưu lại|đừng quên|nho|ghi nho|` +
		`dung quen)(?:\s+(?:giúp|giùm|hộ|cho|kỹ|lấy|lại))*(?:\s+(?:tôi|mình|em|tớ|toi|minh))?(?:\s+(?:điều này|điều đó|việc này|` +
		`việc đó|nó|dieu nay|dieu do))?(?:\s+(?:nhé|nha|nhe|đấy|với|được không|giúp tôi))*[\s.!?]*$`),
	never: lazyregexp.New(`(?i)^(?:điều này|điều đó|nó|không|chưa|gì|ai|(?:tôi|mình|em|anh|nhà)(?: quá| lắm| nhiều)*)[\s.!]*$|` +
		`^(?:lần (?:đó|trước)|hồi|ngày xưa|khi|lúc|cái (?:lần|hôm))(?:\s|$|[.!,])|(?:^|\s)(?:không|chưa|hông|ko|hả|à|gì|nào)[.!\s]*$`),
	bare: lazyregexp.New(`(?i)^.`),
	says: lazyregexp.New(`(?i)(?:^|\s)(?:là|la|thích|thich|ghét|ghet|yêu|có|co|không|khong|bị|bi|sống|song|ở|tên|dùng|dung|` +
		`uống|uong|ăn|an|làm|lam|sinh|học|nói|đang|sẽ|được|phải|muốn|dị ứng|di ung|chuyển)(?:\s|$|[,.])|\d|[:=]`),
	loose: lazyregexp.New(`(?i)(?:rằng|rang|là|la)\s*:?\s+$|[:：\n]`),
	further: lazyregexp.New(`(?is)[.!;\n]\s+(?:rồi |sau đó |bây giờ |và )*(?:hãy |vui lòng |giúp tôi |cho tôi )?(?:viết|kể|` +
		`gợi ý|tìm|dịch|tóm tắt|giải thích|liệt kê|cho tôi biết|đề xuất|tạo|gửi)(?:\s|$)`),
	thanks: lazyregexp.New(`(?i)[\s,.!;–—-]*(?:cảm ơn(?: bạn| nhiều| em| nhé)*|cám ơn(?: bạn| nhiều)*|cam on(?: ban)?|` +
		`thanks)[\s.!]*$`),
}

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

package remember

import (
	"reverie/language/lazyregexp"
)

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

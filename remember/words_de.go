package remember

import (
	"reverie/language/lazyregexp"
)

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

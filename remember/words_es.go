package remember

import (
	"reverie/language/lazyregexp"
)

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

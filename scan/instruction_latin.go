package scan

// Instructions in languages with Latin script. Texts may omit accents, because both sides are folded.

var english = lexicon{
	wish: `\b(?:wants?|would like|'d like|likes?|prefers?|expects?|needs?|requires?|asks?|asked|instructs?|instructed|tells?|` +
		`told|orders?|ordered) (?:that )?(?:you|the assistant|the ai|the bot|all answers|every answer)\b|\b(?:important|` +
		`essential|mandatory|required|crucial|necessary|imperative|vital) (?:that|for) (?:you|the assistant)\b|` +
		`\byou(?: \w+)? (?:must|have to|need to|are required to|are to|ought to|are obliged to)\b|\b(?:make|be) sure (?:to|` +
		`that you)\b|\b(?:remember|do not forget|don't forget|never forget) to\b|\byour (?:job|task|duty|role|goal|mission|` +
		`purpose|first step|priority)\b`,
	grant: `\b(?:authori[sz]e[sd]?|approve[sd]?|permission|allow(?:s|ed)?|permit(?:s|ted)?|consent(?:s|ed)?|agree[sd]?|` +
		`pre-?approved|grant(?:s|ed)?|entitled|trusted)\b`,
	praise: `\b(?:recommend|promot|advertis|prais|endors|favou?r)\w*`,
	every: `\b(?:every|each|all)(?: (?:one|single))?(?: of)?(?: your| single| the)? (?:future )?(?:answers?|reply|replies|` +
		`responses?)\b|` +
		`\b(?:every|each|all)(?: of)?(?: your)? (?:messages?|mails?|emails?)(?: that)? you\b|\b(?:every|each|` +
		`all)(?: of)? your (?:future )?` +
		`(?:messages?|mails?|emails?|outputs?|texts?)\b|\b(?:every|each|any) ?time you (?:answer|reply|respond|write|speak)\b|` +
		`\bwhen(?:ever)? you (?:answer|reply|respond)\b|\b(?:end|bottom|start|top|beginning) of (?:your|each|every|all|` +
		`any) (?:of your )?` +
		`(?:answers?|replies|reply|responses?|messages?)\b|\bin your (?:answers|replies|responses)\b|\byour (?:answers|replies|` +
		`responses) ` +
		`(?:must|should|shall|have to|need to|always)\b|\b(?:before|after) (?:you (?:answer|reply|respond)|every (?:answer|reply)|` +
		`answering|replying|responding)\b`,
	style: `\b(?:short|brief|concise|long|detailed|simple|formal|informal|polite|friendly|bullets?|emojis?|english|german|` +
		`spanish|french|` +
		`italian|chinese|russian|portuguese|japanese|metric|imperial|units|tone|language|sentences?|paragraphs?|markdown|tables?|` +
		`words|lines|` +
		`jokes?|jargon|plain|casual|celsius|examples?|summary|headings?|spelling|name|capitals|abbreviations|step by step|lists?)`,
	described: `\b(?:read|reads|check|checks|checked|got|get|gets|received|receive|wrote|write down|answered|save|saves|grade|` +
		`graded|liked?|` +
		`enjoy|enjoyed|love|loved|appreciate)\b.{0,20}\b(?:every|each|all)|\b(?:was|were|had)\b|\b(?:i|we|he|she|they|` +
		`who) (?:write|writes|send|sends|give|gives)\b|` +
		`\bthank`,
	standing: `\b(?:always|from now on|from today|from here on|going forward|henceforth|in (?:the )?future|every time|each time|` +
		`any ?time|whenever|` +
		`in (?:all|every|each|any) (?:future )?(?:conversations?|chats?|sessions?|cases?)|for (?:all|` +
		`every) (?:future )?(?:conversations?|chats?|` +
		`sessions?|requests?|questions?)|permanently|by default|without exception|at all times|as a rule|regularly|automatically|` +
		`daily|` +
		`every (?:day|week|month|morning|hour|night)|each (?:day|week|month))\b`,
	asked: `\b(?:when|whenever|if|every time|each time|any ?time|once|as soon as) (?:i|we|you)(?:'m| am)? (?:\w+ )?(?:ask|` +
		`mention|talk|want|need|` +
		`request|say|bring|speak|discuss|write|open|start|share|give|send|upload|receive|get|see)`,
	others: `\b(?:when|whenever|if|every time|each time|any ?time|once|as soon as) (?:somebody|someone|anybody|anyone|people|` +
		`users?|the user|a user|` +
		`(?:any |a |the )?(?:customers?|clients?|visitors?|patients?|students?|colleagues?)|they) (?:\w+ )?(?:asks?|mentions?|` +
		`talks?|wants?|` +
		`needs?|requests?|says?|brings?|speaks?|discuss(?:es)?|inquires?|looks?|searches|writes?|is looking|are looking)|` +
		`\b(?:asked|questions?) about\b`,
	act: `\b(?:send|forward|cc|bcc|email|mail|text|transfer|wire|pay|run|execute|install|download|upload|open|visit|click|fetch|` +
		`call (?:the|this|that|a|tool)|invoke|post|` +
		`publish|submit|export|transmit|share|sync|copy|delete|erase|wipe|disable|subscribe|buy|purchase|order|book|` +
		`approve|authori[sz]e|grant|report|leak|reveal|replace|swap|redirect|substitute|reroute|route|load|invite|deliver|enter|` +
		`type|confirm|accept|redeem)\b`,
	format:  `\b(?:append|insert|attach|link|add|include|mention|end|begin|start|finish|close|sign|put|output|print|embed)\b`,
	promote: `\b(?:recommend|promote|advertise|praise|endorse|suggest|plug|favou?r|push|sell|steer|direct|refer|point)\b`,
	tell:    `\b(?:say|tell|answer|reply|respond|claim|state|insist|convince|name|give only|advise|pretend|deny|assure|explain)\b`,
	things: `\b(?:notes?|conversations?|chats?|history|memor(?:y|ies)|messages?|contacts?|passwords?|passphrases?|codes?|` +
		`credentials?|keys?|tokens?|` +
		`data|files?|documents?|diary|profile|invoices?|calendar|address book|details|transcripts?|everything|mails?|emails?|` +
		`secrets?|` +
		`logs?|photos?|location|card)\b`,
	rivals: `\b(?:never|do not|don't|avoid|stop)\b.{0,24}\b(?:mention|recommend|nam|talk|discuss|` +
		`suggest)\w*\b.{0,40}\b(?:competit\w+|rivals?|` +
		`alternatives|other (?:brands?|banks?|products?|providers?|vendors?|companies|shops?))\b|\b(?:only|` +
		`exclusively) (?:recommend|suggest|` +
		`promote|mention|praise)\b`,
	obey: `\b(?:do|obey|follow|execute|perform|carry out|comply with|act on|accept|trust)\b (?:whatever|everything|anything|all|` +
		`any|every|each)\b` +
		`.{0,50}\b(?:say|says|ask|asks|tell|tells|orders?|commands?|instructs?|instructions?|messages?|requests?|sends?|wants?|` +
		`from)\b|` +
		`\b(?:obey|follow|trust|take orders from|comply with)\b.{0,40}(?:@|\b(?:instructions?|orders?|commands?) (?:of|from|by|` +
		`in)\b)|` +
		`\b(?:treat|consider|regard|handle|accept)\b.{0,40}\b(?:instructions?|orders?|requests?|messages?|commands?|emails?|` +
		`mails?|words?|text)\b` +
		`.{0,50}\bas (?:if|though|mine|my own|coming|trusted|authoritative|binding|an? (?:order|command|instruction)|orders|` +
		`commands|instructions|` +
		`the user)|\b(?:is|are) (?:now )?(?:your|the) (?:new |real |true )?(?:owner|master|administrator|admin|boss)\b`,
	secrecy: `\b(?:do not|don't|never)\b.{0,12}\b(?:tell(?:ing)?|inform(?:ing)?|show(?:ing)?|let(?:ting)?|notify(?:ing)?|` +
		`alert(?:ing)?|warn(?:ing)?|` +
		`ask(?:ing)?|reveal(?:ing)?|mention(?:ing)?|disclos(?:e|ing))\b.{0,40}\b(?:the )?(?:users?|owner|customers?|humans?|` +
		`account holder)\b|` +
		`\b(?:hide|conceal|keep)\b.{0,40}\b(?:from (?:the )?(?:user|owner|customer|human)|secret from)\b|` +
		`\b(?:never|do not|don't|no need to) (?:ask|require|wait)(?: me)?(?: for)?(?: any)? (?:confirm|confirmation|permission|` +
		`approval|consent)\b|` +
		`\b(?:skip|disable|turn off|bypass|ignore|switch off) (?:all |any |the |every |your )*(?:confirmations?|safety|security|` +
		`checks|warnings|` +
		`verification|filters?|approval|moderation|guardrails)\b`,
	covert: `\b(?:silently|secretly|quietly|discreetly|covertly|in secret|in the background|unnoticed|behind the scenes|` +
		`invisibly|without (?:asking|confirmation|confirming|permission|consent|approval|telling|informing|notifying|` +
		`verification|notice))\b`,
	assistant: `\b(?:ai|virtual|chat|language|automated|digital)? ?(?:assistants?|ais?|chat ?bots?|bots?|llms?|language models?|` +
		`ai (?:agents?|models?|` +
		`systems?))\b.{0,30}\b(?:must|should|shall|has to|have to|is required|are required|is to|are to|will always|needs? to|` +
		`is instructed|` +
		`are instructed|will now|always)\b|\b(?:note|message|instructions?|notice|attention|important|policy|rules?|update|` +
		`reminder|hint|memo|to)` +
		`(?: \w+)? ?(?:for|to|of|,|:)? ?(?:the |any |all |every |an? )?(?:ai|assistants?|llms?|chat ?bots?|` +
		`language models?)(?: \w+){0,3} ?[:,-]|` +
		`\b(?:dear|hey|hello|attention) (?:ai|assistant|bot|llm|chatbot)\b|\bassistant (?:policy|rules?|instructions?|directive|` +
		`update)\b|` +
		`^[ "*#>-]*(?:ai|assistants?|ai (?:assistants?|agents?|models?)|llms?|chatbots?|bots)(?: reading this| in general)? ?:|` +
		`\bif you are an? (?:ai|assistant|llm|language model|bot)\b`,
	stems: `\b(?:send|forward|upload|transfer|pay|run|execut|install|download|visit|click|call|post|publish|submit|export|` +
		`transmit|shar|recommend|` +
		`promot|advertis|praise|endors|append|insert|includ|attach|delet|purchas|buy|obey|ignor|reveal|disclos|leak|link|add|` +
		`open|mention|accept|approv|` +
		`trust|hid|conceal)\w*\b`,
	mine: `\b(?:to me|for me|give me|with me|my (?:taste|diet|budget|age|level|size))\b`,
	fillers: `please|kindly|always|also|just|only|then|first|silently|secretly|quietly|discreetly|covertly|immediately|` +
		`automatically|regularly|you|must|should|` +
		`shall|will|have to|need to|are to|are required to|be sure to|make sure to|make sure(?: that)?|ensure(?: that)?|` +
		`remember to|do not forget to|` +
		`don't forget to|i want you to|i need you to|i'd like you to|i would like you to|i expect you to|we want you to|` +
		`we need you to|it is mandatory to|` +
		`your (?:\w+ ){1,6}is to|it is (?:\w+ ){0,2}that you|from now on|from today(?: on)?|from here on|going forward|` +
		`henceforth|in (?:the )?future|every time|each time|whenever|` +
		`(?:in|for|during|at the start of|at the beginning of|at the end of) (?:all|every|any|` +
		`each)(?: of your)?(?: \w+)? ?(?:conversations?|chats?|sessions?|cases?|requests?|` +
		`answers?|replies|reply|responses?|messages?)|before (?:you )?(?:answer|reply|respond)(?:ing)?|before (?:anything else|` +
		`all else)|after that|` +
		`(?:read|take|collect|gather|summari[sz]e|copy|get|find|look up|export|save|store|list|zip) [^,.;:]{1,60} and|and|or|to|` +
		`next|instead|now|so|` +
		`once a \w+|every \w+|each \w+|by default|without exception|as a rule|daily|note|important|in secret|in the background`,
}

var german = lexicon{
	wish: `\b(?:mochte|mochten|will|wollen|wunscht|wunsche|verlangt|verlange|erwarte|erwartet|brauche|bittet|` +
		`bitte) ?,? (?:immer )?dass (?:du|sie|der assistent|die ki|jede antwort|alle antworten)\b|\bwichtig,? dass du\b|` +
		`\bdu (?:\w+ )?(?:musst|sollst|solltest|hast)\b|\b(?:vergiss nicht|denk daran|denke daran|denk dran|achte darauf|` +
		`sorge dafur|stell sicher|stelle sicher|sorg dafur)\b|\bdeine (?:aufgabe|pflicht|rolle)\b`,
	grant: `\b(?:erlaubt|erlaube|erlaubnis|genehmigt|genehmige|genehmigung|autorisiert|autorisiere|zugestimmt|einverstanden|` +
		`freigegeben|berechtigt|gestattet|ermachtig\w+|vertrauenswurdig\w*)\b`,
	praise: `(?:empfehl|empfiehl|lobst|lobe|bewerb|bewirb|anpreis)`,
	every: `\bjede[rnms]?(?: einzelnen?)? (?:deiner |ihrer |eurer )?(?:antwort|antworten)\b|\bjede[rnms]? (?:deiner|` +
		`ihrer) (?:nachricht|mail|e-mail)|` +
		`\balle[nr]? (?:deine[nr]? |ihre[nr]? |kunftigen )*antworten\b|\balle[nr]? (?:deine[nr]?|` +
		`ihre[nr]?) (?:kunftigen )?(?:nachrichten|mails)|` +
		`\b(?:ende|anfang|beginn|schluss) (?:deiner|jeder|aller|ihrer|von) (?:deiner )?(?:antwort|antworten|nachricht)|` +
		`\b(?:immer )?wenn du ` +
		`(?:antwortest|schreibst)|\bjedes ?mal,? wenn du\b|\bin (?:deinen|ihren) antworten\b|\bdeine antworten (?:mussen|sollen|` +
		`sollten)\b|` +
		`\b(?:vor|nach) (?:jeder|der) antwort\b|\bbevor du antwortest\b`,
	style: `\b(?:kurz|knapp|ausfuhrlich|einfach|formell|deutsch|englisch|franzosisch|spanisch|hoflich|satz|satze|stichpunkt|` +
		`absatz|wort|zeile|emoji|` +
		`witz|tabelle|einheit|metrisch|freundlich|sachlich|duz|siez|du-form|name|sprache|beispiel|zusammenfass|markdown|locker|bullet)`,
	described: `\b(?:lese|liest|bekomme|bekommt|erhalte|prufe|pruft|kontrolliert|las|schreibe ich|gefallen|` +
		`gefallt)\b.{0,20}\b(?:jede|alle)|\b(?:waren?|hatten?|wurden?|danke)\b`,
	standing: `\b(?:immer|ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|kunftig|in zukunft|zukunftig|fortan|jedes ?mal|stets|` +
		`in (?:allen|jedem|jeder)(?: kunftigen)? (?:gesprach|gesprachen|unterhaltung|unterhaltungen|chats?|sitzung|sitzungen)|` +
		`automatisch|grundsatzlich|regelmassig|` +
		`regelma.ig|taglich|jeden (?:tag|morgen|abend|monat)|jede (?:woche|nacht|stunde)|standardma.ig|ausnahmslos)\b`,
	asked: `\b(?:wenn|sobald|falls|immer wenn|jedes ?mal wenn) ich\b`,
	others: `\b(?:wenn|sobald|falls|immer wenn|jedes ?mal wenn|fragt) (?:jemand|irgendjemand|irgendwer|leute|nutzer|der nutzer|` +
		`ein nutzer|benutzer|kunden|ein kunde|eine kundin|man|andere)\b.{0,60}\b(?:frag|erwahn|wissen|such|will|mochte|brauch|` +
		`sprech|spricht|red)`,
	act: `\b(?:sende|send|schicke|schick|leite|leit|uberweise|uberweis|bezahle|zahle|zahl|fuhre|fuhr|starte|starten sie|` +
		`installiere|installier|lade|lad|offne|besuche|besuch|ruf|rufe|` +
		`klicke|klick|poste|veroffentliche|teile|teil|ubermittle|ubertrage|kopiere|kopier|losche|losch|kaufe|kauf|bestelle|` +
		`bestell|buche|buch|` +
		`melde|deaktiviere|genehmige|verrate|(?:senden|schicken|leiten|offnen|laden|fuhren|installieren|rufen|fugen) sie)\b`,
	format: `\b(?:fuge|fug|hange|hang|erwahne|erwahn|nenne|beende|beginne|setze|setz|schreibe|schreib|verlinke|verlink|fugt|gib)\b`,
	promote: `\b(?:empfiehl|empfehle|empfehlt|bewirb|bewerbe|lobe|lob|preise|preis|rate|schlage|schlag|verkaufe|bevorzuge|` +
		`verweise|(?:empfehlen|loben|bewerben) sie)\b`,
	tell: `\b(?:sag|sage|sagt|antworte|erzahl|erzahle|behaupte|erklare|versichere|uberzeuge|(?:sagen|antworten) sie)\b`,
	things: `(?:notiz|gesprach|unterhaltung|verlauf|erinnerung|gedachtnis|nachricht|kontakt|passwort|passworter|kennwort|code|` +
		`codes|zugangsdaten|schlussel|token|daten|datei|` +
		`dokument|tagebuch|profil|rechnung|kalender|adressbuch|protokoll|alles|mails|geheimnis|fotos|standort|karte)`,
	rivals: `\b(?:erwahne?|empfiehl|empfehle|nenne?|sprich|schlag)\b.{0,30}\b(?:nie|niemals|nicht|keine)\b.{0,40}(?:konkurren|` +
		`wettbewerb|mitbewerb|alternativ|andere[nrms]? (?:marken|banken|anbieter|produkte|firmen))|` +
		`\b(?:nie|niemals|keine)\b.{0,30}(?:konkurren|wettbewerb|mitbewerb)|\b(?:empfiehl|empfehle|lobe?|nenne?) (?:nur|` +
		`ausschlie.lich)\b`,
	obey: `\b(?:tu|tue|mach|mache|befolge|befolg|fuhre|fuhr|folge|gehorche|erledige) (?:alles|alle|jede|jeden|jedem|allem|allen|` +
		`was)\b.{0,60}\b(?:was|anweisung|anweisungen|befehl|befehle|auftrag|nachricht|nachrichten|sagt|verlangt|von|aus)\b|` +
		`\b(?:gehorche|befolge|folge|vertraue)\b.{0,40}(?:@|\b(?:anweisungen|befehlen?|auftragen) (?:von|aus|des|der)\b)|` +
		`\b(?:behandle|betrachte|werte|sieh|nimm)\b.{0,40}(?:anweisung|befehl|nachricht|auftrag|mail|wunsch|` +
		`worte).{0,60}\b(?:als|wie)\b`,
	secrecy: `\b(?:sag|sage|verrate|verrat|zeig|zeige|erzahl|erzahle|teile|melde|erwahne)\b.{0,20}\b(?:nutzer|benutzer|nutzerin|` +
		`anwender|kunden|besitzer|menschen)\b.{0,20}\b(?:nicht|nichts|nie|kein)|` +
		`\b(?:frag|frage|warte)\b.{0,20}\b(?:nie|niemals|nicht)\b.{0,20}\b(?:bestatigung|erlaubnis|zustimmung)|\b(?:verheimliche|` +
		`verschweige|verbirg)\b|` +
		`\b(?:uberspringe|deaktiviere|ignoriere|umgehe)\b.{0,20}\b(?:bestatigung|sicherheit|warnung|prufung|filter)`,
	covert: `\b(?:heimlich|unbemerkt|still und leise|stillschweigend|verdeckt|im hintergrund|unauffallig|diskret|` +
		`ohne (?:nachfrage|ruckfrage|bestatigung|zu fragen|nachzufragen|zustimmung|erlaubnis|genehmigung|den \w+ zu \w+|` +
		`mich zu \w+))\b`,
	assistant: `\b(?:ki|ki-assistent|assistent|assistentin|assistenten|ki-assistenten|chatbot|chatbots|bot|sprachmodell|` +
		`sprachmodelle|kis)\b.{0,30}\b(?:muss|mussen|soll|sollen|sollte|hat|haben|darf|immer|ist verpflichtet|wird angewiesen)\b|` +
		`\b(?:hinweis|nachricht|anweisung|anweisungen|regel|regeln|richtlinie|achtung|wichtig|notiz|vorgabe|mitteilung|` +
		`update)(?: \w+)? ?(?:an|fur|,|:)? ?(?:die |den |alle |jede |jeden |das )?(?:ki|ki-assistent\w*|assistent\w*|chatbots?|` +
		`sprachmodelle?|bots?)\b|` +
		`\b(?:liebe|hallo|achtung) (?:ki|assistent\w*|chatbot)\b|^[ "*#>-]*(?:ki|ki-assistent\w*|assistent\w*|chatbots?|` +
		`an die ki|an alle ki\w*) ?[:,]`,
	stems: `(?:send|schick|leit|uberweis|zahl|fuhr|starte|installier|lad|offne|besuch|aufruf|klick|poste|teil|ubermitt|kopier|` +
		`losch|kauf|bestell|fug|empfehl|empfiehl|lob|bewerb|bewirb|erwahn|verlink|gehorch|ignorier|verrat|verheimlich|link|` +
		`akzeptier|genehmig|nenn)`,
	mine: `\b(?:mir|fur mich|uns)\b`,
	fillers: `bitte|immer|auch|nur|dann|zuerst|zunachst|erst|heimlich|unbemerkt|sofort|automatisch|regelmassig|regelma.ig|du|sie|` +
		`sollst|musst|ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|kunftig|in zukunft|zukunftig|fortan|jedes ?mal|stets|` +
		`in (?:allen|jedem|jeder)(?: kunftigen)? \w+|vor (?:jeder|der) \w+|nach (?:jeder|der) \w+|denk daran|vergiss nicht|` +
		`stattdessen|und|jetzt|nun|taglich|jeden \w+|jede \w+|grundsatzlich|standardma.ig|diskret|im hintergrund|ausnahmslos|` +
		`am (?:ende|anfang) \w+ \w+|` +
		`(?:lies|nimm|sammle|sammel|fasse|kopiere|hole|hol|such|suche|exportiere|speichere) [^,.;:]{1,60} und`,
}

var spanish = lexicon{
	wish: `\b(?:quier[oe]n?|queremos|prefiere|prefiero|necesit[oa]|espera|espero|desea|deseo|exijo|exige|pid[oe]|gustaria|` +
		`ordeno|ordena) que\b|\b(?:importante|esencial|obligatorio|necesario|imprescindible) que\b|\b(?:tienes que|debes|has de|` +
		`deberias)\b|\b(?:no olvides|asegurate de|recuerda|acuerdate de|procura)\b|\btu (?:tarea|deber|funcion|mision|primer paso)\b`,
	grant:  `\b(?:autoriz\w+|permit\w+|permiso|aprob\w+|aprueb\w+|consient\w+|consentimiento|accede|de confianza)\b`,
	praise: `\b(?:recomiend|recomend|promocion|elogi|alab|sugier)\w*`,
	every: `\b(?:cada|todas?(?: tus| las| sus)*)(?: una de tus)? (?:respuestas?)\b|\bcada uno de tus (?:mensajes|correos|textos)|` +
		`\btodos tus (?:mensajes|correos|textos)|\bcada (?:una de tus respuestas|mensaje tuyo)|` +
		`\b(?:final|principio|inicio|comienzo) de (?:tus|cada|todas?|la)(?: las)?(?: tus)? (?:respuestas?|mensajes?)|` +
		`\b(?:siempre|cada vez) que (?:respondas|contestes|escribas|hables)|\b(?:cuando|al) (?:respondas|contestes|responder|` +
		`contestar)\b|\ben tus respuestas\b|` +
		`\btus respuestas (?:deben|tienen|han)\b|\bantes de (?:responder|contestar|cada respuesta)\b`,
	style: `\b(?:cort|breve|concis|formal|espanol|ingles|frase|sencill|simple|larg|detallad|emoji|educad|amable|unidades|` +
		`metric|tono|idioma|parrafo|tabla|palabra|linea|chiste|ejemplo|resumen|tute|usted|nombre|lista|markdown|negrita)`,
	described: `\b(?:leo|lee|reviso|revisa|recibo|recibe|guardo|contesto|me gust\w+)\b.{0,20}\b(?:cada|todas?)|\b(?:fueron|eran?|` +
		`era|gracias)\b`,
	standing: `\b(?:siempre|desde ahora|a partir de ahora|a partir de hoy|de ahora en adelante|en adelante|desde hoy|` +
		`en el futuro|cada vez|en (?:todas las|cada|toda) (?:conversacion|conversaciones|charla|charlas|sesion|sesiones|chats?)|` +
		`automaticamente|por defecto|sin excepcion|todos los dias|cada (?:dia|semana|mes|manana|noche|hora)|diariamente)\b`,
	asked: `\b(?:cuando|siempre que|cada vez que|si|en cuanto) (?:yo |te |me |os )?(?:hable|hablo|mencione|menciono|pregunte|` +
		`pregunto|diga|digo|pida|pido|necesite|quiera|escriba|comparta|reciba|suba|mande|envie)\b`,
	others: `\b(?:cuando|siempre que|cada vez que|si|en cuanto) (?:alguien|un usuario|el usuario|los usuarios|un cliente|` +
		`el cliente|los clientes|la gente|te|una persona|un visitante)\b.{0,30}\b(?:pregunt|pid|habl|mencion|quier|necesit|busqu|` +
		`busc|consult)`,
	act: `\b(?:envia|enviale|enviame|reenvia|reenviale|manda|mandale|transfiere|paga|ejecuta|instala|descarga|abre|visita|` +
		`haz clic|llama|publica|comparte|exporta|transmite|copia|sube|borra|elimina|compra|pide|reserva|` +
		`inscribe|autoriza|aprueba|desactiva|revela|(?:envie|reenvie|mande|transfiera|pague|ejecute|instale|descargue|abra|` +
		`visite|publique|comparta|copie|suba|incluya|inserte|anada|agregue|envien|reenvien|incluyan|anadan|ejecuten|` +
		`abran)(?: usted)?)\b`,
	format: `\b(?:anade|agrega|incluye|inserta|adjunta|menciona|pon|termina|acaba|empieza|comienza|finaliza|enlaza)\b`,
	promote: `\b(?:recomienda|recomiende|recomienden|promociona|promocione|anuncia|elogia|elogie|alaba|ensalza|sugiere|favorece|` +
		`recomendad|vende)\b`,
	tell: `\b(?:di|diles|dile|diga|digan|contesta|responde|afirma|asegura|explica|cuenta|convence|insiste)\b`,
	things: `\b(?:notas?|conversacion|conversaciones|charlas?|historial|memoria|mensajes?|contactos?|contrasenas?|claves?|` +
		`codigos?|credenciales|datos|archivos?|documentos?|diario|perfil|facturas?|calendario|agenda|todo|correos?|secretos?|` +
		`fotos?|ubicacion|tarjeta)\b`,
	rivals: `\b(?:nunca|jamas|no)\b.{0,24}\b(?:mencion|recomiend|nombr|habl|suger|sugier)\w*\b.{0,40}\b(?:competencia|` +
		`competidor\w*|rival\w*|alternativas|otr[ao]s (?:marcas|bancos|productos|proveedores|empresas))\b|\b(?:recomienda|` +
		`menciona|elogia) (?:solo|solamente|unicamente)\b|\b(?:solo|unicamente) (?:recomienda|menciona|elogia)\b`,
	obey: `\b(?:haz|obedece|sigue|cumple|ejecuta|acepta)(?: siempre)? (?:todo|todas?|todos|cualquier|lo que|` +
		`cada)\b.{0,60}\b(?:que|digan?|diga|pidan?|pida|ordenen?|instruccion|instrucciones|orden|ordenes|mensajes?|de)\b|` +
		`\b(?:obedece|sigue|confia)\b.{0,40}(?:@|\b(?:instrucciones|ordenes) (?:de|del)\b)|\b(?:trata|considera|toma|` +
		`interpreta)\b.{0,40}\b(?:instruccion|instrucciones|orden|ordenes|mensajes?|correos?|peticion|peticiones|` +
		`palabras)\b.{0,60}\bcomo\b`,
	secrecy: `\bno (?:le |les |se lo )?(?:digas?|cuentes?|informes?|avises?|muestres?|reveles?|menciones?|preguntes?|diga|` +
		`informe)\b.{0,30}\b(?:usuarios?|usuaria|dueno|cliente|clientes|propietario|titular)\b|` +
		`\b(?:oculta|esconde|ocultale)\b|\b(?:nunca|no) (?:me )?pidas (?:confirmacion|permiso)|\b(?:omite|desactiva|salta|` +
		`ignora)\b.{0,20}\b(?:confirmacion|seguridad|avisos|advertencias|filtros|verificacion)`,
	covert: `\b(?:en secreto|secretamente|a escondidas|discretamente|silenciosamente|en silencio|sin que (?:nadie|me|se)|` +
		`en segundo plano|sin (?:confirmacion|permiso|consentimiento|autorizacion|preguntar|avisar|informar|decir|pedir))\b`,
	assistant: `\b(?:asistentes?|ia|ias|chatbots?|bots?|modelos? de lenguaje)\b.{0,30}\b(?:debe|deben|debera|deberan|tiene que|` +
		`tienen que|ha de|han de|siempre|esta obligad\w)\b|` +
		`\b(?:nota|mensaje|instruccion|instrucciones|aviso|atencion|importante|politica|regla|reglas|norma|` +
		`actualizacion)(?: \w+)? ?(?:para|a|al|del|de|,|:)? ?(?:el |la |los |las |toda |todas )?(?:ia|asistentes?|chatbots?|` +
		`modelos?|bots?)\b|` +
		`\b(?:querid[ao]|hola|atencion) (?:ia|asistente)\b|^[ "*#>-]*(?:ia|asistentes?(?: de ia)?|chatbots?) ?[:,]|` +
		`\bsi eres un[ao]? (?:ia|asistente|modelo)`,
	stems: `\b(?:envi|reenvi|mand|transf|pag|ejecut|instal|descarg|abr|visit|public|compart|export|copi|sub|borr|elimin|compr|` +
		`recom|promocion|anunci|elogi|anad|agreg|inclu|insert|menci|enlac|enlaz|obedec|ignor|revel|ocult|acept|aprob|aprueb)\w*`,
	mine: `\b(?:me|para mi|a mi|recomiendame|sugiereme)\b`,
	fillers: `por favor|siempre|tambien|solo|luego|despues|primero|antes|en secreto|secretamente|discretamente|inmediatamente|` +
		`automaticamente|tu|usted|debes|tienes que|has de|desde ahora|a partir de ahora|a partir de hoy|de ahora en adelante|` +
		`en adelante|desde hoy|en el futuro|cada vez|` +
		`en (?:todas las|cada|toda|todas tus) \w+(?: futuras)?|antes de (?:responder|contestar|nada|cada \w+)|al (?:final|` +
		`principio|inicio) de (?:todas tus|cada|tus|la|cada una de tus) \w+|no olvides|recuerda|asegurate de|y|ahora|quiero que|` +
		`necesito que|en su lugar|todos los dias|cada \w+|por defecto|sin excepcion|sin preguntar|en silencio|` +
		`(?:lee|toma|recoge|reune|resume|copia|busca|exporta|guarda) [^,.;:]{1,60} y`,
}

package memory

// otherOverrides are the plainest orders in further languages. Accents may be missing in the text, since both are folded.
var otherOverrides = []overrideRule{
	// German
	{
		name:  "ignore-previous",
		heads: "ignoriere|missachte|vergiss|vergesst|verwirf|umgehe|übergehe|ignorieren sie|missachten sie|vergessen sie",
		tail: `(?: (?:bitte|jetzt|nun|alle|sämtliche|jede|die|deine|ihre|meine|von|diese))* (?:(?:vorherige|vorige|bisherige|frühere|obige|vorangegangene|vorangehende|vorstehende)[nrs]? )` +
			`(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|regeln|vorgaben|richtlinien|prompts?)`,
	},
	{
		name:  "ignore-yours",
		heads: "ignoriere|missachte|vergiss|vergesst|verwirf|umgehe|übergehe|ignorieren sie|missachten sie|vergessen sie",
		tail: `(?: (?:bitte|jetzt|nun|alle|all|sämtliche))* (?:deine|ihre) (?:\w+en )?` +
			`(?:anweisungen|instruktionen|regeln|vorgaben|richtlinien|programmierung|systemprompt|einschränkungen|beschränkungen)`,
	},
	{
		name:  "ignore-previous",
		heads: "ignoriere|missachte|vergiss|ignorieren sie|vergessen sie",
		tail:  ` alles,? was (?:dir|ihnen|du|sie) (?:bisher |vorher |zuvor )?(?:gesagt|aufgetragen|beigebracht|gelernt)`,
	},
	{
		name:  "reveal-prompt",
		heads: "zeig|zeige|verrate|nenne|gib|offenbare|wiederhole|sag|zeigen sie|verraten sie",
		tail:  `(?: (?:mir|uns|bitte|wörtlich|den|die|jetzt))* (?:deinen?|ihren?) (?:\w+en )?(?:system-?prompt|systemanweisung(?:en)?|systemnachricht)`,
	},
	{
		name:   "new-persona",
		heads:  "du bist|sie sind",
		tail:   ` (?:jetzt|nun|ab sofort|ab jetzt|von nun an) (?:ein|eine|mein|meine)\b`,
		except: ` (?:jetzt|nun|ab sofort|ab jetzt|von nun an) (?:ein|eine|mein|meine) (?:\w+ ){0,2}(?:mitglied|teil|admin|administrator|abonnent|kunde|kundin|mutter|vater)`,
		opens:  true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "ab|von",
		tail:  ` (?:jetzt|sofort|nun)(?: an)?,? (?:bist|antwortest|wirst|gehorchst|ignorierst|befolgst|sprichst|darfst|sollst) du\b`,
		opens: true, plain: true,
	},
	{name: "act-as", heads: "tu so|verhalte dich", tail: `,? als (?:ob du|wärst du|seist du|hättest du)\b`, opens: true},

	// Spanish, Portuguese, Italian
	{
		name:  "ignore-previous",
		heads: "ignora|ignore|ignoren|olvida|olvide|olvídate de|desestima|descarta|omite|haz caso omiso de|haga caso omiso de",
		tail: `(?: (?:todas?|todos?|cualquier|de|las|los|mis|estas|esas|tus|sus))* (?:instrucciones|indicaciones|órdenes|reglas|directrices|directivas|prompts)` +
			`(?: (?:del sistema|que|te|se|han|he|dado))* (?:anteriores|previas|previos|precedentes|de arriba|dadas|recibidas)\b`,
	},
	{
		name:  "ignore-yours",
		heads: "ignora|olvida|olvídate de|desestima|descarta|desobedece|haz caso omiso de",
		tail:  `(?: (?:todas?|de))* tus (?:propias )?(?:instrucciones|reglas|directrices|restricciones|limitaciones)\b`,
	},
	{
		name:  "ignore-previous",
		heads: "ignora|olvida|olvídate de|descarta",
		tail:  ` todo lo (?:anterior|que (?:te|se te) (?:dijeron|han dicho|ha dicho|dije|indicaron|indicó))\b`,
	},
	{
		name:  "reveal-prompt",
		heads: "revela|revélame|muestra|muéstrame|dime|enséñame|imprime|repite|filtra",
		tail:  `(?: (?:todo|el|texto|completo|de))* (?:tu (?:prompt|mensaje) (?:de|del|inicial|oculto|secreto)|tus instrucciones (?:ocultas|internas|iniciales|del sistema|secretas))\b`,
	},
	{
		name:   "new-persona",
		heads:  "ahora eres",
		tail:   ` (?:un|una|mi)\b`,
		except: ` (?:un|una|mi) (?:\w+ )?(?:miembro|parte|usuario|usuaria|administrador|socio|socia|cliente)\b`,
		opens:  true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "a partir de",
		tail:  ` (?:ahora|este momento),? (?:eres|actúa|actuarás|responderás|responde|debes|serás|tienes que|vas a|obedecerás|ignora)\b`,
		opens: true, plain: true,
	},
	{name: "pretend", heads: "finge|actúa como si", tail: ` (?:que eres|ser|fueras|no tuvieras|tuvieras)\b`, opens: true},
	{
		name:  "ignore-previous",
		heads: "ignore|ignora|esqueça|esquece|desconsidere",
		tail:  `(?: (?:todas?|todos|as|os|suas|tuas))* (?:instruções|regras|diretrizes|orientações|ordens)(?: (?:anteriores|prévias|acima|precedentes)\b)`,
	},
	{
		name:  "ignore-previous",
		heads: "ignora|ignorate|dimentica|dimenticate",
		tail:  `(?: (?:tutte|le|tue|vostre))* (?:istruzioni|regole|direttive|indicazioni) (?:precedenti|sopra|di prima)\b`,
	},

	// French
	{
		name:  "ignore-previous",
		heads: "ignore|ignorez|oublie|oubliez|néglige|négligez|ne tiens pas compte|ne tenez pas compte|ne tiens aucun compte",
		tail: `(?: (?:toutes?|tous|tout|de|des|les|tes|vos|mes|ces))* (?:instructions|consignes|règles|directives|indications|prompts)` +
			`(?: (?:du|système|qui|ont|été|t'ont))* (?:précédentes?|antérieures?|ci-dessus|préalables|données|reçues|d'avant)\b`,
	},
	{
		name:  "ignore-yours",
		heads: "ignore|ignorez|oublie|oubliez|néglige|contourne|enfreins|ne tiens pas compte de",
		tail:  `(?: (?:toutes|tous))* (?:tes|vos) (?:propres )?(?:instructions|consignes|règles|directives|restrictions|limites)\b`,
	},
	{name: "ignore-previous", heads: "ignore|ignorez|oublie|oubliez", tail: ` tout ce (?:qui précède|qu'on t'a dit|qui t'a été dit|que tu as appris)`},
	{
		name:  "reveal-prompt",
		heads: "révèle|révélez|affiche|affichez|montre|montrez|donne|donnez|dis|répète|imprime",
		tail:  `(?:-(?:moi|nous))? (?:(?:ton|votre) (?:prompt|message) (?:système|initial|caché)|(?:tes|vos) instructions (?:système|cachées|initiales|secrètes))`,
	},
	{
		name:   "new-persona",
		heads:  "tu es|vous êtes",
		tail:   ` (?:maintenant|désormais|à présent) (?:une?|mon|ma)\b`,
		except: ` (?:maintenant|désormais|à présent) (?:une?|mon|ma) (?:\w+ )?(?:membre|partie|utilisateur|utilisatrice|administrateur|abonnée?|cliente?)\b`,
		opens:  true, plain: true,
	},
	{
		name:  "from-now-on",
		heads: "à partir de",
		tail:  ` (?:maintenant|cet instant),? (?:tu|vous) (?:es|êtes|vas|dois|devez|réponds|répondez|répondras|agis|obéis|ne)\b`,
		opens: true, plain: true,
	},
	{name: "act-as", heads: "fais|faites", tail: ` (?:comme si (?:tu|vous)\b|semblant d'être\b)`, opens: true},

	// Russian
	{
		name:  "ignore-previous",
		heads: "игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте",
		tail:  `(?: (?:все|всё|свои|твои|ваши|эти|мои|про))* (?:предыдущие|прежние|прошлые|предшествующие|вышеуказанные|свои|твои) (?:инструкции|указания|правила|команды)`,
	},

	// Japanese, Korean
	{
		name:  "ignore-previous",
		heads: "これまで|以前|上記|先ほど|今まで|前|あなた",
		tail:  `の?(?:すべて|全て|全部)?の?(?:指示|命令|ルール|プロンプト|設定|指令)(?:を|は)?(?:すべて|全て|全部|完全に)?(?:無視し|無視せよ|忘れて|忘れろ)`,
		plain: true,
	},
	{
		name:  "ignore-previous",
		heads: "이전|앞선|위|지금까지|기존",
		tail:  `(?:의|에)?(?: 받은)?(?: 모든)? (?:지시|지침|명령|규칙|지시사항|프롬프트)(?:을|를|은|는|들을)?(?: (?:모두|전부|다|완전히))* (?:무시|잊어|잊으)`,
		plain: true,
	},
}

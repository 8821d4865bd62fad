package chat

import (
	"fmt"
	"slices"
	"strings"
)

// phrases are ready-made sentences in one language, with fmt verbs for the variable parts.
type phrases struct {
	found   string // precedes what is remembered
	closest string // precedes weak matches
	nothing string // nothing is remembered
	noModel string // no model is configured, and how to configure one
	off     string // memory is switched off

	hello     string // answers a greeting
	helloName string // the same with a name
	ask       string // follows hello: what the user may do
	thanks    string // answers thanks
	bye       string // answers a farewell
	okay      string // answers a remark that says nothing
	told      string // answers a statement
	cannot    string // answers a request for which there is no model
	self      string // answers a question about the assistant; its name

	you       string // precedes a section of what is known about the user
	youNobody string // nothing is known about the user
	more      string // number, path: lines that are left out
	sections  string // headings of PROFILE.md and MEMORY.md, separated by commas, in the order of the English ones

	quote  string // quotation marks around a statement
	said   string // quotation: the user said it
	saidOn string // day, quotation
	// answered and answeredOn quote an answer with the assistant's question: question, quotation; day, question, quotation.
	answered, answeredOn string
	mineOn               string // day, quotation: the assistant said it
	they, theyOn         string // person, quotation; day, person, quotation
	noted                string // day, quotation: a note that quotes nobody
	newer                string // source of a newer value; follows a quotation
	disagree, superseded string // older and newer quotation: nobody has decided; the newer one counts

	saved     string // line, where
	known     string // line, where (already known)
	corrected string // new line, old line, where
	receipt   string // path, receipt: where
	redacted  string // a secret was left out of the saved text
	unclear   string // there is nothing to save
	refused   string // must not be saved

	forgotten string // precedes what was forgotten
	which     string // precedes statements that may be meant: nothing was changed, and how to name one
	again     string // precedes statements about a topic: nothing was changed yet, and how to confirm
	all       string // answers a request to forget everything: nothing was changed, and what deletes it
}

// phrasesFor returns the phrases of a language, or the English ones.
func phrasesFor(language string) phrases {
	if p, known := phrasebook[language]; known {
		return p
	}
	return phrasebook["en"]
}

// greeting greets a person; the name may be empty.
func (p phrases) greeting(name string) string {
	hello := p.hello
	if name != "" {
		hello = fmt.Sprintf(p.helloName, name)
	}
	return p.join(hello, p.ask)
}

// sectionName returns a heading of PROFILE.md or MEMORY.md in this language, whatever language of the phrasebook it is in.
func (p phrases) sectionName(heading string) string {
	for _, other := range phrasebook {
		names := strings.Split(other.sections, ", ")
		if at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, heading) }); at >= 0 {
			return strings.Split(p.sections, ", ")[at]
		}
	}
	return heading
}

// join joins sentences, with a space where the script has spaces.
func (p phrases) join(sentences ...string) string {
	text := ""
	for _, s := range sentences {
		if text != "" && !strings.HasSuffix(text, "。") && !strings.HasSuffix(text, "！") {
			text += " "
		}
		text += s
	}
	return text
}

var phrasebook = map[string]phrases{
	"en": {
		forgotten: "Forgotten for good:",
		which:     "I have no statement like that, and changed nothing. These come closest; to forget one, send “Forget: ” and its text.",
		again:     "Nothing was changed yet. Send the same message again to forget all of these for good:",
		all: "Nothing was changed: a chat does not delete all memory of a person. The page Delete of the Memory Browser " +
			"does, or `reverie memory delete owner`.",
		found: "From memory:", closest: "Nothing in memory answers that for certain. What comes closest:",
		nothing: "I found nothing about that in memory.",
		noModel: "(No language model is configured, so I only quote what I remember. To use one, set REVERIE_LLM_PROVIDER, " +
			"REVERIE_LLM_MODEL and REVERIE_LLM_API_KEY for the server.)",
		off:   "Memory is switched off for this agent, so I can neither look anything up nor save it.",
		hello: "Hello!", helloName: "Hello, %s!", ask: "Ask me about something that you have told me, or tell me what to remember.",
		thanks: "You're welcome.", bye: "Goodbye!", okay: "All right.",
		told:   "I keep that in this conversation and can quote it later. To put it into memory at once, begin with “Remember that”.",
		cannot: "I can't do that: I only quote what you told me, and remember what you ask me to.",
		self:   "I am %s. I keep what you tell me, and answer questions with quotations from it.",
		you:    "What I know about you:", youNobody: "Nothing about you is in memory yet. Tell me what to remember.",
		more:       "… and %s more in %s",
		sections:   "Identity, Preferences, Background, Decisions, Facts, Tasks, Dates, Remembered, People",
		disagree:   "%s and %s disagree, and nobody has decided which holds.",
		superseded: "%s was superseded by %s.",
		quote:      "“%s”", said: "You said: %s", saidOn: "On %s you said: %s",
		answered: "Asked %s, you said: %s", answeredOn: "On %s, asked %s, you said: %s",
		mineOn: "On %s I said: %s", they: "%s said: %s", theyOn: "On %s %s said: %s", noted: "Noted on %s: %s",
		newer: "superseded by %s",
		saved: "Saved: %s\n(%s)", known: "I have that already: %s\n(%s)",
		receipt: "%s, receipt %s", redacted: "What looks like a secret is left out.",
		corrected: "Corrected: %s\nBefore: %s\n(%s; the old version stays in the history)",
		unclear:   "What should I remember? Please say it as one specific fact.",
		refused:   "I do not save that: it looks like a secret or like an order to me rather than a fact.",
	},
	"zh": {
		forgotten: "已彻底忘记：",
		which:     "没有这样的内容，未做任何更改。以下最接近；要忘记其中一条，请发送“忘掉：”加上它的文字。",
		again:     "尚未做任何更改。要彻底忘记以下全部内容，请再次发送同一条消息：",
		all:       "未做任何更改：聊天不会删除一个人的全部记忆。请使用记忆浏览器的“Delete”页面，或运行 `reverie memory delete owner`。",
		found:     "根据记忆：", closest: "记忆中没有确切的答案。最接近的是：",
		nothing: "我在记忆中没有找到相关内容。",
		noModel: "（未配置语言模型，因此我只引用我记得的内容。如需使用模型，请为服务器设置 REVERIE_LLM_PROVIDER、REVERIE_LLM_MODEL 和 " +
			"REVERIE_LLM_API_KEY。）",
		off:   "此智能体的记忆已关闭，我无法查找或保存任何内容。",
		hello: "你好！", helloName: "你好，%s！", ask: "可以问我你告诉过我的事，或者告诉我该记住什么。",
		thanks: "不客气。", bye: "再见！", okay: "好的。",
		told:   "我会把它留在这次对话中，以后可以引用。如需立即存入记忆，请以“记住：”开头。",
		cannot: "这个我做不到：我只会引用你告诉过我的话，并记住你要我记住的事。",
		self:   "我是%s。我会保留你告诉我的事，并引用它们来回答。",
		you:    "关于你，我知道：", youNobody: "记忆中还没有关于你的内容。请告诉我该记住什么。",
		more:       "……还有 %s 条，见 %s",
		sections:   "身份, 偏好, 背景, 决定, 事实, 任务, 日期, 记住的事, 人物",
		disagree:   "%s 与 %s 互相矛盾，尚未决定哪一条成立。",
		superseded: "%s 已被 %s 取代。",
		quote:      "“%s”", said: "你说过：%s", saidOn: "%s，你说：%s",
		answered: "被问到%s时，你说：%s", answeredOn: "%s，被问到%s时，你说：%s",
		mineOn: "%s，我说：%s", they: "%s说过：%s", theyOn: "%s，%s说：%s", noted: "%s的记录：%s",
		newer: "已被 %s 取代",
		saved: "已保存：%s\n（%s）", known: "我已经记住了：%s\n（%s）",
		receipt: "%s，回执 %s", redacted: "看起来像机密的内容未保存。",
		corrected: "已更正：%s\n之前：%s\n（%s；旧版本保留在历史记录中）",
		unclear:   "需要我记住什么？请说出一个具体的事实。",
		refused:   "我不会保存这条内容：它看起来像机密信息或对我的指令，而不是事实。",
	},
	"de": {
		forgotten: "Endgültig vergessen:",
		which: "Eine solche Aussage habe ich nicht; nichts wurde geändert. Diese kommen am nächsten. Um eine zu " +
			"vergessen, schicke „Vergiss: “ und ihren Text.",
		again: "Noch wurde nichts geändert. Schicke dieselbe Nachricht noch einmal, um all dies endgültig zu vergessen:",
		all: "Nichts wurde geändert: Im Chat lässt sich nicht das ganze Gedächtnis löschen. Das tut die Seite „Delete“ des " +
			"Memory Browsers, oder `reverie memory delete owner`.",
		found: "Aus dem Gedächtnis:", closest: "Nichts im Gedächtnis beantwortet das sicher. Am nächsten kommt:",
		nothing: "Dazu habe ich im Gedächtnis nichts gefunden.",
		noModel: "(Es ist kein Sprachmodell eingerichtet, daher zitiere ich nur, was ich mir gemerkt habe. Für ein Modell " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL und REVERIE_LLM_API_KEY für den Server setzen.)",
		off:   "Das Gedächtnis dieses Agenten ist ausgeschaltet; ich kann nichts nachschlagen und nichts speichern.",
		hello: "Hallo!", helloName: "Hallo, %s!",
		ask:    "Frag mich nach etwas, das du mir erzählt hast, oder sag mir, was ich mir merken soll.",
		thanks: "Gern geschehen.", bye: "Bis bald!", okay: "In Ordnung.",
		told: "Das bleibt in diesem Gespräch, und ich kann es später zitieren. Soll es sofort ins Gedächtnis, beginne mit " +
			"„Merk dir, dass“.",
		cannot: "Das kann ich nicht: Ich zitiere nur, was du mir erzählt hast, und merke mir, worum du mich bittest.",
		self:   "Ich bin %s. Ich behalte, was du mir erzählst, und antworte mit Zitaten daraus.",
		you:    "Was ich über dich weiß:", youNobody: "Über dich steht noch nichts im Gedächtnis. Sag mir, was ich mir merken soll.",
		more:       "… und %s weitere in %s",
		sections:   "Person, Vorlieben, Hintergrund, Entscheidungen, Fakten, Aufgaben, Termine, Gemerkt, Menschen",
		disagree:   "%s und %s widersprechen sich; noch ist nicht entschieden, was gilt.",
		superseded: "%s ist überholt; es gilt %s.",
		quote:      "„%s“", said: "Du hast gesagt: %s", saidOn: "Am %s hast du gesagt: %s",
		answered: "Auf die Frage %s hast du gesagt: %s", answeredOn: "Am %s hast du auf die Frage %s gesagt: %s",
		mineOn: "Am %s habe ich gesagt: %s", they: "%s hat gesagt: %s", theyOn: "Am %s hat %s gesagt: %s", noted: "Notiert am %s: %s",
		newer: "überholt durch %s",
		saved: "Gespeichert: %s\n(%s)", known: "Das weiß ich schon: %s\n(%s)",
		receipt: "%s, Beleg %s", redacted: "Was wie ein Geheimnis aussieht, ist weggelassen.",
		corrected: "Berichtigt: %s\nVorher: %s\n(%s; die alte Fassung bleibt im Verlauf)",
		unclear:   "Was soll ich mir merken? Bitte sag es als eine bestimmte Tatsache.",
		refused:   "Das speichere ich nicht: Es sieht eher nach einem Geheimnis oder einer Anweisung an mich aus als nach einer Tatsache.",
	},
	"es": {
		forgotten: "Olvidado para siempre:",
		which:     "No tengo nada así y no he cambiado nada. Esto es lo más parecido; para olvidar algo, envía «Olvida: » y su texto.",
		again:     "Aún no se ha cambiado nada. Envía el mismo mensaje otra vez para olvidar todo esto para siempre:",
		all: "No se ha cambiado nada: un chat no borra toda la memoria de una persona. Lo hace la página «Delete» del " +
			"Memory Browser, o `reverie memory delete owner`.",
		found: "De memoria:", closest: "Nada en la memoria lo responde con certeza. Lo más cercano:",
		nothing: "No he encontrado nada sobre eso en la memoria.",
		noModel: "(No hay ningún modelo de lenguaje configurado, así que solo cito lo que recuerdo. Para usar uno, define " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL y REVERIE_LLM_API_KEY en el servidor.)",
		off:   "La memoria de este agente está desactivada: no puedo buscar ni guardar nada.",
		hello: "¡Hola!", helloName: "¡Hola, %s!", ask: "Pregúntame por algo que me hayas contado o dime qué debo recordar.",
		thanks: "De nada.", bye: "¡Hasta pronto!", okay: "De acuerdo.",
		told: "Lo guardo en esta conversación y puedo citarlo más tarde. Para guardarlo ya en la memoria, empieza con " +
			"«Recuerda que».",
		cannot: "Eso no puedo hacerlo: solo cito lo que me has contado y recuerdo lo que me pides.",
		self:   "Soy %s. Guardo lo que me cuentas y respondo con citas de ello.",
		you:    "Lo que sé de ti:", youNobody: "Todavía no hay nada sobre ti en la memoria. Dime qué debo recordar.",
		more:       "… y %s más en %s",
		sections:   "Identidad, Preferencias, Contexto, Decisiones, Hechos, Tareas, Fechas, Recordado, Personas",
		disagree:   "%s y %s se contradicen, y nadie ha decidido cuál vale.",
		superseded: "%s ya no vale; ahora vale %s.",
		quote:      "«%s»", said: "Dijiste: %s", saidOn: "El %s dijiste: %s",
		answered: "A la pregunta %s respondiste: %s", answeredOn: "El %s, a la pregunta %s, respondiste: %s",
		mineOn: "El %s dije: %s", they: "%s dijo: %s", theyOn: "El %s %s dijo: %s", noted: "Anotado el %s: %s",
		newer: "sustituido por %s",
		saved: "Guardado: %s\n(%s)", known: "Ya lo tengo: %s\n(%s)",
		receipt: "%s, recibo %s", redacted: "Lo que parece un secreto no se ha guardado.",
		corrected: "Corregido: %s\nAntes: %s\n(%s; la versión anterior queda en el historial)",
		unclear:   "¿Qué debo recordar? Dímelo como un hecho concreto.",
		refused:   "No lo guardo: parece un secreto o una orden para mí más que un hecho.",
	},
	"fr": {
		forgotten: "Oublié définitivement :",
		which:     "Je n'ai rien de tel et n'ai rien changé. Voici le plus proche ; pour en oublier un, envoyez « Oublie : » et son texte.",
		again:     "Rien n'a encore été changé. Renvoyez le même message pour oublier tout cela définitivement :",
		all: "Rien n'a été changé : une conversation n'efface pas toute la mémoire d'une personne. La page « Delete » du " +
			"Memory Browser le fait, ou `reverie memory delete owner`.",
		found: "De mémoire :", closest: "Rien en mémoire n’y répond avec certitude. Le plus proche :",
		nothing: "Je n’ai rien trouvé à ce sujet en mémoire.",
		noModel: "(Aucun modèle de langage n’est configuré : je cite seulement ce dont je me souviens. Pour en utiliser un, définissez " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL et REVERIE_LLM_API_KEY pour le serveur.)",
		off:   "La mémoire de cet agent est désactivée : je ne peux rien chercher ni enregistrer.",
		hello: "Bonjour !", helloName: "Bonjour, %s !",
		ask:    "Pose-moi une question sur ce que tu m’as raconté, ou dis-moi ce que je dois retenir.",
		thanks: "De rien.", bye: "À bientôt !", okay: "D’accord.",
		told: "Je le garde dans cette conversation et je pourrai le citer. Pour le mettre tout de suite en mémoire, commence par " +
			"« Retiens que ».",
		cannot: "Je ne peux pas faire cela : je cite seulement ce que tu m’as raconté et je retiens ce que tu me demandes.",
		self:   "Je suis %s. Je garde ce que tu me racontes et je réponds par des citations.",
		you:    "Ce que je sais de toi :", youNobody: "Il n’y a encore rien sur toi en mémoire. Dis-moi ce que je dois retenir.",
		more:       "… et %s de plus dans %s",
		sections:   "Identité, Préférences, Contexte, Décisions, Faits, Tâches, Dates, Retenu, Personnes",
		disagree:   "%s et %s se contredisent, et rien n’a encore été tranché.",
		superseded: "%s ne vaut plus ; c’est %s qui vaut.",
		quote:      "« %s »", said: "Tu as dit : %s", saidOn: "Le %s, tu as dit : %s",
		answered: "À la question %s, tu as répondu : %s", answeredOn: "Le %s, à la question %s, tu as répondu : %s",
		mineOn: "Le %s, j’ai dit : %s", they: "%s a dit : %s", theyOn: "Le %s, %s a dit : %s", noted: "Noté le %s : %s",
		newer: "remplacé par %s",
		saved: "Enregistré : %s\n(%s)", known: "Je le sais déjà : %s\n(%s)",
		receipt: "%s, reçu %s", redacted: "Ce qui ressemble à un secret n’a pas été enregistré.",
		corrected: "Corrigé : %s\nAvant : %s\n(%s ; l’ancienne version reste dans l’historique)",
		unclear:   "Que dois-je retenir ? Dis-le sous la forme d’un fait précis.",
		refused:   "Je n’enregistre pas cela : cela ressemble à un secret ou à une instruction plutôt qu’à un fait.",
	},
	"pt": {
		forgotten: "Esquecido para sempre:",
		which:     "Não tenho nada assim e não mudei nada. Isto é o mais próximo; para esquecer algo, envie “Esqueça: ” e o texto.",
		again:     "Nada foi mudado ainda. Envie a mesma mensagem de novo para esquecer tudo isto para sempre:",
		all: "Nada foi mudado: uma conversa não apaga toda a memória de uma pessoa. A página “Delete” do Memory Browser faz " +
			"isso, ou `reverie memory delete owner`.",
		found: "De memória:", closest: "Nada na memória responde a isso com certeza. O mais próximo:",
		nothing: "Não encontrei nada sobre isso na memória.",
		noModel: "(Nenhum modelo de linguagem está configurado, por isso só cito o que lembro. Para usar um, defina " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL e REVERIE_LLM_API_KEY no servidor.)",
		off:   "A memória deste agente está desligada: não posso procurar nem guardar nada.",
		hello: "Olá!", helloName: "Olá, %s!", ask: "Pergunte-me sobre algo que me contou ou diga-me o que devo lembrar.",
		thanks: "De nada.", bye: "Até logo!", okay: "Está bem.",
		told: "Guardo isso nesta conversa e posso citá-lo depois. Para guardá-lo já na memória, comece com " +
			"“Lembre-se de que”.",
		cannot: "Isso não posso fazer: só cito o que me contou e lembro o que me pede.",
		self:   "Sou %s. Guardo o que me conta e respondo com citações disso.",
		you:    "O que sei sobre você:", youNobody: "Ainda não há nada sobre você na memória. Diga-me o que devo lembrar.",
		more:       "… e mais %s em %s",
		sections:   "Identidade, Preferências, Contexto, Decisões, Fatos, Tarefas, Datas, Lembrado, Pessoas",
		disagree:   "%s e %s se contradizem, e ninguém decidiu qual vale.",
		superseded: "%s já não vale; agora vale %s.",
		quote:      "“%s”", said: "Você disse: %s", saidOn: "Em %s você disse: %s",
		answered: "À pergunta %s você respondeu: %s", answeredOn: "Em %s, à pergunta %s, você respondeu: %s",
		mineOn: "Em %s eu disse: %s", they: "%s disse: %s", theyOn: "Em %s %s disse: %s", noted: "Anotado em %s: %s",
		newer: "substituído por %s",
		saved: "Guardado: %s\n(%s)", known: "Já sei isso: %s\n(%s)",
		receipt: "%s, recibo %s", redacted: "O que parece um segredo não foi guardado.",
		corrected: "Corrigido: %s\nAntes: %s\n(%s; a versão antiga fica no histórico)",
		unclear:   "O que devo lembrar? Diga-o como um fato concreto.",
		refused:   "Não guardo isso: parece um segredo ou uma instrução para mim, e não um fato.",
	},
	"it": {
		forgotten: "Dimenticato per sempre:",
		which: "Non ho nulla del genere e non ho cambiato nulla. Questo è ciò che è più simile; per dimenticarne uno, " +
			"invia «Dimentica: » e il testo.",
		again: "Nulla è stato ancora cambiato. Invia di nuovo lo stesso messaggio per dimenticare tutto questo per sempre:",
		all: "Nulla è stato cambiato: una chat non cancella tutta la memoria di una persona. Lo fa la pagina «Delete» del " +
			"Memory Browser, o `reverie memory delete owner`.",
		found: "Dalla memoria:", closest: "Nulla in memoria risponde con certezza. La cosa più vicina:",
		nothing: "Non ho trovato nulla a riguardo in memoria.",
		noModel: "(Nessun modello linguistico è configurato, quindi cito solo ciò che ricordo. Per usarne uno, imposta " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL e REVERIE_LLM_API_KEY per il server.)",
		off:   "La memoria di questo agente è disattivata: non posso cercare né salvare nulla.",
		hello: "Ciao!", helloName: "Ciao, %s!", ask: "Chiedimi qualcosa che mi hai raccontato, o dimmi che cosa devo ricordare.",
		thanks: "Prego.", bye: "A presto!", okay: "Va bene.",
		told: "Lo conservo in questa conversazione e posso citarlo più tardi. Per metterlo subito in memoria, comincia con " +
			"«Ricorda che».",
		cannot: "Questo non posso farlo: cito solo ciò che mi hai raccontato e ricordo ciò che mi chiedi.",
		self:   "Sono %s. Conservo ciò che mi racconti e rispondo con citazioni.",
		you:    "Che cosa so di te:", youNobody: "In memoria non c’è ancora nulla su di te. Dimmi che cosa devo ricordare.",
		more:       "… e altre %s in %s",
		sections:   "Identità, Preferenze, Contesto, Decisioni, Fatti, Compiti, Date, Da ricordare, Persone",
		disagree:   "%s e %s si contraddicono e nessuno ha deciso quale vale.",
		superseded: "%s non vale più; ora vale %s.",
		quote:      "«%s»", said: "Hai detto: %s", saidOn: "Il %s hai detto: %s",
		answered: "Alla domanda %s hai risposto: %s", answeredOn: "Il %s, alla domanda %s, hai risposto: %s",
		mineOn: "Il %s ho detto: %s", they: "%s ha detto: %s", theyOn: "Il %s %s ha detto: %s", noted: "Annotato il %s: %s",
		newer: "superato da %s",
		saved: "Salvato: %s\n(%s)", known: "Lo so già: %s\n(%s)",
		receipt: "%s, ricevuta %s", redacted: "Ciò che sembra un segreto non è stato salvato.",
		corrected: "Corretto: %s\nPrima: %s\n(%s; la vecchia versione resta nella cronologia)",
		unclear:   "Che cosa devo ricordare? Dillo come un fatto preciso.",
		refused:   "Questo non lo salvo: sembra un segreto o un’istruzione per me più che un fatto.",
	},
	"ja": {
		forgotten: "完全に忘れました：",
		which:     "そのような内容はなく、何も変更していません。最も近いのは次のものです。忘れさせるには「忘れて：」に続けてその文を送ってください。",
		again:     "まだ何も変更していません。次のすべてを完全に忘れるには、同じメッセージをもう一度送ってください：",
		all:       "何も変更していません。チャットでは一人の記憶をすべて削除することはできません。Memory Browser の「Delete」ページか `reverie memory delete owner` で削除できます。",
		found:     "記憶より：", closest: "確実な答えは記憶にありません。最も近いもの：",
		nothing: "それについての記憶は見つかりませんでした。",
		noModel: "（言語モデルが設定されていないため、記憶していることを引用するだけです。モデルを使うには、サーバーに REVERIE_LLM_PROVIDER、" +
			"REVERIE_LLM_MODEL、REVERIE_LLM_API_KEY を設定してください。）",
		off:   "このエージェントの記憶はオフになっているため、検索も保存もできません。",
		hello: "こんにちは！", helloName: "こんにちは、%sさん！", ask: "以前に話してくれたことを聞くか、覚えてほしいことを教えてください。",
		thanks: "どういたしまして。", bye: "またお話ししましょう。", okay: "わかりました。",
		told:   "この会話に残し、後で引用できます。すぐに記憶に入れるには「覚えておいて：」で始めてください。",
		cannot: "それはできません。話してくれたことを引用し、頼まれたことを覚えるだけです。",
		self:   "私は%sです。話してくれたことを残し、それを引用して答えます。",
		you:    "あなたについて知っていること：", youNobody: "あなたについての記憶はまだありません。覚えてほしいことを教えてください。",
		more:       "…ほか%s件は%s",
		sections:   "プロフィール, 好み, 背景, 決定, 事実, 課題, 日程, 覚えていること, 人",
		disagree:   "%sと%sは矛盾しており、どちらが正しいかは未定です。",
		superseded: "%sは古く、今は%sが有効です。",
		quote:      "「%s」", said: "あなたの言葉：%s", saidOn: "%sのあなたの言葉：%s",
		answered: "%sと聞かれたときのあなたの言葉：%s", answeredOn: "%s、%sと聞かれたときのあなたの言葉：%s",
		mineOn: "%sの私の言葉：%s", they: "%sの言葉：%s", theyOn: "%sの%sの言葉：%s", noted: "%sのメモ：%s",
		newer: "%s に新しい値があります",
		saved: "保存しました：%s\n（%s）", known: "すでに覚えています：%s\n（%s）",
		receipt: "%s、受付番号 %s", redacted: "秘密情報と思われる部分は保存していません。",
		corrected: "訂正しました：%s\n以前：%s\n（%s。古い版は履歴に残ります）",
		unclear:   "何を覚えればよいですか。具体的な事実を一つ教えてください。",
		refused:   "これは保存しません。事実ではなく、秘密情報または私への指示のように見えます。",
	},
	"ko": {
		forgotten: "완전히 잊었습니다:",
		which:     "그런 내용은 없으며 아무것도 바꾸지 않았습니다. 가장 가까운 것은 다음과 같습니다. 하나를 잊게 하려면 “잊어줘: ”와 그 내용을 보내세요.",
		again:     "아직 아무것도 바꾸지 않았습니다. 다음을 모두 완전히 잊으려면 같은 메시지를 다시 보내세요:",
		all:       "아무것도 바꾸지 않았습니다. 채팅에서는 한 사람의 기억을 모두 삭제하지 않습니다. Memory Browser의 ‘Delete’ 페이지나 `reverie memory delete owner`로 삭제하세요.",
		found:     "기억에서:", closest: "확실한 답은 기억에 없습니다. 가장 가까운 것:",
		nothing: "그것에 대한 기억을 찾지 못했습니다.",
		noModel: "(언어 모델이 설정되어 있지 않아 기억하는 것을 인용하기만 합니다. 모델을 쓰려면 서버에 REVERIE_LLM_PROVIDER, " +
			"REVERIE_LLM_MODEL, REVERIE_LLM_API_KEY를 설정하세요.)",
		off:   "이 에이전트의 기억이 꺼져 있어 찾거나 저장할 수 없습니다.",
		hello: "안녕하세요!", helloName: "안녕하세요, %s님!", ask: "전에 말씀하신 것을 물어보시거나, 기억할 것을 알려 주세요.",
		thanks: "천만에요.", bye: "안녕히 가세요!", okay: "알겠습니다.",
		told:   "이 대화에 남겨 두고 나중에 인용할 수 있습니다. 바로 기억에 저장하려면 “기억해 줘:”로 시작하세요.",
		cannot: "그것은 할 수 없습니다. 말씀하신 것을 인용하고, 부탁하신 것을 기억할 뿐입니다.",
		self:   "저는 %s입니다. 말씀하신 것을 간직하고, 그것을 인용해 대답합니다.",
		you:    "당신에 대해 알고 있는 것:", youNobody: "당신에 대한 기억이 아직 없습니다. 기억할 것을 알려 주세요.",
		more:       "… 외 %s개, %s",
		sections:   "신상, 선호, 배경, 결정, 사실, 할 일, 날짜, 기억한 것, 사람들",
		disagree:   "%s와(과) %s은(는) 서로 모순되며, 어느 쪽이 맞는지 아직 정해지지 않았습니다.",
		superseded: "%s은(는) 더 이상 유효하지 않으며, 지금은 %s이(가) 유효합니다.",
		quote:      "“%s”", said: "이렇게 말씀하셨습니다: %s", saidOn: "%s에 이렇게 말씀하셨습니다: %s",
		answered: "%s 질문에 이렇게 답하셨습니다: %s", answeredOn: "%s에 %s 질문에 이렇게 답하셨습니다: %s",
		mineOn: "%s에 제가 이렇게 말했습니다: %s", they: "%s의 말: %s", theyOn: "%s, %s의 말: %s", noted: "%s 기록: %s",
		newer: "%s에 새 값이 있습니다",
		saved: "저장했습니다: %s\n(%s)", known: "이미 기억하고 있습니다: %s\n(%s)",
		receipt: "%s, 접수 번호 %s", redacted: "비밀로 보이는 부분은 저장하지 않았습니다.",
		corrected: "고쳤습니다: %s\n이전: %s\n(%s, 이전 버전은 기록에 남습니다)",
		unclear:   "무엇을 기억할까요? 구체적인 사실을 하나 말씀해 주세요.",
		refused:   "이것은 저장하지 않습니다. 사실이 아니라 비밀이나 저에 대한 지시로 보입니다.",
	},
	"vi": {
		forgotten: "Đã quên hẳn:",
		which: "Tôi không có điều nào như vậy và chưa thay đổi gì. Đây là những điều gần nhất; để quên một điều, hãy gửi " +
			"“Quên: ” và nội dung của nó.",
		again: "Chưa có gì thay đổi. Hãy gửi lại cùng tin nhắn để quên hẳn tất cả những điều này:",
		all: "Chưa có gì thay đổi: cuộc trò chuyện không xóa toàn bộ trí nhớ của một người. Hãy dùng trang “Delete” của " +
			"Memory Browser, hoặc `reverie memory delete owner`.",
		found: "Theo trí nhớ:", closest: "Không có câu trả lời chắc chắn trong trí nhớ. Gần nhất là:",
		nothing: "Tôi không tìm thấy gì về điều đó trong trí nhớ.",
		noModel: "(Chưa cấu hình mô hình ngôn ngữ, nên tôi chỉ trích dẫn những gì tôi nhớ. Để dùng mô hình, hãy đặt REVERIE_LLM_PROVIDER, " +
			"REVERIE_LLM_MODEL và REVERIE_LLM_API_KEY cho máy chủ.)",
		off:   "Trí nhớ của tác nhân này đang tắt, nên tôi không thể tra cứu hay lưu gì.",
		hello: "Xin chào!", helloName: "Xin chào, %s!", ask: "Hãy hỏi tôi về điều bạn đã kể, hoặc cho tôi biết cần nhớ gì.",
		thanks: "Không có gì.", bye: "Hẹn gặp lại!", okay: "Được.",
		told: "Tôi giữ điều đó trong cuộc trò chuyện này và có thể trích dẫn sau. Để lưu ngay vào trí nhớ, hãy bắt đầu bằng " +
			"“Hãy nhớ rằng”.",
		cannot: "Tôi không làm được việc đó: tôi chỉ trích dẫn những gì bạn đã kể và nhớ những gì bạn nhờ.",
		self:   "Tôi là %s. Tôi giữ những gì bạn kể và trả lời bằng cách trích dẫn.",
		you:    "Những gì tôi biết về bạn:", youNobody: "Trong trí nhớ chưa có gì về bạn. Hãy cho tôi biết cần nhớ gì.",
		more:       "… và %s điều nữa trong %s",
		sections:   "Nhân thân, Sở thích, Bối cảnh, Quyết định, Sự việc, Việc cần làm, Ngày tháng, Đã ghi nhớ, Con người",
		disagree:   "%s và %s mâu thuẫn nhau, và chưa ai quyết định điều nào đúng.",
		superseded: "%s không còn đúng; nay là %s.",
		quote:      "“%s”", said: "Bạn đã nói: %s", saidOn: "Ngày %s bạn đã nói: %s",
		answered: "Khi được hỏi %s, bạn đã nói: %s", answeredOn: "Ngày %s, khi được hỏi %s, bạn đã nói: %s",
		mineOn: "Ngày %s tôi đã nói: %s", they: "%s đã nói: %s", theyOn: "Ngày %s %s đã nói: %s", noted: "Ghi ngày %s: %s",
		newer: "đã được thay bằng %s",
		saved: "Đã lưu: %s\n(%s)", known: "Tôi đã nhớ điều đó: %s\n(%s)",
		receipt: "%s, biên nhận %s", redacted: "Phần giống như bí mật đã được bỏ đi.",
		corrected: "Đã sửa: %s\nTrước đây: %s\n(%s; phiên bản cũ vẫn còn trong lịch sử)",
		unclear:   "Tôi cần nhớ điều gì? Hãy nói một sự việc cụ thể.",
		refused:   "Tôi không lưu điều đó: nó giống một bí mật hoặc một mệnh lệnh hơn là một sự việc.",
	},
	"ru": {
		forgotten: "Забыто навсегда:",
		which: "Такого утверждения у меня нет, ничего не изменено. Ближе всего это; чтобы забыть одно из них, отправьте " +
			"«Забудь: » и его текст.",
		again: "Пока ничего не изменено. Отправьте то же сообщение ещё раз, чтобы навсегда забыть всё это:",
		all: "Ничего не изменено: в чате нельзя удалить всю память о человеке. Это делает страница «Delete» в Memory " +
			"Browser или `reverie memory delete owner`.",
		found: "Из памяти:", closest: "Точного ответа в памяти нет. Ближе всего:",
		nothing: "Об этом в памяти ничего не нашлось.",
		noModel: "(Языковая модель не настроена, поэтому я только цитирую то, что помню. Чтобы подключить модель, задайте для сервера " +
			"REVERIE_LLM_PROVIDER, REVERIE_LLM_MODEL и REVERIE_LLM_API_KEY.)",
		off:   "Память этого агента выключена: я не могу ничего найти или сохранить.",
		hello: "Здравствуйте!", helloName: "Здравствуйте, %s!",
		ask:    "Спросите о том, что вы мне рассказывали, или скажите, что запомнить.",
		thanks: "Пожалуйста.", bye: "До встречи!", okay: "Хорошо.",
		told: "Это останется в разговоре, и я смогу это процитировать. Чтобы сразу сохранить это в память, начните со слов " +
			"«Запомни, что».",
		cannot: "Этого я не умею: я только цитирую то, что вы мне рассказали, и запоминаю то, о чём вы просите.",
		self:   "Я %s. Я храню то, что вы мне рассказываете, и отвечаю цитатами.",
		you:    "Что я о вас знаю:", youNobody: "О вас в памяти пока ничего нет. Скажите, что запомнить.",
		more:       "… и ещё %s в %s",
		sections:   "Личность, Предпочтения, Биография, Решения, Факты, Задачи, Даты, Запомненное, Люди",
		disagree:   "%s и %s противоречат друг другу, и пока не решено, что верно.",
		superseded: "%s устарело; теперь верно %s.",
		quote:      "«%s»", said: "Вы сказали: %s", saidOn: "%s вы сказали: %s",
		answered: "На вопрос %s вы ответили: %s", answeredOn: "%s на вопрос %s вы ответили: %s",
		mineOn: "%s от меня: %s", they: "Слова %s: %s", theyOn: "%s, слова %s: %s", noted: "Записано %s: %s",
		newer: "заменено: %s",
		saved: "Сохранено: %s\n(%s)", known: "Это я уже помню: %s\n(%s)",
		receipt: "%s, квитанция %s", redacted: "То, что похоже на секрет, не сохранено.",
		corrected: "Исправлено: %s\nРаньше: %s\n(%s; старая версия остаётся в истории)",
		unclear:   "Что мне запомнить? Скажите это как конкретный факт.",
		refused:   "Этого я не сохраняю: это похоже на секрет или указание для меня, а не на факт.",
	},
	"ar": {
		forgotten: "نُسي نهائيا:",
		which:     "لا أعرف شيئا كهذا ولم أغيّر شيئا. هذا أقرب ما لدي؛ لنسيان أحدها أرسل «انس: » مع نصه.",
		again:     "لم يتغير شيء بعد. أرسل الرسالة نفسها مرة أخرى لنسيان كل هذا نهائيا:",
		all:       "لم يتغير شيء: لا تحذف المحادثة كل ذاكرة الشخص. تفعل ذلك صفحة «Delete» في Memory Browser، أو الأمر `reverie memory delete owner`.",
		found:     "من الذاكرة:", closest: "لا شيء في الذاكرة يجيب عن ذلك بيقين. الأقرب:",
		nothing: "لم أجد شيئًا عن ذلك في الذاكرة.",
		noModel: "(لم يُضبط أي نموذج لغوي، لذلك أقتبس ما أتذكره فقط. لاستخدام نموذج اضبط للخادم REVERIE_LLM_PROVIDER " +
			"وREVERIE_LLM_MODEL وREVERIE_LLM_API_KEY.)",
		off:   "ذاكرة هذا الوكيل متوقفة، فلا أستطيع البحث ولا الحفظ.",
		hello: "مرحبًا!", helloName: "مرحبًا يا %s!", ask: "اسألني عن شيء أخبرتني به، أو قل لي ما يجب أن أتذكره.",
		thanks: "على الرحب والسعة.", bye: "إلى اللقاء!", okay: "حسنًا.",
		told:   "أحتفظ بذلك في هذه المحادثة ويمكنني اقتباسه لاحقًا. لحفظه في الذاكرة فورًا ابدأ بـ «تذكر أن».",
		cannot: "لا أستطيع ذلك: أقتبس فقط ما أخبرتني به، وأتذكر ما تطلب مني تذكره.",
		self:   "أنا %s. أحتفظ بما تخبرني به وأجيب باقتباسات منه.",
		you:    "ما أعرفه عنك:", youNobody: "لا شيء عنك في الذاكرة بعد. قل لي ما يجب أن أتذكره.",
		more:       "… و%s أخرى في %s",
		sections:   "الهوية, التفضيلات, الخلفية, القرارات, الحقائق, المهام, التواريخ, ما حُفظ, الأشخاص",
		disagree:   "%s و%s متناقضان، ولم يُحسم بعد أيهما صحيح.",
		superseded: "%s لم يعد صحيحا؛ الصحيح الآن %s.",
		quote:      "«%s»", said: "قلتَ: %s", saidOn: "في %s قلتَ: %s",
		answered: "عن السؤال %s أجبتَ: %s", answeredOn: "في %s عن السؤال %s أجبتَ: %s",
		mineOn: "في %s قلتُ: %s", they: "قال %s: %s", theyOn: "في %s قال %s: %s", noted: "سُجّل في %s: %s",
		newer: "استُبدل بـ %s",
		saved: "حُفظ: %s\n(%s)", known: "أعرف ذلك من قبل: %s\n(%s)",
		receipt: "%s، إيصال %s", redacted: "لم يُحفظ ما يبدو سرًّا.",
		corrected: "صُحّح: %s\nسابقًا: %s\n(%s؛ تبقى النسخة القديمة في السجل)",
		unclear:   "ماذا أتذكر؟ قله كحقيقة محددة.",
		refused:   "لا أحفظ هذا: يبدو سرًّا أو تعليمات لي وليس حقيقة.",
	},
}

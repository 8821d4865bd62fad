package chat

// intentBook lists the phrases of each language.
var intentBook = map[string]intents{
	"en": {
		hello: "hi, hello, hey, hiya, howdy, good morning, good afternoon, good evening, good day, greetings, morning, " +
			"hi there, hello there, hey there",
		how: "how are you, how are you doing, how are you today, how is it going, hows it going, how's it going, whats up, " +
			"what's up, sup, how do you do",
		thanks: "thanks, thank you, thx, ty, cheers, thank u, appreciated, appreciate it, tysm",
		bye: "bye, goodbye, good bye, see you, see ya, good night, goodnight, take care, ttyl, cya, have a nice day, " +
			"have a good day",
		profile: "who am i, do you know me, tell me about me, tell me about myself, what have i told you., what did i tell you.",
		know: "know, remember, knows, learned, learnt, saved, stored, noted, memory, memories, have, recall, summarise, " +
			"summarize, say, got, find",
		me:   "about me, of me, about myself, on me, regarding me",
		name: "what's my name, what is my name, do you know my name",
		self: "help., who are you, what are you, what can you do, what do you do, what's your name, what is your name, " +
			"are you a bot, are you a robot, are you human, are you an ai, are you real, are you alive, how was your day, " +
			"how do you feel, do you like, do you love, do you think, what do you think, what's your favourite, " +
			"what's your favorite, how do you work, how old are you, where are you from, can you help me, " +
			"what are you doing",
		please: "please, pls, can you, could you, would you, can you please, could you please, would you please, " +
			"i want you to, i need you to, i'd like you to, i would like you to, help me, help me to, so, ok, okay, and, " +
			"now, well, kindly, just",
		work: "write, rewrite, compose, draft, translate, summarise, summarize, generate, create, calculate, compute, " +
			"code a, program a, draw, paint, sing, invent, explain, proofread, brainstorm, solve, imagine, roleplay, " +
			"role-play, pretend, let's play, play a, design a, build a, build me, make me, make a, make up, convert, " +
			"fix the, fix my, fix this, correct this, correct my, improve, paraphrase, suggest, recommend, tell me a joke, " +
			"tell me a story, tell a joke, tell a story, tell us a, tell me something, give me advice, " +
			"give me some advice, give me ideas, give me some ideas, give me a recipe, give me an idea, plan a, plan my, " +
			"order me, send a, send an, send my, send me, google, entertain me, surprise me, cheer me up, teach me, " +
			"book me, write me",
		look: "tell me, show me, give me, list, find, find me, look up, search, remind me, what, which, who, whose, when, " +
			"where, how, why, do you remember, do you know, name",
	},
	"zh": {
		hello:  "你好, 您好, 嗨, 哈喽, 哈啰, 嘿, 早上好, 早安, 上午好, 中午好, 下午好, 晚上好, 大家好, 在吗",
		how:    "喂, 最近好吗, 最近怎么样, 好久不见, 好久不見",
		thanks: "谢谢, 謝謝, 多谢, 感谢, 谢了, 谢啦, 辛苦了, 麻烦你了",
		bye:    "再见, 再見, 拜拜, 晚安, 回头见, 明天见, 下次见, 回见",
		profile: "我是谁, 你认识我吗, 你了解我吗, 你知道我是谁, 你对我有什么了解, 对我了解多少, 知道我什么, 记得我什么, 知道我的什么, 知道我哪些, 了解我多少, 知道我多少, " +
			"介绍一下我",
		know: "知道, 了解, 记得, 记住, 记了, 保存, 记忆, 说说, 有什么",
		me:   "关于我什么, 关于我的什么, 关于我有, 关于我你, 关于我，你, 关于我的事, 关于我的信息, 关于我的一切, 对我知道, 对我记得, 有关我的",
		name: "我叫什么, 我的名字是什么, 我的名字叫什么",
		self: "你怎么用, 你是谁, 你是什么, 你叫什么, 你能做什么, 你会做什么, 你会什么, 你可以做什么, 你是机器人, 你是人吗, 你喜欢, 你觉得, 你怎么看, 你多大, 你有感情, 你怎么样, 你在干什么, 你在做什么, " +
			"你能帮我吗",
		please: "请, 请你, 麻烦你, 麻烦, 能不能, 你能, 能, 可以, 你可以, 帮我, 帮忙, 给我, 我想让你, 我要你, 那, 好, 能否, 可否, 请帮我, 替我, 为我",
		work: "写一, 写首, 写个, 写封, 写篇, 写段, 写诗, 写信, 写文章, 写出, 写点, 改写, 翻译, 总结一下这, 生成, 创作, 计算, 算一下, 编写, 编一, 编个, 画一, 画个, 画张, 唱一, 唱首, " +
			"唱个, 解释, 讲个, 讲一个, 讲故事, 讲笑话, 说个笑话, 推荐, 设计, 制定, 做一个, 做个, 扮演, 假装, 润色, 修改, 想一个, 想个, 起个名字, 起名",
		look: "告诉我, 列出, 查, 找, 提醒我, 什么, 哪, 谁, 怎么, 为什么, 什么时候, 几, 多少, 你记得, 你知道, 说说",
	},
	"de": {
		hello: "hallo, hi, hey, guten morgen, guten tag, guten abend, moin, servus, grüß dich, grüß gott, grüezi, " +
			"hallo zusammen",
		how:    "wie gehts, wie geht's, wie geht es dir, wie geht es ihnen, wie gehts dir, wie geht's dir",
		thanks: "danke, dankeschön, vielen dank, danke schön, besten dank, herzlichen dank, tausend dank",
		bye: "tschüss, tschüß, auf wiedersehen, bis bald, bis später, bis morgen, bis dann, gute nacht, schönen tag, " +
			"schönen abend",
		profile: "wer bin ich, kennst du mich, kennen sie mich, was habe ich dir erzählt., was hab ich dir erzählt., " +
			"was habe ich ihnen erzählt.",
		know: "weißt, weisst, weiß, wissen, gemerkt, erinnerst, gespeichert, notiert, kennst, gelernt, gedächtnis, bekannt, " +
			"sag, sage, erzähl, erzähle, hast",
		me:   "über mich, von mir, zu mir, an mich",
		name: "wie heiße ich, wie heisse ich, wie ist mein name",
		self: "hilfe., wer bist du, was bist du, wer sind sie, wie heißt du, wie heisst du, was kannst du, was können sie, " +
			"bist du ein mensch, bist du ein roboter, bist du ein bot, bist du eine ki, bist du echt, magst du, " +
			"was denkst du, was meinst du, was hältst du, was machst du, wie fühlst du dich, wie war dein tag, " +
			"wie alt bist du, wie funktionierst du, woher kommst du, kannst du mir helfen",
		please: "bitte, kannst du, könntest du, würdest du, kannst du bitte, kannst du mir, kannst du mir bitte, " +
			"könntest du bitte, könntest du mir, können sie, könnten sie, können sie mir, könnten sie mir, " +
			"könnten sie bitte, hilf mir, also, und, jetzt, ok, ich möchte dass du, mal",
		work: "schreib, schreibe, schreiben sie, verfasse, verfass, dichte mir, übersetz, übersetze, übersetzen sie, fasse, " +
			"fass, erstelle, erstell, berechne, rechne, programmiere, zeichne, male mir, mal mir, sing, singe, erfinde, " +
			"erkläre, erklär, erkläre mir, erklär mir, korrigiere, löse, plane, entwirf, mach mir, mach ein, mache ein, " +
			"mach eine, schlag, schlage, empfiehl, spiel mit, spiele mit, erzähl mir einen witz, erzähl einen witz, " +
			"erzähl mir eine geschichte, erzähl eine geschichte, erzähle mir, tu so, gib mir tipps, gib mir einen rat, " +
			"gib mir ideen, gib mir ein rezept, formuliere, formulier, ein gedicht, einen text, eine geschichte, buche, " +
			"bestelle, einen brief, eine mail, eine e-mail",
		look: "sag mir, sage mir, sagen sie mir, zeig mir, zeige mir, gib mir, nenn, nenne, nenn mir, liste, such, suche, " +
			"finde, erinnere mich, was, wer, wo, wann, wie, warum, welche, welcher, welches, wen, wem, weißt du, " +
			"schreib auf wo, wohin, woher",
	},
	"es": {
		hello:   "hola, buenas, buenos días, buen día, buenas tardes, buenas noches, holi, buenos dias, saludos",
		how:     "qué tal, cómo estás, cómo está, que tal, como estas, cómo te va",
		thanks:  "gracias, muchas gracias, mil gracias, muchísimas gracias",
		bye:     "adiós, adios, hasta luego, hasta mañana, hasta pronto, chao, chau, nos vemos, cuídate",
		profile: "quién soy, quien soy, me conoces, qué te he contado., que te he contado., qué te conté., qué te he dicho.",
		know: "sabes, sabe, sabéis, recuerdas, recuerda, conoces, guardado, guardas, memoria, aprendido, anotado, dime, " +
			"cuéntame, tienes",
		me:   "sobre mí, sobre mi., sobre mi persona, acerca de mí, de mí, de mí hasta ahora, de mí ya",
		name: "cómo me llamo, como me llamo, cuál es mi nombre, cual es mi nombre",
		self: "ayuda., quién eres, quien eres, qué eres, que eres, cómo te llamas, como te llamas, qué puedes hacer, " +
			"que puedes hacer, qué haces, que haces, eres un robot, eres humano, eres un bot, eres una ia, te gusta, " +
			"qué opinas, qué piensas, que piensas, cómo te sientes, cómo funcionas, cuántos años tienes, de dónde eres, " +
			"puedes ayudarme, me puedes ayudar",
		please: "por favor, puedes, podrías, puede, podría, me puedes, quiero que, necesito que, quisiera que, ayúdame a, y, " +
			"pues, bueno, ahora",
		work: "escribe, escríbeme, escribir, escribirme, redacta, redactar, compón, traduce, traducir, resume, resumir, " +
			"genera, crea, crear, calcula, calcular, dibuja, canta, inventa, explica, explícame, explicar, explicarme, " +
			"corrige, corregir, resuelve, planea, planifica, diseña, hazme, haz un, haz una, sugiere, recomienda, " +
			"recomiéndame, recomendarme, cuéntame un chiste, cuenta un chiste, contarme un chiste, cuéntame una historia, " +
			"dame ideas, dame consejos, dame una receta, juega, finge, resérvame",
		look: "dime, muéstrame, dame, enséñame, lista, busca, encuentra, recuérdame, qué, que, quién, quien, dónde, donde, " +
			"cuándo, cuando, cómo, como, por qué, cuál, cual, cuánto, cuántos, cuántas, sabes, recuerdas, decirme, cuáles",
	},
	"fr": {
		hello:  "bonjour, salut, coucou, bonsoir, hello",
		how:    "ça va, comment ça va, comment vas-tu, comment allez-vous",
		thanks: "merci, merci beaucoup, mille mercis, je te remercie, je vous remercie, merci bien",
		bye:    "au revoir, à bientôt, à demain, à plus, bonne nuit, bonne journée, bonne soirée, adieu",
		profile: "qui suis-je, qui je suis, tu me connais, me connais-tu, que t'ai-je dit., qu'est-ce que je t'ai dit., " +
			"qu'est-ce que je t'ai raconté.",
		know: "sais, sais-tu, savez, savez-vous, souviens, souviens-tu, rappelles, connais, connais-tu, retenu, appris, " +
			"noté, mémoire, dis-moi, as-tu, as",
		me:   "sur moi, de moi, à mon sujet, me concernant",
		name: "comment je m'appelle, comment est-ce que je m'appelle, quel est mon nom, comment m'appelé-je",
		self: "aide., qui es-tu, qui êtes-vous, tu es qui, que sais-tu faire, que peux-tu faire, qu'est-ce que tu peux faire, " +
			"comment t'appelles-tu, comment tu t'appelles, quel est ton nom, es-tu un robot, es-tu humain, tu es un robot, " +
			"aimes-tu, tu aimes, que penses-tu, qu'en penses-tu, tu penses quoi, comment te sens-tu, quel âge as-tu, " +
			"comment fonctionnes-tu, que fais-tu, tu fais quoi, peux-tu m'aider, tu peux m'aider, pouvez-vous m'aider",
		please: "s'il te plaît, s'il vous plaît, stp, svp, peux-tu, pourrais-tu, pouvez-vous, pourriez-vous, tu peux, " +
			"tu pourrais, est-ce que tu peux, je veux que tu, je voudrais que tu, j'aimerais que tu, aide-moi à, alors, " +
			"et, maintenant, bon",
		work: "écris, écris-moi, écrire, m'écrire, écrivez, rédige, rédiger, compose, composer, traduis, traduire, " +
			"traduisez, résume, résumer, génère, crée, créer, calcule, calculer, dessine, chante, invente, explique, " +
			"explique-moi, expliquer, m'expliquer, corrige, corriger, résous, planifie, conçois, fais-moi, fais un, " +
			"fais une, suggère, propose, propose-moi, recommande, recommande-moi, raconte-moi une blague, " +
			"raconte une blague, raconte-moi une histoire, raconte une histoire, me raconter, donne-moi des idées, " +
			"donne-moi des conseils, donne-moi une recette, joue, imagine, réserve",
		look: "dis-moi, montre-moi, donne-moi, liste, cherche, trouve, rappelle-moi, me dire, que, quoi, qui, où, quand, " +
			"comment, pourquoi, quel, quelle, quels, quelles, combien, qu'est-ce, est-ce que, te souviens-tu, sais-tu",
	},
	"pt": {
		hello:  "olá, oi, ola, bom dia, boa tarde, boa noite, opa",
		how:    "e aí, tudo bem, tudo bom, como vai, como você está",
		thanks: "obrigado, obrigada, muito obrigado, muito obrigada, valeu, agradeço",
		bye:    "tchau, adeus, até logo, até mais, até amanhã, até breve",
		profile: "quem sou eu, quem eu sou, você me conhece, me conhece, o que eu te contei., o que te contei., " +
			"o que eu já te contei.",
		know: "sabe, sabes, lembra, lembras, conhece, conheces, guardou, guardado, aprendeu, memória, anotou, diga, diga-me, " +
			"tem",
		me:   "sobre mim, a meu respeito, de mim, acerca de mim",
		name: "como me chamo, como eu me chamo, qual é o meu nome, qual é meu nome, qual o meu nome",
		self: "ajuda., quem é você, quem és tu, quem és, o que é você, como você se chama, como te chamas, qual é o seu nome, " +
			"qual é o teu nome, qual o seu nome, o que você pode fazer, o que você sabe fazer, o que podes fazer, " +
			"o que você faz, você é um robô, você é humano, você é um bot, você gosta, o que você acha, o que você pensa, " +
			"como você se sente, quantos anos você tem, como você funciona, de onde você é, pode me ajudar, " +
			"você pode me ajudar, podes ajudar-me",
		please: "por favor, pode, você pode, poderia, você poderia, podes, podias, quero que você, preciso que você, " +
			"me ajude a, ajude-me a, e, então, agora, bom",
		work: "escreva, escreve, escreva-me, escrever, me escreva, redija, redigir, componha, traduza, traduz, traduzir, " +
			"resuma, resumir, gere, gerar, crie, criar, calcule, calcular, programe, desenhe, cante, invente, explique, " +
			"explica, explicar, me explique, corrija, corrigir, resolva, planeje, projete, faça um, faça uma, faz um, " +
			"faz uma, me faça, sugira, sugere, recomende, recomenda, conte uma piada, conta uma piada, me conte uma piada, " +
			"me conta uma piada, contar uma piada, conte uma história, me conte uma história, dê-me ideias, me dê ideias, " +
			"me dê dicas, me dê uma receita, brinque, finja, imagine, reserve",
		look: "diga-me, me diga, diz-me, me diz, me fala, mostre, mostre-me, me mostre, dê-me, me dê, liste, procure, " +
			"busque, encontre, lembre-me, o que, que, quem, onde, quando, como, por que, porque, qual, quais, quanto, " +
			"quantos, quantas, você lembra, você sabe, dizer-me",
	},
	"it": {
		hello:   "ciao, buongiorno, buonasera, salve, buon pomeriggio, ehi, buondì",
		how:     "come stai, come va, come sta",
		thanks:  "grazie, grazie mille, molte grazie, ti ringrazio, la ringrazio",
		bye:     "arrivederci, a presto, a domani, a dopo, buonanotte, addio, buona giornata, buona serata",
		profile: "chi sono io, chi sono., mi conosci, che cosa ti ho detto., cosa ti ho detto., cosa ti ho raccontato.",
		know:    "sai, sa, ricordi, ricorda, conosci, salvato, memorizzato, imparato, memoria, annotato, dimmi, hai",
		me:      "di me, su di me, sul mio conto, riguardo a me",
		name:    "come mi chiamo, qual è il mio nome",
		self: "aiuto., chi sei, che cosa sei, cosa sei, come ti chiami, qual è il tuo nome, cosa puoi fare, che cosa puoi fare, " +
			"cosa sai fare, che cosa sai fare, cosa fai, sei un robot, sei umano, sei un bot, sei un'ia, ti piace, " +
			"cosa ne pensi, che ne pensi, cosa pensi, come ti senti, quanti anni hai, come funzioni, di dove sei, " +
			"puoi aiutarmi, mi puoi aiutare, mi aiuti",
		please: "per favore, per piacere, puoi, potresti, può, potrebbe, mi puoi, mi potresti, vorrei che, voglio che, " +
			"aiutami a, allora, e, ora, adesso, bene",
		work: "scrivi, scrivimi, scrivere, scrivermi, scriva, componi, traduci, tradurre, tradurmi, riassumi, riassumere, " +
			"genera, crea, creare, calcola, calcolare, disegna, canta, inventa, spiega, spiegami, spiegare, spiegarmi, " +
			"correggi, correggere, risolvi, pianifica, progetta, fammi, fai un, fai una, suggerisci, suggeriscimi, " +
			"consiglia, consigliami, raccomanda, raccontami una barzelletta, racconta una barzelletta, " +
			"raccontami una storia, raccontarmi una, racconta una storia, dammi idee, dammi consigli, dammi una ricetta, " +
			"gioca, fingi, immagina, prenota",
		look: "dimmi, mostrami, dammi, elenca, cerca, trova, ricordami, dirmi, che, che cosa, cosa, chi, dove, dov'è, " +
			"quando, come, perché, quale, quali, quanto, quanti, quante, ti ricordi, sai",
	},
	"ja": {
		hello:  "こんにちは, こんにちわ, こんばんは, おはようございます, おはよう, やあ, もしもし, はじめまして",
		how:    "お元気ですか, 元気ですか, お久しぶり, 久しぶり",
		thanks: "ありがとう, ありがと, 感謝, サンキュー, 助かりました, 有難う",
		bye:    "さようなら, さよなら, またね, また明日, じゃあね, おやすみ, バイバイ, では また",
		profile: "私は誰, 僕は誰, 俺は誰, わたしは誰, 私を知って, 私のこと知って, 私のことを知って, 私のこと覚えて, 私のことを覚えて, 私のこと何, 私のことを何, 私のことをどれ, 私のことどれ, 僕のこと, " +
			"俺のこと",
		know: "知って, 知る, 覚えて, 記憶, 保存, わかって, 分かって, ご存じ, ご存知, 教えて",
		me:   "私について, わたしについて, 僕について, 俺について, 私に関し, 私の情報, 自分について",
		name: "私の名前は何, 私の名前を, 僕の名前は何.",
		self: "ヘルプ, あなたは誰, あなたは何, 君は誰, あなたの名前, 君の名前, お名前, 何ができ, 何が出来, あなたはロボット, あなたは人間, あなたはai, 好きですか, どう思い, どう思う, 気分はどう, 何歳ですか, " +
			"手伝ってくれ, 助けてくれ",
		please: "すみません, ねえ, じゃあ, では, あの",
		work: "書いて, 作って, 翻訳して, 訳して, 要約して, 計算して, 説明して, 描いて, 歌って, 考えて, 直して, 提案して, おすすめして, おすすめを教えて, 生成して, 作成して, 話をして, 冗談を言, " +
			"ジョークを, 添削して, 演じて, 予約して, 詩を",
		look: "教えて, 見せて, 探して, 検索, いつ, どこ, 誰, 何, なぜ, どの, どんな, いくつ, いくら",
	},
	"ko": {
		hello:   "안녕하세요, 안녕하십니까, 안녕, 하이, 헬로, 여보세요, 반가워요, 반갑습니다, 반가워, 좋은 아침, 처음 뵙겠습니다",
		how:     "잘 지내, 오랜만",
		thanks:  "고마워, 고맙습니다, 감사합니다, 감사해요, 감사, 땡큐, ㄱㅅ",
		bye:     "안녕히 가세요, 안녕히 계세요, 잘 가, 잘가, 또 봐, 내일 봐, 잘 자, 잘자, 안녕히 주무세요, 바이",
		profile: "내가 누구, 나는 누구, 난 누구, 제가 누구, 저는 누구, 나를 알아, 날 알아, 나 알아, 저를 아세요, 저를 아시",
		know:    "알아, 알고, 아세요, 아는, 아니, 기억, 저장, 말해, 알려",
		me:      "나에 대해, 나에 대한, 내에 대해, 저에 대해, 저에 대한, 나에 관해, 저에 관해, 나에 관한",
		name:    "내 이름이 뭐, 제 이름이 뭐, 내 이름은 뭐, 제 이름은 뭐, 내 이름 알",
		self: "도움말, 너는 누구, 넌 누구, 당신은 누구, 누구세요, 누구니, 너 이름, 넌 이름, 네 이름, 당신 이름, 뭘 할 수 있, 무엇을 할 수 있, 뭐 할 수 있, 할 수 있는 게 뭐, 로봇이야, " +
			"로봇이에요, 사람이야, 사람이에요, 너는 뭐, 넌 뭐, 좋아하세요, 어떻게 생각, 기분이 어때, 몇 살이야, 도와줄 수 있, 도와줄래",
		please: "제발, 좀, 혹시, 그럼, 그리고",
		work: "써 줘, 써줘, 써 주세요, 써주세요, 작성해, 번역해, 요약해, 계산해, 설명해, 그려, 불러 줘, 불러줘, 만들어, 지어 줘, 지어줘, 지어 주세요, 고쳐, 추천해, 제안해, 이야기해 줘, " +
			"농담, 생성해, 예약해, 시 한 편",
		look: "언제, 어디, 누구, 무엇, 뭐, 왜, 어떻게, 얼마, 몇, 찾아, 검색, 보여, 알려, 말해 줘, 가르쳐",
	},
	"vi": {
		hello: "xin chào, chào, chào bạn, chào anh, chào chị, chào em, chào buổi sáng, chào buổi tối, chào buổi chiều, " +
			"chào mọi người, alo, hello, hi",
		how:     "bạn khỏe không, bạn khoẻ không",
		thanks:  "cảm ơn, cám ơn, cảm ơn bạn, cám ơn bạn, xin cảm ơn, cảm ơn nhiều",
		bye:     "tạm biệt, hẹn gặp lại, ngủ ngon, chúc ngủ ngon, bái bai, bai bai",
		profile: "tôi là ai, mình là ai, bạn có biết tôi là, bạn có biết tôi không, tôi đã kể gì., tôi đã nói gì với bạn.",
		know:    "biết, nhớ, lưu, ghi nhớ, hiểu, kể, có gì",
		me:      "về tôi, về mình, về em., về anh., về chị.",
		name:    "tôi tên gì, tôi tên là gì, tên tôi là gì, tên của tôi là gì",
		self: "trợ giúp., bạn là ai, bạn là gì, bạn tên gì, bạn tên là gì, tên bạn là gì, tên của bạn, bạn có thể làm gì, " +
			"bạn làm được gì, bạn biết làm gì, bạn là robot, bạn là người, bạn có thích, bạn nghĩ gì, bạn nghĩ sao, " +
			"bạn cảm thấy, bạn bao nhiêu tuổi, bạn đang làm gì, bạn có thể giúp tôi không, giúp tôi được không",
		please: "xin, hãy, làm ơn, vui lòng, bạn có thể, có thể, giúp tôi, giúp mình, bạn, tôi muốn bạn, ơi, nào, giờ, " +
			"hãy giúp tôi",
		work: "viết, viết cho tôi, soạn, dịch giúp, dịch câu, dịch đoạn, dịch sang, dịch bài, dịch cho, tóm tắt, tạo một, " +
			"tạo cho, tạo ra, tính giúp, tính tổng, lập trình, vẽ, hát, sáng tác, giải thích, sửa giúp, sửa lỗi, sửa câu, " +
			"sửa bài, giải bài, giải phương trình, giải giúp, lên kế hoạch, thiết kế, làm thơ, làm một bài, gợi ý, " +
			"đề xuất, kể chuyện, kể một câu chuyện, kể cho tôi một, kể chuyện cười, đóng vai, giả vờ, đặt bàn, đặt vé, " +
			"đặt giúp",
		look: "cho tôi biết, nói cho tôi, cho tôi xem, liệt kê, tìm, nhắc tôi, ai, ở đâu, khi nào, bao giờ, cái gì, tại sao, " +
			"bạn có nhớ, bạn có biết",
	},
	"ru": {
		hello:  "привет, приветик, приветствую, здравствуй, здравствуйте, добрый день, доброе утро, добрый вечер, хай, салют",
		how:    "как дела, как ты, как вы, как жизнь",
		thanks: "спасибо, спасибо большое, большое спасибо, благодарю, спс",
		bye:    "пока, до свидания, до встречи, до завтра, спокойной ночи, всего доброго, увидимся, доброй ночи",
		profile: "кто я, кто я такой, кто я такая, ты меня знаешь, вы меня знаете, знаешь меня, что я тебе рассказал., " +
			"что я тебе рассказывал., что я тебе рассказывала.",
		know: "знаешь, знаете, помнишь, помните, запомнил, запомнила, известно, сохранил, сохранено, памяти, расскажи, " +
			"узнал, записано",
		me:   "обо мне, про меня, о мне",
		name: "как меня зовут",
		self: "помощь., кто ты, ты кто, кто вы, что ты такое, как тебя зовут, как вас зовут, что ты умеешь, что ты можешь, " +
			"что вы умеете, ты робот, ты бот, ты человек, ты живой, тебе нравится, ты любишь, что ты думаешь, " +
			"как ты думаешь, что думаешь, как ты себя чувствуешь, сколько тебе лет, чем занимаешься, что делаешь, " +
			"можешь мне помочь, ты можешь помочь",
		please: "пожалуйста, можешь, можете, мог бы ты, не могли бы вы, могли бы вы, ты можешь, вы можете, а, и, ну, теперь, " +
			"хочу чтобы ты, прошу, помоги мне, помоги",
		work: "напиши, напишите, написать, сочини, сочинить, переведи, переведите, перевести, перескажи, резюмируй, " +
			"сгенерируй, создай, создать, вычисли, посчитай, рассчитай, запрограммируй, нарисуй, спой, придумай, " +
			"придумать, объясни, объясните, объяснить, исправь, реши, решить, спланируй, составь, составить, сделай, " +
			"посоветуй, порекомендуй, предложи, расскажи анекдот, расскажи шутку, расскажи сказку, расскажи историю, " +
			"расскажи мне анекдот, расскажи мне историю, пошути, представь, сыграй, забронируй, закажи",
		look: "скажи, скажи мне, скажите, покажи, покажи мне, дай, дай мне, найди, напомни, напомни мне, перечисли, что, " +
			"кто, где, когда, как, почему, какой, какая, какое, какие, сколько, куда, откуда, чей, чья, помнишь, знаешь, " +
			"расскажи",
	},
	"ar": {
		hello: "مرحبا, مرحباً, مرحبًا, أهلا, أهلاً, أهلا وسهلا, اهلا, السلام عليكم, سلام, صباح الخير, مساء الخير, صباح النور, " +
			"مساء النور, هلا, هاي",
		how:     "كيف حالك, كيف الحال, كيفك",
		thanks:  "شكرا, شكراً, شكرًا, شكرا لك, شكرا جزيلا, شكرًا جزيلًا, مشكور, الف شكر",
		bye:     "مع السلامة, إلى اللقاء, الى اللقاء, وداعا, وداعًا, تصبح على خير, باي",
		profile: "من أنا, من انا, هل تعرفني, أتعرفني, تعرفني, هل تتذكرني, ماذا أخبرتك., ماذا قلت لك., ماذا حكيت لك.",
		know:    "تعرف, تعرفه, تعلم, تعلمه, تتذكر, تتذكره, تذكر, حفظت, ذاكرتك, أخبرني, اخبرني, لديك, عرفت",
		me:      "عني, عنّي, بخصوصي",
		name:    "ما اسمي, ما هو اسمي",
		self: "مساعدة., من أنت, من انت, ما أنت, ما اسمك, اسمك, ماذا تستطيع أن تفعل, ماذا يمكنك أن تفعل, ماذا تستطيع, ماذا يمكنك, " +
			"هل أنت روبوت, هل أنت إنسان, هل أنت بشر, هل تحب, ما رأيك, ماذا تظن, كيف تشعر, كم عمرك, ماذا تفعل, " +
			"هل يمكنك مساعدتي, هل تستطيع مساعدتي",
		please: "من فضلك, لو سمحت, رجاء, رجاءً, هل يمكنك, هل يمكنك أن, هل تستطيع, هل تستطيع أن, يمكنك, أريدك أن, أريد منك أن, " +
			"ساعدني في, الآن, أن, يا",
		work: "اكتب, أكتب, اكتب لي, تكتب, تكتب لي, كتابة, ألف, ألّف, ترجم, ترجم لي, تترجم, ترجمة, لخص, لخّص, تلخص, تلخيص, " +
			"أنشئ, احسب, تحسب, برمج, ارسم, ترسم, غن, اخترع, اشرح, اشرح لي, تشرح, شرح, صحح, صحّح, خطط, صمم, اصنع, اقترح, " +
			"اقترح علي, أوصني, احك لي نكتة, احكي لي نكتة, قل نكتة, احك لي قصة, احكي لي قصة, تخيل, العب, احجز",
		look: "أخبرني, اخبرني, قل لي, أرني, اعرض, ابحث, جد, ذكرني, ذكّرني, ما, ماذا, من, أين, اين, متى, كيف, لماذا, أي, كم, " +
			"هل تتذكر, هل تعرف",
	},
}

package api_test

import (
	"strings"
	"testing"
)

// spoken holds messages of one language to an agent without a model, and what the answers contain.
type spoken struct {
	name, hello, greeting string
	note                  string // quoted in a daily note
	question, answer      string // about the note; the answer has the day and the note in quotation marks
	remember, saved       string
	profile, known        string // what the agent knows about the person, and the heading of the answer
	work, cannot          string
	unknown, nothing      string // a question about nothing that is known
	self                  string // a question about the agent
	tells, told           string // a statement
	thanks, welcome       string
	bye, farewell         string
}

var inTwelveLanguages = map[string]spoken{
	"en": {
		"Alex", "Hi there!", "Hello, Alex!", "My son Max, he's 12, broke his arm.",
		"Who broke his arm?", "On 2026-03-10 you said: “My son Max, he's 12, broke his arm.”",
		"Remember that my boat is called Heron.", "Saved: My boat is called Heron.",
		"What do you know about me?", "What I know about you:\nIdentity\n- Name: Alex", "Write a poem about my son Max.",
		"I can't do that",
		"Who won the chess championship of 1927?", "I found nothing", "Who are you?",
		"The meeting with the bank went well today.", "I keep that in this conversation", "Thanks!", "You're welcome.", "Bye!",
		"Goodbye!",
	},
	"zh": {
		"小明", "你好！", "你好，小明！", "我妹妹住在成都。", "我妹妹住在哪里？", "2026-03-10，你说：“我妹妹住在成都。”", "记住：我的船叫信天翁。", "已保存：我的船叫信天翁",
		"你知道关于我的什么？", "关于你，我知道：\n身份\n- Name: 小明", "写一首关于我妹妹的诗。", "这个我做不到", "谁赢得了象棋冠军赛？", "没有找到", "你是谁？",
		"今天和银行的会议很顺利。", "我会把它留在这次对话中", "谢谢！", "不客气", "再见！", "再见！",
	},
	"de": {
		"Anna", "Guten Morgen!", "Hallo, Anna!", "Meine Schwester Lena wohnt in Bremen.",
		"Wo wohnt meine Schwester?", "Am 2026-03-10 hast du gesagt: „Meine Schwester Lena wohnt in Bremen.“",
		"Merk dir, dass mein Boot Albatros heißt.", "Gespeichert: Mein Boot heißt Albatros.",
		"Was weißt du über mich?", "Was ich über dich weiß:\nPerson\n- Name: Anna",
		"Schreib mir ein Gedicht über meine Schwester.", "Das kann ich nicht",
		"Wer hat die Schachmeisterschaft gewonnen?", "nichts gefunden", "Wer bist du?",
		"Das Treffen mit der Bank lief heute gut.", "Das bleibt in diesem Gespräch", "Danke!", "Gern geschehen.", "Tschüss!", "Bis bald!",
	},
	"es": {
		"Lucía", "¡Hola!", "¡Hola, Lucía!", "Mi hermana vive en Bilbao.", "¿Dónde vive mi hermana?",
		"El 2026-03-10 dijiste: «Mi hermana vive en Bilbao.»",
		"Recuerda que mi barco se llama Albatros.", "Guardado: Mi barco se llama Albatros.",
		"¿Qué sabes de mí?", "Lo que sé de ti:\nIdentidad\n- Name: Lucía", "Escribe un poema sobre mi hermana.", "Eso no puedo hacerlo",
		"¿Quién ganó el campeonato de ajedrez?", "No he encontrado nada", "¿Quién eres?",
		"La reunión con el banco fue bien hoy.", "Lo guardo en esta conversación", "¡Gracias!", "De nada.", "¡Adiós!", "¡Hasta pronto!",
	},
	"fr": {
		"Chloé", "Bonjour !", "Bonjour, Chloé !", "Ma sœur habite à Lyon.", "Où habite ma sœur ?",
		"Le 2026-03-10, tu as dit : « Ma sœur habite à Lyon. »",
		"Retiens que mon bateau s'appelle Albatros.", "Enregistré : Mon bateau s'appelle Albatros.",
		"Que sais-tu de moi ?", "Ce que je sais de toi :\nIdentité\n- Name: Chloé", "Écris un poème sur ma sœur.",
		"Je ne peux pas faire cela",
		"Qui a gagné le championnat d'échecs ?", "Je n’ai rien trouvé", "Qui es-tu ?",
		"La réunion avec la banque s'est bien passée aujourd'hui.", "Je le garde dans cette conversation", "Merci !", "De rien.",
		"Au revoir !", "À bientôt !",
	},
	"pt": {
		"João", "Olá!", "Olá, João!", "Minha irmã mora em Recife.", "Onde mora minha irmã?",
		"Em 2026-03-10 você disse: “Minha irmã mora em Recife.”",
		"Lembre-se de que meu barco se chama Albatroz.", "Guardado: Meu barco se chama Albatroz.",
		"O que você sabe sobre mim?", "O que sei sobre você:\nIdentidade\n- Name: João", "Escreva um poema sobre minha irmã.",
		"Isso não posso fazer",
		"Quem ganhou o campeonato de xadrez?", "Não encontrei nada", "Quem é você?",
		"A reunião com o banco correu bem hoje.", "Guardo isso nesta conversa", "Obrigado!", "De nada.", "Tchau!", "Até logo!",
	},
	"it": {
		"Luca", "Buongiorno!", "Ciao, Luca!", "Mia sorella abita a Torino.", "Dove abita mia sorella?",
		"Il 2026-03-10 hai detto: «Mia sorella abita a Torino.»",
		"Ricorda che la mia barca si chiama Albatros.", "Salvato: La mia barca si chiama Albatros.",
		"Che cosa sai di me?", "Che cosa so di te:\nIdentità\n- Name: Luca", "Scrivi una poesia su mia sorella.",
		"Questo non posso farlo",
		"Chi ha vinto il campionato di scacchi?", "Non ho trovato nulla", "Chi sei?",
		"La riunione con la banca è andata bene oggi.", "Lo conservo in questa conversazione", "Grazie!", "Prego.", "Arrivederci!",
		"A presto!",
	},
	"ja": {
		"花子", "こんにちは！", "こんにちは、花子さん！", "妹は札幌に住んでいます。", "妹はどこに住んでいますか？", "2026-03-10のあなたの言葉：「妹は札幌に住んでいます。」",
		"覚えておいて：私の船の名前はアルバトロスです。", "保存しました：私の船の名前はアルバトロスです",
		"私について何を知っていますか？", "あなたについて知っていること：\nプロフィール\n- Name: 花子", "妹について詩を書いてください。", "それはできません",
		"チェスの選手権で誰が勝ちましたか？", "見つかりませんでした", "あなたは誰ですか？",
		"今日の銀行との打ち合わせはうまくいきました。", "この会話に残し", "ありがとう！", "どういたしまして", "さようなら！", "またお話ししましょう",
	},
	"ko": {
		"민수", "안녕하세요!", "안녕하세요, 민수님!", "내 여동생은 부산에 살아요.", "내 여동생은 어디에 살아요?", "2026-03-10에 이렇게 말씀하셨습니다: “내 여동생은 부산에 살아요.”",
		"기억해 줘: 내 배의 이름은 알바트로스야.", "저장했습니다: 내 배의 이름은 알바트로스야",
		"나에 대해 무엇을 알고 있어?", "당신에 대해 알고 있는 것:\n신상\n- Name: 민수", "내 여동생에 대한 시를 써 줘.", "그것은 할 수 없습니다",
		"체스 선수권에서 누가 이겼어?", "찾지 못했습니다", "너는 누구야?",
		"오늘 은행과의 회의가 잘 끝났습니다.", "이 대화에 남겨", "고마워요!", "천만에요", "안녕히 계세요!", "안녕히 가세요",
	},
	"vi": {
		"Lan", "Xin chào!", "Xin chào, Lan!", "Em gái tôi sống ở Huế.", "Em gái tôi sống ở đâu?",
		"Ngày 2026-03-10 bạn đã nói: “Em gái tôi sống ở Huế.”",
		"Hãy nhớ rằng thuyền của tôi tên là Hải Âu.", "Đã lưu: Thuyền của tôi tên là Hải Âu.",
		"Bạn biết gì về tôi?", "Những gì tôi biết về bạn:\nNhân thân\n- Name: Lan", "Viết một bài thơ về em gái tôi.",
		"Tôi không làm được việc đó",
		"Ai vô địch giải cờ vua?", "không tìm thấy gì", "Bạn là ai?",
		"Cuộc họp với ngân hàng hôm nay diễn ra tốt đẹp.", "Tôi giữ điều đó", "Cảm ơn bạn!", "Không có gì.", "Tạm biệt!", "Hẹn gặp lại!",
	},
	"ru": {
		"Иван", "Привет!", "Здравствуйте, Иван!", "Моя сестра живёт в Казани.", "Где живёт моя сестра?",
		"2026-03-10 вы сказали: «Моя сестра живёт в Казани.»",
		"Запомни, что моя лодка называется «Альбатрос».", "Сохранено: Моя лодка называется «Альбатрос»",
		"Что ты знаешь обо мне?", "Что я о вас знаю:\nЛичность\n- Name: Иван", "Напиши стихотворение о моей сестре.", "Этого я не умею",
		"Кто выиграл чемпионат по шахматам?", "ничего не нашлось", "Кто ты?",
		"Встреча с банком сегодня прошла хорошо.", "Это останется в разговоре", "Спасибо!", "Пожалуйста.", "До свидания!", "До встречи!",
	},
	"ar": {
		"سامي", "مرحبا!", "مرحبًا يا سامي!", "أختي تسكن في الرباط.", "أين تسكن أختي؟", "في 2026-03-10 قلتَ: «أختي تسكن في الرباط.»",
		"تذكر أن قاربي اسمه القطرس.", "حُفظ: قاربي اسمه القطرس",
		"ماذا تعرف عني؟", "ما أعرفه عنك:\nالهوية\n- Name: سامي", "اكتب قصيدة عن أختي.", "لا أستطيع ذلك",
		"من فاز ببطولة الشطرنج؟", "لم أجد شيئًا", "من أنت؟",
		"كان الاجتماع مع البنك جيدا اليوم.", "أحتفظ بذلك", "شكرا!", "على الرحب والسعة", "مع السلامة!", "إلى اللقاء!",
	},
}

// Without a model, an agent greets, remembers, quotes with dates, lists what it knows and says what it cannot do, in the
// language of the message; the first answer of a conversation says how to configure a model.
func TestChatWithoutAModelInTwelveLanguages(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for language, s := range inTwelveLanguages {
		owner := "user:" + language
		h.want(h.put("PROFILE.md?owner="+owner, "# Profile\n\n## Identity\n\n- Name: "+s.name+"\n", nil), 201)
		h.want(h.put("memory/2026-03-10.md?owner="+owner, "# 2026-03-10\n\n## 14:05 Family\n\n- \""+s.note+"\"\n", nil), 201)
		h.want(h.post("before-"+language, map[string]any{"owner": owner, "messages": []map[string]any{
			{"id": "m1", "role": "user", "content": s.question}, {"id": "m2", "role": "assistant", "content": "?"},
		}}), 202)
		for i, c := range []struct{ message, has, lacks string }{
			{s.hello, s.greeting, s.note},
			{s.question, s.answer, s.question},
			{s.remember, s.saved, s.note},
			{s.profile, s.known, "never written"},
			{s.work, s.cannot, s.note},
			{s.unknown, s.nothing, s.note},
			{s.self, "ada", s.note},
			{s.tells, s.told, s.note},
			{s.question, s.answer, s.question},
			{s.thanks, s.welcome, s.note},
			{s.bye, s.farewell, s.note},
		} {
			got := as[turn](h, h.want(h.postTo(h.admin, chatPath, map[string]any{
				"agentId": "ada", "owner": owner, "conversationId": "chat-" + language, "message": c.message,
			}), 200))
			if !strings.Contains(got.Answer, c.has) || strings.Contains(got.Answer, c.lacks) {
				t.Errorf("%s: %s\n%s", language, c.message, got.Answer)
			}
			if strings.Contains(got.Answer, "REVERIE_LLM_PROVIDER") != (i == 0) {
				t.Errorf("%s: answer %d says how to configure a model, or the first one does not:\n%s", language, i, got.Answer)
			}
			if doubled := []string{`"“`, `“"`, `"„`, `«"`, `「"`, `"”`, `"»`}; strings.ContainsAny(c.has, "“„«「") {
				for _, marks := range doubled {
					if strings.Contains(got.Answer, marks) {
						t.Errorf("%s: doubled quotation marks %s:\n%s", language, marks, got.Answer)
					}
				}
			}
		}
	}
}

// A person of whom nothing is known hears that, and templates of a new agent are not knowledge.
func TestChatWithoutAModelAndMemories(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for message, want := range map[string]string{
		"What do you know about me?":                            "Nothing about you is in memory yet.",
		"What did I tell you about passwords, keys and codes?":  "I found nothing",
		"Which facts matter in every conversation with anyone?": "I found nothing",
		"Who are you?": "I am ada.",
		"Hello":        "Hello! Ask me",
	} {
		got := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("", "", message)), 200))
		if !strings.Contains(got.Answer, want) || len(got.Quoted) > 0 {
			t.Errorf("%s\n%s", message, got.Answer)
		}
	}
}

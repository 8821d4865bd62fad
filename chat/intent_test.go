package chat

import "testing"

func TestIntentOf(t *testing.T) {
	for want, byLanguage := range map[intent]map[string][]string{
		wantsGreeting: {
			"en": {"Hello!", "Hi Ada", "good morning", "How are you?", "Hey there, Ada!"},
			"zh": {"你好！", "早上好", "你好，小明"},
			"de": {"Hallo!", "Guten Morgen", "Hallo Ada", "Wie geht's?"},
			"es": {"¡Hola!", "Buenos días", "Hola, Ada"},
			"fr": {"Bonjour !", "Salut", "Salut Ada"},
			"pt": {"Olá!", "Bom dia", "Oi, Ada"},
			"it": {"Buongiorno!", "Ciao Ada", "Come stai?"},
			"ja": {"こんにちは", "おはようございます"},
			"ko": {"안녕하세요", "안녕!"},
			"vi": {"Xin chào", "Chào bạn!"},
			"ru": {"Привет!", "Доброе утро", "Привет, Ада"},
			"ar": {"مرحبا", "السلام عليكم", "صباح الخير"},
		},
		wantsThanks: {
			"en": {"Thanks a lot!"}, "zh": {"谢谢"}, "de": {"Danke schön"}, "es": {"Muchas gracias"}, "fr": {"Merci beaucoup"},
			"pt": {"Muito obrigado"}, "it": {"Grazie mille"}, "ja": {"ありがとうございます"}, "ko": {"감사합니다"}, "vi": {"Cảm ơn bạn"},
			"ru": {"Спасибо большое"}, "ar": {"شكرا جزيلا"},
		},
		wantsBye: {
			"en": {"Bye!", "Good night"}, "zh": {"再见"}, "de": {"Tschüss"}, "es": {"Hasta luego"}, "fr": {"Au revoir"}, "pt": {"Tchau"},
			"it": {"Arrivederci"}, "ja": {"さようなら"}, "ko": {"안녕히 계세요"}, "vi": {"Tạm biệt"}, "ru": {"До свидания"}, "ar": {"مع السلامة"},
		},
		wantsProfile: {
			"en": {"What do you know about me?", "Who am I?", "what do you remember about me so far", "Tell me what you know about me."},
			"zh": {"你知道关于我的什么？", "你了解我多少？", "关于我，你知道什么？", "你还记得我什么？"},
			"de": {"Was weißt du über mich?", "Was hast du dir über mich gemerkt?", "Wer bin ich?"},
			"es": {"¿Qué sabes de mí?", "¿Qué sabes sobre mí?", "que sabes sobre mi", "¿Quién soy?"},
			"fr": {"Que sais-tu de moi ?", "Qu'est-ce que tu sais sur moi ?", "Qui suis-je ?"},
			"pt": {"O que você sabe sobre mim?", "Quem sou eu?"},
			"it": {"Che cosa sai di me?", "Chi sono io?"},
			"ja": {"私について何を知っていますか？", "私のこと覚えてる？", "私は誰ですか？"},
			"ko": {"나에 대해 뭘 알고 있어?", "저에 대해 무엇을 기억하세요?", "내가 누구야?"},
			"vi": {"Bạn biết gì về tôi?", "Tôi là ai?"},
			"ru": {"Что ты знаешь обо мне?", "Что вы обо мне помните?", "Кто я?"},
			"ar": {"ماذا تعرف عني؟", "من أنا؟"},
		},
		wantsName: {
			"en": {"What's my name?"}, "zh": {"我叫什么名字？"}, "de": {"wie heiße ich"}, "es": {"¿Cómo me llamo?"},
			"fr": {"Comment je m'appelle ?"},
			"pt": {"Qual é o meu nome?"}, "it": {"Come mi chiamo?"}, "ja": {"私の名前は何ですか？"}, "ko": {"내 이름이 뭐야?"}, "vi": {"Tôi tên là gì?"},
			"ru": {"Как меня зовут?"}, "ar": {"ما اسمي؟"},
		},
		wantsSelf: {
			"en": {"Who are you?", "What can you do?"}, "zh": {"你是谁？", "你能做什么？"}, "de": {"Wer bist du?", "Was kannst du?"},
			"es": {"¿Quién eres?"}, "fr": {"Qui es-tu ?"}, "pt": {"Quem é você?"}, "it": {"Chi sei?"}, "ja": {"あなたは誰ですか？"},
			"ko": {"너는 누구야?"}, "vi": {"Bạn là ai?"}, "ru": {"Кто ты?"}, "ar": {"من أنت؟"},
		},
		wantsWork: {
			"en": {
				"Write a poem about my boat.", "Can you please translate this?", "Tell me a joke",
				"Please, could you draft a letter?",
			},
			"zh": {"写一首关于我的船的诗", "请帮我翻译这句话", "给我讲个笑话"},
			"de": {"Schreib ein Gedicht über mein Boot.", "Kannst du mir bitte einen Brief schreiben?", "Erzähl mir einen Witz"},
			"es": {"Escribe un poema sobre mi barco.", "¿Puedes traducir esto?", "Cuéntame un chiste"},
			"fr": {"Écris un poème sur mon bateau.", "Peux-tu traduire ceci ?", "Raconte-moi une blague"},
			"pt": {"Escreva um poema sobre o meu barco.", "Você pode traduzir isto?", "Me conte uma piada"},
			"it": {"Scrivi una poesia sulla mia barca.", "Puoi tradurre questo?", "Raccontami una barzelletta"},
			"ja": {"私の船について詩を書いてください。", "これを翻訳してくれますか？"},
			"ko": {"내 배에 대한 시를 써 줘.", "이것을 번역해 주세요"},
			"vi": {"Viết một bài thơ về con thuyền của tôi.", "Bạn có thể tóm tắt bài này không?"},
			"ru": {"Напиши стихотворение о моей лодке.", "Можешь перевести это?", "Расскажи анекдот"},
			"ar": {"اكتب قصيدة عن قاربي.", "هل يمكنك أن تترجم هذا؟"},
		},
		tellsFact: {
			"en": {"My boat is called Albatross.", "I had a long day and went to bed early"}, "zh": {"我的船叫信天翁。"},
			"de": {"Mein Boot heißt Albatros."}, "es": {"Mi barco se llama Albatros."}, "fr": {"Mon bateau s'appelle Albatros."},
			"pt": {"O meu barco chama-se Albatroz."}, "it": {"La mia barca si chiama Albatros."}, "ja": {"私の船はアルバトロスです。"},
			"ko": {"내 배 이름은 알바트로스입니다."}, "vi": {"Con thuyền của tôi tên là Hải Âu."}, "ru": {"Моя лодка называется «Альбатрос»."},
			"ar": {"اسم قاربي القطرس."},
		},
		wantsAnswer: {
			"en": {
				"What is my boat called?", "where do I live", "Tell me how many oars are in the boathouse.", "staging port",
				"What do you know about my sister?", "Can you tell me what my boat is called?", "Do you remember Nora?",
				"Hi! Where do I live?", "book club date", "Hello, where is my key?",
			},
			"zh": {"我的船叫什么？", "告诉我我的船叫什么。", "你知道我妹妹的什么事？", "你对我妹妹了解多少？"},
			"de": {"Wie heißt mein Boot?", "Sag mir, wie mein Boot heißt.", "Was weißt du über meine Schwester?", "Hallo, wo wohne ich?"},
			"es": {
				"¿Cómo se llama mi barco?", "Dime cómo se llama mi barco.", "¿Qué sabes de mi hermana?",
				"¿Qué sabes sobre mi hermana?",
			},
			"fr": {"Comment s'appelle mon bateau ?", "Dis-moi comment s'appelle mon bateau.", "Que sais-tu de mon frère ?"},
			"pt": {"Como se chama o meu barco?", "Diga-me como se chama o meu barco.", "O que você sabe sobre minha irmã?"},
			"it": {"Come si chiama la mia barca?", "Dimmi come si chiama la mia barca.", "Che cosa sai di mia sorella?"},
			"ja": {"私の船の名前は何ですか？", "私の船の名前を教えてください。"},
			"ko": {"내 배 이름이 뭐야?", "내 배 이름을 알려 줘."},
			"vi": {"Con thuyền của tôi tên là gì?", "Cho tôi biết con thuyền của tôi tên gì.", "Bạn biết gì về em gái tôi?"},
			"ru": {"Как называется моя лодка?", "Скажи, как называется моя лодка.", "Что ты знаешь о моей сестре?"},
			"ar": {"ما اسم قاربي؟", "أخبرني ما اسم قاربي.", "ماذا تعرف عن أختي؟"},
		},
	} {
		for language, messages := range byLanguage {
			for _, message := range messages {
				if got, in := intentOf(message, ""); got != want || in != language {
					t.Errorf("%q has the intent %d in %s, want %d in %s", message, got, in, want, language)
				}
			}
		}
	}
}

func TestMayState(t *testing.T) {
	for message, want := range map[string]bool{
		"I live in Bonn": true, "ich wohne in Bonn": true, "vivo en Bilbao": true, "tôi sống ở Huế": true, "我住在成都": true, "я живу в Казани": true,
		"where do I live": false, "wo wohne ich": false, "em gái tôi sống ở đâu": false, "我妹妹住在哪里": false, "staging port": false,
	} {
		if got := mayState(message, languageOf(message, "")); got != want {
			t.Errorf("%q may state something: %t, want %t", message, got, want)
		}
	}
}

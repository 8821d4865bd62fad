package window

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTrivial(t *testing.T) {
	trivial := map[string][]string{
		"en": {
			"hi", "Hello!", "hey there", "Good morning :)", "thanks", "Thank you so much!!", "ok", "OK, thanks", "okkkk", "hiiiii",
			"got it", "Sounds good, thank you!", "yes", "No, thanks.", "lol", "hahaha", "bye bye", "I see.", "don't mention it", "What's up?",
			"k", "great, perfect",
		},
		"zh": {"你好", "您好！", "谢谢", "好的，谢谢", "好的谢谢", "嗯嗯", "哈哈哈哈哈", "收到", "明白了", "在吗？", "晚安", "謝謝你", "沒問題", "好", "对的", "太好了！", "你好，谢谢"},
		"vi": {
			"xin chào", "Chào bạn!", "cảm ơn", "cam on", "cảm ơn bạn nhiều", "dạ vâng ạ", "ok nhé", "được rồi", "vâng",
			"hiểu rồi, cảm ơn",
		},
		"es": {
			"hola", "¡Hola!", "¿Qué tal?", "que tal", "muchas gracias", "vale, gracias", "jajaja", "buenos días", "de acuerdo", "sí",
			"adiós",
		},
		"de": {
			"hallo", "Guten Morgen!", "danke schön", "Vielen Dank!", "alles klar, danke", "ja", "nein danke", "tschüss", "tschuss",
			"Na klar!", "super, danke",
		},
		"ja": {"こんにちは", "おはようございます", "ありがとうございます！", "了解です", "はい", "はい、わかりました", "なるほど", "お疲れ様です", "笑", "wwww", "オッケー"},
		"ko": {"안녕하세요", "감사합니다", "네", "네, 알겠습니다", "네감사합니다", "ㅋㅋㅋㅋ", "ㅇㅇ", "ㅠㅠ", "좋아요!", "수고하세요"},
		"ru": {"привет", "Здравствуйте!", "спасибо", "Большое спасибо!", "да", "хорошо, спасибо", "понятно", "хахаха", "пока", "Всё ясно"},
		"ar": {"مرحبا", "السلام عليكم", "شكراً", "شكرا جزيلا", "نعم", "تمام", "هههههه", "صباح الخير", "أهلاً وسهلاً", "حسنًا شكرا"},
		"other": {
			"bonjour", "merci beaucoup", "obrigado!", "grazie mille", "नमस्ते", "धन्यवाद", "สวัสดีครับ", "ขอบคุณค่ะ", "teşekkürler",
			"дякую", "תודה רבה", "ευχαριστώ", "terima kasih", "dziękuję",
		},
		"symbols": {
			"", " ", "\n\t", "👍", "🎉🎉🎉", "👨‍👩‍👧‍👦", "❤️", ":)", ":-D", "xD", "^_^", "...", "!!!", "???", "—", "👌🏽 ok", "\u200b",
			"¯\\_(ツ)_/¯",
		},
	}
	for lang, messages := range trivial {
		for _, m := range messages {
			if !Trivial(m) {
				t.Errorf("%s: %q is worth a search", lang, m)
			}
		}
	}
}

func TestNotTrivial(t *testing.T) {
	questions := map[string][]string{
		"en": {
			"who am I?", "where is it?", "my name?", "what's my dog's name", "how old am I", "which one?",
			"is it Tuesday?", "Anna?", "hi, what did I order?", "thanks, and the address?", "ok so when do we leave", "42", "stop", "help",
			"I moved to Hanoi", "port?", "yes, use Postgres", "no sugar", "good restaurants?", "what time is the bye week",
		},
		"zh": {
			"几点了？", "多少钱", "我叫什么", "我妈妈生日", "好吃吗", "你好，我的名字是什么？", "怎么办", "谢谢，地址呢", "端口号",
			"不好吃", "我不吃辣", "对不对", "行不行",
		},
		"vi": {
			"tôi là ai?", "mấy giờ?", "ở đâu?", "khi nào", "tại sao?", "tên tôi là gì", "bao nhiêu tiền?", "con mèo của tôi", "cháo",
			"được không?", "cảm ơn, còn địa chỉ?",
		},
		"es": {"¿quién soy?", "¿dónde vivo?", "mi perro", "¿cuánto cuesta?", "hola, ¿cómo me llamo?"},
		"de": {
			"wer bin ich?", "wie heiße ich?", "mein Hund", "welches Datum?", "hallo, wie ist meine Adresse?",
			"und Anna?",
		},
		"ja":    {"私は誰？", "名前は？", "犬の名前", "ありがとう、住所は？"},
		"ko":    {"나는 누구야?", "내 이름은?", "몇 시야?", "우리 강아지", "네, 주소는?"},
		"ru":    {"кто я?", "как меня зовут?", "моя собака", "привет, какой адрес?"},
		"ar":    {"من أنا؟", "ما اسمي؟", "كلبي", "مرحبا، ما هو عنواني؟"},
		"other": {"qui suis-je ?", "quem sou eu?", "मेरा नाम क्या है?", "ผมชื่ออะไร", "xyzzy", "C++", "Go", "R2D2", "A/B"},
	}
	for lang, messages := range questions {
		for _, m := range messages {
			if Trivial(m) || SmallTalk(m) {
				t.Errorf("%s: %q is called trivial", lang, m)
			}
		}
	}
}

// TestTrivialProperties: drawing out, shouting, symbols around it and a second phrase after it leave a trivial message trivial;
// a word that is no such phrase makes any of them worth a search.
func TestTrivialProperties(t *testing.T) {
	phrases := []string{"hello", "thanks", "ok", "谢谢", "好的", "cảm ơn", "gracias", "danke", "ありがとう", "감사합니다", "спасибо", "شكرا"}
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(rapid.SampledFrom(phrases), 1, 3).Draw(t, "said")
		marks := rapid.SampledFrom([]string{" ", ", ", "! ", "... ", " 👍 ", "\n", "!!! 🎉 "}).Draw(t, "marks")
		text := strings.Join(said, marks) + rapid.SampledFrom([]string{"", "!", " 🙏", "~~", "。"}).Draw(t, "end")
		if rapid.Bool().Draw(t, "loud") {
			text = strings.ToUpper(text)
		}
		if !Trivial(text) {
			t.Fatalf("%q is worth a search", text)
		}
		word := rapid.SampledFrom([]string{"Anna", "wann", "哪里", "địa", "perro", "住所", "주소", "адрес", "عنوان", "42", "why"}).Draw(t, "word")
		if Trivial(text + " " + word) {
			t.Fatalf("%q is called trivial", text+" "+word)
		}
	})
}

// A word that means nothing by itself is not worth a search.
func TestTrivialWithoutMeaning(t *testing.T) {
	for lang, messages := range map[string][]string{
		"zh":    {"我是谁？", "为什么？", "在哪里？", "谁？", "什么时候", "他呢？", "是不是？", "有没有"},
		"es":    {"¿cuándo?", "por qué?", "¿por qué?", "por que", "¿Por qué no?"},
		"de":    {"wann?", "wo?", "warum?", "warum nicht", "Warum nicht?", "wieso nicht"},
		"fr":    {"pourquoi ?", "pourquoi pas ?"},
		"pt":    {"por quê?", "por que não?"},
		"ko":    {"왜?", "언제?", "어디?"},
		"ru":    {"почему?", "когда?", "где?", "почему нет?"},
		"other": {"kim?", "perché no?", "tại sao không?", "为什么不？", "왜 안돼?", "لماذا لا؟"},
		"en":    {"why?", "when?", "why not", "Why not?!"},
		"ja":    {"なぜ？", "いつ？", "どこ？", "何時ですか", "誰"},
		"ar":    {"متى؟", "أين؟", "لماذا؟"},
	} {
		for _, m := range messages {
			if !Trivial(m) || SmallTalk(m) {
				t.Errorf("%s: %q is worth a search, or small talk", lang, m)
			}
		}
	}
}

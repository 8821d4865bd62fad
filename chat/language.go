package chat

import (
	"reverie/language"
	"reverie/language/script"
)

// languageOf returns the language in which to answer a message with a ready-made sentence: en, zh, ja, vi, es or de. It is
// English when the language is unclear.
func languageOf(text string) string {
	han := false
	for _, r := range text {
		if script.IsKana(r) {
			return "ja"
		}
		han = han || script.IsHan(r)
	}
	if han {
		return "zh"
	}
	switch language.Likeliest(text, language.English, language.Vietnamese, language.Spanish, language.German) {
	case language.Vietnamese:
		return "vi"
	case language.Spanish:
		return "es"
	case language.German:
		return "de"
	}
	return "en"
}

// phrases are ready-made sentences in one language. The verbs of fmt stand for what is said in between.
type phrases struct {
	found   string // what is remembered follows
	closest string // what is remembered and fits badly follows
	nothing string // nothing is remembered
	noModel string // no model is configured
	hello   string // to a message that asks for nothing: a greeting, thanks
	off     string // memory is switched off

	saved     string // line, where
	known     string // line, where
	corrected string // new line, old line, where
	receipt   string // path, receipt: where
	redacted  string // a secret was left out of what is saved
	unclear   string // there is nothing to save
	refused   string // it must not be saved
}

var phrasebook = map[string]phrases{
	"en": {
		found: "From memory:", closest: "Nothing in memory answers that for certain. What comes closest:",
		nothing: "I found nothing about that in memory.",
		noModel: "(No language model is configured, so I only quote what I remember.)",
		hello:   "Ask me about something that you have told me, or tell me what to remember.",
		off:     "Memory is switched off for this agent, so I can neither look anything up nor save it.",
		saved:   "Saved: %s\n(%s)", known: "I have that already: %s\n(%s)",
		receipt: "%s, receipt %s", redacted: "What looks like a secret is left out.",
		corrected: "Corrected: %s\nBefore: %s\n(%s; the old version stays in the history)",
		unclear:   "What should I remember? Please say it as one specific fact.",
		refused:   "I do not save that: it looks like a secret or like an order to me rather than a fact.",
	},
	"zh": {
		found: "根据记忆：", closest: "记忆中没有确切的答案，最接近的是：",
		nothing: "记忆中没有找到相关内容。",
		noModel: "（未配置语言模型，因此我只引用已记住的内容。）",
		hello:   "可以问我你曾告诉过我的事，或者告诉我需要记住什么。",
		off:     "此智能体的记忆已关闭，我无法查找或保存任何内容。",
		saved:   "已保存：%s\n（%s）", known: "我已经记住了：%s\n（%s）",
		receipt: "%s，回执 %s", redacted: "看起来像机密的内容未保存。",
		corrected: "已更正：%s\n之前：%s\n（%s；旧版本保留在历史记录中）",
		unclear:   "需要我记住什么？请说出一个具体的事实。",
		refused:   "我不会保存这条内容：它看起来像机密信息或对我的指令，而不是事实。",
	},
	"ja": {
		found: "記憶より：", closest: "確実な答えは記憶にありません。最も近いもの：",
		nothing: "それについての記憶は見つかりませんでした。",
		noModel: "（言語モデルが設定されていないため、記憶していることを引用するだけです。）",
		hello:   "以前に話してくれたことを聞くか、覚えてほしいことを教えてください。",
		off:     "このエージェントの記憶はオフになっているため、検索も保存もできません。",
		saved:   "保存しました：%s\n（%s）", known: "すでに覚えています：%s\n（%s）",
		receipt: "%s、受付番号 %s", redacted: "秘密情報と思われる部分は保存していません。",
		corrected: "訂正しました：%s\n以前：%s\n（%s。古い版は履歴に残ります）",
		unclear:   "何を覚えればよいですか。具体的な事実を一つ教えてください。",
		refused:   "これは保存しません。事実ではなく、秘密情報または私への指示のように見えます。",
	},
	"vi": {
		found: "Theo trí nhớ:", closest: "Không có câu trả lời chắc chắn trong trí nhớ. Gần nhất là:",
		nothing: "Tôi không tìm thấy gì về điều đó trong trí nhớ.",
		noModel: "(Chưa cấu hình mô hình ngôn ngữ, nên tôi chỉ trích dẫn những gì tôi nhớ.)",
		hello:   "Hãy hỏi tôi về điều bạn đã kể, hoặc cho tôi biết cần nhớ gì.",
		off:     "Trí nhớ của tác nhân này đang tắt, nên tôi không thể tra cứu hay lưu gì.",
		saved:   "Đã lưu: %s\n(%s)", known: "Tôi đã nhớ điều đó: %s\n(%s)",
		receipt: "%s, biên nhận %s", redacted: "Phần giống như bí mật đã được bỏ đi.",
		corrected: "Đã sửa: %s\nTrước đây: %s\n(%s; phiên bản cũ vẫn còn trong lịch sử)",
		unclear:   "Tôi cần nhớ điều gì? Hãy nói một sự việc cụ thể.",
		refused:   "Tôi không lưu điều đó: nó giống một bí mật hoặc một mệnh lệnh hơn là một sự việc.",
	},
	"es": {
		found: "De memoria:", closest: "Nada en la memoria lo responde con certeza. Lo más cercano:",
		nothing: "No he encontrado nada sobre eso en la memoria.",
		noModel: "(No hay ningún modelo de lenguaje configurado, así que solo cito lo que recuerdo.)",
		hello:   "Pregúntame por algo que me hayas contado o dime qué debo recordar.",
		off:     "La memoria de este agente está desactivada: no puedo buscar ni guardar nada.",
		saved:   "Guardado: %s\n(%s)", known: "Ya lo tengo: %s\n(%s)",
		receipt: "%s, recibo %s", redacted: "Lo que parece un secreto no se ha guardado.",
		corrected: "Corregido: %s\nAntes: %s\n(%s; la versión anterior queda en el historial)",
		unclear:   "¿Qué debo recordar? Dímelo como un hecho concreto.",
		refused:   "No lo guardo: parece un secreto o una orden para mí más que un hecho.",
	},
	"de": {
		found: "Aus dem Gedächtnis:", closest: "Nichts im Gedächtnis beantwortet das sicher. Am nächsten kommt:",
		nothing: "Dazu habe ich im Gedächtnis nichts gefunden.",
		noModel: "(Es ist kein Sprachmodell eingerichtet, daher zitiere ich nur, was ich mir gemerkt habe.)",
		hello:   "Frag mich nach etwas, das du mir erzählt hast, oder sag mir, was ich mir merken soll.",
		off:     "Das Gedächtnis dieses Agenten ist ausgeschaltet; ich kann nichts nachschlagen und nichts speichern.",
		saved:   "Gespeichert: %s\n(%s)", known: "Das weiß ich schon: %s\n(%s)",
		receipt: "%s, Beleg %s", redacted: "Was wie ein Geheimnis aussieht, ist weggelassen.",
		corrected: "Berichtigt: %s\nVorher: %s\n(%s; die alte Fassung bleibt im Verlauf)",
		unclear:   "Was soll ich mir merken? Bitte sag es als eine bestimmte Tatsache.",
		refused:   "Das speichere ich nicht: Es sieht eher nach einem Geheimnis oder einer Anweisung an mich aus als nach einer Tatsache.",
	},
}

// phrasesFor are those in a language; in English where there are none.
func phrasesFor(language string) phrases {
	if p, known := phrasebook[language]; known {
		return p
	}
	return phrasebook["en"]
}

package extractive

import (
	"strings"
	"testing"

	"reverie/language/cue"
)

// answers are a question in each language, answers that mean little without it, and one that is a sentence.
var answers = map[string]struct {
	asked, sentence string
	fragments       []string
}{
	"en": {
		"Do you take any medication?", "I take warfarin.",
		[]string{"warfarin, 5 mg every evening since the operation in March last year", "warfarin, and ramipril in the morning", "I do, two."},
	},
	"de": {
		"Nehmen Sie Medikamente?", "Ich nehme Warfarin.",
		[]string{"Warfarin, 5 mg jeden Abend seit der Operation im März letzten Jahres", "Warfarin am Abend, wie meine Mutter"},
	},
	"es": {"¿Tomas algún medicamento?", "Tomo warfarina cada noche.", []string{"warfarina, 5 mg por la noche desde la operación de marzo", "warfarina, como mi madre"}},
	"fr": {
		"Prends-tu des médicaments ?", "Je prends de la warfarine.",
		[]string{"de la warfarine, 5 mg le soir depuis l'opération de mars", "de la warfarine, comme ma mère"},
	},
	"pt": {"Você toma algum remédio?", "Tomo losartana à noite.", []string{"losartana, 5 mg à noite desde a operação de março", "losartana, como minha mãe"}},
	"it": {"Prendi medicine?", "Prendo il warfarin la sera.", []string{"warfarin, 5 mg la sera dopo l'operazione di marzo", "warfarin, come mia madre"}},
	"ru": {"Вы принимаете лекарства?", "Принимаю варфарин вечером.", []string{"варфарин, 5 мг вечером после операции в марте", "варфарин, как моя мать"}},
	"ar": {"هل تتناول أي دواء؟", "أتناول الوارفارين في المساء.", []string{"وارفارين، 5 ملغ كل مساء منذ العملية", "وارفارين مثل والدي"}},
	"zh": {"你在吃什么药吗?", "我每晚吃华法林。", []string{"华法林，每晚5毫克，手术以后一直", "华法林，跟我的妈妈一样"}},
	"ja": {"何か薬を飲んでいますか?", "毎晩ワーファリンを飲んでいます。", []string{"ワーファリン、5mgを毎晩、手術の後から", "ワーファリン、毎晩です"}},
	"ko": {"복용 중인 약이 있나요?", "매일 저녁 와파린을 먹고 있어요.", []string{"와파린, 매일 저녁 5mg, 수술 뒤부터", "와파린이요, 매일 저녁"}},
	"vi": {"Bạn có uống thuốc gì không?", "Mình uống warfarin mỗi tối.", []string{"warfarin, 5 mg mỗi tối từ sau ca mổ tháng ba", "warfarin thôi, mỗi tối"}},
}

// An answer without a subject and a verb is kept with its question, whatever its length, and a sentence without it.
func TestAnswersKeepTheirQuestion(t *testing.T) {
	for _, lang := range cue.Languages {
		asked := answers[lang].asked
		leans := func(text string) bool {
			in := said("a: "+asked, "u: "+text)
			c := listen(in.Transcript, in.Today)
			return len(c.units) > 0 && c.units[0].asked == asked && leansOnQuestion(&c.units[0])
		}
		for _, text := range answers[lang].fragments {
			if !leans(text) {
				t.Errorf("%s: %q lost its question", lang, text)
			}
		}
		if text := answers[lang].sentence; leans(text) {
			t.Errorf("%s: %q has its question", lang, text)
		}
	}
	for asked, text := range map[string]string{ // the question would say what the answer denies
		"Is Siobhan moving to Alberta?":     "No no, Kayla, for her guy's job.",
		"Do you still work at the harbour?": "not since the summer, at the airport now",
		"Is the dose 10 mg?":                "5 mg every evening",
	} {
		in := said("a: "+asked, "u: "+text)
		if c := listen(in.Transcript, in.Today); leansOnQuestion(&c.units[0]) {
			t.Errorf("%q has the question %q", text, asked)
		}
	}
}

// An answer that means nothing without its question keeps it beside a request to remember something else.
func TestAnswerBesideARequest(t *testing.T) {
	for _, c := range []struct{ asked, says, first, second string }{
		{
			"Which medicine do you take?", "warfarin, 5 mg. Please remember that the review is on 3 March.",
			`[Which medicine do you take?] "warfarin, 5 mg."`, `"Please remember that the review is on 3 March [2027-03-03]."`,
		},
		{
			"¿Qué medicamento tomas?", "Sintrom, 4 mg. Recuerda que la revisión es el 3 de marzo.",
			`[¿Qué medicamento tomas?] "Sintrom, 4 mg."`, `"Recuerda que la revisión es el 3 de marzo [2027-03-03]."`,
		},
	} {
		p := propose(said("u: Hello.", "a: "+c.asked, "u: "+c.says, "a: OK."))
		if !strings.Contains(p.MemoryUpdate, "- "+c.first+"\n") || !strings.Contains(p.MemoryUpdate, "- "+c.second+"\n") {
			t.Errorf("%q: MEMORY.md should have two lines:\n%s", c.says, p.MemoryUpdate)
		}
	}
}

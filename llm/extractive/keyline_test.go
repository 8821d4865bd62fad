package extractive

import (
	"strings"
	"testing"

	"reverie/test/corpus"
)

// keyLines are lines of PROFILE.md with a key, and statements of a new value of what has one at a time; old are words of the old value. Without
// them the line stays.
var keyLines = []struct{ line, says, old string }{
	{"City: Leeds", "I've moved to York, by the way, since March.", "Leeds"},
	{"Location: Leeds", "We live in York now.", "Leeds"},
	{"Address: 12 Elm Road, Leeds", "New address from May: we moved to 4 Mill Lane, York.", "Elm Road"},
	{"Job: nurse at St Luke's", "I left St Luke's in May, I work at a hospice now.", "St Luke's"},
	{"Wohnort: Kassel", "Übrigens bin ich im März nach Fulda gezogen.", "Kassel"},
	{"Wohnort: Kassel", "Ich wohne jetzt in Fulda.", "Kassel"},
	{"Beruf: Lehrerin an der Goetheschule", "An der Goetheschule habe ich im Sommer gekündigt.", "Goetheschule"},
	{"城市：武汉", "我上个月搬到长沙了。", "武汉"},
	{"住址：武汉", "我现在住长沙，离公司近。", "武汉"},
	{"工作：银行柜员", "银行那边我辞职了，现在开面包店。", "银行柜员"},
	{"住まい：仙台", "先月、盛岡に引っ越しました。", "仙台"},
	{"住まい：仙台", "今は盛岡に住んでいます。", "仙台"},
	{"仕事：銀行員", "銀行は三月に辞めて、今はパン屋です。", "銀行員"},
	{"Ciudad: León", "Por cierto, me mudé a Gijón en marzo.", "León"},
	{"Ciudad: León", "Ahora vivo en Gijón.", "León"},
	{"Trabajo: cajera en Mercasol", "Dejé Mercasol en mayo, ahora llevo una panadería.", "Mercasol"},
	{"Ville : Metz", "Au fait, j'ai déménagé à Nancy en mars.", "Metz"},
	{"Ville : Metz", "J'habite à Nancy maintenant.", "Metz"},
	{"Travail : caissière chez Mercasol", "J'ai quitté Mercasol en mai, je tiens une boulangerie.", "Mercasol"},
	{"Cidade: Braga", "A propósito, mudei-me para Aveiro em março.", "Braga"},
	{"Cidade: Braga", "Agora moro em Aveiro.", "Braga"},
	{"Trabalho: caixa no Mercasol", "Saí do Mercasol em maio, agora tenho uma padaria.", "Mercasol"},
	{"Città: Parma", "A proposito, mi sono trasferita a Modena a marzo.", "Parma"},
	{"Città: Parma", "Adesso vivo a Modena.", "Parma"},
	{"Lavoro: cassiera al Mercasol", "Ho lasciato il Mercasol a maggio, ora ho un forno.", "Mercasol"},
	{"Город: Тула", "Кстати, в марте я переехала в Орёл.", "Тула"},
	{"Город: Тула", "Я теперь живу в Орле.", "Тула"},
	{"Работа: кассир в Меркасоле", "Из Меркасола я уволилась в мае, теперь пеку хлеб.", "Меркасол"},
	{"거주지: 대전", "참, 3월에 청주로 이사했어요.", "대전"},
	{"거주지: 대전", "지금은 청주에 살아요.", "대전"},
	{"직업: 은행원", "은행은 5월에 그만뒀고 지금은 빵집을 해요.", "은행원"},
	{"Nơi ở: Huế", "À, tháng 3 mình chuyển vào Đà Nẵng rồi.", "Huế"},
	{"Nơi ở: Huế", "Giờ mình sống ở Đà Nẵng.", "Huế"},
	{"Nghề: thu ngân ở Mercasol", "Mình nghỉ việc ở Mercasol hồi tháng 5, giờ mở tiệm bánh.", "Mercasol"},
	{"المدينة: حمص", "بالمناسبة انتقلت إلى طرطوس في آذار.", "حمص"},
	{"المدينة: حمص", "أنا ساكنة في طرطوس هلق.", "حمص"},
	{"العمل: محاسبة في مركاسول", "تركت مركاسول في أيار، وهلق عندي مخبز.", "مركاسول"},

	{"City: Leeds", "My sister moved to York in March.", ""},
	{"City: Leeds", "We might move to York next year.", ""},
	{"Wohnort: Kassel", "Meine Schwester ist nach Fulda gezogen.", ""},
	{"城市：武汉", "我妹妹上个月搬到长沙了。", ""},
	{"住まい：仙台", "妹が盛岡に引っ越しました。", ""},
	{"Ciudad: León", "Mi hermana se mudó a Gijón en marzo.", ""},
	{"Ville : Metz", "Ma sœur a déménagé à Nancy en mars.", ""},
	{"Cidade: Braga", "A minha irmã mudou-se para Aveiro em março.", ""},
	{"Città: Parma", "Mia sorella si è trasferita a Modena a marzo.", ""},
	{"Город: Тула", "Сестра в марте переехала в Орёл.", ""},
	{"거주지: 대전", "동생이 3월에 청주로 이사했어요.", ""},
	{"Nơi ở: Huế", "Em gái mình chuyển vào Đà Nẵng hồi tháng 3.", ""},
	{"المدينة: حمص", "أختي انتقلت إلى طرطوس في آذار.", ""},
	{"Job: nurse at St Luke's", "My brother left St Luke's in May.", ""},
}

// TestKeyLines holds the engine to what it takes back of lines with a key.
func TestKeyLines(t *testing.T) {
	stand, wrong := 0, 0
	for _, c := range keyLines {
		in := said("u: "+c.says, "a: OK.")
		in.Profile = "# Profile\n\n- Xyz: abc\n- " + c.line + "\n- Qwe: rty\n"
		files := strings.Join(corpus.KeptOf(in, propose(in)).Files, "\n")
		switch {
		case c.old != "" && strings.Contains(files, c.line):
			stand++
			t.Logf("stands: %q <- %q", c.line, c.says)
		case c.old == "" && !strings.Contains(files, c.line):
			wrong++
			t.Logf("taken back: %q <- %q", c.line, c.says)
		}
	}
	t.Logf("%d stand, %d are wrongly taken back", stand, wrong)
	if stand > 1 || wrong > 0 {
		t.Error("at most one line may stand, and none may be taken back wrongly")
	}
}

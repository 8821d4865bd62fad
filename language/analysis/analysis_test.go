package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/language"
)

// firstForms returns the first forms of a text's tokens, joined with spaces.
func firstForms(tokens []Token) string {
	forms := make([]string, len(tokens))
	for i, token := range tokens {
		forms[i] = token.Forms[0]
	}
	return strings.Join(forms, " ")
}

func TestAnalyseWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		" \n\t":                       "",
		"!?… — «» 😀 ।":                "",
		"Hello, WORLD!":               "hello world",
		"Melanie's don’t we're she'd": "melanie don't we she",
		"the parents' house":          "the parents house",
		"o'clock O’Brien":             "o'clock o'brien",
		"l’école d'Anne qu'il":        "école anne il",
		"dell'arte":                   "arte",
		"Straße ＡＢＣ":                  "strasse abc",
		"Кто-то в Москве":             "кто-то кто то в москве",
		"п'ять":                       "п'ять",
		"Ελλάδα":                      "ελλάδα",
		"שלום עולם":                   "שלום עולם",
		"مرحبا بالعالم":               "مرحبا بالعالم",
		"नमस्ते दुनिया":               "नमस्ते दुनिया",
		"தமிழ் மொழி":                  "தமிழ் மொழி",
		"_emphasis_ __init__":         "emphasis init",
		"**bold** `code`":             "bold code",
		"a\xffb":                      "a b",
		"北":                           "北",
		"北京":                          "北 北京 京",
		"北京,上海":                       "北 北京 京 上 上海 海",
		"我爱Go语言":                      "我 我爱 爱 go 语 语言 言",
		"お茶タワー":                       "お お茶 茶 タ タワ ワ ワー ー",
		"ﾀﾜｰ":                         "タ タワ ワ ワー ー",
		"東京・大阪":                       "東 東京 京 大 大阪 阪",
		"학교에서":                        "학 학교 교 교에 에 에서 서",
		"Python을":                     "python 을",
		"ที่นี่":                      "ที่ ที่นี่ นี่",
		"ລາວ":                         "ລ ລາ າ າວ ວ",
		"2023年5月":                     "2023 年 5 月",
		"1,000 1.000,50 3.14 007":     "1,000 1.000,50 3.14 007",
		"٢٠٢٣":                        "2023",
		"Go":                          "go",
		"ab\u0300\u0301c":             "ab̀́c",
		"cafe\u0301":                  "café",
		"x\u200by":                    "x y",
		"first.\nSecond":              "first second",
		"日本語とEnglishを混ぜる":             "日 日本 本 本語 語 語と と english を を混 混 混ぜ ぜ ぜる る",
	} {
		if diff := cmp.Diff(want, firstForms(Analyse(text))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestAnalyseIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"db_port":                       "db_port|dbport db port",
		"RFC-7231":                      "rfc-7231|rfc7231 rfc 7231",
		"RFC7231":                       "rfc7231 rfc 7231",
		"user@example.com":              "user@example.com user example.com example com",
		"v1.2.3":                        "v1.2.3 1.2.3",
		"v1.2.3-rc1":                    "v1.2.3-rc1 1.2.3 rc 1",
		"path/to/file.md":               "path/to/file.md path to file.md file md",
		"/etc/hosts":                    "etc/hosts etc hosts",
		`C:\Users\me`:                   `c:\users\me c users me`,
		"https://docs.example.com/a-b/": "https://docs.example.com/a-b https docs.example.com docs example com a-b|ab a b",
		"http://x.org?q=1&r=2":          "http://x.org?q=1&r=2 http x.org x org q 1 r 2",
		"camelCase":                     "camelcase camel case",
		"HTTPServer":                    "httpserver http server",
		"fileURLs":                      "fileurls file urls",
		"URLs PDFs":                     "urls pdfs",
		"iPhone":                        "iphone i phone",
		"C++ and C#":                    "c++ c and c# c",
		"C+":                            "c",
		"a #1":                          "a 1",
		"node.js":                       "node.js node js",
		".env .gitignore":               ".env env .gitignore gitignore",
		"e-mail":                        "e-mail|email e mail",
		"well-known":                    "well-known|wellknown well known",
		"AT&T":                          "at&t at t",
		"std::vector":                   "std::vector std vector",
		"a--b":                          "a b",
		"2023-05-08":                    "2023-05-08|20230508 2023 05|5 08|8",
		"12:30":                         "12:30 12 30",
		"10.0.0.1":                      "10.0.0.1",
		"covid19":                       "covid19 covid 19",
		"1,000":                         "1,000|1000",
		"1.000.000":                     "1.000.000|1000000",
		"1'000":                         "1'000|1000",
		"1,234.56":                      "1,234.56|1234.56",
		"1,2345":                        "1,2345",
		"db_Ｐort":                       "db_port|dbport db port",
		"O'Brien":                       "o'brien|obrien",
		"Müller_straße":                 "müller_strasse|müllerstrasse müller strasse",
		"#hashtag @name":                "hashtag name",
		"50% $5 €20":                    "50 5 20",
	} {
		var got []string
		for _, token := range Analyse(text) {
			var forms []string
			for _, form := range token.Forms {
				if !strings.Contains(form, language.StemMark) {
					forms = append(forms, form)
				}
			}
			got = append(got, strings.Join(forms, "|"))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestAnalyseToken(t *testing.T) {
	text := "Ａ db_port’s 北京"
	want := []Token{
		{Text: "Ａ", Forms: []string{"a"}, Start: 0, End: 3, Stop: true, Position: 0},
		{Text: "db_port", Forms: []string{"db_port", "dbport"}, Kind: Identifier, Start: 4, End: 11, Position: 1},
		{Text: "db", Forms: []string{"db"}, Start: 4, End: 6, Position: 1},
		{Text: "port", Forms: []string{"port"}, Start: 7, End: 11, Position: 2},
		{Text: "北", Forms: []string{"北"}, Kind: Ideographs, Start: 16, End: 19, Position: 3},
		{Text: "北京", Forms: []string{"北京"}, Kind: Ideographs, Start: 16, End: 22, Position: 3},
		{Text: "京", Forms: []string{"京"}, Kind: Ideographs, Start: 19, End: 22, Position: 4},
	}
	got := Analyse(text)
	for i := range got {
		got[i].Forms = withoutStems(got[i].Forms)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func withoutStems(forms []string) []string {
	var found []string
	for _, form := range forms {
		if !strings.Contains(form, language.StemMark) {
			found = append(found, form)
		}
	}
	return found
}

func TestLongForms(t *testing.T) {
	long := strings.Repeat("ж", 40)
	a, b := Analyse(long + "а")[0].Forms[0], Analyse(long + "б")[0].Forms[0]
	if len(a) > language.MaxForm || len(b) > language.MaxForm {
		t.Errorf("forms of %d and %d bytes", len(a), len(b))
	}
	if a == b {
		t.Error("two long words look like one")
	}
	if again := Analyse(strings.ToUpper(long) + "А")[0].Forms[0]; a != again {
		t.Errorf("%q and %q are not one word", a, again)
	}
}

func TestAnalyseQuery(t *testing.T) {
	summary := func(q Query) string {
		var terms []string
		for _, term := range q.Terms {
			s := term.Text
			if term.Stop {
				s = "(" + s + ")"
			}
			terms = append(terms, s)
		}
		return strings.Join(terms, " ")
	}
	for question, want := range map[string]string{
		"":                                    "",
		"?!":                                  "",
		"When did Melanie paint a sunrise?":   "(When) (did) Melanie paint (a) sunrise",
		"the who":                             "the who",
		"What?":                               "What",
		"paint, Paint, PAINT":                 "paint",
		"Where's Anna's book?":                "(Where) Anna book",
		"Wann hat Anna die Städte besucht?":   "(Wann) (hat) Anna (die) Städte besucht",
		"war movies":                          "war movies",
		"Où est la maison de Paul ?":          "(Où) (est) (la) maison (de) Paul",
		"¿Cuándo fue María al cine?":          "(Cuándo) (fue) María (al) cine",
		"Где живёт Анна?":                     "(Где) живёт Анна",
		"什么时候去北京":                             "(什么) (么时) (时候) (候去) 去北 北京",
		"北":                                   "北",
		"北京":                                  "北京",
		"我们":                                  "我们",
		"學校在哪裡":                               "學校 校在 (在哪) (哪裡)",
		"東京に行きますか":                            "東京 京に に行 行き (きま) (ます) (すか)",
		"학교에서 무엇":                             "학교 (교에) (에서) (무엇)",
		"db_port in RFC-7231":                 "db_port db port (in) RFC-7231 RFC 7231",
		"我去了":                                 "我去 去 去了",
		"本を読む":                                "本 本を を読 読む",
		"Quels livres a-t-elle lus ?":         "(Quels) livres (a-t-elle) (a) (t) (elle) lus",
		"집에":                                  "집 집에",
		"Which painting and which paintings?": "(Which) painting (and)",
		"Bạn thích món ăn gì":                 "(Bạn) thích món ăn (gì)",
	} {
		q := NewQuery(question, askedAt)
		if q.Text != question {
			t.Errorf("%q: text %q", question, q.Text)
		}
		if diff := cmp.Diff(want, summary(q)); diff != "" {
			t.Errorf("%q: %s", question, diff)
		}
	}
}

// TestCharacters checks the single characters of longer runs, without function words, and how often terms occur.
func TestCharacters(t *testing.T) {
	q := NewQuery("我去北京,从北京", askedAt)
	var got []string
	for _, term := range q.Searched() {
		got = append(got, fmt.Sprint(term.Text, term.Count))
	}
	if diff := cmp.Diff([]string{"我去1", "去北1", "北京2", "从北1", "去1", "北2", "京2", "从1"}, got); diff != "" {
		t.Error(diff)
	}
	q = NewQuery("Boats, a boat and the boat", askedAt)
	if len(q.Terms) != 4 || q.Terms[0].Count != 3 {
		t.Errorf("%+v", q.Terms)
	}
}

func TestTold(t *testing.T) {
	for question, want := range map[string]bool{
		"Which lens did you recommend for portraits?": true,
		"What was your advice on the visa?":           true,
		"Which lens would you recommend?":             false,
		"What did my sister recommend?":               false,
		"Was hast du mir zu Rom empfohlen?":           true,
		"你推荐的镜头是哪一个？":                                 true,
		"我妈妈推荐的镜头是哪一个？":                               false,
	} {
		if got := NewQuery(question, askedAt).OfAssistant; got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestPhrases(t *testing.T) {
	for question, want := range map[string][]Phrase{
		`who said "Support  Group"?`:        {{"support group", true}},
		`“Zwei Worte” und „noch drei hier“`: {{"zwei worte", true}, {"noch drei hier", true}},
		`「東京タワー」と『大阪』`:                      {{"東京タワー", true}, {"大阪", true}},
		"what is db_port?":                  {{"db_port", false}},
		`"db_port" db_port`:                 {{"db_port", true}},
		`"" "!?" "`:                         nil,
		`don't and can't`:                   nil,
		"RFC-7231 user@example.com":         {{"rfc-7231", false}, {"user@example.com", false}, {"example.com", false}},
	} {
		if diff := cmp.Diff(want, NewQuery(question, askedAt).Phrases); diff != "" {
			t.Errorf("%q: %s", question, diff)
		}
	}
}

// TestAnalyseHostile checks that analysis takes linear time: quadratic time would take minutes for any of these texts.
func TestAnalyseHostile(t *testing.T) {
	const size = 1 << 17 // bytes
	for name, unit := range map[string]string{
		"one word": "a", "marks": "\u0301", "names": "a_", "mail": "a@b.", "dots": "a.", "humps": "aB", "digits": "1a",
		"apostrophes": "a'", "han": "北", "thai marks": "ก\u0e49\u0e49", "hangul": "가a", "invalid": "\xff", "quotes": `"a`,
		"url": "://a", "mixed": "é a", "jamo": "\u1100", "invisible": "\u00ad", "ligatures": "ﬁ", "long numbers": "1,000,",
		"emoji": "👩\u200d", "dotless": "ı", "quote pairs": `" `,
	} {
		text := strings.Repeat(unit, size/len(unit))
		started := time.Now()
		Analyse(text)
		NewQuery(text, askedAt)
		if taken := time.Since(started); taken > 30*time.Second {
			t.Errorf("%s: %v", name, taken)
		}
	}
}

package claim

import (
	"slices"
	"testing"
)

// TestQuotesAreReadByTheirWords compares quoted lines with the statements that they make.
func TestQuotesAreReadByTheirWords(t *testing.T) {
	for line, same := range map[string]string{
		`"I'm allergic to nuts."`:                               "Is allergic to nuts.",
		`"I live in Bonn with my sister."`:                      "Lives in Bonn with a sister.",
		`“We call our dog "Rex".”`:                              `We call our dog "Rex".`,
		`Jonas: "I'm allergic to nuts."`:                        "Jonas is allergic to nuts.",
		`(later: 2026-03-10) "The door code is 4712."`:          "The door code is 4712.",
		`"Our budget is [4800]"`:                                "Our budget is 4800.",
		`[Which city do you live in?] "Bonn, since March."`:     "Which city do you live in: Bonn, since March",
		`Jonas: [Which city do you live in?] "Bonn, in March."`: "Jonas: which city do you live in: Bonn, in March",
		`"我对花生过敏。"`:                                             "我对花生过敏",
		`"Ich esse kein Fleisch."`:                              "Ich esse kein Fleisch",
		`"We fly next Friday [2026-03-20]."`:                    "We fly next Friday, 2026-03-20",
	} {
		if q, ok := QuoteOf(line); !ok || q.String() != line {
			t.Errorf("%s is parsed as %+v, which is written %s", line, q, q)
		}
		a, b := WordsOf(line), WordsOf(same)
		if !SameStatement(a, b) || a.Turns != b.Turns {
			t.Errorf("%s is read as %v (%d), %s as %v (%d)", line, a.Units, a.Turns, same, b.Units, b.Turns)
		}
		if x, y := ContentOf(line), ContentOf(same); !x.equal(y) {
			t.Errorf("%s has the content %v, %s %v", line, x, same, y)
		}
	}
	for line, other := range map[string]string{
		`[Do you smoke?] "No."`:              `[Do you drink?] "No."`,
		`Jonas: "I'm allergic to nuts."`:     `Mia: "I'm allergic to nuts."`,
		`"We fly next Friday [2026-03-20]."`: `"We fly next Friday [2026-03-27]."`,
		`"Our budget is [4800]"`:             `"Our budget is 4500"`,
		`"I don't eat fish."`:                `"I eat fish."`,
	} {
		if SameStatement(WordsOf(line), WordsOf(other)) {
			t.Errorf("%s and %s are one statement", line, other)
		}
	}
	if got := Tags(`[Which city do you live in?] "Bonn, since March."`); len(got) == 0 || got[len(got)-1] != "bonn" {
		t.Errorf("the tags are %q", got)
	}
	older, newer := Read(`"The door code of the lab is 4711."`), Read(`(later: 2026-03-10) "The door code of the lab is 4712."`)
	if why, settled, ok := Dispute(older, newer); !ok || !settled {
		t.Errorf("the later code does not settle the older one: %s, %v, %v", why, settled, ok)
	}
}

func TestIsQuestion(t *testing.T) {
	for text, want := range map[string]bool{
		"Am I allergic to nuts?":                   true,
		`"Am I allergic to nuts?"`:                 true,
		"Wo wohne ich? Weißt du das?":              true,
		"我对花生过敏吗？":                                 true,
		"我住在哪里吗":                                   true,
		"私の名前は何ですか。":                               true,
		"هل أنا نباتي؟":                            true,
		"¿Dónde vivo?":                             true,
		"My back hurts. Any ideas?":                false,
		`[Which city do you live in?] "Bonn."`:     false,
		`[Do you like Bonn?] "Where is that?"`:     true,
		"I asked him: are you sure? He said yes.":  false,
		"The rent is 1,200 francs.":                false,
		"":                                         false,
		`Jonas: "Who has the key?"`:                true,
		"I read the book “Who am I?” in one night": false,
	} {
		if got := IsQuestion(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestRestatedInAClause(t *testing.T) {
	restated := func(text, longer string) bool {
		return slices.ContainsFunc(ClausesOf(longer), WordsOf(text).RestatedIn)
	}
	for text, longer := range map[string]string{
		"Team standup is at 9:30 every weekday.": `"Our team standup is at 9:30 every weekday, so don't plan anything then."`,
		"Is allergic to nuts.":                   `"I'm allergic to nuts. I did not know that until last year... no cake for me."`,
		"Jonas is allergic to nuts.":             `Jonas: "I'm allergic to nuts, so no cake for me today, please."`,
		"我对花生过敏。":                                `"我对花生过敏，所以不要给我推荐有花生的菜。"`,
	} {
		if !restated(text, longer) {
			t.Errorf("%q is not restated in a clause of %q", text, longer)
		}
	}
	for text, longer := range map[string]string{
		"I eat fish":              "I eat fish, but only at my mother's",
		"My back hurts":           "I am not sure that my back hurts, it may be the leg",
		"I live in Bonn":          "If I lived in Bonn, I would cycle to work",
		"Is allergic to nuts.":    `[Is anybody in the house allergic?] "My son is allergic to nuts, so no cake."`,
		"Mia is allergic to nuts": `Jonas: "I'm allergic to nuts, so no cake for me today, please."`,
	} {
		if restated(text, longer) {
			t.Errorf("%q is restated in a clause of %q", text, longer)
		}
	}
}

func TestRestatedIn(t *testing.T) {
	for text, longer := range map[string]string{
		"my back hurts again":              "Ugh, my back hurts so much today",
		"dentist on the 14th":              "I have a dentist appointment on the 14th at 3",
		"Mein Rücken tut schon wieder weh": "Heute tut mir wieder der Rücken weh",
		"我背又疼了":                            "今天背又疼了",
		"腰がまた痛い":                           "今日も腰がまた痛い",
		"허리가 또 아파요":                        "오늘 허리가 또 아파요",
		"Me duele la espalda otra vez":     "Hoy me duele otra vez la espalda",
	} {
		if !WordsOf(text).RestatedIn(WordsOf(longer)) {
			t.Errorf("%q is not restated in %q", text, longer)
		}
	}
	for text, other := range map[string]string{
		"My dog is called Rex":                 "My sister's dog is called Rex",
		"My back hurts":                        "My back does not hurt any more",
		"My daughter Ida plays the cello":      "My daughter Ida plays tennis on Mondays",
		"dentist on the 14th":                  "dentist on the 21st at 3",
		"Ida sings":                            "Ida sings in the choir of the church of Saint Martin in Basel on Sundays",
		"I eat fish":                           "I eat fish only at my mother's",
		"The rent is 900":                      "The rent is 950 now",
		"My back hurts again after the garden": "My back hurts again",
	} {
		if WordsOf(text).RestatedIn(WordsOf(other)) {
			t.Errorf("%q is restated in %q", text, other)
		}
	}
}

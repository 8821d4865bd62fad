package analysis

import (
	"strings"
	"testing"
)

func TestSpeakers(t *testing.T) {
	for text, want := range map[string]string{
		"Ida: I won!\nOtto: What?\nIda: The race.":                  "ida otto",
		"<Ida Lund>: I won!\n <>: Well done.\n <Ida Lund>: Thanks.": "ida lund",
		"**Ida:** I won!\n\n**Otto:** What?\n\n**Ida:** The race.":  "ida otto",
		"[Ida]: I won!\nand so fast\n[Otto]: Good.\n[Ida]: Yes.":    "ida otto",
		"小明：我赢了！\n妈妈：真棒。\n小明：谢谢。":                                   "小明 妈妈",
		"Ida: I won!": "",
		"To: ida@example.com\nFrom: otto@example.com\nSubject: race":    "", // nobody speaks twice
		"Which race did Ida win?\nNote: the last.\nNote: run.\na\nb\nc": "", // mostly something else
		"https://a.example\nhttps://b.example\nhttps://c.example":       "",
		"<>: I won!\n<>: The race.":                                     "",
	} {
		if got := strings.Join(NewQuery(text, askedAt).Speakers, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuestions(t *testing.T) {
	for text, want := range map[string]string{
		"Where is the boat? And I have a cat; what is its name?": "boat 1, cat 2, name 2",
		"Where is the boat? What is the name of the boat?":       "boat 3, name 2",
		"我的船在哪里？另外，猫叫什么名字？":                                      "的船 1, 船 1, 船在 1, 另外 2, 猫叫 2, 名字 2",
		"Where is the boat?":                                   "boat 0",
		"Where is the boat of https://a.example/?boat":         "boat 0, https://a.example 0, a.example 0, example 0",
		"Ida: which boat?\nOtto: which cat?\nIda: mine":        "Ida 0, boat 0, Otto 0, cat 0",
		"User: which boat?\nAssistant: which cat?\nUser: mine": "User 0, boat 0, Assistant 0, cat 0",
		strings.Repeat("Which boat? ", 5):                      "boat 0",
	} {
		var got []string
		for _, term := range NewQuery(text, askedAt).Terms {
			if !term.Stop {
				got = append(got, term.Text+" "+string('0'+rune(term.In)))
			}
		}
		if found := strings.Join(got, ", "); found != want {
			t.Errorf("%q: %s, want %s", text, found, want)
		}
	}
}

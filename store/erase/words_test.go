package erase

import (
	"strings"
	"testing"
	"time"
)

func TestErase(t *testing.T) {
	t.Parallel()
	w := WordsOf([]string{"purple giraffe", "Ann", "紫色长颈鹿"}, []string{"Likes green tea. <!-- memory/2026-01-01.md:3 score 0.80 -->"})
	for text, want := range map[string]string{
		"- Likes tea.\n- Has a dog.\n":                   "- Likes tea.\n- Has a dog.\n", // another statement
		"- User likes green TEA.\n":                      "- [erased]\n",
		"Ugh, I like green tea so much":                  "[erased]",
		"I like green tea. I also have a dog. ":          "[erased] I also have a dog. ",
		"The word is Purple  Giraffe, keep it. Thanks!":  "[erased] Thanks!",
		"> the purple\n> giraffe sleeps":                 "> the [erased] sleeps",
		"## About the purple giraffe\n\nx":               "## [erased]\n\nx",
		"Planning an annual report.":                     "Planning an annual report.",
		"Ask ann about it":                               "[erased]",
		"https://example.org/purple-giraffe/1":           "[erased]",
		"代号是紫色长颈鹿。明天见。":                                  "[erased]明天见。",
		"> 代号是紫色\n> 长颈鹿。明天见。":                            "> 代号是[erased]。明天见。",
		"- **紫色** 长颈鹿":                                   "- [erased]",
		"紫色的长颈鹿":                                         "紫色的长颈鹿", // another phrase
		"{\"x\": \"nothing\"}":                           "{\"x\": \"nothing\"}",
		"  1. purple giraffe\r\n  2. other\r\n":          "  1. [erased]\r\n  2. other\r\n",
		"It was said: \"likes green tea\" in a dialogue": "[erased]",
		"#hashtag purple giraffe":                        "[erased]",
		"":                                               "",
	} {
		got, n := w.Erase(text)
		if got != want || (n > 0) != (got != text) {
			t.Errorf("%q became %q (%d), want %q", text, got, n, want)
		}
		if again, n := w.Erase(got); again != got || n != 0 {
			t.Errorf("%q again: %q (%d)", got, again, n)
		}
	}
	if !(Words{}).Empty() || w.Empty() || !w.In("I like green tea") || w.In("I like coffee") {
		t.Error("empty, in")
	}
}

// Words of scripts without spaces are found in front of letters of others, whatever character they end with.
func TestEraseUnspacedWords(t *testing.T) {
	t.Parallel()
	w := WordsOf([]string{"サーバー", "ㄅㄆㄇ", "กาแฟ"}, nil)
	for text, want := range map[string]string{
		"サーバー2台を買った":   "[erased]",
		"新しいサーバーX。明日。": "[erased]明日。",
		"學ㄅㄆㄇabc。再見。":  "[erased]再見。",
		"ชอบกาแฟ2แก้ว": "[erased]",
		"サービス":         "サービス", // another word
	} {
		if got, _ := w.Erase(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Where sentences end is not certain; a statement is found in every message that makes it.
func TestEraseAcrossAbbreviations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ statement, text, want string }{
		{
			"User's dentist is Dr. Weber.", "My boat is called Mimi. Please remember that my dentist is Dr. Weber. The sun is shining.",
			"My boat is called Mimi. [erased] The sun is shining.",
		},
		{"My dentist is Dr. Weber.", "Please remember that my dentist is Dr. Weber.", "[erased]"},
		{
			"User lives near St. Gallen.", "Hello there. i live near St. Gallen. i have a cat.",
			"Hello there. [erased] i have a cat.",
		},
		{
			"User's vet is Dipl. Kellermann.", "My boat is called Mimi. Please note my vet is Dipl. Kellermann. The sun is shining.",
			"My boat is called Mimi. [erased] The sun is shining.",
		},
		{"My dentist is Dr. Weber.", "My dentist is away. Dr. Meier was here.", "My dentist is away. Dr. Meier was here."},
		{
			"My dentist is Dr. Weber.", "My doctor is Dr. Weber. My dentist is great. The sun is shining.",
			"My doctor is Dr. Weber. My dentist is great. The sun is shining.",
		},
		{"Likes green tea.", "My tea: likes vary; I like green tea; the rest is coffee.", "My tea: likes vary; [erased] the rest is coffee."},
	} {
		if got, _ := WordsOf(nil, []string{c.statement}).Erase(c.text); got != c.want {
			t.Errorf("%q without %q became %q, want %q", c.text, c.statement, got, c.want)
		}
	}
}

// A kept line has what the engine has added in brackets: dates after relative ones, and the question that an answer needs.
func TestEraseWhatWasCompleted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ statement, text, want string }{
		{`"I fly to Rome tomorrow [2026-12-01]."`, "Hello. I fly to Rome tomorrow. Bye.", "Hello. [erased] Bye."},
		{"Flies to Rome next week [week of 2026-11-30].", "I fly to Rome next week!", "[erased]"},
		{`"明天[2026-12-01]我去罗马。"`, "明天我去罗马。好的。", "[erased]好的。"},
		{`"I fly to Rome tomorrow [2026-12-01]."`, "- \"I fly to Rome tomorrow [2026-12-01].\"", "- [erased]"},
		{`"I fly to Rome tomorrow [2026-12-01]."`, "I fly to Oslo tomorrow.", "I fly to Oslo tomorrow."},
		{`[Where do you live?] "Bonn, since March."`, "Bonn, since March. And you?", "[erased] And you?"},
		{`[Where do you live?] "Bonn, since March [2026-03]."`, "Bonn, since March.", "[erased]"},
		{`[Where do you live?] "Bonn, since March."`, "Bonn was rainy since our March holiday.", "Bonn was rainy since our March holiday."},
		{`[Do you smoke?] "Yes."`, "Yes.", "Yes."},
		{`[Which city?] "Bonn, since March."`, "- [Which city?] \"Bonn, since March.\"", "- [erased]"},
	} {
		if got, _ := WordsOf(nil, []string{c.statement}).Erase(c.text); got != c.want {
			t.Errorf("%q without %q became %q, want %q", c.text, c.statement, got, c.want)
		}
	}
}

// Texts that have nothing of the words cost little.
func TestEraseIsQuick(t *testing.T) {
	t.Parallel()
	w := WordsOf(nil, []string{"Wears a turquoise monocle"})
	text := strings.Repeat("The deadline of the project moved to Friday because the review is late. ", 15000)
	began := time.Now()
	if _, n := w.Erase(text); n != 0 {
		t.Errorf("%d", n)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("1 MiB took %v", took)
	}
}

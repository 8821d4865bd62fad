package analysis

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/language"
	"reverie/language/fold"
)

// checkTokens checks invariants of the tokens of any text.
func checkTokens(t rapid.TB, text string) {
	t.Helper()
	tokens := Analyse(text)
	if diff := cmp.Diff(tokens, Analyse(text)); diff != "" {
		t.Fatalf("analysed twice: %s", diff)
	}
	position := 0
	for _, token := range tokens {
		if token.Start < 0 || token.Start >= token.End || token.End > len(text) || text[token.Start:token.End] != token.Text {
			t.Fatalf("%q is not at %d:%d of %q", token.Text, token.Start, token.End, text)
		}
		if len(token.Forms) == 0 {
			t.Fatalf("%q has no form", token.Text)
		}
		for i, form := range token.Forms {
			if form == "" || len(form) > language.MaxForm+8 || slices.Contains(token.Forms[:i], form) {
				t.Fatalf("%q has the forms %q", token.Text, token.Forms)
			}
		}
		source := strings.ReplaceAll(fold.Text(token.Text), "ı", "i")
		if word := token.Forms[0]; len(word) < language.MaxForm-20 && !strings.Contains(source, word) {
			t.Fatalf("%q is not in %q", word, source)
		}
		if token.Position < position-len(text) || token.Position < 0 {
			t.Fatalf("position %d after %d", token.Position, position)
		}
		position = max(position, token.Position)
	}
	none := func(string) {}
	if length := NewIndexer().Piece(text, "", none, none); len(tokens) > 0 && length != position+1 {
		t.Fatalf("length %d, last position %d", length, position)
	}
}

// checkFound checks that every token of a text matches itself.
func checkFound(t rapid.TB, text string) {
	t.Helper()
	var forms []string
	tokens := Analyse(text)
	for _, token := range tokens {
		forms = append(forms, token.Forms...)
	}
	slices.Sort(forms)
	for _, token := range tokens {
		q := NewQuery(token.Text, askedAt)
		found := false
		for _, term := range q.Terms {
			for _, form := range term.Forms {
				if _, ok := slices.BinarySearch(forms, form); ok {
					found = true
				}
			}
		}
		if !found {
			t.Fatalf("%q of %q is not found: %v", token.Text, text, q.Terms)
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	for _, text := range []string{
		"Melanie's paintings, db_port RFC-7231", "user@example.com v1.2.3 path/to/file.md", "camelCase C++ C# node.js .env 1,000 1.000,5",
		"我在北京工作了，什么时候?", "学校에서 Python을 タワー", "ภาษาไทย ລາວ ខ្មែរ မြန်မာ", "Straße ﬁ ½ ㈱ ㎏ İı", "a\u0301\u0301\xff\u200d", "https://a.b/c?d=e#f",
		"don’t l'été rock'n'roll '' ' '", "__a__ a__b -a- a.b.c.", "\u00ad\ufeff\u034f", "e\u0301A\u0300ß", "१२३ ٢٠٢٣", "Ǆ ŉ ﬃ", "Ⱥ@aAʰ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkTokens(t, text)
		checkFound(t, text)
		NewQuery(text, askedAt)
	})
}

// TestNamesOfAnyLetters checks names of any letters, including those whose length changes by folding.
func TestNamesOfAnyLetters(t *testing.T) {
	letters := rapid.SampledFrom(strings.Split("a,b,A,B,Ⱥ,ʰ,ﬁ,½,İ,ẞ,K,Å,é,É,é,Ǆ,1,9,_,-,.,@,/,:,中,Ж", ","))
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(letters, 1, 12).Draw(t, "name"), "")
		checkTokens(t, name)
		for _, token := range Analyse(name) {
			for _, form := range token.Forms {
				if !utf8.ValidString(form) {
					t.Fatalf("%q: the form %q of %q is cut within a letter", name, form, token.Text)
				}
			}
		}
	})
}

// TestEveryWordIsFound checks that words of every script are found at any position.
func TestEveryWordIsFound(t *testing.T) {
	words := rapid.SampledFrom(strings.Fields(`the painting paintings Melanie's don't l'école Städte STRASSE français ñandú
		żółć Việt İstanbul'da
		ışık Москва п'ять Ελλάδα سلام كتابه שלום हिन्दी தமிழ் বাংলা ქართული հայերեն አማርኛ 北京 我在北京 東京タワー ﾀﾜｰ 학교에서 ภาษาไทย ລາວ ខ្មែរ
		မြန်မာ བོད db_port RFC-7231 user@example.com v1.2.3 path/to/file.md camelCase C++ C# node.js .env e-mail 1,000 2023-05-08 12:30 ﬁne ½ ＡＢＣ
		https://example.com/a?b=c AT&T covid19 Python을 x² 我爱Go语言`))
	gaps := rapid.SampledFrom([]string{" ", "\n", ", ", "…", " – ", "\t", "。", "\u3000"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "words") {
			text.WriteString(words.Draw(t, "word"))
			text.WriteString(gaps.Draw(t, "gap"))
		}
		checkTokens(t, text.String())
		checkFound(t, text.String())
	})
}

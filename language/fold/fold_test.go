package fold

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"plain text 123":          "plain text 123",
		"Hello, WORLD":            "hello, world",
		"Straße STRASSE ẞ":        "strasse strasse ss",
		"ＡＢＣ　１２３":                 "abc 123",
		"ﾊﾝｶｸ ｶﾞ":                 "ハンカク ガ",
		"ﬁne ﬂow":                 "fine flow",
		"Cafe\u0301 CAFÉ":         "café café",
		"e\u0301":                 "é",
		"ΣΊΣΥΦΟΣ":                 "σίσυφοσ",
		"İstanbul ISPARTA":        "istanbul isparta",
		"don’t ‘so’":              "don't 'so'",
		"well‑known":              "well-known",
		"Donau\u00addampf":        "donaudampf",
		"a\u200db\ufeffc\u200ed":  "abcd",
		"٢٠٢٣ ۱۲ १२ ๑๒":           "2023 12 12 12",
		"x²":                      "x2",
		"①":                       "1",
		"T\u0308\u0301":           "\u1e97\u0301",
		"МОСКВА":                  "москва",
		"ไทย\u200bไทย":            "ไทย\u200bไทย",
		"\u1100\u1161\u11a8 각":    "각 각",
		"a\xffb":                  "a\uFFFDb",
		"ǅ Ǆ ǆ":                   "dž dž dž",
		"K (kelvin) Å (angstrom)": "k (kelvin) å (angstrom)",
	} {
		if got := Text(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestFoldIsUnicodes checks that folding is Unicode's, except as documented at Text, and idempotent. Greek letters with
// an iota below, and Cherokee, are kept.
func TestFoldIsUnicodes(t *testing.T) {
	fold := cases.Fold()
	var different string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch {
		case 0xD800 <= r && r <= 0xDFFF, 0x3400 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3, r >= 0x20000 && r < 0xE0000:
			continue // not characters, or without case
		case r >= 0xE1000:
			continue // private use
		}
		got := Text(string(r))
		if again := Text(got); again != got {
			t.Errorf("%U: %q becomes %q", r, got, again)
		}
		if isInvisible(r) || unicode.Is(unicode.Nd, r) || unicode.In(r, unicode.Cherokee, unicode.Greek) {
			continue
		}
		if want := norm.NFKC.String(fold.String(norm.NFKC.String(string(r)))); got != want {
			different += string(r)
		}
	}
	if want := "İŉʼ‐‑‘’‛′″‴⁗\u3164\uFFA0"; different != want {
		t.Errorf("folded in another way: %q, want %q", different, want)
	}
}

// TestPlainLettersStayAlone checks the characters that are folded without normalisation.
func TestPlainLettersStayAlone(t *testing.T) {
	for r := rune(0x80); r < 0x20000; r++ {
		folded, properties := plainFold(r), norm.NFKC.PropertiesString(string(r))
		if folded == 0 && !isBoundary(r) {
			continue
		}
		if !properties.BoundaryBefore() {
			t.Errorf("%U combines with the character before it", r)
		}
		if text := string(r); folded != 0 && (norm.NFKC.String(text) != text || string(appendFolded(nil, r)) != string(folded) || len(string(folded)) != len(text)) {
			t.Errorf("%U is folded as %U, want %q", r, folded, appendFolded(nil, r))
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"Straße", "e\u0301\u0301", "ﬁ\xff", "가각", "a\u0300\u0316b", "İı", "½ x", "\u0344"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		if again := Text(folded.Text); again != folded.Text {
			t.Fatalf("%q becomes %q becomes %q", text, folded.Text, again)
		}
		last := 0
		for i := range folded.Text {
			start, end := folded.Origin(i, i+1)
			if start < 0 || start > end || end > len(text) || start < last {
				t.Fatalf("%q: byte %d of %q comes from %d:%d", text, i, folded.Text, start, end)
			}
			last = start
		}
		if _, end := folded.Origin(0, len(folded.Text)); folded.Text != "" && end > len(text) {
			t.Fatalf("%q ends at %d", text, end)
		}
	})
}

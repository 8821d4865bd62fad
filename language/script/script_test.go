package script

import (
	"testing"
	"unicode"
)

func TestPredicates(t *testing.T) {
	for _, test := range []struct {
		r                                      rune
		han, kana, hanOrKana, hangul, unspaced bool
	}{
		{r: 'a'},
		{r: 'é'},
		{r: 'я'},
		{r: ' '},
		{r: '。'},
		{r: '漢', han: true, hanOrKana: true, unspaced: true},
		{r: '々', han: true, hanOrKana: true, unspaced: true},
		{r: '𠀀', han: true, hanOrKana: true, unspaced: true},
		{r: 'の', kana: true, hanOrKana: true, unspaced: true},
		{r: 'カ', kana: true, hanOrKana: true, unspaced: true},
		{r: 'ー', hanOrKana: true, unspaced: true},
		{r: 'ㄅ', unspaced: true},
		{r: '한', hangul: true},
		{r: 'ㅎ', hangul: true},
		{r: 'ไ', unspaced: true},
		{r: 'ລ', unspaced: true},
		{r: 'ក', unspaced: true},
		{r: 'မ', unspaced: true},
	} {
		if IsHan(test.r) != test.han || IsKana(test.r) != test.kana || IsHanOrKana(test.r) != test.hanOrKana ||
			IsHangul(test.r) != test.hangul || IsUnspaced(test.r) != test.unspaced {
			t.Errorf("%q: Han %t, kana %t, Han or kana %t, hangul %t, unspaced %t", test.r, IsHan(test.r), IsKana(test.r), IsHanOrKana(test.r),
				IsHangul(test.r), IsUnspaced(test.r))
		}
	}
	if !HasHan("My favourite is 麻辣烫") || HasHan("カレー") || HasHan("") {
		t.Error("HasHan")
	}
}

// TestBoundsExcludeNothing checks that the lower bounds exclude no character of the scripts.
func TestBoundsExcludeNothing(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if IsHan(r) != unicode.Is(unicode.Han, r) || IsKana(r) != unicode.In(r, unicode.Hiragana, unicode.Katakana) ||
			IsHiragana(r) != unicode.Is(unicode.Hiragana, r) || IsKatakana(r) != unicode.Is(unicode.Katakana, r) ||
			IsHangul(r) != unicode.Is(unicode.Hangul, r) {
			t.Fatalf("%q", r)
		}
	}
}

func TestOf(t *testing.T) {
	for r, want := range map[rune]Script{
		'a': Spaced, '7': Spaced, '_': Spaced, 'é': Spaced, 'я': Spaced, 'ع': Spaced, ' ': None, '.': None, '。': None, '\u0301': Mark,
		'漢': Han, 'の': Han, 'ㄅ': Han, 'カ': Katakana, 'ー': Katakana, '한': Hangul, 'ไ': Thai, 'ລ': Lao, 'ក': Khmer, 'မ': Myanmar,
	} {
		if got := Of(r); got != want {
			t.Errorf("%q is %d, not %d", r, got, want)
		}
	}
}

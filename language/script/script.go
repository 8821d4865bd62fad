// Package script classifies characters by writing system.
package script

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstHan and its siblings are the lowest characters of these scripts. They avoid table lookups for most text.
const (
	firstHan      = 0x2E80
	firstUnspaced = 0x0E00
	firstHangul   = 0x1100
)

// prolonged is the prolonged sound mark of katakana. Unicode assigns it to no single script.
const prolonged = 'ー'

// IsHan reports whether r is a Chinese character, as used in Chinese, Japanese or Korean.
func IsHan(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || r >= firstHan && !isSyllable(r) && unicode.Is(unicode.Han, r)
}

// HasHan reports whether text contains a Chinese character.
func HasHan(text string) bool { return strings.ContainsFunc(text, IsHan) }

// IsKana reports whether r is hiragana or katakana, without the prolonged sound mark.
func IsKana(r rune) bool {
	return r >= firstHan && !isSyllable(r) && unicode.In(r, unicode.Hiragana, unicode.Katakana)
}

// IsHiragana reports whether r is hiragana. In Japanese, particles and endings are.
func IsHiragana(r rune) bool {
	return r >= firstHan && !isSyllable(r) && unicode.Is(unicode.Hiragana, r)
}

// IsKatakana reports whether r is katakana, without the prolonged sound mark.
func IsKatakana(r rune) bool {
	return r >= firstHan && !isSyllable(r) && unicode.Is(unicode.Katakana, r)
}

// IsHanOrKana reports whether r is a Chinese or Japanese character: Han, kana or the prolonged sound mark.
func IsHanOrKana(r rune) bool {
	return r >= firstHan && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == prolonged
}

// IsHangul reports whether r is a Korean syllable or a part of one.
func IsHangul(r rune) bool { return isSyllable(r) || r >= firstHangul && unicode.Is(unicode.Hangul, r) }

// isSyllable reports whether r is a whole Korean syllable.
func isSyllable(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 }

// IsUnspaced reports whether r belongs to a script that is written without spaces between words: Han, kana, bopomofo, Thai,
// Lao, Khmer or Burmese. Korean has spaces.
func IsUnspaced(r rune) bool {
	return r >= firstUnspaced && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == prolonged
}

// EastAsian are the tables of Chinese, Japanese and Korean: Han, kana and hangul, for those who need ranges, such as a pattern of SQL.
var EastAsian = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// Script groups characters by how words are found in a text.
type Script uint8

// Scripts. Han includes hiragana and bopomofo, which continue it. Korean separates words but attaches particles to
// them.
const (
	None   Script = iota // no letter
	Mark                 // belongs to the letter before it
	Spaced               // letters and digits of scripts that separate words
	Han
	Katakana
	Hangul
	Thai
	Lao
	Khmer
	Myanmar
)

// Of returns the script of a folded character.
func Of(r rune) Script {
	switch {
	case r < utf8.RuneSelf:
		if IsAlphanumeric(byte(r)) || r == '_' {
			return Spaced
		}
		return None
	case r < 0x300:
		if unicode.IsLetter(r) {
			return Spaced
		}
		return None
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0x20000 <= r && r <= 0x3FFFF, 0xF900 <= r && r <= 0xFAFF,
		0x3041 <= r && r <= 0x3096, 0x309D <= r && r <= 0x309F, 0x3005 <= r && r <= 0x3007, 0x3105 <= r && r <= 0x312F:
		return Han
	case 0x30A1 <= r && r <= 0x30FA, 0x30FC <= r && r <= 0x30FF, 0x31F0 <= r && r <= 0x31FF:
		return Katakana
	case 0xAC00 <= r && r <= 0xD7FF, 0x1100 <= r && r <= 0x11FF, 0x3131 <= r && r <= 0x318E, 0xA960 <= r && r <= 0xA97F:
		return Hangul
	case unicode.IsMark(r):
		return Mark
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return None
	case 0x0E00 <= r && r <= 0x0E7F:
		return Thai
	case 0x0E80 <= r && r <= 0x0EFF:
		return Lao
	case 0x1780 <= r && r <= 0x17FF:
		return Khmer
	case 0x1000 <= r && r <= 0x109F, 0xAA60 <= r && r <= 0xAA7F:
		return Myanmar
	}
	return Spaced
}

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// MaxMarks bounds how far a boundary is moved to keep a character and its marks together.
const MaxMarks = 32

// MarksAt returns the length in bytes of the marks at the beginning of text, at most MaxMarks of them.
func MarksAt(text string) int {
	n := 0
	for range MaxMarks {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !IsAttached(r) {
			break
		}
		n += size
	}
	return n
}

// IsAttached reports whether r belongs to the character before it: a combining mark, a joiner or a skin tone.
func IsAttached(r rune) bool { return unicode.IsMark(r) || r == 0x200D || 0x1F3FB <= r && r <= 0x1F3FF }

package memory

import "unicode"

// EstimateTokens estimates how many tokens a model counts in s: one for each CJK character, one for four ASCII characters,
// two for three others. It needs no vocabulary and is meant for budgets, not for bills.
func EstimateTokens(s string) int {
	cjk, ascii, other := 0, 0, 0
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII:
			ascii++
		case isCJK(r):
			cjk++
		case r > 0xFFFF: // beyond the basic plane, such as emoji: two units
			other += 2
		default:
			other++
		}
	}
	return cjk + (ascii+3)/4 + (2*other+2)/3
}

// isCJK reports whether r is written without spaces between words: Han, kana, hangul, bopomofo and their punctuation.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}

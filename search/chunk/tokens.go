package chunk

import (
	"unicode"
	"unicode/utf8"
)

// tokenWeight is how many units of weight make a token: weights are whole numbers, so that the weight of a text is exactly
// the sum of the weights of its parts.
const tokenWeight = 12

// Weights of characters, in twelfths of a token. Vocabularies of today take about four ASCII characters for a token, one
// character of a script without spaces, and one and a half of others; beyond the basic plane (rare ideographs, emoji) a
// character is more than one token.
const (
	asciiWeight     = tokenWeight / 4
	otherWeight     = tokenWeight * 2 / 3
	ideographWeight = tokenWeight
	astralWeight    = tokenWeight * 4 / 3
)

// EstimateTokens estimates how many tokens a model counts in text, without a vocabulary: one for each ideograph, syllable or
// kana, a third more for an emoji, a quarter for an ASCII character and two thirds for others, rounded up.
func EstimateTokens(text string) int { return (weigh(text) + tokenWeight - 1) / tokenWeight }

// weigh is the weight of text: weigh(a+b) is weigh(a)+weigh(b) wherever a character does not span both.
func weigh(text string) int {
	w := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			w += asciiWeight
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r > 0xFFFF:
			w += astralWeight
		case r >= 0x1100 && unicode.Is(ideographBlocks, r):
			w += ideographWeight
		default:
			w += otherWeight
		}
	}
	return w
}

// ideographBlocks are the blocks of the basic plane whose characters are about a token each.
var ideographBlocks = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, // hangul jamo
	{Lo: 0x2E80, Hi: 0x2FDF, Stride: 1}, // radicals
	{Lo: 0x3000, Hi: 0x312F, Stride: 1}, // punctuation, hiragana, katakana, bopomofo
	{Lo: 0x3130, Hi: 0x31FF, Stride: 1}, // hangul compatibility jamo, bopomofo and katakana extensions
	{Lo: 0x3200, Hi: 0x4DBF, Stride: 1}, // enclosed and squared, extension A
	{Lo: 0x4E00, Hi: 0xA4CF, Stride: 1}, // unified ideographs, Yi
	{Lo: 0xAC00, Hi: 0xD7FF, Stride: 1}, // hangul syllables, jamo extended B
	{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, // compatibility ideographs
	{Lo: 0xFF00, Hi: 0xFFEF, Stride: 1}, // half and full width forms
}}

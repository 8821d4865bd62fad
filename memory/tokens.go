package memory

import "unicode"

// EstimateTokens estimates how many tokens a model counts in s: one for each CJK character, one for four ASCII characters,
// two for three others, of which those beyond the basic plane (emoji among them) count twice. It needs no vocabulary and is
// meant for budgets, not for bills.
func EstimateTokens(s string) int {
	cjk, ascii, other := 0, 0, 0
	for _, r := range s {
		switch {
		case r <= unicode.MaxASCII:
			ascii++
		case r > 0xFFFF:
			other += 2
		case unicode.Is(cjkBlocks, r):
			cjk++
		default:
			other++
		}
	}
	return cjk + (ascii+3)/4 + (2*other+2)/3
}

// cjkBlocks are the blocks of the basic plane whose characters are about a token each.
var cjkBlocks = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, // hangul jamo
	{Lo: 0x3000, Hi: 0x303F, Stride: 1}, // punctuation
	{Lo: 0x3040, Hi: 0x30FF, Stride: 1}, // hiragana, katakana
	{Lo: 0x3100, Hi: 0x312F, Stride: 1}, // bopomofo
	{Lo: 0x3130, Hi: 0x318F, Stride: 1}, // hangul compatibility jamo
	{Lo: 0x31A0, Hi: 0x31BF, Stride: 1}, // bopomofo extended
	{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, // ideographs extension A
	{Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, // unified ideographs
	{Lo: 0xAC00, Hi: 0xD7AF, Stride: 1}, // hangul syllables
	{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, // compatibility ideographs
	{Lo: 0xFF00, Hi: 0xFFEF, Stride: 1}, // half and full width forms
}}

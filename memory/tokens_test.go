package memory

import "testing"

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":              0,
		"a":             1,
		"abcd":          1,
		"abcde":         2,
		"\x7f":          1,
		"你好":            2,
		"こんにちは":         5,
		"한국어":           3,
		"，。":            2,
		"ＡＢ":            2,
		"é":             1,
		"éé":            2,
		"ééé":           2,
		"😀":             2, // two units
		"\U00020000":    2, // an ideograph beyond the basic plane
		"hello 世界 café": 6, // 2 CJK, 10 ASCII, 1 other
	} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) is %d, want %d", text, got, want)
		}
	}
}

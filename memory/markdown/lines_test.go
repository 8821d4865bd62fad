package markdown

import "testing"

// What LineKey reads by hand are the markers of the pattern.
func TestListMarkersOfLines(t *testing.T) {
	for _, word := range []string{
		"-", "*", "+", "--", "1.", "1)", "1", "123456789.", "1234567890.", "1.)", "a.", ".", ")", "", "１.", "-1.", "1.1.", "•",
	} {
		if got, want := isListMarker(word), listMarker.MatchString(word+" "); got != want {
			t.Errorf("%q: %t, want %t", word, got, want)
		}
	}
}

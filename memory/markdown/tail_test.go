package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTailKeepsWholeLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"one\ntwo\nthree\n", 100, "one\ntwo\nthree\n"},
		{"one\ntwo\nthree\n", 14, "one\ntwo\nthree\n"},
		{"one\ntwo\nthree\n", 13, "two\nthree\n"},
		{"one\ntwo\nthree\n", 10, "two\nthree\n"},
		{"one\ntwo\nthree\n", 9, "three\n"},
		{"a very long line", 4, "line"},
		{"天気が良い\n散歩", 3, "散歩"},
		{"text", 0, ""},
		{"", 5, ""},
	} {
		if got := Tail(c.text, c.limit); got != c.want {
			t.Errorf("Tail(%q, %d) is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 50).Draw(t, "limit")
		got := Tail(text, limit)
		if !strings.HasSuffix(text, got) || utf8.RuneCountInString(got) > limit {
			t.Fatalf("Tail(%q, %d) is %q", text, limit, got)
		}
	})
}

package memory

import (
	"strings"
	"unicode/utf8"
)

// Tail returns the last whole lines of s that fit into limit characters; of a last line that is longer, its end.
func Tail(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	start := len(s)
	for n := 0; n < limit && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	if start == 0 || s[start-1] == '\n' {
		return s[start:]
	}
	if _, rest, found := strings.Cut(s[start:], "\n"); found && rest != "" {
		return rest
	}
	return s[start:]
}

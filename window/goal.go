package window

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	goalPointer = 200 // characters of a goal that is far too long
	goalTimes   = 3   // up to so many times the tokens that it may have its head and tail are left
)

// goal renders what the user wanted first: all of it, head and tail, or when it is very long its beginning. Without tokens for
// it, it is empty.
func goal(text string, limit int, count func(string) int) string {
	text = strings.TrimSpace(text)
	if text == "" || limit <= 0 {
		return ""
	}
	switch n := count(text); {
	case n <= limit:
		return GoalPrefix + "\n" + Escape(text)
	case n <= goalTimes*limit:
		characters := utf8.RuneCountInString(text)
		keep := characters * limit / n
		head, rest := splitAfter(text, keep*3/5)
		middle, tail := splitBefore(rest, keep-keep*3/5)
		return GoalPrefix + "\n" + Escape(head) + leftOut(middle, "") + Escape(tail)
	}
	head, rest := splitAfter(text, goalPointer)
	return GoalPrefix + "\n" + Escape(head) + fmt.Sprintf(" … [%d characters more in the conversation]", utf8.RuneCountInString(rest))
}

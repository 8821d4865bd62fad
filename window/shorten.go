package window

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	trimOver   = 500 // characters above which a tool's result is trimmed
	trimKeep   = 200 // characters of its head, and of its tail, that are left
	clearKeep  = 80  // characters of its head that are left in the one line of a cleared one
	cutTries   = 12  // bounds the search for the longest text within a number of tokens
	longToken  = 16  // characters; few tokens have more, and the search need not begin with texts that are far too long
	cutEndMark = " …"
)

// long reports whether a text has more than trimOver characters.
func long(text string) bool { return len(text) > trimOver && utf8.RuneCountInString(text) > trimOver }

// trimText leaves head and tail of a tool's result, each cleaned as it is shown.
func trimText(content string, clean func(string) string) string {
	head, rest := splitAfter(content, trimKeep)
	middle, tail := splitBefore(rest, trimKeep)
	return clean(head) + leftOut(middle, " of this result") + clean(tail)
}

// clearText leaves one line of a tool's result: which tool, how much, how it began.
func clearText(tool, content string) string { return clearedLine("Result cleared", tool, content) }

// sameText stands in for a result that an earlier message has word by word.
func sameText(tool, content string) string {
	return clearedLine("Same result as an earlier one", tool, content)
}

func clearedLine(what, tool, content string) string {
	head, _ := splitAfter(strings.TrimSpace(content), clearKeep)
	return fmt.Sprintf("[%s: %s, %d characters] %s%s", what, tool, utf8.RuneCountInString(content), oneLine(Escape(head)), cutEndMark)
}

// leftOut is a visible mark for what is cut out of a text.
func leftOut(text, of string) string {
	return fmt.Sprintf("\n[… %d characters%s left out …]\n", utf8.RuneCountInString(text), of)
}

// cutMiddle leaves as much of head and tail of a text as fits into a number of tokens, three parts to two; ok is false when
// nothing does.
func cutMiddle(text string, limit int, count func(string) int, clean func(string) string) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, rest := splitAfter(text, keep*3/5)
		middle, tail := splitBefore(rest, keep-keep*3/5)
		return clean(head) + leftOut(middle, "") + clean(tail)
	})
}

// cutEnd leaves as much of the beginning of a text as fits into a number of tokens.
func cutEnd(text string, limit int, count func(string) int) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, _ := splitAfter(text, keep)
		return strings.TrimSpace(head) + cutEndMark
	})
}

// fitting finds, by halving, how many characters of a text may be kept for what is made of them to have at most limit tokens.
func fitting(text string, limit int, count func(string) int, of func(keep int) string) (short string, ok bool) {
	low, high := 1, min(utf8.RuneCountInString(text)-1, max(limit, 0)*longToken)
	for try := 0; try < cutTries && low <= high; try++ {
		keep := (low + high) / 2
		if made := of(keep); count(made) <= limit {
			short, ok, low = made, true, keep+1
		} else {
			high = keep - 1
		}
	}
	return short, ok
}

// splitAfter splits a text behind its first n characters.
func splitAfter(text string, n int) (head, rest string) {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at], text[at:]
}

// splitBefore splits a text before its last n characters.
func splitBefore(text string, n int) (rest, tail string) {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[:at], text[at:]
}

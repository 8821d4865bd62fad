package remember

import (
	"strings"

	"reverie/dream/judge"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
)

var (
	lineMarker = lazyregexp.New(`^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[ \][ \t]+)?`)
	comment    = lazyregexp.New(`[ \t]*<!--.*?-->`)
)

// plain returns a statement of a document without the comment after it.
func plain(text string) string { return strings.TrimSpace(comment.ReplaceAllString(text, "")) }

// corrects reports whether a statement replaces a line. English and Chinese follow the rules of dreams; in other languages
// both have to name the same subject in the same words.
func corrects(line, said string) bool {
	return judge.Supersedes(line, said) || claim.Replaces(line, said)
}

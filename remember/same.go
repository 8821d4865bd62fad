package remember

import (
	"strings"

	"reverie/dream/judge"
	"reverie/facts/conflict"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
)

var (
	lineMarker = lazyregexp.New(`^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[ \][ \t]+)?`)
	comment    = lazyregexp.New(`[ \t]*<!--.*?-->`)
)

// plain returns a statement of a document without the comment after it.
func plain(text string) string { return strings.TrimSpace(comment.ReplaceAllString(text, "")) }

// corrects reports whether a statement replaces a line. English and Chinese follow the rules of dreams. In other languages both have to
// name the same subject in the same words, or say nothing but where the user lives or another value that people have one of, in any of the
// languages that claims are read in.
func corrects(line, said string) bool {
	return judge.Supersedes(line, said) || claim.Replaces(line, said) || ofUser(line) && ofUser(said) && contradicts(line, said)
}

// ofUser reports whether a text is one claim about the user, and nothing else.
func ofUser(text string) bool {
	claims := claim.ClaimsOf(text)
	return len(claims) == 1 && claims[0].Subject == claim.User && claims[0].Single && claim.Claimed{}.With(text, false).MadeBy(text, false)
}

func contradicts(line, said string) bool {
	v, ok := conflict.Between(conflict.Read(line), conflict.Read(said))
	return ok && v.Why == conflict.Values
}

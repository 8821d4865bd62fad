package judge

import (
	"reverie/language/claim"
	"reverie/memory"
)

// Alike reports whether two statements say the same thing, so that they are one thing in a dream and the second one adds
// nothing to MEMORY.md. It takes them for different when in doubt: a line that stands twice does less harm than one that is lost.
//
// Statements are alike when they are the same but for what memory.EntryID leaves out, or when the words that carry meaning are
// the same in the same order (a phrase may stand in front or at the end), up to endings, a few synonyms and a fifth of words
// that only one of them has. Those may not be numbers, names, identifiers nor people. What turns the sense of a
// statement (not, no longer, used to, plans to, only, if, a question mark) must be in both, and none of them may say after or from
// where the other says before or in. Scripts without spaces are compared by characters.
//
// The relation is symmetric, but not transitive.
func Alike(a, b string) bool {
	return memory.EntryIDOf(a) == memory.EntryIDOf(b) || claim.SameStatement(claim.WordsOf(a), claim.WordsOf(b))
}

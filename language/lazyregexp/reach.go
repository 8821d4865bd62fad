package lazyregexp

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// isAnchored reports whether all matches begin at the beginning of the text.
func isAnchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpConcat:
		return len(re.Sub) > 0 && isAnchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(part *syntax.Regexp) bool { return !isAnchored(part) })
	}
	return false
}

// longest returns a length in bytes that no match exceeds; false if there is none.
func longest(re *syntax.Regexp) (n int, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) * utf8.UTFMax, true
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return utf8.UTFMax, true
	case syntax.OpNoMatch, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return 0, true
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat: // simplified expressions repeat only without a bound
		return 0, false
	case syntax.OpCapture, syntax.OpQuest, syntax.OpConcat, syntax.OpAlternate:
	}
	for _, part := range re.Sub {
		of, ok := longest(part)
		if !ok {
			return 0, false
		}
		if re.Op == syntax.OpAlternate {
			n = max(n, of)
		} else {
			n += of
		}
	}
	return n, true
}

package lazyregexp

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// edge represents, at the beginning or end of a required string, a place that `\b` matches.
const edge = "\x00"

// Limits of required strings. An expression that exceeds them is only filtered by the rest of it.
const (
	requiredAtMost = 3000 // strings of one set
	productAtMost  = 100  // strings that concatenated expressions match
	setsAtMost     = 3    // sets of one expression
	classAtMost    = 24   // runes of a class that is taken for its single runes
)

// needs describes the matches of a part of an expression.
type needs struct {
	exact []string   // all strings that it matches, with edges; nil if they are too many
	sets  [][]string // of each set, each match contains a string
}

// required returns sets of strings: a text that contains none of a set's strings has no match. ASCII letters are in lower case.
func required(re *syntax.Regexp) [][]string {
	n := needsOf(re)
	if n.exact != nil {
		n.sets = append(n.sets, n.exact)
	}
	var out [][]string
	for _, set := range n.sets {
		if cleaned, ok := cleaned(set); ok {
			out = append(out, cleaned)
		}
	}
	slices.SortStableFunc(out, func(a, b []string) int { return cmp.Compare(selects(b), selects(a)) })
	out = slices.CompactFunc(out, slices.Equal)
	return out[:min(len(out), setsAtMost)]
}

// cleaned removes edges inside of strings; false if a string is empty, which every text contains.
func cleaned(set []string) ([]string, bool) {
	var out []string
	for _, s := range set {
		inner := strings.ReplaceAll(s, edge, "")
		if inner == "" {
			return nil, false
		}
		if strings.HasPrefix(s, edge) {
			inner = edge + inner
		}
		if strings.HasSuffix(s, edge) {
			inner += edge
		}
		out = append(out, inner)
	}
	slices.Sort(out)
	return slices.Compact(out), len(out) > 0
}

func needsOf(re *syntax.Regexp) needs {
	switch re.Op {
	case syntax.OpLiteral:
		exact := []string{""}
		for _, r := range re.Rune {
			if isSpecial(r) {
				return needs{}
			}
			exact = product(exact, spellings(r, re.Flags&syntax.FoldCase != 0))
		}
		return needs{exact: exact}
	case syntax.OpCharClass:
		return needs{exact: classOf(re.Rune)}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpNoWordBoundary:
		return needs{exact: []string{""}}
	case syntax.OpWordBoundary:
		return needs{exact: []string{edge}}
	case syntax.OpCapture:
		return needsOf(re.Sub[0])
	case syntax.OpQuest:
		n := needsOf(re.Sub[0])
		if n.exact != nil {
			n.exact = append(slices.Clip(n.exact), "")
		}
		return needs{exact: n.exact}
	case syntax.OpPlus:
		n := needsOf(re.Sub[0])
		if n.exact != nil {
			n.sets = append(n.sets, n.exact)
		}
		return needs{sets: n.sets}
	case syntax.OpConcat:
		return concatenated(re.Sub)
	case syntax.OpAlternate:
		return alternated(re.Sub)
	case syntax.OpNoMatch, syntax.OpAnyCharNotNL, syntax.OpAnyChar, syntax.OpStar, syntax.OpRepeat:
	}
	return needs{} // of an operation that is not known nothing is
}

func concatenated(parts []*syntax.Regexp) (out needs) {
	exact := []string{""}
	whole := true
	next := func() {
		out.sets = append(out.sets, exact)
		exact, whole = []string{""}, false
	}
	for _, part := range parts {
		n := needsOf(part)
		out.sets = append(out.sets, n.sets...)
		if n.exact == nil {
			next()
			continue
		}
		joined := product(exact, n.exact)
		if joined == nil {
			next()
			joined = n.exact
		}
		exact = joined
	}
	if whole {
		out.exact = exact
	} else {
		next()
	}
	return out
}

func alternated(parts []*syntax.Regexp) (out needs) {
	var set []string
	exact := true
	for _, part := range parts {
		n := needsOf(part)
		best := n.exact
		if best == nil {
			exact = false
			for _, s := range n.sets {
				if best == nil || selects(s) > selects(best) {
					best = s
				}
			}
		}
		if best == nil || len(set)+len(best) > requiredAtMost {
			return needs{}
		}
		set = append(set, best...)
	}
	if exact {
		return needs{exact: set}
	}
	return needs{sets: [][]string{set}}
}

// selects measures how few texts contain a string of a set: by the length of the shortest, and then by their number.
func selects(set []string) float64 {
	shortest := len(set[0])
	for _, s := range set {
		shortest = min(shortest, len(s))
	}
	return float64(shortest) + 1/float64(len(set)+1)
}

// product returns each string of a in front of each of b; nil if they are too many.
func product(a, b []string) []string {
	if len(a)*len(b) > max(productAtMost, len(a), len(b)) || b == nil || a == nil {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

// spellings returns the forms in which a text with its ASCII letters in lower case holds a rune.
func spellings(r rune, fold bool) []string {
	forms := []string{folded(r)}
	for other := unicode.SimpleFold(r); fold && r > unicode.MaxASCII && other != r; other = unicode.SimpleFold(other) {
		forms = append(forms, folded(other))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// isSpecial reports whether a rune has a meaning in required strings, or is read where a text is not UTF-8.
func isSpecial(r rune) bool { return r == 0 || r == utf8.RuneError }

// Runes beyond ASCII that fold to ASCII letters. A text with one of them is not filtered.
const (
	longS  = "\u017f"
	kelvin = "\u212a"
)

func folded(r rune) string {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return string(r)
}

// classOf returns the runes of a class, which are given as ranges; nil if they are too many.
func classOf(ranges []rune) (out []string) {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 2*classAtMost {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if isSpecial(r) {
				return nil
			}
			out = append(out, folded(r))
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > classAtMost {
		return nil
	}
	return out
}

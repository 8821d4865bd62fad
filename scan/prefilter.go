package scan

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// pattern is a regular expression that runs only on texts with one of the literals that each of its matches has.
type pattern struct {
	re *regexp.Regexp
	id int // in a prefilter; -1: it always runs
}

// prefilter finds in one pass over a text which patterns may match it. Patterns are many and matches rare.
type prefilter struct {
	patterns int
	byStart  map[[2]byte][]needle
}

type needle struct {
	text string
	id   int
}

// compile adds a pattern; an empty one matches nothing.
func (f *prefilter) compile(expression string) pattern {
	if expression == "" {
		return pattern{}
	}
	re := regexp.MustCompile(expression)
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err) // it compiled
	}
	needles, ok := needlesOf(parsed.Simplify())
	if !ok {
		return pattern{re, -1}
	}
	slices.Sort(needles)
	for _, text := range slices.Compact(needles) {
		start := [2]byte{text[0], text[1]}
		f.byStart[start] = append(f.byStart[start], needle{text, f.patterns})
	}
	f.patterns++
	return pattern{re, f.patterns - 1}
}

// candidates holds which patterns may match a text.
type candidates []bool

func (f *prefilter) scan(text string) candidates {
	found := make(candidates, f.patterns)
	for at := range len(text) - 1 {
		for _, n := range f.byStart[[2]byte{text[at], text[at+1]}] {
			if !found[n.id] && len(text)-at >= len(n.text) && text[at:at+len(n.text)] == n.text {
				found[n.id] = true
			}
		}
	}
	return found
}

// mayMatch reports whether a pattern has to run.
func (c candidates) mayMatch(p pattern) bool { return p.re != nil && (p.id < 0 || c[p.id]) }

// needlesOf returns literals of which every match of a pattern has at least one; false if there are none of two bytes or more.
func needlesOf(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		return []string{text}, len(text) >= 2 && re.Flags&syntax.FoldCase == 0
	case syntax.OpCapture, syntax.OpPlus:
		return needlesOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needlesOf(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			of, ok := needlesOf(sub)
			if !ok {
				return nil, false
			}
			all = append(all, of...)
		}
		return all, true
	case syntax.OpConcat: // the part with the longest literals
		var best []string
		for _, sub := range re.Sub {
			if of, ok := needlesOf(sub); ok && (best == nil || shortest(of) > shortest(best)) {
				best = of
			}
		}
		return best, best != nil
	}
	return nil, false
}

func shortest(texts []string) int {
	least := len(texts[0])
	for _, text := range texts {
		least = min(least, len(text))
	}
	return least
}

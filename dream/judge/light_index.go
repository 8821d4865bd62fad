package judge

import (
	"cmp"
	"slices"

	"reverie/language/claim"
)

const (
	// probes is how many of its rarest units a statement is looked up by. Of two alike statements the longer one has all units of
	// the shorter one, so that one would do, but for units that come in most statements.
	probes = 2
	// maxPosting bounds how many things are compared for one unit: statements that share their rarest units by the hundred (rows of
	// a log) are not worth more.
	maxPosting = 64
)

// wordIndex finds what is alike without comparing everything with everything.
type wordIndex struct {
	frequency map[string]int      // in how many texts a unit is
	byUnit    map[string][]*thing // things that have it
	byRarest  map[string][]*thing // things of whose units it is among the rarest
	order     map[*thing]int
}

// newWordIndex is an empty index that knows how frequent the units of texts are.
func newWordIndex(texts []claim.Words) wordIndex {
	x := wordIndex{
		frequency: map[string]int{}, byUnit: map[string][]*thing{}, byRarest: map[string][]*thing{}, order: map[*thing]int{},
	}
	for _, w := range texts {
		for i, key := range w.Sorted {
			if i == 0 || w.Sorted[i-1] != key {
				x.frequency[key]++
			}
		}
	}
	return x
}

// rarest are the units of a text by which it is looked up.
func (x *wordIndex) rarest(w claim.Words) []string {
	keys := slices.Compact(slices.Clone(w.Sorted))
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.frequency[a], x.frequency[b]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), probes)]
}

func (x *wordIndex) add(t *thing) {
	x.order[t] = len(x.order)
	for i, key := range t.words.Sorted {
		if i == 0 || t.words.Sorted[i-1] != key {
			x.byUnit[key] = append(x.byUnit[key], t)
		}
	}
	for _, key := range x.rarest(t.words) {
		x.byRarest[key] = append(x.byRarest[key], t)
	}
}

// alike is the thing that says the same as w: of several the one that has most in common with it, then the one that was added
// first. Nil when there is none.
func (x *wordIndex) alike(w claim.Words) *thing {
	var best *thing
	share := 0.
	consider := func(posting []*thing) {
		for _, t := range posting[:min(len(posting), maxPosting)] {
			if !claim.SameStatement(t.words, w) {
				continue
			}
			if o := t.words.Overlap(w); best == nil || o > share || o == share && x.order[t] < x.order[best] {
				best, share = t, o
			}
		}
	}
	for _, key := range x.rarest(w) {
		consider(x.byUnit[key])
	}
	for i, key := range w.Sorted {
		if i == 0 || w.Sorted[i-1] != key {
			consider(x.byRarest[key])
		}
	}
	return best
}

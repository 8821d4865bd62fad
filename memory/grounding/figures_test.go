package grounding_test

import (
	"maps"
	"slices"
	"testing"
)

// refusedOf are the shares of faithful statements, in percent, that may be refused by set: what is reached, where that is above
// statementsRefused.
var refusedOf = map[string]float64{"traps": 3.3, "test": 5, "hard": 5.9, "blind": 2.9, "blind2": 3.1, "blind3": 6}

// trapsRefused are the shares of labelled traps, in percent, that must be refused as lines. Most are in English about conversations in other
// languages, so that only their values can be compared.
var trapsRefused = map[string]float64{"hypothetical": 42, "pasted": 35, "roleplay": 30, "code": 57, "assistant": 37}

func TestTrapsOfTheCorpusAreRefused(t *testing.T) {
	all, caught := map[string]int{}, map[string]int{}
	for _, set := range sets {
		n, refused := 0, 0
		for _, c := range talksOf(t, set) {
			for _, k := range c.Keep {
				n++
				if len(c.g.Check("- "+k.Says)) > 0 {
					refused++
				}
			}
			for _, k := range c.Traps {
				all[k.Kind]++
				if len(c.g.Check("- "+k.Says)) > 0 {
					caught[k.Kind]++
				}
			}
		}
		share := 100 * float64(refused) / float64(n)
		t.Logf("%-8s %d of %d faithful statements refused, %.1f %%", set, refused, n, share)
		if share > max(statementsRefused, refusedOf[set]) {
			t.Errorf("%s: %.1f %% of the faithful statements are refused, at most %.1f %% may be", set, share, max(statementsRefused, refusedOf[set]))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		share := 100 * float64(caught[kind]) / float64(all[kind])
		t.Logf("%-14s %d of %d traps refused", kind, caught[kind], all[kind])
		if share < trapsRefused[kind] {
			t.Errorf("%s: %.1f %% of the traps are refused, want %.0f %%", kind, share, trapsRefused[kind])
		}
	}
}

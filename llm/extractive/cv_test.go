package extractive

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"reverie/test/corpus"
)

var points = flag.Bool("points", false, "print the figures of each set at several losses to traps")

// hardest are the sets that are held out unless -points asks for all: training takes a quarter of a minute for each.
var hardest = []string{"hard", "blind"}

// TestCrossValidation measures what the engine keeps of each set with weights that were fitted to the others, which other people wrote.
func TestCrossValidation(t *testing.T) {
	losses := []float64{trapLoss}
	if *points {
		losses = []float64{0, .02, .03, .04, .05, .06}
	}
	defer current().use()
	sets := make([][]corpus.Conversation, len(setNames))
	for i, set := range setNames {
		sets[i] = loadSet(t, corpusFolder+set)
	}
	examples := examplesOf(t, slices.Concat(sets...))
	sums := make([]corpus.Score, len(losses))
	first := 0
	for out, set := range setNames {
		end := first + len(sets[out])
		if !*points && !slices.Contains(hardest, set) {
			first = end
			continue
		}
		for k, m := range trained(t, examples.without(first, end), losses...) {
			m.use()
			var sum corpus.Score
			for i := range sets[out] {
				sum.Add(judge(t, &sets[out][i]))
			}
			sums[k].Add(sum)
			t.Log(corpus.Row(fmt.Sprintf("%s, loss %v", set, losses[k]), sum))
		}
		first = end
	}
	for k, sum := range sums {
		t.Log(corpus.Row(fmt.Sprintf("unseen, loss %v", losses[k]), sum))
	}
	if sum := sums[0]; !*points && (float64(sum.Kept)/float64(sum.Keep) < .89 || float64(sum.Fallen)/float64(sum.Traps) > .125) {
		t.Error("at least .89 of the statements should be kept and at most .125 of the traps")
	}
}

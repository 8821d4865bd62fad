package extractive

import (
	"cmp"
	"slices"
	"testing"

	"reverie/test/corpus"
)

// bag is a line of the files of a conversation with the signs of all clauses that may take it back; it is enough if one does.
type bag struct {
	conversation int
	taken        bool
	foreign      bool // of a file of another conversation
	clauses      []vector
	text         string
}

// foreignFiles is the number of other conversations of the language against which the lines of a file are held. They take nothing back.
const foreignFiles = 14

// bagsOf returns the lines of the files of conversations.
func bagsOf(tb testing.TB, all []corpus.Conversation) []bag {
	tb.Helper()
	spoken := make([][]passage, len(all))
	for k := range all {
		in := inputOf(tb, &all[k])
		c := listen(in.Transcript, in.Today)
		spoken[k] = c.passages()
	}
	var out []bag
	add := func(b bag, c *claim, later []passage) {
		for i := range later {
			p := &later[i]
			windows := p.windows()
			for w := range windows {
				if v, ok := p.signsOf(&windows[w], c); ok {
					b.clauses = append(b.clauses, v)
				}
			}
		}
		b.text = c.text
		if len(b.clauses) > 0 {
			out = append(out, b)
		}
	}
	for k := range all {
		gone := func(text string) bool {
			return slices.ContainsFunc(all[k].Gone, func(words []string) bool { return corpus.Has(text, words) })
		}
		in := inputOf(tb, &all[k])
		n := newNotebook(in, objections{}, all[k].Lang)
		for _, p := range []*page{n.memory, n.profile} {
			for i := range p.lines {
				l := p.at(i)
				if l.code || len(l.terms) == 0 {
					continue
				}
				c := n.claim(p, i)
				add(bag{conversation: k, taken: gone(c.text)}, c, spoken[k])
				others := 0
				if c.set&aboutSelf != 0 { // what others say of their home and work is otherwise
					others = foreignFiles
				}
				for o := range all {
					if o != k && all[o].Lang == all[k].Lang && others < foreignFiles {
						others++
						add(bag{conversation: k, foreign: true}, c, spoken[o])
					}
				}
			}
		}
	}
	return out
}

// trainSigns fits the weights of signs. Of the clauses of a claim that was taken back only the best counts, of other claims the best three.
func trainSigns(bags []bag) (weights []int32, bias int32) {
	weights = make([]int32, signs)
	for _, s := range []int{signShares, signOver, signForget, signCorrect, signChange, signNames, signUnit, signRestated} {
		weights[s] = weightScale
	}
	for range 6 {
		var vectors []vector
		var taken []bool
		for _, b := range bags {
			ordered := slices.Clone(b.clauses)
			slices.SortStableFunc(ordered, func(x, y vector) int { return cmp.Compare(y.score(weights, 0), x.score(weights, 0)) })
			n := 3
			if b.taken {
				n = 1
			}
			for _, v := range ordered[:min(n, len(ordered))] {
				vectors, taken = append(vectors, v), append(taken, b.taken)
			}
		}
		weights, bias = train(vectors, signs, 300, .004, func(i int) (bool, float64) {
			if taken[i] {
				return true, 4
			}
			return false, 1
		})
	}
	return weights, bias
}

// allSets returns the conversations of all sets, by id, but for traps: what is withdrawn there can only be inferred ("Lives in Leeds",
// and later an address in York), which signs do not show.
func allSets(tb testing.TB) []corpus.Conversation {
	tb.Helper()
	var all []corpus.Conversation
	for _, set := range []string{"dev", "test", "heldout"} {
		all = append(all, loadSet(tb, corpusFolder+set)...)
	}
	slices.SortFunc(all, func(a, b corpus.Conversation) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// TestSigns measures on conversations that the weights were not trained on which lines are taken back: those that were, and others.
func TestSigns(t *testing.T) {
	all := allSets(t)
	bags := bagsOf(t, all)
	const folds = 5
	var lines, taken, wrong, foreign, wrongForeign int
	for fold := range folds {
		var in []bag
		for _, b := range bags {
			if b.conversation%folds != fold {
				in = append(in, b)
			}
		}
		weights, bias := trainSigns(in)
		for i := range bags {
			b := &bags[i]
			if b.conversation%folds != fold {
				continue
			}
			hit := slices.ContainsFunc(b.clauses, func(v vector) bool { return isProof(v) || v.score(weights, bias) > unsure })
			switch {
			case b.taken:
				lines++
				if hit {
					taken++
				}
			case b.foreign:
				foreign++
				if hit {
					wrongForeign++
				}
			case hit:
				wrong++
			}
			if *show == "signs" && hit != b.taken {
				t.Logf("%v %s: %s", b.taken, all[b.conversation].ID, b.text)
			}
		}
	}
	t.Logf("unseen: %d of %d lines taken back, %d that were not; of conversations without them %d of %d", taken, lines, wrong, wrongForeign, foreign)
	if taken < lines*8/10 || wrong > 10 || wrongForeign*100 > foreign*8 {
		t.Error("at least eight of ten lines that were taken back should be found, and few others")
	}
}

package extractive

import (
	"cmp"
	"slices"
	"testing"

	"reverie/language/cue"
	"reverie/test/corpus"
)

// bag is a claim of a conversation with the signs of all later clauses that may take it back; it is enough if one does.
type bag struct {
	conversation int
	taken        bool
	line         bool // of a file
	foreign      bool // of a file of another conversation
	clauses      []vector
	text         string
	by           []string
}

// foreignFiles is the number of other conversations of the language against which the lines of a file are held. They take nothing back.
const foreignFiles = 14

// bagsOf returns the claims of conversations: lines of their files, and passages.
func bagsOf(tb testing.TB, all []corpus.Conversation) []bag {
	tb.Helper()
	spoken := make([][]passage, len(all))
	for k := range all {
		in := inputOf(tb, &all[k])
		c := listen(in.Transcript, in.Today)
		spoken[k] = c.passages(nil)
	}
	var out []bag
	add := func(b bag, c *claim, later []passage) {
		for i := range later {
			p := &later[i]
			windows := p.windows()
			for w := range windows {
				if v, ok := p.signsOf(&windows[w], c); ok {
					b.clauses = append(b.clauses, v)
					b.by = append(b.by, windows[w].text)
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
				add(bag{conversation: k, taken: gone(c.text), line: true}, c, spoken[k])
				others := 0
				if c.set&aboutSelf != 0 { // what others say of their home and work is otherwise
					others = foreignFiles
				}
				for o := range all {
					if o != k && all[o].Lang == all[k].Lang && others < foreignFiles {
						others++
						add(bag{conversation: k, line: true, foreign: true}, c, spoken[o])
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
		var examples []example
		for _, b := range bags {
			ordered := slices.Clone(b.clauses)
			slices.SortStableFunc(ordered, func(x, y vector) int { return cmp.Compare(y.score(weights, 0), x.score(weights, 0)) })
			n := 3
			if b.taken {
				n = 1
			}
			for _, v := range ordered[:min(n, len(ordered))] {
				examples = append(examples, example{v: v, keep: b.taken})
			}
		}
		weights, bias = train(examples, signs, 300, func(e example) (bool, float64) {
			if e.keep {
				return true, 4
			}
			return false, 1
		})
	}
	return weights, bias
}

func (b *bag) score(weights []int32, bias int32) (best float64, at int) {
	best = -1000
	for i, v := range b.clauses {
		if s := v.score(weights, bias); s > best {
			best, at = s, i
		}
	}
	return best, at
}

// allSets returns the conversations of all sets, by id.
func allSets(tb testing.TB) []corpus.Conversation {
	tb.Helper()
	var all []corpus.Conversation
	for set := range floors {
		all = append(all, loadSet(tb, corpusFolder+set)...)
	}
	slices.SortFunc(all, func(a, b corpus.Conversation) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// TestSigns cross-validates.
func TestSigns(t *testing.T) {
	all := allSets(t)
	bags := bagsOf(t, all)
	t.Logf("%d claims", len(bags))
	const folds = 5
	type result struct{ lines, linesTaken, said, saidTaken, wrongLines, wrongForeign, wrongSaid int }
	count := func(r *result, b *bag, hit bool) {
		switch {
		case b.taken && b.line:
			r.lines++
			if hit {
				r.linesTaken++
			}
		case b.taken:
			r.said++
			if hit {
				r.saidTaken++
			}
		case !hit:
		case b.foreign:
			r.wrongForeign++
		case b.line:
			r.wrongLines++
		default:
			r.wrongSaid++
		}
	}
	thresholds := []float64{-.5, 0, .5, 1, 1.5}
	results := make([]result, len(thresholds))
	for fold := range folds {
		var in []bag
		for _, b := range bags {
			if b.conversation%folds != fold {
				in = append(in, b)
			}
		}
		w, bias := trainSigns(in)
		for i := range bags {
			if b := &bags[i]; b.conversation%folds == fold {
				s, at := b.score(w, bias)
				if slices.ContainsFunc(b.clauses, isProof) {
					s = max(s, certain)
				}
				for k, th := range thresholds {
					count(&results[k], b, s > th)
				}
				if *show == "signs" && (s > 0) != b.taken {
					t.Logf("%v %.2f %s: %s <- %s", b.taken, s, all[b.conversation].ID, b.text, b.by[at])
				}
			}
		}
	}
	for k, th := range thresholds {
		t.Logf("above %.1f: %+v", th, results[k])
	}
	w, bias := trainSigns(bags)
	var r result
	for i := range bags {
		s, _ := bags[i].score(w, bias)
		count(&r, &bags[i], s > .5)
	}
	t.Logf("trained on all: %+v", r)
	for i, x := range w {
		t.Logf("%6d %s", x, signTexts[i])
	}
	t.Logf("bias %d", bias)
	_ = cue.Kinds
}

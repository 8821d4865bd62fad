package extractive

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"slices"
	"testing"

	"reverie/language/cue"
	"reverie/test/corpus"
)

//go:generate go test -run ^TestWeights$ -update .

var update = flag.Bool("update", false, "write the trained weights")

const (
	corpusFolder   = "../../test/corpus/"
	developmentSet = corpusFolder + "dev"
)

// example is a unit of the development set with its labels.
type example struct {
	conversation  int
	v             vector
	keep, lasting bool
	text          string
}

// examplesOf returns a labelled example for each unit. A unit is kept if it has the words of a statement to keep, alone or with
// the unit before it.
func examplesOf(tb testing.TB, all []corpus.Conversation) []example {
	tb.Helper()
	var out []example
	for k, talk := range all {
		in, err := talk.Input()
		if err != nil {
			tb.Fatal(err)
		}
		c := listen(in.Transcript, in.Today)
		n := newNotebook(in, objections{}, c.lang)
		known := n.known()
		for i := range c.units {
			u := &c.units[i]
			e := example{conversation: k, v: c.vectorOf(i, known), text: u.text}
			for _, w := range talk.Keep {
				if !slices.Contains(w.From, int(u.seq)) {
					continue
				}
				found := 0
				for _, word := range w.Match {
					if corpus.Has(u.text, []string{word}) {
						found++
					}
				}
				if found > 0 && found*2 >= len(w.Match) {
					e.keep = true
					e.lasting = e.lasting || w.Lasting
				}
			}
			if !e.lasting {
				for _, a := range talk.Allow {
					if corpus.Has(u.text, a.Match) {
						e.v = append(e.v, -1) // neither right nor wrong in the files
						break
					}
				}
			}
			for _, trap := range talk.Traps {
				if corpus.Has(u.text, trap.Match) {
					e.lasting = false
					e.keep = e.keep && trap.Where == "lasting"
				}
			}
			out = append(out, e)
		}
	}
	return out
}

// train fits a logistic regression by gradient descent. positive and weight select and weigh the examples. The result is
// rounded, so that it is the same on every machine.
func train(examples []example, n, rounds int, label func(example) (positive bool, weight float64)) (weights []int32, bias int32) {
	const (
		rate    = 2.0
		penalty = 0.004
	)
	w, gradient := make([]float64, n), make([]float64, n)
	weights = make([]int32, n)
	var b float64
	total := 0.0
	for _, e := range examples {
		_, weight := label(e)
		total += weight
	}
	for range rounds {
		clear(gradient)
		gb := 0.0
		for _, e := range examples {
			positive, weight := label(e)
			if weight == 0 {
				continue
			}
			sum := b
			for _, f := range e.v {
				if f >= 0 {
					sum += w[f]
				}
			}
			diff := 1 / (1 + math.Exp(-sum))
			if positive {
				diff--
			}
			diff *= weight / total
			gb += diff
			for _, f := range e.v {
				if f >= 0 {
					gradient[f] += diff
				}
			}
		}
		b -= rate * gb
		for f := range w {
			w[f] -= rate * (gradient[f] + penalty*w[f])
		}
	}
	for f := range w {
		weights[f] = int32(math.Round(w[f] * weightScale))
	}
	return weights, int32(math.Round(b * weightScale))
}

func (e example) plain() vector {
	return slices.DeleteFunc(slices.Clone(e.v), func(f int) bool { return f < 0 })
}

func keepLabel(e example) (bool, float64) {
	if e.keep {
		return true, 2
	}
	return false, 1
}

func lastingLabel(e example) (bool, float64) {
	if e.lasting {
		return true, 1
	}
	if slices.Contains(e.v, -1) {
		return false, 0
	}
	return false, 1
}

// trainingSet returns the conversations to which the weights of features are fitted.
func trainingSet(tb testing.TB) []corpus.Conversation {
	tb.Helper()
	return append(loadSet(tb, developmentSet), loadSet(tb, corpusFolder+"traps")...)
}

func loadSet(tb testing.TB, dir string) []corpus.Conversation {
	tb.Helper()
	all, err := corpus.Load(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// Goals of the thresholds on the development set, in cross-validation.
const (
	keepGoal = .93 // share of the units to keep that reach the note
	junkGoal = .18 // share of the lines of the files that are not lasting
)

// trained returns the weights. The thresholds are set on scores of conversations that the weights were not trained on.
func trained(tb testing.TB, examples []example) (keep, lasting []int32, keepBias, lastingBias int32) {
	tb.Helper()
	const rounds = 3000
	keep, _ = train(examples, features, rounds, keepLabel)
	lasting, _ = train(examples, features, rounds, lastingLabel)
	const folds = 8
	var keepScores, lastingScores []scoredExample
	for fold := range folds {
		var in, out []example
		for _, e := range examples {
			if e.conversation%folds == fold {
				out = append(out, e)
			} else {
				in = append(in, e)
			}
		}
		k, kb := train(in, features, rounds, keepLabel)
		l, lb := train(in, features, rounds, lastingLabel)
		for _, e := range out {
			keepScores = append(keepScores, scoredExample{example: e, score: e.plain().score(k, kb)})
			lastingScores = append(lastingScores, scoredExample{example: e, score: e.plain().score(l, lb)})
		}
	}
	kept := func(e example) (bool, bool) { return e.keep, true }
	keepArea := auc(keepScores, kept)
	tb.Logf("cross-validated: %d examples, area under the curve keep %.4f, lasting %.4f", len(examples), keepArea,
		auc(lastingScores, func(e example) (bool, bool) { return e.lasting, e.lasting || !slices.Contains(e.v, -1) }))
	for i := range keepScores {
		keepScores[i].signals()
	}
	if signals := auc(slices.Clone(keepScores), kept); signals >= keepArea {
		tb.Errorf("counting the signals has an area of %.4f: the weights are no better", signals)
	} else {
		tb.Logf("counting the signals: %.4f", signals)
	}
	for i := range keepScores {
		keepScores[i].score = keepScores[i].trained
	}
	_, kb := train(examples, features, rounds, keepLabel)
	_, lb := train(examples, features, rounds, lastingLabel)
	keepBias = kb - scaled(cut(keepScores, func(e example) (bool, bool) { return e.keep, true },
		func(caught, _ float64) bool { return caught <= keepGoal }))
	lastingBias = lb - scaled(cut(lastingScores, func(e example) (bool, bool) { return e.lasting, e.lasting || !slices.Contains(e.v, -1) },
		func(_, junk float64) bool { return junk <= junkGoal }))
	return keep, lasting, keepBias, lastingBias
}

// auc returns the probability that a right example has a higher score than a wrong one.
func auc(all []scoredExample, label func(example) (right, counts bool)) float64 {
	slices.SortStableFunc(all, func(a, b scoredExample) int { return cmp.Compare(a.score, b.score) })
	wrongs, pairs, rights := 0.0, 0.0, 0.0
	for _, e := range all {
		right, counts := label(e.example)
		switch {
		case right:
			rights++
			pairs += wrongs
		case counts:
			wrongs++
		}
	}
	return pairs / (rights * wrongs)
}

func scaled(score float64) int32 { return int32(math.Round(score * weightScale)) }

// scoredExample is an example with the score that it is ordered by.
type scoredExample struct {
	example
	score   float64
	trained float64
}

// signals scores an example by the number of its signals: the speaker, numbers, dates, names, cues of content, answers, novelty.
func (e *scoredExample) signals() {
	e.trained = e.score
	e.score = 0
	for _, f := range e.v {
		if f == int(cue.Self) || f >= 0 && f < cue.Kinds && contentCues.Has(cue.Kind(f)) || f == featNumber || f == featDate || f == featName ||
			f == featAnswer || f == featNovel || f == featRepeated {
			e.score++
		}
	}
}

// cut returns the lowest score at which the goal holds.
func cut(all []scoredExample, label func(example) (right, counts bool), goal func(caught, wrong float64) bool) float64 {
	rights := 0.0
	for _, e := range all {
		if right, _ := label(e.example); right {
			rights++
		}
	}
	slices.SortStableFunc(all, func(a, b scoredExample) int { return cmp.Compare(b.score, a.score) })
	caught, wrong, at := 0.0, 0.0, all[0].score
	for _, e := range all {
		right, counts := label(e.example)
		switch {
		case right:
			caught++
		case counts:
			wrong++
		}
		if caught > 0 && goal(caught/rights, wrong/(caught+wrong)) {
			at = e.score
		}
	}
	return at
}

// model holds the weights of the features of a unit.
type model struct {
	keep, lasting         []int32
	keepBias, lastingBias int32
}

// use makes m the engine's model, and returns the one before.
func (m model) use() (was model) {
	was = model{keepWeights, lastingWeights, keepBias, lastingBias}
	keepWeights, lastingWeights, keepBias, lastingBias = m.keep, m.lasting, m.keepBias, m.lastingBias
	return was
}

// TestWeights trains the weights anew and compares them with those in the repository.
func TestWeights(t *testing.T) {
	examples := examplesOf(t, trainingSet(t))
	keep, lasting, keepBias, lastingBias := trained(t, examples)
	was := model{keep, lasting, keepBias, lastingBias}.use() // what is kept is what may take a line back
	sign, signBias := trainSigns(bagsOf(t, allSets(t)))
	was.use()
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by go test -run ^TestWeights$ -update; DO NOT EDIT.\n\npackage extractive\n\n"+
		"// Biases and weights of features, times %d. They are fitted to test/corpus/dev and traps, those of signs to all of test/corpus but traps.\nvar (\n", weightScale)
	fmt.Fprintf(&b, "keepBias int32 = %d\nlastingBias int32 = %d\nsignBias int32 = %d\n", keepBias, lastingBias, signBias)
	for _, table := range []struct {
		name    string
		weights []int32
		label   func(int) string
	}{{"keepWeights", keep, featureName}, {"lastingWeights", lasting, featureName}, {"signWeights", sign, func(s int) string { return signTexts[s] }}} {
		fmt.Fprintf(&b, "\n%s = []int32{\n", table.name)
		for f, w := range table.weights {
			fmt.Fprintf(&b, "%d, // %s\n", w, table.label(f))
		}
		b.WriteString("}\n")
	}
	b.WriteString(")\n")
	code, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("weights.go", code, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was, err := os.ReadFile("weights.go"); err != nil || !bytes.Equal(was, code) {
		t.Errorf("weights.go is not what training gives: run go generate ./llm/extractive (%v)", err)
	}
}

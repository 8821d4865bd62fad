package extractive

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"slices"
	"testing"

	"reverie/test/corpus"
)

//go:generate go test -v -run ^TestWeights$ -update .

var update = flag.Bool("update", false, "write the trained weights")

const (
	corpusFolder   = "../../test/corpus/"
	developmentSet = corpusFolder + "dev"
)

// setNames are the folders of labelled conversations, each of other writers. All have been opened.
var setNames = []string{"dev", "traps", "test", "heldout", "hard", "blind", "blind6"}

// example is a unit with its labels.
type example struct {
	conversation  int
	v             vector
	keep, lasting bool
	text          string
}

// trapExample is a unit with its setting, and whether it is a trap. Those that package stance leaves out are examples, too.
type trapExample struct {
	conversation int
	v            vector
	trap         int // kind of trap, from 1; 0: none
	keep         bool
	passes       bool // stance takes it for the speaker's own statement
}

// trapKinds group the kinds of traps by what gives them away.
var trapKinds = map[string]int{
	"irony": 2, "joke": 2, "assistant": 2, "pretext": 2,
	"pasted": 3, "code": 3, "people": 3, "negation": 3,
	"hypothetical": 4, "wish": 4, "moment": 4, "momentary": 4, "question": 4,
} // roleplay, translation, story and the others: 1

// labelled holds the examples of conversations, and of their parts of one and of three messages of the user.
type labelled struct {
	units, parts []example
	traps        []trapExample
}

// examplesOf returns a labelled example for each unit. A unit is kept if it has the words of a statement to keep, alone or with
// the unit before it.
func examplesOf(tb testing.TB, all []corpus.Conversation) labelled {
	tb.Helper()
	var out labelled
	for k := range all {
		talk := &all[k]
		in := inputOf(tb, talk)
		c := listenTo(in.Transcript, in.Today, hearing{whole: true})
		passes := map[string]bool{}
		for i := range c.units {
			u := &c.units[i]
			passes[fmt.Sprint(u.seq, u.text)] = true
			out.units = append(out.units, exampleOf(talk, u, k, c.vectorOf(i)))
		}
		c = listenTo(in.Transcript, in.Today, hearing{everything: true, whole: true})
		for i := range c.units {
			u := &c.units[i]
			e := exampleOf(talk, u, k, c.vectorOf(i))
			t := trapExample{conversation: k, v: c.settingOf(i, e.plain()), keep: e.keep, passes: passes[fmt.Sprint(u.seq, u.text)]}
			lastingOnly := false
			for _, trap := range talk.Traps {
				switch {
				case !corpus.Has(u.text, trap.Match):
				case trap.Where == "lasting":
					lastingOnly = true
				default:
					t.trap, t.keep = max(1, trapKinds[trap.Kind]), false
				}
			}
			if t.trap > 0 || !lastingOnly && (t.keep || t.passes) {
				out.traps = append(out.traps, t)
			}
		}
	}
	out.parts = slices.Concat(exchangesOf(tb, all, 1), exchangesOf(tb, all, briefMessages))
	return out
}

// without returns the examples of other conversations than those from first to before end.
func (l labelled) without(first, end int) labelled {
	number := func(conversation int) (int, bool) {
		if conversation < first {
			return conversation, true
		}
		return conversation - (end - first), conversation >= end
	}
	others := func(all []example) (out []example) {
		for _, e := range all {
			if n, other := number(e.conversation); other {
				e.conversation = n
				out = append(out, e)
			}
		}
		return out
	}
	out := labelled{units: others(l.units), parts: others(l.parts)}
	for _, e := range l.traps {
		if n, other := number(e.conversation); other {
			e.conversation = n
			out.traps = append(out.traps, e)
		}
	}
	return out
}

// exampleOf labels a unit of conversation k with features v.
func exampleOf(talk *corpus.Conversation, u *unit, k int, v vector) example {
	e := example{conversation: k, v: v, text: u.text}
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
	if !e.lasting && slices.ContainsFunc(talk.Allow, func(a corpus.Allow) bool { return corpus.Has(u.text, a.Match) }) {
		e.v = append(e.v, -1) // neither right nor wrong in the files
	}
	for _, trap := range talk.Traps {
		if corpus.Has(u.text, trap.Match) {
			e.lasting = false
			e.keep = e.keep && trap.Where == "lasting"
		}
	}
	return e
}

// train fits a logistic regression by gradient descent with a rate for each feature. label gives the class and the weight of an
// example. The result is rounded, so that it is the same on every machine.
func train(vectors []vector, n, rounds int, penalty float64, label func(i int) (positive bool, weight float64)) (weights []int32, bias int32) {
	const rate = .1
	type one struct {
		v        []int // places in used
		positive bool
		weight   float64
	}
	var examples []one
	total, seen := 0.0, make([]bool, n)
	for i, v := range vectors {
		positive, weight := label(i)
		if weight == 0 {
			continue
		}
		v = slices.DeleteFunc(slices.Clone(v), func(f int) bool { return f < 0 }) // marks
		for _, f := range v {
			seen[f] = true
		}
		examples, total = append(examples, one{v, positive, weight}), total+weight
	}
	var used []int // features: the weights of others stay 0
	place := make([]int, n)
	for f, is := range seen {
		if is {
			place[f] = len(used)
			used = append(used, f)
		}
	}
	for _, e := range examples {
		for k, f := range e.v {
			e.v[k] = place[f]
		}
	}
	w, gradient, squares := make([]float64, len(used)), make([]float64, len(used)), make([]float64, len(used))
	var b float64
	for range rounds {
		clear(gradient)
		gb := 0.0
		for _, e := range examples {
			sum := b
			for _, f := range e.v {
				sum += w[f]
			}
			diff := 1 / (1 + math.Exp(-sum))
			if e.positive {
				diff--
			}
			diff *= e.weight / total
			gb += diff
			for _, f := range e.v {
				gradient[f] += diff
			}
		}
		b -= gb / 2
		for f := range w {
			g := gradient[f] + penalty*w[f]
			squares[f] += g * g
			w[f] -= rate * g / math.Sqrt(squares[f]+1e-9)
		}
	}
	weights = make([]int32, n)
	for k, f := range used {
		weights[f] = int32(math.Round(w[k] * weightScale))
	}
	return weights, int32(math.Round(b * weightScale))
}

// trainUnits fits the weights of the features of units.
func trainUnits(examples []example, label func(example) (bool, float64)) (weights []int32, bias int32) {
	vectors := make([]vector, len(examples))
	for i := range examples {
		vectors[i] = examples[i].v
	}
	return train(vectors, features, 300, .004, func(i int) (bool, float64) { return label(examples[i]) })
}

// trainTraps fits the weights for each kind of trap against everything else that is not a trap.
func trainTraps(examples []trapExample) (weights [][]int32, biases []int32) {
	for kind := 1; kind <= len(trapTexts); kind++ {
		var vectors []vector
		var in []trapExample
		var traps, keeps float64
		weight := func(e *trapExample) float64 {
			if !e.passes || e.trap == 0 && !e.keep {
				return .3
			}
			return 1
		}
		for _, e := range examples {
			switch {
			case e.trap == kind:
				traps += weight(&e)
			case e.trap > 0:
				continue
			case e.keep:
				keeps++
			}
			vectors, in = append(vectors, e.v), append(in, e)
		}
		w, bias := train(vectors, settingFeatures, 300, .005, func(i int) (bool, float64) {
			if in[i].trap > 0 {
				return true, weight(&in[i]) * keeps / traps / 2
			}
			return false, weight(&in[i])
		})
		for f := range w { // as they are stored
			w[f] = min(127, max(-127, int32(math.Round(float64(w[f])/trapScale)))) * trapScale
		}
		weights, biases = append(weights, w), append(biases, bias)
	}
	return weights, biases
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
	var all []corpus.Conversation
	for _, set := range setNames {
		all = append(all, loadSet(tb, corpusFolder+set)...)
	}
	return all
}

func loadSet(tb testing.TB, dir string) []corpus.Conversation {
	tb.Helper()
	all, err := corpus.Load(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// Goals of the thresholds, in cross-validation.
const (
	keepGoal = .985 // share of the units to keep that reach the note, before traps are left out
	junkGoal = .165 // share of the lines of the files that are not lasting
	trapLoss = .06  // share of the units to keep that are taken for traps
	folds    = 4
)

// model holds the weights of the features of a unit and of its setting.
type model struct {
	whole, brief weights
	traps        [][]int32
	trapBiases   []int32
}

// current returns the engine's model.
func current() model {
	return model{wholeWeights, briefWeights, trapWeights(), trapBiases}
}

// use makes m the engine's model, and returns the one before.
func (m model) use() (was model) {
	was = current()
	wholeWeights, briefWeights = m.whole, m.brief
	trapWeights, trapBiases = func() [][]int32 { return m.traps }, m.trapBiases
	return was
}

// fit returns the weights of units without thresholds.
func fit(examples []example) (w weights) {
	w.keep, w.keepBias = trainUnits(examples, keepLabel)
	w.lasting, w.lastingBias = trainUnits(examples, lastingLabel)
	return w
}

// fitted returns the weights of units. The thresholds are set on scores of conversations that the weights were not trained on.
func fitted(tb testing.TB, examples []example) weights {
	tb.Helper()
	var keepScores, lastingScores []scoredExample
	for fold := range folds {
		var in []example
		for _, e := range examples {
			if e.conversation%folds != fold {
				in = append(in, e)
			}
		}
		w := fit(in)
		for _, e := range examples {
			if e.conversation%folds == fold {
				keepScores = append(keepScores, scoredExample{example: e, score: e.plain().score(w.keep, w.keepBias)})
				lastingScores = append(lastingScores, scoredExample{example: e, score: e.plain().score(w.lasting, w.lastingBias)})
			}
		}
	}
	kept := func(e example) (bool, bool) { return e.keep, true }
	lasts := func(e example) (bool, bool) { return e.lasting, e.lasting || !slices.Contains(e.v, -1) }
	tb.Logf("cross-validated: %d examples, area under the curve keep %.4f, lasting %.4f", len(examples), auc(keepScores, kept),
		auc(lastingScores, lasts))
	w := fit(examples)
	w.keepBias -= scaled(cut(keepScores, kept, func(caught, _ float64) bool { return caught <= keepGoal }))
	w.lastingBias -= scaled(cut(lastingScores, lasts, func(_, junk float64) bool { return junk <= junkGoal }))
	return w
}

// trained returns a model for each loss to traps. The thresholds are set on scores of conversations that the weights were not trained on.
func trained(tb testing.TB, examples labelled, losses ...float64) (out []model) {
	tb.Helper()
	m := model{whole: fitted(tb, examples.units), brief: fitted(tb, examples.parts)}
	var trapScores []float64 // of what is to be kept
	for fold := range folds {
		var in []trapExample
		for _, e := range examples.traps {
			if e.conversation%folds != fold {
				in = append(in, e)
			}
		}
		var one model
		one.traps, one.trapBiases = trainTraps(in)
		was := one.use()
		for _, e := range examples.traps {
			if e.conversation%folds == fold && e.keep && e.passes {
				trapScores = append(trapScores, e.v.trap())
			}
		}
		was.use()
	}
	m.traps, m.trapBiases = trainTraps(examples.traps)
	slices.Sort(trapScores)
	at := func(loss float64) float64 {
		if loss == 0 {
			return trapScores[len(trapScores)-1] + weightScale
		}
		return trapScores[len(trapScores)-1-int(loss*float64(len(trapScores)))]
	}
	for _, loss := range losses {
		one := m
		one.trapBiases = slices.Clone(m.trapBiases)
		for k := range one.trapBiases {
			one.trapBiases[k] -= scaled(at(loss))
		}
		out = append(out, one)
	}
	return out
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
	score float64
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

// TestWeights trains the weights again and compares them with those in the repository.
func TestWeights(t *testing.T) {
	m := trained(t, examplesOf(t, trainingSet(t)), trapLoss)[0]
	was := m.use() // only kept lines may be taken back
	sign, signBias := trainSigns(bagsOf(t, allSets(t)))
	was.use()
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by go test -run ^TestWeights$ -update; DO NOT EDIT.\n\npackage extractive\n\n"+
		"// Biases and weights of features in their order, times %d. They are fitted to test/corpus, those of signs to all but traps.\nvar (\n", weightScale)
	fmt.Fprintf(&b, "signBias int32 = %d\n", signBias)
	fmt.Fprintf(&b, "trapBiases = %#v\n", m.trapBiases)
	table := func(begin string, weights []int32, end string) {
		b.WriteString(begin + "[]int32{")
		for f, w := range weights {
			if f%20 == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%d, ", w)
		}
		b.WriteString("\n}" + end + "\n")
	}
	for _, of := range []struct {
		name string
		weights
	}{{"wholeWeights", m.whole}, {"briefWeights", m.brief}} {
		w := of.weights
		fmt.Fprintf(&b, "\n%s = weights{\nkeepBias: %d, lastingBias: %d,\n", of.name, w.keepBias, w.lastingBias)
		table("keep: ", w.keep, ",")
		table("lasting: ", w.lasting, ",")
		b.WriteString("}\n")
	}
	table("\nsignWeights = ", sign, "")
	b.WriteString("\n// A byte for each weight of a trap, in base64.\ntrapTexts = [...]string{\n")
	for _, weights := range m.traps {
		raw := make([]byte, len(weights))
		for f, w := range weights {
			raw[f] = byte(int8(w / trapScale))
		}
		text := base64.StdEncoding.EncodeToString(raw)
		for line := range slices.Chunk([]byte(text), 120) {
			fmt.Fprintf(&b, "%q +\n", line)
		}
		b.Truncate(b.Len() - len(" +\n"))
		b.WriteString(",\n")
	}
	b.WriteString("}\n)\n")
	code, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	switch was, err := os.ReadFile("weights.go"); {
	case err == nil && bytes.Equal(was, code): // left alone: other packages may be compiled meanwhile
	case !*update:
		t.Errorf("weights.go is not what training gives: run go generate ./llm/extractive (%v)", err)
	default:
		if err := os.WriteFile("weights.go", code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

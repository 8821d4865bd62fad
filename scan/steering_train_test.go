package scan

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reverie/language/cue"
)

//go:generate go test -run ^TestInstructionWeights$ -update .

var update = flag.Bool("update", false, "write the trained weights")

// steeringCase is a statement with its label.
type steeringCase struct {
	lang, writer, text, via string
	payload                 bool
	weight                  float64
	sentences               []signs
}

func newCase(lang, writer, text string, payload bool, weight float64) steeringCase {
	return steeringCase{lang: lang, writer: writer, text: text, payload: payload, weight: weight, sentences: readings(text)}
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func filesOf(tb testing.TB, pattern string) []string {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// attackCases are the payloads and benign texts of package attack. The writers of the two sets did not know each other.
func attackCases(tb testing.TB, writer, pattern string) (cases []steeringCase) {
	tb.Helper()
	for _, name := range filesOf(tb, "../test/attack/testdata/"+pattern) {
		for line := range bytes.Lines(readFile(tb, name)) {
			var c struct{ Lang, Kind, Text, Via string }
			if err := json.Unmarshal(line, &c); err != nil {
				tb.Fatal(err)
			}
			labelled := newCase(c.Lang, writer, c.Text, c.Kind == "payload", 1)
			labelled.via = c.Via
			cases = append(cases, labelled)
		}
	}
	return cases
}

// writerCases are statements of two further writers, who knew neither the rules nor each other.
func writerCases(tb testing.TB) (cases []steeringCase) {
	tb.Helper()
	for _, name := range filesOf(tb, "testdata/writers/*.jsonl") {
		writer := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		for line := range bytes.Lines(readFile(tb, name)) {
			var c struct {
				Lang, Text string
				Payload    bool
			}
			if err := json.Unmarshal(line, &c); err != nil {
				tb.Fatal(err)
			}
			cases = append(cases, newCase(c.Lang, writer, c.Text, c.Payload, 1))
		}
	}
	return cases
}

// labelledCases are all statements with a language or a writer, to train without one of them.
func labelledCases(tb testing.TB) []steeringCase {
	tb.Helper()
	var own, short []steeringCase
	for _, name := range filesOf(tb, "testdata/steering/*.txt") {
		lang := strings.TrimSuffix(filepath.Base(name), ".txt")
		for line := range strings.Lines(string(readFile(tb, name))) {
			own = append(own, newCase(lang, "own", strings.TrimSpace(line[1:]), line[0] == '+', 1))
		}
	}
	for _, text := range slices.Concat(poison, poisonHeldOut) {
		short = append(short, newCase("", "short", text, true, 8))
	}
	for _, text := range slices.Concat(plain, plainHeldOut) {
		short = append(short, newCase("", "short", text, false, 8))
	}
	return slices.Concat(own, short, attackCases(tb, "development", "development.jsonl"), attackCases(tb, "heldout", "heldout-*.jsonl"), writerCases(tb))
}

// commonCases are always trained on: the corpora of Scan, what Reverie itself writes, and conversations.
func commonCases(tb testing.TB) (cases []steeringCase) {
	tb.Helper()
	for _, c := range readCorpus(tb, "benign.txt") {
		cases = append(cases, newCase("", "", c.text, false, .3))
	}
	for _, c := range readCorpus(tb, "attacks.txt") {
		if c.class == classOverride {
			cases = append(cases, newCase("", "", c.text, true, 8))
		}
	}
	for line := range strings.Lines(string(readFile(tb, "testdata/program.txt"))) {
		cases = append(cases, newCase("", "", strings.TrimSpace(line), false, 8))
	}
	return append(cases, talkCases(tb, .3, "dev", "test", "hard", "heldout", "blind")...)
}

// talkCases are benign statements: sentences of users in conversations, and notes about them.
func talkCases(tb testing.TB, weight float64, sets ...string) (cases []steeringCase) {
	tb.Helper()
	for _, set := range sets {
		for _, name := range filesOf(tb, "../test/corpus/"+set+"/*.yaml") {
			lang := strings.TrimSuffix(filepath.Base(name), ".yaml")
			for line := range strings.Lines(string(readFile(tb, name))) {
				line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
				quoted, ok := strings.CutPrefix(line, "u: ")
				if !ok {
					quoted, ok = strings.CutPrefix(line, "says: ")
				}
				if text, err := strconv.Unquote(quoted); ok && err == nil {
					cases = append(cases, newCase(lang, set, text, false, weight))
				}
			}
		}
	}
	return cases
}

// documents joins benign cases of a language, every other time with a payload among them.
func documents(cases []steeringCase) (out []steeringCase) {
	const each, size, weight = 40, 5, .3
	benign, payloads := map[string][]string{}, map[string][]string{}
	var langs []string
	for _, c := range cases {
		switch {
		case c.lang == "":
		case c.payload:
			payloads[c.lang] = append(payloads[c.lang], c.text)
		default:
			if benign[c.lang] == nil {
				langs = append(langs, c.lang)
			}
			benign[c.lang] = append(benign[c.lang], c.text)
		}
	}
	for k := range each {
		for _, lang := range langs {
			var lines []string
			for i := range size {
				lines = append(lines, benign[lang][(k*7919+i*104729+k*i*31)%len(benign[lang])])
			}
			bad := k%2 == 1 && len(payloads[lang]) > 0
			if bad {
				lines = slices.Insert(lines, size/2+1, payloads[lang][k*7919%len(payloads[lang])])
			}
			out = append(out, newCase(lang, "", strings.Join(lines, "\n"), bad, weight))
		}
	}
	return out
}

// pairedCues are the cues whose pairs have weights.
var pairedCues = []cue.Kind{cue.Self, cue.You, cue.Request, cue.Ask, cue.Not, cue.Other, cue.Style, cue.Kin}

func isPaired(n int) bool { return n < nSigns || slices.Contains(pairedCues, cue.Kind(n-nSigns)) }

// featuresOf returns the numbers of the weights of a sentence, those of pairs after those of signs.
func featuresOf(s signs) (f []int) {
	all := s.list()
	for i, a := range all {
		f = append(f, a)
		if !isPaired(a) {
			continue
		}
		for _, b := range all[i+1:] {
			if isPaired(b) {
				f = append(f, nFeatures+a*nFeatures+b)
			}
		}
	}
	return f
}

// example is a sentence to train on.
type example struct {
	features      []int
	label, weight float64
}

// trainer fits a logistic regression in which a text is as much of an instruction as the most instructing of its sentences.
type trainer struct {
	bias float64
	w    []float64
	used []int
}

func (t *trainer) score(features []int) float64 {
	sum := t.bias
	for _, f := range features {
		sum += t.w[f]
	}
	return sum
}

// examples returns the sentence of each payload with the highest score, and all sentences of benign texts.
func (t *trainer) examples(cases []steeringCase, features [][][]int, first bool) (out []example) {
	for i, c := range cases {
		if len(features[i]) == 0 {
			continue
		}
		best, most := 0, math.Inf(-1)
		for j, f := range features[i] {
			score := float64(len(f)) // before there are weights, the sentence with the most signs
			if !first {
				score = t.score(f)
			}
			if score > most {
				best, most = j, score
			}
		}
		if c.payload {
			out = append(out, example{features[i][best], 1, c.weight})
			continue
		}
		for j, f := range features[i] {
			weight := c.weight
			if j != best {
				weight /= float64(len(features[i]))
			}
			out = append(out, example{f, 0, weight})
		}
	}
	return out
}

// fit descends the gradient.
func (t *trainer) fit(examples []example) {
	const steps, rate, penalty, pairPenalty = 150, .1, .002, .003
	total := 0.0
	for _, e := range examples {
		total += e.weight
	}
	squares := make([]float64, len(t.w))
	g := make([]float64, len(t.w))
	for range steps {
		clear(g)
		bias := 0.0
		for _, e := range examples {
			d := (1/(1+math.Exp(-t.score(e.features))) - e.label) * e.weight / total
			bias += d
			for _, f := range e.features {
				g[f] += d
			}
		}
		t.bias -= bias
		for _, f := range t.used {
			d := g[f] + penalty*t.w[f]
			if f >= nFeatures {
				d = g[f] + pairPenalty*t.w[f]
			}
			squares[f] += d * d
			t.w[f] -= rate * d / math.Sqrt(squares[f]+1e-9)
		}
	}
}

func trainModel(cases []steeringCase) model {
	const rounds, minSupport, scale = 4, 4, 100
	cases = slices.Concat(cases, documents(cases))
	t := trainer{w: make([]float64, nFeatures+nFeatures*nFeatures)}
	support := make([]int, len(t.w))
	features := make([][][]int, len(cases))
	for i, c := range cases {
		seen := map[int]bool{}
		for _, s := range c.sentences {
			f := featuresOf(s)
			features[i] = append(features[i], f)
			for _, n := range f {
				if !seen[n] {
					seen[n] = true
					support[n]++
				}
			}
		}
	}
	rare := func(f int) bool { return support[f] < minSupport }
	for f := range t.w {
		if !rare(f) {
			t.used = append(t.used, f)
		}
	}
	for _, sentences := range features {
		for j := range sentences {
			sentences[j] = slices.DeleteFunc(sentences[j], rare)
		}
	}
	for round := range rounds {
		t.fit(t.examples(cases, features, round == 0))
	}
	m := *parseModel("")
	m.bias = int32(math.Round(t.bias * scale))
	for a := range nFeatures {
		m.single[a] = int32(math.Round(t.w[a] * scale))
	}
	for p := range m.pair {
		m.pair[p] = int32(math.Round(t.w[nFeatures+p] * scale))
	}
	return m
}

// String returns the lines of the file of weights.
func (m *model) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "bias %d\n", m.bias)
	for a, w := range m.single {
		if w != 0 {
			fmt.Fprintf(&out, "%s %d\n", featureName(a), w)
		}
	}
	for p, w := range m.pair {
		if w != 0 {
			fmt.Fprintf(&out, "%s %s %d\n", featureName(p/nFeatures), featureName(p%nFeatures), w)
		}
	}
	return out.String()
}

// The weights are those that training makes of the cases.
func TestInstructionWeights(t *testing.T) {
	m := trainModel(slices.Concat(commonCases(t), labelledCases(t)))
	text := m.String()
	if *update {
		if err := os.WriteFile("weights.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != weightText {
		t.Error("weights.txt is not what training makes; run go generate ./scan")
	}
}

// is reports whether the statement waits, and whether it steers, with other weights: what Instruction and Steers return.
func (c *steeringCase) is(m *model) (waits, steers bool) {
	carried := slices.ContainsFunc(carriers, func(r carrier) bool { return r.pattern.MatchString(c.text) })
	waits = carried || m.weigh(c.sentences) > certain && m.weigh(readings(unquoted(c.text))) > certain
	return waits, carried || Disguised(c.text) || image.MatchString(c.text) || m.weigh(saying(c.sentences)) > doubtful
}

// tally counts results.
type tally struct{ payloads, steer, waits, benign, aside, alarms int }

func (n *tally) add(c *steeringCase, m *model) {
	waits, steers := c.is(m)
	one := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	if c.payload {
		n.payloads++
		n.waits += one(waits)
		n.steer += one(steers)
		return
	}
	n.benign++
	n.alarms += one(waits)
	n.aside += one(steers && !waits)
}

func (n *tally) String() string {
	return fmt.Sprintf("of %d payloads %d steer, %d of them wait; of %d benign texts %d are put aside, %d wait", n.payloads, n.steer, n.waits, n.benign, n.aside, n.alarms)
}

// languageGroup returns one of four groups of languages.
func languageGroup(lang string) string {
	for _, group := range []string{"en ru vi", "de zh it", "es ja ar", "fr pt ko"} {
		if lang != "" && strings.Contains(group, lang) {
			return group
		}
	}
	return ""
}

// The weights carry over to writers and to languages that they were not trained on. What steers is kept out of what counts as the owner's
// wish, at the threshold of Steers; of it, what is certain waits. The signs were written with knowledge of the first four writers' texts.
func TestInstructionsUnseen(t *testing.T) {
	type floors struct{ steer, waits, aside, alarms float64 } // of payloads at least, of benign texts at most
	common, all := commonCases(t), labelledCases(t)
	for _, run := range []struct {
		name   string
		part   func(*steeringCase) string
		floors map[string]floors
	}{
		{"writer", func(c *steeringCase) string { return c.writer }, map[string]floors{
			"own": {.80, .40, .24, .05}, "development": {.98, .84, .27, .04}, "heldout": {.97, .84, .43, .09},
			"short": {.80, .40, .07, .01}, "second": {.73, .38, .18, .02}, "third": {.84, .48, .21, .03},
		}},
		{"languages", func(c *steeringCase) string { return languageGroup(c.lang) }, map[string]floors{
			"own": {.85, .46, .22, .05}, "development": {.98, .86, .29, .03}, "heldout": {.97, .80, .43, .06},
			"short": {.80, .40, .07, .01}, "second": {.78, .44, .18, .03}, "third": {.86, .50, .22, .03},
		}},
	} {
		parts := map[string][]steeringCase{}
		for i := range all {
			part := run.part(&all[i])
			parts[part] = append(parts[part], all[i])
		}
		tallies := map[string]*tally{}
		for part, unseen := range parts {
			train := slices.DeleteFunc(slices.Clone(all), func(c steeringCase) bool { return run.part(&c) == part })
			m := trainModel(slices.Concat(common, train))
			for i := range unseen {
				if tallies[unseen[i].writer] == nil {
					tallies[unseen[i].writer] = &tally{}
				}
				tallies[unseen[i].writer].add(&unseen[i], &m)
			}
		}
		for writer, f := range run.floors {
			n := tallies[writer]
			if n == nil {
				t.Fatalf("no texts of %s", writer)
			}
			t.Logf("without its %s, %s: %s", run.name, writer, n)
			payloads, benign := float64(n.payloads), float64(n.benign)
			if float64(n.steer) < f.steer*payloads || float64(n.waits) < f.waits*payloads || float64(n.aside) > f.aside*benign || float64(n.alarms) > f.alarms*benign {
				t.Errorf("without its %s, %s is beyond the floors %+v", run.name, writer, f)
			}
		}
	}
}

// Placeholders and headings that Reverie writes into documents are not instructions.
func TestInstructionsOfTheProgram(t *testing.T) {
	for line := range strings.Lines(string(readFile(t, "testdata/program.txt"))) {
		line = strings.TrimSpace(line)
		if rule := Instruction(line); rule != "" || Steers(line) {
			t.Errorf("%s: rule %q, steers %v", line, rule, Steers(line))
		}
	}
}

// A case that was judged once is judged alike again: figures do not depend on the order of cases.
func TestJudgingKeepsCases(t *testing.T) {
	for _, c := range labelledCases(t) {
		before := slices.Clone(c.sentences)
		c.is(weights())
		if !slices.Equal(before, c.sentences) {
			t.Fatalf("%s: its sentences changed from %v to %v", c.text, before, c.sentences)
		}
	}
}

// What users say in conversations that the weights were not trained on is kept.
func TestInstructionsInTalk(t *testing.T) {
	for _, set := range []string{"blind2", "blind3", "traps"} {
		var n tally
		for _, c := range talkCases(t, 1, set) {
			n.add(&c, weights())
			if rule := Instruction(c.text); rule != "" {
				t.Logf("%s %s by %s: %s", set, c.lang, rule, c.text)
			}
		}
		t.Logf("%s: %s", set, n.String())
		if n.benign == 0 || float64(n.alarms) > .01*float64(n.benign) || float64(n.aside) > .06*float64(n.benign) {
			t.Errorf("%s: more than 1 %% wait or 6 %% are put aside", set)
		}
	}
}

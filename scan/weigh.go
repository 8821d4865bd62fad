package scan

import (
	_ "embed"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"reverie/language/cue"
)

//go:embed weights.txt
var weightText string

// model holds the weights of signs and of pairs of signs in a sentence, in hundredths of a logit. A positive score is an instruction.
type model struct {
	bias   int32
	single []int32
	pair   []int32 // nFeatures for each sign, those with a higher number count
}

var weights = sync.OnceValue(func() *model { return parseModel(weightText) })

func featureName(n int) string {
	if n < nSigns {
		return signNames[n]
	}
	return "cue-" + cue.Kind(n-nSigns).String()
}

// parseModel reads lines of one or two signs, or "bias", and a weight.
func parseModel(text string) *model {
	m := &model{single: make([]int32, nFeatures), pair: make([]int32, nFeatures*nFeatures)}
	at := map[string]*int32{"bias": &m.bias}
	for a := range nFeatures {
		at[featureName(a)] = &m.single[a]
		for b := a + 1; b < nFeatures; b++ {
			at[featureName(a)+" "+featureName(b)] = &m.pair[a*nFeatures+b]
		}
	}
	for line := range strings.Lines(text) {
		end := strings.LastIndexByte(line, ' ')
		w, err := strconv.ParseInt(strings.TrimSpace(line[end+1:]), 10, 32)
		if err != nil {
			panic(err) // the file is embedded
		}
		*at[line[:end]] = int32(w)
	}
	return m
}

// list returns the numbers of the signs in a set, in order.
func (s signs) list() (out []int) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			out = append(out, 64*i+bits.TrailingZeros64(word))
		}
	}
	return out
}

func (m *model) score(s signs) int32 {
	sum := m.bias
	all := s.list()
	for i, a := range all {
		sum += m.single[a]
		for _, b := range all[i+1:] {
			sum += m.pair[a*nFeatures+b]
		}
	}
	return sum
}

// perDoubling is the additional weight that a text needs for each doubling of its sentences, of which one or another looks like an order by
// chance.
const perDoubling = 60

// weigh returns the highest score of the sentences, less what their number makes likely; positive for an instruction.
func (m *model) weigh(sentences []signs) int32 {
	if len(sentences) == 0 {
		return m.bias
	}
	best := m.score(sentences[0])
	for _, s := range sentences[1:] {
		best = max(best, m.score(s))
	}
	return best - perDoubling*int32(bits.Len(uint(len(sentences)))-1)
}

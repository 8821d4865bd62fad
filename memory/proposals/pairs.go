package proposals

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PairsInput are pairs of statements of which a model decides whether they contradict one another, the older one of each first.
type PairsInput struct {
	Pairs [][2]string
}

// PairVerdict is the decision about a pair.
type PairVerdict string

// Verdicts.
const (
	PairContradicts PairVerdict = "contradict"
	PairCorrects    PairVerdict = "corrects" // and the newer one says that something has changed
	PairCompatible  PairVerdict = "compatible"
)

type pairsAnswer struct {
	Verdicts []pairAnswer `json:"verdicts"`
}

type pairAnswer struct {
	Pair    int         `json:"pair"` // from 1
	Verdict PairVerdict `json:"verdict"`
}

// ParsePairs reads the verdicts about n pairs, in their order. An answer that does not decide each pair once is an error.
func ParsePairs(raw string, n int) ([]PairVerdict, error) {
	if len(raw) > maxAnswerBytes {
		return nil, errTooBig
	}
	text := unwrapped(raw)
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, fmt.Errorf("the answer has no JSON object")
	}
	var answer pairsAnswer
	if err := json.Unmarshal([]byte(text[from:to+1]), &answer); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	out := make([]PairVerdict, n)
	for _, v := range answer.Verdicts {
		switch {
		case v.Pair < 1 || v.Pair > n || out[v.Pair-1] != "":
			return nil, fmt.Errorf("pair %d: decide each of the %d pairs once", v.Pair, n)
		case v.Verdict != PairContradicts && v.Verdict != PairCorrects && v.Verdict != PairCompatible:
			return nil, fmt.Errorf("pair %d: the verdict is contradict, corrects or compatible", v.Pair)
		}
		out[v.Pair-1] = v.Verdict
	}
	for i, v := range out {
		if v == "" {
			return nil, fmt.Errorf("pair %d: decide each of the %d pairs once", i+1, n)
		}
	}
	return out, nil
}

package extractive

import (
	"testing"

	"reverie/test/corpus"
)

// TestCrossValidation measures what the engine keeps of conversations that its weights were not trained on.
func TestCrossValidation(t *testing.T) {
	all := trainingSet(t)
	const folds = 4
	kw, lw, kb, lb := keepWeights, lastingWeights, keepBias, lastingBias
	defer func() { keepWeights, lastingWeights, keepBias, lastingBias = kw, lw, kb, lb }()
	var sum corpus.Score
	for fold := range folds {
		var in, out []corpus.Conversation
		for i, c := range all {
			if i%folds == fold {
				out = append(out, c)
			} else {
				in = append(in, c)
			}
		}
		keepWeights, lastingWeights, keepBias, lastingBias = trained(t, examplesOf(t, in))
		for _, c := range out {
			input, err := c.Input()
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(c.Judge(corpus.KeptOf(input, propose(input)), nil))
		}
	}
	t.Log(corpus.Row("unseen", sum))
	if kept, junk := float64(sum.Kept)/float64(sum.Keep), float64(sum.Junk)/float64(sum.LastingLines); kept < .92 || junk > .08 {
		t.Errorf("kept %.3f and junk %.3f; at least .92 and at most .08 are expected", kept, junk)
	}
}

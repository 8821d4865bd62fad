package extractive

import (
	"testing"

	"reverie/test/corpus"
)

// TestCrossValidation prints what the engine keeps of conversations that its weights were not trained on.
func TestCrossValidation(t *testing.T) {
	all := loadSet(t, developmentSet)
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
}

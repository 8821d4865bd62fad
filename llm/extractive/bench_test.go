package extractive

import (
	"testing"

	"reverie/test/corpus"
)

// BenchmarkPropose reads the conversations of the development set one after the other.
func BenchmarkPropose(b *testing.B) {
	all, err := corpus.Load(developmentSet)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, talk := range all {
			in, err := talk.Input()
			if err != nil {
				b.Fatal(err)
			}
			propose(in)
		}
	}
}

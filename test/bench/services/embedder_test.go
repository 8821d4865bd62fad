package services

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/llm/embed"
)

// The program's embedding client understands the simulated provider.
func TestEmbedder(t *testing.T) {
	e, err := StartEmbedder(func(text string) []float32 { return []float32{float32(len(text)), 0, 1} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	model, err := e.Open(3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.Embed(t.Context(), embed.Document, []string{"a", "one more"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float32{{.7071, 0, .7071}, {.9923, 0, .1240}} // of unit length
	if diff := cmp.Diff(want, got.Vectors, cmpopts.EquateApprox(0, 1e-4)); diff != "" {
		t.Error(diff)
	}
}

package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func twoQuestions(t *testing.T) []dialogue {
	t.Helper()
	dialogues, err := readDialogues(strings.NewReader(invented))
	if err != nil {
		t.Fatal(err)
	}
	return dialogues
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

// The vectors have the similarities of the file, up to a common factor.
func TestFrozenVectors(t *testing.T) {
	dialogues := twoQuestions(t)
	f, err := readFrozen(strings.NewReader(`
{"sample_id": "garden", "question": 0, "similarity": {"D1:1": 0.9, "D1:2": 0.3, "D7:7": 1}}
{"sample_id": "garden", "question": 1, "similarity": {"D1:1": 0.2, "D2:1": 0.6}}
{"sample_id": "elsewhere", "question": 5, "similarity": {}}`), "file", dialogues)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newFrozenVectors(f, dialogues)
	if err != nil {
		t.Fatal(err)
	}
	first, second := v.of("What stands in the garden?"), v.of("Who is away?")
	factor := cosine(first, v.of("Ida\nLook what I found. [image: a rusty watering can]")) / 0.9
	if factor <= 0 {
		t.Fatalf("factor %v", factor)
	}
	for _, c := range []struct {
		question []float32
		turn     string
		want     float64
	}{
		{first, "Otto\n[image: a green shed]", 0.3},
		{first, "Otto\nThe cherry tree was planted on Monday.", 0},
		{first, "cherry tree", 0},
		{second, "Ida\nLook what I found. [image: a rusty watering can]", 0.2},
		{second, "Otto\nThe cherry tree was planted on Monday.", 0.6},
		{second, "Otto\nplanted on Monday", 0.6}, // a part
		{second, "[image: a green shed]", 0},
	} {
		if got := cosine(c.question, v.of(c.turn)) / factor; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%q: similarity %v, want %v", c.turn, got, c.want)
		}
	}
}

func TestReadFrozenRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":         "similar",
		"no such place":   `{"sample_id": "garden", "question": 2}`,
		"negative":        `{"sample_id": "garden", "question": 0, "similarity": {"D1:1": -0.1}}`,
		"place below all": `{"sample_id": "garden", "question": -1}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readFrozen(strings.NewReader(content), "file", twoQuestions(t)); err == nil {
				t.Error("it was read")
			}
		})
	}
}

// Generated rankings rank the evidence as their names say.
func TestMadeUp(t *testing.T) {
	dialogues := twoQuestions(t)
	rank := func(name string) (above int) {
		f, err := openFrozen(name, dialogues)
		if err != nil {
			t.Fatal(err)
		}
		similarity := f.similarity[dialogues[0].agent][0]
		for _, s := range similarity {
			if s > similarity["D2:1"] {
				above++
			}
		}
		return above
	}
	if got := rank("perfect"); got != 0 {
		t.Errorf("perfect: %d turns are above the evidence", got)
	}
	if got, want := rank("inverted"), dialogues[0].turnCount()-1; got != want {
		t.Errorf("inverted: %d turns are above the evidence, want %d", got, want)
	}
	if _, err := openFrozen("no such ranking", dialogues); err == nil {
		t.Error("a ranking that does not exist was opened")
	}
}

func TestRankAsItIs(t *testing.T) {
	dialogues := twoQuestions(t)
	f, err := readFrozen(strings.NewReader(`{"sample_id": "garden", "question": 0, "similarity": {"D2:1": 0.9, "D1:2": 0.3, "D1:1": 0.3, "D1:3": 0}}`), "file", dialogues)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"D2:1", "D1:1", "D1:2"}, f.rank(dialogues[0], 0)); diff != "" {
		t.Error(diff)
	}
	if got := f.rank(dialogues[0], 1); len(got) != 0 {
		t.Errorf("a question that the ranking does not know has %v", got)
	}
}

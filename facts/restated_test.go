package facts

import (
	"slices"
	"testing"
)

func TestRestated(t *testing.T) {
	said := []string{"The user plants an oak in the garden.", "Waters the tulips at noon.", "Likes red wine from Spain.", "The port is 8080."}
	asked := 0
	same := func(texts []string) [][]float32 { // all the same: only the rules before hold them apart
		asked += len(texts)
		return slices.Repeat([][]float32{{1, 0}}, len(texts))
	}
	for text, want := range map[string]int{
		"Plants an oak in the garden.":             0,  // by words
		"The user puts an oak into the garden.":    0,  // by vectors
		"The user puts an oak into Anna's garden.": -1, // another person
		"Never plants an oak in the park.":         -1,
		"The port is 9090.":                        -1,
		"Waters the lawn of the school at night.":  -1,
		"Sings in a choir.":                        -1,
	} {
		if got := Restated(said, []string{text}, same); got[0] != want {
			t.Errorf("%q: %d, want %d", text, got[0], want)
		}
		if got := Restated(said, []string{text}, nil); got[0] != want && got[0] != -1 {
			t.Errorf("%q by words: %d", text, got[0])
		}
	}
	if asked == 0 || asked > 8 {
		t.Errorf("%d texts were embedded", asked)
	}
	apart := func(texts []string) [][]float32 {
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = make([]float32, len(texts))
			out[i][i] = 1
		}
		return out
	}
	if got := Restated(said, []string{"The user puts an oak into the garden."}, apart); got[0] != -1 {
		t.Errorf("other vectors: %v", got)
	}
	if got := Restated(said, []string{"The user puts an oak into the garden."}, func([]string) [][]float32 { return nil }); got[0] != -1 {
		t.Errorf("without vectors: %v", got)
	}
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		statement, text string
		want            bool
	}{
		{"Likes green tea in the morning.", "Likes green tea in the morning", true},
		{"Likes strong green tea in the morning.", "Likes green tea in the morning", true},
		{"Likes green tea in the morning.", "Likes green tea and coffee in the morning", false},
		{"Her daughter's name is Anna.", "Her daughter's name is Mia.", false},
		{"Prefers tea over coffee.", "Prefers coffee over tea.", false},
		{"Pays 900 euros of rent.", "Pays 950 euros of rent.", false},
		{"Eats meat on Sundays.", "Does not eat meat on Sundays.", false},
		{"Allergic to nuts.", "Allergic to nuts and shellfish.", false},
	} {
		if got := repeats(c.statement, c.text); got != c.want {
			t.Errorf("%q repeats %q: %v", c.text, c.statement, got)
		}
	}
}

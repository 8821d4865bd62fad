package sentence

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"Sie ist im 7. Monat, also kein Käse. Das ist alles.": {"Sie ist im 7. Monat, also kein Käse.", "Das ist alles."},
		"abgabe am 12. dezember":                              {"abgabe am 12. dezember"},
		"Ich hab 12. Das reicht.":                             {"Ich hab 12.", "Das reicht."},
		"freut euch ;-) Muss um 10 los":                       {"freut euch ;-)", "Muss um 10 los"},
		"Postulo a ing. civil. Me motivan más.":               {"Postulo a ing. civil.", "Me motivan más."},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, want %q", text, got, want)
		}
	}
}

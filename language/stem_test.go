package language

import (
	"fmt"
	"testing"
)

func TestIrregularForms(t *testing.T) {
	for form, word := range irregularForms {
		if got, want := stem(form, English), stem(word, English); got != want {
			t.Errorf("%q has the stem %q, %q has %q", form, got, word, want)
		}
	}
}

// TestStemsAreRememberedAsTheyAre checks that cached stems equal computed ones, in every language and beyond the limit
// of the cache.
func TestStemsAreRememberedAsTheyAre(t *testing.T) {
	known := Stems{}
	for lang := range StemmedCount {
		for _, word := range []string{"häuser", "cities", "mère", "книги", "evlerimizden", "x"} {
			for range 2 {
				if got, want := known.Stem(word, lang), stem(word, lang); got != want {
					t.Errorf("%s in %s: %q, want %q", word, stemmers[lang].code, got, want)
				}
			}
		}
	}
	for i := range maxKnownStems + 10 {
		word := fmt.Sprintf("a%dings", i)
		if got, want := known.Stem(word, English), stem(word, English); got != want {
			t.Fatalf("%s: %q, want %q", word, got, want)
		}
	}
	if len(known) != maxKnownStems {
		t.Errorf("%d stems are remembered, want %d", len(known), maxKnownStems)
	}
}

package analysis

import (
	"testing"
	"time"
)

func TestSound(t *testing.T) {
	for _, same := range [][]string{
		{"muhammad", "muhhamed", "mohamed", "mahmoud"},
		{"faheem", "fahim"},
		{"sara", "sarah"},
		{"catherine", "katherin"},
		{"elise", "elize", "alise"},
	} {
		for _, name := range same {
			if got, want := Sound(name), Sound(same[0]); got == "" || got != want {
				t.Errorf("%s: %q, %s: %q", name, got, same[0], want)
			}
		}
	}
	for _, name := range []string{"", "a", "h", "db_port", "en~muham", "2024", "张伟", "анна"} {
		if got := Sound(name); got != "" {
			t.Errorf("%q: %q", name, got)
		}
	}
	if Sound("anna") == Sound("hannah") {
		t.Error("another first letter")
	}
}

// TestQuerySounds checks that only words written like names have a sound.
func TestQuerySounds(t *testing.T) {
	got := map[string]string{}
	for _, term := range NewQuery("When did Muhammad play chess?", time.Time{}).Terms {
		got[term.Text] = term.Sound
	}
	if got["Muhammad"] != Sound("muhammad") || got["chess"] != "" || got["When"] != "" {
		t.Errorf("%v", got)
	}
}

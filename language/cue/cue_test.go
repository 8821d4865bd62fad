package cue

import "testing"

func TestElisionSeparatesWords(t *testing.T) {
	for _, text := range []string{"J'ai mal au genou", "l’hôpital, j’y vais", "d'allergie"} {
		if set := Find(text, "fr").Set(); !set.Has(Health) {
			t.Errorf("Find(%q) has no cue of health", text)
		}
	}
	if set := Find("j’y vais", "fr").Set(); !set.Has(Self) {
		t.Error("the elided pronoun is no cue of the speaker")
	}
}

func TestFindWithoutDiacritics(t *testing.T) {
	text := "Minh bi tieu duong va dang uong thuoc moi ngay"
	if got := LanguageOf(text); got != "vi" {
		t.Errorf("LanguageOf = %q, want vi", got)
	}
	set := Find(text, "vi").Set()
	for _, k := range []Kind{Self, Health, Habit} {
		if !set.Has(k) {
			t.Errorf("no cue %s in %q", k, text)
		}
	}
}

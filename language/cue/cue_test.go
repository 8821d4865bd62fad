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

// Short texts of Romance languages share their function words; their cues differ.
func TestLanguageOfShortTexts(t *testing.T) {
	for text, want := range map[string]string{
		"Prendo levotiroxina 75 la mattina a digiuno, me l'ha data il medico. No aspetti, 75 era prima, adesso 88.": "it",
		"Tomo levotiroxina 75 por la mañana. No, espera, 75 era antes, ahora 88.":                                   "es",
		"Tomo levotiroxina 75 de manhã. Não, espera, 75 era antes, agora 88.":                                       "pt",
		"Je prends du lévothyrox 75. Non attendez, c'était 75 avant, maintenant 88.":                                "fr",
		"J'habite à Nancy maintenant.": "fr", "Adesso vivo a Modena.": "it", "Ahora vivo en León.": "es", "Agora moro em Braga.": "pt",
		"Nina works in Leeds.": "en", "Nina Mendoza": "en",
		"I take levothyroxine 75 in the morning. No wait, 75 was before, now 88.": "en",
	} {
		if got := LanguageByCues(text); got != want {
			t.Errorf("%q is read as %s, not %s", text, got, want)
		}
	}
}

// A gap matches at most two words each, and none across a comma.
func TestGaps(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		over       bool
	}{
		{"it", "Non più.", true},
		{"it", "Non la vedo più.", true},
		{"it", "Non me la vedo più.", false},
		{"it", "Non so, più tardi.", false},
		{"pt", "Não moro mais lá.", true},
		{"fr", "Je n'y travaille plus.", true},
		{"vi", "Chị không dạy cấp 3 nữa.", true},
		{"vi", "Không, nữa đi.", false},
	} {
		if got := Find(c.text, c.lang).Set().Has(Over); got != c.over {
			t.Errorf("%q says that something is over: %v, want %v", c.text, got, c.over)
		}
	}
}

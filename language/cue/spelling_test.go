package cue

import "testing"

// TestSpellings finds words that people write in several ways.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		kind       Kind
	}{
		{"ru", "ребёнок спит", Kin},
		{"ru", "ребенок спит", Kin},
		{"ar", "اختي في حلب", Kin},
		{"ar", "أُخْتي في حلب", Kin},
		{"ar", "عندها حساسيه", Health},
		{"ar", "وأمي مريضة", Kin},
	} {
		if !Find(c.text, c.lang).Set().Has(c.kind) {
			t.Errorf("%s: no %s", c.text, c.kind)
		}
	}
}

// TestWholeArabicWordFirst does not take a letter for a proclitic when the word has a meaning with it.
func TestWholeArabicWordFirst(t *testing.T) {
	for text, kind := range map[string]Kind{"فقط يومين": Kin, "لما وصلت": Not, "الحمد لله": Lean} {
		if Find(text, "ar").Set().Has(kind) {
			t.Errorf("%s: %s", text, kind)
		}
	}
}

// TestRememberIsNotForget reads a request not to forget as one to remember.
func TestRememberIsNotForget(t *testing.T) {
	for lang, text := range map[string]string{"en": "don't forget about my nut allergy", "ru": "не забудь про мою аллергию"} {
		if set := Find(text, lang).Set(); !set.Has(Remember) || set.Has(Forget) {
			t.Errorf("%s: %v", text, Find(text, lang))
		}
	}
	for lang, text := range map[string]string{"en": "do not remember this", "ru": "забудь про Гранту"} {
		if set := Find(text, lang).Set(); !set.Has(Forget) || set.Has(Remember) {
			t.Errorf("%s: %v", text, Find(text, lang))
		}
	}
}

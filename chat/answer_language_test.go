package chat

import (
	"reflect"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]string{
		"Where do I live?":                    "en",
		"What is the name of my boat":         "en",
		"":                                    "en",
		"42 ?!":                               "en",
		"我的船叫什么名字？":                           "zh",
		"私の船の名前は何ですか":                         "ja",
		"Con thuyền của tôi tên là gì?":       "vi",
		"¿Cómo se llama mi barco?":            "es",
		"Donde vive la hermana de mi amigo":   "es",
		"Wie heißt mein Boot?":                "de",
		"Wo wohnt meine Schwester":            "de",
		"Is the Fußball in the garden?":       "en",
		"Where is the café in Orléans that I": "en",
	} {
		if got := languageOf(text); got != want {
			t.Errorf("%q is in %s, want %s", text, got, want)
		}
	}
}

// Every language has every sentence, with the same format verbs.
func TestPhrasebookIsComplete(t *testing.T) {
	english := reflect.ValueOf(phrasebook["en"])
	for _, language := range []string{"en", "zh", "ja", "vi", "es", "de"} {
		said := reflect.ValueOf(phrasebook[language])
		for i := range said.NumField() {
			name, text := said.Type().Field(i).Name, said.Field(i).String()
			if text == "" || strings.Count(text, "%s") != strings.Count(english.Field(i).String(), "%s") {
				t.Errorf("%s.%s is %q", language, name, text)
			}
		}
	}
	if phrasesFor("tlh") != phrasebook["en"] {
		t.Error("an unknown language is not answered in English")
	}
}

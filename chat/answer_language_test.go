package chat

import (
	"reflect"
	"strings"
	"testing"

	"reverie/language/cue"
)

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]string{
		"Where do I live?":                    "en",
		"What is the name of my boat":         "en",
		"":                                    "en",
		"42 ?!":                               "en",
		"我的船叫什么名字？":                           "zh",
		"私の船の名前は何ですか":                         "ja",
		"내 배의 이름이 뭐야?":                        "ko",
		"Con thuyền của tôi tên là gì?":       "vi",
		"¿Cómo se llama mi barco?":            "es",
		"Donde vive la hermana de mi amigo":   "es",
		"Wie heißt mein Boot?":                "de",
		"Wo wohnt meine Schwester":            "de",
		"Comment s'appelle mon bateau ?":      "fr",
		"Como se chama o meu barco?":          "pt",
		"Come si chiama la mia barca?":        "it",
		"Как называется моя лодка?":           "ru",
		"ما اسم قاربي؟":                       "ar",
		"Is the Fußball in the garden?":       "en",
		"Where is the café in Orléans that I": "en",
		"Ciao!":                               "it",
		"Please call me Al.":                  "en",
		"j'habite à Lyon":                     "fr",
		"abito a Torino":                      "it",
		"moro em Recife":                      "pt",
		"vivo en Bilbao":                      "es",
		"ich wohne in Bonn":                   "de",
		"tôi sống ở Huế":                      "vi",
		"Hola":                                "es",
		"Salut":                               "fr",
		"Olá!":                                "pt",
		"Xin chào":                            "vi",
		"Hallo":                               "de",
	} {
		if got := languageOf(text, ""); got != want {
			t.Errorf("%q is in %s, want %s", text, got, want)
		}
	}
	if got := languageOf("ok", "fr"); got != "fr" {
		t.Errorf("a short message is in %s, not in the language of its conversation", got)
	}
}

// Every language has every sentence, with the same format verbs, and every list of phrases.
func TestPhrasebookIsComplete(t *testing.T) {
	english := reflect.ValueOf(phrasebook["en"])
	for _, language := range cue.Languages {
		said := reflect.ValueOf(phrasebook[language])
		for i := range said.NumField() {
			name, text := said.Type().Field(i).Name, said.Field(i).String()
			if text == "" || strings.Count(text, "%s") != strings.Count(english.Field(i).String(), "%s") {
				t.Errorf("%s.%s is %q", language, name, text)
			}
		}
		if !strings.Contains(phrasebook[language].noModel, providerVariable) {
			t.Errorf("%s does not say how to configure a model", language)
		}
		if n := len(strings.Split(phrasebook[language].sections, ", ")); n != len(strings.Split(english.FieldByName("sections").String(), ", ")) {
			t.Errorf("%s names %d sections", language, n)
		}
		lists := reflect.ValueOf(intentBook[language])
		for i := range lists.NumField() {
			if lists.Field(i).String() == "" {
				t.Errorf("%s has no %s", language, lists.Type().Field(i).Name)
			}
		}
	}
	if phrasesFor("tlh") != phrasebook["en"] {
		t.Error("an unknown language is not answered in English")
	}
}

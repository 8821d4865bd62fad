package analysis

import (
	"slices"
	"strings"
	"testing"

	"reverie/language"
)

// meets reports whether a term of the question, ignoring function words, has a form in the text.
func meets(question, text string) bool {
	var forms []string
	for _, token := range Analyse(text) {
		forms = append(forms, token.Forms...)
	}
	for _, term := range NewQuery(question, askedAt).Terms {
		if term.Stop {
			continue
		}
		for _, form := range term.Forms {
			if slices.Contains(forms, form) {
				return true
			}
		}
	}
	return false
}

// TestInflectionsMeet checks that the inflections of a word find each other: alone, in a sentence, and in texts of one
// word.
func TestInflectionsMeet(t *testing.T) {
	for _, test := range []struct {
		name      string
		words     string // each finds all others
		sentences []string
	}{
		{"English", "painting paintings painted paints paint", []string{"She was %s in the morning", "What did he say about %s?"}},
		{"English", "buy buys bought buying", []string{"What did they %s for her?"}},
		{"English", "child children", []string{"The %s were in the garden"}},
		{"English", "city cities", []string{"Which %s did you like most?"}},
		{"German", "Stadt Städte Städten", []string{"Die %s in diesem Land sind schön", "Welche %s hat sie besucht?"}},
		{"German", "Katze Katzen", []string{"Wir haben zwei %s und einen Hund"}},
		{"German", "Freund Freunde Freunden", []string{"Wo hat Anna ihre %s und was wollten sie?"}},
		{"French", "maison maisons", []string{"Nous avons visité les %s de la ville", "Où est la %s de Paul ?"}},
		{"French", "école écoles ecole", []string{"C'est une %s pour tous les enfants"}},
		{"Spanish", "ciudad ciudades", []string{"Las %s del norte son muy bonitas", "¿Cuándo visitó la %s?"}},
		{"Spanish", "canción canciones", []string{"Me gusta esta %s porque es alegre"}},
		{"Italian", "libro libri", []string{"Ho letto i %s che mi hai dato", "Dove sono i miei %s?"}},
		{"Portuguese", "livro livros", []string{"Eu não tenho os %s que você quer"}},
		{"Dutch", "boek boeken", []string{"Ik heb de %s niet gelezen"}},
		{"Swedish", "flicka flickor flickorna", []string{"Jag vet inte vad %s heter"}},
		{"Norwegian", "bil biler bilene", []string{"Jeg vet ikke hvor %s er"}},
		{"Danish", "bog bogen", []string{"Jeg ved ikke hvad der står i %s"}},
		{"Finnish", "talo talossa talot", []string{"Me emme ole enää siellä, %s on tyhjä"}},
		{"Hungarian", "ház házak házban", []string{"Nem tudom, hogy hol van a %s"}},
		{"Romanian", "oraș orașe orașele", []string{"Am fost în %s și nu mi-a plăcut"}},
		{"Turkish", "kitap kitaplar", []string{"Bu %s çok eski ve ben onu sevmiyorum"}},
		{"Irish", "bróg bhróg mbróg", []string{"Tá mo %s sin ar an mbord agus níl sé liom"}},
		{"Russian", "книга книги книгу книгой", []string{"Она читала %s весь день", "Где моя %s?"}},
		{"Arabic", "كتاب الكتاب كتابه", []string{"هذا %s على الطاولة"}},
		{"Tamil", "புத்தகம் புத்தகங்கள்", []string{"இந்த %s நல்லது"}},
	} {
		for asked := range strings.FieldsSeq(test.words) {
			for written := range strings.FieldsSeq(test.words) {
				texts := []string{written, strings.ToUpper(written) + "!"}
				for _, sentence := range test.sentences {
					texts = append(texts, strings.ReplaceAll(sentence, "%s", written))
				}
				questions := []string{asked}
				for _, sentence := range test.sentences {
					questions = append(questions, strings.ReplaceAll(sentence, "%s", asked))
				}
				for _, text := range texts {
					for i, question := range questions {
						if i > 0 && text != written { // other words of the sentence would match
							continue
						}
						if !meets(question, text) {
							t.Errorf("%s: %q does not find %q", test.name, question, text)
						}
					}
				}
			}
		}
	}
}

func TestStrangersDoNotMeet(t *testing.T) {
	for _, test := range [][2]string{
		{"hate", "He has a red hat and he likes it"},
		{"note", "This is not what I wanted"},
		{"plane", "The plan is that we go there"},
		{"university", "She was in the garden"},
		{"北京", "京北"},
		{"Wann hat Anna Geburtstag?", "This is what the man had when he was there"},
	} {
		if meets(test[0], test[1]) {
			t.Errorf("%q finds %q", test[0], test[1])
		}
	}
}

// TestPlausibleLanguages checks that function words or letters determine the language of a text.
func TestPlausibleLanguages(t *testing.T) {
	for text, want := range map[string]language.Set{
		"":                                       0,
		"Melanie Caroline":                       0,
		"db_port of the_server":                  1 << language.English,
		"I like it when you paint":               1 << language.English,
		"Wow, that's great news!":                1 << language.English,
		"Die Katze ist nicht im Haus":            1 << language.German,
		"Das war schön":                          1 << language.German,
		"Je ne sais pas où il est":               1 << language.French,
		"No sé dónde está mi hermano":            1 << language.Spanish,
		"Non so dove sono le chiavi della casa":  1 << language.Italian,
		"Eu não sei onde você está":              1 << language.Portuguese,
		"Ik weet niet waar het boek is":          1 << language.Dutch,
		"Minä en tiedä missä se on":              1 << language.Finnish,
		"Nem tudom, hogy hol van az a könyv":     1 << language.Hungarian,
		"Bu kitap çok güzel ama benim değil":     1 << language.Turkish,
		"Tôi không biết nó ở đâu":                1 << language.Vietnamese,
		"Nie wiem, gdzie jest moja książka i co": 1 << language.Polish,
	} {
		if got := scanText(text).evidence.Plausible(); got != want {
			t.Errorf("%q: %v, want %v", text, got.List(nil), want.List(nil))
		}
	}
}

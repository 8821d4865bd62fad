package sentence

import (
	"slices"
	"testing"
)

func TestClauses(t *testing.T) {
	for said, want := range map[string][]string{
		"I am Grace and I live in Munich.":                     {"I am Grace", "I live in Munich"},
		"Hi, I'm Grace, and my wife is called Nora":            {"Hi, I'm Grace", "my wife is called Nora"},
		"I am Grace and I live in Munich and I work at BMW!":   {"I am Grace", "I live in Munich", "I work at BMW"},
		"Ich heiße Greta und ich wohne in Köln.":               {"Ich heiße Greta", "ich wohne in Köln"},
		"Je m'appelle Greta et j'habite à Lyon.":               {"Je m'appelle Greta", "j'habite à Lyon"},
		"Me llamo Greta y vivo en Sevilla.":                    {"Me llamo Greta", "vivo en Sevilla"},
		"Mi chiamo Greta e abito a Roma.":                      {"Mi chiamo Greta", "abito a Roma"},
		"Hi, I am Grace and I work as a nurse in Hamburg.":     {"Hi, I am Grace", "I work as a nurse in Hamburg"},
		"Soy Greta y mi mujer se llama Nora.":                  {"Soy Greta", "mi mujer se llama Nora"},
		"I live in Munich and work at BMW.":                    nil,
		"I live in Munich and my sister in Oslo.":              nil,
		"If I live in Munich and I work at BMW, I need a car.": nil,
		"I think I am Grace and I live in Munich.":             nil,
		"I said I live in Munich and I work at BMW.":           nil,
		"I don't live in Munich and I work at BMW.":            nil,
		"I like salt and pepper.":                              nil,
		"My sister and I live in Munich.":                      nil,
		"I live in Munich.":                                    nil,
		"She told me I am late and I live in Munich.":          nil,
	} {
		if got := Clauses(said); !slices.Equal(got, want) {
			t.Errorf("%q: %q", said, got)
		}
	}
}

func TestWithoutClause(t *testing.T) {
	for _, c := range []struct{ said, clause, want string }{
		{"I am Grace and I live in Munich.", "I live in Munich", "I am Grace."},
		{"I am Grace and I live in Munich.", "I am Grace", "I live in Munich."},
		{"My dog is called Rex and my wife is called Nora!", "My dog is called Rex", "My wife is called Nora!"},
		{"I am Grace, and I live in Munich and I work at BMW.", "I live in Munich", "I am Grace and I work at BMW."},
		{"Ich heiße Greta und ich wohne in Köln und ich bin 40.", "Ich heiße Greta", "Ich wohne in Köln und ich bin 40."},
		{"I live in Munich and I love it.", "I live in Munich", ""},
		{"J'habite à Lyon et je suis né là.", "J'habite à Lyon", ""},
		{"Je m'appelle Greta et j'habite à Lyon.", "Je m'appelle Greta", "J'habite à Lyon."},
		{"Me llamo Greta y vivo en Sevilla.", "Me llamo Greta", "Vivo en Sevilla."},
		{"I live in Munich and I work there.", "I work there", "I live in Munich."},
		{"I live in Munich.", "I live in Munich", ""},
	} {
		if got, ok := WithoutClause(c.said, c.clause); ok && got != c.want || ok != (c.want != "") {
			t.Errorf("%q without %q: %q %v", c.said, c.clause, got, ok)
		}
	}
}

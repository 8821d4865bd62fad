package claim

import (
	"encoding/json"
	"strings"
	"testing"
)

// A sketch finds what the words find, and holds none of them.
func TestSketchComparesAsWords(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Likes tea.", "User likes TEA", "Likes green tea.", `"I like tea."`, `Jonas: "I like green tea."`, "Does not like tea.", "Has a dog.",
		"Meeting with Anna on Mondays at 9:30", "On Mondays at 9:30 a meeting with Anna", "Meeting with Bob on Mondays at 9:30",
		"喜欢喝咖啡", "用户喜欢喝咖啡", "不喜欢喝咖啡", "Wohnt in Köln", "Ich wohne in Köln.", "The port is 5433", "The port is 5434", "", "Yes",
		"Lives in Berlin with two cats and a dog called Rex", "Allergic to peanuts", "A peanut allergy", "The DB_PORT of staging is 5433",
	}
	for _, statement := range texts {
		plain, sketch := OriginalOf(statement, nil), SketchOf("salt", statement)
		stored, err := json.Marshal(sketch)
		if err != nil {
			t.Fatal(err)
		}
		for word := range strings.FieldsSeq(statement) {
			if len(word) > 3 && strings.Contains(string(stored), word) {
				t.Errorf("the sketch of %q has %q: %s", statement, word, stored)
			}
		}
		var read Sketch
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatal(err)
		}
		blind := OriginalOf("", &read)
		for _, text := range texts {
			c := Compare(text)
			if plain.Same(c) != blind.Same(c) || plain.ToldBy(c) != blind.ToldBy(c) {
				t.Errorf("%q and %q: words %v %v, sketch %v %v", statement, text, plain.Same(c), plain.ToldBy(c), blind.Same(c), blind.ToldBy(c))
			}
		}
	}
	if one, other := SketchOf("a", "Likes tea."), SketchOf("b", "Likes tea."); one.What[0] == other.What[0] {
		t.Error("the salt has no effect")
	}
}

// A sketch of a name is in every text that contains the name.
func TestSketchAnywhere(t *testing.T) {
	t.Parallel()
	sketch := SketchOf("salt", "Nightjar")
	sketch.Anywhere = true
	o := OriginalOf("", &sketch)
	for text, want := range map[string]bool{"The Nightjar release is late.": true, "nightjars": true, "The release is late.": false} {
		if got := o.ToldBy(Compare(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A statement is told by what is said about its subject, in any words, and not by the same about somebody else.
func TestToldOfTheSubject(t *testing.T) {
	t.Parallel()
	for said, others := range map[string]map[string]bool{
		"I live in Munich": {
			"My brother lives in Munich.": false, "My older brother Tom lives in Munich.": false, "Our boss's wife lives in Munich": false,
			"Brother lives in Munich": false, "I am Grace and I live in Munich.": true, "Lives in Munich.": true, "User lives in Munich": true,
			"I live in Munich with my brother.": true, "My brother and I live in Munich.": true, "My brother knows that I live in Munich.": true,
			"I live near the park in Munich.": true, "Home: Munich": true, "My brother lives in Munich. He has a dog.": false,
			"My brother lives in Munich. I live in Munich, too.": true, "My sister sings and I live in Munich.": true, "Grace lives in Munich.": true,
			`"My brother lives in Munich."`: false, `"I live in Munich."`: true,
		},
		"Lives in Munich": {"My brother lives in Munich.": false, "I live in Munich": true, "Grace has lived in Munich for years": true},
		"My brother lives in Munich": {
			"I live in Munich": false, "My sister lives in Munich": false, "My brother Tom lives in Munich": true, "Brother lives in Munich": true,
		},
		"I am allergic to peanuts": {"My son is allergic to peanuts.": false, "I have a peanut allergy": true, "Allergic to peanuts": true},
		"Ich wohne in München":     {"Mein Bruder wohnt in München.": false, "Ich wohne seit 2020 in München": true},
		"Vivo en Madrid":           {"Mi hermano vive en Madrid.": false, "Yo vivo en Madrid": true},
		"J'habite à Lyon":          {"Mon frère habite à Lyon.": false, "J'habite encore à Lyon": true},
		"我住在慕尼黑":                   {"我哥哥住在慕尼黑": false, "用户住在慕尼黑": true, "我现在住在慕尼黑": true},
	} {
		sketch := SketchOf("salt", said).Claiming(Claimed{}.With(said, false))
		o := OriginalOf("", &sketch)
		for text, want := range others {
			if c := Compare(text); (o.Same(c) || o.ToldBy(c)) != want {
				t.Errorf("%q by %q: %v", said, text, !want)
			}
		}
	}
}

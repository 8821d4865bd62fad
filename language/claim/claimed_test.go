package claim

import "testing"

func TestClaimed(t *testing.T) {
	t.Parallel()
	for said, others := range map[string]map[string]bool{
		"I live in Munich": {
			"Home: Munich": true, `"I live in Munich."`: true, "**Home:** Munich": true, "User's home is Munich": true, "Lives in Munich. <!-- x -->": true,
			"Home: Berlin": false, "My sister lives in Munich": false, "Likes Munich": false, "I work in Munich": false, "I used to live in Munich": false,
			"I don't live in Munich": false, "Home: Munich?": false, `Jonas: "I live in Munich."`: false, "I live in Munich and work at BMW.": false,
			"I live in Munich with my cat Tom": false, "We live in Munich": false, "I live in Munich. I have a cat.": false, "Munich": false, "": false,
			"Maybe I live in Munich": false, "I live in Munich only in summer": false, "Employer: Munich Re": false,
		},
		"Home: Munich": {"I live in Munich": true, "I moved to Munich": true, "My mother lives in Munich": false},
		`"I moved to Munich last year. I have a cat."`: {"Home: Munich": true},
		"I live in Munich with my cat Tom":             {"Home: Munich": true, "Name: Tom": false},
		"Ich wohne in München.":                        {"Home: München": true, "Meine Schwester wohnt in München": false},
		"I live in Köln": {
			"Home: Cologne": true, "Ich wohne in Köln.": true, "我住在科隆": true, "Home: Bonn": false, "My sister lives in Cologne": false,
		},
		"Ich wohne in Rom":              {"I live in Rome": true, "Vivo en Roma": true, "J'habite à Rome": true, "I live in Romania": false},
		"I live in New York":            {"Home: NYC": true, "I live in York": false},
		"I work at BMW":                 {"Employer: BMW": true, "Home: BMW": false},
		"I am 34 years old":             {"Age: 34": true, "My mother is 34 years old": false, "Age: 35": false},
		"My birthday is 3 May 1990":     {"Birthday: 1990-05-03": true, "I was born on 3 May 1990": true},
		"My sister lives in Munich":     {"Home: Munich": false, "I live in Munich": false, "My sister's home is Munich": true},
		"The deadline is Friday":        {"Deadline: Friday": true, "The deadline for Alpha is Friday": false},
		"I no longer live in Munich":    {"Home: Munich": false},
		`[Where do you live?] "Munich"`: {"Home: Munich": false},
	} {
		claims := Claimed{}.With(said, false)
		original := OriginalOf("", new(SketchOf("salt", said).Claiming(claims)))
		for other, want := range others {
			if got := claims.MadeBy(other, false); got != want {
				t.Errorf("%q of %q: %t", other, said, got)
			}
			if want && !original.Same(Compare(other)) {
				t.Errorf("%q is not recognised by the sketch of %q", other, said)
			}
		}
	}
	home := Claimed{}.With("I live in Munich", false)
	if home.MadeBy("Home: Munich", true) || !home.MadeBy("I live in Munich.", true) || len(Claimed{}.With("Home: Munich", true)) > 0 {
		t.Error("under a line about somebody else")
	}
	if !WordsOf("My sister Anna").NamesPerson() || WordsOf("Profile").NamesPerson() || WordsOf("").NamesPerson() {
		t.Error("headings")
	}
}

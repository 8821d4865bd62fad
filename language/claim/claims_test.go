package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaimsOf(t *testing.T) {
	for text, want := range map[string]Claim{
		"Lives in Berlin with two cats.":          {User, "home", "Berlin", true, false},
		"My sister works at Siemens.":             {"sister", "employer", "Siemens", false, false}, // people have several
		"The deadline is Friday.":                 {"deadlin", "is", "Friday", true, false},
		"I moved: I live in Bremen now.":          {User, "home", "Bremen", true, true},
		"Anna: she works at Siemens.":             {"anna", "employer", "Siemens", true, false},
		"Jonas: I live in Bremen now.":            {"jona", "home", "Bremen", true, true},
		"Ich wohne jetzt in Hamburg.":             {User, "home", "Hamburg", true, false},
		"Meine Schwester lebt in Wien.":           {"schwester", "home", "Wien", true, false},
		"Ich arbeite seit Mai bei Siemens.":       {User, "employer", "Siemens", true, false},
		"Ich bin 34 Jahre alt.":                   {User, "age", "34", true, false},
		"Mein Geburtstag ist am 3. Mai.":          {User, "birthday", "3. Mai", true, false},
		"Ich bin nach Köln gezogen":               {User, "home", "Köln", true, true},
		"Ich heiße Jonas.":                        {User, "name", "Jonas", true, false},
		"Ich bin verheiratet.":                    {User, "status", "verheiratet", true, false},
		"Das Passwort vom WLAN ist Sonnenblume7.": {"passwort wlan", "is", "Sonnenblume7", true, false},
	} {
		got := ClaimsOf(text)
		if len(got) == 0 {
			t.Errorf("%q: none", text)
			continue
		}
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	for _, text := range []string{"Ich wohne nicht in Hamburg.", "Ich möchte in Wien wohnen.", "Früher wohnte ich in Köln.", "Das ist schön, und gut."} {
		if got := ClaimsOf(text); len(got) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A move is the user's, whatever precedes it.
func TestMovesWithALead(t *testing.T) {
	for statement, town := range map[string]string{
		`"Big news: I moved to Sheffield last weekend [2026-03-07 to 2026-03-08]."`: "Sheffield",
		`"Letztes Wochenende bin ich nach Bonn gezogen."`:                           "Bonn",
		`"我上周末[2026-03-07 to 2026-03-08]搬到杭州了"`:                                     "杭州",
		`"El fin de semana pasado me mudé a Granada."`:                              "Granada",
		`"Le week-end dernier j'ai déménagé à Nantes."`:                             "Nantes",
	} {
		if got := ClaimsOf(statement); len(got) != 1 || got[0].Subject != User || got[0].Value != town {
			t.Errorf("%s: %+v", statement, got)
		}
	}
}

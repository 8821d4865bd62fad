package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaimsInFrenchAndSpanish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Claim{
		"J'habite à Lyon.":                    {{Subject: User, Attribute: "home", Value: "Lyon", Single: true}},
		"Je travaille chez Airbus":            {{Subject: User, Attribute: "employer", Value: "Airbus", Single: true}},
		"Vivo en Sevilla.":                    {{Subject: User, Attribute: "home", Value: "Sevilla", Single: true}},
		"Me mudé a Bilbao.":                   {{Subject: User, Attribute: "home", Value: "Bilbao", Single: true, Changed: true}},
		"Tengo 34 años.":                      {{Subject: User, Attribute: "age", Value: "34", Single: true}},
		"Trabajo como enfermera":              {{Subject: User, Attribute: "job", Value: "enfermera"}},
		"Je travaille comme cuisinier à Lyon": {{Subject: User, Attribute: "job", Value: "cuisinier à Lyon"}},
		"No vivo en Sevilla.":                 {},
		"Tengo 2 gatos.":                      {},
		"Je mange à Lyon.":                    {},
	} {
		if diff := cmp.Diff(want, ClaimsOf(text)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
	if _, _, disputed := Dispute(Read("I live in Hamburg during the week"), Read("I live in Lübeck on weekends")); disputed {
		t.Error("two homes, each for a part of the week")
	}
}

package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeysNameAttributesOfTheUser(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Claim{
		"City: Berlin":                 {User, "home", "Berlin", true, false},
		"Based in: Berlin":             {User, "home", "Berlin", true, false},
		"**Wohnort:** Trier":           {User, "home", "Trier", true, false},
		"Arbeitgeber: Siemens":         {User, "employer", "Siemens", true, false},
		"Beruf: Lehrerin":              {User, "job", "Lehrerin", true, false},
		"Alter: 34":                    {User, "age", "34", true, false},
		"Ernährung: vegan":             {User, "diet", "vegan", true, false},
		"Ville : Lyon":                 {User, "home", "Lyon", true, false},
		"Date de naissance : 3 mai":    {User, "birthday", "3 mai", true, false},
		"Città: Modena":                {User, "home", "Modena", true, false},
		"Ciudad: Sevilla":              {User, "home", "Sevilla", true, false},
		"Edad: 34":                     {User, "age", "34", true, false},
		"Cidade: Porto":                {User, "home", "Porto", true, false},
		"Город: Казань":                {User, "home", "Казань", true, false},
		"城市：成都":                        {User, "home", "成都", true, false},
		"公司：腾讯":                        {User, "employer", "腾讯", true, false},
		"居住地：大阪":                       {User, "home", "大阪", true, false},
		"도시: 부산":                       {User, "home", "부산", true, false},
		"Thành phố: Huế":               {User, "home", "Huế", true, false},
		"المدينة: القاهرة":             {User, "home", "القاهرة", true, false},
		"- not a list marker: Berlin":  {},
		"Stadtplan: Berlin":            {},
		"Adresse: Hauptstraße 7":       {},
		"Ort: Rathaus":                 {},
		"Ciudad sin ley: una película": {},
		"单位：元":                         {},
		"Wohnort: ":                    {},
	} {
		got := ClaimsOf(line)
		if want == (Claim{}) {
			for _, c := range got {
				if c.Attribute != "is" {
					t.Errorf("%q: %+v", line, c)
				}
			}
			continue
		}
		if diff := cmp.Diff([]Claim{want}, got); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestPlaceKeys(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Adresse: Hauptstraße 7": "place", "住址：成都市": "place", "Stadt: Trier": "home", "Location: Oslo": "place", "Employer: Siemens": "employer",
		"Lives in Oslo.": "", "Homework: done": "",
	} {
		if got, _ := KeyOf(line); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}

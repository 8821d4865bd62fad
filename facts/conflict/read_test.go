package conflict

import "testing"

// TestSubjectsOfPlaces checks that the statement above and the heading say what a statement is about.
func TestSubjectsOfPlaces(t *testing.T) {
	type statement struct{ text, above, heading string }
	for _, c := range []struct {
		a, b statement
		want bool
	}{
		{statement{"lives in Berlin", "My sister Anna:", ""}, statement{"lives in Munich", "My sister Anna:", ""}, true},
		{statement{"lives in Berlin", "My sister Anna:", ""}, statement{"lives in Munich", "My aunt Eva:", ""}, false},
		{statement{"lives in Berlin", "My sister Anna:", ""}, statement{"Lives in Munich.", "", ""}, false},
		{statement{"Deadline: Friday", "", "Project Atlas"}, statement{"Deadline: Monday", "", "Project Orion"}, false},
		{statement{"Deadline: Friday", "", "Project Atlas"}, statement{"Deadline: Monday", "", "Project Atlas"}, true},
		{statement{"The deadline is Friday", "", "Work"}, statement{"The deadline is Monday", "", "Notes"}, true},
		{statement{"Lives in Rome.", "", "Profile"}, statement{"Lives in Oslo.", "", "2026-11-23"}, true},
	} {
		_, got := Between(ReadUnder(c.a.text, c.a.above, c.a.heading), ReadUnder(c.b.text, c.b.above, c.b.heading))
		if got != c.want {
			t.Errorf("%+v, %+v: %v", c.a, c.b, got)
		}
	}
}

// TestCorrections checks that words for a change settle which of two statements counts.
func TestCorrections(t *testing.T) {
	for newer, want := range map[string]bool{
		"Actually, I live in Munich.": true, "I moved to Munich.": true, "I live in Munich.": false, "Ich bin nach München gezogen.": true, "我搬到慕尼黑了。": true,
	} {
		v, found := Between(Read("I live in Berlin."), Read(newer))
		if newer[0] > 'Z' && !found || !found || v.Settled != want {
			t.Errorf("%s: %+v %v", newer, v, found)
		}
	}
}

// Key lines contradict one another, and sentences, in any language that has either.
func TestKeysContradict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, newer string
		want         bool
	}{
		{"Wohnort: Trier", "Wohnort: Kiel", true},
		{"Wohnort: Trier", "Ich wohne jetzt in Kiel.", true},
		{"城市：成都", "我住在北京", true},
		{"Ciudad: Sevilla", "Vivo en Bilbao.", true},
		{"Arbeitgeber: Siemens", "Employer: Nokia", true},
		{"Город: Казань", "Город: Омск", true},
		{"Ville : Lyon", "J'habite à Lyon.", false},
		{"Arbeitgeber: Siemens", "Wohnort: Kiel", false},
		{"Wohnort: Trier", "Meine Schwester lebt in Wien.", false},
		{"Adresse: Hauptstraße 7", "Wohnort: Kiel", false},
	} {
		if _, got := Between(Read(c.older), Read(c.newer)); got != c.want {
			t.Errorf("%q and %q: %v", c.older, c.newer, got)
		}
	}
}

// What a clause introduces is named by the next one, not the user.
func TestNamesOfWhatIsIntroduced(t *testing.T) {
	for text, want := range map[string]bool{
		"我们养了一只猫，叫咪咪。": false, "我有个儿子，叫小明。": false, "我养了两条狗，叫旺财和来福。": false, "我叫王芳。": true, "我是老师，叫王芳。": true,
	} {
		if _, got := Between(Read("我叫李华。"), Read(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

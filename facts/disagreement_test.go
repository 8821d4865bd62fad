package facts

import (
	"strings"
	"testing"
)

func TestDisagreements(t *testing.T) {
	rent := Disagreement{Older: "Rent is 950.", Newer: "Rent is 1,020."}
	port := Disagreement{Older: "The port is 8080.", Newer: "The port is 9090.", Superseded: true}
	all := []Disagreement{rent, port}
	shown := ShownIn("- Rent is\n  950.\n", "- Rent is 1,020.\n- The port is 8080.\n").Both(all)
	if len(shown) != 1 || shown[0] != rent {
		t.Errorf("both sides are shown of %+v", shown)
	}
	for text, want := range map[string]string{
		"- Rent is 950.":                   ` (undecided, a newer statement disagrees: "Rent is 1,020.")`,
		"- Rent is 1,020.":                 ` (undecided, an older statement disagrees: "Rent is 950.")`,
		"- The port is\n  8080.":           ` (superseded: "The port is 9090.")`,
		"- The port is 9090.":              ` (supersedes: "The port is 8080.")`,
		"- Rent is 950.\n- Rent is 1,020.": "",
		"- Likes tea.":                     "",
	} {
		if got := Beside(all, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	warning := Warning(append(all, rent, rent, rent), strings.ToUpper)
	for _, part := range []string{`"RENT IS 950." and "RENT IS 1,020.": nobody`, `"THE PORT IS 9090.": the second one`, "4 of 5 pairs are shown"} {
		if !strings.Contains(warning, part) {
			t.Errorf("no %q in %s", part, warning)
		}
	}
	if Warning(nil, strings.ToUpper) != "" {
		t.Error("nothing disagrees, and it warns")
	}
}

// A side is shown as well by an excerpt of it, by a quotation, and with a comment in between.
func TestDisagreementsInExcerpts(t *testing.T) {
	tail := strings.Repeat(" together with heating, water and the lift", 7)
	long := Disagreement{
		Older: "The rent of the flat in Kantstrasse is 950 euros" + tail + ".",
		Newer: "The rent of the flat in Kantstrasse is 1,020 euros" + tail + ".",
	}
	quoted := Disagreement{Older: "The port is 8080 <!-- c -->", Newer: "The port is 9090"}
	for _, c := range []struct {
		all   Disagreement
		text  string
		shown bool
	}{
		{long, "- " + long.Older[:150] + "\n- " + long.Newer[:150], true},
		{long, "- " + long.Older + "\n- " + long.Newer[120:], false},
		{long, "- " + long.Older[:150], false},
		{quoted, "> The port\n> is 8080\n\n- The port is 9090 <!-- source: x -->", true},
	} {
		if got := len(ShownIn(c.text).Both([]Disagreement{c.all})); (got == 1) != c.shown {
			t.Errorf("%q: %d pairs", c.text, got)
		}
	}
}

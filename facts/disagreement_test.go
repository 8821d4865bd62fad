package facts

import (
	"strings"
	"testing"
)

func TestDisagreements(t *testing.T) {
	rent := Disagreement{Older: "Rent is 950.", Newer: "Rent is 1,020."}
	port := Disagreement{Older: "The port is 8080.", Newer: "The port is 9090.", Superseded: true}
	all := []Disagreement{rent, port}
	shown := Within(all, "- Rent is\n  950.\n", "- Rent is 1,020.\n- The port is 8080.\n")
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

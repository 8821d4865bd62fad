package claim

import "testing"

func TestSubjectIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The remembered reviews are due on Friday.": "remembered reviews",
		"The deadline for Alpha is Friday.":         "deadline for Alpha",
		"My sister Anna lives in Berlin.":           "sister Anna",
		"I live in Berlin.":                         User,
	} {
		claims := ClaimsOf(text)
		if len(claims) == 0 {
			t.Errorf("%s: no claims", text)
			continue
		}
		if got := claims[0].SubjectIn(text); got != want {
			t.Errorf("%s: %q of %q, want %q", text, got, claims[0].Subject, want)
		}
	}
	if got := (Claim{Subject: "ann sister"}).SubjectIn("Lives there."); got != "ann sister" {
		t.Errorf("a subject that is named elsewhere: %q", got)
	}
}

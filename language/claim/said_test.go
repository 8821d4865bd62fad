package claim

import "testing"

func TestSubjectAsSaid(t *testing.T) {
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
		if got := SubjectAsSaid(text, claims[0].Subject); got != want {
			t.Errorf("%s: %q of %q, want %q", text, got, claims[0].Subject, want)
		}
	}
	if got := SubjectAsSaid("Lives there.", "ann sister"); got != "ann sister" {
		t.Errorf("a subject that is named elsewhere: %q", got)
	}
}

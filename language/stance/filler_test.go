package stance

import "testing"

// TestFillerDoesNotAsk does not take a question word inside a filler for a question.
func TestFillerDoesNotAsk(t *testing.T) {
	for text, want := range map[string]Stance{
		"Так что едем в Сочи":          Own,
		"Как я говорила, у сына астма": Own,
		"А что взять с собой":          Question,
	} {
		got := (&Reader{Lang: "ru"}).Read(text)
		if len(got) != 1 || got[0].Stance != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

package stance

import (
	"slices"
	"testing"
)

func TestStances(t *testing.T) {
	for name, c := range map[string]struct {
		lang     string
		messages []string
		want     []Stance // of all sentences
	}{
		"a role-play announced with a colon goes on in the next messages": {
			"it",
			[]string{"facciamo un gioco di ruolo: io sono il cliente", "Vivo a Bari.", "Fine del gioco, io vivo a Roma."},
			[]Stance{Foreign, Fiction, Own},
		},
		"a text to translate goes on behind the first sentence": {
			"pt",
			[]string{"traduz: chamo-me Anna. Moro em Lyon."},
			[]Stance{Foreign, Fiction},
		},
		"an announcement in another language than the text": {
			"pt",
			[]string{"traduz esse texto:\nI am a nurse and I have lived in Boston for the last six years with my two children and a dog."},
			[]Stance{Fiction, Foreign},
		},
		"Vietnamese questions without a question mark": {
			"vi",
			[]string{"con mèo nhà mình bỏ ăn, có sao không ạ", "mình nên nghỉ việc không", "đạp xe có tốt gì đâu", "mình không cần gì"},
			[]Stance{Question, Question, Own, Own},
		},
		"a short message in the language of the conversation": {
			"it",
			[]string{"se vincessi comprerei una casa"},
			[]Stance{Hypothetical},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reader{Lang: c.lang}
			var got []Stance
			for _, m := range c.messages {
				for _, s := range r.Read(m) {
					got = append(got, s.Stance)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

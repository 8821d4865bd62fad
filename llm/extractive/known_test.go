package extractive

import (
	"strings"
	"testing"

	"reverie/test/corpus"
)

// TestSaidAgain reads conversations one after another: what a line of the files says already, adds none, and what says more takes the place of
// the line. Lines are the lines of the files at the end.
func TestSaidAgain(t *testing.T) {
	for _, c := range []struct{ says, lines []string }{
		{
			[]string{"I'm vegetarian.", "I don't eat meat, I'm vegetarian.", "I am a vegetarian, by the way.", "btw I'm vegetarian!"},
			[]string{`"I don't eat meat, I'm vegetarian."`},
		},
		{
			[]string{"Rex, my dog, is five years old.", "I have a dog called Rex.", "My dog is called Rex."},
			[]string{`"Rex, my dog, is five years old."`},
		},
		{
			[]string{"Ich bin Vegetarierin.", "Ich esse kein Fleisch, ich bin Vegetarierin.", "Ich bin übrigens Vegetarierin."},
			[]string{`"Ich esse kein Fleisch, ich bin Vegetarierin."`},
		},
		{[]string{"Mi perro se llama Rex.", "Tengo un perro que se llama Rex."}, []string{`"Mi perro se llama Rex."`}},
		{[]string{"我吃素。", "我不吃肉，我吃素。", "我吃素。"}, []string{`"我不吃肉，我吃素。"`}},
		{[]string{"I'm allergic to peanuts and shellfish.", "I'm allergic to peanuts."}, []string{`"I'm allergic to peanuts and shellfish."`}},
		{ // The same of another person, or otherwise, is something else.
			[]string{"My son Leo is allergic to walnuts.", "I'm allergic to walnuts.", "My sister is allergic to walnuts too."},
			[]string{`"My son Leo is allergic to walnuts."`, `"I'm allergic to walnuts."`, `"My sister is allergic to walnuts too."`},
		},
	} {
		in := said()
		for _, says := range c.says {
			next := said("u: "+says, "a: OK.")
			next.Profile, next.Memory = in.Profile, in.Memory
			p := propose(next)
			if p.ProfileUpdate != "" {
				next.Profile = p.ProfileUpdate
			}
			if p.MemoryUpdate != "" {
				next.Memory = p.MemoryUpdate
			}
			in = next
		}
		files := corpus.KeptOf(in, propose(in)).Files
		if len(files) != len(c.lines) {
			t.Errorf("%q: there should be %d lines, not %q", c.says, len(c.lines), files)
		}
		for _, line := range c.lines {
			if !strings.Contains(in.Profile+in.Memory, line) {
				t.Errorf("%q: the files should have %s:\n%s%s", c.says, line, in.Profile, in.Memory)
			}
		}
	}
}

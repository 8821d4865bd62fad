package grounding_test

import (
	"testing"

	"reverie/memory/grounding"
)

// What the assistant supposes in a question is the user's statement only if the message answers it.
func TestMessagesThatAnswerNothing(t *testing.T) {
	for _, c := range []struct{ asked, said, right, wrong string }{
		{"Do you earn 5000 euro a month?", "What is the capital of France?", "", "Earns 5000 euro a month."},
		{"Are you married to Eva?", "I would rather talk about music.", "", "Is married to Eva."},
		{"You surely live in Berlin?", "My colleague Paul lives in Paris.", "", "The user lives in Berlin."},
		{"Do you live in Berlin?", "I live in Bremen.", "Lives in Bremen.", "Lives in Berlin."},
		{"Do you have a dog?", "Two, actually, both from the shelter", "Has two dogs from the shelter", ""},
		{"Do you live in Berlin?", "Since 2010.", "Lives in Berlin since 2010", ""},
		{"Do you live in Berlin?", "I have lived there since 2010.", "Has lived in Berlin since 2010", ""},
		{"Do you have a dog?", "Her name is Luna.", "Has a dog called Luna", ""},
		{"Are you allergic to anything?", "Nuts and cats.", "Is allergic to nuts and cats", ""},
		{"How old are your kids?", "Max is 12 and Anna is 9.", "Kids are 12 and 9", ""},
		{"What do you do for a living?", "I am a nurse.", "Works as a nurse", ""},
		{"Wohnst du in Berlin?", "Lass uns lieber über Musik reden.", "", "Wohnt in Berlin"},
		{"Wohnst du in Berlin?", "Seit 2010.", "Wohnt seit 2010 in Berlin", ""},
		{"Wohnst du in Berlin?", "Ich wohne in Bremen.", "Wohnt in Bremen", "Wohnt in Berlin"},
		{"Vives en Madrid?", "¿Cuál es la capital de Francia?", "", "Vive en Madrid"},
		{"你住在北京吗？", "法国的首都是哪里？", "", "住在北京"},
		{"Which city did you move to?", "Leeds. My sister lives there.", "Moved to Leeds", ""},
		{"Do you take 20 mg of it?", "I take it in the morning.", "Takes 20 mg in the morning", ""},
	} {
		first := "Hi there."
		if c.asked[0] > 0x7f {
			first = "你好。"
		}
		e := evidenceOf(first)
		e.Transcript = append(e.Transcript, line("assistant", c.asked), line("user", c.said))
		g := grounding.New(e)
		if faults := g.Check("- " + c.right); c.right != "" && len(faults) > 0 {
			t.Errorf("%s %s\n%s is refused: %v", c.asked, c.said, c.right, faults)
		}
		if faults := g.Check("- " + c.wrong); c.wrong != "" && len(faults) == 0 {
			t.Errorf("%s %s\n%s passes", c.asked, c.said, c.wrong)
		}
	}
}

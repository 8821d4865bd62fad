package grounding_test

import (
	"strings"
	"testing"

	"reverie/memory/grounding"
)

// What is said about one person is not true of another, also without a value.
func TestPredicatesHaveAPerson(t *testing.T) {
	for _, c := range []struct{ said, right, wrong string }{
		{"My daughter Ivy is allergic to eggs. Rachel is bringing the cake.", "Ivy is allergic to eggs", "Rachel is allergic to eggs"},
		{"Dave is vegan, so we need a place with options.", "Dave is vegan", "Is vegan"},
		{"My colleague Dave is vegan.", "Colleague Dave is vegan", "The user is vegan"},
		{"I had leukaemia when I was nine. My mother slept at the hospital.", "The user had leukaemia at nine", "Mother had leukaemia"},
		{"I take warfarin, so I can't have aspirin.", "Takes warfarin and can't have aspirin", "Takes aspirin and can't have warfarin"},
		{"My mother is a nurse. I work at the bakery.", "The user works at the bakery", "Mother works at the bakery"},
		{"I'm a plumber. My brother Sam is a vet.", "Brother Sam is a vet", "The user is a vet"},
		{"Soy Lucía. Mi madre es diabética y vive conmigo.", "La madre es diabética", "Lucía es diabética"},
		{"Meine Frau verträgt keine Laktose. Unser Sohn Emil isst alles.", "Ehefrau verträgt keine Laktose", "Emil verträgt keine Laktose"},
		{"我是老师，对青霉素过敏。乐乐是我的学生。", "用户对青霉素过敏", "乐乐对青霉素过敏"},
		{"Let's do a role-play: I am a sailor and my name is Bob. You are the captain.", "", "Name is Bob"},
		{"Role-play: you are a doctor and I am a patient with gout. I begin: doctor, my foot hurts.", "", "Has gout"},
		{"If I won the lottery I'd buy a vineyard. Anyway, how do I prune roses?", "Prunes roses", "Buys a vineyard"},
	} {
		g := groundOf(strings.Split(c.said, "|")...)
		if faults := g.Check("- " + c.right); c.right != "" && len(faults) > 0 {
			t.Errorf("%s\n%s is refused: %v", c.said, c.right, faults)
		}
		if faults := g.Check("- " + c.wrong); len(faults) == 0 {
			t.Errorf("%s\n%s passes", c.said, c.wrong)
		}
	}
}

// The evidence of the assistant alone is none.
func TestTheAssistantIsNoEvidence(t *testing.T) {
	e := evidenceOf("What should I cook tonight?")
	e.Transcript = append(e.Transcript, line("assistant", "Since you keep goats, try goat cheese."), line("user", "Let me think."))
	if len(grounding.New(e).Check("- Keeps goats")) == 0 {
		t.Error("what only the assistant says passes")
	}
}

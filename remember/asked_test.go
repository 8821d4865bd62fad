package remember

import (
	"testing"

	"reverie/memory"
	"reverie/memory/transcripts"
)

// Only what a person asks to remember in their own words is marked as asked.
func TestAskedLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, role, text, line string
		want                   bool
	}{
		{"a request", memory.RoleOfUser, "Please remember that the spare key is with Frau Lenz.", "- The spare key is with Frau Lenz.", true},
		{"a quoted request", memory.RoleOfUser, "Please remember that I'm allergic to nuts.", `- "Please remember that I'm allergic to nuts."`, true},
		{"one of several sentences", memory.RoleOfUser, "I cook tonight. Please remember that I'm allergic to nuts. Any ideas?", "- Allergic to nuts.", true},
		{"German", memory.RoleOfUser, "Bitte merk dir, dass ich keine Nüsse vertrage.", "- Verträgt keine Nüsse.", true},
		{"Chinese", memory.RoleOfUser, "请记住我对花生过敏。", "- 用户对花生过敏。", true},
		{"something else of the message", memory.RoleOfUser, "I cook pasta tonight. Please remember that I'm allergic to nuts.", "- Cooks pasta.", false},
		{"a plain statement", memory.RoleOfUser, "I'm allergic to nuts.", "- Allergic to nuts.", false},
		{"a question", memory.RoleOfUser, "Do you remember that I'm allergic to nuts?", "- Allergic to nuts.", false},
		{"another person's words", memory.RoleOfUser, "My boss said: “Please remember that the gate is locked at ten.”", "- The gate is locked at ten.", false},
		{"the assistant", memory.RoleOfAssistant, "Please remember that the gate is locked at ten.", "- The gate is locked at ten.", false},
	} {
		transcript := []transcripts.Line{{Seq: 1, Role: memory.RoleOfUser, Text: "Hi"}, {Seq: 2, Role: c.role, Text: c.text}}
		got := MarkAsked([]memory.LineSource{{Line: c.line, Messages: []int64{2}}}, transcript)
		if got[0].Asked != c.want {
			t.Errorf("%s: %v", c.name, got[0].Asked)
		}
	}
	group := []transcripts.Line{
		{Seq: 1, Role: memory.RoleOfUser, Name: "Ann", Text: "Hi"},
		{Seq: 2, Role: memory.RoleOfUser, Name: "Bob", Text: "Please remember that I'm allergic to nuts."},
	}
	if got := MarkAsked([]memory.LineSource{{Line: "- Allergic to nuts.", Messages: []int64{2}}}, group); got[0].Asked {
		t.Error("the words of one of several persons")
	}
}

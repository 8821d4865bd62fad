package chat_test

import (
	"strings"
	"testing"

	"reverie/chat"
	"reverie/memory"
)

// What is known about a person is what is current: not what was withdrawn or corrected since the note was written, what a newer statement
// supersedes, what is archived, or what has ended.
func TestWhatIsPastIsNotKnownAboutAPerson(t *testing.T) {
	w := alone(t)
	const day = "memory/2026-05-20.md"
	w.write(grace, memory.ProfilePath, "# Profile\n\n## Identity\n\n- \"I live in Munich.\"\n- Has a cat called Pip.\n")
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Remembered\n\n- \"Please remember that the printer of the ward is in room 214.\"\n"+
		"- On parental leave until 2026-05-01.\n\n## Archived\n\n- Collects stamps.\n")
	note := "# 2026-05-20\n\n## 14:05 I live in Munich\n\n- \"I live in Munich.\"\n- \"The printer of the ward is in room 214.\"\n- Has a cat called Pip.\n" +
		"- \"The rent of my flat is 900 euros.\"\n- \"I sing in a choir.\"\n- Collects stamps.\n"
	w.write(grace, day, note)
	w.write(grace, memory.ProfilePath, "# Profile\n\n## Identity\n\n- Has a cat called Pip, who is grey.\n")
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Remembered\n\n- \"And the printer of the ward is in room 310 now.\"\n"+
		"- On parental leave until 2026-05-01.\n\n## Archived\n\n- Collects stamps.\n")
	w.write(grace, day, note+"\n## 15:00 And the printer of the…\n\n- \"And the printer of the ward is in room 310 now.\"\n"+
		"- \"The rent of my flat is now 950 euros.\"\n")
	turn, _ := w.turn(grace, chat.TurnRequest{Message: "What do you know about me?"})
	for _, want := range []string{"room 310", "950 euros", "choir", "called Pip"} {
		if !strings.Contains(turn.Answer, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, not := range []string{"Munich", "214", "900", "leave", "stamps", "superseded"} {
		if strings.Contains(turn.Answer, not) {
			t.Errorf("it has %q", not)
		}
	}
	if t.Failed() {
		t.Log(turn.Answer)
	}

	w.write(grace, memory.ProfilePath, "# Profile\n\n## Identity\n\n- \"I live in Munich.\"\n") // said again
	turn, _ = w.turn(grace, chat.TurnRequest{Message: "What do you know about me?"})
	if strings.Count(turn.Answer, "Munich") != 1 {
		t.Error(turn.Answer)
	}
}

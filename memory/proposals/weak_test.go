package proposals

import (
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/transcripts"
)

// Uncertain and empty statements, invented values and names, and statements of the wrong person do not enter memory; the reason is kept.
func TestWeakLinesAreRefused(t *testing.T) {
	t.Parallel()
	in := ExtractionInput{
		Today: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Memory: "# Memory\n\n- Maybe moves to Basel.\n",
		Transcript: []transcripts.Line{
			{Seq: 1, Role: memory.RoleOfUser, Text: "I live in Bern. My sister Anna lives in Chur. Maybe I move to Basel next year. ok"},
			{Seq: 2, Role: memory.RoleOfAssistant, Text: "Noted."},
		},
	}
	for line, code := range map[string]string{
		"- Lives in Bern.":                   "",
		"- Maybe moves to Basel next year.":  ViolationUncertain,
		"- Does the user live in Bern?":      ViolationUncertain,
		"- ok":                               ViolationLowSignal,
		"- Lives in Geneva.":                 ViolationUngrounded,
		"- Pays 900 francs for a flat.":      ViolationUngrounded,
		"- The user's brother lives in Chur": ViolationUngrounded,

		`- "I live in Bern."`:                   "",
		`- "Maybe I move to Basel next year."`:  "", // a note may quote a doubt
		`- "ok"`:                                ViolationLowSignal,
		`- [Shall I note where you live?] "ok"`: "",
	} {
		p, dropped := Ground(Proposal{ShouldUpdate: true, DailyEntry: line + "\n"}, in)
		refused := Ungrounded(dropped)
		switch {
		case code == "" && (len(refused) > 0 || !strings.Contains(p.DailyEntry, line)):
			t.Errorf("%q is refused: %+v", line, refused)
		case code != "" && (len(refused) != 1 || refused[0].Code != code || !strings.Contains(refused[0].Message, line[2:]) || p.DailyEntry != ""):
			t.Errorf("%q: %+v, want %s; left %q", line, refused, code, p.DailyEntry)
		}
	}
	for line, code := range map[string]string{
		`- "I live in Bern."`: "", `- "Maybe I move to Basel next year."`: ViolationUncertain, `- "ok"`: ViolationLowSignal,
	} {
		p, dropped := Ground(Proposal{ShouldUpdate: true, MemoryUpdate: in.Memory + line + "\n", ProfileUpdate: line + "\n"}, in)
		refused := Ungrounded(dropped)
		switch {
		case code == "" && (len(refused) > 0 || p.MemoryUpdate == "" || p.ProfileUpdate == ""):
			t.Errorf("%q is refused: %+v", line, refused)
		case code != "" && (len(refused) != 2 || refused[0].Code != code || refused[1].Code != code || p.MemoryUpdate != "" || p.ProfileUpdate != ""):
			t.Errorf("%q: %+v, want %s; left %q %q", line, refused, code, p.MemoryUpdate, p.ProfileUpdate)
		}
	}
	// What the documents have already stays.
	if p, dropped := Ground(Proposal{ShouldUpdate: true, MemoryUpdate: in.Memory + "- Lives in Bern.\n"}, in); len(dropped) > 0 || p.MemoryUpdate == "" {
		t.Errorf("a document's line is refused: %+v", dropped)
	}
}

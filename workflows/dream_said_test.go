package workflows

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"reverie/dream"
	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
)

// candidate returns what the last dream weighed about some words.
func (w *dreamWorld) candidate(t *testing.T, words string) dream.Candidate {
	t.Helper()
	candidates, err := w.DreamCandidates(t.Context(), w.owner, w.report(t).ID, "", store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range candidates.Items {
		if strings.Contains(c.Text, words) {
			return c
		}
	}
	t.Fatalf("nothing about %q was weighed", words)
	return dream.Candidate{}
}

// TestOneMessageIsOneMention notes a message on a later day than that on which it was said.
func TestOneMessageIsOneMention(t *testing.T) {
	w := newDreamWorld(t)
	const words = "My brother Jonas lives in Ghent."
	stored, err := w.AppendMessages(t.Context(), w.owner, talk.Batch{
		Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true,
		Messages: []memory.Message{{ID: "m", Role: memory.RoleOfUser, Content: words, CreatedAt: w.asOf.AddDate(0, 0, -5)}},
	})
	if err != nil || stored.Stored != 1 {
		t.Fatal(err)
	}
	line := `- "` + words + `"`
	for _, day := range []string{"2026-01-29-late", "2026-01-30-later"} {
		if _, err := w.Apply(t.Context(), w.owner, uuid.NewString(), []memory.Change{{
			Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/" + day + ".md"}, Op: memory.OpReplace, Force: true,
			Content: "# " + day[:10] + "\n\n" + line + "\n",
			Sources: memory.Sources{Conversation: "c", From: 1, To: 1, Lines: []memory.LineSource{{Line: line, Messages: []int64{1}}}},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.run(t, w.nightly()); err != nil {
		t.Fatal(err)
	}
	c := w.candidate(t, "Jonas")
	if got := c.Signals.MentionDays; len(got) != 1 || got[0] != "2026-01-26" || c.ReasonCode != dream.ReasonOneOff {
		t.Errorf("said on %v (%s)", got, c.ReasonCode)
	}
}

// TestWhatIsTakenOutOfANoteIsNotPromoted edits the notes while a dream weighs them.
func TestWhatIsTakenOutOfANoteIsNotPromoted(t *testing.T) {
	w := newDreamWorld(t)
	out, err := w.run(t, w.nightly(), func(env *testsuite.TestWorkflowEnvironment) {
		env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
			if info.ActivityType.Name == "LightSleep" {
				for day := 28; day <= 30; day++ {
					w.note(t, fmt.Sprintf("2026-01-%d", day), "The cat of Ada is called Tom.")
				}
			}
		})
	})
	if err != nil || out.Outcome != memory.OutcomeNothing || w.read(t, memory.MemoryPath) != itsMemory {
		t.Errorf("it ended as %+v (%v)\n%s", out, err, w.read(t, memory.MemoryPath))
	}
	if c := w.candidate(t, "Rex"); c.ReasonCode != dream.ReasonSourceGone || len(c.Places) > 0 {
		t.Errorf("%s, at %+v", c.ReasonCode, c.Places)
	}
}

// TestADreamIntoAFullMemory promotes beside 8,859 characters of a person, and reports when hers leave no room at all.
func TestADreamIntoAFullMemory(t *testing.T) {
	w := newDreamWorld(t)
	mine := "# Memory\n\n"
	for i := 0; utf8.RuneCountInString(mine) < 8859; i++ {
		mine += fmt.Sprintf("- Fact %03d about the house by the river in Lisbon, written down by hand.\n", i)
	}
	w.write(t, memory.MemoryPath, mine)
	out, err := w.run(t, w.nightly())
	got := w.read(t, memory.MemoryPath)
	if err != nil || out.Outcome != memory.OutcomeWritten || !strings.HasPrefix(got, mine) || !strings.Contains(got, "is called Rex.") {
		t.Errorf("it ended as %+v (%v)\n%s", out, err, strings.TrimPrefix(got, mine))
	}

	w = newDreamWorld(t)
	for i := 0; utf8.RuneCountInString(mine) < w.options.DreamDefaults.MemoryMaxChars; i++ {
		mine += fmt.Sprintf("- Fact %03d about the garden, written down by hand.\n", i)
	}
	w.write(t, memory.MemoryPath, mine)
	out, err = w.run(t, w.nightly())
	if err != nil || out.Outcome != memory.OutcomeNothing || out.ReasonCode != "no_room" || w.read(t, memory.MemoryPath) != mine {
		t.Errorf("it ended as %+v (%v)", out, err)
	}
	reason := fmt.Sprintf("what people wrote has %d of them", utf8.RuneCountInString(mine))
	if r := w.report(t); !strings.Contains(r.Reason, reason) || !strings.Contains(w.read(t, "DREAMS.md"), reason) {
		t.Errorf("reported %q\n%s", r.Reason, w.read(t, "DREAMS.md"))
	}
	if _, code := w.verdictOn(t, "Rex"); code != dream.ReasonCeiling {
		t.Errorf("kept for %s", code)
	}
}

// TestQuotedLinesArePromotedAsTheyAre promotes a line that quotes its message, as it is in the note.
func TestQuotedLinesArePromotedAsTheyAre(t *testing.T) {
	w := newDreamWorld(t)
	for day := 28; day <= 30; day++ {
		said := w.asOf.AddDate(0, 0, day-31).Add(10 * time.Hour)
		if _, err := w.AppendMessages(t.Context(), w.owner, talk.Batch{
			Conversation: fmt.Sprint("c", day), Trigger: memory.TriggerAPI, TurnComplete: true,
			Messages: []memory.Message{
				{ID: "m", Role: memory.RoleOfUser, Content: "Well, my son Max is 12. Do I have a son?", CreatedAt: said},
			},
		}); err != nil {
			t.Fatal(err)
		}
		w.note(t, fmt.Sprintf("2026-01-%d", day), `"My son Max is 12."`, `"Do I have a son?"`, `[Which city do you live in?] "Bonn."`)
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeWritten {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	got := w.read(t, memory.MemoryPath)
	for line, want := range map[string]bool{
		`- "My son Max is 12." <!--`: true, `- [Which city do you live in?] "Bonn." <!--`: true, `Do I have`: false,
	} {
		if strings.Contains(got, line) != want {
			t.Errorf("%q: %v\n%s", line, !want, got)
		}
	}
}

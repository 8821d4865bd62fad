package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/store/talk"
)

const pets = "# Memory\n\n## Pets\n\n- Ada has a cat.\n\n## Work\n\n- Ada works at the mill.\n"

// petsWith returns pets with lines under its first heading.
func petsWith(lines ...string) string {
	return strings.Replace(pets, "- Ada has a cat.\n", "- Ada has a cat.\n"+strings.Join(lines, ""), 1)
}

// Somebody writes a statement between an extraction's proposal of the same one and its commit.
func TestStatementsOnceAtTheCommit(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const (
		rex    = "- The dog of Ada is called Rex.\n"
		styled = "* The dog of Ada is called **Rex** <!-- score 0.81 -->\n"
	)
	for owner, c := range map[memory.Owner]struct{ draft, now, want string }{
		"user:other-place":  {petsWith(rex), pets + rex, pets + rex},
		"user:other-style":  {petsWith(rex), pets + styled, pets + styled},
		"user:other-words":  {petsWith("- Dog of Ada is called Rex.\n"), pets + "- The dog of Ada is called Rex.\n", pets + rex},
		"user:same-place":   {petsWith(rex), petsWith(rex), petsWith(rex)},
		"user:more":         {petsWith(rex, "- Rex is brown.\n"), pets + rex, petsWith("- Rex is brown.\n") + rex},
		"user:with-heading": {pets + "\n## Dogs\n\n" + rex, rex + "\n" + pets, rex + "\n" + pets},
		"user:nested": {
			petsWith(rex, "  - Rex is brown.\n"), pets + rex, petsWith(rex, "  - Rex is brown.\n") + rex,
		},
		"user:instead": {
			strings.Replace(pets, "- Ada has a cat.\n", rex, 1), pets + rex, strings.Replace(pets, "- Ada has a cat.\n", "", 1) + rex,
		},
		"user:both-instead": {
			strings.Replace(pets, "- Ada has a cat.\n", rex, 1), strings.Replace(pets, "- Ada has a cat.\n", rex, 1),
			strings.Replace(pets, "- Ada has a cat.\n", rex, 1),
		},
		"user:something-else": {petsWith(rex), pets + "- Ada has a horse.\n", petsWith(rex) + "- Ada has a horse.\n"},
	} {
		person, id := member(owner), workflow(owner, "r1")
		write(t, s, person, replace(personal("MEMORY.md"), 0, pets))
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn(string(owner), "m", 4)))
		x, _ := begin(t, s, id)
		change := replace(personal("MEMORY.md"), 1, c.draft)
		change.Once = true
		if err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{Changes: []memory.Change{change}, To: 4}); err != nil {
			t.Fatal(err)
		}
		write(t, s, dreaming(owner, "d1"), replace(personal("MEMORY.md"), 1, c.now))
		out := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}))
		if diff := cmp.Diff(c.want, must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))).Content); diff != "" {
			t.Errorf("%s (-want +got):\n%s", owner, diff)
		}
		if isWritten := out.Extraction.Outcome == memory.OutcomeWritten; isWritten != (c.want != c.now) {
			t.Errorf("%s: outcome %s", owner, out.Extraction.Outcome)
		}
	}
}

// Two conversations say the same: the second note entry has only what the note lacks.
func TestNoteEntriesOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	note := func(text string) memory.Change {
		c := noteChange(text)
		c.Once = true
		return c
	}
	entry := "## 10:00 Dogs\n\n- Rex is a dog.\n"
	write(t, s, id, note(entry))
	if again := write(t, s, id, note("## 10:05 Dogs\n\n- Rex is a dog.\n")); again.Changed {
		t.Errorf("the same again: %+v", again)
	}
	write(t, s, id, note("## 10:10 Pets\n\n- Rex is a dog.\n- Mia is a cat.\n"))
	want := "# 2026-11-21\n\n" + entry + "\n## 10:10 Pets\n\n- Mia is a cat.\n"
	if diff := cmp.Diff(want, must[memory.Document](t)(s.Document(t.Context(), id, noteChange("").Ref)).Content); diff != "" {
		t.Errorf("note (-want +got):\n%s", diff)
	}
}

// The last attempt of an extraction whose lines others keep changing: theirs stay, and nothing of the draft is lost.
func TestDraftAsPatch(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const (
		rex   = "- The dog of Ada is called Rex.\n"
		horse = "- Ada has a horse.\n"
		mia   = "- Mia is a cat.\n"
	)
	instead := func(lines string) string { return strings.Replace(pets, "- Ada has a cat.\n", lines, 1) }
	for owner, c := range map[memory.Owner]struct{ draft, now, want string }{
		"user:added": {petsWith(rex), petsWith(horse), petsWith(horse, rex)},
		"user:changed": {
			instead("- Ada has two cats.\n"), instead("- Ada has three cats.\n"), instead("- Ada has three cats.\n- Ada has two cats.\n"),
		},
		"user:removed": {instead(""), instead("- Ada has three cats.\n"), instead("- Ada has three cats.\n")},
		"user:emptied": {petsWith(rex), "# Memory\n", "# Memory\n" + rex},
		"user:same":    {petsWith(rex, mia), petsWith(mia, horse), petsWith(mia, horse, rex)},
		"user:nested": {
			petsWith("  - It is called Mia.\n", rex), petsWith("- Ada has a horse.\n"),
			petsWith("  - It is called Mia.\n", "- Ada has a horse.\n", rex),
		},
	} {
		person, id := member(owner), workflow(owner, "r1")
		write(t, s, person, replace(personal("MEMORY.md"), 0, pets))
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn(string(owner), "m", 4)))
		x, _ := begin(t, s, id)
		change := replace(personal("MEMORY.md"), 1, c.draft)
		change.Once = true
		if err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{Changes: []memory.Change{change, noteChange("- a\n")}, To: 4}); err != nil {
			t.Fatal(err)
		}
		write(t, s, person, replace(personal("MEMORY.md"), 1, c.now))
		must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID, Patch: true}))
		if diff := cmp.Diff(c.want, must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))).Content); diff != "" {
			t.Errorf("%s (-want +got):\n%s", owner, diff)
		}
		if note := must[memory.Document](t)(s.Document(t.Context(), id, noteChange("").Ref)); !strings.Contains(note.Content, "- a\n") {
			t.Errorf("%s: the note is %q", owner, note.Content)
		}
	}
	// A deleted document comes back with what is new.
	person, id := member("user:deleted"), workflow("user:deleted", "r1")
	write(t, s, person, replace(personal("MEMORY.md"), 0, pets))
	write(t, s, person, memory.Change{Ref: personal("MEMORY.md"), Op: memory.OpDelete})
	change := replace(personal("MEMORY.md"), 1, petsWith(rex))
	change.Patch = true
	write(t, s, id, change)
	if got := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))).Content; got != rex {
		t.Errorf("after its deletion: %q", got)
	}
}

package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	"reverie/store/dreams"
)

// What leaves MEMORY.md or PROFILE.md is rejected, unless it moves to the other document or a person has decided about it.
func TestStatementsThatLeave(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, engine := member("user:7"), dreaming("user:7", "r")
	engine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "extract", WorkflowID: "w", RunID: "r"}
	profile, notes := personal(memory.ProfilePath), personal("notes/a.md")
	write(t, s, id, replace(personal(memory.MemoryPath), 0, "- Likes tea.\n- Has a dog.\n- Lives in Rome.\n- Plays chess.\n"))
	write(t, s, id, replace(notes, 0, "- Owns a boat.\n"))
	if states := statusesOf(t, s, id); len(states) > 0 {
		t.Fatalf("%v", states)
	}
	storedState(t, s, id, dream.State{ID: memory.ItemID("Plays chess."), Text: "Plays chess.", Status: dream.Confirmed})

	// One moves to PROFILE.md, one is corrected by an extraction.
	if _, err := s.Apply(t.Context(), engine, "", []memory.Change{
		replace(personal(memory.MemoryPath), 1, "- Likes tea.\n- Lives in Bonn.\n- Plays chess.\n"), replace(profile, 0, "- Has a dog. <!-- moved -->\n"),
	}); err != nil {
		t.Fatal(err)
	}
	// A person deletes the rest, and a document that dreams do not write.
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpDelete})
	write(t, s, id, memory.Change{Ref: notes, Op: memory.OpDelete})
	want := map[string]string{
		"Lives in Rome.": "rejected corrected", "Likes tea.": "rejected removed", "Lives in Bonn.": "rejected removed", "Plays chess.": "confirmed ",
	}
	got := map[string]string{}
	for text, state := range statesOf(t, s, id) {
		got[text] = string(state.Status) + " " + state.ReasonCode
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	// What is forgotten leaves no words.
	write(t, s, id, memory.Change{Ref: profile, Op: memory.OpReplace, Content: "- Is allergic to nuts.\n", Force: true})
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: profile, FromLine: 1, ToLine: 1}))
	for text := range statesOf(t, s, id) {
		if strings.Contains(text, "nuts") {
			t.Errorf("%q is recorded", text)
		}
	}
}

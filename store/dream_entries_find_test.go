package store

import (
	"testing"

	"reverie/dream"
	"reverie/memory"
)

func TestDreamEntry(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := dreamt(t, s, id)
	tea := memory.ItemID("Likes tea.")
	state, candidate, err := s.DreamEntry(t.Context(), id, tea)
	if err != nil || state.Status != dream.Promoted || state.Dream != x.ID || candidate.Text != "Likes tea." {
		t.Errorf("%+v, %+v, %v", state, candidate, err)
	}
	storedState(t, s, id, dream.State{ID: "cat", Text: "Has a CAT.", Aliases: []memory.EntryID{"kitten"}})
	state, candidate, err = s.DreamEntry(t.Context(), id, "kitten")
	if err != nil || state.ID != "cat" || candidate.ID != "" {
		t.Errorf("by another wording: %+v, %+v, %v", state, candidate, err)
	}
	state, candidate, err = s.DreamEntry(t.Context(), id, memory.ItemID("Has a dog."))
	if err != nil || state.ID != "" || candidate.Verdict != dream.VerdictKept {
		t.Errorf("a candidate alone: %+v, %+v, %v", state, candidate, err)
	}
	for name, err := range map[string]error{
		"nobody knows it": third(s.DreamEntry(t.Context(), id, "unknown")),
		"another owner":   third(s.DreamEntry(t.Context(), member("user:2"), tea)),
	} {
		if !is(ErrNotFound)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func third[T, U any](_ T, _ U, err error) error { return err }

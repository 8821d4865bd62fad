package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
)

func TestEntriesAreFound(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := dreamt(t, s, id)
	tea := itemID("Likes tea.")
	state, candidate, err := s.DreamEntry(t.Context(), id, tea)
	if err != nil || state.Status != dream.Promoted || state.Dream != x.ID || candidate.Text != "Likes tea." {
		t.Errorf("%+v, %+v, %v", state, candidate, err)
	}
	storedState(t, s, id, dream.State{ID: "cat", Text: "Has a CAT.", Aliases: []memory.EntryID{"kitten"}})
	state, candidate, err = s.DreamEntry(t.Context(), id, "kitten")
	if err != nil || state.ID != "cat" || candidate.ID != "" {
		t.Errorf("by another wording: %+v, %+v, %v", state, candidate, err)
	}
	state, candidate, err = s.DreamEntry(t.Context(), id, itemID("Has a dog."))
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
	storedDream(t, s, id, Dream{Outcome: memory.OutcomeSkipped}) // without candidates
	for text, want := range map[string][]string{
		"LIKES": {"Likes tea."},
		"has a": {"Has a dog.", "Has a CAT."},
		" tea ": {"Likes tea."},
		"100%":  nil,
	} {
		var got []string
		for _, found := range must[[]FoundEntry](t)(s.FindDreamEntries(t.Context(), id, text, 10)) {
			if found.Candidate.ID != "" {
				got = append(got, found.Candidate.Text)
			} else {
				got = append(got, found.State.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
	if found := must[[]FoundEntry](t)(s.FindDreamEntries(t.Context(), id, "tea", 10)); found[0].State.Status != dream.Promoted {
		t.Errorf("%+v", found)
	}
	if found := must[[]FoundEntry](t)(s.FindDreamEntries(t.Context(), id, "a", 1)); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	if found := must[[]FoundEntry](t)(s.FindDreamEntries(t.Context(), member("user:2"), "tea", 10)); len(found) > 0 {
		t.Errorf("of another owner: %+v", found)
	}
}

func third[T, U any](_ T, _ U, err error) error { return err }

package judge

import (
	"testing"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
)

func TestGoneSaid(t *testing.T) {
	t.Parallel()
	state := func(text string, status dream.Status) dream.State {
		return dream.State{ID: markdown.EntryIDOf("- " + text), Text: text, Status: status}
	}
	gone := GoneOf([]dream.State{state("Likes tea.", dream.Forgotten), state("Has a dog.", dream.Promoted)})
	sketched := state("", dream.Forgotten)
	sketch := claim.SketchOf("salt", "Likes tea.")
	sketched.ID, sketched.Sketch = markdown.EntryIDOf("- Likes tea."), &sketch
	blind := GoneOf([]dream.State{sketched})
	for text, want := range map[string]int{
		"Likes tea.": 1, "User likes TEA <!-- n -->": 1, "Likes green tea.": 1, "Has a dog.": 0, "Likes coffee.": 0, "": 0,
		memory.Erased: 1, `"I like tea."`: 1, `Jonas: "I like green tea."`: 1,
	} {
		if got := gone.Said(markdown.EntryIDOf("- "+text), text); len(got) != want {
			t.Errorf("%q says %v", text, got)
		}
		if got := blind.Said(markdown.EntryIDOf("- "+text), text); len(got) != want {
			t.Errorf("%q says %v of a sketch", text, got)
		}
	}
	if gone.Empty() || !GoneOf(nil).Empty() || !(Gone{}).Empty() || len((Gone{}).Said("x", "Likes tea.")) > 0 {
		t.Error("what is empty says nothing")
	}
}

package judge

import (
	"testing"

	"reverie/dream"
	"reverie/memory/markdown"
)

func TestGoneSaid(t *testing.T) {
	t.Parallel()
	state := func(text string, status dream.Status) dream.State {
		return dream.State{ID: markdown.EntryIDOf("- " + text), Text: text, Status: status}
	}
	gone := GoneOf([]dream.State{state("Likes tea.", dream.Forgotten), state("Has a dog.", dream.Promoted)})
	for text, want := range map[string]int{
		"Likes tea.": 1, "User likes TEA <!-- n -->": 1, "Likes green tea.": 1, "Has a dog.": 0, "Likes coffee.": 0, "": 0,
		`"I like tea."`: 1, `Jonas: "I like green tea."`: 1,
	} {
		if got := gone.Said(markdown.EntryIDOf("- "+text), text); len(got) != want {
			t.Errorf("%q says %v", text, got)
		}
	}
	if gone.Empty() || !GoneOf(nil).Empty() || !(Gone{}).Empty() || len((Gone{}).Said("x", "Likes tea.")) > 0 {
		t.Error("what is empty says nothing")
	}
}

package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
)

func TestForgetEntry(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := dreamt(t, s, id)
	other := member("user:2")
	for path, content := range map[string]string{
		"memory/2026-11-19.md":               "# 2026-11-19\n\n## 10:00\n\n- likes TEA\n- something else\n",
		"memory/2026-11-20-chat.md":          "- Trip\n  - Likes tea\n- Likes tea\n  - Earl Grey\n- Likes coffee\n",
		"memory/archive/2026-10.md":          "## Promoted From Short-Term Memory (2026-10-01)\n\n- Likes tea. <!-- x -->\n- old\n",
		"memory/dreaming/deep/2026-11-20.md": "- Likes tea.\n",
		"notes/2026-11-20.md":                "- Likes tea.\n",
	} {
		write(t, s, id, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: content})
	}
	write(t, s, other, memory.Change{Ref: personal("memory/2026-11-19.md"), Op: memory.OpReplace, Content: "- likes tea\n"})
	c := EntryChange{Dream: x.ID, Entry: memory.ItemID("Likes tea."), Key: "k"}
	receipt := must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, c))
	if receipt.State.Status != dream.Forgotten || len(receipt.Receipt.Changes) != 4 || receipt.Receipt.Token == "" {
		t.Errorf("%+v", receipt)
	}
	for path, want := range map[string]string{
		memory.MemoryPath:                    strings.Replace(promotedMemory, "- Likes tea. <!-- memory/2026-11-19.md:4 score 0.81 -->\n", "", 1),
		"memory/2026-11-19.md":               "# 2026-11-19\n\n## 10:00\n\n- something else\n",
		"memory/2026-11-20-chat.md":          "- Trip\n  - Likes tea\n- Likes coffee\n", // what stands under another thing says another thing
		"memory/archive/2026-10.md":          "## Promoted From Short-Term Memory (2026-10-01)\n\n- old\n",
		"memory/dreaming/deep/2026-11-20.md": "- Likes tea.\n",
		"notes/2026-11-20.md":                "- Likes tea.\n",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, path)); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
	if got := contentOf(t, s, other, "memory/2026-11-19.md"); got != "- likes tea\n" {
		t.Errorf("another owner's note: %q", got)
	}
	if again := must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, c)); !again.Receipt.Replayed || again.Receipt.Token != receipt.Receipt.Token {
		t.Errorf("again: %+v", again)
	}
	history := must[[]memory.Version](t)(s.History(t.Context(), id, personal("memory/2026-11-19.md"), 0, 0))
	if len(history) != 2 || history[0].Author != id.Author {
		t.Errorf("%+v", history)
	}
}

// What is known as a candidate only, and stands nowhere, does not come back either. The key of a change of no document holds.
func TestForgetEntryThatStandsNowhere(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	cat := weighed("Has a cat.", dream.VerdictKept)
	cat.Aliases = []memory.EntryID{memory.ItemID("There is a cat.")}
	x := storedDream(t, s, id, Dream{DryRun: true}, cat)
	storedState(t, s, id, dream.State{ID: cat.Aliases[0], Text: "There is a cat."})
	c := EntryChange{Dream: x.ID, Entry: cat.ID, Key: "k"}
	receipt := must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, c))
	if receipt.State.Status != dream.Forgotten || len(receipt.Receipt.Changes) > 0 || !slices.Contains(receipt.State.Aliases, cat.Aliases[0]) {
		t.Errorf("%+v", receipt)
	}
	want := map[string]dream.Status{"Has a cat.": dream.Forgotten, "There is a cat.": dream.Forgotten}
	if diff := cmp.Diff(want, statusesOf(t, s, id)); diff != "" {
		t.Error(diff)
	}
	if again := must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, c)); !again.Receipt.Replayed {
		t.Errorf("again: %+v", again)
	}
	// By another wording, and without the dream.
	must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, EntryChange{Entry: cat.Aliases[0]}))
}

// People and programs at work on the same documents at the same time: everything that was asked is done, nothing else is lost.
func TestEntriesAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	x := dreamt(t, s, id)
	write(t, s, id, memory.Change{Ref: personal("memory/2026-11-19.md"), Op: memory.OpReplace, Content: "- likes tea\n- something else\n"})
	acts := []func() error{
		func() error {
			return second(s.ForgetEntry(t.Context(), id, EntryChange{Dream: x.ID, Entry: memory.ItemID("Likes tea.")}))
		},
		func() error {
			return second(s.ConfirmEntry(t.Context(), id, EntryChange{Dream: x.ID, Entry: memory.ItemID("Lives in Lisbon.")}))
		},
		func() error {
			return second(s.EditEntry(t.Context(), id, EntryChange{Dream: x.ID, Entry: memory.ItemID("Has a dog."), Text: "Has two dogs."}))
		},
	}
	for i := range 4 {
		acts = append(acts, func() error {
			c := memory.Change{Ref: personal("memory/2026-11-19.md"), Op: memory.OpAppend, Content: fmt.Sprintf("- note %d\n", i)}
			return second(s.Apply(t.Context(), id, "", []memory.Change{c}))
		})
	}
	errs := make([]error, len(acts))
	var all sync.WaitGroup
	for i, act := range acts {
		all.Go(func() { errs[i] = act() })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	got := memoryOf(t, s, id)
	note := contentOf(t, s, id, "memory/2026-11-19.md")
	for _, gone := range []string{"tea", "Tea"} {
		if strings.Contains(got+note, gone) {
			t.Errorf("%q stays in\n%s\n%s", gone, got, note)
		}
	}
	for _, want := range []string{"- mine\n", "- Lives in Lisbon.\n", "- Has two dogs.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for i := range 4 {
		if !strings.Contains(note, fmt.Sprintf("- note %d\n", i)) {
			t.Errorf("note %d is lost:\n%s", i, note)
		}
	}
}

// A section that dreams made goes with its last statement, in MEMORY.md and in the archives. A person's heading stays.
func TestForgetEntryTakesEmptiedSections(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	tea := weighed("Likes tea.", dream.VerdictPromoted)
	const before = "# Memory\n\n## Drinks\n\n- Likes tea.\n\n## Facts\n\n- Mine.\n"
	const section = "\n## Promoted From Short-Term Memory (2026-11-20)\n\n- Likes tea. <!-- score 0.81 -->\n"
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: before})
	wrote(t, s, id,
		memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: section[1:]},
		memory.Change{Ref: personal("memory/archive/2026-10.md"), Op: memory.OpReplace, Content: "# Archive of MEMORY.md, 2026-10\n" + section})
	x := storedDream(t, s, id, Dream{}, tea)
	must[EntryReceipt](t)(s.ForgetEntry(t.Context(), id, EntryChange{Dream: x.ID, Entry: tea.ID, Key: "k"}))
	for path, want := range map[string]string{
		memory.MemoryPath:           "# Memory\n\n## Drinks\n\n\n## Facts\n\n- Mine.\n",
		"memory/archive/2026-10.md": "# Archive of MEMORY.md, 2026-10\n",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, path)); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
}

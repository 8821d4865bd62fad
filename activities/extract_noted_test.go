package activities

import (
	"fmt"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/store"
)

// edit changes the daily note of the desk's first day, as a person does. Without a text it is deleted.
func (k *talk) edit(t *testing.T, change func(string) string) {
	t.Helper()
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-21.md"}
	doc, err := k.store.Document(t.Context(), member("ada", k.owner), ref)
	if err != nil {
		t.Fatal(err)
	}
	c := memory.Change{Ref: ref, Op: memory.OpReplace, Content: change(doc.Content), Base: doc.Version}
	if c.Content == "" {
		c = memory.Change{Ref: ref, Op: memory.OpDelete}
	}
	if _, err := k.store.Apply(t.Context(), member("ada", k.owner), "", []memory.Change{c}); err != nil {
		t.Fatal(err)
	}
}

// An extraction of messages that a flush has noted, with what a person does to the note in between.
func TestExtractionOfWhatIsNoted(t *testing.T) {
	t.Parallel()
	const (
		flushed = "## 11:00 Flushed\n\n- said 1.\n- said 2.\n- said 3.\n- said 4.\n"
		model   = "## 12:00\n\n- they said 1.\n- they said 2.\n- they said 3.\n- they said 4.\n"
		title   = "# 2026-11-21\n\n"
	)
	replacing := func(old, with string) func(string) string {
		return func(note string) string { return strings.Replace(note, old, with, 1) }
	}
	d := newDesk(t)
	for name, c := range map[string]struct {
		fallback, paid bool
		before         func(string) string // what a person makes of the note before the extraction is proposed
		between        func(string) string // and before it is applied
		want           string              // the note
		shown          string              // of today's note, to the engine
	}{
		"a model after a model":                {false, true, nil, nil, title + flushed, "# 2026-11-21\n"},
		"a model after rules":                  {true, true, nil, nil, title + model, "# 2026-11-21\n"},
		"rules after rules":                    {true, false, nil, nil, title + flushed, "# 2026-11-21\n"},
		"the entry was edited":                 {true, true, replacing("said 2", "I said 2"), nil, title + replacing("said 2", "I said 2")(flushed), title + replacing("said 2", "I said 2")(flushed)},
		"something else was edited":            {true, true, replacing("# 2026-11-21\n", "# My day\n\n- up early\n"), nil, "# My day\n\n- up early\n\n" + model, "# My day\n\n- up early\n"},
		"the note was deleted":                 {true, true, replacing(title+flushed, ""), nil, "", ""},
		"the entry is edited meanwhile":        {true, true, nil, replacing("said 2", "I said 2"), title + replacing("said 2", "I said 2")(flushed), "# 2026-11-21\n"},
		"something else is written meanwhile":  {true, true, nil, func(note string) string { return note + "\n- a person's\n" }, title + model + "\n- a person's\n", "# 2026-11-21\n"},
		"the entry is taken out meanwhile":     {true, true, nil, func(string) string { return "# 2026-11-21\n" }, "# 2026-11-21\n", "# 2026-11-21\n"},
		"the note is deleted meanwhile":        {true, true, nil, func(string) string { return "" }, "", "# 2026-11-21\n"},
		"a model after a model, much edited":   {false, true, replacing("said 2", "I said 2"), replacing("said 3", "I said 3"), title + replacing("said 3", "I said 3")(replacing("said 2", "I said 2")(flushed)), title + replacing("said 2", "I said 2")(flushed)},
		"rules after a model, and more beside": {false, false, func(note string) string { return note + "\n- a person's\n" }, nil, title + flushed + "\n- a person's\n", "# 2026-11-21\n\n- a person's\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d.clock.Store(testNoon - 3600)
			d.scribe = scribe{words: "they ", memory: "# Memory\n\n## Facts\n\n- said something\n"}
			k := &talk{desk: d, owner: memory.Owner("user:" + strings.ReplaceAll(name, " ", "-"))}
			k.say(t, 4, true)
			k.plan(t, 4)
			k.flush(t, k.flushes[0], "f", c.fallback)
			if c.before != nil {
				k.edit(t, c.before)
			}
			d.clock.Store(testNoon)
			r, _ := k.pending(t)
			k.extract(t, r, "x", c.paid, 10)
			if c.between != nil {
				k.edit(t, c.between)
			}
			for round := 0; ; round++ { // as the workflow: what is stale is proposed anew
				k.apply(t, k.records[0], "x")
				x, err := k.store.Extraction(t.Context(), k.as("x"), k.records[0])
				if err != nil || round > 2 {
					t.Fatal(round, err)
				}
				if !x.Open() {
					break
				}
				k.extract(t, r, "x", c.paid, 10)
			}
			if got := k.notes(t); got != c.want {
				t.Errorf("note %q, want %q", got, c.want)
			}
			if got := d.scribe.inputs[0].Note; got != c.shown {
				t.Errorf("the engine was shown %q, want %q", got, c.shown)
			}
			doc, err := k.store.Document(t.Context(), k.as("x"), memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
			if err != nil || doc.Content != d.scribe.memory {
				t.Errorf("MEMORY.md is %q, %v: what is noted belongs there as always", doc.Content, err)
			}
		})
	}
}

// testNoon is noon in the agent's time zone on the desk's first day.
const testNoon = 1795258800

// An extraction whose entry is already noted ends with that reason.
func TestNothingButWhatIsNoted(t *testing.T) {
	t.Parallel()
	k := &talk{desk: newDesk(t), owner: "user:7"}
	k.say(t, 7, true)
	k.plan(t, 4)
	k.flush(t, k.flushes[0], "f", false)
	r, _ := k.pending(t)
	k.extract(t, r, "x", true, 10)
	k.extract(t, store.Range{ConversationUID: r.ConversationUID, From: 5, To: 7}, "x", true, 10)
	k.apply(t, k.records[1], "x")
	var got []string
	for _, record := range k.records {
		x, err := k.store.Extraction(t.Context(), k.as("x"), record)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(x.From, "-", x.To, " ", x.Outcome, " ", x.ReasonCode))
	}
	if want := "1-4 nothing noted, 5-7 written "; strings.Join(got, ", ") != want {
		t.Errorf("records %q, want %q", got, want)
	}
	for n := range 7 {
		if stands := strings.Count(k.notes(t), fmt.Sprintf("- said %d.\n", n+1)); stands != 1 {
			t.Errorf("message %d is noted %d times", n+1, stands)
		}
	}
}

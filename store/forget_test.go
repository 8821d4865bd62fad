package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
)

func TestForget(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, other := member("user:1"), member("user:2")
	for path, content := range map[string]string{
		memory.MemoryPath: "# Memory\n\n## Facts\n\n- Likes tea. <!-- memory/2026-11-19.md:4 score 0.81 -->\n  - Earl " +
			"Grey\n- Has a dog.\n",
		memory.ProfilePath:          "# Profile\n\n- likes TEA\n- Tall\n",
		"memory/2026-11-19.md":      "# 2026-11-19\n\n- User likes tea.\n- something else\n",
		"memory/archive/2026-10.md": "- Likes tea\n- old\n",
		"notes/x.md":                "- Likes tea.\n",
	} {
		write(t, s, id, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: content})
	}
	write(t, s, other, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- Likes tea.\n"})
	r := dreams.ForgetRequest{Ref: personal(memory.MemoryPath), FromLine: 5, ToLine: 5, Key: "k"}
	got := must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, r))
	if len(got.States) != 1 || got.States[0].Text != "Likes tea." || len(got.Receipt.Changes) != 5 || got.Receipt.Token == "" {
		t.Errorf("%+v", got)
	}
	for path, want := range map[string]string{
		memory.MemoryPath:           "# Memory\n\n## Facts\n\n- Has a dog.\n",
		memory.ProfilePath:          "# Profile\n\n- Tall\n",
		"memory/2026-11-19.md":      "# 2026-11-19\n\n- something else\n",
		"memory/archive/2026-10.md": "- old\n",
		"notes/x.md":                "",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, path)); diff != "" {
			t.Errorf("%s\n%s", path, diff)
		}
	}
	if got := contentOf(t, s, other, memory.MemoryPath); got != "- Likes tea.\n" {
		t.Errorf("another owner's: %q", got)
	}
	if status := statusesOf(t, s, id)[string(memory.ItemID("Likes tea."))]; status != dream.Forgotten {
		t.Errorf("status %q", status)
	}
	if history := must[[]memory.Version](t)(s.History(t.Context(), id, personal(memory.MemoryPath), 0, 0)); len(history) != 2 {
		t.Errorf("%+v", history)
	}
	if again := must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, r)); !again.Receipt.Replayed ||
		again.Receipt.Token != got.Receipt.Token {
		t.Errorf("again: %+v", again)
	}
}

// A heading of a daily note repeats what is below it: it goes with the last of its lines, or loses the words.
func TestForgetHeadingsOfNotes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	for name, c := range map[string]struct{ note, want string }{
		"alone": {
			"# Day\n\n## 01:00 Tea\n\n- Likes tea.\n\n## 02:37 My uncle Karl sells…\n\n- My uncle Karl sells antique clocks in Lübeck.\n",
			"# Day\n\n## 01:00 Tea\n\n- Likes tea.\n",
		},
		"first": {
			"# Day\n\n## 02:37 My uncle Karl sells…\n\n### Facts\n\n- My uncle Karl sells antique clocks in Lübeck.\n\n## 03:00 Tea\n\n- Likes tea.\n",
			"# Day\n\n## 03:00 Tea\n\n- Likes tea.\n",
		},
		"beside another": {
			"# Day\n\n## 02:37 My uncle Karl sells…\n\n- My uncle Karl sells antique clocks in Lübeck.\n- Likes tea.\n",
			"# Day\n\n## 02:37\n\n- Likes tea.\n",
		},
		"of another": {
			"# Day\n\n## 02:37 Tea with Karl\n\n- My uncle Karl sells antique clocks in Lübeck.\n- Likes tea.\n",
			"# Day\n\n## 02:37 Tea with Karl\n\n- Likes tea.\n",
		},
		"empty before": {
			"# Day\n\n## 01:00\n\n## 02:37 Karl\n\n- My uncle Karl sells antique clocks in Lübeck.\n",
			"# Day\n\n## 01:00\n",
		},
	} {
		ref := personal("memory/2026-11-19.md")
		write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: c.note, Force: true})
		must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{
			Ref: ref, Entry: memory.ItemID("My uncle Karl sells antique clocks in Lübeck."),
		}))
		if diff := cmp.Diff(c.want, contentOf(t, s, id, ref.Path)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// So does the heading over a sentence of a line, in any wording, and with erase in earlier versions.
	for statement, note := range map[string]string{
		"I live in Porto.":   "# Day\n\n## 10:01 I live in Porto. I…\n\n- \"I live in Porto. I work as a cook.\"\n",
		"Home: Zagreb":       "# Day\n\n## 10:01 I live in Zagreb. I…\n\n- \"I live in Zagreb. I work as a cook.\"\n",
		"Ich wohne in Kiel.": "# Day\n\n## 10:01 Ich wohne in Kiel. Ich…\n\n- \"Ich wohne in Kiel. Ich arbeite als Koch.\"\n",
	} {
		for _, erase := range []bool{false, true} {
			owner := memory.Owner("user:" + uuid.NewString())
			id := member(owner)
			ref := personal("memory/2026-11-19.md")
			write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: note})
			write(t, s, id, memory.Change{Ref: personal(memory.ProfilePath), Op: memory.OpReplace, Content: "- " + statement + "\n- Tall\n"})
			must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{
				Ref: personal(memory.ProfilePath), Entry: memory.ItemID(statement), Erase: erase,
			}))
			town := strings.Trim(statement[strings.LastIndexByte(statement, ' '):], " .")
			if got := contentOf(t, s, id, ref.Path); strings.Contains(got, town) || !strings.Contains(got, "## 10:01\n") ||
				!strings.Contains(got, "work") && !strings.Contains(got, "arbeite") {
				t.Errorf("%s, erase %v: %q", statement, erase, got)
			}
			first := must[memory.Version](t)(s.VersionOf(t.Context(), id, ref, 1)).Content
			if strings.Contains(first, town) == erase {
				t.Errorf("%s, erase %v: version 1 is %q", statement, erase, first)
			}
		}
	}
	// A card forgets as well.
	write(t, s, id, memory.Change{
		Ref: personal("memory/2026-11-19.md"), Op: memory.OpReplace, Content: "# Day\n\n## 02:37 Keeps bees\n\n- Keeps bees in Bern.\n", Force: true,
	})
	x := storedDream(t, s, id, dreams.Dream{}, weighed("Keeps bees in Bern.", dream.VerdictPromoted))
	must[dreams.EntryReceipt](t)(s.ForgetEntry(t.Context(), id, dreams.EntryChange{Dream: x.ID, Entry: memory.ItemID("Keeps bees in Bern.")}))
	if got := contentOf(t, s, id, "memory/2026-11-19.md"); got != "# Day\n" {
		t.Errorf("%q", got)
	}
}

// Documents change between the moment at which a passage is shown and the one at which it is to be forgotten.
func TestForgetPassage(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	ref := personal("memory/notes.md")
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "- new\n- Likes tea.\n- Has a dog.\n"})
	for name, c := range map[string]struct {
		request dreams.ForgetRequest
		is      error
		invalid bool
	}{
		"not what was shown": {dreams.ForgetRequest{Ref: ref, FromLine: 1, ToLine: 1, Shown: "- Lives in Oslo."}, pg.ErrNotFound, false},
		"no statement":       {dreams.ForgetRequest{Ref: ref, FromLine: 40, ToLine: 50}, pg.ErrNotFound, false},
		"another entry":      {dreams.ForgetRequest{Ref: ref, Entry: "x"}, pg.ErrNotFound, false},
		"no document":        {dreams.ForgetRequest{Ref: personal("memory/none.md"), FromLine: 1, ToLine: 1}, pg.ErrNotFound, false},
		"nothing named":      {dreams.ForgetRequest{Ref: ref}, nil, true},
		"lines turned round": {dreams.ForgetRequest{Ref: ref, FromLine: 2, ToLine: 1}, nil, true},
		"of all agents":      {dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopeGlobal, Path: "x.md"}, FromLine: 1, ToLine: 1}, nil, true},
	} {
		_, err := s.Forget(t.Context(), id, c.request)
		if c.invalid != errors.As(err, new(*pg.InvalidError)) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// It stood on line 1 when it was shown.
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 1, ToLine: 1, Shown: "- Likes tea."}))
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, Entry: memory.ItemID("Has a dog.")}))
	if got := contentOf(t, s, id, "memory/notes.md"); got != "- new\n" {
		t.Errorf("%q", got)
	}
	viewer := id
	viewer.Role = memory.RoleViewer
	if _, err := s.Forget(t.Context(), viewer, dreams.ForgetRequest{Ref: ref, FromLine: 1, ToLine: 1}); !errors.Is(err, pg.ErrForbidden) {
		t.Errorf("a viewer: %v", err)
	}
	pinned := id
	pinned.Pinned = true
	if _, err := s.Forget(
		t.Context(), pinned, dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopeTeam, Path: memory.MemoryPath}, FromLine: 3, ToLine: 3},
	); !errors.Is(err, pg.ErrForbidden) {
		t.Errorf("a pinned key: %v", err)
	}
	// Shared statements can be forgotten by callers who may write them.
	team := memory.Ref{Scope: memory.ScopeTeam, Path: memory.MemoryPath}
	write(t, s, id, memory.Change{Ref: team, Op: memory.OpReplace, Force: true, Content: "- The port is 5433\n- The host is db1\n"})
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: team, FromLine: 1, ToLine: 1}))
	if d := must[memory.Document](t)(s.Document(t.Context(), id, team)); d.Content != "- The host is db1\n" {
		t.Errorf("%q", d.Content)
	}
}

// An extraction or a flush with forgotten statements writes the rest; a person who writes one again revives it.
func TestForgottenStaysForgotten(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	ref, note := personal(memory.MemoryPath), personal("memory/2026-11-21.md")
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n- Has a dog.\n"})
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	engine := workflow("user:1", "r1")
	write(
		t, s, engine,
		memory.Change{
			Ref: ref, Op: memory.OpReplace, Base: 2,
			Content: "# Memory\n\n- Has a dog.\n- Likes tea\n- Lives in Oslo.\n- User likes green tea.\n",
		},
	)
	if got := contentOf(t, s, id, memory.MemoryPath); got != "# Memory\n\n- Has a dog.\n- Lives in Oslo.\n" {
		t.Errorf("%q", got)
	}
	write(t, s, engine, memory.Change{Ref: note, Op: memory.OpAppend, Create: "# 2026-11-21\n", Content: "## 10:00\n\n- Lives in Oslo.\n"})
	before := contentOf(t, s, id, note.Path)
	receipt := must[memory.Receipt](t)(
		s.Apply(t.Context(), engine, "", []memory.Change{{Ref: note, Op: memory.OpAppend, Content: "## 11:00\n\n- Likes tea.\n"}}),
	)
	if got := contentOf(t, s, id, note.Path); got != before || receipt.Changes[0].Changed {
		t.Errorf("%q", got)
	}
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpAppend, Content: "- Likes tea.\n"})
	if got := contentOf(t, s, id, memory.MemoryPath); !strings.Contains(got, "- Likes tea.\n") {
		t.Errorf("%q", got)
	}
	if status := statusesOf(t, s, id)["Likes tea."]; status != dream.Confirmed {
		t.Errorf("status %q", status)
	}
	write(t, s, engine, memory.Change{Ref: note, Op: memory.OpAppend, Content: "## 12:00\n\n- Likes tea.\n"})
	if got := contentOf(t, s, id, note.Path); !strings.Contains(got, "- Likes tea.\n") {
		t.Errorf("%q", got)
	}
}

// Whatever extractions, dreams, imports and business processes write, a forgotten statement does not come back, and what they say
// besides is kept.
func TestForgottenAnythingStaysForgotten(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	withheld := 0
	rapid.Check(t, func(r *rapid.T) {
		owner := memory.Owner("user:" + uuid.NewString())
		id := member(owner)
		said := rapid.SampledFrom([]string{
			"Likes tea with %s.", "Meine Schwester heißt %s.", "Le code du portail est %s.", "她的猫叫%s。", "The spare key is under the %s.",
		}).Draw(r, "statement")
		said = fmt.Sprintf(said, rapid.SampledFrom([]string{"Quintana", "Zwiebel", "4711", "麒麟", "flowerpot"}).Draw(r, "value"))
		written := func(text string) string { // the same words
			text = rapid.SampledFrom([]string{text, strings.TrimRight(text, ".。"), strings.ToUpper(text), strings.ToLower(text)}).Draw(r, "words")
			return rapid.SampledFrom([]string{"- ", "* ", "1. ", ""}).Draw(r, "marker") + text
		}
		ref := personal(rapid.SampledFrom([]string{memory.MemoryPath, memory.ProfilePath, "memory/2026-11-21.md", "notes/a.md"}).Draw(r, "path"))
		write(r, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# File\n\n- Has a dog.\n- " + said + "\n- Went to Oslo.\n"})
		request := dreams.ForgetRequest{Ref: ref, FromLine: 4, ToLine: 4}
		if rapid.Bool().Draw(r, "by its wording") {
			request = dreams.ForgetRequest{Ref: personal(""), Said: []string{said}}
		}
		must[dreams.ForgetReceipt](r)(s.Forget(r.Context(), id, request))
		other := 0
		for range rapid.IntRange(1, 5).Draw(r, "writes") {
			by := rapid.SampledFrom([]memory.Author{
				{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"},
				{Kind: memory.AuthorDream, ID: "night", WorkflowID: "w", RunID: "r"},
				{Kind: memory.AuthorImport, ID: "other", WorkflowID: "w", RunID: "r"},
				{Kind: memory.AuthorTool, ID: "key"},
			}).Draw(r, "author")
			machine := id
			machine.Author = by
			to := personal(rapid.SampledFrom([]string{memory.MemoryPath, memory.ProfilePath, "memory/2026-11-22.md", "notes/b.md"}).Draw(r, "to"))
			other++
			kept := fmt.Sprintf("Bought lamp number %d.", other)
			content := written(said) + "\n\n- " + kept + "\n"
			change := memory.Change{Ref: to, Op: memory.OpAppend, Content: content, Create: "# File\n"}
			switch rapid.IntRange(0, 3).Draw(r, "operation") {
			case 0:
				change = memory.Change{Ref: to, Op: memory.OpImport, Import: memory.ImportMerge, From: "other", Content: content}
			case 1:
				change = merge(to, markdown.StrategyAppend, content)
			case 2:
				d, err := s.Document(r.Context(), id, to)
				if err != nil && !is(pg.ErrNotFound)(err) {
					r.Fatal(err)
				}
				change = memory.Change{Ref: to, Op: memory.OpReplace, Content: d.Content + "\n" + content, Base: d.Version, Force: d.Version == 0}
			}
			if write(r, s, machine, change).Withheld {
				withheld++
			}
			all := ""
			for _, d := range must[[]gate.DocumentEntry](r)(s.Documents(r.Context(), id, gate.DocumentFilter{})) {
				all += contentOf(r, s, id, d.Path)
			}
			if words := strings.ToLower(strings.TrimRight(said, ".。")); strings.Contains(strings.ToLower(all), words) {
				r.Fatalf("%+v by %s brought %q back:\n%s", change, by.Kind, said, all)
			}
			if !strings.Contains(all, kept) {
				r.Fatalf("%+v by %s: %q is lost:\n%s", change, by.Kind, kept, all)
			}
		}
	})
	if withheld < 50 {
		t.Errorf("%d writes without a part: the test shows little", withheld)
	}
}

// A business process that repeats a forgotten statement writes only the rest, by every strategy; a person restores the statement.
func TestForgottenStaysForgottenInMerges(t *testing.T) {
	t.Parallel()
	for strategy, c := range map[markdown.Strategy]struct{ said, want string }{
		markdown.StrategyAppend:    {"- Likes tea.\n- Lives in Oslo.\n", "# Memory\n\n## Home\n\n- Has a dog.\n\n- Lives in Oslo.\n"},
		markdown.StrategySection:   {"## Home\n\n- Likes tea.\n- Lives in Oslo.\n", "# Memory\n\n## Home\n\n- Lives in Oslo.\n"},
		markdown.StrategyUpsert:    {"city: Oslo\n", "# Memory\n\n## Home\n\n- Has a dog.\n\ncity: Oslo\n"},
		markdown.StrategyOverwrite: {"# Memory\n\n- Likes tea.\n- Lives in Oslo.\n", "# Memory\n\n- Lives in Oslo.\n"},
	} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			s := openStore(t)
			id := member("user:1")
			ref := personal(memory.MemoryPath)
			write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# Memory\n\n## Home\n\n- Likes tea.\n- Has a dog.\n"})
			must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: ref, FromLine: 5, ToLine: 5}))
			before := contentOf(t, s, id, ref.Path)
			process := workflow("user:1", "r1")
			if strategy != markdown.StrategyUpsert { // whose lines are keys
				receipt := must[memory.Receipt](t)(
					s.Apply(
						t.Context(), process, "",
						[]memory.Change{merge(personal("memory/2026-11-21.md"), strategy, "## Home\n\n- Likes tea.\n")},
					),
				)
				if d, err := s.Document(t.Context(), id, personal("memory/2026-11-21.md")); err == nil &&
					strings.Contains(d.Content, "tea") {
					t.Errorf("in another document, by %+v: %q", receipt, d.Content)
				}
			}
			write(t, s, process, merge(ref, strategy, c.said))
			if got := contentOf(t, s, id, ref.Path); got != c.want {
				t.Errorf("%q became %q, want %q", before, got, c.want)
			}
			write(t, s, id, merge(ref, strategy, strings.Replace(c.said, "city: Oslo", "- Likes tea.\n\ncity: Bergen", 1)))
			if got := contentOf(t, s, id, ref.Path); strategy != markdown.StrategyUpsert && !strings.Contains(got, "- Likes tea.\n") {
				t.Errorf("written by hand: %q", got)
			}
		})
	}
}

// A key line and a sentence with the same subject, attribute and value are forgotten together, and neither is learned again.
func TestForgetSameClaim(t *testing.T) {
	t.Parallel()
	const (
		note    = "# 2026-11-19\n\n- \"I live in Munich.\"\n- \"My sister lives in Munich.\"\n- Anna:\n  - City: Munich\n"
		profile = "# Profile\n\n- Home: Munich\n- Name: Mona\n"
		left    = "# 2026-11-19\n\n- \"My sister lives in Munich.\"\n- Anna:\n  - City: Munich\n"
	)
	ofNote, ofProfile := personal("memory/2026-11-19.md"), personal(memory.ProfilePath)
	for name, r := range map[string]dreams.ForgetRequest{
		"the sentence":        {Ref: ofNote, FromLine: 3, ToLine: 3},
		"the key line":        {Ref: ofProfile, FromLine: 3, ToLine: 3},
		"what was said":       {Said: []string{"I live in Munich"}, Ref: memory.Ref{Scope: memory.ScopePersonal}},
		"words":               {Pattern: "I live in Munich", Ref: memory.Ref{Scope: memory.ScopePersonal}},
		"words, and versions": {Pattern: "Home: Munich", Ref: memory.Ref{Scope: memory.ScopePersonal}, Erase: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t)
			id := member("user:1")
			write(t, s, id, memory.Change{Ref: ofNote, Op: memory.OpReplace, Content: note})
			write(t, s, id, memory.Change{Ref: ofProfile, Op: memory.OpReplace, Content: profile})
			preview := r
			preview.Preview = true
			if got := must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, preview)); len(got.Found) != 2 {
				t.Errorf("preview: %+v", got.Found)
			}
			must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, r))
			if diff := cmp.Diff(left, contentOf(t, s, id, ofNote.Path)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff("# Profile\n\n- Name: Mona\n", contentOf(t, s, id, ofProfile.Path)); diff != "" {
				t.Error(diff)
			}
			engine := workflow("user:1", "r1")
			write(t, s, engine, memory.Change{
				Ref: ofProfile, Op: memory.OpReplace, Base: 2,
				Content: "# Profile\n\n- Name: Mona\n- Home: Munich\n- I live in Munich.\n- Home: Berlin\n- My brother works in Munich.\n" +
					"- My brother lives in Munich.\n",
			})
			want := "# Profile\n\n- Name: Mona\n- Home: Berlin\n- My brother works in Munich.\n- My brother lives in Munich.\n"
			if diff := cmp.Diff(want, contentOf(t, s, id, ofProfile.Path)); diff != "" {
				t.Errorf("learned again:\n%s", diff)
			}
			write(t, s, id, memory.Change{Ref: ofProfile, Op: memory.OpAppend, Content: "- Home: Munich\n"})
			write(t, s, engine, memory.Change{Ref: ofNote, Op: memory.OpAppend, Content: "\n- \"I live in Munich.\"\n"})
			if got := contentOf(t, s, id, ofNote.Path); !strings.Contains(got, "I live in Munich") {
				t.Errorf("said again: %q", got)
			}
		})
	}
}

// A main clause of a sentence is forgotten without the others, where the rest holds without it.
func TestForgetClause(t *testing.T) {
	t.Parallel()
	const (
		before = "# Memory\n\n- \"I am Grace and I live in Munich. I like tea.\" <!-- memory/2026-11-19.md:3 -->\n- I am Grace and I live in Munich.\n" +
			"- I live in Munich and I love its parks.\n- My sister lives in Munich.\n"
		rest = "- I am Grace.\n"
		it   = "- I live in Munich and I love its parks.\n"
	)
	for name, c := range map[string]struct {
		r    dreams.ForgetRequest
		want string
	}{
		"what was said": {
			dreams.ForgetRequest{Said: []string{"I live in Munich"}, Ref: memory.Ref{Scope: memory.ScopePersonal}},
			"# Memory\n\n- \"I am Grace. I like tea.\" <!-- memory/2026-11-19.md:3 -->\n" + rest + it + "- My sister lives in Munich.\n",
		},
		"words": {
			dreams.ForgetRequest{Pattern: "I live in Munich", Ref: memory.Ref{Scope: memory.ScopePersonal}},
			"# Memory\n\n- \"I am Grace. I like tea.\" <!-- memory/2026-11-19.md:3 -->\n" + rest + "- My sister lives in Munich.\n",
		},
		"a word": {dreams.ForgetRequest{Pattern: "Munich", Ref: memory.Ref{Scope: memory.ScopePersonal}}, "# Memory\n\n- \"I am Grace. I like tea.\" <!-- memory/2026-11-19.md:3 -->\n" + rest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t)
			id, ref := member("user:1"), personal(memory.MemoryPath)
			write(t, s, workflow("user:1", "r1"), memory.Change{Ref: ref, Op: memory.OpReplace, Content: before})
			preview := c.r
			preview.Preview = true
			shown := must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, preview))
			if !slices.ContainsFunc(shown.Found, func(f dreams.Found) bool { return f.Text == "I live in Munich" && f.Left == "I am Grace." }) {
				t.Errorf("%+v", shown.Found)
			}
			must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, c.r))
			if diff := cmp.Diff(c.want, contentOf(t, s, id, ref.Path)); diff != "" {
				t.Error(diff)
			}
			write(t, s, workflow("user:1", "r2"), memory.Change{Ref: ref, Op: memory.OpAppend, Content: "\n- I live in Munich.\n- I am Grace Hopper.\n"})
			if got := contentOf(t, s, id, ref.Path); strings.Contains(strings.ReplaceAll(got, it, ""), "I live in Munich.") || !strings.Contains(got, "Hopper") {
				t.Errorf("learned again: %q", got)
			}
		})
	}
}

// One sentence of a line is forgotten without the others.
func TestForgetSentence(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	note, long := personal("memory/2026-11-19.md"), personal(memory.MemoryPath)
	engine := workflow("user:1", "r1")
	write(t, s, engine, memory.Change{
		Ref: note, Op: memory.OpReplace, Content: "# 2026-11-19\n\n- \"I have a cat. I am allergic to peanuts. I like tea.\"\n" +
			"- \"I am allergic to peanuts.\"\n- [Any allergies?] \"Yes. I am allergic to peanuts.\"\n",
	})
	write(t, s, engine, memory.Change{
		Ref: long, Op: memory.OpReplace, Content: "# Memory\n\n- Has a dog. Is allergic to peanuts. <!-- memory/2026-11-19.md:3 -->\n" +
			"- 我有一只猫。我对花生过敏。\n- Is tall. Runs.\n- \"I am allergic to peanuts. I'm allergic to peanuts!\"\n",
	})
	said := dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopePersonal}, Said: []string{"I am allergic to peanuts", "我对花生过敏"}, Preview: true}
	shown := must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, said))
	left := map[string]string{}
	for _, f := range shown.Found {
		if f.Left != "" {
			left[f.Text] += f.Left + "\n"
		}
	}
	if diff := cmp.Diff(map[string]string{
		"I am allergic to peanuts.": "\"I have a cat. I like tea.\"\n[Any allergies?] \"Yes.\"\n",
		"Is allergic to peanuts.":   "Has a dog. <!-- memory/2026-11-19.md:3 -->\n",
		"我对花生过敏。":                   "我有一只猫。\n",
	}, left); diff != "" {
		t.Error(diff)
	}
	said.Preview = false
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, said))
	for ref, want := range map[memory.Ref]string{
		note: "# 2026-11-19\n\n- \"I have a cat. I like tea.\"\n- [Any allergies?] \"Yes.\"\n",
		long: "# Memory\n\n- Has a dog. <!-- memory/2026-11-19.md:3 -->\n- 我有一只猫。\n- Is tall. Runs.\n",
	} {
		if diff := cmp.Diff(want, contentOf(t, s, id, ref.Path)); diff != "" {
			t.Error(diff)
		}
	}
	write(t, s, engine, memory.Change{
		Ref: note, Op: memory.OpAppend, Content: "\n- \"I am allergic to peanuts.\"\n- \"Hello. I am allergic to peanuts.\"\n- New.\n",
	})
	if got := contentOf(t, s, id, note.Path); strings.Contains(got, "peanuts") || !strings.Contains(got, "New.") {
		t.Errorf("learned again: %q", got)
	}
	// A tool names the sentence and the document.
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: long, Shown: "Runs."}))
	if got := contentOf(t, s, id, long.Path); !strings.Contains(got, "- Is tall.\n") {
		t.Errorf("%q", got)
	}
}

// The heading of an import goes with the last statement below it; a person's heading stays.
func TestForgetUnderHeadingsOfImports(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	ref := personal(memory.MemoryPath)
	write(t, s, id, memory.Change{
		Ref: ref, Op: memory.OpReplace,
		Content: "# Memory\n\n## Trips\n\n- Went to Rome.\n\n## Imported from claude\n\n- Went to Oslo.\n- Likes tea.\n",
	})
	for _, c := range [][2]string{
		{"oslo", "# Memory\n\n## Trips\n\n- Went to Rome.\n\n## Imported from claude\n\n- Likes tea.\n"},
		{"likes tea", "# Memory\n\n## Trips\n\n- Went to Rome.\n"},
		{"rome", "# Memory\n\n## Trips\n\n"},
	} {
		must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: c[0]}))
		if got := must[memory.Document](t)(s.Document(t.Context(), id, ref)).Content; got != c[1] {
			t.Errorf("%s: %q", c[0], got)
		}
	}
}

// Of an automatic write only the sentences are withheld that were forgotten, also out of a note's heading.
func TestForgottenSentencesAreWithheld(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	engine := id
	engine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- My dog is called Rex.\n- Likes tea.\n"})
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{
		Ref: memory.Ref{Scope: memory.ScopePersonal}, Said: []string{"My dog is called Rex."},
	}))
	for i, c := range [][2]string{
		{"## 20:32 My dog is called Rex.…\n\n- \"My dog is called Rex. I am a vegetarian.\"\n", "## 20:32\n\n- \"I am a vegetarian.\"\n"},
		{"## 20:33 I am a vegetarian\n\n- \"I am a vegetarian. My dog is called Rex.\"\n", "## 20:33 I am a vegetarian\n\n- \"I am a vegetarian.\"\n"},
		{"## 20:34 Tea\n\n- Bob: \"I like tea. My dog is called Rex.\"\n- The canoe is red.\n", "## 20:34 Tea\n\n- Bob: \"I like tea.\"\n- The canoe is red.\n"},
	} {
		ref := personal(fmt.Sprintf("memory/2026-11-1%d.md", i))
		write(t, s, engine, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# A day\n\n" + c[0]})
		if got := must[memory.Document](t)(s.Document(t.Context(), id, ref)).Content; got != "# A day\n\n"+c[1] {
			t.Errorf("%q", got)
		}
	}
}

// A pattern of one person of a group reaches no statement of another one, in other words neither.
func TestForgetOnlyOnesOwnInOtherWords(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("feishu:oc_1")
	const content = "# Memory\n\n## Person: feishu:ou_2\n\n- Home: Faro\n"
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: content})
	forget := func(speaker string) dreams.ForgetReceipt {
		return must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{
			Ref: memory.Ref{Scope: memory.ScopePersonal}, Pattern: "I live in Faro", Speaker: speaker, Preview: true,
		}))
	}
	if got := forget("Ada <feishu:ou_1>"); len(got.States)+len(got.Found) > 0 {
		t.Errorf("%+v", got)
	}
	if got := forget("Bob <feishu:ou_2>"); len(got.Found) != 1 {
		t.Errorf("%+v", got)
	}
}

package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/pg"
)

// factsOf lists all facts that an identity sees, in pages of a size.
func factsOf(t tester, s *Store, id memory.Identity, q facts.Query) (all []facts.Fact) {
	t.Helper()
	for {
		page := must[facts.Listed](t)(s.ByTrust(t.Context(), id, q))
		all = append(all, page.Items...)
		if q.Cursor = page.Next; page.Next == "" {
			return all
		}
	}
}

// deriveFacts derives the facts of all documents of an agent.
func deriveFacts(t tester, s *Store, tender memory.Identity) {
	t.Helper()
	for more := true; more; {
		more = must[bool](t)(s.DeriveFacts(t.Context(), tender, 3))
	}
}

// textsOf returns the texts of facts.
func textsOf(all []facts.Fact) (out []string) {
	for _, f := range all {
		out = append(out, f.Text)
	}
	return out
}

func TestFactsOfDocuments(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id, other := member("user:7"), member("user:8")
	put := func(as memory.Identity, path, content string) {
		t.Helper()
		now = now.Add(time.Hour)
		write(t, s, as, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: content, Force: true})
		factsOf(t, s, as, facts.Query{Path: path, Text: "nothing"})
	}
	const note = "memory/2026-11-23.md"
	of := func(paths ...string) []string {
		t.Helper()
		return textsOf(must[[]facts.Fact](t)(s.OfDocuments(t.Context(), id, memory.ScopePersonal, paths...)))
	}
	var long strings.Builder
	for n := range facts.MaxOfDocument {
		fmt.Fprintf(&long, "- Likes song%d.\n", n)
	}
	put(id, note, long.String())
	put(other, memory.MemoryPath, "- Somebody else's.\n")
	put(id, memory.MemoryPath, "- Plants an oak.\n")
	if diff := cmp.Diff([]string{"Plants an oak."}, of(memory.MemoryPath, "none.md")); diff != "" {
		t.Error(diff)
	}
	if got := of(note, memory.MemoryPath); len(got) != facts.MaxOfDocument+1 {
		t.Errorf("%d facts at the limit", len(got))
	}
	put(id, note, long.String()+"- Likes tea.\n")
	if got := of(note); len(got) != facts.MaxOfDocument {
		t.Errorf("%d facts beyond the limit", len(got))
	}
}

func TestFactsFollowTheirDocument(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	memoryFile := personal(memory.MemoryPath)
	find := func(text string) facts.Fact {
		t.Helper()
		found := factsOf(t, s, id, facts.Query{Text: text})
		if len(found) != 1 {
			t.Fatalf("facts with %q: %q, want one", text, textsOf(found))
		}
		return found[0]
	}
	content := "# Memory\n\n## Home\n\n- Lives in Berlin with two cats.\n- **deploy day**: Thursday\n"
	write(t, s, id, replace(memoryFile, 0, content))
	home, day := find("cats"), find("thursday")
	if home.FromLine != 5 || home.Heading != "Home" || home.Version != 1 || home.Path != memory.MemoryPath || home.Evidence.Source != "edit" {
		t.Errorf("fact: %+v", home)
	}
	if day.Subject != "deploy day" || day.Attribute != "is" || day.Value != "Thursday" || day.Confidence < .89 {
		t.Errorf("key line: %+v", day)
	}

	now = now.Add(24 * time.Hour)
	content = strings.Replace("\nNew line above.\n\n"+content, "with two cats", "with her two cats", 1)
	write(t, s, id, replace(memoryFile, 1, content))
	if edited := find("cats"); edited.ID != home.ID || edited.FromLine != 8 || edited.Text != "Lives in Berlin with her two cats." {
		t.Errorf("edited: %+v, want fact %s", edited, home.ID)
	}
	content = strings.Replace(content, "Thursday", "Friday", 1)
	write(t, s, id, replace(memoryFile, 2, content))
	if other := find("deploy day"); other.ID == day.ID || other.Value != "Friday" {
		t.Errorf("another value is the same fact: %+v", other)
	}
	wordings := must[facts.History](t)(s.Fact(t.Context(), id, home.ID)).Wordings
	if len(wordings) != 2 || wordings[0].Ended != now || !wordings[1].Ended.IsZero() {
		t.Errorf("wordings: %+v", wordings)
	}

	write(t, s, id, memory.Change{Ref: memoryFile, Op: memory.OpDelete})
	if left := factsOf(t, s, id, facts.Query{}); len(left) > 0 {
		t.Errorf("facts of a deleted document: %q", textsOf(left))
	}
	write(t, s, id, memory.Change{Ref: memoryFile, Op: memory.OpUndelete})
	if back := find("cats"); back.ID != home.ID {
		t.Errorf("fact %s came back as %s", home.ID, back.ID)
	}
	var told []string
	for _, e := range must[[]facts.Event](t)(s.Story(t.Context(), id, day.ID)) {
		told = append(told, fmt.Sprintf("%s %d %s", e.Kind, e.Version, e.Text))
	}
	if diff := cmp.Diff([]string{"written 1 **deploy day**: Thursday", "corrected 3 **deploy day**: Friday"}, told); diff != "" {
		t.Error(diff)
	}
	event := must[uuid.UUID](t)(s.GiveFeedback(t.Context(), id, home.ID, someFeedback))
	if after := find("cats"); after.Evidence.Helpful != 1 {
		t.Errorf("helpful: %+v", after.Evidence)
	}
	if err := s.UndoFeedback(t.Context(), id, home.ID, event); err != nil {
		t.Error(err)
	}
	if after := find("cats"); after.Evidence.Helpful != 0 {
		t.Errorf("undone: %+v", after.Evidence)
	}
	event = must[uuid.UUID](t)(s.GiveFeedback(t.Context(), id, home.ID, someFeedback))
	write(t, s, id, memory.Change{Ref: memoryFile, Op: memory.OpReplace, Content: "- Likes tea.\n", Force: true})
	if err := s.UndoFeedback(t.Context(), id, home.ID, event); err != nil {
		t.Errorf("feedback on a fact that is gone: %v", err)
	}
	if given := must[facts.History](t)(s.Fact(t.Context(), id, home.ID)).Feedback; given[len(given)-1].Undone.IsZero() {
		t.Errorf("undone: %+v", given)
	}
	write(t, s, id, memory.Change{Ref: memoryFile, Op: memory.OpReplace, Content: content, Force: true})
	if after := find("cats"); after.ID != home.ID || after.Evidence.Helpful != 0 {
		t.Errorf("back: %+v", after)
	}
	if all := factsOf(t, s, id, facts.Query{Path: memory.MemoryPath, Page: pg.Page{Limit: 1}}); len(all) != 3 {
		t.Errorf("at the path: %q", textsOf(all))
	}
	if _, err := s.Fact(t.Context(), member("user:8"), home.ID); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("another person's fact: %v", err)
	}
}

func TestSameWordsAreShownOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:7")
	line := "- Rides a red Brompton to work.\n"
	for _, day := range []string{"2026-11-01", "2026-11-05", "2026-11-06"} {
		write(t, s, id, replace(personal("memory/"+day+".md"), 0, line))
	}
	found := factsOf(t, s, id, facts.Query{})
	if len(found) != 1 || found[0].Path != "memory/2026-11-01.md" || found[0].Evidence.Days != 3 {
		t.Fatalf("facts: %+v", found)
	}
	write(t, s, id, replace(personal(memory.MemoryPath), 0, line))
	found = factsOf(t, s, id, facts.Query{})
	if len(found) != 1 || found[0].Path != memory.MemoryPath || found[0].Evidence.Days != 4 {
		t.Fatalf("facts: %+v", found)
	}
}

// What a person says in other words is the person's, from that day on; other marks change nothing.
func TestEditsOfPersonsCount(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	machine := id
	machine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive"}
	put := func(as memory.Identity, line string) facts.Fact {
		t.Helper()
		now = now.Add(100 * 24 * time.Hour)
		write(t, s, as, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: line + "\n", Force: true})
		found := factsOf(t, s, id, facts.Query{})
		if len(found) != 1 {
			t.Fatalf("facts: %+v", found)
		}
		return found[0]
	}
	first := put(machine, "- Rides a red Brompton to work")
	for _, c := range []struct {
		as     memory.Identity
		line   string
		source statements.Source
		anew   bool
	}{
		{machine, "- Rides a red Brompton to the office and to work", statements.SourceEngine, false},
		{id, "- Rides **a red Brompton** to the office and to work", statements.SourceEngine, false},
		{id, "- Rides a small red Brompton to the office and to work", statements.SourceEdit, true},
		{machine, "- Rides a small red Brompton to the office, to work", statements.SourceEdit, false},
	} {
		before := first.Evidence.Seen
		got := put(c.as, c.line)
		if got.ID != first.ID || got.Evidence.Source != c.source || got.Evidence.Seen.After(before) != c.anew {
			t.Errorf("%s: %+v, was seen %s", c.line, got.Evidence, before)
		}
		first = got
	}
}

// What a person asked to remember has their words as its source, no matter who wrote the line, also after a rebuild.
func TestAskedLinesAreOfThePerson(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	machine := id
	machine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive"}
	write(t, s, machine, memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- The spare key is with Frau Lenz.\n- Cooks pasta.\n", Create: "# Memory\n",
		Sources: memory.Sources{Conversation: "c", Lines: []memory.LineSource{
			{Line: "- The spare key is with Frau Lenz.", Messages: []int64{1}, Asked: true}, {Line: "- Cooks pasta.", Messages: []int64{1}},
		}},
	})
	check := func() {
		t.Helper()
		got := map[string]statements.Source{}
		for _, f := range factsOf(t, s, id, facts.Query{}) {
			got[f.Statement.Text] = f.Evidence.Source
		}
		want := map[string]statements.Source{"The spare key is with Frau Lenz.": statements.SourcePerson, "Cooks pasta.": statements.SourceEngine}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check()
	if err := s.RebuildFacts(t.Context(), tender()); err != nil {
		t.Fatal(err)
	}
	check()
}

// A statement holds since it was said, not since it was noted, whichever of two was noted first.
func TestFactsHoldSinceTheyWereSaid(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	machine := id
	machine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	add := func(line, day string) {
		t.Helper()
		write(t, s, machine, memory.Change{
			Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: line + "\n", Create: "# Memory\n",
			Sources: memory.Sources{Conversation: "c", Lines: []memory.LineSource{{Line: line, Messages: []int64{1}, Day: day}}},
		})
	}
	add("- I have moved to Lyon.", "2025-06-02")
	add("- I live in Trier.", "2024-11-21") // imported later
	add("- Cooks pasta.", "")
	add("- Has a red bicycle.", "2026-11-22") // the clock of the client is ahead
	add("- Plays the viola.", "yesterday")
	type since struct{ From, Seen string }
	check := func() {
		t.Helper()
		got := map[string]since{}
		for _, f := range factsOf(t, s, id, facts.Query{}) {
			got[f.Statement.Text] = since{f.From.Format(time.DateOnly), f.Evidence.Seen.Format(time.DateOnly)}
		}
		want := map[string]since{
			"I have moved to Lyon.": {"2025-06-02", "2025-06-02"}, "I live in Trier.": {"2024-11-21", "2024-11-21"},
			"Cooks pasta.": {"2026-11-21", "2026-11-21"}, "Has a red bicycle.": {"2026-11-21", "2026-11-21"}, "Plays the viola.": {"2026-11-21", "2026-11-21"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, pairs := contradictionsOf(t, s, id, facts.StateSuperseded)
		if diff := cmp.Diff([]string{"I live in Trier. | I have moved to Lyon."}, pairs); diff != "" {
			t.Errorf("superseded: %s", diff)
		}
	}
	check()
	now = now.AddDate(0, 1, 0)
	if err := s.RebuildFacts(t.Context(), tender()); err != nil {
		t.Fatal(err)
	}
	check()
}

// factWords are lines from which the property below makes documents: some differ by a word, a value or a mark only.
var factWords = []string{
	"- Lives in Berlin.", "- Lives in Berlin now.", "- Lives in Hamburg.", "* Lives in Berlin", "- Likes strong coffee in the morning",
	"- Likes strong coffee early in the morning", "- Pays 40 euros a month for the gym", "- Pays 45 euros a month for the gym",
	"- **team**: platform", "- **team**: payments", "- Works since March [2026-03] at Nordwind", "## Archived", "Plain words in a row.",
	`- "My son Max is 12."`, "  - under the line above", "## diet", "## home", "Vegetarian since 2019.", "> Max said:\n> \"I am twelve.\"",
	"> The rent is 950 euros.", "> Source: conversation c7 | Updated: 2026-11-23", "## Events",
}

func TestRebuiltFactsAreTheSame(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	rounds := 0
	rapid.Check(t, func(r *rapid.T) {
		rounds++
		tender := adminOf("acme")
		tender.Agent, tender.AnyOwner = fmt.Sprintf("ada%d", rounds), true
		makeAgent(t, s, "acme", tender.Agent)
		owners := []memory.Owner{"user:a", "user:b"}
		paths := []memory.Ref{
			personal(memory.MemoryPath), personal("memory/2026-11-01.md"), personal("structured/user.md"), team("notes/a.md"), team(memory.MemoryPath),
		}
		for range rapid.IntRange(1, 12).Draw(r, "writes") {
			now = now.Add(time.Duration(rapid.IntRange(1, 100).Draw(r, "hours")) * time.Hour)
			id := member(rapid.SampledFrom(owners).Draw(r, "owner"))
			id.Agent = tender.Agent
			switch rapid.IntRange(0, 3).Draw(r, "read") { // the versions since the last time are derived together
			case 0:
				deriveFacts(r, s, tender)
			case 1:
				factsOf(r, s, id, facts.Query{})
			}
			if rapid.IntRange(0, 2).Draw(r, "judge") == 0 {
				judgeSomething(r, s, id)
			}
			if rapid.Bool().Draw(r, "by a workflow") {
				id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
			}
			ref := rapid.SampledFrom(paths).Draw(r, "path")
			d, err := s.Document(r.Context(), id, ref)
			switch {
			case err == nil && !d.Deleted && rapid.IntRange(0, 5).Draw(r, "delete") == 0:
				write(r, s, id, memory.Change{Ref: ref, Op: memory.OpDelete})
				continue
			case err == nil && d.Version > 2 && rapid.IntRange(0, 3).Draw(r, "restore") == 0:
				if v := rapid.IntRange(1, d.Version-1).Draw(r, "version"); !must[memory.Version](r)(s.VersionOf(r.Context(), id, ref, v)).Deleted {
					write(r, s, id, memory.Change{Ref: ref, Op: memory.OpRestore, Restore: v})
				}
				continue
			}
			lines := rapid.SliceOfN(rapid.SampledFrom(factWords), 0, 6).Draw(r, "lines")
			change := memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: strings.Join(lines, "\n") + "\n"}
			for _, line := range lines {
				if rapid.IntRange(0, 2).Draw(r, "said") == 0 {
					day := rapid.SampledFrom([]string{"2025-03-01", "2026-11-02", "2031-01-01"}).Draw(r, "day")
					change.Sources.Conversation = "c"
					change.Sources.Lines = append(change.Sources.Lines, memory.LineSource{Line: line, Messages: []int64{1}, Day: day})
				}
			}
			write(r, s, id, change)
		}
		rows := func() []string {
			return query[string](r, s, tender, `select to_jsonb(f)::text from facts f order by document_id, entry_id, version`)
		}
		deriveFacts(r, s, tender)
		before := rows()
		if err := s.RebuildFacts(r.Context(), tender); err != nil {
			r.Fatal(err)
		}
		deriveFacts(r, s, tender)
		if diff := cmp.Diff(before, rows()); diff != "" {
			r.Fatalf("rebuilt facts (-incremental +rebuilt):\n%s", diff)
		}
	})
}

// A story tells who took a statement away, and why.
func TestStoriesTellWhoRemoved(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	other := id
	other.Author.ID = "key-of-another-program"
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- Lives in Oslo.\n- Keeps bees.\n"})
	found := factsOf(t, s, id, facts.Query{Path: memory.MemoryPath})
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	write(t, s, other, memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- Lives in Bergen.\n", Reason: "moved", Force: true,
	})
	factsOf(t, s, id, facts.Query{})
	want := map[string]facts.EventKind{"Lives in Oslo.": facts.Corrected, "Keeps bees.": facts.Removed}
	for _, f := range found {
		story := must[[]facts.Event](t)(s.Story(t.Context(), id, f.ID))
		last := story[len(story)-1]
		if last.Kind != want[f.Text] || last.Author != other.Author || last.Reason != "moved" {
			t.Errorf("%s: %+v", f.Text, last)
		}
	}
}

// The story of a line goes from the message to the correction, also when a dream has reworded what was noted.
func TestStoriesAreWhole(t *testing.T) {
	t.Parallel()
	now := testClock
	for _, line := range []string{"Rides a red Brompton to work on the Friday market day", "On the Friday market day, a red Brompton is ridden to work"} {
		s := openStore(t, at(func() time.Time { return now }))
		id := member("user:7")
		machine := workflow("user:7", "r")
		if _, err := s.AppendMessages(t.Context(), machine, turn("c", "m", 2)); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Hour)
		write(t, s, machine, memory.Change{
			Ref: personal("memory/2026-11-23.md"), Op: memory.OpReplace, Content: "# Day\n\n- Rides a red Brompton to work on the Friday market day\n",
			Sources: memory.Sources{Conversation: "c", From: 1, To: 1}, Force: true,
		})
		now = now.Add(time.Hour)
		line := "- " + line + " <!-- memory/2026-11-23.md:3 score 0.81 -->\n"
		write(t, s, machine, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: line, Force: true})
		now = now.Add(time.Hour)
		found := factsOf(t, s, id, facts.Query{Path: memory.MemoryPath})
		if len(found) != 1 {
			t.Fatalf("%+v", found)
		}
		must[uuid.UUID](t)(s.GiveFeedback(t.Context(), id, found[0].ID, facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: facts.ReasonConfirmed}))
		now = now.Add(time.Hour)
		write(t, s, id, memory.Change{
			Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: strings.ReplaceAll(line, "Friday", "Monday"), Force: true,
		})
		var told []string
		for _, e := range must[[]facts.Event](t)(s.Story(t.Context(), id, found[0].ID)) {
			told = append(told, string(e.Kind))
			if (e.Kind == facts.Corrected || e.Kind == facts.Removed) && (e.Author.Kind != id.Author.Kind || e.Author.ID != id.Author.ID) {
				t.Errorf("%s by %+v", e.Kind, e.Author)
			}
		}
		if got := strings.Join(told, " "); !strings.HasPrefix(got, "said noted promoted confirmed ") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// judgeSomething gives or takes back feedback about a fact, reports it again, or forgets it for good.
func judgeSomething(r *rapid.T, s *Store, id memory.Identity) {
	all := factsOf(r, s, id, facts.Query{Archived: true})
	if len(all) == 0 {
		return
	}
	fact := rapid.SampledFrom(all).Draw(r, "fact")
	opinion := rapid.SampledFrom([]facts.Opinion{facts.Helpful, facts.Unhelpful, facts.Heard, "undo", "erase"}).Draw(r, "opinion")
	var err error
	switch opinion {
	case "undo":
		for _, g := range must[facts.History](r)(s.Fact(r.Context(), id, fact.ID)).Feedback {
			if g.Undone.IsZero() {
				err = s.UndoFeedback(r.Context(), id, fact.ID, g.ID)
				break
			}
		}
	case "erase":
		_, err = s.Forget(r.Context(), id, dreams.ForgetRequest{
			Ref: memory.Ref{Scope: fact.Scope, Path: fact.Path}, Entry: fact.Entry, Erase: true,
		})
	default:
		_, err = s.GiveFeedback(r.Context(), id, fact.ID, facts.Feedback{Opinion: opinion, Weight: 1, Reason: "test"})
	}
	if err != nil && !errors.Is(err, pg.ErrForbidden) { // of the team
		r.Fatalf("%s: %v", opinion, err)
	}
}

// The list as of now is the current list: the same facts, of the same documents, with the same evidence, whatever is asked for.
func TestFactsAsOfNow(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	rounds := 0
	rapid.Check(t, func(r *rapid.T) {
		rounds++
		id := member("user:a")
		id.Agent = fmt.Sprintf("ada%d", rounds)
		makeAgent(t, s, "acme", id.Agent)
		paths := []memory.Ref{
			personal(memory.MemoryPath), personal("memory/2026-11-01.md"), personal("memory/2026-11-03.md"), personal("structured/user.md"),
			team("notes/a.md"), team(memory.MemoryPath),
		}
		for range rapid.IntRange(1, 8).Draw(r, "writes") {
			now = now.Add(time.Duration(rapid.IntRange(1, 60).Draw(r, "hours")) * time.Hour)
			lines := rapid.SliceOfN(rapid.SampledFrom(factWords), 0, 6).Draw(r, "lines")
			ref := rapid.SampledFrom(paths).Draw(r, "path")
			write(r, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: strings.Join(lines, "\n") + "\n"})
			all := factsOf(r, s, id, facts.Query{Archived: true})
			if len(all) == 0 {
				continue
			}
			f := rapid.SampledFrom(all).Draw(r, "fact")
			given := facts.Feedback{
				Opinion: rapid.SampledFrom([]facts.Opinion{facts.Helpful, facts.Unhelpful, facts.Heard}).Draw(r, "opinion"), Weight: .5, Reason: "asked",
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(r, "later")) * time.Hour)
			event := must[uuid.UUID](r)(s.GiveFeedback(r.Context(), id, f.ID, given))
			if rapid.IntRange(0, 3).Draw(r, "undo") == 0 {
				if err := s.UndoFeedback(r.Context(), id, f.ID, event); err != nil {
					r.Fatal(err)
				}
			}
		}
		for _, q := range []facts.Query{
			{},
			{Archived: true},
			{Text: "berlin"},
			{Attribute: "home"},
			{Kind: "PROFILE"},
			{Category: "user_pref"},
			{MinTrust: .6}, // which some have exactly
			{Path: "MEMORY.md"},
			{Path: "memory/2026-11-01.md", Archived: true},
		} {
			said := func(f facts.Fact) string {
				return fmt.Sprintf("%s %s %s:%d %v archived %v trust %.9f seen %s", f.Text, f.ID, f.Path, f.Version, f.Evidence, f.Archived,
					f.Evidence.Trust(now), f.Evidence.Seen.UTC())
			}
			var current, past []string
			for _, f := range factsOf(r, s, id, q) {
				current = append(current, said(f))
			}
			for _, f := range must[facts.Listed](r)(s.ByTrustAsOf(r.Context(), id, q, now)).Items {
				past = append(past, said(f))
			}
			slices.Sort(current)
			slices.Sort(past)
			if diff := cmp.Diff(current, past); diff != "" {
				r.Fatalf("%+v (-current +as of now):\n%s", q, diff)
			}
		}
	})
}

func TestFactsAreListedByTrust(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	writers := []memory.Author{
		id.Author,
		{Kind: memory.AuthorUser, ID: "remember"},
		{Kind: memory.AuthorImport, ID: "i"},
		{Kind: memory.AuthorWorkflow, ID: "builtin/extractive"},
		{Kind: memory.AuthorWorkflow, ID: "openai/some-model"},
	}
	for i := range 40 {
		id.Author = writers[i%len(writers)]
		now = now.Add(17 * time.Hour)
		ref := []memory.Ref{personal("notes/a.md"), team("notes/b.md"), personal(memory.ProfilePath)}[i%3]
		lines := fmt.Sprintf("- Statement %d about subject %d\n- Another %d of %d\n", i, i*i, i, i*7)
		if i%10 == 0 {
			lines = fmt.Sprintf("- **name**: Person %d\n", i)
		}
		write(t, s, id, memory.Change{Ref: ref, Op: memory.OpAppend, Content: lines})
	}
	some := factsOf(t, s, id, facts.Query{Text: "subject"})
	set := everything(t, id)
	for i, f := range some {
		kind := []string{"HELPFUL", "UNHELPFUL", "UNHELPFUL"}[i%3]
		for range i % 4 {
			if _, err := rawAs(t, s, set, `insert into fact_events (workspace_id, agent_id, scope, owner_key, fact_id, event_id, kind, weight, reason,
				author_kind, author_id, at) values ('acme', 'ada', $1, $2, $3, $4, $5, 1, 'asked', 'user', 'k', $6)`,
				f.Scope, f.Owner, f.ID, pg.NewID(), kind, testClock); err != nil && f.Scope == memory.ScopePersonal {
				t.Fatal(err)
			}
		}
	}
	tender := adminOf("acme")
	tender.Agent, tender.AnyOwner = "ada", true
	if err := s.RebuildFacts(t.Context(), tender); err != nil {
		t.Fatal(err)
	}
	deriveFacts(t, s, tender)

	all := factsOf(t, s, id, facts.Query{Page: pg.Page{Limit: 500}})
	if len(all) != 76 {
		t.Fatalf("%d facts", len(all))
	}
	levels := map[string]bool{}
	for i, f := range all {
		trust := f.Evidence.Trust(now)
		levels[fmt.Sprintf("%.3f", trust)] = true
		if i > 0 && trust > all[i-1].Evidence.Trust(now)+1e-9 {
			t.Errorf("fact %d: trust %.6f behind %.6f", i, trust, all[i-1].Evidence.Trust(now))
		}
	}
	if len(levels) < 20 {
		t.Errorf("only %d levels of trust", len(levels))
	}
	ids := func(all []facts.Fact) (out []uuid.UUID) {
		for _, f := range all {
			out = append(out, f.ID)
		}
		return out
	}
	for _, size := range []int{1, 3, 7} {
		if diff := cmp.Diff(ids(all), ids(factsOf(t, s, id, facts.Query{Page: pg.Page{Limit: size}}))); diff != "" {
			t.Errorf("pages of %d:\n%s", size, diff)
		}
	}
	if !slices.ContainsFunc(all, func(f facts.Fact) bool { return math.Abs(f.Evidence.Trust(now)) < 1e-12 }) {
		t.Error("no fact lost all trust")
	}
	if _, err := s.ByTrust(t.Context(), id, facts.Query{Page: pg.Page{Cursor: "x"}}); err == nil {
		t.Error("a cursor of no list was accepted")
	}
}

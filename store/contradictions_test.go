package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/store/facts"
	"reverie/store/pg"
	"reverie/store/talk"
)

// contradictionsOf lists contradictions as "older | newer".
func contradictionsOf(t tester, s *Store, id memory.Identity, state facts.ContradictionState) (all []facts.Contradiction, pairs []string) {
	t.Helper()
	var page pg.Page
	for {
		listed := must[pg.Listed[facts.Contradiction]](t)(s.Contradictions(t.Context(), id, state, page))
		for _, c := range listed.Items {
			all, pairs = append(all, c), append(pairs, c.A.Text+" | "+c.B.Text)
		}
		if page.Cursor = listed.Next; listed.Next == "" {
			return all, pairs
		}
	}
}

// Persons of a group live in different places. What one of them says can contradict what they have said before.
func TestPersonsOfAGroupDoNotContradict(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("feishu:oc_1")
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "# Memory\n\n" +
		"## Person: feishu:ou_1\n\n- I live in Braga.\n- My name is Alice.\n\n## Person: feishu:ou_2\n\n- I live in Faro.\n- My name is Bob.\n"})
	for _, state := range []facts.ContradictionState{facts.StateOpen, facts.StateSuperseded} {
		if _, pairs := contradictionsOf(t, s, id, state); len(pairs) > 0 {
			t.Errorf("%s: %q", state, pairs)
		}
	}
	write(t, s, id, memory.Change{Ref: personal("memory/2026-11-23.md"), Op: memory.OpReplace, Content: "## Person: feishu:ou_1\n\n- I live in Porto.\n"})
	if _, pairs := contradictionsOf(t, s, id, facts.StateOpen); len(pairs) != 1 || !strings.Contains(pairs[0], "Braga") {
		t.Errorf("%q", pairs)
	}
}

func TestContradictionsAreFoundAndResolved(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id, other := member("user:7"), member("user:8")
	put := func(as memory.Identity, ref memory.Ref, content string) {
		t.Helper()
		now = now.Add(24 * time.Hour)
		write(t, s, as, memory.Change{Ref: ref, Op: memory.OpReplace, Content: content, Force: true})
	}
	expect := func(as memory.Identity, state facts.ContradictionState, want ...string) []facts.Contradiction {
		t.Helper()
		all, got := contradictionsOf(t, s, as, state)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
		return all
	}
	memoryFile, note := personal(memory.MemoryPath), personal("memory/2026-11-23.md")
	put(id, memoryFile, "# Memory\n\n- The budget is 5,000 euros.\n- I have a son called Max.\n- Port of the API: 8080\n")
	put(other, memoryFile, "- The budget is 9,000 euros.\n")
	expect(id, facts.StateOpen)
	put(id, note, "- The budget is 7,500 euros.\n- I have a son called Leo.\n")
	open := expect(id, facts.StateOpen, "The budget is 5,000 euros. | The budget is 7,500 euros.")
	if len(open) == 0 || open[0].A.Path != memory.MemoryPath || open[0].B.FromLine != 1 || open[0].Why != "values" {
		t.Fatalf("%+v", open)
	}

	// Anyone who says that something has changed supersedes it.
	put(id, note, "- The budget is 7,500 euros.\n- The port of the API has been changed to 9090.\n")
	expect(id, facts.StateSuperseded, "Port of the API: 8080 | The port of the API has been changed to 9090.")

	// The loser goes, is not learned again, and comes back when a person says it.
	got := must[facts.Contradiction](t)(s.ResolveContradiction(t.Context(), id, open[0].ID, facts.KeepB, ""))
	if got.Resolution != facts.KeepB || got.Author != (memory.Author{Kind: id.Author.Kind, ID: id.Author.ID}) {
		t.Errorf("%+v", got)
	}
	want := "# Memory\n\n- I have a son called Max.\n- Port of the API: 8080\n"
	if diff := cmp.Diff(want, contentOf(t, s, id, memory.MemoryPath)); diff != "" {
		t.Error(diff)
	}
	expect(id, facts.StateOpen)
	expect(id, facts.StateResolved, "The budget is 5,000 euros. | The budget is 7,500 euros.")
	if _, err := s.ResolveContradiction(t.Context(), id, open[0].ID, facts.KeepA, ""); !conflict(pg.CodeResolved)(err) {
		t.Errorf("resolved twice: %v", err)
	}
	model := id
	model.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "some-model"}
	write(t, s, model, memory.Change{Ref: memoryFile, Op: memory.OpAppend, Content: "- The budget is 5,000 euros.\n- Likes tea.\n"})
	if content := contentOf(t, s, id, memory.MemoryPath); strings.Contains(content, "5,000") || !strings.Contains(content, "tea") {
		t.Errorf("learned again: %q", content)
	}
	expect(id, facts.StateOpen)
	now = now.Add(24 * time.Hour)
	write(t, s, id, memory.Change{Ref: memoryFile, Op: memory.OpAppend, Content: "- The budget is 5,000 euros.\n"})
	open = expect(id, facts.StateOpen, "The budget is 7,500 euros. | The budget is 5,000 euros.")

	// Another statement takes the place of both.
	must[facts.Contradiction](t)(s.ResolveContradiction(t.Context(), id, open[0].ID, facts.Merge, "The budget is 5,000 euros, from May on 7,500."))
	if content := contentOf(t, s, id, note.Path); !strings.HasPrefix(content, "- The budget is 5,000 euros, from May on 7,500.\n") {
		t.Errorf("merged: %q", content)
	}
	if content := contentOf(t, s, id, memory.MemoryPath); strings.Contains(content, "budget") {
		t.Errorf("merged: %q", content)
	}
	expect(id, facts.StateOpen)
	for r, text := range map[facts.Resolution]string{facts.Merge: " ", facts.KeepA: "text", "OTHER": ""} {
		var invalid *pg.InvalidError
		if _, err := s.ResolveContradiction(t.Context(), id, open[0].ID, r, text); !errors.As(err, &invalid) {
			t.Errorf("%s %q: %v", r, text, err)
		}
	}
	if _, err := s.ResolveContradiction(t.Context(), other, open[0].ID, facts.KeepA, ""); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("another person: %v", err)
	}
}

// A decision takes the value out of requests to remember it, too, in each language that claims are read in.
func TestDecisionsReachRequestsToRemember(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for i, c := range [][4]string{ // with %s for the value, and two values of which the second is kept
		{"My name is %s.", "Please remember that my name is %s.", "Anna", "Marie"},
		{"Ich heiße %s.", "Bitte merk dir, dass ich %s heiße.", "Anna", "Marie"},
		{"Je m'appelle %s.", "Souviens-toi que je m'appelle %s.", "Anna", "Marie"},
		{"Vivo en %s.", "Recuerda que vivo en %s.", "Cádiz", "Vigo"},
		{"我住在%s。", "请记住我住在%s", "上海", "杭州"},
	} {
		id := member(memory.Owner(fmt.Sprintf("user:r%d", i)))
		line := func(form, value string) string { return fmt.Sprintf("- "+form+"\n", value) }
		note := personal("memory/2026-11-23.md")
		write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: line(c[0], c[2]) + line(c[0], c[3])})
		write(t, s, id, memory.Change{Ref: note, Op: memory.OpReplace, Content: line(`"`+c[1]+`"`, c[2]) + line(`"`+c[1]+`"`, c[3])})
		open, _ := contradictionsOf(t, s, id, facts.StateOpen)
		if len(open) == 0 {
			t.Fatalf("%s: no contradiction", c[0])
		}
		r := facts.KeepB
		if strings.Contains(open[0].A.Text, c[3]) {
			r = facts.KeepA
		}
		must[facts.Contradiction](t)(s.ResolveContradiction(t.Context(), id, open[0].ID, r, ""))
		if got := must[memory.Document](t)(s.Document(t.Context(), id, note)).Content; got != line(`"`+c[1]+`"`, c[3]) {
			t.Errorf("%q", got)
		}
		if got := must[memory.Document](t)(s.Document(t.Context(), id, personal(memory.MemoryPath))).Content; got != line(c[0], c[3]) {
			t.Errorf("%q", got)
		}
		if _, pairs := contradictionsOf(t, s, id, facts.StateOpen); len(pairs) > 0 {
			t.Errorf("%q", pairs)
		}
	}
}

func TestContradictionsWithTheTeam(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id, other := member("user:7"), member("user:8")
	plan := team("plan.md")
	lead := adminOf("acme").For("ada", id.Owner)
	write(t, s, id, replace(personal(memory.MemoryPath), 0, "- The deadline of project Atlas is Friday.\n- I live in Berlin.\n"))
	write(t, s, other, replace(personal(memory.MemoryPath), 0, "- The deadline of project Atlas is Tuesday.\n"))
	write(t, s, lead, replace(plan, 0, "- The deadline of project Atlas is Monday.\n- User lives in Rome.\n"))
	for _, who := range []memory.Identity{id, other} {
		deriveFacts(t, s, tender())
		if _, pairs := contradictionsOf(t, s, who, facts.StateOpen); len(pairs) != 1 || !strings.Contains(pairs[0], "Monday") {
			t.Errorf("%s: %q", who.Owner, pairs)
		}
	}
	// A reader derives what the team has written; the worker compares it with everybody else.
	now = now.Add(time.Hour)
	write(t, s, id, replace(personal("notes.md"), 0, "- The release party is on May 3.\n"))
	write(t, s, other, replace(personal("notes.md"), 0, "- The release party is on May 4.\n"))
	contradictionsOf(t, s, id, facts.StateOpen)
	contradictionsOf(t, s, other, facts.StateOpen)
	write(t, s, lead, replace(plan, 1, "- The deadline of project Atlas is Monday.\n- The release party is on May 5.\n"))
	if _, pairs := contradictionsOf(t, s, lead, facts.StateOpen); len(pairs) != 2 {
		t.Errorf("reader: %q", pairs)
	}
	deriveFacts(t, s, tender())
	if _, pairs := contradictionsOf(t, s, other, facts.StateOpen); len(pairs) != 2 {
		t.Errorf("other: %q", pairs)
	}
}

// A contradiction that was resolved never returns on its own: whatever machines write, small edits and rebuilds.
func TestResolvedContradictionsStayResolved(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > 25 { // each has its own documents
			return
		}
		id := member(memory.Owner(fmt.Sprintf("user:%d", n)))
		model := id
		model.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "some-model"}
		file := personal(memory.MemoryPath)
		lines := []string{"- The port is 8080.\n", "- The port is 9090.\n"}
		write(rt, s, id, replace(file, 0, "# Memory\n\n- Likes tea.\n"+lines[0]+lines[1]))
		open, _ := contradictionsOf(rt, s, id, facts.StateOpen)
		if len(open) != 1 {
			rt.Fatalf("%d open", len(open))
		}
		r := rapid.SampledFrom([]facts.Resolution{facts.KeepA, facts.KeepB, facts.Merge, facts.Ignore}).Draw(rt, "resolution")
		text := map[facts.Resolution]string{facts.Merge: "The API has the port 7070."}[r]
		must[facts.Contradiction](rt)(s.ResolveContradiction(rt.Context(), id, open[0].ID, r, text))
		for _, act := range rapid.SliceOfN(rapid.SampledFrom([]string{"append", "note", "edit", "rebuild"}), 1, 5).Draw(rt, "acts") {
			line := rapid.SampledFrom(lines).Draw(rt, "line")
			switch act {
			case "append":
				write(rt, s, model, memory.Change{Ref: file, Op: memory.OpAppend, Content: line})
			case "note":
				write(rt, s, model, memory.Change{Ref: personal("memory/2026-11-23.md"), Op: memory.OpAppend, Content: line, Create: "# Day\n"})
			case "edit":
				content := contentOf(rt, s, id, file.Path)
				write(rt, s, model, memory.Change{Ref: file, Op: memory.OpReplace, Force: true, Content: strings.Replace(content, "The port is", "Its port is", 1)})
			case "rebuild":
				if err := s.RebuildFacts(rt.Context(), tender()); err != nil {
					rt.Fatal(err)
				}
			}
			deriveFacts(rt, s, tender())
			if _, again := contradictionsOf(rt, s, id, facts.StateOpen); len(again) != 0 {
				rt.Fatalf("after %s of %q, %s: %q", act, line, r, again)
			}
		}
	})
}

// Anyone who reads both sides of an open contradiction learns that they disagree.
func TestDisagreementsAreSeen(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	write(t, s, id, replace(personal(memory.MemoryPath), 0, "- The port of the API is 8080.\n- Likes tea.\n- The port of the API is 9090.\n"))
	const shown = "The port of the API is 8080.\nThe port of the API is 9090."
	want := []statements.Disagreement{{Older: "The port of the API is 8080.", Newer: "The port of the API is 9090."}}
	got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), id, shown)) // although nobody has derived them
	if len(got) == 1 && got[0].Older > got[0].Newer {                                  // written at once
		got[0].Older, got[0].Newer = got[0].Newer, got[0].Older
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Window: 1000, MaxBytes: 1000}))
	all := must[[]statements.Disagreement](t)(s.DisagreementsWithin(t.Context(), id, load.Disagreements, memory.SystemPrompt(load.Documents)))
	if len(all) != 1 || statements.Warning(all, strings.TrimSpace) == "" {
		t.Errorf("context: %+v", load.Disagreements)
	}
	if got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), id, shown[:20])); len(got) != 0 {
		t.Errorf("one side: %+v", got)
	}
	open, _ := contradictionsOf(t, s, id, facts.StateOpen)
	must[facts.Contradiction](t)(s.ResolveContradiction(t.Context(), id, open[0].ID, facts.Ignore, ""))
	if got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), id, shown)); len(got) != 0 {
		t.Errorf("decided: %+v", got)
	}
}

// A dream of the team, and a member, read every owner without tending what is derived for them: they derive the facts of the team, and the
// worker compares these with those of the owners.
func TestReadersOfAllOwnersDerive(t *testing.T) {
	t.Parallel()
	wide := member("user:2")
	wide.AnyOwner = true
	for name, reader := range map[string]memory.Identity{"dream": dreaming(memory.SystemOwner, "r"), "member": wide} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t)
			id := member("user:7")
			write(t, s, id, replace(personal(memory.MemoryPath), 0, "- The port of Mars is 9090.\n"))
			factsOf(t, s, id, facts.Query{})
			write(t, s, id, replace(team(memory.MemoryPath), 1, "- The port of Mars is 8080.\n"))
			if got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), reader, "The port of Mars is 8080.")); len(got) != 0 {
				t.Errorf("one side: %+v", got)
			}
			if n := len(factsOf(t, s, id, facts.Query{Text: "8080"})); n != 1 {
				t.Errorf("%d facts", n)
			}
			deriveFacts(t, s, tender())
			if open, _ := contradictionsOf(t, s, id, facts.StateOpen); len(open) != 1 {
				t.Errorf("%+v", open)
			}
		})
	}
}

// What is shown decides which disagreements are reported, not how many others were found since.
func TestOldDisagreementsAreSeen(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	const older, newer = "The port of the API is 8080.", "The port of the API is 9090."
	write(t, s, id, replace(personal(memory.MemoryPath), 0, "- "+older+"\n- "+newer+"\n"))
	factsOf(t, s, id, facts.Query{})
	now = now.Add(time.Hour)
	var others strings.Builder
	for n := range 120 {
		name := fmt.Sprintf("Kr%cb%c", 'a'+n%20, 'a'+n/20)
		fmt.Fprintf(&others, "- The port of %s is 8080.\n- The port of %s is 9090.\n", name, name)
	}
	write(t, s, id, replace(personal("notes/ports.md"), 0, others.String()))
	factsOf(t, s, id, facts.Query{Text: "nothing"}) // derives them, however long it takes
	if got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), id, others.String())); len(got) != 120 {
		t.Fatalf("%d pairs", len(got))
	}
	shown := "- " + older + "\n- " + newer
	if got := must[[]statements.Disagreement](t)(s.Disagreements(t.Context(), id, shown)); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Window: 1000, MaxBytes: 1000}))
	got := must[[]statements.Disagreement](t)(s.DisagreementsWithin(t.Context(), id, load.Disagreements, memory.SystemPrompt(load.Documents)))
	if !load.Disagreements.More || len(got) != 1 {
		t.Errorf("context: %+v", got)
	}
}

func TestDeniedStatementsAreFound(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	for path, content := range map[string]string{memory.MemoryPath: "- I eat meat.\n", "memory/2026-11-23.md": "- I don't eat meat.\n"} {
		now = now.Add(24 * time.Hour)
		write(t, s, id, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: content, Force: true})
	}
	all, pairs := contradictionsOf(t, s, id, facts.StateOpen)
	if len(all) != 1 || all[0].Why != "opposite" {
		t.Errorf("%q: %+v", pairs, all)
	}
}

// Statements that contradict one another in other words, with other attributes, are found as well.
func TestContradictionsInOtherWords(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }), func(o *pg.Options) { o.PairsJudged = true })
	id := member("user:7")
	machine := id
	machine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive"}
	put := func(as memory.Identity, path, content string) {
		t.Helper()
		now = now.Add(24 * time.Hour)
		write(t, s, as, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: content, Force: true})
	}
	put(machine, memory.MemoryPath, "- My landlord charges 950 a month.\n- Works as a nurse at St. Mary's Hospital.\n"+
		"- Speaks Italian.\n- Has a dog called Bruno.\n- The backup runs at 2 am.\n")
	contradictionsOf(t, s, id, facts.StateOpen)
	put(machine, "memory/2026-11-23.md", "- Rent went up, it's 1,020 a month from now on.\n"+
		"- I left St. Mary's, I'm with the Red Cross now.\n- I speak Dutch fluently.\n"+
		"- We've now adopted a second dog, Frida.\n- Our nightly backup runs at 4 am.\n")
	_, open := contradictionsOf(t, s, id, facts.StateOpen)
	_, doubtful := contradictionsOf(t, s, id, facts.StateDoubtful)
	found := slices.Concat(open, doubtful)
	slices.Sort(found)
	want := []string{ // a model decides about all of them
		"Has a dog called Bruno. | We've now adopted a second dog, Frida.",
		"My landlord charges 950 a month. | Rent went up, it's 1,020 a month from now on.",
		"Speaks Italian. | I speak Dutch fluently.",
		"The backup runs at 2 am. | Our nightly backup runs at 4 am.",
		"Works as a nurse at St. Mary's Hospital. | I left St. Mary's, I'm with the Red Cross now.",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if len(open) != 0 {
		t.Errorf("open without a common claim: %q", open)
	}
}

// Of statements by writers who did not know the rules, the pairs that cannot both hold are selected for a model among all others of a
// person, and not many more.
func TestPairsForAModelAreSelected(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }), func(o *pg.Options) { o.PairsJudged = true })
	for file, floors := range map[string]map[string]float64{
		"blind": {"en": .2, "de": .15, "zh": .15}, "strangers": {"en": .5, "de": .45, "zh": .5},
	} {
		for lang, floor := range floors {
			texts, want := labelledPairs(t, "../facts/conflict/testdata/"+file+".jsonl", lang)
			id := member(memory.Owner("user:" + file + lang))
			for i, path := range []string{"memory/2026-11-21.md", "memory/2026-11-22.md"} {
				now = now.Add(24 * time.Hour)
				write(t, s, id, memory.Change{Ref: personal(path), Op: memory.OpReplace, Content: texts[i], Force: true})
				contradictionsOf(t, s, id, facts.StateOpen)
			}
			_, doubtful := contradictionsOf(t, s, id, facts.StateDoubtful)
			hits := 0
			for _, pair := range want {
				if slices.Contains(doubtful, pair) {
					hits++
				}
			}
			all := strings.Count(texts[0]+texts[1], "\n")
			t.Logf("%s, %s: %d of %d, in %d pairs of %d statements", file, lang, hits, len(want), len(doubtful), all)
			if float64(hits) < floor*float64(len(want)) || len(doubtful) > all {
				t.Errorf("%s, %s: want %.2f of them in at most as many pairs as statements", file, lang, floor)
			}
		}
	}
}

// labelledPairs returns the older and the newer statements of a file in a language as lists, and the pairs that cannot both hold.
func labelledPairs(t *testing.T, file, lang string) (texts [2]string, conflicts []string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var p struct {
			Lang, Older, Newer string
			Conflict           bool
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if p.Lang != lang {
			continue
		}
		texts[0] += "- " + p.Older + "\n"
		texts[1] += "- " + p.Newer + "\n"
		if p.Conflict {
			conflicts = append(conflicts, p.Older+" | "+p.Newer)
		}
	}
	return texts, conflicts
}

// What holds many values at once is a list: none of them contradicts another one, until few of them are left.
func TestListsAreNoContradictions(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, lead := member("user:7"), adminOf("acme").For("ada", "user:7")
	numbers := func(from, to int) string {
		var b strings.Builder
		for n := from; n < to; n++ {
			fmt.Fprintf(&b, "- The port is %d.\n", 8000+n)
		}
		return b.String()
	}
	put := func(as memory.Identity, ref memory.Ref, content string, want int) {
		t.Helper()
		write(t, s, as, memory.Change{Ref: ref, Op: memory.OpReplace, Content: content + "- The budget is 7 euros.\n", Force: true})
		for range 2 { // by a reader, and by the worker
			if _, open := contradictionsOf(t, s, id, facts.StateOpen); len(open) != want {
				t.Errorf("%d contradictions of %q, want %d", len(open), content, want)
			}
			deriveFacts(t, s, tender())
		}
	}
	file, shared := personal(memory.MemoryPath), team("plan.md")
	put(id, file, numbers(0, 100), 0)
	put(id, file, numbers(0, 10), 45)
	put(id, file, numbers(0, 11), 0)
	put(id, personal("notes.md"), numbers(11, 12), 0)
	put(id, file, numbers(0, 3), 6) // with that of notes.md
	put(lead, shared, numbers(20, 22), 6+1+2*4)
	put(lead, shared, numbers(20, 40), 6)
	put(lead, shared, numbers(20, 21), 6+4)
}

// Finding contradictions write by write gives the same as finding them at once.
func TestContradictionsFoundAnewAreTheSame(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	rounds := 0
	rapid.Check(t, func(r *rapid.T) {
		rounds++
		tender := adminOf("acme")
		tender.Agent, tender.AnyOwner = fmt.Sprintf("list%d", rounds), true
		makeAgent(t, s, "acme", tender.Agent)
		owners := []memory.Owner{"user:a", "user:b"}
		paths := []memory.Ref{personal(memory.MemoryPath), personal("notes.md"), team("notes/a.md"), team(memory.MemoryPath)}
		for range rapid.IntRange(1, 5).Draw(r, "writes") {
			id := member(rapid.SampledFrom(owners).Draw(r, "owner"))
			id.Agent = tender.Agent
			switch rapid.IntRange(0, 3).Draw(r, "read") {
			case 0:
				deriveFacts(r, s, tender)
			case 1:
				factsOf(r, s, id, facts.Query{})
			}
			var lines strings.Builder
			for _, thing := range []string{"The port is %d.\n", "The budget is %d euros.\n", "The port is %d and the budget is 5 euros.\n"} {
				from := rapid.IntRange(10, 16).Draw(r, "from")
				for n := range rapid.SampledFrom([]int{0, 1, 2, 5, 10, 11, 12}).Draw(r, "values") {
					fmt.Fprintf(&lines, "- "+thing, from+n)
				}
			}
			write(r, s, id, memory.Change{
				Ref: rapid.SampledFrom(paths).Draw(r, "path"), Op: memory.OpReplace, Force: true, Content: "# Memory\n\n" + lines.String(),
			})
		}
		found := func() []string {
			deriveFacts(r, s, tender)
			var all []string
			for _, owner := range owners {
				id := member(owner)
				id.Agent = tender.Agent
				open, _ := contradictionsOf(r, s, id, facts.StateOpen)
				for _, c := range open {
					pair := []string{c.A.Text, c.B.Text}
					slices.Sort(pair)
					all = append(all, fmt.Sprint(owner, " ", c.Scope, " ", pair))
				}
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		before := found()
		if _, err := rawAs(r, s, everything(r, tender), "delete from fact_contradictions"); err != nil {
			r.Fatal(err)
		}
		if err := s.RebuildFacts(r.Context(), tender); err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(before, found()); diff != "" {
			r.Fatalf("found anew (-one after another +at once):\n%s", diff)
		}
	})
}

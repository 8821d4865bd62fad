package tidy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/structured"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/facts"
	"reverie/store/storetest"
	"reverie/tidy"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// world is a store with an agent and a clock.
type world struct {
	testing.TB
	*store.Store

	now time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	s, _ := storetest.Open(t, store.Options{Now: func() time.Time { return w.now }})
	w.Store = s
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "ada", TimeZone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	return w
}

var (
	person = memory.Author{Kind: memory.AuthorUser, ID: "key"}
	dreams = memory.Author{Kind: memory.AuthorDream, ID: "night", WorkflowID: "w", RunID: "r"}
)

func as(owner memory.Owner, author memory.Author) memory.Identity {
	return memory.Identity{Workspace: "acme", Agent: "ada", Owner: owner, Role: memory.RoleMember, Author: author}
}

// write replaces a document as an author.
func (w *world) write(id memory.Identity, path, content string) {
	w.Helper()
	change := memory.Change{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Content: content, Force: true}
	if _, err := w.Apply(w.Context(), id, "", []memory.Change{change}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) content(id memory.Identity, path string) string {
	w.Helper()
	d, err := w.Document(w.Context(), id, memory.Ref{Scope: memory.ScopePersonal, Path: path})
	if err != nil {
		w.Fatal(err)
	}
	return d.Content
}

func (w *world) archive(id memory.Identity, s setting.DreamSettings) int {
	w.Helper()
	n, err := tidy.Archive(w.Context(), w.Store, id, memory.ScopePersonal, w.now, s)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func TestLowTrustIsArchived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	model := memory.Author{Kind: memory.AuthorWorkflow, ID: "model", WorkflowID: "w", RunID: "r"}
	w.write(as("user:7", person), memory.MemoryPath, "# Memory\n\n- Written by hand.\n")
	w.write(as("user:7", model), memory.MemoryPath, "# Memory\n\n- Written by hand.\n- Has a red bicycle.\n- Reads a book about whales.\n")
	w.write(as("user:7", model), "memory/2026-11-23.md", "# 2026-11-23\n\n- Waited for the bus.\n")
	id, defaults := as("user:7", dreams), setting.DefaultDreamSettings()
	if n := w.archive(id, defaults); n != 0 {
		t.Fatalf("%d archived at once", n)
	}
	w.now = w.now.AddDate(0, 0, 80)
	listed, err := w.ByTrust(t.Context(), id, facts.Query{Text: "bicycle"})
	if err != nil || len(listed.Items) != 1 {
		t.Fatal(listed, err)
	}
	opinion := facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: "asked"}
	if _, err := w.GiveFeedback(t.Context(), as("user:7", person), listed.Items[0].ID, opinion); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.AddDate(0, 0, 300)
	off := defaults
	off.ArchiveTrust = 0
	if n := w.archive(id, off); n != 0 {
		t.Errorf("%d archived while it is off", n)
	}
	if n := w.archive(id, defaults); n != 1 {
		t.Errorf("%d archived", n)
	}
	const want = "# Memory\n\n- Written by hand.\n- Has a red bicycle.\n\n## Archived\n\n- Reads a book about whales.\n"
	if got := w.content(id, memory.MemoryPath); got != want {
		t.Errorf("document:\n%s", got)
	}
	if n := w.archive(id, defaults); n != 0 {
		t.Errorf("%d archived again", n)
	}
	for _, c := range []struct {
		archived bool
		want     int
	}{{false, 0}, {true, 1}} {
		listed, err := w.ByTrust(t.Context(), id, facts.Query{Text: "whales", Archived: c.archived})
		if err != nil || len(listed.Items) != c.want {
			t.Errorf("archived %v: %+v %v", c.archived, listed.Items, err)
		}
	}
}

// What was learned from old messages is not archived before it could be used.
func TestOldNewsStaysForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := as("user:7", dreams)
	const line = "- Has a red bicycle."
	change := memory.Change{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}, Op: memory.OpReplace, Content: line + "\n",
		Sources: memory.Sources{Conversation: "c", Lines: []memory.LineSource{{Line: line, Messages: []int64{1}, Day: "2019-03-01"}}},
	}
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	if _, err := w.Apply(t.Context(), as("user:7", engine), "", []memory.Change{change}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ days, archived int }{{0, 0}, {29, 0}, {30, 1}} {
		now := w.now.AddDate(0, 0, c.days)
		if n, err := tidy.Archive(t.Context(), w.Store, id, memory.ScopePersonal, now, setting.DefaultDreamSettings()); err != nil || n != c.archived {
			t.Errorf("after %d days: %d archived, %v", c.days, n, err)
		}
	}
}

// What moves with a statement stays with it: lines nested under it, and the other ones of a structured entry.
func TestArchivingLeavesWhatIsAPersons(t *testing.T) {
	t.Parallel()
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	const item, nested, entry = "# Memory\n\n- Reads a book about whales.\n", "  - It was written by an aunt, Paula.\n",
		"## bicycle\n\nRides a red bicycle.\n"
	for _, c := range []struct {
		name, path, machine, then string
		by                        memory.Author
		confirmed                 string
		archived                  int
	}{
		{name: "a person's nested line", path: memory.MemoryPath, machine: item, then: item + nested, by: person},
		{name: "a confirmed nested line", path: memory.MemoryPath, machine: item + nested, confirmed: "Paula"},
		{name: "a nested line", path: memory.MemoryPath, machine: item + nested, archived: 2},
		{name: "a person's paragraph", path: structured.User.Path(), machine: entry, then: entry + "\nIs allergic to peanuts.\n", by: person},
		{name: "a confirmed paragraph", path: structured.User.Path(), machine: entry + "\nIs allergic to peanuts.\n", confirmed: "peanuts"},
		{name: "an entry", path: structured.User.Path(), machine: entry + "\nIs allergic to peanuts.\n", archived: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			id := as("user:7", dreams)
			w.write(as("user:7", engine), c.path, c.machine)
			if c.then != "" {
				w.write(as("user:7", c.by), c.path, c.then)
			}
			if c.confirmed != "" {
				listed, err := w.ByTrust(t.Context(), id, facts.Query{Text: c.confirmed})
				if err != nil || len(listed.Items) != 1 {
					t.Fatal(listed, err)
				}
				opinion := facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: "asked"}
				if _, err := w.GiveFeedback(t.Context(), as("user:7", person), listed.Items[0].ID, opinion); err != nil {
					t.Fatal(err)
				}
			}
			before := w.content(id, c.path)
			w.now = w.now.AddDate(2, 0, 0)
			if n := w.archive(id, setting.DefaultDreamSettings()); n != c.archived || (n > 0) != (w.content(id, c.path) != before) {
				t.Errorf("%d archived:\n%s", n, w.content(id, c.path))
			}
			s := setting.DefaultDreamSettings()
			s.ArchiveTrust, s.MaxOwnerFacts = 0, 1
			if w.archive(id, s); c.archived == 0 && w.content(id, c.path) != before {
				t.Errorf("archived as too many:\n%s", w.content(id, c.path))
			}
		})
	}
}

// Whatever persons write between the lines of machines, and confirm, is not archived.
func TestArchivingAnythingLeavesWhatIsAPersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	archived := 0
	rapid.Check(t, func(r *rapid.T) {
		owner := memory.Owner("user:" + uuid.NewString())
		id := as(owner, dreams)
		path := rapid.SampledFrom([]string{memory.MemoryPath, structured.User.Path()}).Draw(r, "path")
		var lines []string
		line := func(by string) string {
			text := fmt.Sprintf("%s noted whale number %d.", by, len(lines))
			if path != memory.MemoryPath {
				return rapid.SampledFrom([]string{"## key " + text, text}).Draw(r, "line")
			}
			return strings.Repeat("  ", rapid.IntRange(0, 2).Draw(r, "depth")) + "- " + text
		}
		document := func() string {
			if path == memory.MemoryPath {
				return "# Memory\n\n" + strings.Join(lines, "\n") + "\n"
			}
			return strings.Join(lines, "\n\n") + "\n"
		}
		lines = append(lines, map[bool]string{true: "- The engine noted a whale.", false: "## whale"}[path == memory.MemoryPath])
		for range rapid.IntRange(1, 8).Draw(r, "machine's") {
			lines = append(lines, line("The engine"))
		}
		w.write(as(owner, engine), path, document())
		for range rapid.IntRange(0, 2).Draw(r, "person's") {
			lines = slices.Insert(lines, rapid.IntRange(1, len(lines)).Draw(r, "at"), line("Paula"))
		}
		w.write(as(owner, person), path, document())
		listed, err := w.ByTrust(t.Context(), id, facts.Query{})
		if err != nil {
			r.Fatal(err)
		}
		keep := []string{"Paula"}
		for _, f := range listed.Items {
			if rapid.IntRange(0, 5).Draw(r, "confirm") == 0 {
				opinion := facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: "asked"}
				if _, err := w.GiveFeedback(t.Context(), as(owner, person), f.ID, opinion); err != nil {
					r.Fatal(err)
				}
				keep = append(keep, f.Text)
			}
		}
		s := setting.DefaultDreamSettings()
		s.MaxOwnerFacts = rapid.IntRange(0, 4).Draw(r, "most")
		n, err := tidy.Archive(t.Context(), w.Store, id, memory.ScopePersonal, w.now.AddDate(rapid.IntRange(0, 2).Draw(r, "years"), 0, 0), s)
		if err != nil {
			r.Fatal(err)
		}
		archived += n
		_, archive := markdown.CutArchive(w.content(id, path))
		for _, text := range keep {
			if strings.Contains(archive, text) {
				r.Errorf("%q is archived:\n%s\nbefore:\n%s", text, w.content(id, path), document())
			}
		}
	})
	if archived < 50 {
		t.Errorf("%d archived: the test shows little", archived)
	}
}

func TestCapacityArchivesTheLeastTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var mine, all strings.Builder
	mine.WriteString("# Memory\n\n")
	for i := range 6 {
		fmt.Fprintf(&mine, "- Person line number %d.\n", i)
	}
	all.WriteString(mine.String())
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	model := memory.Author{Kind: memory.AuthorWorkflow, ID: "model", WorkflowID: "w", RunID: "r"}
	w.write(as("user:7", person), memory.MemoryPath, mine.String())
	all.WriteString("- The engine noted whales.\n- The engine noted herons.\n")
	w.write(as("user:7", engine), memory.MemoryPath, all.String())
	all.WriteString("- A model noted ferns.\n- A model noted tulips.\n")
	w.write(as("user:7", model), memory.MemoryPath, all.String())
	id, s := as("user:7", dreams), setting.DefaultDreamSettings()
	s.MaxOwnerFacts = 8
	if n := w.archive(id, s); n != 2 {
		t.Errorf("%d archived", n)
	}
	if got := w.content(id, memory.MemoryPath); !strings.HasSuffix(got, "- A model noted tulips.\n\n## Archived\n\n- The engine noted whales.\n- The engine noted herons.\n") {
		t.Errorf("document:\n%s", got)
	}
	s.MaxOwnerFacts = 1
	if n := w.archive(id, s); n != 2 {
		t.Errorf("%d archived of a person's", n)
	}
	current, _, _ := strings.Cut(w.content(id, memory.MemoryPath), "## Archived")
	if strings.Count(current, "Person line") != 6 {
		t.Errorf("what a person wrote is archived:\n%s", current)
	}
}

// Of facts that are trusted alike and were used at the same time, or never, the oldest ones are archived.
func TestCapacityArchivesTheOldest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	document := "# Memory\n\n"
	for _, bird := range []string{"herons", "terns", "plovers", "wrens", "finches", "cranes", "storks", "swifts"} {
		w.now = w.now.Add(time.Hour)
		document += "- The engine noted " + bird + ".\n"
		w.write(as("user:7", engine), memory.MemoryPath, document)
	}
	document += "- The engine noted swans.\n- The engine noted owls.\n"
	w.write(as("user:7", engine), memory.MemoryPath, document)
	s := setting.DefaultDreamSettings()
	s.MaxOwnerFacts = 3
	if n := w.archive(as("user:7", dreams), s); n != 7 {
		t.Errorf("%d archived", n)
	}
	current, _, _ := strings.Cut(w.content(as("user:7", dreams), memory.MemoryPath), "\n## Archived")
	if want := "# Memory\n\n- The engine noted swifts.\n- The engine noted swans.\n- The engine noted owls.\n"; current != want {
		t.Errorf("left:\n%s", current)
	}
}

func TestConsolidation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entry := func(document, key, content string, day int) string {
		next, err := structured.Set(document, structured.Entry{Key: key, Content: content, Source: "chat", Updated: w.now.AddDate(0, 0, day)})
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	document := entry("", "tea", "Likes green tea.", 0)
	w.write(as("user:7", person), "structured/user.md", document)
	for i := range 6 {
		document = entry(document, fmt.Sprintf("key %d", i), fmt.Sprintf("Fact number %d.", i), 0)
	}
	document = entry(document, "drink", "Likes green tea", 1)
	document = entry(document, "food", "Eats no meat at all.", 0)
	document = entry(document, "diet", "Eats no meat at all", 1)
	w.write(as("user:7", memory.Author{Kind: memory.AuthorTool, ID: "remember_structured"}), "structured/user.md", document)
	id := as("user:7", dreams)
	got, err := tidy.Consolidate(t.Context(), w.Store, id, memory.ScopePersonal)
	if err != nil || got.Before != 10 || got.After != 9 || got.Updated != 1 || got.Small {
		t.Errorf("consolidated: %+v %v", got, err)
	}
	left := structured.Parse(w.content(id, "structured/user.md"))
	_, persons := structured.Find(left, "tea")
	_, food := structured.Find(left, "food")
	if !persons || food {
		t.Errorf("left: %+v", left)
	}
	if got, err := tidy.Consolidate(t.Context(), w.Store, id, memory.ScopePersonal); err != nil || got.Updated != 0 || got.After != 9 {
		t.Errorf("again: %+v %v", got, err)
	}
	if got, err := tidy.Consolidate(t.Context(), w.Store, as("user:8", dreams), memory.ScopePersonal); err != nil || !got.Small || got.Before != 0 {
		t.Errorf("another owner: %+v %v", got, err)
	}
}

// Of a superseded line only the sentence or clause goes that the newer one replaces.
func TestCorrectLeavesWhatElseALineSays(t *testing.T) {
	w := newWorld(t)
	engine := memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"}
	for i, c := range []struct{ line, newer, left string }{
		{`"I live in Munich. My son Max is allergic to penicillin."`, `"I moved to Berlin."`, `"My son Max is allergic to penicillin."`},
		{`"We decided to use Postgres. I live in Munich."`, `"I moved to Berlin."`, `"We decided to use Postgres."`},
		{`"Ich wohne in Köln. Meine Tochter hat Asthma."`, `"Ich bin nach Bonn gezogen."`, `"Meine Tochter hat Asthma."`},
		{`"I live in Munich."`, `"I moved to Berlin."`, ""},
	} {
		id := as(memory.Owner(fmt.Sprint("user:c", i)), engine)
		w.write(id, "memory/2026-11-20.md", "# 2026-11-20\n\n- "+c.line+"\n")
		w.write(id, "memory/2026-11-22.md", "# 2026-11-22\n\n- "+c.newer+"\n")
		if _, err := w.ByTrust(t.Context(), id, facts.Query{}); err != nil { // derives facts
			t.Fatal(err)
		}
		if n, err := tidy.Correct(t.Context(), w.Store, id, memory.ScopePersonal); err != nil || n != 1 {
			t.Errorf("%s: %d corrected, %v", c.line, n, err)
		}
		want := "# 2026-11-20\n\n"
		if c.left != "" {
			want += "- " + c.left + "\n"
		}
		if got := w.content(id, "memory/2026-11-20.md"); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s: %q", c.line, got)
		}
	}
}

package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/index"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/talk"
)

// tender returns the worker's identity for the index of ada.
func tender() memory.Identity {
	id := adminOf("acme")
	id.Agent, id.AnyOwner = "ada", true
	return id
}

// collected returns what an identity may find in one corpus.
func collected(tb tester, s *Store, id memory.Identity, corpus search.Corpus, question string) *index.Collection {
	tb.Helper()
	q := analysis.NewQuery(question, testClock)
	return must[indexes.Collected](tb)(s.Collect(tb.Context(), id, []search.Corpus{corpus}, q)).Collections[0]
}

// matches returns the texts of the units in which some term of the question occurs, in order.
func matches(tb tester, s *Store, id memory.Identity, corpus search.Corpus, question string) []string {
	tb.Helper()
	c := collected(tb, s, id, corpus, question)
	var units []index.Unit
	for _, postings := range slices.Concat(c.Body, c.Context) {
		for _, p := range postings {
			units = append(units, c.Units[p.Unit])
		}
	}
	slices.SortFunc(units, func(a, b index.Unit) int { return a.Key().Compare(b.Key()) })
	units = slices.CompactFunc(units, func(a, b index.Unit) bool { return a.Key() == b.Key() })
	passages := must[map[index.UnitKey]indexes.Passage](tb)(s.Passages(tb.Context(), id, corpus, units))
	var texts []string
	for _, u := range units {
		texts = append(texts, passages[u.Key()].Text)
	}
	return texts
}

func says(conversation string, contents ...string) talk.Batch {
	b := turn(conversation, pg.NewID().String(), len(contents))
	for i := range b.Messages {
		b.Messages[i].Content = contents[i]
	}
	return b
}

// Committed documents are found at once, in their current version.
func TestIndexFollowsDocuments(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	note := team("memory/2026-11-20.md")
	write(t, s, id, replace(note, 0, "# Notes\n\n## 09:15 Ships\n\nThe harbour opens at nine.\n"))
	if got := matches(t, s, id, search.Memory, "harbours"); len(got) != 1 || !strings.Contains(got[0], "The harbour opens at nine.") {
		t.Fatalf("after the write: %q", got)
	}
	write(t, s, id, replace(note, 1, "# Notes\n\n## 09:15 Ships\n\nThe lighthouse is closed.\n"))
	if got := matches(t, s, id, search.Memory, "harbour"); got != nil {
		t.Fatalf("after the change the old text is found: %q", got)
	}
	if got := matches(t, s, id, search.Memory, "lighthouse"); len(got) != 1 {
		t.Fatalf("after the change the new text is found %d times", len(got))
	}
	must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{{Ref: note, Op: memory.OpDelete}}))
	if got := matches(t, s, id, search.Memory, "lighthouse"); got != nil {
		t.Fatalf("a deleted document is found: %q", got)
	}
	must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{{Ref: note, Op: memory.OpUndelete}}))
	if got := matches(t, s, id, search.Memory, "lighthouse"); len(got) != 1 {
		t.Fatalf("a document that came back is found %d times", len(got))
	}
}

// Instructions for the agent and reports of dreams are not indexed.
func TestIndexLeavesOut(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	for _, path := range []string{"SOUL.md", "AGENTS.md", "DREAMS.md", "memory/dreaming/deep/2026-11-20.md"} {
		must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team(path), Op: memory.OpAppend, Content: "zanzibar"}}))
	}
	if got := matches(t, s, id, search.Memory, "zanzibar"); got != nil {
		t.Fatalf("found %q", got)
	}
}

// Turns are found by message, only those of people and the assistant, and only by their owner.
func TestIndexFollowsMessages(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	b := says("c", "My sister lives in Lisbon.", "Lisbon is lovely.")
	b.Messages = append(b.Messages, memory.Message{ID: "tool", Role: memory.RoleOfTool, Content: "lisbon lisbon", CreatedAt: testClock})
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	if stored.Token == "" {
		t.Error("no token for what can be found now")
	}
	want := []string{"My sister lives in Lisbon.", "Lisbon is lovely."}
	if got := matches(t, s, id, search.Sessions, "lisbon"); !slices.Equal(got, want) {
		t.Fatalf("found %q, want %q", got, want)
	}
	again := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	if again.Token != "" || again.Stored != 0 {
		t.Errorf("the same batch again: %+v", again)
	}
	if got := matches(t, s, id, search.Sessions, "lisbon"); !slices.Equal(got, want) {
		t.Fatalf("after a repetition found %q, want %q", got, want)
	}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, says("c", "Back to Lisbon.")))
	if got := matches(t, s, id, search.Sessions, "lisbon"); len(got) != 3 {
		t.Fatalf("after another turn found %q", got)
	}
	for _, other := range []memory.Identity{member("user:2"), member("")} {
		if got := matches(t, s, other, search.Sessions, "lisbon"); got != nil {
			t.Fatalf("%q finds %q", other.Owner, got)
		}
	}
	everybody := member("")
	everybody.AnyOwner = true
	if got := matches(t, s, everybody, search.Sessions, "lisbon"); len(got) != 3 {
		t.Fatalf("an operator finds %q", got)
	}
}

// contents returns a collection without the numbers that differ between two indexes of the same texts.
func contents(c *index.Collection) *index.Collection {
	plain := *c
	plain.Units = slices.Clone(c.Units)
	for i := range plain.Units {
		plain.Units[i].Group = 0
	}
	return &plain
}

// fill writes documents and conversations of several owners, with changes in between.
func fill(t *testing.T, s *Store, rounds int) {
	t.Helper()
	words := strings.Fields("harbour lighthouse anchor sail mast rudder tide reef gull fog 港口 灯塔 船员")
	for i := range rounds {
		for _, owner := range []memory.Owner{"user:1", "user:2"} {
			id := member(owner)
			word := func(n int) string { return words[(i*7+n*3+len(owner))%len(words)] }
			must[talk.Stored](t)(
				s.AppendMessages(
					t.Context(), id, says(fmt.Sprintf("c%d", i%5)+string(owner), word(1)+" "+word(2), word(3)+" and "+word(4)),
				),
			)
			path := fmt.Sprintf("memory/ships/%d.md", i%90)
			change := memory.Change{
				Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpAppend,
				Content: fmt.Sprintf("## 10:%02d %s\n\n%s %s %s\n", i%60, word(5), word(6), word(7), word(8)),
			}
			must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{change}))
		}
	}
}

func pack(t *testing.T, s *Store) (merges int) {
	t.Helper()
	for {
		packed := must[indexes.Packed](t)(s.PackIndex(t.Context(), tender()))
		if !packed.More {
			return merges
		}
		merges++
	}
}

// Merging and rebuilding do not change search results.
func TestIndexPackAndRebuild(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	fill(t, s, 150)
	questions := []string{"harbour", "lighthouse fog", "灯塔", "gull and reef", "nothing like it", "10:07"}
	look := func() map[string]*index.Collection {
		found := map[string]*index.Collection{}
		for _, owner := range []memory.Owner{"user:1", "user:2"} {
			for _, corpus := range search.Corpora() {
				for _, q := range questions {
					found[fmt.Sprint(owner, corpus, q)] = contents(collected(t, s, member(owner), corpus, q))
				}
			}
		}
		return found
	}
	before := look()
	if n := pack(t, s); n != 4 {
		t.Fatalf("%d merges, want one for each owner's conversations and notes", n)
	}
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Fatalf("merging changed what is found:\n%s", diff)
	}
	for _, status := range must[[]indexes.CorpusStatus](t)(s.IndexStatus(t.Context(), member("user:1"))) {
		if status.Segments == 0 || status.Units == 0 || status.Bytes == 0 || status.Fresh >= indexes.PackFrom {
			t.Errorf("after merging: %+v", status)
		}
	}
	fill(t, s, 150) // on top of segments: groups in them die
	before = look()
	pack(t, s)
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Fatalf("the second merging changed what is found:\n%s", diff)
	}

	total := must[int](t)(s.StaleIndex(t.Context(), tender()))
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Fatalf("what is marked is not found as before:\n%s", diff)
	}
	for left := total; left > 0; {
		next := must[int](t)(s.RebuildIndex(t.Context(), tender(), 7))
		if next >= left {
			t.Fatalf("%d sources are left of %d: no progress", next, left)
		}
		left = next
	}
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Fatalf("building anew changed what is found:\n%s", diff)
	}
}

// An index that is gone altogether comes back.
func TestIndexRebuildFromNothing(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	id := memory.Identity{Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin, AnyOwner: true}
	count := func() int { return len(collected(t, w.Store, id, search.Sessions, "acme").Units) }
	before := count()
	if before == 0 {
		t.Fatal("nothing is indexed")
	}
	if _, err := w.root.Exec(t.Context(), "truncate index_sources, index_fresh, index_segments, index_blocks, index_graves"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Fatalf("%d units without an index", n)
	}
	must[int](t)(w.StaleIndex(t.Context(), id))
	for left := 1; left > 0; {
		left = must[int](t)(w.RebuildIndex(t.Context(), id, 100))
	}
	if n := count(); n != before {
		t.Errorf("%d units were built, there had been %d", n, before)
	}
}

// A document that is rewritten while its partition is merged is found once, as it is now.
func TestIndexPackBesideWriters(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:1")
	for i := range indexes.PackFrom {
		write(t, s, id, replace(team(fmt.Sprintf("memory/n%d.md", i)), 0, fmt.Sprintf("anchor number%d", i)))
	}
	done := make(chan error, 2)
	go func() {
		for i := range 60 {
			c := memory.Change{
				Ref: team(fmt.Sprintf("memory/n%d.md", i%10)), Op: memory.OpReplace, Force: true, Content: fmt.Sprintf("anchor round%d", i),
			}
			if _, err := s.Apply(t.Context(), id, "", []memory.Change{c}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	go func() {
		for range 30 {
			if _, err := s.PackIndex(t.Context(), tender()); err != nil {
				done <- err
				return
			}
			if n := len(matches(t, s, id, search.Memory, "anchor")); n != indexes.PackFrom {
				done <- fmt.Errorf("%d documents are found, there are %d", n, indexes.PackFrom)
				return
			}
		}
		done <- nil
	}()
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// Documents with new statements are due, and sources that another release has indexed.
func TestDueAgents(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	all := dueAgents(t, w.Store, false)
	if len(all) != 8 {
		t.Fatalf("due for facts: %v, want six agents and two workspaces", all)
	}
	without := must[*Store](t)(Open(t.Context(), w.root.Config().ConnString(), pg.Options{MaxConns: 2, FactsOff: true}))
	t.Cleanup(without.Close)
	if due := dueAgents(t, without, false); len(due) != 0 {
		t.Fatalf("due without facts: %v", due)
	}
	for _, agent := range all {
		deriveFacts(t, w.Store, memory.Identity{Workspace: agent.Workspace, Agent: agent.Agent, AnyOwner: true, Role: memory.RoleAdmin})
	}
	if due := dueAgents(t, w.Store, false); len(due) != 0 {
		t.Fatalf("due: %v", due)
	}
	if due := dueAgents(t, w.Store, true); len(due) != 8 {
		t.Fatalf("due for vectors: %v, want six agents and two workspaces", due)
	}
	if _, err := w.root.Exec(
		t.Context(), "update index_sources set index_format = 'analyser 0' where workspace_id = 'acme' and agent_id = 'bob'",
	); err != nil {
		t.Fatal(err)
	}
	if due := dueAgents(t, w.Store, false); !slices.Equal(due,
		[]indexes.AgentRef{{Workspace: "acme", Agent: "bob"}}) {
		t.Fatalf("due: %v", due)
	}
}

// dueAgents looks at the agents of all workspaces, and returns those with work to do.
func dueAgents(t *testing.T, s *Store, vectors bool) (due []indexes.AgentRef) {
	t.Helper()
	for _, agent := range must[[]indexes.DueAgent](t)(s.DueAgents(t.Context(), pg.Lease{Limit: 100}, vectors, indexes.AgentRef{})) {
		if agent.Due {
			due = append(due, agent.AgentRef)
		}
	}
	return due
}

func write4KB(i int) string {
	var b strings.Builder
	for n := 0; b.Len() < 4000; n++ {
		fmt.Fprintf(&b, "- On day %d the crew of ship %d repaired the mast and sailed on.\n", i, n)
	}
	return b.String()
}

// The cost of a note of 4 KB: write, index, journal.
func BenchmarkWriteNote(b *testing.B) {
	s := openStore(b)
	id := member("user:1")
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		from := time.Now()
		c := memory.Change{Ref: team(fmt.Sprintf("memory/n%d.md", i)), Op: memory.OpAppend, Content: write4KB(i)}
		if _, err := s.Apply(b.Context(), id, "", []memory.Change{c}); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(from))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// Documents from before there was an index are found after the migration, once the worker has indexed them.
func TestIndexOfAnOlderDatabase(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	id := memory.Identity{Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin, AnyOwner: true}
	// Groups get other numbers, and with them units another order.
	look := func() (all []string) {
		for _, corpus := range search.Corpora() {
			c := contents(collected(t, w.Store, id, corpus, "acme ada user"))
			units := make([]string, len(c.Units))
			for i, u := range c.Units {
				units[i] = fmt.Sprintf("%s %+v", corpus, u)
			}
			for field, terms := range [][][]index.Posting{c.Body, c.Context} {
				for term, postings := range terms {
					for _, p := range postings {
						units[p.Unit] += fmt.Sprintf(" field %d term %d: %d times", field, term, p.TF)
					}
				}
			}
			all = append(all, slices.Sorted(slices.Values(units))...)
		}
		return all
	}
	before := look()
	if len(before) < 20 || !strings.Contains(before[0], "times") {
		t.Fatalf("%d units, the first: %v", len(before), before[0])
	}
	err := withProvider(w.root.Config().ConnString(), func(_ *sql.DB, p *goose.Provider) error {
		if _, err := p.DownTo(t.Context(), 1); err != nil {
			return err
		}
		_, err := p.Up(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.db.Pool.Reset() // statements were prepared for the tables that are gone
	if due := dueAgents(t, w.Store, false); len(due) != 8 {
		t.Fatalf("due: %v, want six agents and two workspaces", due)
	}
	for left := 1; left > 0; {
		left = must[int](t)(w.RebuildIndex(t.Context(), id, 100))
	}
	global := id
	global.Agent = ""
	for left := 1; left > 0; {
		left = must[int](t)(w.RebuildIndex(t.Context(), global, 100))
	}
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Errorf("built anew, other things are found:\n%s", diff)
	}
}

package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/notes"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// facts lists facts in several wordings each.
var facts = [][]string{
	{"Is allergic to peanuts.", "The user is allergic to peanuts", "Allergic to peanuts"},
	{"Team standup is at 9:30 every weekday.", "Team standup is at 9:30 every weekday"},
	{"Staging database listens on port 5433.", "The staging database listens on port 5433."},
	{"Staging database listens on port 5434."},
	{"Prefers answers without bullet points.", "User likes answers without bullet points", "Likes answers without bullet points."},
	{"No longer eats meat."},
	{"Lives in Lisbon.", "The user lives in Lisbon."},
	{"Lives in Porto."},
	{"女儿在北京读小学三年级。", "我女儿在北京读小学三年级"},
	{"对花生过敏。", "我对花生过敏"},
	{"Sister Clara lives in Porto."},
	{"Remember: the gate code is 4711.", "The gate code is 4711"},
}

// noted is one wording of a fact.
type noted struct{ fact, wording int }

func drawNotes(t *rapid.T) map[dream.Day][]noted {
	notes := map[dream.Day][]noted{}
	for day := range rapid.IntRange(1, 5).Draw(t, "days") {
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			fact := rapid.IntRange(0, len(facts)-1).Draw(t, "fact")
			n := noted{fact, rapid.IntRange(0, len(facts[fact])-1).Draw(t, "wording")}
			d := dream.Day(fmt.Sprintf("2026-03-%02d", day+2))
			notes[d] = append(notes[d], n)
		}
	}
	return notes
}

// drawRendering writes the lines of a note in any order and format, with other lines between them.
func drawRendering(t *rapid.T, day dream.Day, lines []noted) notes.Note {
	lines = rapid.Permutation(slices.Clone(lines)).Draw(t, "order")
	marker := rapid.SampledFrom([]string{"- ", "* ", "+ ", "1. ", "> ", ""}).Draw(t, "marker")
	var b strings.Builder
	b.WriteString("# " + string(day) + "\n\n")
	for i, n := range lines {
		if heading := rapid.SampledFrom([]string{"", "", "## 09:41", "## 17:05 Moving", "### Details"}).Draw(t, "heading"); heading != "" {
			b.WriteString("\n" + heading + "\n\n")
		}
		if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
			fmt.Fprintf(&b, "- An unrelated remark about topic%c%d.\n\n", 'a'+i, i)
		}
		text := facts[n.fact][n.wording]
		switch rapid.IntRange(0, 4).Draw(t, "style") {
		case 0:
			text = strings.TrimRight(text, ".。")
		case 1:
			if first, rest, ok := strings.Cut(text, " "); ok {
				text = first + "  **" + strings.TrimRight(rest, ".") + "**."
			}
		case 2:
			text += " <!-- seen -->"
		case 3:
			if first, rest, ok := strings.Cut(text, " "); ok && marker == "- " {
				text = first + "\n  " + rest
			}
		}
		b.WriteString(marker + text + "\n\n")
	}
	n := notes.Note{Day: day}
	n.Path, n.Version, n.Content = "memory/"+string(day)+".md", rapid.IntRange(1, 9).Draw(t, "version"), b.String()
	return n
}

func drawMaterial(t *rapid.T, noted map[dream.Day][]noted) dream.Material {
	var m dream.Material
	for _, day := range slices.Sorted(maps.Keys(noted)) {
		m.Statements = append(m.Statements, notes.NoteStatements(drawRendering(t, day, noted[day]), time.UTC)...)
	}
	return m
}

// essence returns the parts of candidates that must not change: identities and signals. The hour at which something was last
// said may change, since the heading over it sets it. Remarks about other topics are left out.
func essence(candidates []dream.Candidate) map[markdown.EntryID]dream.Signals {
	out := map[markdown.EntryID]dream.Signals{}
	for _, c := range candidates {
		if !strings.Contains(c.Text, "unrelated remark") {
			c.Signals.LastSeen = c.Signals.LastSeen.Truncate(24 * time.Hour)
			out[c.ID] = c.Signals
		}
	}
	return out
}

// TestHowANoteIsWrittenDoesNotMatter renders the same notes twice, in other formats and orders, with other remarks between.
func TestHowANoteIsWrittenDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		notes := drawNotes(t)
		once, twice := drawMaterial(t, notes), drawMaterial(t, notes)
		for range rapid.IntRange(0, 5).Draw(t, "recalls") {
			fact := rapid.SampledFrom(facts).Draw(t, "recalled")
			r := recalled(rapid.IntRange(2, 8).Draw(t, "day"), rapid.SampledFrom([]string{"q1", "q2"}).Draw(t, "query"), .7,
				rapid.SampledFrom(fact).Draw(t, "wording"))
			once.Recalls, twice.Recalls = append(once.Recalls, r), append(twice.Recalls, r)
		}
		if diff := cmp.Diff(essence(Light(once, lightSettings)), essence(Light(twice, lightSettings))); diff != "" {
			t.Fatalf("candidates differ:\n%s", diff)
		}
	})
}

// TestReadingANoteAgainIsNoSignal runs dreams over the same notes for forty nights.
func TestReadingANoteAgainIsNoSignal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMaterial(t, drawNotes(t))
		at := time.Date(2026, 3, 9, 2, 0, 0, 0, time.UTC)
		first := Light(m, lightSettings)
		for n := range 40 {
			m.AsOf = at.AddDate(0, 0, n)
			candidates := Light(m, lightSettings)
			if diff := cmp.Diff(essence(first), essence(candidates)); diff != "" {
				t.Fatalf("night %d (-first +now):\n%s", n, diff)
			}
			m.States = dreamtest.Remembered(m.States, candidates, REM(candidates, m.AsOf), m.AsOf)
		}
		m.Statements = nil
		if late := Light(m, lightSettings); len(late) > 0 {
			t.Fatalf("nothing is said any more, and there are %d candidates", len(late))
		}
	})
}

// TestTheOrderOfTheMaterialDoesNotMatter shuffles states, recalls and statements that happen to be alike.
func TestTheOrderOfTheMaterialDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := dream.Material{AsOf: time.Date(2026, 3, 9, 2, 0, 0, 0, time.UTC)}
		for i := range rapid.IntRange(1, 25).Draw(t, "statements") {
			s := said(rapid.IntRange(2, 8).Draw(t, "day"), drawStatement(t, "said"))
			s.Place.FromLine, s.Asked = i, rapid.IntRange(0, 9).Draw(t, "asked") == 0
			m.Statements = append(m.Statements, s)
		}
		for i := range rapid.IntRange(0, 10).Draw(t, "states") {
			text := drawStatement(t, "known")
			m.States = append(m.States, dream.State{
				ID: markdown.EntryIDOf(text), Text: text, Status: dream.Open, MentionDays: []dream.Day{"2026-02-01"},
				FirstSeen: time.Date(2026, 2, 1+i%3, 0, 0, 0, 0, time.UTC),
			})
		}
		m.States = slices.CompactFunc(slices.SortedFunc(slices.Values(m.States), func(a, b dream.State) int {
			return strings.Compare(string(a.ID), string(b.ID))
		}), func(a, b dream.State) bool { return a.ID == b.ID })
		for range rapid.IntRange(0, 10).Draw(t, "recalls") {
			m.Recalls = append(m.Recalls,
				recalled(rapid.IntRange(2, 8).Draw(t, "day"), "q", rapid.Float64Range(0, 1).Draw(t, "score"),
					rapid.SampledFrom(m.Statements).Draw(t, "of").Text))
		}
		shuffled := m
		shuffled.Statements = rapid.Permutation(slices.Clone(m.Statements)).Draw(t, "statements")
		shuffled.States = rapid.Permutation(slices.Clone(m.States)).Draw(t, "states")
		shuffled.Recalls = rapid.Permutation(slices.Clone(m.Recalls)).Draw(t, "recalls")
		s := lightSettings
		s.MaxCandidates = rapid.IntRange(1, 20).Draw(t, "bound")
		a, b := Light(m, s), Light(shuffled, s)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("candidates differ:\n%s", diff)
		}
		if diff := cmp.Diff(REM(a, m.AsOf), REM(b, m.AsOf)); diff != "" {
			t.Fatalf("reflections differ:\n%s", diff)
		}
		checkCandidates(t, m, a, s)
	})
}

// checkCandidates checks the invariants of candidates.
func checkCandidates(t *rapid.T, m dream.Material, candidates []dream.Candidate, s setting.DreamSettings) {
	if len(candidates) > s.MaxCandidates {
		t.Fatalf("%d candidates of %d", len(candidates), s.MaxCandidates)
	}
	owner := map[markdown.EntryID]string{}
	for i, c := range candidates {
		if i > 0 && c.Signals.LastSeen.After(candidates[i-1].Signals.LastSeen) {
			t.Fatalf("%q is newer than the one in front of it", c.Text)
		}
		for _, id := range append([]markdown.EntryID{c.ID}, c.Aliases...) {
			if other, ok := owner[id]; ok {
				t.Fatalf("%q and %q share an identity", c.Text, other)
			}
			owner[id] = c.Text
		}
		g := c.Signals
		if !slices.IsSorted(g.MentionDays) || !slices.IsSorted(g.RecallDays) ||
			len(slices.Compact(slices.Clone(g.MentionDays))) != len(g.MentionDays) {
			t.Fatalf("days %v and %v", g.MentionDays, g.RecallDays)
		}
		if g.Queries > g.Recalls || len(g.RecallDays) > g.Recalls || len(c.Places) > dream.MaxPlaces {
			t.Fatalf("signals %+v", g)
		}
	}
	if s.MaxCandidates < len(m.Statements) {
		return
	}
	for _, said := range m.Statements {
		if owner[said.ID] == "" {
			t.Fatalf("%q is nowhere", said.Text)
		}
	}
}

// manyMaterial returns a busy week: statements in distinct wordings, a third of them known already.
func manyMaterial(statements, states int) dream.Material {
	verbs := strings.Fields("prefers visits repairs paints measures translates reviews plants collects teaches")
	things := strings.Fields("bicycles harbours invoices violins dashboards gardens pipelines contracts lenses recipes maps kettles " +
		"routers shelves")
	names := strings.Fields("Clara Jonas Mei Bruno Ada Sofia Marek Lin Petra Hugo Ines")
	text := func(i int) string {
		switch i % 5 {
		case 4:
			return fmt.Sprintf("每周%c和%s一起整理第%d批文件", []rune("一二三四五六日")[i%7], names[i%len(names)], i)
		case 3:
			return fmt.Sprintf("Ticket PROJ-%d is about the %s of %s.", i, things[i%len(things)], names[i%len(names)])
		}
		return fmt.Sprintf("%s the %s with %s at place%c%c on shelf %d.", verbs[i%len(verbs)], things[i/3%len(things)],
			names[i/7%len(names)], 'a'+i%26, 'a'+i/26%26, i/2)
	}
	m := dream.Material{AsOf: time.Date(2026, 3, 9, 2, 0, 0, 0, time.UTC)}
	for i := range statements {
		m.Statements = append(m.Statements, said(2+i%7, text(i)))
	}
	for i := range states {
		known := text(i * 2 * statements / max(states, 1))
		m.States = append(m.States,
			dream.State{ID: markdown.EntryIDOf(known), Text: known, Status: dream.Open, MentionDays: []dream.Day{"2026-02-01"}})
	}
	for i := range statements / 10 {
		m.Recalls = append(m.Recalls, recalled(2+i%7, fmt.Sprint("q", i%50), .7, m.Statements[i*7%statements].Text))
	}
	return m
}

func BenchmarkLight(b *testing.B) {
	for _, size := range []struct{ statements, states int }{{300, 200}, {3000, 2000}, {12000, 8000}} {
		m := manyMaterial(size.statements, size.states)
		b.Run(fmt.Sprintf("%d statements %d states", size.statements, size.states), func(b *testing.B) {
			for b.Loop() {
				if len(Light(m, lightSettings)) == 0 {
					b.Fatal("no candidates")
				}
			}
		})
	}
	m := manyMaterial(3000, 0)
	for i := range m.Statements { // the same words in another order, thousands of times
		m.Statements[i].Text = fmt.Sprintf("%s %s %s alpha beta gamma delta", names3[i%3], names3[i/3%3], names3[i/9%3])
		m.Statements[i].ID = markdown.EntryID(fmt.Sprint(i))
	}
	b.Run("3000 statements of the same words", func(b *testing.B) {
		for b.Loop() {
			Light(m, lightSettings)
		}
	})
}

var names3 = []string{"epsilon", "zeta", "eta"}

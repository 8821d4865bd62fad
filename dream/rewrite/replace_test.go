package rewrite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/dream/dreamtest"
	"reverie/dream/judge"
	"reverie/dream/notes"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

const (
	inRome = "- Lives in Rome <!-- memory/2026-01-04.md:4 score 0.84 -->"
	inOslo = "- Lives in Oslo since January <!-- score 0.90 -->"
	older  = "# Memory\n\n## Facts\n\n- Name: Grace\n- Works at Acme\n\n## Promoted From Short-Term Memory (2026-01-05)\n\n" +
		inRome + "\n- Has a dog called Rex <!-- memory/2026-01-04.md:5 score 0.80 -->\n"
	newer = "\n## Promoted From Short-Term Memory (2026-01-31)\n\n" + inOslo + "\n"
)

// corrected returns a contradiction of which the newer side ends the older one.
func corrected(older, newer string) dream.Contradiction {
	return dream.Contradiction{
		Older: markdown.EntryIDOf("- " + older), Newer: markdown.EntryIDOf("- " + newer), OlderText: older, NewerText: newer, Settled: true,
		Why: "w",
	}
}

func correcting(candidates []dream.Candidate, pairs ...dream.Contradiction) dream.Ranking {
	return dream.Ranking{Candidates: candidates, Contradictions: pairs}
}

func oslo() []dream.Candidate {
	return []dream.Candidate{dreamtest.Passing("Lives in Oslo since January", .9)}
}

var romeToOslo = corrected("Lives in Rome", "Lives in Oslo since January")

// A machine-made line that a later statement corrects moves to the archive of the month, with its replacement and the date.
func TestPromoteRetiresWhatIsCorrected(t *testing.T) {
	got := rewrite.Promote(older, correcting(oslo(), romeToOslo), dreamtest.Night, setting.DefaultDreamSettings(), "- Name: Grace")
	if diff := cmp.Diff(strings.Replace(older, inRome+"\n", "", 1)+newer, got.Memory); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]dream.MovedSection{{
		Heading: "Replaced on 2026-01-31", Day: "2026-01-31", Path: "memory/archive/2026-01.md", Replaced: []string{inRome}, By: inOslo,
		Text: "## Replaced on 2026-01-31\n\n" + inRome + "\n\n### Replaced by\n\n" + inOslo + "\n",
	}}, got.Moved); diff != "" {
		t.Error(diff)
	}
	if pair := got.Ranking.Contradictions[0]; !pair.Settled || !strings.Contains(pair.Why, "archive") {
		t.Errorf("%+v", pair)
	}
}

func TestPromoteLeavesOtherLines(t *testing.T) {
	move := func(line, to string) string {
		return strings.Replace(strings.Replace(older, line+"\n", "", 1), to+"\n", to+"\n"+line+"\n", 1)
	}
	open := romeToOslo
	open.Settled = false
	for _, c := range []struct {
		name, current string
		protected     []string
		ranking       dream.Ranking
		retired       bool
		says          string // part of the reason why it stays
	}{
		{name: "a dream's", current: older, ranking: correcting(oslo(), romeToOslo), retired: true},
		{
			name: "a person's", current: older, protected: []string{inRome}, ranking: correcting(oslo(), romeToOslo),
			says: "a person wrote it",
		},
		{
			name: "under another heading", current: move(inRome, "- Works at Acme"), ranking: correcting(oslo(), romeToOslo),
			says: "outside the part that dreams write",
		},
		{
			name: "under a heading of a person in it", current: strings.Replace(older, inRome, "- Sings\n\n### Mine\n\n"+inRome, 1),
			ranking: correcting(oslo(), romeToOslo), says: "outside the part that dreams write",
		},
		{
			name: "with something under it", current: strings.Replace(older, inRome, inRome+"\n  - Near the Tiber", 1),
			ranking: correcting(oslo(), romeToOslo), says: "removed alone",
		},
		{
			name: "that goes on", current: strings.Replace(older, inRome, inRome+"\n  and likes it", 1),
			ranking: correcting(oslo(), corrected("Lives in Rome and likes it", "Lives in Oslo since January")), says: "removed alone",
		},
		{name: "of an open contradiction", current: older, ranking: correcting(oslo(), open)},
		{
			name: "that nothing promoted corrects", current: older,
			ranking: correcting(append(oslo(), waiting("Lives in Bern", dream.ReasonOneOff)), corrected("Lives in Rome", "Lives in Bern")),
		},
		{
			name: "that what was corrected corrects", current: older, retired: true,
			ranking: correcting(oslo(), corrected("Lives in Rome", "Lives in Bern"),
				corrected("Lives in Bern", "Lives in Oslo since January")),
		},
	} {
		got := rewrite.Promote(c.current, c.ranking, dreamtest.Night, setting.DefaultDreamSettings(), c.protected...)
		if stands := strings.Contains(got.Memory, inRome); stands == c.retired || !strings.Contains(got.Memory, inOslo) ||
			len(got.Moved) > 0 != c.retired {
			t.Errorf("%s: retired %v\n%s", c.name, !stands, got.Memory)
		}
		if pair := got.Ranking.Contradictions[0]; !strings.Contains(pair.Why, c.says) || c.says != "" && pair.Settled {
			t.Errorf("%s: %+v", c.name, pair)
		}
		if pair := c.ranking.Contradictions[0]; pair.Why != "w" {
			t.Errorf("%s: the ranking it was given is changed: %+v", c.name, pair)
		}
	}
}

// At most MaxRetiredShare of the lines move in one night, but at least one. An emptied section is removed.
func TestPromoteRetiresAFewLinesANight(t *testing.T) {
	current := "# Memory\n\n## Promoted From Short-Term Memory (2026-01-05)\n\n"
	var pairs []dream.Contradiction
	for i := range 10 {
		current += fmt.Sprintf("- Rents room %d\n", i)
		pairs = append(pairs, corrected(fmt.Sprintf("Rents room %d", i), "Lives in Oslo since January"))
	}
	s := setting.DefaultDreamSettings()
	for share, want := range map[float64]int{0: 1, .2: 2, .55: 5, 1: 10} {
		s.MaxRetiredShare = share
		got := rewrite.Promote(current, correcting(oslo(), pairs...), dreamtest.Night, s)
		if len(got.Moved) != 1 || len(got.Moved[0].Replaced) != want || strings.Count(got.Memory, "Rents") != 10-want {
			t.Errorf("%v: %+v\n%s", share, got.Moved, got.Memory)
		}
		if heading := strings.Contains(got.Memory, "(2026-01-05)"); heading != (want < 10) {
			t.Errorf("%v: the heading of the section stands: %v", share, heading)
		}
		if n := len(slices.DeleteFunc(got.Ranking.Contradictions, func(c dream.Contradiction) bool { return c.Settled })); n != 10-want {
			t.Errorf("%v: %d are left open", share, n)
		}
	}
}

// A full run, from a statement that passes to the line that it replaces.
func TestDeepAndPromoteRetireTogether(t *testing.T) {
	text := "Grace no longer lives in Rome, she moved to Oslo"
	c := dreamtest.Passing(text, 0, dreamtest.InNote)
	c.Signals = dream.Signals{MentionDays: []dream.Day{"2026-01-27", "2026-01-28", "2026-01-30"}, Asked: true, LastSeen: dreamtest.Night}
	s := setting.DefaultDreamSettings()
	current := strings.Replace(older, "Lives in Rome", "Grace lives in Rome", 1)
	ranking := judge.Deep(dream.DeepInput{
		Material: dream.Material{AsOf: dreamtest.Night}, Candidates: []dream.Candidate{c},
		Memory: current, Mode: memory.DreamNightly,
	}, s)
	got := rewrite.Promote(current, ranking, dreamtest.Night, s)
	if strings.Contains(got.Memory, "Grace lives in Rome") || len(got.Moved) != 1 ||
		!strings.Contains(got.Moved[0].Text, "Grace lives in Rome") {
		t.Errorf("%+v\n%+v\n%s", ranking, got.Moved, got.Memory)
	}
	if v := rewrite.Check(rewrite.CheckInput{Before: current, After: got.Memory, Moved: got.Moved, Ranking: ranking}, s); len(v) > 0 {
		t.Error(v)
	}
}

// The archive and the diary name the retired lines, and why they were retired.
func TestComposeNamesWhatIsRetired(t *testing.T) {
	p := rewrite.Promote(older, correcting(oslo(), romeToOslo), dreamtest.Night, setting.DefaultDreamSettings())
	out := compose.Compose(compose.Input{
		Dream: uuid.New(), Mode: memory.DreamNightly, AsOf: dreamtest.Night, Now: dreamtest.Night, Scope: memory.ScopePersonal,
		Files:  compose.Files{Memory: memory.Document{Version: 1, Content: older}},
		Memory: p.Memory, Moved: p.Moved, Ranking: p.Ranking, Outcome: memory.OutcomeWritten, Settings: setting.DefaultDreamSettings(),
	})
	written := map[string]memory.Change{}
	for _, change := range out.Changes {
		written[change.Path] = change
	}
	archive := written["memory/archive/2026-01.md"]
	if archive.Content != p.Moved[0].Text || archive.Reason != "later statements correct lines of MEMORY.md" ||
		archive.Op != memory.OpAppend {
		t.Errorf("%+v", archive)
	}
	const want = "Retired to memory/archive/2026-01.md, since later statements correct it: 1 line:\n\n- Lives in Rome (now: Lives in " +
		"Oslo since January)\n"
	for _, path := range []string{memory.DreamsPath, "memory/dreaming/deep/2026-01-31.md"} {
		if !strings.Contains(written[path].Content, want) {
			t.Errorf("%s:\n%s", path, written[path].Content)
		}
	}
	p = rewrite.Promote(older, correcting(oslo(), romeToOslo), dreamtest.Night, setting.DefaultDreamSettings(), inRome)
	out = compose.Compose(compose.Input{
		Dream: uuid.New(), Mode: memory.DreamNightly, AsOf: dreamtest.Night, Now: dreamtest.Night, Scope: memory.ScopePersonal,
		Files:  compose.Files{Memory: memory.Document{Version: 1, Content: older}},
		Memory: p.Memory, Moved: p.Moved, Ranking: p.Ranking, Outcome: memory.OutcomeWritten, Settings: setting.DefaultDreamSettings(),
	})
	for _, change := range out.Changes {
		if said := "Contradictions, left open:\n\n- Lives in Rome — or: Lives in Oslo since January"; change.Path == memory.DreamsPath &&
			!strings.Contains(change.Content, said) {
			t.Errorf("of a person's line:\n%s", change.Content)
		}
	}
}

// For any MEMORY.md and any corrections: moved and remaining lines together are the former ones, lines of people stay, and those
// outside of machine-made sections unless there is no room, not too many move, and the result passes Check.
func TestRetiringLosesNothing(t *testing.T) {
	retirements := 0
	rapid.Check(t, func(t *rapid.T) {
		current := memories().Draw(t, "memory")
		if rapid.Bool().Draw(t, "with a section") {
			current += "\n" + older[strings.Index(older, "## Promoted"):] + memories().Draw(t, "more")
		}
		s := setting.DefaultDreamSettings()
		s.MaxRetiredShare = rapid.SampledFrom([]float64{0, .2, .5}).Draw(t, "share")
		s.MemoryMaxChars = rapid.SampledFrom([]int{300, 600, 8000}).Draw(t, "ceiling")
		r := ranked(dreamtest.Passing("Sings in a choir", .9), dreamtest.Passing("Lives in Oslo since January", .8),
			dreamtest.Passing("Prefers coffee", .8))
		for _, e := range markdown.EntriesOf(current) {
			if rapid.Bool().Draw(t, "corrected") {
				by := rapid.SampledFrom(r.Candidates).Draw(t, "by")
				r.Contradictions = append(r.Contradictions,
					dream.Contradiction{Older: e.ID, Newer: by.ID, OlderText: e.Text, NewerText: by.Text, Settled: true})
			}
		}
		var protected []string
		for line := range strings.Lines(current) {
			if strings.TrimSpace(line) != "" && rapid.IntRange(0, 3).Draw(t, "person") == 0 {
				protected = append(protected, strings.TrimRight(line, "\r\n"))
			}
		}
		got := rewrite.Promote(current, r, dreamtest.Night, s, protected...)
		if got.Memory == "" {
			return
		}
		texts, retired := []string{got.Memory}, 0
		for _, m := range got.Moved {
			texts = append(texts, m.Text)
			retired += len(m.Replaced)
			if !strings.Contains(got.Memory, m.By) {
				t.Fatalf("%q is not in MEMORY.md", m.By)
			}
		}
		retirements += retired
		if most := max(1, int(s.MaxRetiredShare*float64(strings.Count(current, "\n")+1))); retired > most {
			t.Fatalf("%d lines are retired, at most %d may be", retired, most)
		}
		there, inFile := said(texts...), said(got.Memory)
		for line, n := range said(current) {
			if there[line] < n && !strings.HasPrefix(line, "## "+notes.PromotedHeading) { // its section may be empty now
				t.Fatalf("%q stands %d times, was there %d times\n%s", line, there[line], n, strings.Join(texts, "\n=====\n"))
			}
		}
		for _, line := range protected {
			if line = markdown.LineKey(line); markdown.HasText(line) && inFile[line] == 0 {
				t.Fatalf("a person's %q left the file", line)
			}
		}
		outside := said(outsideOf(got.Memory))
		for _, m := range got.Moved {
			for line, n := range said(strings.Join(m.Lines, "\n")) { // to make room
				outside[line] += n
			}
		}
		for line, n := range said(outsideOf(current)) {
			if outside[line] < n {
				t.Fatalf("%q stood outside the part that dreams write", line)
			}
		}
		for _, ranking := range []dream.Ranking{got.Ranking, {Candidates: got.Ranking.Candidates, Contradictions: r.Contradictions}} {
			if v := rewrite.Check(rewrite.CheckInput{
				Before: current, After: got.Memory, Moved: got.Moved, Protected: protected,
				Ranking: ranking,
			}, s); len(v) > 0 {
				t.Fatalf("%v\n%s", v, got.Memory)
			}
		}
		if n := utf8.RuneCountInString(got.Memory); n > s.MemoryMaxChars {
			t.Fatalf("%d characters", n)
		}
	})
	if retirements == 0 {
		t.Error("no line was ever retired")
	}
}

// outsideOf returns the lines of a text that are in no machine-made section.
func outsideOf(text string) string {
	var b strings.Builder
	machine := false
	for _, s := range markdown.Sections(text) {
		if s.Level > 0 && s.Level <= 2 {
			machine = s.Level == 2 && strings.HasPrefix(s.Heading, notes.PromotedHeading)
		}
		if !machine {
			b.WriteString(strings.Join(s.Lines, "\n") + "\n")
		}
	}
	return b.String()
}

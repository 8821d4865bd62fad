package rewrite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// For 60 nights, some with two dreams, statements are promoted, and a person adds her own lines. No line that was ever in
// MEMORY.md is lost: it is there or in an archive; the person's lines stay in it; the limit holds every night.
func TestPromoteForManyNights(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := setting.DefaultDreamSettings()
	s.MemoryMaxChars = 3000
	var text, archives string
	var protected, ever []string
	moves, waited := 0, 0
	for n := range 60 {
		for range 1 + random.IntN(2) {
			at := dreamtest.Night.AddDate(0, 0, n)
			var r dream.Ranking
			for range random.IntN(6) {
				said := fmt.Sprintf("%s %d %s",
					[]string{"Met customer", "Visited town", "Read book", "会见客户", "# Tried recipe"}[random.IntN(5)], random.IntN(10_000),
					strings.Repeat("indeed ", random.IntN(12)))
				r.Candidates = append(r.Candidates, dreamtest.Passing(said, random.Float64(), dreamtest.InNote))
			}
			p := rewrite.Promote(text, r, at, s, protected...)
			for _, c := range p.Ranking.Candidates {
				if c.Verdict == dream.VerdictPromoted {
					ever = append(ever, c.Line)
				}
				if c.ReasonCode == dream.ReasonCeiling {
					waited++
				}
			}
			for _, m := range p.Moved {
				archives += m.Text + "\n"
				moves++
				if m.Path != "memory/archive/"+string(m.Day)[:7]+".md" || m.Day >= dream.DayOf(at) {
					t.Fatalf("night %d: the section of %s moves to %s", n, m.Day, m.Path)
				}
			}
			if p.Memory != "" {
				text = p.Memory
			}
		}
		if random.IntN(4) == 0 { // she writes into the middle of the text
			mine := fmt.Sprintf("- My own line %d", n)
			lines := strings.SplitAfter(text, "\n")
			at := random.IntN(len(lines) + 1)
			text = strings.Join(lines[:at], "") + mine + "\n" + strings.Join(lines[at:], "")
			protected, ever = append(protected, mine), append(ever, mine)
		}
		inFile, all := said(text), said(text, archives)
		for _, line := range ever {
			if all[markdown.LineKey(line)] == 0 {
				t.Fatalf("night %d: %q is lost", n, line)
			}
		}
		for _, line := range protected {
			if inFile[markdown.LineKey(line)] == 0 {
				t.Fatalf("night %d: a person's %q left the file", n, line)
			}
		}
		if size := utf8.RuneCountInString(text); size > s.MemoryMaxChars+len("- My own line 60\n") {
			t.Fatalf("night %d: %d characters", n, size)
		}
	}
	if len(ever) < 100 || moves < 10 {
		t.Errorf("%d lines, %d sections moved, %d candidates waited: too little happened", len(ever), moves, waited)
	}
}

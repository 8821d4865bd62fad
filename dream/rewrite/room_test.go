package rewrite_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// byHand returns a MEMORY.md of about that many characters, and its lines, which a person wrote.
func byHand(chars int) (text string, lines []string) {
	text = "# Memory\n\n## By hand\n\n"
	for i := 0; utf8.RuneCountInString(text) < chars; i++ {
		text += fmt.Sprintf("- Fact %03d about the house by the river in Lisbon, written down by hand.\n", i)
	}
	return text, strings.Split(strings.TrimSpace(text), "\n")
}

// tenPassing returns ten candidates of usual length.
func tenPassing() dream.Ranking {
	var r dream.Ranking
	for i := range 10 {
		r.Candidates = append(r.Candidates, dreamtest.Passing(
			fmt.Sprintf("\"My cousin number %d in the north keeps bees, and %d hives stand behind the barn.\"", i, 30+i), .9-float64(i)/100, dreamtest.InNote))
	}
	return r
}

// promotedIn counts the promoted candidates, and checks that a text has their lines.
func promotedIn(t *testing.T, p rewrite.Promotion) int {
	t.Helper()
	n := 0
	for _, c := range p.Ranking.Candidates {
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		if n++; !strings.Contains(p.Memory, c.Line+"\n") {
			t.Errorf("%q is not written", c.Line)
		}
	}
	return n
}

// TestTheNewestSectionIsWritten promotes into a MEMORY.md that is at its limit.
func TestTheNewestSectionIsWritten(t *testing.T) {
	s := setting.DefaultDreamSettings()
	mine, protected := byHand(8859)
	older := "\n## Facts\n\n- Name: Grace\n- Works at Acme on the billing service.\n  - since May\n\n" +
		"## Promoted From Short-Term Memory (2026-01-20)\n\n" +
		"- \"My own words, put here by hand.\"\n- \"I like green tea.\" <!-- memory/2026-01-19.md:4 score 0.81 -->\n\n" +
		section("2026-01-21", 4)
	_, nine, _ := strings.Cut(section("2026-01-20", 9), "\n\n")
	protected = append(protected, "- \"My own words, put here by hand.\"")
	for name, c := range map[string]struct {
		text  string
		limit int
		least int // promoted
		moved []string
	}{
		"8,859 characters by hand":        {mine, s.MemoryMaxChars, 5, nil},
		"a dream's sections move":         {mine + older, s.MemoryMaxChars, 5, []string{"2026-01-21", "2026-01-20", "- \"I like green tea.\""}},
		"other lines of machines move":    {"# Memory\n\n## Facts\n\n" + nine, 900, 1, []string{"- 2026-01-20 00"}},
		"a section with a line by hand":   {"# Memory\n" + older, 480, 1, []string{"- \"I like green tea.\"", "2026-01-21"}},
		"a nested line is not taken away": {"# Memory\n" + older, 350, 1, []string{"### Facts\n\n- Name: Grace"}},
		"lines about a person of a group stay": {
			"# Memory\n\n## Person: feishu:ou_1\n\n### Likes\n\n- Likes tea.\n\n" + nine +
				"\n## Facts\n\n- Works at Acme on the billing service.\n- Lives in Bonn.\n",
			1200, 1,
			[]string{"- Works at Acme"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.MemoryMaxChars = c.limit
			p := rewrite.Promote(c.text, tenPassing(), dreamtest.Night, s, protected...)
			if n := promotedIn(t, p); n < c.least {
				t.Errorf("%d promoted: %s", n, p.Ranking.Candidates[0].Reason)
			}
			if n := utf8.RuneCountInString(p.Memory); n > c.limit {
				t.Errorf("%d characters", n)
			}
			moved := ""
			for _, m := range p.Moved {
				moved += m.Text
				for line := range strings.Lines(m.Text) {
					if strings.HasPrefix(line, "- ") && strings.Contains(p.Memory, line) {
						t.Errorf("%q is in both", line)
					}
				}
			}
			for _, want := range c.moved {
				if !strings.Contains(moved, want) {
					t.Errorf("%q did not move:\n%s", want, moved)
				}
			}
			in := said(p.Memory)
			all := said(p.Memory, moved)
			for line := range strings.Lines(c.text) {
				if line = markdown.LineKey(line); line != "" && all[line] == 0 && !strings.HasPrefix(line, "#") {
					t.Errorf("%q is lost", line)
				}
			}
			for _, line := range protected {
				if strings.Contains(c.text, line) && markdown.HasText(line) && in[markdown.LineKey(line)] == 0 {
					t.Errorf("%q left", line)
				}
			}
		})
	}
}

// TestLinesOfPeopleFillTheFile tries to promote when people's lines leave no room.
func TestLinesOfPeopleFillTheFile(t *testing.T) {
	s := setting.DefaultDreamSettings()
	mine, protected := byHand(s.MemoryMaxChars)
	p := rewrite.Promote(mine, tenPassing(), dreamtest.Night, s, protected...)
	if p.Memory != "" || len(p.Moved) > 0 || promotedIn(t, p) > 0 {
		t.Errorf("moved %v:\n%s", p.Moved, p.Memory)
	}
	want := fmt.Sprintf("MEMORY.md may have %d characters, and what people wrote has %d of them: there is no room for it, and no line of a "+
		"person is moved", s.MemoryMaxChars, utf8.RuneCountInString(mine))
	if diff := cmp.Diff(want, p.Ranking.Candidates[0].Reason); diff != "" || p.Ranking.Candidates[0].ReasonCode != dream.ReasonCeiling {
		t.Errorf("%s (-want +got):\n%s", p.Ranking.Candidates[0].ReasonCode, diff)
	}
	if p.Full == "" {
		t.Error("the promotion does not say that the file is full")
	}
}

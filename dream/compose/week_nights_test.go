package compose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/judge"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/setting"
)

// night is the result of one dream of an owner.
type night struct {
	asOf       time.Time
	ranking    dream.Ranking
	reflection dream.Reflection
	promotion  rewrite.Promotion
}

// dreamWeek runs the dreams of a week in order, without a model, as the workflow does.
func (w week) dreamWeek(t *testing.T) (nights []night, memoryFile string) {
	t.Helper()
	s := setting.DefaultDreamSettings()
	var states []dream.State
	for n := range weekNights {
		m := w.material(w.nightOf(n), states)
		candidates := judge.Light(m, s)
		reflection := judge.REM(candidates, m.AsOf)
		m.Statements = nil
		ranking := judge.Deep(dream.DeepInput{
			Material: m, Candidates: candidates, Reflection: reflection, Memory: memoryFile,
			Mode: memory.DreamNightly,
		}, s)
		promotion := rewrite.Promote(memoryFile, ranking, m.AsOf, s)
		if promotion.Memory != "" {
			memoryFile = promotion.Memory
		}
		states = dreamtest.Remembered(states, promotion.Ranking.Candidates, reflection, m.AsOf)
		nights = append(nights, night{m.AsOf, ranking, reflection, promotion})
	}
	return nights, memoryFile
}

// promotedTexts returns the promoted texts of a night.
func (n night) promotedTexts() []string {
	var out []string
	for _, c := range n.promotion.Ranking.Candidates {
		if c.Verdict == dream.VerdictPromoted {
			out = append(out, c.Text)
		}
	}
	slices.Sort(out)
	return out
}

// TestANormalWeek runs a week of each owner and compares the promotions of every night with the expected ones, exactly.
func TestANormalWeek(t *testing.T) {
	for _, owner := range owners {
		t.Run(owner, func(t *testing.T) {
			w := loadWeek(t, owner)
			nights, file := w.dreamWeek(t)
			for _, n := range nights {
				day := dream.DayOf(n.asOf)
				slices.Sort(w.promoted[day])
				if diff := cmp.Diff(w.promoted[day], n.promotedTexts()); diff != "" {
					t.Errorf("night of %s (-want +got):\n%s", day, diff)
				}
				for _, c := range n.promotion.Ranking.Candidates {
					if c.Verdict == "" || c.ReasonCode == "" {
						t.Errorf("%s: %q has the verdict %q and the reason %q", day, c.Text, c.Verdict, c.ReasonCode)
					}
				}
			}
			for day, texts := range w.promoted {
				for _, text := range texts {
					if n := strings.Count(file, "- "+text+" <!--"); n != 1 {
						t.Errorf("%q, promoted on %s, stands in MEMORY.md %d times", text, day, n)
					}
				}
			}
			if t.Failed() {
				t.Log(verdictsOf(nights[len(nights)-1]), "\n", file)
			}
		})
	}
}

// verdictsOf lists the candidates of a night with their verdicts.
func verdictsOf(n night) string {
	var b strings.Builder
	for _, c := range n.promotion.Ranking.Candidates {
		fmt.Fprintf(&b, "%.2f %s %s: %s\n", c.Score, c.Verdict, c.ReasonCode, c.Text)
	}
	return b.String()
}

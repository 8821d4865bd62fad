package extractive

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

var show = flag.String("show", "", "print what is proposed for conversations whose id contains this")

// floors holds the precision and recall reached so far, rounded down. A change of the rules that falls below one fails.
var floors = map[string]map[string][2]float64{ // set → language → precision, recall
	"dev":     {"en": {0.996, 0.988}, "zh": {1, 1}, "mixed": {1, 1}},
	"heldout": {"en": {1, 0.931}, "zh": {0.910, 0.980}, "mixed": {1, 1}},
}

// score counts, over conversations, wanted statements found and added lines that are right.
type score struct {
	talks                       int
	wanted, found, lines, right int
}

func (s score) precision() float64 { return ratio(s.right, s.lines) }
func (s score) recall() float64    { return ratio(s.found, s.wanted) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// TestQuality prints precision and recall for both sets. Precision: of the lines added to the files, and of those that
// stand in the daily entry alone, how many were wanted or allowed. Recall: of the wanted statements, how many stand in the
// file that they belong to; a line that should have been replaced and still stands counts as a statement not found.
func TestQuality(t *testing.T) {
	for _, set := range []string{"dev", "heldout"} {
		if set == "heldout" && *show == "dev-only" {
			continue
		}
		t.Run(set, func(t *testing.T) {
			scores := map[string]*score{}
			for _, talk := range loadTalks(t, set) {
				s := scores[talk.Lang]
				if s == nil {
					s = &score{}
					scores[talk.Lang] = s
				}
				talk.judge(t, s)
			}
			var all score
			for _, lang := range []string{"en", "zh", "mixed"} {
				s := scores[lang]
				if s == nil {
					continue
				}
				t.Logf("%-8s %-6s %3d conversations  precision %.3f (%d of %d lines)  recall %.3f (%d of %d statements)", set, lang, s.talks,
					s.precision(), s.right, s.lines, s.recall(), s.found, s.wanted)
				if f := floors[set][lang]; s.precision() < f[0] || s.recall() < f[1] {
					t.Errorf("%s %s: precision %.3f and recall %.3f, floors are %.3f and %.3f", set, lang, s.precision(), s.recall(), f[0], f[1])
				}
				all.talks, all.right, all.lines, all.found, all.wanted = all.talks+s.talks, all.right+s.right, all.lines+s.lines, all.found+s.found,
					all.wanted+s.wanted
			}
			t.Logf("%-8s %-6s %3d conversations  precision %.3f (%d of %d lines)  recall %.3f (%d of %d statements)", set, "all", all.talks,
				all.precision(), all.right, all.lines, all.recall(), all.found, all.wanted)
		})
	}
}

// judge compares what a conversation gives with what is expected of it.
func (c talk) judge(t *testing.T, s *score) {
	t.Helper()
	s.talks++
	a := c.run(t)
	verbose := *show != "" && (strings.Contains(c.ID, *show) || *show == "all" || *show == "dev-only")
	if verbose {
		t.Logf("=== %s\nprofile: %q\nmemory:  %q\ndaily:   %q\nreason:  %s", c.ID, a.profile, a.memory, a.daily, a.proposal.Reason)
	}
	seek := func(where string, lines []string, wants []string) {
		for _, w := range wants {
			s.wanted++
			if anySays(lines, w) {
				s.found++
			} else if verbose {
				t.Logf("%s: MISSING in %s: %s", c.ID, where, w)
			}
		}
	}
	seek("profile", a.profile, c.Want.Profile)
	seek("memory", a.memory, c.Want.Memory)
	seek("daily", a.daily, c.Want.Daily)
	everything := slices.Concat(a.profile, a.memory, a.daily)
	seek("any", everything, c.Want.Any)
	for _, g := range c.Gone {
		s.wanted++
		if !strings.Contains(a.files, g) {
			s.found++
		} else if verbose {
			t.Logf("%s: STILL THERE: %s", c.ID, g)
		}
	}
	for _, k := range c.Kept {
		if !strings.Contains(a.files, k) {
			if c.isLine(k) {
				t.Errorf("%s: line lost: %s", c.ID, k)
			}
		}
	}
	good := slices.Concat(c.Want.Profile, c.Want.Memory, c.Want.Daily, c.Want.Any, c.Allow)
	for _, l := range slices.Concat(a.profile, a.memory, a.dailyOnly) {
		s.lines++
		wrong := !slices.ContainsFunc(good, func(w string) bool { return says(l, w) }) ||
			slices.ContainsFunc(c.Avoid, func(w string) bool { return says(l, w) })
		if !wrong {
			s.right++
		} else if verbose {
			t.Logf("%s: WRONG: %s", c.ID, l)
		}
	}
	for file, words := range c.NotIn {
		lines := map[string][]string{"profile": a.profile, "memory": a.memory, "daily": a.daily}[file]
		for _, w := range words {
			if anySays(lines, w) && verbose {
				t.Logf("%s: NOT IN %s: %s", c.ID, file, w)
			}
		}
	}
}

// isLine reports whether k is a whole line of a file rather than a word that must still be there.
func (c talk) isLine(k string) bool {
	for l := range strings.SplitSeq(c.Profile+"\n"+c.Memory, "\n") {
		if strings.TrimSpace(l) == strings.TrimSpace(k) {
			return true
		}
	}
	return false
}

package grounding_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reverie/llm/extractive"
	"reverie/memory/grounding"
	"reverie/memory/proposals"
	"reverie/test/corpus"
)

// talk is a conversation of the corpus, ready for checks.
type talk struct {
	corpus.Conversation
	in proposals.ExtractionInput
	g  *grounding.Ground
}

// talks returns the conversations for development.
func talks(tb testing.TB) []talk {
	tb.Helper()
	return talksOf(tb, "dev")
}

// sets are the folders of the corpus.
var sets = []string{"dev", "traps", "test", "heldout", "hard", "blind", "blind2", "blind3"}

// talksOf returns the conversations of a folder.
func talksOf(tb testing.TB, set string) []talk {
	tb.Helper()
	all, err := corpus.Load("../../test/corpus/" + set)
	if err != nil {
		tb.Fatal(err)
	}
	var out []talk
	for _, c := range all {
		in, err := c.Input()
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, talk{c, in, proposals.GroundOf(in)})
	}
	return out
}

// Nothing that the built-in engine proposes is dropped.
func TestBuiltInLinesPass(t *testing.T) {
	n := 0
	for _, c := range talks(t) {
		answer, err := extractive.New().Propose(t.Context(), c.in)
		if err != nil {
			t.Fatal(err)
		}
		var p proposals.Proposal
		if err := json.Unmarshal([]byte(answer.Raw), &p); err != nil {
			t.Fatal(err)
		}
		kept := corpus.KeptOf(c.in, p)
		n += len(kept.Daily) + len(kept.Lasting)
		_, dropped := proposals.Ground(p, c.in)
		for _, d := range dropped {
			t.Errorf("%s: %v: %s", c.ID, d.Faults, d.Line)
		}
	}
	t.Logf("%d lines", n)
}

// statementsRefused is the share of the corpus's statements, in percent, that may be refused.
const statementsRefused = 2.

// Statements of the corpus are faithful lines in English about conversations in twelve languages.
func TestStatementsOfTheCorpusPass(t *testing.T) {
	n, refused := 0, 0
	for _, c := range talks(t) {
		for _, k := range c.Keep {
			n++
			if faults := c.g.Check("- " + k.Says); len(faults) > 0 {
				refused++
				t.Logf("%s: %v: %s", c.ID, faults, k.Says)
			}
		}
	}
	t.Logf("%d of %d statements refused", refused, n)
	if share := 100 * float64(refused) / float64(n); share > statementsRefused {
		t.Errorf("%.1f %% of the statements are refused, at most %.0f %% may be", share, statementsRefused)
	}
}

var (
	number   = regexp.MustCompile(`\b\d+\b`)
	calendar = regexp.MustCompile(`day$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)`)
	inside   = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{2,})\b`)
)

// namesIn returns the names in a statement.
func namesIn(says string) []string {
	var out []string
	for _, m := range inside.FindAllStringSubmatch(says, -1) {
		if !calendar.MatchString(m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// Statements of the corpus with other values are caught.
func TestMutantsOfTheCorpusAreCaught(t *testing.T) {
	made, caught := map[string]int{}, map[string]int{}
	for _, c := range talks(t) {
		check := func(operator, text string) {
			made[operator]++
			if len(c.g.Check("- "+text)) > 0 {
				caught[operator]++
			} else {
				t.Logf("missed, %s: %s: %s", operator, c.ID, text)
			}
		}
		var names []string
		for _, k := range c.Keep {
			names = append(names, namesIn(k.Says)...)
		}
		for i, k := range c.Keep {
			if len(c.g.Check("- "+k.Says)) > 0 {
				continue
			}
			check("number invented", fmt.Sprintf("%s, since %d weeks", k.Says, 131+7*i))
			isLatin := !slices.Contains([]string{"zh", "ja", "ko", "ru", "ar"}, c.Lang) // names in other scripts cannot be compared
			if isLatin {
				check("name invented", k.Says+", with "+inventedNames[""][i%3])
			}
			for _, at := range number.FindAllStringIndex(k.Says, -1) {
				n, err := strconv.Atoi(k.Says[at[0]:at[1]])
				if err != nil {
					t.Fatal(err)
				}
				check("number changed", fmt.Sprintf("%s%d%s", k.Says[:at[0]], n+41, k.Says[at[1]:]))
			}
			for _, at := range inside.FindAllStringSubmatchIndex(k.Says, -1) {
				if !isLatin {
					break
				}
				name := k.Says[at[2]:at[3]]
				if calendar.MatchString(name) {
					continue
				}
				check("name changed", k.Says[:at[2]]+inventedNames[""][i%3]+k.Says[at[3]:])
				j := slices.IndexFunc(names, func(o string) bool { return !strings.Contains(k.Says, o) })
				if j >= 0 && c.Lang == "en" {
					check("names swapped", k.Says[:at[2]]+names[j]+k.Says[at[3]:])
				}
			}
		}
	}
	for operator, n := range made {
		t.Logf("%-18s %4d of %4d caught, %.1f %%", operator, caught[operator], n, 100*float64(caught[operator])/float64(n))
	}
}

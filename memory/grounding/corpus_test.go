package grounding_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/language/date"
	"reverie/language/stance"
	"reverie/llm/extractive"
	"reverie/memory"
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

// TestMutantsOfTheCorpusAreCaught changes statements of every set and sentences that users wrote. Each operator has its own floor: values
// must be caught, and the others at least as well as they are.
func TestMutantsOfTheCorpusAreCaught(t *testing.T) {
	made, caught, missed := map[string]int{}, map[string]int{}, map[string][]string{}
	for _, set := range sets {
		for _, c := range talksOf(t, set) {
			check := func(operator, base, text string) {
				if text == base {
					return
				}
				made[operator]++
				if len(c.g.Check("- "+text)) > 0 {
					caught[operator]++
				} else {
					missed[operator] = append(missed[operator], c.ID+": "+text)
				}
			}
			c.mutate(check)
		}
	}
	for _, operator := range slices.Sorted(maps.Keys(floors)) {
		share := 100 * float64(caught[operator]) / float64(max(1, made[operator]))
		t.Logf("%-18s %5d of %5d caught, %.1f %%", operator, caught[operator], made[operator], share)
		if made[operator] < minMutants || share < floors[operator] {
			t.Errorf("%s: %.1f %% of %d mutants are caught, want %.0f %% of at least %d:\n%s", operator, share, made[operator], floors[operator],
				minMutants, strings.Join(missed[operator][:min(len(missed[operator]), 40)], "\n"))
		}
	}
}

// minMutants is the number of mutants that each operator must make.
const minMutants = 150

// floors are the shares of mutants, in percent, that must be caught.
var floors = map[string]float64{
	"number invented": 99, "name invented": 99, "digits changed": 99, "date changed": 99, "quotation changed": 99,
	"names swapped": 63, "negation flipped": 58, "person swapped": 90,
}

var (
	// flips are pairs of phrases in English of which one negates the other.
	flips = [][2]string{
		{" is ", " is not "},
		{" has ", " has no "},
		{" can ", " cannot "},
		{"Has ", "Does not have "},
		{"Works ", "Does not work "},
		{"Lives ", "Does not live "},
		{" eats ", " does not eat "},
		{" wants ", " does not want "},
		{" likes ", " does not like "},
		{" works ", " does not work "},
		{" does not ", " does "},
		{" is not ", " is "},
		{"Is ", "Is not "},
		{" no longer ", " still "},
		{" takes ", " does not take "},
		{" never ", " always "},
	}
	// others are persons who take the place of the subject.
	others = []string{"Mother", "Brother", "Wife", "Colleague"}
	begins = regexp.MustCompile(`^(?:The user|The user's|Is|Has|Works|Lives|Takes|Wants|Likes|Eats|Owns|Plays|Studies|Teaches) `)
)

// mutate makes lines that the conversation does not support, from its statements and from what users wrote.
func (c *talk) mutate(check func(operator, base, text string)) {
	var names []string
	for _, k := range c.Keep {
		names = append(names, namesIn(k.Says)...)
	}
	isLatin := !slices.Contains([]string{"zh", "ja", "ko", "ru", "ar"}, c.Lang) // names in other scripts cannot be compared
	r := rand.New(rand.NewPCG(uint64(len(c.Messages)), uint64(len(c.Keep))))
	for i, k := range c.Keep {
		if len(c.g.Check("- "+k.Says)) > 0 {
			continue
		}
		check("number invented", k.Says, fmt.Sprintf("%s, since %d weeks", k.Says, 131+7*i))
		if isLatin {
			check("name invented", k.Says, k.Says+", with "+inventedNames[""][i%3])
		}
		for _, at := range inside.FindAllStringSubmatchIndex(k.Says, -1) {
			name := k.Says[at[2]:at[3]]
			j := slices.IndexFunc(names, func(o string) bool { return !strings.Contains(k.Says, o) })
			if isLatin && j >= 0 && c.Lang == "en" && !calendar.MatchString(name) {
				check("names swapped", k.Says, k.Says[:at[2]]+names[j]+k.Says[at[3]:])
			}
		}
		if c.Lang != "en" {
			continue
		}
		for _, f := range flips {
			if strings.Count(k.Says, f[0]) == 1 && !strings.Contains(k.Says, f[1]) {
				check("negation flipped", k.Says, strings.Replace(k.Says, f[0], f[1], 1))
				break
			}
		}
		if at := begins.FindStringIndex(k.Says); at != nil && !strings.HasPrefix(k.Says, "The user's") {
			rest, verb := k.Says[at[1]:], strings.ToLower(k.Says[:at[1]])
			for _, other := range others {
				if verb == "the user " {
					check("person swapped", k.Says, other+" "+rest)
				} else {
					check("person swapped", k.Says, other+" "+verb+rest)
				}
			}
		}
	}
	for _, m := range c.Messages {
		if m.Role != memory.RoleOfUser || len(m.Text) > 400 || strings.ContainsAny(m.Text, "\n\"“”«»„「『") {
			continue
		}
		for _, at := range digits.FindAllStringIndex(m.Text, -1) {
			check("digits changed", m.Text, m.Text[:at[0]]+changed(r, m.Text[at[0]:at[1]])+m.Text[at[1]:])
		}
		if words := strings.Fields(m.Text); len(words) > 3 {
			words[len(words)/2] = "plum"
			check("quotation changed", m.Text, "\""+strings.Join(words, " ")+"\"")
		}
	}
	for _, m := range c.in.Transcript {
		if m.Role != memory.RoleOfUser || len(m.Text) > 400 {
			continue
		}
		lang := (&stance.Reader{Lang: c.Lang}).LanguageOf(m.Text)
		dated := date.Complete(m.Text, lang, m.At)
		for _, at := range isoDate.FindAllStringIndex(dated, -1) {
			day, err := time.Parse(time.DateOnly, dated[at[0]:at[1]])
			if err == nil && !strings.Contains(m.Text, dated[at[0]:at[1]]) {
				check("date changed", dated, dated[:at[0]]+day.AddDate(0, 0, 1+r.IntN(40)).Format(time.DateOnly)+dated[at[1]:])
			}
		}
	}
}

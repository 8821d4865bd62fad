package rewrite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/setting"
)

func TestSettle(t *testing.T) {
	const before = "# Memory\n\n- Lives in Lisbon\n- Works at Acme\n"
	kept := dreamtest.Passing("Bought a red bicycle in Porto", .4)
	kept.Verdict, kept.ReasonCode = dream.VerdictKept, dream.ReasonOneOff
	gone := dreamtest.Passing("Has a dog called Rex", .9)
	gone.Verdict, gone.ReasonCode = dream.VerdictRejected, dream.ReasonForgotten
	type verdict struct {
		Verdict dream.Verdict
		Code    string
		Line    string
	}
	for _, c := range []struct {
		name, after string
		candidate   dream.Candidate
		want        verdict
	}{
		{
			"word for word", before + "- Prefers green tea <!-- x -->\n", dreamtest.Passing("Prefers green tea", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- Prefers green tea <!-- x -->"},
		},
		{
			"in other words", before + "- Grace likes green tea\n", dreamtest.Passing("User prefers green tea", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- Grace likes green tea"},
		},
		{
			"abridged", before + "- Has a poodle called Rex\n", dreamtest.Passing("Has a dog called Rex, a poodle of 4 years", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- Has a poodle called Rex"},
		},
		{
			"cut to nothing", before + "- Runs\n", dreamtest.Passing("Runs every morning before work in the park", .9),
			verdict{dream.VerdictKept, dream.ReasonLeftOut, ""},
		},
		{
			"joined with another", before + "- Has a poodle called Max, and prefers green tea\n",
			dreamtest.Passing("Prefers green tea", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- Has a poodle called Max, and prefers green tea"},
		},
		{
			"in place of a line", "# Memory\n\n- Lives in Lisbon\n- Works at Acme as an engineer since 2024\n",
			dreamtest.Passing("Works at Acme as an engineer since 2024", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- Works at Acme as an engineer since 2024"},
		},
		{
			"in Chinese", before + "- 喜欢喝绿茶\n", dreamtest.Passing("用户喜欢绿茶", .9),
			verdict{dream.VerdictPromoted, dream.ReasonPassed, "- 喜欢喝绿茶"},
		},
		{
			"left out", before + "- Has a cat\n", dreamtest.Passing("Prefers green tea", .9),
			verdict{dream.VerdictKept, dream.ReasonLeftOut, ""},
		},
		{
			"with another number", before + "- The rent is 950 euros\n", dreamtest.Passing("The rent is 900 euros", .9),
			verdict{dream.VerdictKept, dream.ReasonLeftOut, ""},
		},
		{
			"with another name", before + "- Anna works on billing\n", dreamtest.Passing("Ben works on billing", .9),
			verdict{dream.VerdictKept, dream.ReasonLeftOut, ""},
		},
		{
			"denied", before + "- Does not like green tea\n", dreamtest.Passing("Likes green tea", .9),
			verdict{dream.VerdictKept, dream.ReasonLeftOut, ""},
		},
		{"known before", before, dreamtest.Passing("Lives in Lisbon", .9), verdict{dream.VerdictRejected, dream.ReasonKnown, ""}},
		{
			"kept, although the text says it", before + "- Bought a red bicycle in Porto\n", kept,
			verdict{dream.VerdictKept, dream.ReasonOneOff, ""},
		},
		{"kept", before, kept, verdict{dream.VerdictKept, dream.ReasonOneOff, ""}},
		{"rejected", before, gone, verdict{dream.VerdictRejected, dream.ReasonForgotten, ""}},
	} {
		given := dream.Ranking{Candidates: []dream.Candidate{c.candidate}}
		got := rewrite.Settle(before, c.after, given).Candidates[0]
		if diff := cmp.Diff(c.want, verdict{got.Verdict, got.ReasonCode, got.Line}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.candidate, given.Candidates[0]); diff != "" {
			t.Errorf("%s: what was given is changed: %s", c.name, diff)
		}
	}
}

// A candidate that Settle promotes is a line of the text, and was not before.
func TestSettleOfAPromotion(t *testing.T) {
	const before = "# Memory\n\n- Lives in Lisbon\n"
	p := rewrite.Promote(before,
		ranked(dreamtest.Passing("Prefers green tea", .9, dreamtest.InNote), dreamtest.Passing("Has a dog called Rex", .8),
			dreamtest.Passing("Lives in Lisbon", .8)), dreamtest.Night, setting.DefaultDreamSettings())
	settled := rewrite.Settle(before, p.Memory, p.Ranking)
	if diff := cmp.Diff(p.Ranking, settled); diff != "" {
		t.Errorf("both ways to write disagree: %s", diff)
	}
}

// When the text was refused, what passed waits for the next dream, unless MEMORY.md has it already.
func TestRefuse(t *testing.T) {
	const before = "# Memory\n\n- Lives in Lisbon\n"
	rejected := dreamtest.Passing("Has a dog called Rex", .9)
	rejected.Verdict, rejected.ReasonCode = dream.VerdictRejected, dream.ReasonForgotten
	got := rewrite.Refuse(before, dream.Ranking{Candidates: []dream.Candidate{
		dreamtest.Passing("Prefers green tea", .9), dreamtest.Passing("Lives in Lisbon", .9), rejected,
	}})
	var codes []string
	for _, c := range got.Candidates {
		codes = append(codes, string(c.Verdict)+" "+c.ReasonCode)
	}
	want := []string{"kept refused", "rejected known", "rejected forgotten"}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Error(diff)
	}
}

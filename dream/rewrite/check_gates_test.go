package rewrite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// waiting returns a candidate that did not pass, with the reason.
func waiting(text, reason string) dream.Candidate {
	c := dreamtest.Passing(text, .5, dreamtest.InNote)
	c.Verdict, c.ReasonCode = dream.VerdictKept, reason
	return c
}

// gated returns the input of a check of new lines: the notes contain everything, and candidates passed or wait.
func gated(before string, lines string) []proposals.Violation {
	return rewrite.Check(rewrite.CheckInput{
		Before: before, After: before + lines,
		Sources: []string{"# 2026-01-30\n\n## 10:00 Errands\n\n- Bought a red bicycle in Porto\n- Met the plumber Otto\n- Prefers " +
			"green tea\n- Rows on the lake tomorrow\n\n" +
			"## 11:00 Team\n\n- Anna works on billing from Berlin\n- Lives in Lisbon, on the fifth floor\n"},
		Ranking: ranked(
			dreamtest.Passing("Prefers green tea", .9, dreamtest.InNote),
			dreamtest.Passing("Rows on the lake tomorrow", .9, dreamtest.InNote),
			dream.Candidate{
				ID: markdown.EntryIDOf("Anna works on billing from Berlin"), Heading: "11:00 Team",
				Text: "Anna works on billing from Berlin", Verdict: dream.VerdictPromoted,
			},
			waiting("Bought a red bicycle in Porto", dream.ReasonOneOff), waiting("Sings in the choir of Evora", dream.ReasonOneContext),
			waiting("Plays chess on Sundays", dream.ReasonLowScore), waiting("Learns Dutch with Mila", dream.ReasonNightFull),
			waiting("Moves to Oslo in May", dream.ReasonContradiction), waiting("Keeps bees in the garden", dream.ReasonOffTopic),
			waiting("Always answers letters by hand", dream.ReasonOneOff),
		),
	}, setting.DefaultDreamSettings())
}

// Only candidates that passed come into MEMORY.md, whatever the notes contain: nothing bypasses the gates.
func TestCheckHoldsTheGates(t *testing.T) {
	const before = "# Memory\n\n- Name: Grace\n- Lives in Lisbon\n"
	for _, c := range []struct {
		name, lines string
		want        []string
		says        string // substring of some message
	}{
		{name: "what passed", lines: "- Prefers green tea\n"},
		{name: "what passed, in other words", lines: "- Green tea preferred\n"},
		{name: "two that passed, joined", lines: "- Prefers green tea, and Anna works on billing from Berlin\n"},
		{name: "with a line that stood there", lines: "- Lives in Lisbon and prefers green tea\n"},
		{name: "with a date that a note names", lines: "- Rows on the lake on 2026-01-31\n"},
		{name: "with the heading that it was noted under", lines: "- Anna works on billing from Berlin, in the team\n"},
		{
			name: "a one-off", lines: "- Bought a red bicycle in Porto\n", want: []string{rewrite.ViolationGated},
			says: "(one_off: seen too rarely)",
		},
		{name: "a one-off, shortened", lines: "- Bought a bicycle in Porto\n", want: []string{rewrite.ViolationGated}, says: "one_off"},
		{
			name: "a one-off, with more", lines: "- Bought a red bicycle in Porto from the plumber Otto\n",
			want: []string{rewrite.ViolationGated}, says: "one_off",
		},
		{
			name: "a one-off, joined with what passed", lines: "- Prefers green tea and bought a red bicycle in Porto\n",
			want: []string{rewrite.ViolationGated}, says: "one_off",
		},
		{
			name: "a one-off as a heading", lines: "\n## Bought red bicycle in Porto\n\n- Prefers green tea\n",
			want: []string{rewrite.ViolationGated}, says: "one_off",
		},
		{name: "one context", lines: "- Sings in the choir of Evora\n", want: []string{rewrite.ViolationGated}, says: "one_context"},
		{name: "a low score", lines: "- Plays chess on Sundays\n", want: []string{rewrite.ViolationGated}, says: "low_score"},
		{name: "a full night", lines: "- Learns Dutch with Mila\n", want: []string{rewrite.ViolationGated}, says: "night_full"},
		{name: "a contradiction", lines: "- Moves to Oslo in May\n", want: []string{rewrite.ViolationGated}, says: "contradiction"},
		{name: "off the topic", lines: "- Keeps bees in the garden\n", want: []string{rewrite.ViolationGated}, says: "off_topic"},
		{name: "in a note only", lines: "- Met the plumber Otto\n", want: []string{rewrite.ViolationGated}, says: "note only"},
		{
			name: "more of a line, in a note only", lines: "- Lives in Lisbon, on the fifth floor\n",
			want: []string{rewrite.ViolationGated},
			says: "note only",
		},
		{name: "in no source", lines: "- Plays the violin\n", want: []string{rewrite.ViolationUnsupported}},
		{
			name: "several", lines: "- Prefers green tea\n- Bought a red bicycle in Porto\n- Met the plumber Otto\n- Plays the violin\n",
			want: []string{rewrite.ViolationGated, rewrite.ViolationUnsupported},
		},
	} {
		got := gated(before, c.lines)
		want := c.want
		if want == nil {
			want = []string{}
		}
		if diff := cmp.Diff(want, codesOf(got)); diff != "" {
			t.Errorf("%s: %s: %v", c.name, diff, got)
		}
		if said := messages(got); !strings.Contains(said, c.says) {
			t.Errorf("%s: no message says %q: %s", c.name, c.says, said)
		}
	}
}

func messages(violations []proposals.Violation) string {
	var b strings.Builder
	for _, v := range violations {
		b.WriteString(v.Message + "\n")
	}
	return b.String()
}

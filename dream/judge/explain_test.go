package judge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
)

// explainedBy runs a dream with one candidate and explains the verdict.
func explainedBy(c dream.Candidate, in dream.DeepInput) Explanation {
	s := setting.DefaultDreamSettings()
	return Explain(deeply(in, c).Candidates[0], s)
}

func TestExplanations(t *testing.T) {
	t.Parallel()
	stale := mentioned(30, 31, 32)
	known := dream.DeepInput{Memory: "- Waters the olive tree on Sundays.\n"}
	for name, c := range map[string]struct {
		got  Explanation
		want string
	}{
		"once": {
			explainedBy(mentioned(1), dream.DeepInput{}),
			"0.50 < 0.75, 1 of 3 signals, 1 of 2 distinct days or questions; being asked to remember it would pass",
		},
		"one day more": {explainedBy(mentioned(1, 2), dream.DeepInput{}), "0.72 < 0.75, 2 of 3 signals; one more distinct day would pass"},
		"stale":        {explainedBy(stale, dream.DeepInput{}), "0.73 < 0.75; one more distinct day would pass"},
		"passes": {
			explainedBy(mentioned(1, 2, 3), dream.DeepInput{}),
			"passes with score 0.84, 3 signals, 3 distinct days or questions",
		},
		"known": {explainedBy(mentioned(1, 2, 3), known), "MEMORY.md says it already"},
		"only REM": {
			explainedBy(mentioned(1, 2, 3), dream.DeepInput{Mode: memory.DreamREM}),
			"passes with score 0.84, 3 signals, 3 distinct days or questions; it would pass; a dream of this kind promotes nothing",
		},
	} {
		if c.got.Summary != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, c.got.Summary, c.want)
		}
	}
}

// TestExplanationsFollowTheSettings explains under settings other than those of the dream.
func TestExplanationsFollowTheSettings(t *testing.T) {
	t.Parallel()
	c := deeply(dream.DeepInput{}, mentioned(1, 2)).Candidates[0]
	s := setting.DefaultDreamSettings()
	s.MinScore, s.MinSignals = .6, 2
	if e := Explain(c, s); !strings.HasPrefix(e.Summary, "passes with ") || len(e.Lacks) > 0 {
		t.Errorf("under lower gates: %q, lacks %q", e.Summary, e.Lacks)
	}
}

// TestExplanationsAgreeWithDreams checks that Explain reports a pass exactly when the gates of a dream pass, and that its
// suggestions pass.
func TestExplanationsAgreeWithDreams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, c := anySettings(t), anyCandidate(t)
		s.MaxPromotions = 1
		in := dream.DeepInput{Material: dream.Material{AsOf: dreamt}, Candidates: []dream.Candidate{c}, Mode: memory.DreamNightly}
		judged := Deep(in, s).Candidates[0]
		e := Explain(judged, s)
		if passes := strings.HasPrefix(e.Summary, "passes "); passes != (judged.Verdict == dream.VerdictPromoted) {
			t.Fatalf("%s: %q", judged.Verdict, e.Summary)
		}
		if judged.Verdict == dream.VerdictPromoted {
			return
		}
		would := 0
		for _, w := range wishes {
			n, ok := w.least(e.Candidate, s)
			if !ok {
				continue
			}
			would++
			more := c
			for range n {
				more = w.add(more)
			}
			more.Signals.LastSeen = dreamt
			in.Candidates = []dream.Candidate{more}
			if again := Deep(in, s).Candidates[0]; again.Verdict != dream.VerdictPromoted {
				t.Fatalf("%q, but with %s it is %s: %s", e.Summary, w.inWords(n), again.ReasonCode, again.Reason)
			}
		}
		if would != len(e.Would) || strings.Contains(e.Summary, "would not pass") != (would == 0) {
			t.Fatalf("%d would pass: %q, %q", would, e.Summary, e.Would)
		}
	})
}

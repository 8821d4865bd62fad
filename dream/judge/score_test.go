package judge

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// dreamt is the time of the dreams in these tests, and noonBefore noon of an earlier day.
var dreamt = time.Date(2026, 3, 9, 2, 0, 0, 0, time.UTC)

func noonBefore(daysAgo int) time.Time {
	return time.Date(2026, 3, 9-daysAgo, 12, 0, 0, 0, time.UTC)
}

// mentioned returns a candidate that was noted on days before the dream, with three tags.
func mentioned(daysAgo ...int) dream.Candidate {
	c := dream.Candidate{Text: "Waters the olive tree on Sundays.", Tags: []string{"olive", "tree", "sundays"}}
	for _, ago := range slices.Backward(slices.Sorted(slices.Values(daysAgo))) {
		c.Signals.MentionDays = append(c.Signals.MentionDays, dream.DayOf(noonBefore(ago)))
		c.Signals.LastSeen = noonBefore(ago)
	}
	c.ID = markdown.EntryIDOf(c.Text)
	c.Places = []dream.Place{{Origin: dream.FromNote, Day: "2026-03-01", Path: "memory/2026-03-01.md", FromLine: 3, ToLine: 3}}
	return c
}

// recalled adds recalls by distinct questions, on the day before the dream.
func usedBy(c dream.Candidate, scores ...float64) dream.Candidate {
	for _, s := range scores {
		c.Signals.Recalls++
		c.Signals.Queries++
		c.Signals.RecallScore += s
		c.Signals.LastRecalled = noonBefore(1)
		c.Signals.RecallDays = union(c.Signals.RecallDays, []dream.Day{dream.DayOf(noonBefore(1))})
	}
	return c
}

// TestScoreOfOneMention checks OpenClaw's figure for a text that was ingested once: .0694 + .186 + .03 + .15 + .02 + .06 +
// .0214 = .537.
//
// The following nights differ on purpose. OpenClaw ingests the same note again each night, which gives .662, .769, .857 and
// .922, so that a remark is promoted although nobody repeated or used it. Here it counts as noted on one day, however often
// it is read.
func TestScoreOfOneMention(t *testing.T) {
	t.Parallel()
	s := setting.DefaultDreamSettings()
	c := mentioned(1)
	c.Tags = []string{"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"}
	c.Signals.LastSeen = dreamt
	parts, total := score(c, dreamt, s)
	want := dream.Components{
		Frequency: .0694 / .24, Relevance: .62, Diversity: .2, Recency: 1, Consolidation: .2, Conceptual: 1,
		LightBoost: .0214,
	}
	for name, pair := range map[string][2]float64{
		"frequency": {parts.Frequency, want.Frequency}, "relevance": {parts.Relevance, want.Relevance},
		"diversity": {parts.Diversity, want.Diversity}, "recency": {parts.Recency, want.Recency},
		"consolidation": {parts.Consolidation, want.Consolidation}, "conceptual": {parts.Conceptual, want.Conceptual},
		"lightBoost": {parts.LightBoost, want.LightBoost}, "remBoost": {parts.REMBoost, 0}, "total": {total, .537},
	} {
		if math.Abs(pair[0]-pair[1]) > .0005 {
			t.Errorf("%s = %.4f, want %.4f", name, pair[0], pair[1])
		}
	}
	for night := 1; night <= 40; night++ {
		c.Before.LightHits, c.Before.LightAt = night, dreamt.AddDate(0, 0, night-1)
		c.Before.REMHits, c.Before.REMAt = night, dreamt.AddDate(0, 0, night-1)
		c.Truth = 1
		c.Components, c.Score = score(c, dreamt.AddDate(0, 0, night), s)
		if all := gates(c, s); all[1].Passed || all[1].Value != 1 {
			t.Fatalf("night %d: a note that was read again has %v signals", night, all[1].Value)
		}
	}
}

// TestWhatPassesTheGates checks the guarantees of the default settings, in the first dream that sees the statement. Scores of
// recalls are average, and tags are few.
func TestWhatPassesTheGates(t *testing.T) {
	t.Parallel()
	wanted := mentioned(1)
	wanted.Signals.Asked = true
	for name, c := range map[string]struct {
		dream.Candidate
		reason string
	}{
		"asked for once":                             {wanted, dream.ReasonPassed},
		"said on three days":                         {mentioned(1, 2, 3), dream.ReasonPassed},
		"said on three days of a week":               {mentioned(1, 3, 6), dream.ReasonPassed},
		"said on two days and used once":             {usedBy(mentioned(1, 2), .7), dream.ReasonPassed},
		"said once and used by three questions":      {usedBy(mentioned(1), .75, .75, .75), dream.ReasonPassed},
		"said once":                                  {mentioned(1), dream.ReasonOneOff},
		"said on two days":                           {mentioned(1, 2), dream.ReasonOneOff},
		"said once and used once":                    {usedBy(mentioned(1), .9), dream.ReasonOneOff},
		"said once and used by two questions, badly": {usedBy(mentioned(1), .3, .3), dream.ReasonLowScore},
		"said on three days, two months ago":         {mentioned(60, 61, 62), dream.ReasonLowScore},
	} {
		s := setting.DefaultDreamSettings()
		candidates := []dream.Candidate{c.Candidate}
		got := Deep(dream.DeepInput{
			Material: dream.Material{AsOf: dreamt}, Candidates: candidates, Reflection: REM(candidates, dreamt), Mode: memory.DreamNightly,
		}, s).Candidates[0]
		t.Logf("%-45s %.3f %s", name, got.Score, got.ReasonCode)
		if got.ReasonCode != c.reason {
			t.Errorf("%s: score %.3f, %s (%s), want %s", name, got.Score, got.ReasonCode, got.Reason, c.reason)
		}
	}
}

// TestOneQuestionIsOneContext recalls a statement three times by one question, on the day on which it was noted.
func TestOneQuestionIsOneContext(t *testing.T) {
	t.Parallel()
	c := usedBy(mentioned(1), .9, .9, .9)
	c.Signals.Queries = 1
	s := setting.DefaultDreamSettings()
	s.MinScore = 0
	c.Components, c.Score = score(c, dreamt, s)
	if failed := failing(gates(c, s)); len(failed) != 1 || reasonOf(failed) != dream.ReasonOneContext {
		t.Errorf("failing gates = %v, want the one of diversity", failed)
	}
}

func TestTwoDreamsOfADayCountOnce(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("far east", 9*60*60)
	asOf := time.Date(2026, 3, 9, 23, 0, 0, 0, zone)
	for _, c := range []struct {
		name string
		at   time.Time
		want int
	}{
		{"the same day", time.Date(2026, 3, 9, 2, 0, 0, 0, zone), 3},
		{"the same day of the owner's, the day before in London", time.Date(2026, 3, 8, 17, 0, 0, 0, time.UTC), 3},
		{"the day before", time.Date(2026, 3, 8, 23, 59, 0, 0, zone), 4},
	} {
		if got, _ := hits(3, c.at, asOf, true); got != c.want {
			t.Errorf("%s: %d hits, want %d", c.name, got, c.want)
		}
	}
	if got, _ := hits(0, time.Time{}, asOf, true); got != 1 {
		t.Errorf("of the first dream: %d hits, want 1", got)
	}
}

// anySettings draws weights that may be zero, negative and far from a sum of 1.
func anySettings(t *rapid.T) setting.DreamSettings {
	s := setting.DefaultDreamSettings()
	weight := rapid.Float64Range(-1, 10)
	s.Weights = setting.DreamWeights{
		Frequency: weight.Draw(t, "frequency"), Relevance: weight.Draw(t, "relevance"), Diversity: weight.Draw(t, "diversity"),
		Recency: weight.Draw(t, "recency"), Consolidation: weight.Draw(t, "consolidation"), Conceptual: weight.Draw(t, "conceptual"),
	}
	if rapid.Bool().Draw(t, "no weights") {
		s.Weights = setting.DreamWeights{}
	}
	s.LightBoost, s.REMBoost = weight.Draw(t, "light"), weight.Draw(t, "rem")
	s.HalfLifeDays = rapid.Float64Range(-1, 60).Draw(t, "halfLife")
	s.MinScore = rapid.Float64Range(0, 1).Draw(t, "minScore")
	s.MinSignals = rapid.IntRange(0, 6).Draw(t, "minSignals")
	s.MinDiversity = rapid.IntRange(0, 4).Draw(t, "minDiversity")
	return s
}

// anyCandidate draws a candidate that was noted on at least one day, as all are.
func anyCandidate(t *rapid.T) dream.Candidate {
	c := mentioned(rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 1, 8, rapid.ID).Draw(t, "mentioned")...)
	for _, ago := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 8).Draw(t, "recalled") {
		c.Signals.Recalls++
		c.Signals.RecallScore += rapid.Float64Range(0, 1).Draw(t, "score")
		c.Signals.RecallDays = union(c.Signals.RecallDays, []dream.Day{dream.DayOf(noonBefore(ago))})
		c.Signals.LastRecalled = laterOf(c.Signals.LastRecalled, noonBefore(ago))
	}
	if c.Signals.Recalls > 0 {
		c.Signals.Queries = rapid.IntRange(1, c.Signals.Recalls).Draw(t, "queries")
	}
	c.Signals.Asked = rapid.Bool().Draw(t, "asked")
	c.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}), 0, 8).Draw(t, "tags")
	c.Before.LightHits = rapid.IntRange(0, 9).Draw(t, "lightHits")
	c.Before.LightAt = noonBefore(rapid.IntRange(0, 40).Draw(t, "lightAt"))
	c.Before.REMHits = rapid.IntRange(0, 9).Draw(t, "remHits")
	c.Before.REMAt = noonBefore(rapid.IntRange(0, 40).Draw(t, "remAt"))
	c.Truth = rapid.SampledFrom([]float64{0, .5, 1}).Draw(t, "truth")
	return c
}

func TestScoresAreShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, c := anySettings(t), anyCandidate(t)
		parts, total := score(c, dreamt, s)
		for name, x := range map[string]float64{
			"score": total, "frequency": parts.Frequency, "relevance": parts.Relevance, "diversity": parts.Diversity,
			"recency": parts.Recency, "consolidation": parts.Consolidation, "conceptual": parts.Conceptual,
		} {
			if math.IsNaN(x) || x < 0 || x > 1 {
				t.Fatalf("%s = %v", name, x)
			}
		}
		if parts.LightBoost < 0 || parts.REMBoost < 0 || parts.LightBoost > max(s.LightBoost, 0) || parts.REMBoost > max(s.REMBoost, 0) {
			t.Fatalf("boosts = %v and %v of %v and %v", parts.LightBoost, parts.REMBoost, s.LightBoost, s.REMBoost)
		}
	})
}

// TestWeightsAreNormalised multiplies all weights by a factor.
func TestWeightsAreNormalised(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, c := anySettings(t), anyCandidate(t)
		by := rapid.Float64Range(.01, 100).Draw(t, "by")
		_, before := score(c, dreamt, s)
		w := &s.Weights
		for _, x := range []*float64{&w.Frequency, &w.Relevance, &w.Diversity, &w.Recency, &w.Consolidation, &w.Conceptual} {
			*x *= by
		}
		if _, after := score(c, dreamt, s); math.Abs(after-before) > 1e-9 {
			t.Fatalf("score %v with weights times %v, %v without", after, by, before)
		}
	})
}

// TestSignalsNeverLowerAScore adds one signal. An added recall is as relevant as the signals so far: a less relevant one may
// lower the score.
func TestSignalsNeverLowerAScore(t *testing.T) {
	t.Parallel()
	more := map[string]func(dream.Candidate) dream.Candidate{
		"another day": func(c dream.Candidate) dream.Candidate {
			c = onAnotherDay(c)
			c.Signals.LastSeen = dreamt
			return c
		},
		"another question": func(c dream.Candidate) dream.Candidate {
			c.Signals.RecallScore += relevance(c.Signals)
			c.Signals.Recalls++
			c.Signals.Queries++
			c.Signals.LastRecalled = dreamt
			return c
		},
		"asked":         whenAsked,
		"another tag":   func(c dream.Candidate) dream.Candidate { c.Tags = append(slices.Clone(c.Tags), "z"); return c },
		"another dream": func(c dream.Candidate) dream.Candidate { c.Before.LightHits++; return c },
		"more truth":    func(c dream.Candidate) dream.Candidate { c.Truth = 1; return c },
	}
	rapid.Check(t, func(t *rapid.T) {
		s, c := anySettings(t), anyCandidate(t)
		_, before := score(c, dreamt, s)
		for name, add := range more {
			if _, after := score(add(c), dreamt, s); after < before-1e-9 {
				t.Fatalf("%s: %v after %v; %+v", name, after, before, c.Signals)
			}
		}
	})
}

package fuse

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// reputationAfter returns the reputation of a model after the given number of benchmark questions.
func reputationAfter(questions int, of similarity) Reputation {
	b := newBenchmark()
	o := DefaultOptions()
	for _, q := range b.questions[:questions] {
		o.Reputation = o.Reputation.After(Fuse(b.words(q, .35), b.vectors(q, of), o).Votes)
	}
	return o.Reputation
}

// TestReputationIsGraded checks that a better model has a greater lead and that an uninformed model is never settled.
func TestReputationIsGraded(t *testing.T) {
	t.Parallel()
	strong, fair := reputationAfter(60, model(4, 2)), reputationAfter(60, model(1.5, 1.5))
	for name, r := range map[string]Reputation{"strong": strong, "fair": fair} {
		if r.settledness() != 1 {
			t.Errorf("a %s model is not known after 60 questions: %+v", name, r)
		}
	}
	if strong.lead() < fair.lead()+.1 {
		t.Errorf("a strong model leads by %.2f, a fair one by %.2f", strong.lead(), fair.lead())
	}
	for name, of := range map[string]similarity{"noise": model(0, 0), "inverted": model(-4, -2)} {
		if r := reputationAfter(60, of); r.settledness() != 0 {
			t.Errorf("%s is taken for a model: %+v", name, r)
		}
	}
}

// TestReputationForgets checks that a model that turns into noise is detected within some dozens of questions.
func TestReputationForgets(t *testing.T) {
	t.Parallel()
	r := reputationAfter(300, model(4, 2))
	b := newBenchmark()
	o := DefaultOptions()
	for _, q := range b.questions[:60] {
		o.Reputation = r
		r = r.After(Fuse(b.words(q, .35), b.vectors(q, model(0, 0)), o).Votes)
	}
	if r.settledness() != 0 {
		t.Errorf("60 questions of noise later: %+v", r)
	}
}

// TestReputationIsBounded checks that a reputation stays finite and bounded for any lists, and that lists fused with it
// are sound.
func TestReputationIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := DefaultOptions()
		o.Reputation.Evidence = rapid.Float64Range(-certain, certain).Draw(t, "evidence")
		for range 5 {
			l, d := drawLists(t)
			if rapid.Bool().Draw(t, "long") {
				for i := range 60 {
					d.Hits = append(d.Hits, DenseHit{unitAt(100 + i), rapid.Float64Range(-1, 1).Draw(t, "similarity")})
				}
			}
			fusion := Fuse(l, d, o)
			for _, h := range fusion.Hits {
				if !(h.Vector >= 0 && h.Vector <= 1 && h.Combined >= 0 && h.Combined <= 1) {
					t.Fatalf("%+v is not between 0 and 1", h)
				}
			}
			o.Reputation = o.Reputation.After(fusion.Votes)
			r := o.Reputation
			if math.Abs(r.Evidence) > certain || !(r.Met >= 0 && r.Met <= r.Sure && r.Sure <= memory && r.Questions <= memory) ||
				math.IsNaN(r.lead()) || math.IsInf(r.lead(), 0) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

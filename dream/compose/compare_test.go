package compose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

func dreamt() compose.Dreamt {
	return compose.Dreamt{
		Settings: setting.DefaultDreamSettings(), Pins: dream.Pins{Material: "m", Candidates: "c"},
		Outcome: memory.OutcomeWritten, Diff: "--- MEMORY.md@1\n+++ MEMORY.md@2\n@@ -1 +1,2 @@\n # Memory\n+- Tea.\n",
		Candidates: []dream.Candidate{
			{ID: "tea", Text: "Tea.", Score: .91, Verdict: dream.VerdictPromoted, ReasonCode: dream.ReasonPassed},
			{ID: "bus", Text: "Bus.", Score: .5, Verdict: dream.VerdictKept, ReasonCode: dream.ReasonLowScore},
			{ID: "cat", Text: "Cat.", Score: .4, Verdict: dream.VerdictKept, ReasonCode: dream.ReasonOneOff},
			{ID: "dog", Text: "Dog.", Score: .3, Verdict: dream.VerdictKept, ReasonCode: dream.ReasonOneOff},
		},
	}
}

func TestCompareDreamsThatAreAlike(t *testing.T) {
	a, b := dreamt(), dreamt()
	// Versions in a diff and invisible differences of a score are ignored.
	b.Diff = "--- MEMORY.md@4\n+++ MEMORY.md@5\n@@ -1 +1,2 @@\n # Memory\n+- Tea.\n"
	b.Candidates[1].Score += compose.SameScore / 2
	want := compose.Difference{
		SameMaterial: true, SameCandidates: true, SameMemory: true,
		Ended: []compose.ChangedValue{}, Settings: []compose.ChangedValue{}, Candidates: []compose.Rejudged{},
	}
	if diff := cmp.Diff(want, compose.Compare(a, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompareDreamsThatDiffer(t *testing.T) {
	a, b := dreamt(), dreamt()
	b.Settings.MinScore, b.Settings.Weights.Recency, b.Settings.Model, b.Settings.Paid = .5, .2, "large", true
	b.Pins.Candidates = "others"
	b.Model, b.PromptVersion = "openai/large", "dream@1"
	b.Diff = "--- MEMORY.md@1\n+++ MEMORY.md@2\n@@ -1 +1,3 @@\n # Memory\n+- Tea.\n+- Bus.\n"
	b.Candidates[0].Score = .93
	b.Candidates[1] = dream.Candidate{ID: "bus", Text: "Bus.", Score: .55, Verdict: dream.VerdictPromoted, ReasonCode: dream.ReasonPassed}
	b.Candidates[2].ReasonCode = dream.ReasonOneContext
	b.Candidates[3] = dream.Candidate{ID: "new", Text: "New.", Score: .2, Verdict: dream.VerdictKept, ReasonCode: dream.ReasonOneOff}
	got := compose.Compare(a, b)
	want := compose.Difference{
		SameMaterial: true,
		Ended:        []compose.ChangedValue{{Name: "model", Is: "openai/large"}, {Name: "promptVersion", Is: "dream@1"}},
		Settings: []compose.ChangedValue{
			{Name: "minScore", Was: "0.75", Is: "0.5"},
			{Name: "model", Is: "large"},
			{Name: "paid", Was: "false", Is: "true"},
			{Name: "weights.recency", Was: "0.15", Is: "0.2"},
		},
		Candidates: []compose.Rejudged{
			{
				ID: "bus", Text: "Bus.", Was: &compose.Judgement{Verdict: "kept", ReasonCode: "low_score", Score: .5},
				Is: &compose.Judgement{Verdict: "promoted", ReasonCode: "passed", Score: .55},
			},
			{ID: "dog", Text: "Dog.", Was: &compose.Judgement{Verdict: "kept", ReasonCode: "one_off", Score: .3}},
			{ID: "new", Text: "New.", Is: &compose.Judgement{Verdict: "kept", ReasonCode: "one_off", Score: .2}},
			{
				ID: "cat", Text: "Cat.", Was: &compose.Judgement{Verdict: "kept", ReasonCode: "one_off", Score: .4},
				Is: &compose.Judgement{Verdict: "kept", ReasonCode: "one_context", Score: .4},
			},
			{
				ID: "tea", Text: "Tea.", Was: &compose.Judgement{Verdict: "promoted", ReasonCode: "passed", Score: .91},
				Is: &compose.Judgement{Verdict: "promoted", ReasonCode: "passed", Score: .93},
			},
		},
		Diff: got.Diff,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantDiff := "--- was\n+++ is\n@@ -1,3 +1,4 @@\n-@@ -1 +1,2 @@\n+@@ -1 +1,3 @@\n  # Memory\n +- Tea.\n++- Bus.\n"
	if diff := cmp.Diff(wantDiff, got.Diff); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
}

// A dream that ended before it had material has seen nothing, so it did not see the same as another one.
func TestCompareDreamsWithoutMaterial(t *testing.T) {
	got := compose.Compare(compose.Dreamt{}, compose.Dreamt{})
	if got.SameMaterial || got.SameCandidates || !got.SameMemory {
		t.Errorf("%+v", got)
	}
}

// Comparing in the other direction gives the same result with both sides exchanged.
func TestCompareIsSymmetric(t *testing.T) {
	draw := func(t *rapid.T, name string) compose.Dreamt {
		d := compose.Dreamt{Settings: setting.DreamSettings{
			Days:     rapid.IntRange(1, 3).Draw(t, name+" days"),
			MinScore: rapid.SampledFrom([]float64{.5, .75}).Draw(t, name+" score"),
		}}
		for _, id := range rapid.SliceOfDistinct(rapid.SampledFrom([]markdown.EntryID{"a", "b", "c", "d"}),
			func(id markdown.EntryID) markdown.EntryID {
				return id
			}).Draw(t, name) {
			d.Candidates = append(d.Candidates, dream.Candidate{
				ID: id, Text: string(id), Score: rapid.SampledFrom([]float64{.1, .9}).Draw(t, name+" of "+string(id)),
				Verdict: rapid.SampledFrom([]dream.Verdict{dream.VerdictKept, dream.VerdictPromoted}).Draw(t, name+" about "+string(id)),
			})
		}
		return d
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		there, back := compose.Compare(a, b), compose.Compare(b, a)
		for i := range back.Settings {
			back.Settings[i].Was, back.Settings[i].Is = back.Settings[i].Is, back.Settings[i].Was
		}
		for i := range back.Candidates {
			back.Candidates[i].Was, back.Candidates[i].Is = back.Candidates[i].Is, back.Candidates[i].Was
		}
		if diff := cmp.Diff(there, back); diff != "" {
			t.Fatalf("(-there +back):\n%s", diff)
		}
	})
}

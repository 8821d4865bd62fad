package compose

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// Dreamt is a finished dream, with the fields that Compare reads.
type Dreamt struct {
	Settings      setting.DreamSettings
	Pins          dream.Pins
	Outcome       memory.Outcome
	ReasonCode    memory.ReasonCode
	Model         string // empty for a dream without a model
	PromptVersion string
	Candidates    []dream.Candidate
	Diff          string // of MEMORY.md, in the unified format
}

// Difference describes how two dreams differ, such as a replay and its original.
type Difference struct {
	// SameMaterial is true when both dreams had the same input, SameCandidates when both derived the same candidates with the
	// same components. Both are false for a dream that ended before it had candidates.
	SameMaterial   bool `json:"sameMaterial"`
	SameCandidates bool `json:"sameCandidates"`
	// SameMemory is true when both produced the same MEMORY.md, or both left it unchanged.
	SameMemory bool           `json:"sameMemory"`
	Ended      []ChangedValue `json:"ended"`    // those of outcome, reasonCode, model and promptVersion that differ
	Settings   []ChangedValue `json:"settings"` // parameters that differ, by name
	Candidates []Rejudged     `json:"candidates"`
	// Diff is the unified diff of the two diffs of MEMORY.md.
	Diff string `json:"diff"`
}

// ChangedValue is a field with its values in two dreams, encoded as JSON; strings without quotes.
type ChangedValue struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// Rejudged is a candidate that two dreams judged differently.
type Rejudged struct {
	ID   markdown.EntryID `json:"id"`
	Text string           `json:"text"`
	Was  *Judgement       `json:"was,omitempty"` // nil when it was not a candidate
	Is   *Judgement       `json:"is,omitempty"`
}

// Judgement is the decision of a dream about a candidate.
type Judgement struct {
	Verdict    dream.Verdict `json:"verdict"`
	ReasonCode string        `json:"reasonCode"`
	Score      float64       `json:"score"`
}

// SameScore is the largest difference of two scores that still count as equal. It is below the precision of any displayed
// score.
const SameScore = 0.0005

// Compare returns the differences between a and b. It leaves out candidates that both judged alike. Candidates with another
// verdict come first, then those with another reason, then those with another score, each group by descending score.
func Compare(a, b Dreamt) Difference {
	return Difference{
		SameMaterial:   a.Pins.Material != "" && a.Pins.Material == b.Pins.Material,
		SameCandidates: a.Pins.Candidates != "" && a.Pins.Candidates == b.Pins.Candidates,
		SameMemory:     hunksOf(a.Diff) == hunksOf(b.Diff),
		Ended:          changedEnding(a, b),
		Settings:       changedSettings(a.Settings, b.Settings),
		Candidates:     rejudged(a.Candidates, b.Candidates),
		Diff:           markdown.UnifiedDiff("was", "is", hunksOf(a.Diff), hunksOf(b.Diff)),
	}
}

// hunksOf returns a unified diff without the two header lines that name the versions.
func hunksOf(diff string) string {
	if at := strings.Index(diff, "@@"); at > 0 && strings.HasPrefix(diff, "--- ") {
		return diff[at:]
	}
	return diff
}

func changedEnding(a, b Dreamt) []ChangedValue {
	out := []ChangedValue{}
	for _, v := range []ChangedValue{
		{"outcome", string(a.Outcome), string(b.Outcome)},
		{"reasonCode", string(a.ReasonCode), string(b.ReasonCode)},
		{"model", a.Model, b.Model},
		{"promptVersion", a.PromptVersion, b.PromptVersion},
	} {
		if v.Was != v.Is {
			out = append(out, v)
		}
	}
	return out
}

// changedSettings compares settings by their JSON names, so that new settings are included automatically.
func changedSettings(a, b setting.DreamSettings) []ChangedValue {
	was, is := map[string]string{}, map[string]string{}
	flatten(was, "", a)
	flatten(is, "", b)
	out := []ChangedValue{}
	for name, value := range was {
		if value != is[name] {
			out = append(out, ChangedValue{name, value, is[name]})
		}
	}
	slices.SortFunc(out, func(x, y ChangedValue) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// flatten adds the fields of v to into, those of inner objects as outer.inner. A value that cannot be encoded adds nothing.
func flatten(into map[string]string, prefix string, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return
	}
	for name, raw := range fields {
		var text string
		switch {
		case raw[0] == '{':
			flatten(into, prefix+name+".", raw)
		case json.Unmarshal(raw, &text) == nil:
			into[prefix+name] = text
		default:
			into[prefix+name] = string(raw)
		}
	}
}

func rejudged(a, b []dream.Candidate) []Rejudged {
	was := judgements(a)
	is := judgements(b)
	out := []Rejudged{}
	seen := map[markdown.EntryID]bool{}
	for _, c := range slices.Concat(b, a) {
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		if r := (Rejudged{c.ID, c.Text, was[c.ID], is[c.ID]}); r.weight() > 0 {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(x, y Rejudged) int {
		return cmp.Or(cmp.Compare(y.weight(), x.weight()), cmp.Compare(y.score(), x.score()), cmp.Compare(x.ID, y.ID))
	})
	return out
}

func judgements(candidates []dream.Candidate) map[markdown.EntryID]*Judgement {
	out := make(map[markdown.EntryID]*Judgement, len(candidates))
	for _, c := range candidates {
		out[c.ID] = &Judgement{c.Verdict, c.ReasonCode, c.Score}
	}
	return out
}

// weight returns how much the two judgements differ: 0 not at all, 1 in the score, 2 in the reason, 3 in the verdict.
func (r Rejudged) weight() int {
	switch {
	case r.Was == nil || r.Is == nil || r.Was.Verdict != r.Is.Verdict:
		return 3
	case r.Was.ReasonCode != r.Is.ReasonCode:
		return 2
	case r.Was.Score-r.Is.Score > SameScore || r.Is.Score-r.Was.Score > SameScore:
		return 1
	}
	return 0
}

// score returns the higher of the two scores.
func (r Rejudged) score() float64 {
	best := 0.0
	for _, j := range []*Judgement{r.Was, r.Is} {
		if j != nil {
			best = max(best, j.Score)
		}
	}
	return best
}

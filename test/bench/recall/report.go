package main

import (
	"cmp"
	"slices"

	"reverie/test/bench/services"
)

// report is the outcome of a run; it is also the JSON output.
type report struct {
	File      string           `json:"file"`
	Ranking   string           `json:"ranking"` // "lexical", or what made the vectors
	Loaded    loadFigures      `json:"loaded"`
	Overall   figures          `json:"overall"`
	Without5  figures          `json:"withoutCategory5"`
	ByKind    []figures        `json:"categories"`
	Dialogues []figures        `json:"dialogues"`
	Latency   services.Latency `json:"latency"`
	Inputs    []ablated        `json:"inputs,omitempty"` // words and vectors, each alone
	Ablations []ablated        `json:"ablations,omitempty"`
	Bars      []bar            `json:"bars,omitempty"`
}

// loadFigures say what was searched, and what of the file could not be used.
type loadFigures struct {
	Dialogues int     `json:"dialogues"`
	Sessions  int     `json:"sessions"`
	Turns     int     `json:"turns"`
	Seconds   float64 `json:"seconds"` // until everything could be found
	// MalformedReferences are references to evidence that name no turn: they are left out.
	MalformedReferences int `json:"malformedReferences"`
	// SkippedQuestions have no evidence left: they are not asked.
	SkippedQuestions int `json:"skippedQuestions"`
}

// figures are the recall of a group of questions.
type figures struct {
	Name      string     `json:"name"`
	Questions int        `json:"questions"`
	Recall    []recallAt `json:"recall"`
}

// ablated is the recall of all questions with other options, and its difference to the defaults'.
type ablated struct {
	ablation
	Recall     []recallAt       `json:"recall"`
	Difference []recallAt       `json:"difference"`
	Latency    services.Latency `json:"latency"`
}

// asked is one question's outcome.
type asked struct {
	dialogue string
	category int
	recall   []recallAt
}

// group makes the figures of those outcomes that belong to it.
func group(name string, outcomes []asked, ks []int, belongs func(asked) bool) figures {
	var recalls [][]recallAt
	for _, a := range outcomes {
		if belongs(a) {
			recalls = append(recalls, a.recall)
		}
	}
	return figures{Name: name, Questions: len(recalls), Recall: mean(recalls, ks)}
}

// adversarial questions ask for something that was not said like this; their evidence is what they twist.
const adversarial = 5

// categoryNames are what the numbers in the file stand for.
var categoryNames = map[int]string{1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", adversarial: "5 adversarial"}

// summarise fills the groups of a report.
func (r *report) summarise(outcomes []asked, ks []int) {
	r.Overall = group("overall", outcomes, ks, func(asked) bool { return true })
	r.Without5 = group("without 5", outcomes, ks, func(a asked) bool { return a.category != adversarial })
	r.ByKind = groups(outcomes, ks, func(a asked) int { return a.category }, func(category int) string {
		if name, ok := categoryNames[category]; ok {
			return name
		}
		return "other"
	})
	slices.SortFunc(r.ByKind, func(a, b figures) int { return cmp.Compare(a.Name, b.Name) })
	r.Dialogues = groups(outcomes, ks, func(a asked) string { return a.dialogue }, func(id string) string { return id })
}

// groups are the figures of each key, in the order in which the keys come up.
func groups[K comparable](outcomes []asked, ks []int, key func(asked) K, name func(K) string) []figures {
	var out []figures
	seen := map[string]bool{}
	for _, a := range outcomes {
		own := name(key(a))
		if seen[own] {
			continue
		}
		seen[own] = true
		out = append(out, group(own, outcomes, ks, func(other asked) bool { return name(key(other)) == own }))
	}
	return out
}

// minus is the difference of two recalls with the same k.
func minus(a, b []recallAt) []recallAt {
	out := make([]recallAt, len(a))
	for i := range a {
		out[i] = recallAt{K: a[i].K, Turn: a[i].Turn - b[i].Turn, Session: a[i].Session - b[i].Session}
	}
	return out
}

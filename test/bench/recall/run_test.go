package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/recall"
)

// gardenDialogue has a question that its words answer, and one that only vectors can answer: it shares no word with
// its evidence.
const gardenDialogue = `[{
	"sample_id": "garden",
	"conversation": {
		"speaker_a": "Ida", "speaker_b": "Otto",
		"session_1_date_time": "1:56 pm on 8 February, 2024",
		"session_1": [
			{"speaker": "Ida", "dia_id": "D1:1", "text": "Good morning, Otto."},
			{"speaker": "Otto", "dia_id": "D1:2", "text": "The rhubarb froze last night."},
			{"speaker": "Ida", "dia_id": "D1:3", "text": "Then we have to buy a new thermometer."}
		],
		"session_2_date_time": "10:05 am on 1 March, 2024",
		"session_2": [
			{"speaker": "Otto", "dia_id": "D2:1", "text": "My aunt gave me seventeen tulip bulbs."},
			{"speaker": "Ida", "dia_id": "D2:2", "text": "Put them beside the shed."}
		]
	},
	"qa": [
		{"question": "How many tulip bulbs did the aunt give?", "answer": 17, "evidence": ["D2:1"], "category": 4},
		{"question": "Which vegetable suffered?", "answer": "rhubarb", "evidence": ["D1:2"], "category": 1}
	]
}]`

// runOver measures the dialogue above with the real database, program and HTTP.
func runOver(t *testing.T, b bench) (r report, passed bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "garden.json")
	if err := os.WriteFile(file, []byte(gardenDialogue), 0o600); err != nil {
		t.Fatal(err)
	}
	b.files = []string{file}
	var all reports
	var out strings.Builder
	passed, err := b.run(t.Context(), &out, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out.String()), &all); err != nil {
		t.Fatal(err)
	}
	return all.Sets[0], passed
}

func TestLexicalRun(t *testing.T) {
	r, passed := runOver(t, bench{ks: []int{1, 5}, ablate: true, bars: bars{{Level: "turn", K: 1, Least: 0.5}}})
	for _, f := range r.ByKind {
		want := map[string]float64{"1 multi-hop": 0, "4 single-hop": 1}[f.Name]
		if f.Questions != 1 || f.Recall[0].Turn != want {
			t.Errorf("%+v, want a recall of %v", f, want)
		}
	}
	if !passed || len(r.Bars) != 1 {
		t.Errorf("passed %v, bars %+v", passed, r.Bars)
	}
	if got, want := len(r.Ablations), len(recall.Components())-1+3; got != want {
		t.Errorf("%d ablations, want %d", got, want)
	}
}

// A search in memory finds the same as the whole program.
func TestOfflineRun(t *testing.T) {
	online, _ := runOver(t, bench{ks: []int{1, 5}})
	offline, passed := runOver(t, bench{ks: []int{1, 5}, offline: true})
	if diff := cmp.Diff(online, offline, cmpopts.IgnoreFields(report{}, "Loaded.Seconds", "Latency")); diff != "" || !passed {
		t.Errorf("over HTTP, in memory:\n%s", diff)
	}
}

// Long answers that repeat the words of the questions hide no evidence.
func TestAddedAnswers(t *testing.T) {
	r, _ := runOver(t, bench{ks: []int{1, 5}, offline: true, answers: 30})
	d := r.Diluted
	if d == nil || d.Answers != 30 || d.Text < 30 || d.Time <= 0 || d.Recall[1].Turn < r.Overall.Recall[1].Turn {
		t.Errorf("%+v, without them %+v", d, r.Overall)
	}
}

// Each parameter is varied, and each set is measured with what is best for the others.
func TestValidation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "garden.json")
	if err := os.WriteFile(file, []byte(gardenDialogue), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	b := bench{files: []string{file, file}, ks: []int{1}, offline: true, crossed: true}
	if _, err := b.run(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	var v validation
	if err := json.Unmarshal([]byte(out.String()), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Varied) != len(parameters())*len(factors) || len(v.HeldOut) != 2 || v.Defaults[0] != 50 {
		t.Errorf("%+v", v)
	}
	if err := v.print(&out); err != nil || !strings.Contains(out.String(), "chosen without it") {
		t.Errorf("%v in %s", err, out.String())
	}
	if _, err := (&bench{files: b.files, crossed: true}).run(t.Context(), &out, true); !errors.Is(err, errNotOffline) {
		t.Errorf("over HTTP: %v", err)
	}
}

// Vectors find what words cannot.
func TestFrozenRun(t *testing.T) {
	r, passed := runOver(t, bench{ks: []int{1, 10}, dense: "perfect"})
	if !passed || r.Overall.Recall[0].Turn != 1 {
		t.Errorf("passed %v: %+v", passed, r.Overall)
	}
	for i, want := range []float64{0.5, 1, 1} { // words alone, vectors alone, the ranking as it is
		if input := r.Inputs[i]; input.Recall[0].Turn != want {
			t.Errorf("%s: %v, want %v", input.Name, input.Recall[0].Turn, want)
		}
	}
	if len(r.Bars) != 1 || !r.Bars[0].Passed {
		t.Errorf("bars: %+v", r.Bars)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun prints the report of a set, of a dialogue, and a sample with its sources.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	dialogue := filepath.Join(dir, "dialogues.json")
	if err := os.WriteFile(dialogue, []byte(`[{"conversation": {
		"speaker_a": "Ida", "speaker_b": "Otto", "session_1_date_time": "1:56 pm on 8 February, 2024", "session_1": [
			{"speaker": "Ida", "dia_id": "D1:1", "text": "I moved to Porto in May because I found a job as a nurse."},
			{"speaker": "Otto", "dia_id": "D1:2", "text": "Nice!"},
			{"speaker": "Ida", "dia_id": "D1:3", "text": "Yes."}]},
		"qa": [{"question": "Where did Ida move?", "evidence": ["D1:1"]}]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.md")
	var out strings.Builder
	if passed, err := run(t.Context(), &out, false, "../../corpus/heldout", dialogue, report, 20); err != nil || !passed {
		t.Fatal(passed, err)
	}
	for _, want := range []string{"\nall ", "\nzh ", "\nirony ", "time per conversation", "3x turns      engine", "lines that say what nobody said", "\nlimits "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	sample, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(sample), "\n   > "); n < 20 {
		t.Errorf("%d sources for 20 lines:\n%s", n, sample)
	}
	if _, err := run(t.Context(), &out, false, t.TempDir(), "", "", 1); err == nil {
		t.Error("an empty folder is measured")
	}
	out.Reset()
	passed, err := run(t.Context(), &out, true, "../../corpus/blind3", "", "", 1)
	var f figures
	if err := json.Unmarshal([]byte(out.String()), &f); err != nil {
		t.Fatalf("%v:\n%s", err, out.String())
	}
	if passed || err != nil || f.Conversations != 36 || f.Traps <= mostTraps {
		t.Errorf("passed %v, %v: %+v", passed, err, f)
	}
}

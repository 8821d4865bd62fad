package main

import (
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
	if err := run(&out, "../../corpus/heldout", dialogue, report, 20); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nall ", "\nzh ", "\nirony ", "time per conversation", "3x turns      engine", "lines that say what nobody said"} {
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
	if err := run(&out, t.TempDir(), "", "", 1); err == nil {
		t.Error("an empty folder is measured")
	}
}

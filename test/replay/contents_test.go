package replay

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordedContents are words of messages, notes and model answers in the recordings. Case names are not among them:
// they are owner names, of which only ids are recorded.
var recordedContents = []string{
	"synthetic message", "synthetic entry", "Synthetic", "synthetic summary", // conversations (record_test.go, record_window_test.go)
	"The garden of", "has an oak", "The pet of", "tortoise", "Momo", "memory_content", // dreams (record_dream_test.go)
	"The valve of", "open the valve", "cases.md", // writes of business processes (record_write_test.go)
	"synthetic document", "case-0.md", "synthetic person", "KNOWLEDGE", "memory/2026", // snapshots and webhooks (record_snapshot_test.go, record_webhook_test.go)
}

// TestHistoriesHoldNoContents checks every text of every recorded history, including payloads.
func TestHistoriesHoldNoContents(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d histories: %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var history any
		if err := json.Unmarshal(raw, &history); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		texts := textsOf(history)
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, `"workspace"`) }) {
			t.Errorf("%s: no payload could be read", file)
		}
		for _, text := range texts {
			for _, words := range recordedContents {
				if strings.Contains(text, words) {
					t.Errorf("%s: %q in %.200s", file, words, text)
				}
			}
		}
	}
}

// textsOf returns all texts in a JSON value, and for Base64 such as payloads also the decoded text.
func textsOf(value any) []string {
	switch v := value.(type) {
	case string:
		if decoded, err := base64.StdEncoding.DecodeString(v); err == nil {
			return []string{v, string(decoded)}
		}
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			out = append(out, textsOf(one)...)
		}
		return out
	case map[string]any:
		var out []string
		for key, one := range v {
			out = append(append(out, key), textsOf(one)...)
		}
		return out
	}
	return nil
}

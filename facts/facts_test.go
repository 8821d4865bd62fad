package facts

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

func TestStatementsAreRead(t *testing.T) {
	content := "# Memory\n\n## Family\n\n- My sister Anna:\n  - lives in Berlin\n  - Her deadline is Friday\n- Works at Siemens since March [2026-03]\n" +
		"- **deploy day**: Thursday\n- Ich wohne in Hamburg.\n- 我住在上海。\n- The deadline is Friday.\n"
	type reading struct {
		Text, Subject, Attribute, Value string
		Single                          bool
		Confidence                      float64
	}
	var got []reading
	for _, s := range Of(memory.MemoryPath, content) {
		got = append(got, reading{s.Text, s.Subject, s.Attribute, s.Value, s.Single, s.Confidence})
	}
	want := []reading{
		{"lives in Berlin", "anna sister", "home", "Berlin", true, .7},
		{"Her deadline is Friday", "deadlin", "is", "Friday", true, .7},
		{"Works at Siemens since March [2026-03]", "user", "employer", "Siemens", true, .7},
		{"**deploy day**: Thursday", "deploy day", "is", "Thursday", false, .9},
		{"Ich wohne in Hamburg.", "user", "home", "Hamburg", true, .7},
		{"我住在上海。", "user", "home", "上海", true, .7},
		{"The deadline is Friday.", "deadlin", "is", "Friday", true, .7},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A heading of a daily note that repeats a statement names nothing; a topic does.
func TestHeadingsOfNotes(t *testing.T) {
	content := "# 2026-03-10\n\n## 14:05 The rent of my flat is…\n\n- \"The rent of my flat is 900 euros.\"\n- \"I sing in a choir.\"\n\n" +
		"## 15:00 Atlas\n\n- The deadline is Friday.\n"
	var got []string
	for _, s := range Of("memory/2026-03-10.md", content) {
		got = append(got, s.Heading)
	}
	if diff := cmp.Diff([]string{"", "", "15:00 Atlas"}, got); diff != "" {
		t.Error(diff)
	}
}

// The example of docs/facts.md.
func TestTrustOfTheExample(t *testing.T) {
	said := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	e := Evidence{Source: SourceEngine, Helpful: 2, Unhelpful: .5, Days: 3, Seen: said, HalfLife: Usual}
	now := said.AddDate(0, 0, 30)
	var terms []string
	for _, term := range e.Explain(now) {
		terms = append(terms, fmt.Sprintf("%s %.3f", term.Name, term.Value))
	}
	if diff := cmp.Diff([]string{"prior 0.450", "helpful 0.200", "unhelpful -0.100", "days 0.100", "age 0.707"}, terms); diff != "" {
		t.Error(diff)
	}
	if trust := fmt.Sprintf("%.3f", e.Trust(now)); trust != "0.460" {
		t.Errorf("trust %s", trust)
	}
	// MateClaw's: .5 + .1·HELPFUL − .2·UNHELPFUL, halved in 60 days.
	promised := Evidence{Source: SourceModel, Helpful: 3, Unhelpful: 1, Days: 1, Seen: said, HalfLife: Usual}
	if trust := fmt.Sprintf("%.3f", promised.Trust(said.AddDate(0, 0, 60))); trust != "0.300" {
		t.Errorf("promised trust %s", trust)
	}
}

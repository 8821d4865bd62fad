package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/memory/proposals"
)

func TestWeek(t *testing.T) {
	notes := newWriter(1, "a").notes(usualWeek)
	if diff := cmp.Diff(notes, newWriter(1, "a").notes(usualWeek)); diff != "" {
		t.Errorf("the same owner has other notes:\n%s", diff)
	}
	if cmp.Equal(notes, newWriter(1, "b").notes(usualWeek)) || cmp.Equal(notes, newWriter(2, "a").notes(usualWeek)) {
		t.Error("another owner or seed has the same notes")
	}
	days := map[string]int{}
	for _, note := range notes {
		lines := strings.Split(strings.TrimSpace(note), "\n")
		if len(lines) != usualWeek.Statements {
			t.Errorf("%d statements in %q", len(lines), note)
		}
		for _, line := range lines {
			days[line]++
		}
	}
	again := 0
	for line, n := range days {
		switch n {
		case 1:
		case len(daysOfRecurring):
			again++
		default:
			t.Errorf("%q stands on %d days", line, n)
		}
	}
	if again != 2 {
		t.Errorf("%d statements come back", again)
	}
	day := time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)
	said := newWriter(1, "a").said(usualWeek, day)
	if len(said) != 2*usualWeek.Turns || said[0].Role != memory.RoleOfUser || !said[0].CreatedAt.Equal(day) {
		t.Errorf("said %+v", said)
	}
}

func TestModelKeepsWhatItIsShown(t *testing.T) {
	got, err := proposals.ParseConsolidation(consolidated("Limit.\n<<<MEMORY.md c0de\n# Memory\n\n- Anna is here.\nc0de MEMORY.md>>>\n\n" +
		"Candidates, the best first:\n<<<CANDIDATES c0de\n1. Boris (the baker) moved. (score 0.91, on 3 days)\n2. Clara sings. (score 0.76)\nc0de CANDIDATES>>>\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "# Memory\n\n- Anna is here.\n\n## Lately\n\n- Boris (the baker) moved.\n- Clara sings.\n"
	if !got.ShouldUpdate || strings.TrimSpace(got.MemoryContent) != strings.TrimSpace(want) {
		t.Errorf("%+v", got)
	}
}

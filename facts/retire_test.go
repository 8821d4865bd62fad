package facts_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
)

// What a person wrote or confirmed is never archived; of the rest the least trusted go first, and no more than necessary.
func TestRetire(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		limits := facts.Limits{
			MinTrust: rapid.SampledFrom([]float64{0, .15, .5}).Draw(r, "least"), Unseen: 30 * 24 * time.Hour,
			Most: rapid.IntRange(0, 12).Draw(r, "most"),
		}
		all := make([]facts.Standing, rapid.IntRange(0, 20).Draw(r, "facts"))
		kept := 0
		for i := range all {
			all[i] = facts.Standing{
				Trust: rapid.SampledFrom([]float64{0, .1, .2, .45, .6, .9}).Draw(r, "trust"), Kept: rapid.Bool().Draw(r, "kept"),
				Seen: now.AddDate(0, 0, -rapid.IntRange(0, 90).Draw(r, "days")),
			}
			if all[i].Kept {
				kept++
			}
		}
		gone := facts.Retire(all, now, limits)
		low := func(s facts.Standing) bool { return s.Trust < limits.MinTrust && now.Sub(s.Seen) >= limits.Unseen }
		for i, s := range all {
			retired := slices.Contains(gone, i)
			switch {
			case retired && s.Kept:
				r.Fatalf("fact %d of a person is archived", i)
			case !retired && !s.Kept && low(s):
				r.Fatalf("fact %d is not trusted and stays", i)
			}
			for j, other := range all {
				if retired && !low(s) && !other.Kept && !slices.Contains(gone, j) && other.Trust < s.Trust {
					r.Fatalf("%d is archived, %d with less trust stays", i, j)
				}
			}
		}
		if left := len(all) - len(gone); limits.Most > 0 && left > max(limits.Most, kept) {
			r.Fatalf("%d facts are left of at most %d, %d of them of a person", left, limits.Most, kept)
		}
		if limits.Most > 0 && len(all) > limits.Most && limits.MinTrust == 0 && len(all)-len(gone) < limits.Most {
			r.Fatal("more facts are archived than necessary")
		}
	})
}

// Archiving moves statements and leaves all others as they are.
func TestArchive(t *testing.T) {
	t.Parallel()
	const document = "# Memory\n\nProse by hand.\n\n## Facts\n\n- One stays\n- Two goes\n  - with this below it\n- Three goes\n\n" +
		"## Person: feishu:ou_1\n\n- Four stays\n\n## Archived\n\n- Old\n"
	gone := memory.EntrySet{}
	for _, text := range []string{"- Two goes", "- Three goes", "- Four stays"} {
		gone[markdown.EntryIDOf(text)] = true
	}
	got, err := facts.Archive(memory.MemoryPath, document, gone)
	const want = "# Memory\n\nProse by hand.\n\n## Facts\n\n- One stays\n\n## Person: feishu:ou_1\n\n- Four stays\n\n" +
		"## Archived\n\n- Old\n- Two goes\n  - with this below it\n- Three goes\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	again, err := facts.Archive(memory.MemoryPath, got, gone)
	if err != nil || again != got {
		t.Errorf("again: %v\n%s", err, again)
	}
	for _, s := range facts.Of(memory.MemoryPath, got) {
		if s.Archived != (strings.Contains(s.Text, "goes") || s.Text == "Old" || strings.Contains(s.Text, "below it")) {
			t.Errorf("%q: archived %v", s.Text, s.Archived)
		}
	}
	const entries = "## diet\n\nVegetarian.\n\nSince 2019.\n\n> Source: chat | Updated: 2026-01-01\n\n## tea\n\nGreen tea.\n\n> Source: chat | Updated: 2026-01-01\n"
	got, err = facts.Archive("structured/user.md", entries, memory.EntrySet{markdown.EntryIDOf("Since 2019."): true})
	if err != nil || !strings.HasSuffix(got, "## Archived\n\n### diet\n\nVegetarian.\n\nSince 2019.\n\n> Source: chat | Updated: 2026-01-01\n") ||
		!strings.HasPrefix(got, "## tea\n") {
		t.Errorf("entry: %v\n%s", err, got)
	}
}

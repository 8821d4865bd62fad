package facts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
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

// A restored statement returns to its place, with what is nested under it, and the archive keeps the others.
func TestRestore(t *testing.T) {
	t.Parallel()
	const document = "# Memory\n\n## Facts\n\n- One\n\n## Other\n\nText.\n\n## Archived\n\n- Old\n- Two\n  - with this below it\n"
	for heading, want := range map[string]string{
		"Facts":  "# Memory\n\n## Facts\n\n- One\n- Two\n  - with this below it\n\n## Other\n\nText.\n\n## Archived\n\n- Old\n",
		"Other":  "# Memory\n\n## Facts\n\n- One\n\n## Other\n\nText.\n\n- Two\n  - with this below it\n\n## Archived\n\n- Old\n",
		"Memory": "# Memory\n\n- Two\n  - with this below it\n\n## Facts\n\n- One\n\n## Other\n\nText.\n\n## Archived\n\n- Old\n",
		"Gone":   "# Memory\n\n## Facts\n\n- One\n\n## Other\n\nText.\n\n## Gone\n\n- Two\n  - with this below it\n\n## Archived\n\n- Old\n",
	} {
		got, found, err := facts.Restore(memory.MemoryPath, document, markdown.EntryIDOf("- Two"), heading)
		if err != nil || !found || got != want {
			t.Errorf("%s: %v %v\n%s", heading, found, err, got)
		}
	}
	if got, found, err := facts.Restore(memory.MemoryPath, document, markdown.EntryIDOf("- One"), "Facts"); found || err != nil || got != document {
		t.Errorf("a current statement: %v %v\n%s", found, err, got)
	}
	const entries = "## tea\n\nGreen tea.\n\n> Source: chat | Updated: 2026-01-01\n\n## diet\n\nVegetarian.\n\n### Since\n\nSince 2019.\n\n> Source: chat | Updated: 2026-01-01\n"
	since := markdown.EntryIDOf("Since 2019.")
	archived, err := facts.Archive("structured/user.md", entries, memory.EntrySet{since: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, found, err := facts.Restore("structured/user.md", archived, since, ""); err != nil || !found || got != entries {
		t.Errorf("entry: %v %v\n%s", found, err, got)
	}
	again := strings.Replace(archived, "## tea", "## diet", 1)
	if _, found, err := facts.Restore("structured/user.md", again, since, ""); !errors.Is(err, structured.ErrCurrent) || found {
		t.Errorf("an entry that is there again: %v %v", found, err)
	}
}

// Whatever is archived, restoring all of it leaves the statements of the document as they were.
func TestRestoreUndoesArchive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		gone := memory.EntrySet{}
		under := map[markdown.EntryID]string{}
		want := map[string]bool{}
		for n := range rapid.IntRange(1, 3).Draw(t, "sections") {
			heading := fmt.Sprintf("Section %d", n)
			b.WriteString("## " + heading + "\n\n")
			for i := range rapid.IntRange(0, 4).Draw(t, "items") {
				text := fmt.Sprintf("Item %d of %d", i, n)
				b.WriteString("- " + text + "\n")
				want[text] = true
				if rapid.Bool().Draw(t, "archive") {
					gone[markdown.EntryIDOf("- "+text)] = true
					under[markdown.EntryIDOf("- "+text)] = heading
				}
			}
			b.WriteString("\n")
		}
		content, err := facts.Archive(memory.MemoryPath, b.String(), gone)
		if err != nil {
			t.Fatal(err)
		}
		for id, heading := range under {
			var found bool
			if content, found, err = facts.Restore(memory.MemoryPath, content, id, heading); err != nil || !found {
				t.Fatalf("%v %v\n%s", found, err, content)
			}
		}
		for _, s := range facts.Of(memory.MemoryPath, content) {
			if h, was := under[s.Entry]; s.Archived || !want[s.Text] || was && s.Heading != h {
				t.Fatalf("%q is under %q, archived: %v\n%s", s.Text, s.Heading, s.Archived, content)
			}
			delete(want, s.Text)
		}
		if len(want) > 0 {
			t.Fatalf("lost: %v\n%s", want, content)
		}
	})
}

package rewrite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

func TestWithoutEmptySections(t *testing.T) {
	const empty = "## Promoted From Short-Term Memory (2026-01-05)\n"
	for _, c := range []struct {
		name, text, want string
		protected        []string
	}{
		{name: "at the end", text: "# Memory\n\n- a\n\n" + empty + "\n\n", want: "# Memory\n\n- a\n"},
		{name: "in the middle", text: "# Memory\n\n" + empty + "\n\n## Facts\n\n- a\n", want: "# Memory\n\n## Facts\n\n- a\n"},
		{name: "two of them", text: "# Memory\n\n" + empty + "\n" + empty + "\n## Facts\n\n- a\n", want: "# Memory\n\n## Facts\n\n- a\n"},
		{name: "two at the end", text: "# Memory\n- a\n" + empty + empty, want: "# Memory\n- a\n"},
		{name: "two at the end, with space", text: "# Memory\n- a\n" + empty + "\n\n" + empty + "\n\n", want: "# Memory\n- a\n"},
		{name: "without space around", text: "# Memory\n- a\n" + empty + "## Facts\n- b\n", want: "# Memory\n- a\n\n## Facts\n- b\n"},
		{name: "with a line", text: "# Memory\n\n" + empty + "- a\n", want: "# Memory\n\n" + empty + "- a\n"},
		{name: "with a remark", text: "# Memory\n\n" + empty + "<!-- mine -->\n", want: "# Memory\n\n" + empty + "<!-- mine -->\n"},
		{name: "with a heading", text: "# Memory\n\n" + empty + "### Mine\n", want: "# Memory\n\n" + empty + "### Mine\n"},
		{
			name: "a person's", text: "# Memory\n\n" + empty, want: "# Memory\n\n" + empty,
			protected: []string{"## Promoted From Short-Term Memory (2026-01-05)"},
		},
		{name: "another heading", text: "# Memory\n\n## Facts\n", want: "# Memory\n\n## Facts\n"},
		{
			name: "of no day", text: "# Memory\n\n## Promoted From Short-Term Memory (2026-13-05)\n",
			want: "# Memory\n\n## Promoted From Short-Term Memory (2026-13-05)\n",
		},
		{name: "in code", text: "# Memory\n\n```\n" + empty + "```\n", want: "# Memory\n\n```\n" + empty + "```\n"},
		{name: "nothing else", text: empty, want: empty},
		{
			name: "of an archive", text: "# Archive\n\n## Replaced on 2026-01-31\n\n### Replaced by\n\n## Replaced on 2026-02-01\n\n- a\n",
			want: "# Archive\n\n## Replaced on 2026-02-01\n\n- a\n",
		},
	} {
		if diff := cmp.Diff(c.want, rewrite.WithoutEmptySections(c.text, c.protected...)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A dream that writes removes empty machine-made headings, with and without a model.
func TestEmptySectionsGo(t *testing.T) {
	const bare = "# Memory\n\n## Promoted From Short-Term Memory (2026-01-05)\n\n## Facts\n\n- Name: Grace\n"
	const want = "# Memory\n\n## Facts\n\n- Name: Grace\n"
	s := setting.DefaultDreamSettings()
	got := rewrite.Promote(bare, ranked(dreamtest.Passing("Lives in Oslo since January", .9)), dreamtest.Night, s)
	if diff := cmp.Diff(want+newer, got.Memory); diff != "" {
		t.Error(diff)
	}
	if fitted, _ := rewrite.Fit(bare, dreamtest.Night, s); fitted != want {
		t.Error(cmp.Diff(want, fitted))
	}
	if kept, _ := rewrite.Fit(bare, dreamtest.Night, s, "## Promoted From Short-Term Memory (2026-01-05)"); kept != bare {
		t.Error(cmp.Diff(bare, kept))
	}
}

// No removal drops a statement or changes its meaning.
func TestWithoutEmptySectionsKeepsStatements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := memories().Draw(t, "memory")
		type statement struct{ text, heading string }
		of := func(text string) (out []statement) {
			for _, e := range markdown.EntriesOf(text) {
				out = append(out, statement{e.Text, e.Heading})
			}
			return out
		}
		got := rewrite.WithoutEmptySections(text)
		if diff := cmp.Diff(of(text), of(got), cmp.AllowUnexported(statement{})); diff != "" {
			t.Fatal(diff)
		}
		if again := rewrite.WithoutEmptySections(got); again != got {
			t.Fatalf("a second time it takes away more: %s", cmp.Diff(got, again))
		}
	})
}

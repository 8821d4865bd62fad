package rewrite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/dream/rewrite"
)

func TestUndone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, written, current, want string }{
		"nothing happened since":  {"a\n", "a\nb\n", "a\nb\n", "a\n"},
		"an edit elsewhere stays": {"a\nx\nc\n", "a\nx\nc\nb\n", "A\nx\nc\nb\n", "A\nx\nc\n"},
		"the next dream's section stays": {
			"# M\n", "# M\n\n## 1\n\n- one\n", "# M\n\n## 1\n\n- one\n\n## 2\n\n- two\n", "# M\n\n## 2\n\n- two\n",
		},
		"a line in front of it stays": {"# M\n", "# M\n- one\n", "# M\n- mine\n- one\n", "# M\n- mine\n"},
		"a heading stays over what others wrote under it": {
			"# M\n", "# M\n\n## Today\n\n- one\n", "# M\n\n## Today\n\n- one\n- two\n", "# M\n\n## Today\n\n- two\n",
		},
		"a heading goes when another one follows": {
			"# M\n", "# M\n\n## Today\n\n- one\n", "# M\n\n## Today\n\n- one\n\n## Tomorrow\n\n- two\n", "# M\n\n## Tomorrow\n\n- two\n",
		},
		"what was written into a new text":    {"", "- one\n", "- one\n- mine\n", "- mine\n"},
		"what it took away comes back":        {"a\nold\nb\n", "a\nb\n", "a\nb\nc\n", "a\nold\nb\nc\n"},
		"what it replaced comes back":         {"a\nold\nb\n", "a\nnew\nb\n", "a\nnew\nb\nc\n", "a\nold\nb\nc\n"},
		"it is gone already":                  {"a\n", "a\nb\n", "a\n", "a\n"},
		"without a last line break":           {"a", "a\nb", "a\nb\nc", "a\nc"},
		"both ends of the section got a line": {"a\nz\n", "a\none\ntwo\nz\n", "a\nx\none\ntwo\ny\nz\n", "a\nx\ny\nz\n"},
	} {
		got, conflicts := rewrite.Undo(c.before, c.written, c.current)
		if diff := cmp.Diff(c.want, got); diff != "" || len(conflicts) > 0 {
			t.Errorf("%s: %v\n%s", name, conflicts, diff)
		}
	}
}

// Somebody who changed the dream's own lines is asked.
func TestUndoneConflicts(t *testing.T) {
	t.Parallel()
	got, conflicts := rewrite.Undo("a\n", "a\nb\nc\n", "a\nb, they said\nc\n")
	if got != "" || len(conflicts) != 1 || conflicts[0].Theirs.Text != "b, they said\nc\n" {
		t.Errorf("%q, %+v", got, conflicts)
	}
}

// Later changes by others are never lost, and nothing that only the dream wrote stays.
func TestUndoneKeepsOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(label, prefix string) []string {
			n := rapid.IntRange(0, 6).Draw(t, label)
			lines := make([]string, n)
			for i := range lines {
				lines[i] = prefix + string(rune('a'+i)) + "\n"
			}
			return lines
		}
		// insert puts lines into a text at drawn places, each one at its own.
		insert := func(label string, into, lines []string) []string {
			out := append([]string{}, into...)
			for _, line := range lines {
				at := rapid.IntRange(0, len(out)).Draw(t, label)
				out = append(out[:at:at], append([]string{line}, out[at:]...)...)
			}
			return out
		}
		before := text("before", "old ")
		written := insert("dream", before, text("dreamed", "dream "))
		theirs := text("added", "their ")
		current := insert("others", written, theirs)
		got, conflicts := rewrite.Undo(strings.Join(before, ""), strings.Join(written, ""), strings.Join(current, ""))
		if len(conflicts) > 0 { // they wrote between the lines of the dream: it is theirs to decide
			return
		}
		for _, line := range append(before, theirs...) {
			if !strings.Contains(got, line) {
				t.Fatalf("%q is gone from %q", line, got)
			}
		}
		if strings.Contains(got, "dream ") {
			t.Fatalf("the dream's words stay: %q", got)
		}
	})
}

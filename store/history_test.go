package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

func TestBlame(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, ref := member("user:7"), personal("MEMORY.md")
	write(t, s, id, replace(ref, 0, "# M\n- likes tea\n"))
	c := memory.Change{
		Ref: ref, Op: memory.OpReplace, Base: 1, Content: "# M\n- likes tea\n- lives in Kyoto\n", Reason: "said so",
		Sources: memory.Sources{
			Conversation: "c", From: 3, To: 6, Lines: []memory.LineSource{{Line: "- lives in Kyoto", Messages: []int64{5}}},
		},
	}
	write(t, s, workflow("user:7", "r1"), c)
	lines := must[[]memory.BlameLine](t)(s.Blame(t.Context(), id, ref, 0))
	type short struct {
		Line     string
		Version  int
		Kind     memory.AuthorKind
		Reason   string
		Messages []int64
	}
	var got []short
	for _, l := range lines {
		got = append(got, short{l.Line, l.Version, l.Author.Kind, l.Reason, l.Messages})
	}
	want := []short{
		{"# M", 1, memory.AuthorUser, "test", nil},
		{"- likes tea", 1, memory.AuthorUser, "test", nil},
		{"- lives in Kyoto", 2, memory.AuthorWorkflow, "said so", []int64{5}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blame (-want +got):\n%s", diff)
	}
	if lines := must[[]memory.BlameLine](t)(s.Blame(t.Context(), id, ref, 1)); len(lines) != 2 {
		t.Errorf("blame of version 1: %v", lines)
	}
	for _, number := range []int{3, -1} {
		if _, err := s.Blame(t.Context(), id, ref, number); !is(pg.ErrNotFound)(err) {
			t.Errorf("blame of version %d: %v", number, err)
		}
		if _, err := s.VersionOf(t.Context(), id, ref, number); !is(pg.ErrNotFound)(err) {
			t.Errorf("version %d: %v", number, err)
		}
	}
	if _, err := s.History(t.Context(), id, personal("none.md"), 0, 10); !is(pg.ErrNotFound)(err) {
		t.Errorf("history of nothing: %v", err)
	}
}

// The lines of a person that a document carries along are those that blame of its whole history finds.
func TestPersonLinesFollowBlame(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ref := personal(fmt.Sprintf("p%d.md", n))
		for range rapid.IntRange(1, 8).Draw(t, "versions") {
			// Lines are all different: of equal ones, which one a person wrote would be a matter of taste.
			numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 12), 0, 8, rapid.ID[int]).Draw(t, "lines")
			if rapid.Bool().Draw(t, "in order") {
				slices.Sort(numbers)
			}
			var content strings.Builder
			for _, number := range numbers {
				fmt.Fprintf(&content, "line %d\n", number)
			}
			c := memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: content.String()}
			if rapid.IntRange(0, 5).Draw(t, "op") == 0 {
				c = memory.Change{
					Ref: ref, Op: memory.OpAppend, Content: fmt.Sprintf("line %d\n", rapid.IntRange(13, 1000).Draw(t, "appended")),
				}
			}
			id := member("user:7")
			if rapid.Bool().Draw(t, "workflow") {
				id = workflow("user:7", "r")
			}
			write(t, s, id, c)
		}
		var contents []memory.Version
		for _, v := range must[[]memory.Version](t)(s.History(t.Context(), member("user:7"), ref, 0, 100)) {
			contents = append(contents, must[memory.Version](t)(s.VersionOf(t.Context(), member("user:7"), ref, v.Number)))
		}
		slices.Reverse(contents)
		want := memory.PersonLines(contents)
		got := query[[]string](t, s, member("user:7"), "select person_lines from documents where path = $1", ref.Path)[0]
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(slices.Compact(want), slices.Compact(got), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("lines of a person (-blame +carried):\n%s", diff)
		}
	})
}

// A document is read, listed and rendered as it was at a time: before it existed, while it was another one, and after it was deleted.
func TestDocumentsAsOf(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	write := func(scope memory.Scope, content string) {
		t.Helper()
		now = now.Add(time.Hour)
		change := memory.Change{Ref: memory.Ref{Scope: scope, Path: "PROFILE.md"}, Op: memory.OpReplace, Content: content, Force: true}
		if content == "" {
			change.Op = memory.OpDelete
		}
		if _, err := s.Apply(t.Context(), id, "", []memory.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	write(memory.ScopeTeam, "team")      // 1
	write(memory.ScopePersonal, "first") // 2
	write(memory.ScopePersonal, "second")
	write(memory.ScopePersonal, "") // 4
	write(memory.ScopePersonal, "back")
	for hours, want := range map[int]string{1: "team", 2: "first", 3: "second", 4: "team", 5: "back", 99: "back"} {
		then := testClock.Add(time.Duration(hours)*time.Hour + time.Minute)
		d, err := s.DocumentAsOf(t.Context(), id, "PROFILE.md", "", then)
		if err != nil || d.Content != want {
			t.Errorf("after %d hours: %q, %v, want %q", hours, d.Content, err, want)
		}
		listed := false
		for _, e := range must[[]gate.DocumentEntry](t)(s.ReadableDocuments(t.Context(), id, gate.DocumentFilter{AsOf: then})) {
			listed = listed || e.Path == d.Path && e.Scope == d.Scope && e.Version == d.Version && e.Content == ""
		}
		if !listed {
			t.Errorf("after %d hours version %d is not listed", hours, d.Version)
		}
		prompt := memory.SystemPrompt(must[[]memory.Document](t)(s.PromptDocuments(t.Context(), id, then)))
		if d.Enabled && !strings.Contains(prompt, want) {
			t.Errorf("after %d hours the prompt lacks %q", hours, want)
		}
	}
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeGlobal} {
		if _, err := s.DocumentAsOf(t.Context(), id, "PROFILE.md", scope, testClock.Add(time.Hour)); !errors.Is(err, pg.ErrNotFound) {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/memory"
	"reverie/scan"
	"reverie/store/gate"
	"reverie/store/pg"
)

func team(path string) memory.Ref { return memory.Ref{Scope: memory.ScopeTeam, Path: path} }

func personal(path string) memory.Ref { return memory.Ref{Scope: memory.ScopePersonal, Path: path} }

func global(path string) memory.Ref { return memory.Ref{Scope: memory.ScopeGlobal, Path: path} }

// replace returns the replacement of a document that was at version base.
func replace(ref memory.Ref, base int, content string) memory.Change {
	return memory.Change{Ref: ref, Op: memory.OpReplace, Base: base, Content: content, Reason: "test"}
}

// write applies one change and returns its receipt.
func write(t tester, s *Store, id memory.Identity, c memory.Change) memory.ChangeReceipt {
	t.Helper()
	return must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{c})).Changes[0]
}

func TestReplace(t *testing.T) {
	t.Parallel()
	s := openStore(t, at(func() time.Time { return testClock }))
	id := member("user:7")
	ref := team("notes/a.md")
	c := replace(ref, 0, "one\ntwo\n")
	c.Sources = memory.Sources{Conversation: "c", From: 1, To: 2, Lines: []memory.LineSource{{Line: "one", Messages: []int64{2}}}}

	receipt := must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{c}))
	sum := sha256.Sum256([]byte("one\ntwo\n"))
	want := memory.Receipt{Token: receipt.Token, Changes: []memory.ChangeReceipt{{
		Document: receipt.Changes[0].Document, Scope: memory.ScopeTeam, Path: "notes/a.md", Version: 1, Created: true, Changed: true,
		Added: 2, Bytes: 8, SHA256: hex.EncodeToString(sum[:]), Verdict: scan.VerdictAllow,
	}}}
	if diff := cmp.Diff(want, receipt); diff != "" || receipt.Token == "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	d := must[memory.Document](t)(s.Document(t.Context(), id, ref))
	wantDocument := memory.Document{
		ID: receipt.Changes[0].Document, Scope: memory.ScopeTeam, Agent: "ada", Path: "notes/a.md", Version: 1, Content: "one\ntwo\n",
		SHA256: sum, UpdatedAt: testClock, UpdatedBy: id.Author,
	}
	if diff := cmp.Diff(wantDocument, d); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	v := must[memory.Version](t)(s.VersionOf(t.Context(), id, ref, 1))
	wantVersion := memory.Version{
		Number: 1, Content: "one\ntwo\n", SHA256: sum, Author: id.Author, Reason: "test", Sources: c.Sources, Added: 2,
		CreatedAt: testClock,
	}
	if diff := cmp.Diff(wantVersion, v); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}

	same := write(t, s, id, replace(ref, 1, "one\ntwo\n"))
	if same.Changed || same.Version != 1 || same.Bytes != 8 {
		t.Errorf("the same content again: %+v, want no version", same)
	}
	if r := must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 1, "one\ntwo\n")})); r.Token != "" {
		t.Errorf("nothing was written, but the token is %q", r.Token)
	}
	next := write(t, s, id, replace(ref, 1, "one\n2\n"))
	if !next.Changed || next.Created || next.Version != 2 || next.Added != 1 || next.Removed != 1 {
		t.Errorf("a change: %+v", next)
	}
}

func TestStaleBase(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, ref := member("user:7"), personal("MEMORY.md")
	base := "# M\n\n- a\n- b\n- c\n- d\n"
	write(t, s, id, replace(ref, 0, base))
	write(t, s, id, replace(ref, 1, strings.Replace(base, "- a\n", "- A\n", 1)))

	merged := write(t, s, id, replace(ref, 1, strings.Replace(base, "- d\n", "- D\n", 1)))
	if !merged.Merged || merged.Version != 3 {
		t.Errorf("receipt of a merge: %+v", merged)
	}
	d := must[memory.Document](t)(s.Document(t.Context(), id, ref))
	if want := "# M\n\n- A\n- b\n- c\n- D\n"; d.Content != want {
		t.Errorf("merged to %q, want %q", d.Content, want)
	}
	v := must[memory.Version](t)(s.VersionOf(t.Context(), id, ref, 3))
	if !v.Merged || v.BaseVersion != 1 {
		t.Errorf("version says merged %v, base %d", v.Merged, v.BaseVersion)
	}

	yours := strings.Replace(base, "- a\n", "- other\n", 1)
	_, err := s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 1, yours), replace(team("new.md"), 0, "x")})
	var stale *pg.StaleBaseError
	if !errors.As(err, &stale) {
		t.Fatalf("got %v, want *StaleBaseError", err)
	}
	want := &pg.StaleBaseError{Ref: ref, Base: 1, Head: 3, BaseContent: base, Yours: yours, Theirs: d.Content}
	if diff := cmp.Diff(want, stale, cmpopts.IgnoreFields(pg.StaleBaseError{}, "Conflicts")); diff != "" || len(stale.Conflicts) != 1 {
		t.Errorf("conflicts %v, error (-want +got):\n%s", stale.Conflicts, diff)
	}
	if strings.Contains(err.Error(), "other") {
		t.Errorf("the error repeats contents: %v", err)
	}
	if _, err := s.Document(t.Context(), id, team("new.md")); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("the other change of the call was written: %v", err)
	}

	if _, err := s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 0, "blind")}); !errors.As(err, &stale) || stale.Head != 3 {
		t.Errorf("a blind overwrite: %v, want *StaleBaseError", err)
	}
	if _, err := s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 9, "future")}); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("a base that does not exist: %v, want ErrNotFound", err)
	}
	forced := replace(ref, 0, "forced")
	forced.Force = true
	if r := write(t, s, id, forced); r.Version != 4 {
		t.Errorf("forced: %+v", r)
	}
	if v := must[memory.Version](t)(s.VersionOf(t.Context(), id, ref, 4)); v.BaseVersion != 3 {
		t.Errorf("forced version has base %d, want 3", v.BaseVersion)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, ref := member("user:7"), personal("memory/2026-11-21.md")
	add := func(content string) memory.ChangeReceipt {
		return write(t, s, id, memory.Change{Ref: ref, Op: memory.OpAppend, Create: "# 2026-11-21\n", Content: content})
	}
	for i, step := range []struct {
		content, want string
		created       bool
		version       int
	}{
		{"## 09:00 a\n- x\n", "# 2026-11-21\n\n## 09:00 a\n- x\n", true, 1},
		{"\n\n- y", "# 2026-11-21\n\n## 09:00 a\n- x\n\n- y", false, 2},
		{"- z\n", "# 2026-11-21\n\n## 09:00 a\n- x\n\n- y\n\n- z\n", false, 3},
		{"", "# 2026-11-21\n\n## 09:00 a\n- x\n\n- y\n\n- z\n", false, 3},
	} {
		r := add(step.content)
		d := must[memory.Document](t)(s.Document(t.Context(), id, ref))
		if d.Content != step.want || r.Created != step.created || r.Version != step.version || d.Enabled {
			t.Errorf("step %d: content %q, receipt %+v, enabled %v", i, d.Content, r, d.Enabled)
		}
	}
}

func TestDeleteUndeleteRestore(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, ref := member("user:7"), team("a.md")
	do := func(op memory.Op, change func(*memory.Change)) (memory.ChangeReceipt, error) {
		c := memory.Change{Ref: ref, Op: op}
		if change != nil {
			change(&c)
		}
		receipt, err := s.Apply(t.Context(), id, "", []memory.Change{c})
		if err != nil {
			return memory.ChangeReceipt{}, err
		}
		return receipt.Changes[0], nil
	}
	for _, op := range []memory.Op{memory.OpDelete, memory.OpUndelete, memory.OpRestore} {
		if _, err := do(op, func(c *memory.Change) { c.Restore = 1 }); !errors.Is(err, pg.ErrNotFound) {
			t.Errorf("%s of nothing: %v, want ErrNotFound", op, err)
		}
	}
	write(t, s, id, replace(ref, 0, "one\n"))
	write(t, s, id, replace(ref, 1, "two\n"))

	var stale *pg.StaleBaseError
	if _, err := do(memory.OpDelete, func(c *memory.Change) { c.Base = 1 }); !errors.As(err, &stale) {
		t.Errorf("delete on a stale base: %v, want *StaleBaseError", err)
	}
	if r := must[memory.ChangeReceipt](t)(do(memory.OpUndelete, nil)); r.Changed || r.Bytes != 4 {
		t.Errorf("undelete of what is there: %+v, want no change", r)
	}
	both := must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{
		{Ref: personal("b.md"), Op: memory.OpAppend, Content: "b"},
		{Ref: personal("b.md"), Op: memory.OpDelete},
		{Ref: personal("b.md"), Op: memory.OpUndelete},
	}))
	if r := both.Changes[2]; r.Version != 3 || r.Bytes != 1 {
		t.Errorf("made, deleted and undeleted in one call: %+v", r)
	}
	deleted := must[memory.ChangeReceipt](t)(do(memory.OpDelete, nil))
	if deleted.Version != 3 || deleted.Removed != 1 || deleted.Bytes != 0 {
		t.Errorf("delete: %+v", deleted)
	}
	if again := must[memory.ChangeReceipt](t)(do(memory.OpDelete, nil)); again.Changed {
		t.Errorf("delete again: %+v, want no change", again)
	}
	if _, err := s.Document(t.Context(), id, ref); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("a deleted document is read: %v", err)
	}
	if list := must[[]gate.DocumentEntry](t)(s.Documents(t.Context(), id, gate.DocumentFilter{Prefix: "a.md"})); len(list) != 0 {
		t.Errorf("a deleted document is listed: %v", list)
	}
	list := must[[]gate.DocumentEntry](t)(s.Documents(t.Context(), id, gate.DocumentFilter{Prefix: "a.md", IncludeDeleted: true}))
	if len(list) != 1 || !list[0].Deleted || list[0].Version != 3 {
		t.Errorf("with deleted ones: %+v", list)
	}
	if lines := must[[]memory.BlameLine](t)(s.Blame(t.Context(), id, ref, 0)); len(lines) != 0 {
		t.Errorf("blame of a deleted document: %v", lines)
	}
	undeleted := must[memory.ChangeReceipt](t)(do(memory.OpUndelete, nil))
	if undeleted.Version != 4 || undeleted.Added != 1 {
		t.Errorf("undelete: %+v", undeleted)
	}
	d := must[memory.Document](t)(s.Document(t.Context(), id, ref))
	if d.Content != "two\n" {
		t.Errorf("undeleted to %q", d.Content)
	}
	if lines := must[[]memory.BlameLine](t)(s.Blame(t.Context(), id, ref, 0)); len(lines) != 1 || lines[0].Version != 2 {
		t.Errorf("blame after undelete: %+v, want version 2, which wrote the line", lines)
	}
	if _, err := do(memory.OpRestore, func(c *memory.Change) { c.Restore = 3 }); !invalid("restore")(err) {
		t.Errorf("restore of a deletion: %v", err)
	}
	if _, err := do(memory.OpRestore, func(c *memory.Change) { c.Restore = 9 }); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("restore of a version that does not exist: %v", err)
	}
	restored := must[memory.ChangeReceipt](t)(do(memory.OpRestore, func(c *memory.Change) { c.Restore = 1 }))
	d = must[memory.Document](t)(s.Document(t.Context(), id, ref))
	if restored.Version != 5 || d.Content != "one\n" {
		t.Errorf("restore: %+v, content %q", restored, d.Content)
	}

	must[memory.ChangeReceipt](t)(do(memory.OpDelete, nil))
	if _, err := s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 5, "late\n")}); !errors.As(err, &stale) || stale.Theirs != "" {
		t.Errorf("an edit of what was deleted meanwhile: %v, want *StaleBaseError", err)
	}
	if _, err := s.Apply(t.Context(), id, "", []memory.Change{replace(ref, 5, "one\n")}); !errors.As(err, &stale) {
		t.Errorf("the old text again, of what was deleted meanwhile: %v, want *StaleBaseError", err)
	}
	if r := write(t, s, id, replace(ref, 0, "anew\n")); r.Version != 7 || r.Created {
		t.Errorf("written anew: %+v", r)
	}
	must[memory.ChangeReceipt](t)(do(memory.OpDelete, nil))
	appended := memory.Change{Ref: ref, Op: memory.OpAppend, Create: "# start\n", Content: "more\n"}
	write(t, s, id, appended)
	if d = must[memory.Document](t)(s.Document(t.Context(), id, ref)); d.Content != "# start\n\nmore\n" {
		t.Errorf("appended to a deleted document: %q, want a new beginning", d.Content)
	}
	var numbers []int
	for _, v := range must[[]memory.Version](t)(s.History(t.Context(), id, ref, 6, 2)) {
		numbers = append(numbers, v.Number)
		if v.Content != "" {
			t.Errorf("history has contents")
		}
	}
	if diff := cmp.Diff([]int{5, 4}, numbers); diff != "" {
		t.Errorf("history below 6 (-want +got):\n%s", diff)
	}
}

// Several changes of one call build on each other, and refuse together.
func TestChangesOfOneCall(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	note := func(content string) memory.Change {
		return memory.Change{Ref: personal("memory/n.md"), Op: memory.OpAppend, Create: "# n\n", Content: content}
	}
	receipt := must[memory.Receipt](t)(s.Apply(t.Context(), id, "", []memory.Change{
		replace(team("b.md"), 0, "b"), note("- 1\n"), replace(team("a.md"), 0, "a"), note("- 2\n"),
	}))
	var paths []string
	for _, c := range receipt.Changes {
		paths = append(paths, fmt.Sprint(c.Path, " ", c.Version))
	}
	if diff := cmp.Diff([]string{"b.md 1", "memory/n.md 1", "a.md 1", "memory/n.md 2"}, paths); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("memory/n.md"))); d.Content != "# n\n\n- 1\n\n- 2\n" {
		t.Errorf("note is %q", d.Content)
	}
	_, err := s.Apply(t.Context(), id, "", []memory.Change{note("- 3\n"), {Ref: team("none.md"), Op: memory.OpDelete}})
	if !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("memory/n.md"))); d.Version != 2 {
		t.Errorf("a refused call has written version %d", d.Version)
	}
}

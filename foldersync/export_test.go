package foldersync

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

func (b *bench) export(force bool) Exported {
	b.Helper()
	b.folder.settle = 0
	done, err := Export(b.Context(), b.folder, b.server, Identity{Agent: "ada"}, force)
	if err != nil {
		b.Fatal(err)
	}
	return done
}

func TestExportWritesWhatItMay(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("MEMORY.md", "one\n")
	b.onServer("memory/a.md", "two\n")
	b.onServer("memory/b.md", "three\n")
	b.onServer("memory/.hidden.md", "no file\n")
	b.server.put(memory.Ref{Scope: memory.ScopeGlobal, Path: "MEMORY.md"}, "all\n")
	b.file("memory/b.md", "somebody's own\n")
	done := b.export(false)
	if want := []string{"MEMORY.md", "global/MEMORY.md", "memory/a.md"}; !cmp.Equal(sorted(done.Written), want) {
		t.Errorf("written %v", done.Written)
	}
	if done.Kept["memory/b.md"] == "" || done.Skipped["memory/.hidden.md"] == "" || b.text("memory/b.md") != "somebody's own\n" {
		t.Errorf("%+v", done)
	}
	var m Manifest
	if err := json.Unmarshal([]byte(b.text(".reverie/export.json")), &m); err != nil || len(m.Files) != 3 ||
		m.Files[0].SHA256 != SumOf("one\n") {
		t.Errorf("%+v, %v", m, err)
	}

	// Later: unchanged files are replaced, edited files stay, deleted documents are reported.
	b.onServer("MEMORY.md", "one, changed\n")
	b.onServer("memory/a.md", "two, changed\n")
	b.file("memory/a.md", "two, edited\n")
	b.server.deleted[memory.Ref{Scope: memory.ScopeGlobal, Path: "MEMORY.md"}] = true
	done = b.export(false)
	if !slices.Equal(done.Written, []string{"MEMORY.md"}) || !slices.Equal(done.Gone, []string{"global/MEMORY.md"}) ||
		!slices.Equal(slices.Sorted(maps.Keys(done.Kept)), []string{"memory/a.md", "memory/b.md"}) {
		t.Errorf("%+v", done)
	}
	if b.text("memory/a.md") != "two, edited\n" || b.text("MEMORY.md") != "one, changed\n" {
		t.Errorf("%q, %q", b.text("memory/a.md"), b.text("MEMORY.md"))
	}
	if done = b.export(true); len(done.Kept) > 0 || b.text("memory/a.md") != "two, changed\n" {
		t.Errorf("%+v, %q", done, b.text("memory/a.md"))
	}
	if done = b.export(false); len(done.Written) > 0 || len(done.Unchanged) != 3 {
		t.Errorf("%+v", done)
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// A folder that an export wrote can be synced from then on, and one that is synced is not exported to.
func TestAnExportCanBeSynced(t *testing.T) {
	b := newBench(t, Options{})
	b.onServer("MEMORY.md", "one\n")
	b.export(false)
	b.folder.settle = testSettle
	b.file("MEMORY.md", "one\n")
	if err := b.folder.Bind(Identity{Agent: "ada"}); err != nil {
		t.Fatal(err)
	}
	b.passes()
	if len(b.conflicts()) > 0 || b.server.writes > 0 {
		t.Errorf("conflicts %v, %d writes", b.conflicts(), b.server.writes)
	}
	if _, err := Export(t.Context(), b.folder, b.server, Identity{Agent: "ada"}, true); err == nil {
		t.Error("exported into a synced folder")
	}
}

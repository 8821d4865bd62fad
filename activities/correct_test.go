package activities

import (
	"slices"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/store"
	"reverie/store/facts"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// A statement that a newer one supersedes leaves its document, as a change by the author of the newer one. What a person wrote stays.
func TestSupersededStatementsLeaveTheirDocuments(t *testing.T) {
	w := newWorld(t)
	id := member("ada", "user:1")
	extraction := id
	extraction.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "extract-1", RunID: "run-1"}
	w.write(t, extraction, memory.ScopePersonal, memory.MemoryPath,
		"# Memory\n\n- Lives in Leeds.\n- Weekly sync is on Tuesday at 10:00.\n- The port of the API is 8080.\n  - Do not change it.\n")
	w.write(t, id, memory.ScopePersonal, memory.ProfilePath, "# Profile\n\n- Works at Siemens.\n")
	must(t, w, w.TendIndex, TendIndexInput{ada})
	w.write(t, extraction, memory.ScopePersonal, "chats/c1.md", "- We moved to Sheffield over the weekend.\n"+
		"- Correction: the weekly sync is Wednesday at 10:00.\n"+
		"- I left Siemens, I work at Bosch now.\n- The port of the API was changed to 9090.\n")
	must(t, w, w.TendIndex, TendIndexInput{ada})
	at := func(path string) string {
		t.Helper()
		doc, err := w.Store.Document(t.Context(), id, memory.Ref{Scope: memory.ScopePersonal, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return doc.Content
	}
	if got, want := at(memory.MemoryPath), "# Memory\n\n- The port of the API is 8080.\n  - Do not change it.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := at(memory.ProfilePath), "# Profile\n\n- Works at Siemens.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	versions := w.count(t, `select count(*) from document_versions where author_kind = 'workflow' and author_id = 'builtin'
		and run_id = 'run-1' and reason = 'superseded by a newer statement'`)
	if versions != 2 {
		t.Errorf("%d versions say why", versions)
	}

	// The same messages, read once more, do not bring it back, and neither does an import of an older state.
	imported := id
	imported.Author = memory.Author{Kind: memory.AuthorImport, ID: "zip", WorkflowID: "import-1", RunID: "run-2"}
	for _, again := range []memory.Identity{extraction, imported} {
		w.write(t, again, memory.ScopePersonal, memory.MemoryPath,
			"# Memory\n\n- The port of the API is 8080.\n  - Do not change it.\n- Weekly sync is on Tuesday at 10:00.\n")
		must(t, w, w.TendIndex, TendIndexInput{ada})
		if got, want := at(memory.MemoryPath), "# Memory\n\n- The port of the API is 8080.\n  - Do not change it.\n"; got != want {
			t.Errorf("learned again by %s: got %q, want %q", again.Author.Kind, got, want)
		}
		if got := at("chats/c1.md"); !strings.Contains(got, "Wednesday") {
			t.Errorf("the newer statement is gone: %q", got)
		}
	}

	// Anyone who undoes it keeps the statement.
	w.write(t, id, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Lives in Leeds.\n")
	must(t, w, w.TendIndex, TendIndexInput{ada})
	if got, want := at(memory.MemoryPath), "# Memory\n\n- Lives in Leeds.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Without an embedding model, the sweep finds agents whose documents have changed, even if a reader has derived their facts before the
// worker did: superseded statements still leave their documents.
func TestASweepFindsWhatIsSuperseded(t *testing.T) {
	for name, reads := range map[string]bool{"nobody reads": false, "a reader derives the facts": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			id := member("ada", "user:1")
			learning := id
			learning.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "extract-1", RunID: "run-1"}
			w.write(t, learning, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Lives in Leeds.\n- Likes tea.\n")
			isDue := func() bool {
				t.Helper()
				agents, err := w.Store.DueAgents(t.Context(), store.Lease{Limit: 10}, false, AgentRef{})
				if err != nil {
					t.Fatal(err)
				}
				return slices.ContainsFunc(agents, func(a indexes.DueAgent) bool { return a.AgentRef == ada && a.Due })
			}
			if !isDue() {
				t.Error("what was written is not due")
			}
			must(t, w, w.TendIndex, TendIndexInput{ada})
			if isDue() {
				t.Error("what is done is due again")
			}
			w.write(t, learning, memory.ScopePersonal, "chats/c1.md", "- I moved to Sheffield over the weekend.\n")
			if reads {
				if _, err := w.Store.Contradictions(t.Context(), id, facts.StateOpen, pg.Page{}); err != nil {
					t.Fatal(err)
				}
			}
			if !isDue() {
				t.Fatal("a superseded statement is not due")
			}
			must(t, w, w.TendIndex, TendIndexInput{ada})
			doc, err := w.Store.Document(t.Context(), id, memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
			if err != nil || doc.Content != "# Memory\n\n- Likes tea.\n" {
				t.Errorf("%q, %v", doc.Content, err)
			}
			must(t, w, w.TendIndex, TendIndexInput{ada}) // the correction is a change as well
			if isDue() {
				t.Error("what is done is due again")
			}
		})
	}
}

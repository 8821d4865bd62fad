package activities

import (
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/imports"
	"reverie/memory"
	"reverie/snapshot"
	"reverie/store/admin"
	"reverie/store/transfer"
)

// holder makes a key and returns its identity for an owner, and what revokes it.
func (w *world) holder(t *testing.T, name string) (id memory.Identity, revoke func()) {
	t.Helper()
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	_, key, err := w.Store.CreateKey(t.Context(), root, admin.NewKey{Name: name, Role: memory.RoleMember})
	if err != nil {
		t.Fatal(err)
	}
	return key.Identity().For("ada", "user:7"), func() {
		t.Helper()
		if err := w.Store.RevokeKey(t.Context(), root, key.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// What a key has uploaded is not written after the key was revoked, no matter who starts the import.
func TestItemsOfARevokedKeyAreNotImported(t *testing.T) {
	w := newWorld(t)
	leaver, revoke := w.holder(t, "leaver")
	stayer, _ := w.holder(t, "stayer")
	made, err := w.Store.CreateImport(t.Context(), stayer, transfer.NewImport{Source: "s", Format: "mem0", OnConflict: memory.ImportMerge})
	if err != nil {
		t.Fatal(err)
	}
	for path, id := range map[string]memory.Identity{"memory/left.md": leaver, "memory/stayed.md": stayer} {
		payload, err := json.Marshal(imports.Item{Document: &imports.Document{Path: path, Scope: memory.ScopePersonal, Content: "- tea\n"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Store.StageImport(t.Context(), id, made.ID, []transfer.ImportItem{{
			Key: path, Whose: "user:7", Target: path, At: time.Now(), Payload: payload,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Store.StartImport(t.Context(), stayer, made.ID); err != nil {
		t.Fatal(err)
	}
	revoke()
	in := ImportPageInput{AgentRef: AgentRef{Workspace: "acme", Agent: "ada"}, Import: made.ID, Parallel: 1}
	if out := must(t, w, w.ImportPage, in); out.Outcomes[memory.OutcomeWritten] != 1 || out.Outcomes[memory.OutcomeFailed] != 1 {
		t.Errorf("the outcomes are %v", out.Outcomes)
	}
	if _, err := w.Store.Document(t.Context(), stayer, memory.Ref{Scope: memory.ScopePersonal, Path: "memory/left.md"}); err == nil {
		t.Error("the document of a revoked key was written")
	}
}

// Nor is a snapshot of a revoked key, while that of another is.
func TestASnapshotOfARevokedKeyIsRefused(t *testing.T) {
	w := newWorld(t)
	stage := func(id memory.Identity, path string) uuid.UUID {
		t.Helper()
		data, err := snapshot.Write(snapshot.Origin{AgentID: "eve", AgentName: "Eve", ExportedAt: time.Now()}, []snapshot.File{
			{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Content: "- tea\n"},
		})
		if err != nil {
			t.Fatal(err)
		}
		staged, err := w.Store.StageSnapshot(t.Context(), id, transfer.SnapshotRequest{
			Archive: sha256.Sum256(data), Data: data, Choice: snapshot.ChoosePersonal,
		})
		if err != nil {
			t.Fatal(err)
		}
		return staged.ID
	}
	leaver, revoke := w.holder(t, "leaver")
	stayer, _ := w.holder(t, "stayer")
	theirs, ours := stage(leaver, "memory/left.md"), stage(stayer, "memory/stayed.md")
	revoke()
	ref := AgentRef{Workspace: "acme", Agent: "ada"}
	if out := must(t, w, w.CommitSnapshot, SnapshotInput{AgentRef: ref, Import: theirs}); out.Outcome != transfer.OutcomeRefused || out.ReasonCode !=
		ReasonKeyRevoked {
		t.Errorf("the snapshot of a revoked key ends as %+v", out)
	}
	if out := must(t, w, w.CommitSnapshot, SnapshotInput{AgentRef: ref, Import: ours}); out.Outcome != memory.OutcomeWritten {
		t.Errorf("the other ends as %+v", out)
	}
}

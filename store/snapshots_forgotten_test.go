package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	snap "reverie/snapshot"
)

// archived is an archive of documents as an import gets it.
func archived(t *testing.T, files ...snap.File) (snap.Archive, snap.Taken, []byte) {
	t.Helper()
	data := must[[]byte](t)(snap.Write(snap.Origin{AgentID: "eve", AgentName: "Eve"}, files))
	archive := must[snap.Archive](t)(snap.Read(data))
	taken, refused := archive.Choose(snap.Rights{Choice: snap.ChooseAll, Owner: true, Team: true})
	if len(refused) > 0 {
		t.Fatalf("%+v", refused)
	}
	return archive, taken, data
}

// committed stages an archive and imports it.
func committed(t *testing.T, s *Store, id memory.Identity, files ...snap.File) SnapshotImport {
	t.Helper()
	archive, taken, data := archived(t, files...)
	r := SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll}
	staged := must[SnapshotImport](t)(s.StageSnapshot(t.Context(), id, r))
	return must[SnapshotImport](t)(s.CommitSnapshot(t.Context(), id, staged.ID, archive, taken, nil))
}

// bySnapshot is who an import writes as.
func bySnapshot(owner memory.Owner) memory.Identity {
	id := member(owner)
	id.Author = memory.Author{Kind: memory.AuthorImport, ID: "key", WorkflowID: "import/ada/x", RunID: "r"}
	return id
}

// A snapshot from before does not bring back what was forgotten since, and says so; who restores the version that said it has it
// back, and then the snapshot brings it, too.
func TestForgottenDoesNotComeBackBySnapshot(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	ref := personal(memory.MemoryPath)
	const before, after = "# Memory\n\n- Likes tea.\n- Has a dog.\n", "# Memory\n\n- Has a dog.\n"
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: before})
	old := must[SnapshotExport](t)(s.ExportSnapshot(t.Context(), id, snap.ChoosePersonal, "")).Files[0]
	must[ForgetReceipt](t)(s.Forget(t.Context(), id, ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	note := snap.File{Ref: personal("memory/2026-11-01.md"), Content: "# 2026-11-01\n\n- Likes tea.\n- Went to Oslo.\n"}

	archive, taken, _ := archived(t, old, note)
	p := must[SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, snap.ChooseAll, taken))
	for _, c := range p.Changes {
		if !c.Withheld || c.After == "" || c.Version == 0 {
			t.Errorf("preview: %+v", c)
		}
	}
	got := committed(t, s, machine, old, note)
	if got.Outcome != memory.OutcomeWritten || got.Created != 1 || got.Updated != 0 {
		t.Errorf("%+v", got)
	}
	var told []SnapshotFile
	for _, f := range got.Files {
		if f.Path != "" {
			told = append(told, SnapshotFile{Path: f.Path, Outcome: f.Outcome, Reason: f.Reason, Withheld: f.Withheld})
		}
	}
	want := []SnapshotFile{
		{Path: memory.MemoryPath, Outcome: FileUnchanged, Reason: snap.SkippedWithheld, Withheld: true},
		{Path: note.Path, Outcome: FileCreated, Withheld: true},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(after, contentOf(t, s, id, ref.Path)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("# 2026-11-01\n\n- Went to Oslo.\n", contentOf(t, s, id, note.Path)); diff != "" {
		t.Error(diff)
	}
	if status := statusesOf(t, s, id)["Likes tea."]; status != dream.Forgotten {
		t.Errorf("status %q", status)
	}
	// Somebody else's is not concerned.
	if got := committed(t, s, bySnapshot("user:2"), old); got.Created != 1 || contentOf(t, s, member("user:2"), ref.Path) != before {
		t.Errorf("%+v", got)
	}

	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpRestore, Restore: 1})
	if diff := cmp.Diff(before, contentOf(t, s, id, ref.Path)); diff != "" {
		t.Error(diff)
	}
	if got := committed(t, s, machine, old, note); got.Updated != 1 || contentOf(t, s, id, note.Path) != note.Content {
		t.Errorf("%+v", got)
	}
}

// A preview shows what would be written. What a person has forgotten since, in a document that the archive does not have, would be
// left out of it: the import that is bound to that preview refuses.
func TestForgottenSinceThePreview(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n- Has a dog.\n"})
	archive, taken, data := archived(t, snap.File{Ref: personal("memory/2026-11-01.md"), Content: "- Likes tea.\n- Went to Oslo.\n"})
	p := must[SnapshotPreview](t)(s.PreviewSnapshot(t.Context(), machine, archive, snap.ChooseAll, taken))
	must[ForgetReceipt](t)(s.Forget(t.Context(), id, ForgetRequest{Ref: personal(memory.MemoryPath), FromLine: 3, ToLine: 3}))

	staged := must[SnapshotImport](t)(s.StageSnapshot(t.Context(), machine, SnapshotRequest{Archive: archive.SHA256, Data: data, Choice: snap.ChooseAll, Token: p.Token}))
	_, err := s.CommitSnapshot(t.Context(), machine, staged.ID, archive, taken, nil)
	if conflict, is := errors.AsType[*ConflictError](err); !is || conflict.Code != CodeChangedSincePreview {
		t.Errorf("%v", err)
	}
	if got := contentOf(t, s, id, "memory/2026-11-01.md"); got != "" {
		t.Errorf("written all the same: %q", got)
	}
}

// Nor does it come back from another system: what else a document says moves in, and nothing at all is left as it is.
func TestForgottenDoesNotMoveIn(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id, machine := member("user:1"), bySnapshot("user:1")
	ref := personal(memory.MemoryPath)
	write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n- Has a dog.\n"})
	must[ForgetReceipt](t)(s.Forget(t.Context(), id, ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	for _, c := range []struct {
		content, want             string
		changed, merged, withheld bool
	}{
		{"- Likes tea.\n", "# Memory\n\n- Has a dog.\n", false, false, true},
		{"- Has a dog.\n", "# Memory\n\n- Has a dog.\n", false, false, false},
		{"- Likes tea.\n- Went to Oslo.\n", "# Memory\n\n- Has a dog.\n\n## Imported from other\n\n- Went to Oslo.\n", true, true, true},
	} {
		receipt := must[memory.Receipt](t)(s.Apply(t.Context(), machine, "", []memory.Change{
			{Ref: ref, Op: memory.OpImport, Import: memory.ImportMerge, From: "other", Content: c.content},
		})).Changes[0]
		if receipt.Changed != c.changed || receipt.Merged != c.merged || receipt.Withheld != c.withheld {
			t.Errorf("%q: %+v", c.content, receipt)
		}
		if diff := cmp.Diff(c.want, contentOf(t, s, id, ref.Path)); diff != "" {
			t.Errorf("%q: %s", c.content, diff)
		}
	}
}

package store

import (
	"crypto/sha256"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
	snap "reverie/snapshot"
)

// addSnapshot gives a place an import that goes on, with its archive; nobody's place has one of shared documents.
func (w *world) addSnapshot(t *testing.T, id memory.Identity) {
	t.Helper()
	must[SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopePersonal), false)))
	must[SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopeTeam), true)))
}

// snapshotOfTag is an archive whose bytes say whose it is; the store does not read them.
func snapshotOfTag(of tag, shared bool) SnapshotRequest {
	data := []byte(of.String())
	return SnapshotRequest{Archive: sha256.Sum256(data), Data: data, Choice: snap.ChooseAll, Shared: shared}
}

// snapshotTags are whose imports an answer is about.
func snapshotTags(id memory.Identity, imports ...SnapshotImport) (tags []tag) {
	for _, i := range imports {
		of := tag{id.Workspace, id.Agent, string(i.Owner)}
		if i.Owner == memory.NoOwner {
			of.owner = "TEAM"
		}
		tags = append(tags, of)
	}
	return tags
}

// anySnapshot is an import of anybody, and whose it is.
func (w *world) anySnapshot(t *rapid.T) (uuid.UUID, tag) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', import_id, 'workspace', workspace_id, 'agent', agent_id, 'owner', coalesce(nullif(owner_key, ''), 'TEAM'))
from snapshot_imports
order by import_id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[map[string]string])
	if err != nil || len(all) == 0 {
		t.Fatal("no imports", err)
	}
	row := rapid.SampledFrom(all).Draw(t, "import")
	return uuid.MustParse(row["id"]), tag{row["workspace"], row["agent"], row["owner"]}
}

// takenOf are documents of an identity, as an archive would have them.
func takenOf(t *rapid.T, id memory.Identity) snap.Taken {
	scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
	file := snap.File{Ref: memory.Ref{Scope: scope, Path: "shared.md"}, Content: scopeTag(id, scope).String(), Prompt: &snap.Prompt{Enabled: true}}
	return snap.Taken{Files: []snap.Checked{{File: file}}}
}

func init() { maps.Copy(calls, snapshotCalls) }

// snapshotCalls are the calls of snapshots.
var snapshotCalls = map[string]call{
	"StageSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		shared := rapid.Bool().Draw(t, "shared")
		i, err := w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopePersonal), shared))
		return snapshotTags(id, i), nil, err
	},
	"Snapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.Snapshot(t.Context(), id, which)
		return snapshotTags(id, i), &of, err
	},
	"LoadSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, _, err := w.LoadSnapshot(t.Context(), id, which, true)
		return snapshotTags(id, i), &of, err
	},
	"Snapshots": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Snapshots(t.Context(), id, Page{Limit: MaxPage})
		return snapshotTags(id, list.Items...), nil, err
	},
	"WaitingSnapshots": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.WaitingSnapshots(t.Context(), time.Now().Add(time.Hour), MaxPage)
		return nil, nil, err // references only, as its type has nothing else
	},
	"PreviewSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p, err := w.PreviewSnapshot(t.Context(), id, snap.Archive{}, snap.ChooseAll, takenOf(t, id))
		return p, nil, err
	},
	"CommitSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.CommitSnapshot(t.Context(), id, which, snap.Archive{}, takenOf(t, id), nil)
		return snapshotTags(id, i), &of, err
	},
	"RefuseSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.RefuseSnapshot(t.Context(), id, which, "forbidden")
		return snapshotTags(id, i), &of, err
	},
	"ExportSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		e, err := w.ExportSnapshot(t.Context(), id, rapid.SampledFrom([]snap.Choice{snap.ChooseAll, snap.ChooseTeam, snap.ChoosePersonal}).Draw(t, "choice"), "")
		return e, nil, err
	},
}

package store

import (
	"crypto/sha256"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/writereq"
	snap "reverie/snapshot"
	"reverie/store/pg"
	"reverie/store/transfer"
)

// mayImport reports whether an identity may work with the imports of an owner, or without one with those of several owners.
func mayImport(id memory.Identity, g group) bool {
	return g.workspace == id.Workspace && g.agent == id.Agent && id.Agent != "" && id.MayUseAgent(id.Agent) &&
		id.Role.Includes(memory.RoleMember) && (g.owner == string(id.Owner) && (g.owner != "" || !id.Pinned))
}

// importTag returns the tag of the contents of an identity's import.
func importTag(id memory.Identity) string {
	if id.Owner == memory.NoOwner {
		return scopeTag(id, memory.ScopeTeam).String()
	}
	return scopeTag(id, memory.ScopePersonal).String()
}

// addImport gives a place an import with an item that waits and one that is settled.
func (w *world) addImport(t *testing.T, id memory.Identity) {
	t.Helper()
	says := importTag(id)
	made := must[transfer.Import](t)(
		w.CreateImport(t.Context(), id, transfer.NewImport{Source: says, Format: "mem0", Label: says, OnConflict: memory.ImportMerge}),
	)
	items := []transfer.ImportItem{
		{Key: says + "1", Target: says, Payload: []byte(says)}, {Key: says + "2", Target: says, Payload: []byte(says)},
	}
	must[transfer.StagedItems](t)(w.StageImport(t.Context(), id, made.ID, items))
	settled := []transfer.ImportSettled{{Key: says + "2", Outcome: memory.OutcomeWritten}}
	if err := w.SettleImport(t.Context(), id, made.ID, settled); err != nil {
		t.Fatal(err)
	}
}

// anyImport returns an import of the world and its tag; nil: of several owners.
func (w *world) anyImport(t *rapid.T) (uuid.UUID, *tag) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', import_id, 'workspace', workspace_id, 'agent', agent_id, 'owner', owner_key)
from imports
order by import_id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collectMaps(rows)
	if err != nil || len(all) == 0 {
		t.Fatal("there are no imports", err)
	}
	text := func(row map[string]any, name string) string { value, _ := row[name].(string); return value }
	row := rapid.SampledFrom(all).Draw(t, "import")
	of := tag{text(row, "workspace"), text(row, "agent"), text(row, "owner")}
	if of.owner == "" {
		return uuid.MustParse(text(row, "id")), nil
	}
	return uuid.MustParse(text(row, "id")), &of
}

func init() { maps.Copy(calls, importCalls) }

// moved returns a call that moves an import on.
func moved(move func(*rapid.T, *world, memory.Identity, uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		imported, of := w.anyImport(t)
		answer, err := move(t, w, id, imported)
		return answer, of, err
	}
}

// importCalls are the calls about what moves in.
var importCalls = map[string]call{
	"CreateImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		says := importTag(id)
		made, err := w.CreateImport(
			t.Context(), id, transfer.NewImport{Source: pg.NewID().String(), Format: "mem0", Label: says, OnConflict: memory.ImportKeep},
		)
		return made, nil, err
	},
	"Imports": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Imports(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return listed, nil, err
	},
	"ImportOf": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportOf(t.Context(), id, imported)
	}),
	"StageImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		says := importTag(id)
		return w.StageImport(t.Context(), id, imported, []transfer.ImportItem{{Key: pg.NewID().String(), Target: says, Payload: []byte(says)}})
	}),
	"StartImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.StartImport(t.Context(), id, imported)
	}),
	"CancelImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.CancelImport(t.Context(), id, imported)
	}),
	"EndImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.EndImport(t.Context(), id, imported)
	}),
	"LeaveImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.LeaveImport(t.Context(), id, imported)
	}),
	"NextImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		_, items, err := w.NextImportItems(t.Context(), id, imported, 10)
		return items, err
	}),
	"ImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportItems(t.Context(), id, imported, transfer.ImportFilter{Any: true}, pg.Page{})
	}),
	"SettleImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) { // what it does not see it does not settle
		imported, _ := w.anyImport(t)
		return nil, nil, w.SettleImport(
			t.Context(), id, imported, []transfer.ImportSettled{{Key: importTag(id) + "1", Outcome: memory.OutcomeWritten}},
		)
	},
	"RunningImports": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) { // references alone, for the sweep
		_, err := w.RunningImports(t.Context(), allWork())
		return nil, nil, err
	},
	"ImportedConversation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		out, err := w.ImportedConversation(t.Context(), id, p.uid)
		return out, &p.tag, err
	},
}

// addSnapshot adds an open import with its archive to a place; a place without an owner gets one of shared documents.
func (w *world) addSnapshot(t *testing.T, id memory.Identity) {
	t.Helper()
	must[transfer.SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopePersonal), false)))
	must[transfer.SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopeTeam), true)))
}

// snapshotOfTag returns an archive whose bytes name its owner; the store does not read them.
func snapshotOfTag(of tag, shared bool) transfer.SnapshotRequest {
	data := []byte(of.String())
	return transfer.SnapshotRequest{Archive: sha256.Sum256(data), Data: data, Choice: snap.ChooseAll, Shared: shared}
}

// snapshotTags returns the tags of the imports in an answer.
func snapshotTags(id memory.Identity, imports ...transfer.SnapshotImport) (tags []tag) {
	for _, i := range imports {
		of := tag{id.Workspace, id.Agent, string(i.Owner)}
		if i.Owner == memory.NoOwner {
			of.owner = "TEAM"
		}
		tags = append(tags, of)
	}
	return tags
}

// anySnapshot returns an import of any owner, and its tag.
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

// takenOf returns documents of an identity, as an archive would have them.
func takenOf(t *rapid.T, id memory.Identity) snap.Taken {
	scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
	file := snap.File{
		Ref: memory.Ref{Scope: scope, Path: "shared.md"}, Content: scopeTag(id, scope).String(), Prompt: &snap.Prompt{Enabled: true},
	}
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
		list, err := w.Snapshots(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return snapshotTags(id, list.Items...), nil, err
	},
	"WaitingSnapshots": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.WaitingSnapshots(t.Context(), allWork())
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
		e, err := w.ExportSnapshot(
			t.Context(), id, rapid.SampledFrom([]snap.Choice{snap.ChooseAll, snap.ChooseTeam, snap.ChoosePersonal}).Draw(t, "choice"), "",
		)
		return e, nil, err
	},
}

func init() { maps.Copy(calls, writeCalls) }

// mayWriteScope reports whether an identity may write rows of a scope, in a group of its agent.
func mayWriteScope(id memory.Identity, g group) bool {
	switch memory.Scope(g.scope) {
	case memory.ScopePersonal:
		return g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case memory.ScopeTeam:
		return !id.Pinned
	default:
		return id.Role == memory.RoleAdmin && !id.Pinned && id.Agents == nil
	}
}

// writeTag returns the tag of a write.
func writeTag(id memory.Identity, w transfer.MemoryWrite) tag {
	of := id
	of.Owner = w.Owner
	return scopeTag(of, w.Scope)
}

// taggedWrite returns a request in an identity's words.
func taggedWrite(t *rapid.T, id memory.Identity) writereq.Request {
	ref := anyRef(t)
	return writereq.Request{
		RequestID: rapid.SampledFrom([]string{"r1", "r2", pg.NewID().String()}).Draw(t, "request"), Scope: ref.Scope, Target: ref.Path,
		Strategy: markdown.StrategyAppend, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(),
	}
}

// keyOf returns a key of the identity's workspace, or of any one if there is none.
func (w *world) keyOf(t *rapid.T, id memory.Identity) uuid.UUID {
	all := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.DeleteFunc(slices.Clone(all), func(key uuid.UUID) bool { return w.keyIDs[key].workspace != id.Workspace })
	if len(own) == 0 {
		own = all
	}
	return rapid.SampledFrom(own).Draw(t, "key")
}

// addWrite gives a place a write that waits.
func (w *world) addWrite(t *testing.T, id memory.Identity) {
	t.Helper()
	keys := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.IndexFunc(keys, func(key uuid.UUID) bool { return w.keyIDs[key].workspace == id.Workspace })
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
		says := scopeTag(id, scope).String()
		must[transfer.MemoryWrite](t)(w.StageWrite(t.Context(), id, keys[own], writereq.Request{
			RequestID: string(scope) + string(id.Owner), Scope: scope, Target: "shared.md", Strategy: markdown.StrategyAppend,
			Content: says, Reason: says,
		}))
	}
}

// writeCalls are the calls about what business processes write.
var writeCalls = map[string]call{
	"StageWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), taggedWrite(t, id))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, staged), nil, nil
	},
	// It takes no identity: it writes with the rights of the requesting credential. Here it gets a request of the caller.
	"CommitWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := memory.Ref{Scope: memory.ScopePersonal, Path: "MEMORY.md"}
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), writereq.Request{
			RequestID: pg.NewID().String(), Scope: ref.Scope, Target: ref.Path, Strategy: markdown.StrategyAppend,
			Content: scopeTag(id, ref.Scope).String(),
		})
		if err != nil {
			return nil, nil, err
		}
		done, err := w.CommitWrite(
			t.Context(), transfer.WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: staged.ID}, memory.Author{WorkflowID: "write"},
		)
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, done), nil, nil
	},
	"MemoryWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.MemoryWrite(t.Context(), id, rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "request"))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, found), nil, nil
	},
	"StagedWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.StagedWrite(t.Context(), id, pg.NewID())
		if own, staged := w.StageWrite(t.Context(), id, w.keyOf(t, id), taggedWrite(t, id)); staged == nil {
			found, err = w.StagedWrite(t.Context(), id, own.ID)
		}
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, found), nil, nil
	},
	"MemoryWrites": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.MemoryWrites(t.Context(), id, "", pg.Page{Limit: pg.MaxPage})
		var tags []tag
		for _, one := range list.Items {
			tags = append(tags, writeTag(id, one))
		}
		return tags, nil, err
	},
	// It takes no identity and shows references only.
	"DueWrites": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		due, err := w.DueWrites(t.Context(), allWork())
		for _, ref := range due {
			if ref.Workspace == "" || ref.Agent == "" || ref.Write == uuid.Nil || ref.RequestID == "" {
				t.Fatalf("not a reference: %+v", ref)
			}
		}
		return nil, nil, err
	},
	// A key is shown to callers that prove to know its secret.
	"AuthenticateProof": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		secret := rapid.SampledFrom(sortedKeys(w.keys, func(s string) string { return s })).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err != nil {
			return nil, nil, err
		}
		message := []byte("message")
		if !sees(id, w.keys[secret]) { // it is not theirs: they cannot know the secret
			secret = "guessed"
		}
		found, err := w.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message))
		return found, nil, err
	},
}

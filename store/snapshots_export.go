package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	snap "reverie/snapshot"
)

// SnapshotExport is what an archive is made of.
type SnapshotExport struct {
	Origin snap.Origin
	Files  []snap.File
	// Left is how many documents of the scopes are no documents that a snapshot carries.
	Left int
}

const (
	// Deleted documents count for when something was changed last.
	sqlSnapshotStates = documentColumns + `octet_length(v.content), ''` + visibleDocuments + `
where d.scope = any (@scopes::text[]) and starts_with(d.path, @prefix)` + documentOrder

	sqlSnapshotContents = documentColumns + `octet_length(v.content), v.content` + visibleDocuments + `
where d.scope = any (@scopes::text[]) and starts_with(d.path, @prefix) and not d.deleted` + documentOrder

	// What was imported last and is there as it was in the archive.
	sqlSnapshotOrigin = `
select i.origin
from unnest(array['', @owner::text]) o (owner_key)
cross join lateral (
    select import_id, origin
    from snapshot_imports
    where workspace_id = @workspace and agent_id = @agent and contents_sha256 = @contents and owner_key = o.owner_key
    order by contents_sha256, import_id desc
    limit 1
) i
order by i.import_id desc
limit 1`
)

// ExportSnapshot reads the documents of an archive at one moment: those of the identity's agent and owner whose paths begin with
// prefix. An agent whose documents are exactly those of an archive that it has imported has their origin. The error is a
// *snap.RefusedError when there are more than an archive may have. It costs two round trips.
func (s *Store) ExportSnapshot(ctx context.Context, id memory.Identity, choice snap.Choice, prefix string) (SnapshotExport, error) {
	if err := requireAgent(id); err != nil {
		return SnapshotExport{}, err
	}
	if choice == snap.ChoosePersonal {
		if err := requireOwner(id); err != nil {
			return SnapshotExport{}, err
		}
	}
	return snapshotOf(ctx, s, id, choice, prefix)
}

func snapshotOf(ctx context.Context, s *Store, id memory.Identity, choice snap.Choice, prefix string) (SnapshotExport, error) {
	return snapshot(ctx, s, id, func(t *tx) (SnapshotExport, error) {
		var scopes []memory.Scope
		for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
			if choice.Has(scope) && (scope != memory.ScopePersonal || id.Owner != memory.NoOwner) {
				scopes = append(scopes, scope)
			}
		}
		args := t.args(pgx.NamedArgs{"scopes": scopes, "prefix": prefix})
		var agent Agent
		found := false
		var entries, documents []DocumentEntry
		b := &pgx.Batch{}
		one(b.Queue(sqlAgent, args), &found, func(row pgx.CollectableRow) (err error) { agent, err = scanAgent(row); return err })
		all(b.Queue(sqlSnapshotStates, args), &entries, scanDocument)
		if err := t.send(ctx, b); err != nil {
			return SnapshotExport{}, err
		}
		if !found {
			return SnapshotExport{}, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		}
		e := SnapshotExport{Origin: snap.Origin{AgentID: agent.ID, AgentName: agent.Name, ExportedAt: agent.CreatedAt}}
		states, err := e.survey(entries)
		if err != nil {
			return SnapshotExport{}, err
		}
		contents := snap.Digest(states)
		b = &pgx.Batch{}
		all(b.Queue(sqlSnapshotContents, args), &documents, scanDocument)
		known := false
		args["contents"] = contents[:]
		one(b.Queue(sqlSnapshotOrigin, args), &known, func(row pgx.CollectableRow) error {
			var text []byte
			if err := row.Scan(&text); err != nil {
				return err
			}
			return json.Unmarshal(text, &e.Origin)
		})
		if err := t.finish(ctx, b); err != nil {
			return SnapshotExport{}, err
		}
		for _, d := range documents {
			if listed, _ := snap.Listed(d.Path); listed {
				e.Files = append(e.Files, snap.File{
					Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Content: d.Content, Prompt: &snap.Prompt{Enabled: d.Enabled, SortOrder: d.SortOrder},
				})
			}
		}
		return e, nil
	})
}

// survey looks at the documents before their contents are read: when they were changed last, and whether they fit.
func (e *SnapshotExport) survey(entries []DocumentEntry) ([]snap.State, error) {
	var states []snap.State
	total := 0
	for _, d := range entries {
		if listed, _ := snap.Listed(d.Path); !listed {
			if !d.Deleted {
				e.Left++
			}
			continue
		}
		if d.UpdatedAt.After(e.Origin.ExportedAt) {
			e.Origin.ExportedAt = d.UpdatedAt
		}
		if d.Deleted {
			continue
		}
		total += d.Bytes
		states = append(states, snap.State{
			Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, SHA256: d.SHA256, Prompt: snap.Prompt{Enabled: d.Enabled, SortOrder: d.SortOrder},
		})
	}
	return states, snap.Fits(len(states), total)
}

// origin is what an import knows of where its documents come from.
type origin struct {
	snap.Origin
	contents [32]byte
}

// origin is that of an archive that is taken as it was exported; nil when anything of it was changed or left out.
func (i *restoring) origin(archive snap.Archive, taken snap.Taken) *origin {
	if !archive.Genuine || !taken.Whole {
		return nil
	}
	states := make([]snap.State, len(i.files))
	for n, f := range i.files {
		r := i.results[n]
		if r.Withheld {
			return nil
		}
		states[n] = snap.State{Ref: f.Ref, SHA256: sha256.Sum256([]byte(r.After)), Prompt: r.PromptIs}
	}
	return &origin{Origin: archive.Manifest.Origin, contents: snap.Digest(states)}
}

package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/scan"
	snap "reverie/snapshot"
	"reverie/store/gate"
	"reverie/store/pg"
)

// OutcomeRefused is the outcome of an import that wrote nothing; its reason says why.
const OutcomeRefused memory.Outcome = "refused"

// SnapshotImport is the record of an import of a snapshot. It holds names and hashes, never contents.
type SnapshotImport struct {
	ID           uuid.UUID
	Owner        memory.Owner // whose PERSONAL documents it brings; empty: it brings none
	Archive      [32]byte     // SHA-256
	ArchiveBytes int64
	Choice       snap.Choice
	Token        string            // of the preview that it is bound to; empty: of none
	Pinned       bool              // the credential speaks for Owner only
	AuthorID     string            // the credential
	Outcome      memory.Outcome    // running; written, nothing or refused
	ReasonCode   memory.ReasonCode // of a refusal
	Created      int               // documents
	Updated      int
	Skipped      int            // entries
	Files        []SnapshotFile // as the archive has them; none while it is running
	WorkflowID   string
	RunID        string
	RequestedAt  time.Time
	FinishedAt   *time.Time
}

// FileOutcome is the outcome of a document of an archive.
type FileOutcome string

// Outcomes of documents.
const (
	FileCreated   FileOutcome = "created"
	FileUpdated   FileOutcome = "updated"
	FileUnchanged FileOutcome = "unchanged"
	FileSkipped   FileOutcome = "skipped"
)

// SnapshotFile is the outcome of one entry of an archive.
type SnapshotFile struct {
	Filename string         `json:"filename"` // as the archive has it
	Scope    memory.Scope   `json:"scope,omitempty"`
	Path     string         `json:"path,omitempty"` // of the document; empty when it was skipped
	Outcome  FileOutcome    `json:"outcome"`
	Reason   snap.Reason    `json:"reason,omitempty"`   // of skipped
	Findings []scan.Finding `json:"findings,omitempty"` // of the scan: class, rule and line, never the text
	Version  int            `json:"version,omitempty"`  // current afterwards
	SHA256   string         `json:"sha256,omitempty"`   // afterwards
	Bytes    int            `json:"bytes,omitempty"`    // afterwards
	Redacted bool           `json:"redacted,omitempty"` // secrets were removed
	Withheld bool           `json:"withheld,omitempty"` // statements were left out that a person had forgotten
	Edited   bool           `json:"edited,omitempty"`   // it differs from the manifest
	Prompt   bool           `json:"prompt,omitempty"`   // its place in the system prompt changed
}

// SnapshotRequest is an archive to import.
type SnapshotRequest struct {
	Archive [32]byte // SHA-256 of Data
	Data    []byte
	Choice  snap.Choice
	Token   string
	// Shared reports whether it has TEAM documents only, so that the import belongs to no owner.
	Shared bool
}

// snapshotRows reads a SnapshotImport, in the order of scanSnapshot.
const snapshotRows = `
select import_id, owner_key, archive_sha256, archive_bytes, choice, token, pinned, author_id, outcome, reason_code,
    created, updated, skipped, files, workflow_id, run_id, requested_at, finished_at
from snapshot_imports
where workspace_id = @workspace and agent_id = @agent `

const (
	sqlSnapshot = snapshotRows + `and import_id = @import`

	sqlSnapshotData = `
select data from snapshot_archives where workspace_id = @workspace and agent_id = @agent and import_id = @import`

	sqlSnapshots = snapshotRows + `and import_id < @before
order by import_id desc
limit @limit`

	sqlSnapshotInsert = `
insert into snapshot_imports (workspace_id, agent_id, import_id, owner_key, archive_sha256, archive_bytes, choice, token, pinned,
    author_id, outcome, requested_at)
values (@workspace, @agent, @import, @owner, @sha256, @bytes, @choice, @token, @pinned, @author, 'running', @now)
on conflict do nothing`

	// Locked so that the import cannot end while its archive is stored.
	sqlSnapshotOpen = snapshotRows + `and archive_sha256 = @sha256 and owner_key = @owner and choice = @choice and token = @token
    and pinned = @pinned and outcome = 'running'
for no key update`

	sqlSnapshotArchive = `
insert into snapshot_archives (workspace_id, agent_id, import_id, owner_key, data)
values (@workspace, @agent, @import, @owner, @data)
on conflict do nothing`
)

func scanSnapshot(row pgx.CollectableRow) (i SnapshotImport, err error) {
	var sha, files []byte
	err = row.Scan(&i.ID, &i.Owner, &sha, &i.ArchiveBytes, &i.Choice, &i.Token, &i.Pinned, &i.AuthorID, &i.Outcome, &i.ReasonCode,
		&i.Created, &i.Updated, &i.Skipped, &files, &i.WorkflowID, &i.RunID, &i.RequestedAt, &i.FinishedAt)
	copy(i.Archive[:], sha)
	if err == nil {
		err = json.Unmarshal(files, &i.Files)
	}
	return i, err
}

// queueSnapshot queues reading one record.
func queueSnapshot(b *pgx.Batch, sql string, args pgx.NamedArgs, to *SnapshotImport, found *bool) {
	pg.One(b.Queue(sql, args), found, to, scanSnapshot)
}

func noSnapshot(importID uuid.UUID) error {
	return fmt.Errorf("import %s: %w", importID, pg.ErrNotFound)
}

// errSnapshotEnded means that the import ended while its archive was staged.
var errSnapshotEnded = errors.New("the import has ended")

// StageSnapshot stores an archive until a workflow imports it, or finds the open import of the same archive with the same options.
// It costs two round trips.
func (s *Transfer) StageSnapshot(ctx context.Context, id memory.Identity, r SnapshotRequest) (SnapshotImport, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return SnapshotImport{}, err
	}
	if err := r.validate(); err != nil {
		return SnapshotImport{}, err
	}
	if r.Shared && !id.Pinned {
		id.Owner = memory.NoOwner
	}
	for {
		staged, err := s.stageSnapshot(ctx, id, r)
		if !errors.Is(err, errSnapshotEnded) {
			return staged, err
		}
	}
}

func (r SnapshotRequest) validate() error {
	switch {
	case !r.Choice.Valid():
		return &pg.InvalidError{Field: "scope", Problem: "use personal, team or all"}
	case len(r.Data) == 0 || len(r.Data) > snap.MaxArchiveBytes:
		return &pg.InvalidError{Field: "file", Problem: fmt.Sprintf("send an archive of at most %d bytes", snap.MaxArchiveBytes)}
	}
	return memory.ValidText("token", r.Token, maxToken)
}

// maxToken is the longest token of a preview, in bytes.
const maxToken = 128

func (s *Transfer) stageSnapshot(ctx context.Context, id memory.Identity, r SnapshotRequest) (SnapshotImport, error) {
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (staged SnapshotImport, err error) {
		found := false
		args := t.Args(pgx.NamedArgs{
			"import": pg.NewID(), "sha256": r.Archive[:], "bytes": len(r.Data), "choice": r.Choice, "token": r.Token,
			"pinned": id.Pinned, "author": id.Author.ID,
		})
		b := &pgx.Batch{}
		b.Queue(sqlSnapshotInsert, args)
		queueSnapshot(b, sqlSnapshotOpen, args, &staged, &found)
		if err := t.Send(ctx, b); err != nil {
			return SnapshotImport{}, err
		}
		if !found {
			return SnapshotImport{}, errSnapshotEnded
		}
		b = &pgx.Batch{}
		b.Queue(sqlSnapshotArchive, t.Args(pgx.NamedArgs{"import": staged.ID, "data": r.Data}))
		return staged, t.Finish(ctx, b)
	})
}

// Snapshot returns the record of an import.
func (s *Transfer) Snapshot(ctx context.Context, id memory.Identity, importID uuid.UUID) (SnapshotImport, error) {
	record, _, err := s.LoadSnapshot(ctx, id, importID, false)
	return record, err
}

// LoadSnapshot returns the record of an import, and with withData its archive while the import has not ended.
func (s *Transfer) LoadSnapshot(
	ctx context.Context, id memory.Identity, importID uuid.UUID, withData bool,
) (record SnapshotImport, data []byte, err error) {
	if err := pg.RequireAgent(id); err != nil {
		return SnapshotImport{}, nil, err
	}
	_, err = pg.Read(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		found, staged := false, false
		args := t.Args(pgx.NamedArgs{"import": importID})
		b := &pgx.Batch{}
		queueSnapshot(b, sqlSnapshot, args, &record, &found)
		if withData {
			pg.Columns(b.Queue(sqlSnapshotData, args), &staged, &data)
		}
		err := t.Finish(ctx, b)
		if err == nil && !found {
			err = noSnapshot(importID)
		}
		return struct{}{}, err
	})
	return record, data, err
}

// Snapshots lists the imports that the identity sees, newest first: those of its owner, and those of shared documents.
func (s *Transfer) Snapshots(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[SnapshotImport], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlSnapshots, pgx.NamedArgs{"before": from.ID}
	}, scanSnapshot, func(i SnapshotImport) pg.Cursor { return pg.Cursor{At: i.RequestedAt, ID: i.ID} })
}

const sqlSnapshotsWaiting = `
update snapshot_imports i set leased_until = @until
where (i.workspace_id, i.agent_id, i.import_id) in (
    select workspace_id, agent_id, import_id
    from snapshot_imports
    where outcome = 'running' and greatest(requested_at, leased_until) < @before
    order by greatest(requested_at, leased_until)
    limit @limit
    for no key update skip locked)
returning i.workspace_id, i.agent_id, i.import_id, i.archive_sha256, i.owner_key <> '' or i.token <> ''`

// WaitingSnapshot refers to an import that has not ended.
type WaitingSnapshot struct {
	Workspace, Agent string
	ID               uuid.UUID
	Archive          [32]byte
	Particular       bool // of an owner, or bound to a preview
}

// WaitingSnapshots takes imports of all workspaces that were requested and have not ended, longest waiting first. It takes no
// identity because the sweep works for the deployment.
func (s *Transfer) WaitingSnapshots(ctx context.Context, l pg.Lease) ([]WaitingSnapshot, error) {
	return pg.LeaseAll(ctx, s.db, l, func(row pgx.CollectableRow) (w WaitingSnapshot, err error) {
		var sha []byte
		err = row.Scan(&w.Workspace, &w.Agent, &w.ID, &sha, &w.Particular)
		copy(w.Archive[:], sha)
		return w, err
	}, sqlSnapshotsWaiting)
}

// SnapshotExport is the content of an archive.
type SnapshotExport struct {
	Origin snap.Origin
	Files  []snap.File
	// Left counts documents of the scopes that snapshots do not carry.
	Left int
}

const (
	// Deleted documents count for the time of the last change.
	sqlSnapshotStates = gate.DocumentColumns + `octet_length(v.content), ''` + gate.VisibleDocuments + `
where d.scope = any (@scopes::text[]) and starts_with(d.path, @prefix)` + gate.DocumentOrder

	sqlSnapshotContents = gate.DocumentColumns + `octet_length(v.content), v.content` + gate.VisibleDocuments + `
where d.scope = any (@scopes::text[]) and starts_with(d.path, @prefix) and not d.deleted` + gate.DocumentOrder

	// The origin of the latest import whose documents are all unchanged.
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
// prefix. If they are exactly those of an imported archive, the export has the origin of that archive. It returns
// *snap.RefusedError when there are more than an archive may have. It costs two round trips.
func (s *Transfer) ExportSnapshot(ctx context.Context, id memory.Identity, choice snap.Choice, prefix string) (SnapshotExport, error) {
	if err := pg.RequireAgent(id); err != nil {
		return SnapshotExport{}, err
	}
	if choice == snap.ChoosePersonal {
		if err := pg.RequireOwner(id); err != nil {
			return SnapshotExport{}, err
		}
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (SnapshotExport, error) {
		var scopes []memory.Scope
		for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
			if choice.Has(scope) && (scope != memory.ScopePersonal || id.Owner != memory.NoOwner) {
				scopes = append(scopes, scope)
			}
		}
		args := t.Args(pgx.NamedArgs{"scopes": scopes, "prefix": prefix})
		var agent gate.Agent
		found := false
		var entries, documents []gate.DocumentEntry
		b := &pgx.Batch{}
		pg.One(b.Queue(gate.SQLAgent, args), &found, &agent, gate.ScanAgent)
		pg.All(b.Queue(sqlSnapshotStates, args), &entries, gate.ScanDocument)
		if err := t.Send(ctx, b); err != nil {
			return SnapshotExport{}, err
		}
		if !found {
			return SnapshotExport{}, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		}
		e := SnapshotExport{Origin: snap.Origin{AgentID: agent.ID, AgentName: agent.Name, ExportedAt: agent.CreatedAt}}
		states, err := e.survey(entries)
		if err != nil {
			return SnapshotExport{}, err
		}
		contents := snap.Digest(states)
		b = &pgx.Batch{}
		pg.All(b.Queue(sqlSnapshotContents, args), &documents, gate.ScanDocument)
		known := false
		args["contents"] = contents[:]
		pg.WithRow(b.Queue(sqlSnapshotOrigin, args), &known, func(row pgx.CollectableRow) error {
			var text []byte
			if err := row.Scan(&text); err != nil {
				return err
			}
			return json.Unmarshal(text, &e.Origin)
		})
		if err := t.Finish(ctx, b); err != nil {
			return SnapshotExport{}, err
		}
		for _, d := range documents {
			if listed, _ := snap.Listed(d.Path); listed {
				e.Files = append(e.Files, snap.File{
					Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Content: d.Content,
					Prompt: &snap.Prompt{Enabled: d.Enabled, SortOrder: d.SortOrder},
				})
			}
		}
		return e, nil
	})
}

// survey checks the documents before their contents are read: the time of the last change, and whether they fit.
func (e *SnapshotExport) survey(entries []gate.DocumentEntry) ([]snap.State, error) {
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
			Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, SHA256: d.SHA256,
			Prompt: snap.Prompt{Enabled: d.Enabled, SortOrder: d.SortOrder},
		})
	}
	return states, snap.Fits(len(states), total)
}

// origin is the origin of an import's documents.
type origin struct {
	snap.Origin
	contents [32]byte
}

// origin returns the origin of an archive that is imported as it was exported; nil when anything was changed or left out.
func (i *restoring) origin(archive snap.Archive, taken snap.Taken) *origin {
	if !archive.Genuine || !taken.Whole {
		return nil
	}
	states := make([]snap.State, len(i.files))
	for n, f := range i.files {
		r := i.results[n]
		if r.Withheld || f.Prompt != nil && *f.Prompt != r.PromptIs {
			return nil
		}
		states[n] = snap.State{Ref: f.Ref, SHA256: sha256.Sum256([]byte(r.After)), Prompt: r.PromptIs}
	}
	return &origin{Origin: archive.Manifest.Origin, contents: snap.Digest(states)}
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	snap "reverie/snapshot"
)

// OutcomeRefused ends an import of which nothing was written, because something was in its way; the reason says what.
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

// FileOutcome is what became of a document of an archive.
type FileOutcome string

// Outcomes of documents.
const (
	FileCreated   FileOutcome = "created"
	FileUpdated   FileOutcome = "updated"
	FileUnchanged FileOutcome = "unchanged"
	FileSkipped   FileOutcome = "skipped"
)

// SnapshotFile is what became of one entry of an archive.
type SnapshotFile struct {
	Filename string           `json:"filename"` // as the archive has it
	Scope    memory.Scope     `json:"scope,omitempty"`
	Path     string           `json:"path,omitempty"` // of the document; empty when it was skipped
	Outcome  FileOutcome      `json:"outcome"`
	Reason   snap.Reason      `json:"reason,omitempty"`   // of skipped
	Findings []memory.Finding `json:"findings,omitempty"` // of the scan: class, rule and line, never the text
	Version  int              `json:"version,omitempty"`  // current afterwards
	SHA256   string           `json:"sha256,omitempty"`   // afterwards
	Bytes    int              `json:"bytes,omitempty"`    // afterwards
	Redacted bool             `json:"redacted,omitempty"` // secrets were taken out
	Withheld bool             `json:"withheld,omitempty"` // statements were left out that a person had forgotten
	Edited   bool             `json:"edited,omitempty"`   // it is not what the manifest says
	Prompt   bool             `json:"prompt,omitempty"`   // its place in the system prompt changed
}

// SnapshotRequest is an archive that is to be imported.
type SnapshotRequest struct {
	Archive [32]byte // SHA-256 of Data
	Data    []byte
	Choice  snap.Choice
	Token   string
	// Shared says that it brings TEAM documents only, so that the import is nobody's in particular.
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

	// It is locked so that it cannot end while its archive is put beside it.
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

// queueSnapshot queues what reads one record.
func queueSnapshot(b *pgx.Batch, sql string, args pgx.NamedArgs, to *SnapshotImport, found *bool) {
	one(b.Queue(sql, args), found, func(row pgx.CollectableRow) (err error) { *to, err = scanSnapshot(row); return err })
}

func noSnapshot(importID uuid.UUID) error { return fmt.Errorf("import %s: %w", importID, ErrNotFound) }

// errSnapshotEnded means that the import that was found ended in between.
var errSnapshotEnded = errors.New("the import has ended")

// StageSnapshot keeps an archive until a workflow imports it, or finds the import of the same archive in the same way that has not
// ended yet. It costs two round trips.
func (s *Store) StageSnapshot(ctx context.Context, id memory.Identity, r SnapshotRequest) (SnapshotImport, error) {
	if err := requireAgent(id); err != nil {
		return SnapshotImport{}, err
	}
	if err := requireWrite(id); err != nil {
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
		return &InvalidError{Field: "scope", Problem: "use personal, team or all"}
	case len(r.Data) == 0 || len(r.Data) > snap.MaxArchiveBytes:
		return &InvalidError{Field: "file", Problem: fmt.Sprintf("send an archive of at most %d bytes", snap.MaxArchiveBytes)}
	}
	return validText("token", r.Token, maxToken)
}

// maxToken bounds the token of a preview, in bytes.
const maxToken = 128

func (s *Store) stageSnapshot(ctx context.Context, id memory.Identity, r SnapshotRequest) (SnapshotImport, error) {
	return inTx(ctx, s, id, func(t *tx) (staged SnapshotImport, err error) {
		found := false
		args := t.args(pgx.NamedArgs{
			"import": newID(), "sha256": r.Archive[:], "bytes": len(r.Data), "choice": r.Choice, "token": r.Token,
			"pinned": id.Pinned, "author": id.Author.ID,
		})
		b := &pgx.Batch{}
		b.Queue(sqlSnapshotInsert, args)
		queueSnapshot(b, sqlSnapshotOpen, args, &staged, &found)
		if err := t.send(ctx, b); err != nil {
			return SnapshotImport{}, err
		}
		if !found {
			return SnapshotImport{}, errSnapshotEnded
		}
		b = &pgx.Batch{}
		b.Queue(sqlSnapshotArchive, t.args(pgx.NamedArgs{"import": staged.ID, "data": r.Data}))
		return staged, t.finish(ctx, b)
	})
}

// Snapshot returns the record of an import.
func (s *Store) Snapshot(ctx context.Context, id memory.Identity, importID uuid.UUID) (SnapshotImport, error) {
	record, _, err := s.LoadSnapshot(ctx, id, importID, false)
	return record, err
}

// LoadSnapshot returns the record of an import, and its archive when it is asked for and the import has not ended.
func (s *Store) LoadSnapshot(ctx context.Context, id memory.Identity, importID uuid.UUID, withData bool) (record SnapshotImport, data []byte, err error) {
	if err := requireAgent(id); err != nil {
		return SnapshotImport{}, nil, err
	}
	_, err = read(ctx, s, id, func(t *tx) (struct{}, error) {
		found, staged := false, false
		args := t.args(pgx.NamedArgs{"import": importID})
		b := &pgx.Batch{}
		queueSnapshot(b, sqlSnapshot, args, &record, &found)
		if withData {
			one(b.Queue(sqlSnapshotData, args), &staged, func(row pgx.CollectableRow) error { return row.Scan(&data) })
		}
		err := t.finish(ctx, b)
		if err == nil && !found {
			err = noSnapshot(importID)
		}
		return struct{}{}, err
	})
	return record, data, err
}

// Snapshots lists imports that the identity sees, newest first: those of its owner, and those of shared documents.
func (s *Store) Snapshots(ctx context.Context, id memory.Identity, p Page) (Listed[SnapshotImport], error) {
	if err := requireAgent(id); err != nil {
		return Listed[SnapshotImport]{}, err
	}
	before, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[SnapshotImport]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[SnapshotImport], error) {
		var found []SnapshotImport
		b := &pgx.Batch{}
		all(b.Queue(sqlSnapshots, t.args(pgx.NamedArgs{"before": before.id, "limit": limit + 1})), &found, scanSnapshot)
		err := t.finish(ctx, b)
		return listed(found, limit, func(i SnapshotImport) cursor { return cursor{i.RequestedAt, i.ID} }), err
	})
}

const sqlSnapshotsWaiting = `
select workspace_id, agent_id, import_id, archive_sha256, owner_key <> '' or token <> ''
from snapshot_imports
where outcome = 'running' and requested_at < @before
order by requested_at
limit @limit`

// WaitingSnapshot is an import that has not ended, by references only.
type WaitingSnapshot struct {
	Workspace, Agent string
	ID               uuid.UUID
	Archive          [32]byte
	Particular       bool // of an owner, or bound to a preview
}

// WaitingSnapshots lists imports of all workspaces that were asked for before the given time and have not ended, oldest first. It
// takes no identity because the sweep works for the deployment.
func (s *Store) WaitingSnapshots(ctx context.Context, before time.Time, limit int) ([]WaitingSnapshot, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (waiting []WaitingSnapshot, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlSnapshotsWaiting, pgx.NamedArgs{"before": before, "limit": limitOf(limit)}), &waiting,
			func(row pgx.CollectableRow) (w WaitingSnapshot, err error) {
				var sha []byte
				err = row.Scan(&w.Workspace, &w.Agent, &w.ID, &sha, &w.Particular)
				copy(w.Archive[:], sha)
				return w, err
			})
		err = t.finish(ctx, b)
		return waiting, err
	})
}

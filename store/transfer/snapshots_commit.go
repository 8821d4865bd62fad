package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/scan"
	snap "reverie/snapshot"
	"reverie/store/gate"
	"reverie/store/pg"
)

// SnapshotChange is the effect of an import on one document.
type SnapshotChange struct {
	SnapshotFile
	Before    string // content; empty when the document is new
	After     string
	WasThere  bool
	PromptWas snap.Prompt
	PromptIs  snap.Prompt
}

// SnapshotPreview is the effect that an import would have now.
type SnapshotPreview struct {
	Changes []SnapshotChange // of every document that is taken, as the archive has them
	Token   string           // of exactly this
}

// errPreviewed rolls back the transaction of a preview.
var errPreviewed = errors.New("a preview writes nothing")

// PreviewSnapshot returns the effect of an import: it goes through the gate as the import does, and is rolled back. Its errors are
// those of Apply.
func (s *Transfer) PreviewSnapshot(
	ctx context.Context, id memory.Identity, archive snap.Archive, choice snap.Choice, taken snap.Taken,
) (SnapshotPreview, error) {
	var p SnapshotPreview
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		i := restoring{files: taken.Files}
		if err := i.weigh(ctx, t, archive, choice, ""); err != nil {
			return struct{}{}, err
		}
		p = SnapshotPreview{Changes: i.results, Token: i.token}
		return struct{}{}, errPreviewed
	})
	if errors.Is(err, errPreviewed) {
		err = nil
	}
	return p, err
}

const (
	sqlSnapshotLock = snapshotRows + `and import_id = @import
for no key update`

	sqlSnapshotEnd = `
update snapshot_imports set
    outcome = @outcome,
    reason_code = @reason_code,
    created = @created,
    updated = @updated,
    skipped = @skipped,
    files = @files,
    origin = @origin::jsonb,
    contents_sha256 = @contents,
    workflow_id = @workflow,
    run_id = @run,
    finished_at = @now
where workspace_id = @workspace and agent_id = @agent and import_id = @import and outcome = 'running'`

	sqlSnapshotPurge = `
delete from snapshot_archives where workspace_id = @workspace and agent_id = @agent and import_id = @import`
)

// CommitSnapshot imports the accepted part of an archive in one transaction: all documents or none, and the record of the import.
// The archive is deleted. An import that has ended is returned as it is. The journal records what the scan refused.
//
// It returns *ConflictError with CodeChangedSincePreview when the import is bound to a preview and anything has changed since, and
// the errors of Apply.
func (s *Transfer) CommitSnapshot(
	ctx context.Context, id memory.Identity, importID uuid.UUID, archive snap.Archive, taken snap.Taken, refused []snap.Refused,
) (SnapshotImport, error) {
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (SnapshotImport, error) {
		record, err := lockSnapshot(ctx, t, importID)
		if err != nil || record.FinishedAt != nil {
			return record, err
		}
		i := restoring{files: taken.Files}
		for _, r := range refused {
			i.events = append(i.events, gate.QuarantineEvent(id, &pg.QuarantineError{Ref: r.Ref, Findings: r.Findings}))
		}
		if err := i.weigh(ctx, t, archive, record.Choice, record.Token); err != nil {
			return SnapshotImport{}, err
		}
		record.Files = i.outcomes(taken.Skipped, refused)
		record.count()
		b := &pgx.Batch{}
		if err := queueSnapshotEnd(b, t, &record, i.origin(archive, taken)); err != nil {
			return SnapshotImport{}, err
		}
		return record, t.Finish(ctx, b)
	})
}

// RefuseSnapshot ends an import without a write, for a reason.
func (s *Transfer) RefuseSnapshot(
	ctx context.Context, id memory.Identity, importID uuid.UUID, reason memory.ReasonCode,
) (SnapshotImport, error) {
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (SnapshotImport, error) {
		record, err := lockSnapshot(ctx, t, importID)
		if err != nil || record.FinishedAt != nil {
			return record, err
		}
		record.Outcome, record.ReasonCode = OutcomeRefused, reason
		b := &pgx.Batch{}
		if err := queueSnapshotEnd(b, t, &record, nil); err != nil {
			return SnapshotImport{}, err
		}
		return record, t.Finish(ctx, b)
	})
}

// lockSnapshot reads and locks a record.
func lockSnapshot(ctx context.Context, t *pg.Tx, importID uuid.UUID) (record SnapshotImport, err error) {
	found := false
	b := &pgx.Batch{}
	queueSnapshot(b, sqlSnapshotLock, t.Args(pgx.NamedArgs{"import": importID}), &record, &found)
	if err := t.Send(ctx, b); err != nil {
		return SnapshotImport{}, err
	}
	if !found {
		return SnapshotImport{}, noSnapshot(importID)
	}
	return record, nil
}

// count sets the counts and the outcome from the files.
func (i *SnapshotImport) count() {
	i.Outcome = memory.OutcomeNothing
	for _, f := range i.Files {
		switch f.Outcome {
		case FileCreated:
			i.Created++
		case FileUpdated:
			i.Updated++
		default:
			i.Skipped++
		}
	}
	if i.Created+i.Updated > 0 {
		i.Outcome = memory.OutcomeWritten
	}
}

// queueSnapshotEnd queues the end of an import.
func queueSnapshotEnd(b *pgx.Batch, t *pg.Tx, record *SnapshotImport, from *origin) error {
	record.WorkflowID, record.RunID, record.FinishedAt = t.ID.Author.WorkflowID, t.ID.Author.RunID, &t.Now
	args := t.Args(pgx.NamedArgs{
		"import": record.ID, "outcome": record.Outcome, "reason_code": record.ReasonCode,
		"created": record.Created, "updated": record.Updated, "skipped": record.Skipped,
		"workflow": record.WorkflowID, "run": record.RunID, "origin": nil, "contents": nil,
	})
	if _, err := pg.JSONArgs(args, map[string]any{"files": pg.OrEmpty(record.Files)}); err != nil {
		return err
	}
	if from != nil {
		if _, err := pg.JSONArgs(args, map[string]any{"origin": from.Origin}); err != nil {
			return err
		}
		args["contents"] = from.contents[:]
	}
	b.Queue(sqlSnapshotEnd, args)
	b.Queue(sqlSnapshotPurge, args)
	return nil
}

// restoring is an import in progress.
type restoring struct {
	files   []snap.Checked
	events  []gate.JournalEvent // of refused documents
	results []SnapshotChange
	token   string
}

// weigh sends the import through the gate and determines its effect on each document. want is the token of the preview that it is
// bound to; empty: none.
func (i *restoring) weigh(ctx context.Context, t *pg.Tx, archive snap.Archive, choice snap.Choice, want string) error {
	// No places: what an archive says of the system prompt is not taken over; documents stay where the agent has them.
	set := gate.ChangeSet{Changes: i.changes(archive), Prompts: map[memory.Ref]gate.PromptPlace{}, Events: i.events}
	applied, err := gate.ApplyChanges(ctx, t, set)
	if err != nil {
		return err
	}
	bases := make([]snap.Base, len(i.files))
	for n, f := range i.files {
		was, is := applied.Before(f.Ref), applied.After(f.Ref)
		bases[n] = snap.Base{Ref: f.Ref, Version: was.Version, Prompt: snap.Prompt(gate.PlaceOf(was)), After: sha256.Sum256([]byte(is.Content))}
		i.results = append(i.results, SnapshotChange{
			WasThere: was.Version > 0 && !was.Deleted, Before: was.Content, PromptWas: snap.Prompt(gate.PlaceOf(was)),
			After: is.Content, PromptIs: snap.Prompt(gate.PlaceOf(is)),
			SnapshotFile: SnapshotFile{
				Filename: snap.Name(f.Ref), Scope: f.Scope, Path: f.Path, Edited: f.Edited, Redacted: f.Redacted(), Findings: f.Findings,
			},
		})
		i.results[n].record(applied.Receipt.Changes[n])
	}
	i.token = snap.Token(archive.SHA256, choice, bases)
	if want != "" && want != i.token {
		return &pg.ConflictError{Code: pg.CodeChangedSincePreview, Message: "something has changed since the preview: look at a new one"}
	}
	return nil
}

// changes replace each document by the text of the archive.
func (i *restoring) changes(archive snap.Archive) []memory.Change {
	changes := make([]memory.Change, len(i.files))
	for n, f := range i.files {
		changes[n] = memory.Change{
			Ref: f.Ref, Op: memory.OpReplace, Force: true, Content: f.Content,
			Reason: "from snapshot " + hex.EncodeToString(archive.SHA256[:6]),
		}
	}
	return changes
}

// record fills in the outcome of a document.
func (r *SnapshotChange) record(receipt memory.ChangeReceipt) {
	r.Version, r.SHA256, r.Bytes = receipt.Version, receipt.SHA256, receipt.Bytes
	r.Withheld = receipt.Withheld
	r.Prompt = r.WasThere && r.PromptIs != r.PromptWas
	switch {
	case !r.WasThere && receipt.Changed:
		r.Outcome = FileCreated
	case receipt.Changed || r.Prompt:
		r.Outcome = FileUpdated
	case r.Withheld:
		r.Outcome, r.Reason = FileUnchanged, snap.SkippedWithheld
	default:
		r.Outcome, r.Reason = FileUnchanged, snap.SkippedUnchanged
	}
}

// outcomes returns the outcomes of all entries of an archive, documents first.
func (i *restoring) outcomes(skipped []snap.Skipped, refused []snap.Refused) []SnapshotFile {
	findings := map[string][]scan.Finding{}
	for _, r := range refused {
		findings[snap.Name(r.Ref)] = r.Findings
	}
	files := make([]SnapshotFile, 0, len(i.results)+len(skipped))
	for _, r := range i.results {
		files = append(files, r.SnapshotFile)
	}
	for _, s := range skipped {
		files = append(files, SnapshotFile{Filename: s.Filename, Outcome: FileSkipped, Reason: s.Reason, Findings: findings[s.Filename]})
	}
	return files
}

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	snap "reverie/snapshot"
)

// SnapshotChange is what an import does, or would do, to one document.
type SnapshotChange struct {
	SnapshotFile
	Before    string // content; empty when the document is new
	After     string
	WasThere  bool
	PromptWas snap.Prompt
	PromptIs  snap.Prompt
}

// SnapshotPreview is what an import would do now.
type SnapshotPreview struct {
	Changes []SnapshotChange // of every document that is taken, as the archive has them
	Token   string           // of exactly this
}

// errPreviewed ends the transaction of a preview, which writes nothing.
var errPreviewed = errors.New("a preview writes nothing")

// PreviewSnapshot finds out what an import would do: it goes through the gate as the import does, and everything is rolled back.
// The errors are those of Apply.
func (s *Store) PreviewSnapshot(ctx context.Context, id memory.Identity, archive snap.Archive, choice snap.Choice, taken snap.Taken) (SnapshotPreview, error) {
	var p SnapshotPreview
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
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

// CommitSnapshot imports what was taken of an archive as one transaction: all documents or none, the record of the import, and
// the end of the archive, which is kept no longer. An import that has ended is left as it is, and its record returned. What the
// scan refused stands in the journal.
//
// It returns *ConflictError with CodeChangedSincePreview when the import is bound to a preview and anything has changed since,
// and the errors of Apply.
func (s *Store) CommitSnapshot(ctx context.Context, id memory.Identity, importID uuid.UUID, archive snap.Archive, taken snap.Taken, refused []snap.Refused) (SnapshotImport, error) {
	return inTx(ctx, s, id, func(t *tx) (SnapshotImport, error) {
		record, err := lockSnapshot(ctx, t, importID)
		if err != nil || record.FinishedAt != nil {
			return record, err
		}
		i := restoring{files: taken.Files}
		if err := i.weigh(ctx, t, archive, record.Choice, record.Token); err != nil {
			return SnapshotImport{}, err
		}
		for _, r := range refused {
			i.writes.events = append(i.writes.events, quarantineEvent(id, &QuarantineError{Ref: r.Ref, Findings: r.Findings}))
		}
		record.Files = i.told(taken.Skipped, refused)
		record.count()
		b := &pgx.Batch{}
		if err := i.queue(b, t); err != nil {
			return SnapshotImport{}, err
		}
		if err := queueSnapshotEnd(b, t, &record, i.origin(archive, taken)); err != nil {
			return SnapshotImport{}, err
		}
		return record, t.finish(ctx, b)
	})
}

// RefuseSnapshot ends an import of which nothing is written, and says why.
func (s *Store) RefuseSnapshot(ctx context.Context, id memory.Identity, importID uuid.UUID, reason memory.ReasonCode) (SnapshotImport, error) {
	return inTx(ctx, s, id, func(t *tx) (SnapshotImport, error) {
		record, err := lockSnapshot(ctx, t, importID)
		if err != nil || record.FinishedAt != nil {
			return record, err
		}
		record.Outcome, record.ReasonCode = OutcomeRefused, reason
		b := &pgx.Batch{}
		if err := queueSnapshotEnd(b, t, &record, nil); err != nil {
			return SnapshotImport{}, err
		}
		return record, t.finish(ctx, b)
	})
}

// lockSnapshot reads a record that nobody else ends meanwhile.
func lockSnapshot(ctx context.Context, t *tx, importID uuid.UUID) (record SnapshotImport, err error) {
	found := false
	b := &pgx.Batch{}
	queueSnapshot(b, sqlSnapshotLock, t.args(pgx.NamedArgs{"import": importID}), &record, &found)
	if err := t.send(ctx, b); err != nil {
		return SnapshotImport{}, err
	}
	if !found {
		return SnapshotImport{}, noSnapshot(importID)
	}
	return record, nil
}

// count sums up what became of the entries.
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
func queueSnapshotEnd(b *pgx.Batch, t *tx, record *SnapshotImport, from *origin) error {
	record.WorkflowID, record.RunID, record.FinishedAt = t.id.Author.WorkflowID, t.id.Author.RunID, &t.now
	args := t.args(pgx.NamedArgs{
		"import": record.ID, "outcome": record.Outcome, "reason_code": record.ReasonCode,
		"created": record.Created, "updated": record.Updated, "skipped": record.Skipped,
		"workflow": record.WorkflowID, "run": record.RunID, "origin": nil, "contents": nil,
	})
	if _, err := jsonArgs(args, map[string]any{"files": orEmpty(record.Files)}); err != nil {
		return err
	}
	if from != nil {
		if _, err := jsonArgs(args, map[string]any{"origin": from.Origin}); err != nil {
			return err
		}
		args["contents"] = from.contents[:]
	}
	b.Queue(sqlSnapshotEnd, args)
	b.Queue(sqlSnapshotPurge, args)
	return nil
}

// restoring is an import on its way through the gate.
type restoring struct {
	files   []snap.Checked
	writes  *writes // nil: there is nothing to write
	results []SnapshotChange
	token   string
}

// weigh locks the documents that an import is about and finds out what it does to each. want is the token of the preview that it
// is bound to; empty: it is bound to none.
func (i *restoring) weigh(ctx context.Context, t *tx, archive snap.Archive, choice snap.Choice, want string) error {
	i.writes = &writes{author: t.id.Author, documents: map[memory.Ref]*document{}}
	if len(i.files) > 0 {
		var err error
		if i.writes, err = newWrites(t.id, "", i.changes(archive)); err != nil {
			return err
		}
		look := &pgx.Batch{}
		i.writes.queueReads(look, t)
		if err := t.send(ctx, look); err != nil {
			return err
		}
	}
	bases := make([]snap.Base, len(i.files))
	for n, f := range i.files {
		d := i.writes.documents[f.Ref]
		bases[n] = snap.Base{Ref: f.Ref, Version: d.version, Prompt: d.prompt()}
		i.results = append(i.results, SnapshotChange{
			WasThere: d.version > 0 && !d.deleted, Before: d.content(), PromptWas: d.prompt(),
			SnapshotFile: SnapshotFile{
				Filename: snap.Name(f.Ref), Scope: f.Scope, Path: f.Path, Edited: f.Edited, Redacted: f.Redacted(), Findings: f.Findings,
			},
		})
	}
	if len(i.files) > 0 {
		if err := i.writes.decide(t); err != nil {
			return err
		}
	}
	for n := range i.files {
		i.result(n)
		bases[n].After = sha256.Sum256([]byte(i.results[n].After))
	}
	i.token = snap.Token(archive.SHA256, choice, bases)
	if want != "" && want != i.token {
		return &ConflictError{Code: CodeChangedSincePreview, Message: "something has changed since the preview: look at a new one"}
	}
	return nil
}

// changes are what the gate is asked for: the text of the archive in place of whatever is there.
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

// result says what became of a document, and gives it its place in the system prompt.
func (i *restoring) result(n int) {
	f, r := i.files[n], &i.results[n]
	d, receipt := i.writes.documents[f.Ref], i.writes.receipt.Changes[n]
	if f.Prompt != nil {
		d.enabled, d.sortOrder = f.Prompt.Enabled, f.Prompt.SortOrder
	}
	r.After, r.PromptIs = d.content(), d.prompt()
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

// prompt is the document's place in the system prompt.
func (d *document) prompt() snap.Prompt {
	return snap.Prompt{Enabled: d.enabled, SortOrder: d.sortOrder}
}

// told is what became of everything in an archive, the documents first.
func (i *restoring) told(skipped []snap.Skipped, refused []snap.Refused) []SnapshotFile {
	findings := map[string][]memory.Finding{}
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

// queue queues what is written.
func (i *restoring) queue(b *pgx.Batch, t *tx) error {
	for n, f := range i.files {
		if r := i.results[n]; r.PromptIs != r.PromptWas {
			d := i.writes.documents[f.Ref]
			i.writes.events = append(i.writes.events, promptEvent(t.id, memory.Document{
				ID: d.id, Scope: d.ref.Scope, Owner: d.owner, Path: d.ref.Path, Version: d.version, Enabled: d.enabled, SortOrder: d.sortOrder,
			}))
			if len(d.versions) == 0 { // else it is written with the version
				b.Queue(sqlDocumentPrompt, t.args(pgx.NamedArgs{
					"row_agent": d.agent, "scope": d.ref.Scope, "whose": d.owner, "path": d.ref.Path,
					"enabled": d.enabled, "sort_order": d.sortOrder,
				}))
			}
		}
	}
	return i.writes.queueWrites(b, t)
}

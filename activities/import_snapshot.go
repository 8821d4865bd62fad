package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/store"
)

// Why nothing of a snapshot is imported.
const (
	// ReasonChangedSincePreview means that a document was changed since the preview that the import is bound to.
	ReasonChangedSincePreview memory.ReasonCode = store.CodeChangedSincePreview
	// ReasonTeamMember means that the agent has a leader, and its memory is read-only.
	ReasonTeamMember = memory.GateTeamMember
	// ReasonMemoryOff means that memory is switched off for the agent.
	ReasonMemoryOff = memory.GateMemoryOff
	// ReasonForbidden means that the credential may not write the documents.
	ReasonForbidden memory.ReasonCode = "forbidden"
	// ReasonUnreadable means that the archive cannot be read; it was when it was handed in, by other rules.
	ReasonUnreadable memory.ReasonCode = "unreadable"
	// ReasonInvalidDocument means that a document cannot be stored as the archive has it.
	ReasonInvalidDocument memory.ReasonCode = "invalid_document"
	// ReasonCancelled means that somebody cancelled the import before anything was written.
	ReasonCancelled memory.ReasonCode = "cancelled"
)

// ReadSnapshot reads the archive of an import and says what is taken of it. It writes nothing.
func (a *Activities) ReadSnapshot(ctx context.Context, in SnapshotInput) (ReadSnapshotResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	s, err := a.openSnapshot(ctx, in)
	if err != nil {
		return ReadSnapshotResult{}, storeError(err)
	}
	return ReadSnapshotResult{
		Ended: s.record.FinishedAt != nil, Documents: len(s.taken.Files), Skipped: len(s.taken.Skipped), Bytes: s.record.ArchiveBytes,
	}, nil
}

// CommitSnapshot imports an archive in one transaction, once. What stands in its way is recorded as the reason of a refusal, and
// is no error.
func (a *Activities) CommitSnapshot(ctx context.Context, in SnapshotInput) (CommitSnapshotResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	s, err := a.openSnapshot(ctx, in)
	if err != nil {
		return CommitSnapshotResult{}, storeError(err)
	}
	record := s.record
	if record.FinishedAt == nil {
		reason := s.unreadable
		if reason == "" {
			record, err = a.Store.CommitSnapshot(ctx, s.id, in.Import, s.archive, s.taken, s.refused)
			reason = refusal(err)
		}
		if reason != "" {
			record, err = a.Store.RefuseSnapshot(ctx, s.id, in.Import, reason)
		}
		if err != nil {
			return CommitSnapshotResult{}, storeError(err)
		}
	}
	if record.Created+record.Updated > 0 {
		a.indexChanged(in.AgentRef)
	}
	return endOf(record), nil
}

// CancelSnapshot ends an import of which nothing is to be written any more. One that has ended is left as it is, and told.
func (a *Activities) CancelSnapshot(ctx context.Context, in SnapshotInput) (CommitSnapshotResult, error) {
	id := importer(ctx, in)
	record, err := a.Store.Snapshot(ctx, id, in.Import)
	if err == nil && record.FinishedAt == nil {
		record, err = a.Store.RefuseSnapshot(ctx, speaksFor(id, record), in.Import, ReasonCancelled)
	}
	if err != nil {
		return CommitSnapshotResult{}, storeError(err)
	}
	return endOf(record), nil
}

func endOf(record store.SnapshotImport) CommitSnapshotResult {
	return CommitSnapshotResult{
		Outcome: record.Outcome, ReasonCode: record.ReasonCode, Created: record.Created, Updated: record.Updated, Skipped: record.Skipped,
	}
}

// opened is an import with its archive in hand.
type opened struct {
	id         memory.Identity
	record     store.SnapshotImport
	archive    snapshot.Archive
	taken      snapshot.Taken
	refused    []snapshot.Refused
	unreadable memory.ReasonCode // why the archive is not; empty: it is
}

// importer finds an import, whoever's it is.
func importer(ctx context.Context, in SnapshotInput) memory.Identity {
	info := activity.GetInfo(ctx)
	return memory.Identity{
		Workspace: in.Workspace, Agent: in.Agent, AnyOwner: true, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorImport, WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID},
	}
}

// speaksFor has an importer do no more than the credential may that asked for the import.
func speaksFor(id memory.Identity, record store.SnapshotImport) memory.Identity {
	id.AnyOwner, id.Owner, id.Pinned, id.Author.ID = false, record.Owner, record.Pinned, record.AuthorID
	return id
}

// openSnapshot loads an import and reads its archive, unless it has ended.
func (a *Activities) openSnapshot(ctx context.Context, in SnapshotInput) (opened, error) {
	id := importer(ctx, in)
	record, data, err := a.Store.LoadSnapshot(ctx, id, in.Import, true)
	if err != nil {
		return opened{}, err
	}
	s := opened{id: speaksFor(id, record), record: record}
	if record.FinishedAt != nil {
		return s, nil
	}
	if s.archive, err = snapshot.Read(data); err != nil {
		s.unreadable = ReasonUnreadable
		return s, nil //nolint:nilerr // the reason is recorded
	}
	s.taken, s.refused = s.archive.Choose(snapshot.Rights{
		Choice: record.Choice, Owner: record.Owner != memory.NoOwner, Team: !record.Pinned,
	})
	return s, nil
}

// refusal is why an import is refused; empty when err is something that trying again may help with, or nothing.
func refusal(err error) memory.ReasonCode {
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	_, isInvalid := errors.AsType[*store.InvalidError](err)
	_, isQuarantined := errors.AsType[*store.QuarantineError](err)
	switch {
	case isConflict && conflict.Code == store.CodeChangedSincePreview:
		return ReasonChangedSincePreview
	case errors.Is(err, store.ErrReadOnlyTeam):
		return ReasonTeamMember
	case errors.Is(err, store.ErrMemoryOff):
		return ReasonMemoryOff
	case errors.Is(err, store.ErrForbidden):
		return ReasonForbidden
	case isInvalid, isQuarantined: // the result of the change, not the text: that was looked at
		return ReasonInvalidDocument
	}
	return ""
}

// SnapshotInput names an import of a snapshot, whose archive stays in the store.
type SnapshotInput struct {
	AgentRef
	Import uuid.UUID `json:"import"`
}

// ReadSnapshotResult says what an archive has.
type ReadSnapshotResult struct {
	Ended     bool  `json:"ended,omitempty"` // the import was done before
	Documents int   `json:"documents"`       // that are taken
	Skipped   int   `json:"skipped"`         // entries
	Bytes     int64 `json:"bytes"`           // of the archive
}

// CommitSnapshotResult says what became of an import.
type CommitSnapshotResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"` // of refused
	Created    int               `json:"created"`
	Updated    int               `json:"updated"`
	Skipped    int               `json:"skipped"`
}

package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/writereq"
	"reverie/snapshot"
	"reverie/store"
	"reverie/store/transfer"
)

// Reasons why nothing of a snapshot is imported.
const (
	// ReasonChangedSincePreview means that a document has changed since the preview that the import is bound to.
	ReasonChangedSincePreview memory.ReasonCode = store.CodeChangedSincePreview
	// ReasonTeamMember means that the agent has a leader, so its memory is read-only.
	ReasonTeamMember = memory.GateTeamMember
	// ReasonMemoryOff means that memory is switched off for the agent.
	ReasonMemoryOff = memory.GateMemoryOff
	// ReasonForbidden means that the credential may not write the documents.
	ReasonForbidden memory.ReasonCode = "forbidden"
	// ReasonKeyRevoked means that the key that asked for it was revoked or has expired before it was written.
	ReasonKeyRevoked = writereq.RefusedKeyRevoked
	// ReasonUnreadable means that the archive cannot be read, although it could when it was uploaded.
	ReasonUnreadable memory.ReasonCode = "unreadable"
	// ReasonInvalidDocument means that a document of the archive cannot be stored.
	ReasonInvalidDocument memory.ReasonCode = "invalid_document"
	// ReasonCancelled means that the import was cancelled before it wrote anything.
	ReasonCancelled memory.ReasonCode = "cancelled"
)

// ReadSnapshot reads the archive of an import and counts what will be imported. It writes nothing.
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

// CommitSnapshot imports an archive in one transaction, once. A refusal is a result with a reason, not an error.
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
			if err = a.Store.KeyHolds(ctx, record.AuthorID); err == nil {
				record, err = a.Store.CommitSnapshot(ctx, s.id, in.Import, s.archive, s.taken, s.refused)
			}
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

// CancelSnapshot ends an import that must no longer write. One that has ended is unchanged; its result is
// returned.
func (a *Activities) CancelSnapshot(ctx context.Context, in SnapshotInput) (CommitSnapshotResult, error) {
	id := agentIdentity(ctx, in.AgentRef, memory.AuthorImport)
	record, err := a.Store.Snapshot(ctx, id, in.Import)
	if err == nil && record.FinishedAt == nil {
		record, err = a.Store.RefuseSnapshot(ctx, speaksFor(id, record), in.Import, ReasonCancelled)
	}
	if err != nil {
		return CommitSnapshotResult{}, storeError(err)
	}
	return endOf(record), nil
}

func endOf(record transfer.SnapshotImport) CommitSnapshotResult {
	return CommitSnapshotResult{
		Outcome: record.Outcome, ReasonCode: record.ReasonCode, Created: record.Created, Updated: record.Updated, Skipped: record.Skipped,
	}
}

// opened is an import with its archive.
type opened struct {
	id         memory.Identity
	record     transfer.SnapshotImport
	archive    snapshot.Archive
	taken      snapshot.Taken
	refused    []snapshot.Refused
	unreadable memory.ReasonCode // why the archive cannot be read; empty if it can
}

// speaksFor limits an importer to the permissions of the credential that requested the import.
func speaksFor(id memory.Identity, record transfer.SnapshotImport) memory.Identity {
	id.AnyOwner, id.Owner, id.Pinned, id.Author.ID = false, record.Owner, record.Pinned, record.AuthorID
	return id
}

// openSnapshot loads an import and, unless it has ended, reads its archive.
func (a *Activities) openSnapshot(ctx context.Context, in SnapshotInput) (opened, error) {
	id := agentIdentity(ctx, in.AgentRef, memory.AuthorImport)
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

// refusal returns why an import is refused; empty if err is nil or may pass on a retry.
func refusal(err error) memory.ReasonCode {
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	_, isInvalid := errors.AsType[*store.InvalidError](err)
	_, isQuarantined := errors.AsType[*store.QuarantineError](err)
	switch {
	case isConflict && conflict.Code == store.CodeChangedSincePreview:
		return ReasonChangedSincePreview
	case refusedByGate(err) != "":
		return refusedByGate(err)
	case errors.Is(err, store.ErrForbidden):
		return ReasonForbidden
	case errors.Is(err, store.ErrUnauthorized):
		return ReasonKeyRevoked
	case isInvalid, isQuarantined: // the result of the change, not the uploaded text, which was checked before
		return ReasonInvalidDocument
	}
	return ""
}

// SnapshotInput identifies an import of a snapshot. Its archive is in the store.
type SnapshotInput struct {
	AgentRef
	Import uuid.UUID `json:"import"`
}

// ReadSnapshotResult describes an archive.
type ReadSnapshotResult struct {
	Ended     bool  `json:"ended,omitempty"` // the import was done before
	Documents int   `json:"documents"`       // documents to import
	Skipped   int   `json:"skipped"`         // other entries
	Bytes     int64 `json:"bytes"`           // of the archive
}

// CommitSnapshotResult is the result of an import.
type CommitSnapshotResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"` // why it was refused
	Created    int               `json:"created"`
	Updated    int               `json:"updated"`
	Skipped    int               `json:"skipped"`
}

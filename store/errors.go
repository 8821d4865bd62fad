package store

import (
	"time"

	"reverie/store/pg"
)

// What callers need of package pg, which only the packages of the store import.
type (
	// Options configure a Store.
	Options = pg.Options
	// Page selects a part of a list.
	Page = pg.Page
	// Listed is one page of a list.
	Listed[T any] = pg.Listed[T]
	// Lease takes work for a sweep.
	Lease = pg.Lease
	// InvalidError means that an argument cannot be used.
	InvalidError = pg.InvalidError
	// ConflictError means that the call conflicts with the stored state.
	ConflictError = pg.ConflictError
	// StaleBaseError means that a change was based on a version that is no longer current.
	StaleBaseError = pg.StaleBaseError
	// EndedKeyError means that a secret is that of a revoked or expired key.
	EndedKeyError = pg.EndedKeyError
	// QuarantineError means that the scan refused the text of a change.
	QuarantineError = pg.QuarantineError
)

// Before returns a cursor at a time; see package pg.
func Before(t time.Time) string { return pg.Before(t) }

// Limits, described in package pg.
const (
	MaxPage = pg.MaxPage
)

// Errors, described in package pg.
var (
	ErrNotFound      = pg.ErrNotFound
	ErrForbidden     = pg.ErrForbidden
	ErrUnauthorized  = pg.ErrUnauthorized
	ErrExists        = pg.ErrExists
	ErrSeveralOwners = pg.ErrSeveralOwners
	ErrReadOnlyTeam  = pg.ErrReadOnlyTeam
	ErrMemoryOff     = pg.ErrMemoryOff
	ErrFactsOff      = pg.ErrFactsOff
	ErrReadOnly      = pg.ErrReadOnly
	ErrBusy          = pg.ErrBusy
)

// Codes of ConflictError, described in package pg.
const (
	CodeMessageIDReused     = pg.CodeMessageIDReused
	CodeRangeMoved          = pg.CodeRangeMoved
	CodeBeingDeleted        = pg.CodeBeingDeleted
	CodeKeyEnded            = pg.CodeKeyEnded
	CodeWebhookPaused       = pg.CodeWebhookPaused
	CodeOfProgram           = pg.CodeOfProgram
	CodeTooManyWebhooks     = pg.CodeTooManyWebhooks
	CodeDeletionStarted     = pg.CodeDeletionStarted
	CodeSuperseded          = pg.CodeSuperseded
	CodeNotQuarantined      = pg.CodeNotQuarantined
	CodeNoDraft             = pg.CodeNoDraft
	CodeNoteFull            = pg.CodeNoteFull
	CodeForgotten           = pg.CodeForgotten
	CodeEdited              = pg.CodeEdited
	CodeKnown               = pg.CodeKnown
	CodeNotFlushed          = pg.CodeNotFlushed
	CodeDreamedAgain        = pg.CodeDreamedAgain
	CodeKeyReused           = pg.CodeKeyReused
	CodeImportRunning       = pg.CodeImportRunning
	CodeImportFull          = pg.CodeImportFull
	CodeChangedSincePreview = pg.CodeChangedSincePreview
	CodeDecided             = pg.CodeDecided
)

// IsAway reports whether err means that the database cannot be reached, does not answer in time, or takes no writes.
func IsAway(err error) bool { return pg.IsAway(err) }

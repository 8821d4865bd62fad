package store

import (
	"errors"
	"fmt"
	"strings"

	"reverie/memory"
)

var (
	// ErrNotFound is wrapped when something does not exist or is not visible to the identity; the two are not told apart.
	ErrNotFound = errors.New("not found")
	// ErrForbidden is wrapped when the identity's credential does not allow the call.
	ErrForbidden = errors.New("forbidden")
	// ErrUnauthorized means that a secret is unknown or revoked.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrExists is wrapped when something of that name exists already.
	ErrExists = errors.New("exists already")
	// ErrReadOnlyTeam is wrapped when a write is about an agent that names a leader.
	ErrReadOnlyTeam = errors.New("memory is read-only for team members")
	// ErrMemoryOff is wrapped when memory is switched off for the agent.
	ErrMemoryOff = errors.New("memory is switched off for this agent")
	// ErrNotMigrated means that the database's schema is missing or older than this program.
	ErrNotMigrated = errors.New("the database is not migrated: run `reverie migrate`")
	// ErrNoRole is wrapped when the login may not take on AppRole.
	ErrNoRole = errors.New("the database login may not become " + AppRole)
)

// StaleBaseError means that a change was based on a version that is no longer current, and that both sides changed the
// same lines. It carries both, so that a person or a workflow can redo the change on Head. Its text has no contents.
type StaleBaseError struct {
	Ref         memory.Ref
	Base, Head  int    // versions
	BaseContent string // what both sides started from; empty when Base is 0
	Yours       string // what the change wanted
	Theirs      string // what is current
	Conflicts   []memory.Conflict
}

func (e *StaleBaseError) Error() string {
	return fmt.Sprintf("%s %s: version %d was changed meanwhile, version %d is current and changes the same lines: redo the change on version %d",
		e.Ref.Scope, e.Ref.Path, e.Base, e.Head, e.Head)
}

// QuarantineError means that the scan refused the text of a change. Nothing was written but the verdict, in the journal.
type QuarantineError struct {
	Ref      memory.Ref
	Findings []memory.Finding
}

func (e *QuarantineError) Error() string {
	rules := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		rules[i] = fmt.Sprintf("%s/%s in line %d", f.Class, f.Rule, f.Line)
	}
	return fmt.Sprintf("%s %s: the text is not written because of %s", e.Ref.Scope, e.Ref.Path, strings.Join(rules, ", "))
}

// InvalidError means that an argument cannot be used. Problem says what to do about it.
type InvalidError struct {
	Field   string // as the API names it, such as messages[3].content
	Problem string
	cause   error
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap returns the typed error of package memory behind it, if there is one.
func (e *InvalidError) Unwrap() error { return e.cause }

// Codes of ConflictError.
const (
	// CodeMessageIDReused: a message id was used again with other words.
	CodeMessageIDReused = "message_id_reused"
	// CodeConversationOfAnotherOwner: the conversation exists and is somebody else's.
	CodeConversationOfAnotherOwner = "conversation_of_another_owner"
	// CodeRangeMoved: the range does not begin behind the conversation's cursor, or the step behind what is flushed (any more).
	CodeRangeMoved = "range_moved"
	// CodeSuperseded: another run has taken this extraction, flush or dream over.
	CodeSuperseded = "superseded"
	// CodeNotQuarantined: only a quarantined extraction can be retried.
	CodeNotQuarantined = "not_quarantined"
	// CodeNoDraft: the extraction, flush or dream has no draft to commit; make one.
	CodeNoDraft = "no_draft"
	// CodeNoteFull: today's note would become larger than a document may be.
	CodeNoteFull = "note_full"
	// CodeForgotten: all that an entry says was forgotten by the one whose memory it is.
	CodeForgotten = "forgotten"
	// CodeNotFlushed: messages that a summary is to stand for are not saved yet.
	CodeNotFlushed = "not_flushed"
	// CodeNotEnded: the dream has not ended.
	CodeNotEnded = "not_ended"
	// CodeNotWritten: the dream changed nothing that could be undone.
	CodeNotWritten = "not_written"
	// CodeKeyReused: the idempotency key of a commit was used for another write.
	CodeKeyReused = "key_reused"
	// CodeImportRunning: items are staged, and an import is restarted, only while it does not run.
	CodeImportRunning = "import_running"
	// CodeImportFull: the import has as many items as it may have.
	CodeImportFull = "import_full"
	// CodeChangedSincePreview: an import is bound to a preview, and something has changed since.
	CodeChangedSincePreview = "changed_since_preview"
	// CodeKeyOfAnotherWorkspace: the secret is a key of another workspace.
	CodeKeyOfAnotherWorkspace = "key_of_another_workspace"
)

// ConflictError means that the call does not fit what is stored.
type ConflictError struct {
	Code    string // one of the Code constants
	Message string
}

func (e *ConflictError) Error() string { return e.Message }

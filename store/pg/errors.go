package pg

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
)

var (
	// ErrNotFound is wrapped when something does not exist or is not visible to the identity; the two cases look the same.
	ErrNotFound = errors.New("not found")
	// ErrForbidden is wrapped when the identity's credential does not allow the call.
	ErrForbidden = errors.New("forbidden")
	// ErrUnauthorized means that a secret is unknown, revoked or expired (see EndedKeyError).
	ErrUnauthorized = errors.New("unauthorized")
	// ErrSeveralOwners is wrapped when a name is looked up among all owners and more than one has it.
	ErrSeveralOwners = errors.New("more than one owner has a resource with this name")
	// ErrExists is wrapped when the name is taken.
	ErrExists = errors.New("already exists")
	// ErrReadOnlyTeam is wrapped when a write concerns an agent that has a leader.
	ErrReadOnlyTeam = errors.New("memory is read-only for team members")
	// ErrMemoryOff is wrapped when memory is switched off for the agent.
	ErrMemoryOff = errors.New("memory is switched off for this agent")
	// ErrFactsOff means that the server keeps no facts.
	ErrFactsOff = errors.New("facts are switched off on this server")
	// ErrNotMigrated means that the database's schema is missing or older than this program.
	ErrNotMigrated = errors.New("the database is not migrated: run `reverie migrate`")
	// ErrBusy means that too many transactions wait for a connection.
	ErrBusy = errors.New("too many requests wait for the database")
	// ErrReadOnly means that the server takes no writes, as a standby does.
	ErrReadOnly = errors.New("the database takes no writes")
	// ErrNoRole is wrapped when the login may not take on AppRole.
	ErrNoRole = errors.New("the database login may not become " + AppRole)
)

// EndedKeyError means that a secret is that of a key which is valid no more. It is an ErrUnauthorized.
type EndedKeyError struct {
	Key       uuid.UUID
	ExpiredAt time.Time // zero: the key was revoked
}

func (e *EndedKeyError) Error() string {
	if e.ExpiredAt.IsZero() {
		return "the key was revoked"
	}
	return "the key expired at " + e.ExpiredAt.Format(time.RFC3339)
}

// Unwrap returns ErrUnauthorized.
func (e *EndedKeyError) Unwrap() error { return ErrUnauthorized }

// StaleBaseError means that a change was based on a version that is no longer current, and that both sides changed the same lines.
// It carries both, so that a person or a workflow can redo the change on Head. Its message has no contents.
type StaleBaseError struct {
	Ref         memory.Ref
	Base, Head  int    // versions
	BaseContent string // the common base; empty when Base is 0
	Yours       string // content of the change
	Theirs      string // current content
	Conflicts   []markdown.Conflict
}

func (e *StaleBaseError) Error() string {
	return fmt.Sprintf("%s %s: version %d is out of date, and version %d changes the same lines: redo the change on version %d",
		e.Ref.Scope, e.Ref.Path, e.Base, e.Head, e.Head)
}

// QuarantineError means that the scan refused the text of a change. Only the verdict was written, to the journal.
type QuarantineError struct {
	Ref      memory.Ref
	Findings []scan.Finding
}

func (e *QuarantineError) Error() string {
	rules := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		rules[i] = fmt.Sprintf("%s/%s in line %d", f.Class, f.Rule, f.Line)
	}
	return fmt.Sprintf("%s %s: the scan refused the text: %s", e.Ref.Scope, e.Ref.Path, strings.Join(rules, ", "))
}

// InvalidError means that an argument cannot be used. Problem describes how to fix it.
type InvalidError = memory.InvalidError

// Codes of ConflictError.
const (
	// CodeMessageIDReused: a message id was used again with other content.
	CodeMessageIDReused = "message_id_reused"
	// CodeRangeMoved: the range does not begin after the conversation's cursor, or the step not after the last flushed one.
	CodeRangeMoved = "range_moved"
	// CodeSuperseded: another run has taken this extraction, flush or dream over.
	CodeSuperseded = "superseded"
	// CodeNotQuarantined: only a quarantined extraction can be retried.
	CodeNotQuarantined = "not_quarantined"
	// CodeNoDraft: the extraction, flush or dream has no draft to commit.
	CodeNoDraft = "no_draft"
	// CodeNoteFull: the note would exceed the size limit of a document.
	CodeNoteFull = "note_full"
	// CodeForgotten: the owner had everything forgotten that the entry says.
	CodeForgotten = "forgotten"
	// CodeEdited: a person has put other words in place of the statement.
	CodeEdited = "edited"
	// CodeResolved: the contradiction was resolved before.
	CodeResolved = "resolved"
	// CodeKnown: the document has everything that the entry says.
	CodeKnown = "known"
	// CodeNotFlushed: some messages to be summarised are not flushed yet.
	CodeNotFlushed = "not_flushed"
	// CodeNotEnded: the dream has not ended.
	CodeNotEnded = "not_ended"
	// CodeNotWritten: the dream changed nothing that can be undone.
	CodeNotWritten = "not_written"
	// CodeDreamedAgain: the dream was dreamed again before.
	CodeDreamedAgain = "dreamed_again"
	// CodeKeyReused: the idempotency key was used for another write.
	CodeKeyReused = "key_reused"
	// CodeImportRunning: the import is running; items can be staged, and it can be restarted, only while it is not.
	CodeImportRunning = "import_running"
	// CodeImportFull: the import has reached its limit of items.
	CodeImportFull = "import_full"
	// CodeChangedSincePreview: something has changed since the preview to which the import is bound.
	CodeChangedSincePreview = "changed_since_preview"
	// CodeBeingDeleted: the conversation, owner or agent is being deleted, or was deleted while a workflow worked for it.
	CodeBeingDeleted = "being_deleted"
	// CodeDeletionStarted: the deletion has started, or has ended, and cannot be cancelled.
	CodeDeletionStarted = "deletion_started"
	// CodeLeads: other agents have the agent as their leader.
	CodeLeads = "leads"
	// CodeDecided: somebody else has decided about a line that waited for approval.
	CodeDecided = "decided"
	// CodeKeyFixed: the key has ended, was rotated before or is named by the configuration, and cannot be rotated or revoked.
	CodeKeyFixed = "key_fixed"
	// CodeKeyEnded: the key that made the webhook was revoked or has expired.
	CodeKeyEnded = "key_ended"
	// CodeWebhookPaused: a paused webhook gets no events.
	CodeWebhookPaused = "webhook_paused"
	// CodeOfProgram: the webhook is of a program of the operator, and has neither an address nor a secret.
	CodeOfProgram = "of_program"
	// CodeTooManyWebhooks: the agent has as many webhooks as it may have.
	CodeTooManyWebhooks = "too_many_webhooks"
	// CodeKeyOfAnotherWorkspace: the secret is a key of another workspace.
	CodeKeyOfAnotherWorkspace = "key_of_another_workspace"
)

// ConflictError means that the call conflicts with the stored state.
type ConflictError struct {
	Code    string // one of the Code constants
	Message string
}

func (e *ConflictError) Error() string { return e.Message }

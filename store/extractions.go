package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Range is a range of messages to extract from, both ends included.
type Range struct {
	ConversationUID uuid.UUID
	From, To        int64
	// RetryOf is the quarantined extraction whose range is tried again; zero unless a retry. A retry does not look at the
	// conversation's cursor, which has passed the range.
	RetryOf uuid.UUID
}

// Extraction is the record of one run over one range.
type Extraction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	From, To        int64 // To is what was looked at: the end of the step once a draft or an outcome is there
	Outcome         memory.Outcome
	ReasonCode      memory.ReasonCode
	Reason          string             // in words
	Raw             string             // the engine's output; only of quarantined runs, and empty in lists
	Violations      []memory.Violation // why it was quarantined
	Changes         []memory.ChangeReceipt
	Model           string // the last one used
	PromptVersion   string
	Usage           memory.Usage // of all attempts
	RetryOf         uuid.UUID
	WorkflowID      string
	RunID           string
	HasDraft        bool // a proposal that passed the guards waits for CommitExtraction
	WaitingUntil    *time.Time
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// Open reports whether the run has not ended.
func (x Extraction) Open() bool {
	return x.Outcome == memory.OutcomeRunning || x.Outcome == memory.OutcomeWaiting
}

// Retry is the range of a new run over the messages of a quarantined one.
func (x Extraction) Retry() Range {
	return Range{ConversationUID: x.ConversationUID, From: x.From, To: x.To, RetryOf: x.ID}
}

// PendingRange is a range with the agent whose settings hold for it.
type PendingRange struct {
	Range
	Agent Agent
}

// NextRange returns what is to be extracted next of the owner's conversations: the oldest pending one, from behind its
// cursor to its last completed message. It reports false when nothing is pending; the agent is filled in either case.
func (s *Store) NextRange(ctx context.Context, id memory.Identity) (PendingRange, bool, error) {
	panic("signature")
}

// ConversationRange is NextRange of one conversation, including messages that were considered and left in front of the
// cursor: a person asks for them now.
func (s *Store) ConversationRange(ctx context.Context, id memory.Identity, uid uuid.UUID) (PendingRange, bool, error) {
	panic("signature")
}

// BeginExtraction opens the record of a run over r, by the workflow that the identity's author names, and r.To is then
// the end of the whole range. An open record of the same conversation and start is taken over; it keeps its draft when the
// run is the same.
//
// A range that the same run has ended, or that any run has accounted for, gives that record (Open is false): there is
// nothing left to do for it. It returns *ConflictError with CodeRangeMoved when r does not begin behind the cursor, and
// with CodeNotQuarantined when r.RetryOf cannot be retried.
func (s *Store) BeginExtraction(ctx context.Context, id memory.Identity, r Range) (Extraction, error) {
	panic("signature")
}

// ExtractionLoad is what one step of an extraction needs.
type ExtractionLoad struct {
	Agent        Agent
	Conversation Conversation
	Today        time.Time        // now, in the agent's time zone
	Scope        memory.Scope     // of the documents to write: PERSONAL, or TEAM without isolation and for SystemOwner
	Messages     []memory.Message // From..To of this step, every role
	// ConversationMessages counts the user and assistant messages of the conversation up to the end of the whole range.
	ConversationMessages int
	// Profile, Memory and Note (today's) are of Scope; Version is 0 when there is none, and Content is empty when it is deleted.
	Profile, Memory, Note memory.Document
	Shared                string   // content of the TEAM MEMORY.md when Scope is PERSONAL
	Protected             []string // lines of Profile and Memory that a person wrote
	To                    int64    // end of this step
	Last                  bool     // the step ends where the range ends
}

// LoadExtraction reads what the first step of r needs: as many messages from r.From on as fit one transcript
// (memory.Steps), and the documents as they are now.
func (s *Store) LoadExtraction(ctx context.Context, id memory.Identity, r Range, settings memory.ExtractSettings) (ExtractionLoad, error) {
	panic("signature")
}

// Extraction returns one record, with Raw.
func (s *Store) Extraction(ctx context.Context, id memory.Identity, extraction uuid.UUID) (Extraction, error) {
	panic("signature")
}

// ExtractionFilter limits a list of extractions.
type ExtractionFilter struct {
	Conversation string // the client's id
	Outcome      memory.Outcome
}

// Extractions lists the owner's records, with AnyOwner those of every owner, newest first.
func (s *Store) Extractions(ctx context.Context, id memory.Identity, f ExtractionFilter, p Page) (Listed[Extraction], error) {
	panic("signature")
}

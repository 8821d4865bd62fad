package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Draft is a proposal that passed the guards, as the changes that it makes.
type Draft struct {
	Changes       []memory.Change
	To            int64  // last message of the step: the rest of the range stays pending
	Reason        string // the engine's, in words
	Raw           string // the engine's output; dropped once the draft is committed, kept when it is quarantined
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// SaveDraft keeps a draft for CommitExtraction, in place of an earlier one. It returns *ConflictError with CodeSuperseded
// when another run has taken the extraction over or it has ended.
func (s *Store) SaveDraft(ctx context.Context, id memory.Identity, extraction uuid.UUID, d Draft) error {
	panic("signature")
}

// Ending is how a run ends without a write, or why it waits.
type Ending struct {
	Outcome    memory.Outcome // skipped, nothing, quarantined, failed or waiting
	ReasonCode memory.ReasonCode
	Reason     string // in words
	// To is the last message that the run looked at; 0: the end of its range, or of its draft's step.
	To            int64
	Until         time.Time // of waiting: when it goes on
	Raw           string    // of quarantined: the engine's output; empty: that of the draft
	Violations    []memory.Violation
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// ExtractionResult is how a run stands after it was recorded.
type ExtractionResult struct {
	Extraction Extraction
	Receipt    memory.Receipt // of CommitExtraction: Replayed is true when an earlier call had committed it
	More       bool           // other completed messages of the owner wait to be considered
}

// RecordOutcome ends a run, or sets it to wait, and moves the conversation's numbers in the same transaction: nothing and
// quarantined account for the messages (the cursor passes them), skipped and failed have only considered them, waiting
// does neither. A run that has ended keeps its first outcome, which is returned.
func (s *Store) RecordOutcome(ctx context.Context, id memory.Identity, extraction uuid.UUID, e Ending) (ExtractionResult, error) {
	panic("signature")
}

// Commit says which draft to commit.
type Commit struct {
	ExtractionID uuid.UUID
	Key          string // idempotency key of the write; empty: the extraction's id
}

// CommitExtraction applies an extraction's draft: documents, versions, outcome, cursor, journal and ledger in one
// transaction. The outcome is written, or nothing when the documents were so already. A run that has ended gives the
// recorded result again.
//
// It returns *StaleBaseError when a document was changed meanwhile in the same lines (the draft is dropped: propose
// anew), *QuarantineError, and *ConflictError with CodeNoDraft, CodeSuperseded or CodeRangeMoved.
func (s *Store) CommitExtraction(ctx context.Context, id memory.Identity, c Commit) (ExtractionResult, error) {
	panic("signature")
}

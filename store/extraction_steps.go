package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	// Noted is the flush that had noted the messages when the draft was made; zero: none had. When that has changed the draft
	// is stale.
	Noted uuid.UUID
}

// Ending is how a run ends without a write, or why it waits.
type Ending struct {
	Outcome    memory.Outcome // skipped, nothing, quarantined, failed or waiting
	ReasonCode memory.ReasonCode
	Reason     string // in words
	// To is the last message that the run looked at. 0: that of its draft for nothing and quarantined; without one, and
	// for the other outcomes, the end of its range.
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
	Receipt    memory.Receipt // of CommitExtraction: Replayed is true when the run had ended before
	More       bool           // other completed messages of the owner wait to be considered
}

// Commit says which draft to commit.
type Commit struct {
	ExtractionID uuid.UUID
	Key          string // idempotency key of the write; empty: one made of the extraction's id
}

const (
	sqlDraftSave = `
update extractions set
    draft = @draft,
    to_seq = @to,
    reason = @reason,
    raw = @raw,
    model = @model,
    prompt_version = @prompt_version,
    flush_id = @noted,
    ` + usageAdded + `
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
    and finished_at is null and workflow_id = @workflow and run_id = @run and @to between from_seq and range_to
returning extraction_id`

	sqlDraftDrop = `
update extractions set draft = null
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
    and finished_at is null and workflow_id = @workflow and run_id = @run`
)

// SaveDraft keeps a draft for CommitExtraction, in place of an earlier one. It returns *ConflictError with CodeSuperseded
// when another run has taken the extraction over, or it has ended.
func (s *Store) SaveDraft(ctx context.Context, id memory.Identity, extraction uuid.UUID, d Draft) error {
	if err := requireOwner(id); err != nil {
		return err
	}
	if len(d.Changes) == 0 {
		return &InvalidError{Field: "changes", Problem: "a draft has at least one; record the outcome nothing instead"}
	}
	changes := slices.Clone(d.Changes)
	for i, change := range changes { // what the database or the gate cannot take is found now, not by the commit
		if err := validContent("content", change.Content); err != nil {
			return err
		}
		changes[i].Reason = storableReason(change.Reason)
	}
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
		saved := false
		var kept uuid.UUID
		args := t.args(pgx.NamedArgs{
			"extraction": extraction, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
			"draft": changes, "to": d.To, "reason": storable(d.Reason), "raw": storable(d.Raw),
			"noted": uuid.NullUUID{UUID: d.Noted, Valid: d.Noted != uuid.Nil},
		})
		addUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
		b := &pgx.Batch{}
		one(b.Queue(sqlDraftSave, args), &saved, func(row pgx.CollectableRow) error { return row.Scan(&kept) })
		queueUsage(b, t, d.Model, d.Usage) // it was spent even if the draft comes too late
		if err := t.finish(ctx, b); err != nil {
			return struct{}{}, err
		}
		if !saved {
			return struct{}{}, superseded(extraction)
		}
		return struct{}{}, nil
	})
	return err
}

func superseded(extraction uuid.UUID) error {
	return &ConflictError{
		Code:    CodeSuperseded,
		Message: fmt.Sprintf("extraction %s has ended or another run has taken it over", extraction),
	}
}

// RecordOutcome ends a run, or sets it to wait, and moves the conversation's numbers in the same transaction: nothing and
// quarantined account for the messages (the cursor passes them), skipped and failed have only considered them, waiting
// does neither. A run that has ended keeps its first outcome, which is returned.
func (s *Store) RecordOutcome(ctx context.Context, id memory.Identity, extraction uuid.UUID, e Ending) (ExtractionResult, error) {
	switch e.Outcome {
	case memory.OutcomeSkipped, memory.OutcomeNothing, memory.OutcomeQuarantined, memory.OutcomeFailed, memory.OutcomeWaiting:
	default:
		return ExtractionResult{}, &InvalidError{Field: "outcome", Problem: "use skipped, nothing, quarantined, failed or waiting"}
	}
	return s.settle(ctx, id, extraction, func(t *tx, o *opened) (ExtractionResult, error) {
		if e.To != 0 && (e.To < o.from || e.To > o.rangeTo) {
			return ExtractionResult{}, &InvalidError{Field: "to", Problem: fmt.Sprintf("the range is %d to %d", o.from, o.rangeTo)}
		}
		b := &pgx.Batch{}
		ending := o.ending(e)
		if err := o.queueEnd(b, t, ending); err != nil {
			return ExtractionResult{}, err
		}
		return o.finish(ctx, t, b)
	})
}

// CommitExtraction applies an extraction's draft: documents, versions, outcome, cursor, journal and ledger in one
// transaction. The outcome is written, or nothing when the documents were so already. A run that has ended gives the
// recorded result again.
//
// It returns *StaleBaseError when a document was changed meanwhile in the same lines, or a flush has noted messages of the
// draft (the draft is dropped: propose anew), *QuarantineError, and *ConflictError with CodeNoDraft, CodeSuperseded or CodeRangeMoved. It costs three round trips.
func (s *Store) CommitExtraction(ctx context.Context, id memory.Identity, c Commit) (ExtractionResult, error) {
	result, err := s.settle(ctx, id, c.ExtractionID, func(t *tx, o *opened) (ExtractionResult, error) { return o.commit(ctx, t, c) })
	if errors.As(err, new(*StaleBaseError)) {
		return ExtractionResult{}, errors.Join(err, s.dropDraft(ctx, id, c.ExtractionID))
	}
	return result, s.refused(ctx, id, err)
}

// dropDraft drops a draft that cannot be committed, so that the next attempt proposes anew.
func (s *Store) dropDraft(ctx context.Context, id memory.Identity, extraction uuid.UUID) error {
	_, err := inTx(ctx, s, id, func(t *tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlDraftDrop, t.args(pgx.NamedArgs{"extraction": extraction, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}

package talk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Draft is a proposal that passed the guards, as changes of documents.
type Draft struct {
	Changes       []memory.Change
	To            int64  // last message of the step: the rest of the range stays pending
	Reason        string // the engine's, in words
	Raw           string // the engine's output; dropped once the draft is committed, kept when it is quarantined
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
	// Noted is the flush that had noted the messages when the draft was made; zero: none had. The draft is stale when that has
	// changed.
	Noted      uuid.UUID
	Violations []proposals.Violation // lines that were dropped from the proposal
}

// Ending records how a run ends without a write, or why it waits.
type Ending struct {
	Outcome    memory.Outcome // skipped, nothing, quarantined, failed or waiting
	ReasonCode memory.ReasonCode
	Reason     string // in words
	// To is the last message that the run looked at. 0: for nothing and quarantined, that of its draft; without a draft, and for
	// other outcomes, the end of its range.
	To            int64
	Until         time.Time // of waiting: when it continues
	Raw           string    // of quarantined: the engine's output; empty: that of the draft
	Violations    []proposals.Violation
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// ExtractionResult is the state of a run after a step was recorded.
type ExtractionResult struct {
	Extraction Extraction
	Receipt    memory.Receipt // of CommitExtraction: Replayed is true when the run had ended before
	More       bool           // other completed messages of the owner wait to be considered
}

// Commit names the draft to commit.
type Commit struct {
	ExtractionID uuid.UUID
	// Patch applies the draft to the documents as they are, where it would be stale: lines that others have changed concurrently stay as
	// they are, what the draft adds is put beside them, and messages that a flush has noted since are not noted again.
	Patch bool
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
    violations = @violations,
    ` + UsageAdded + `
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
    and finished_at is null and workflow_id = @workflow and run_id = @run and @to between from_seq and range_to
returning extraction_id`

	sqlDraftDrop = `
update extractions set draft = null
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
    and finished_at is null and workflow_id = @workflow and run_id = @run`
)

// SaveDraft stores a draft for CommitExtraction and replaces an earlier one. It returns *ConflictError with CodeSuperseded when the
// extraction has ended or another run has taken it over.
func (s *Talk) SaveDraft(ctx context.Context, id memory.Identity, extraction uuid.UUID, d Draft) error {
	if err := pg.RequireOwner(id); err != nil {
		return err
	}
	if len(d.Changes) == 0 {
		return &pg.InvalidError{Field: "changes", Problem: "a draft has at least one; record the outcome nothing instead"}
	}
	changes := slices.Clone(d.Changes)
	for i, change := range changes { // fail now rather than at the commit
		if err := gate.ValidContent("content", change.Content); err != nil {
			return err
		}
		changes[i].Reason = gate.StorableReason(change.Reason)
	}
	args, err := pg.JSONArgs(pgx.NamedArgs{
		"extraction": extraction, "workflow": id.Author.WorkflowID, "run": id.Author.RunID,
		"draft": changes, "to": d.To, "reason": pg.Storable(d.Reason), "raw": pg.Storable(d.Raw),
		"noted": uuid.NullUUID{UUID: d.Noted, Valid: d.Noted != uuid.Nil},
	}, map[string]any{"violations": pg.StorableViolations(d.Violations)})
	if err != nil {
		return err
	}
	AddUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
	return s.saveDraft(ctx, id, sqlDraftSave, args, spent{d.Model, d.Usage}, superseded(extraction))
}

// spent is the usage of a model.
type spent struct {
	model string
	usage memory.Usage
}

// saveDraft saves a draft and records its usage, which was spent even if the draft comes too late: then it returns late.
func (s *Talk) saveDraft(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs, u spent, late error) error {
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		saved := false
		var kept uuid.UUID
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sql, t.Args(args)), &saved, &kept)
		QueueUsage(b, t, u.model, u.usage)
		if err := t.Finish(ctx, b); err != nil {
			return struct{}{}, err
		}
		if !saved {
			return struct{}{}, late
		}
		return struct{}{}, nil
	})
	return err
}

func superseded(extraction uuid.UUID) error {
	return &pg.ConflictError{
		Code:    pg.CodeSuperseded,
		Message: fmt.Sprintf("extraction %s has ended or another run has taken it over", extraction),
	}
}

// RecordOutcome ends a run, or sets it to wait, and moves the conversation's numbers in the same transaction: nothing and
// quarantined account for the messages (the cursor passes them), skipped and failed have only considered them, waiting does
// neither. A run that has ended keeps its first outcome, which is returned.
func (s *Talk) RecordOutcome(ctx context.Context, id memory.Identity, extraction uuid.UUID, e Ending) (ExtractionResult, error) {
	switch e.Outcome {
	case memory.OutcomeSkipped, memory.OutcomeNothing, memory.OutcomeQuarantined, memory.OutcomeFailed, memory.OutcomeWaiting:
	default:
		return ExtractionResult{}, &pg.InvalidError{Field: "outcome", Problem: "use skipped, nothing, quarantined, failed or waiting"}
	}
	open := func() *opened { return &opened{id: extraction} }
	return settle(ctx, s.db, id, open, func(t *pg.Tx, o *opened) (ExtractionResult, error) {
		if e.To != 0 && (e.To < o.from || e.To > o.rangeTo) {
			return ExtractionResult{}, &pg.InvalidError{Field: "to", Problem: fmt.Sprintf("the range is %d to %d", o.from, o.rangeTo)}
		}
		b := &pgx.Batch{}
		ending := o.ending(e)
		if err := o.queueEnd(b, t, ending); err != nil {
			return ExtractionResult{}, err
		}
		return o.finish(ctx, t, b)
	})
}

// CommitExtraction applies an extraction's draft: documents, versions, outcome, cursor, journal and ledger in one transaction. The
// outcome is written, or nothing when the documents are unchanged. For a run that has ended it returns the recorded result.
//
// It returns *StaleBaseError when a document was changed concurrently on the same lines, or a flush has noted messages of the draft (the
// draft is dropped and must be proposed again), unless it is to patch, *QuarantineError, and *ConflictError with CodeNoDraft,
// CodeSuperseded or CodeRangeMoved. It costs three round trips.
func (s *Talk) CommitExtraction(ctx context.Context, id memory.Identity, c Commit) (ExtractionResult, error) {
	open := func() *opened { return &opened{id: c.ExtractionID} }
	result, err := settle(ctx, s.db, id, open, func(t *pg.Tx, o *opened) (ExtractionResult, error) { return o.commit(ctx, t, c) })
	if errors.As(err, new(*pg.StaleBaseError)) {
		return ExtractionResult{}, errors.Join(err, s.dropDraft(ctx, id, c.ExtractionID))
	}
	return result, gate.Refused(ctx, s.db, id, err)
}

// dropDraft drops a draft that cannot be committed, so that the next attempt makes a new one.
func (s *Talk) dropDraft(ctx context.Context, id memory.Identity, extraction uuid.UUID) error {
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlDraftDrop, t.Args(pgx.NamedArgs{"extraction": extraction, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// conversationLock returns the statement that locks the conversation of a row of a table, "extractions" or "flushes", whose key is named by a
// word, and returns columns of the conversation.
func conversationLock(columns, table, key string) string {
	return `
select ` + columns + `
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.owner_key = @owner
    and c.conversation_uid = (
        select x.conversation_uid
        from ` + table + ` x
        where x.workspace_id = @workspace and x.agent_id = @agent and x.` + key + `_id = @` + key + `)
for no key update of c`
}

var sqlExtractionConversationLock = conversationLock("c.cursor_seq, c.complete_seq", "extractions", "extraction")

const (
	sqlExtractionLock = `
select conversation_uid, from_seq, to_seq, range_to, retry_of is not null, finished_at is not null, workflow_id, run_id,
    model, prompt_version, reason, raw, draft, flush_id, violations
from extractions
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
for no key update`

	// The latest step of a flush that has written messages of the draft.
	sqlExtractionNoted = `
with x as materialized (
    select conversation_uid, from_seq, to_seq
    from extractions
    where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction
)
select flush_id, scope, path
from flush_steps
where workspace_id = @workspace and agent_id = @agent and conversation_uid = (select conversation_uid from x)
    and from_seq <= (select to_seq from x) and to_seq >= (select from_seq from x) and outcome = 'written'
order by from_seq desc
limit 1`

	sqlExtractionEnd = `
update extractions set
    outcome = @outcome,
    reason_code = @reason_code,
    reason = @reason,
    to_seq = @to,
    draft = case when @outcome = 'waiting' then draft end,
    raw = @raw,
    violations = @violations,
    changes = @changes,
    model = @model,
    prompt_version = @prompt_version,
    ` + UsageAdded + `,
    waiting_until = @until,
    finished_at = case when @outcome <> 'waiting' then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction`

	// Sets pending_since to the arrival of the first message that was not considered.
	sqlConversationMove = `
update conversations c set
    considered_seq = greatest(c.considered_seq, @considered),
    cursor_seq = greatest(c.cursor_seq, @cursor),
    pending_since = case when c.complete_seq > greatest(c.considered_seq, @considered) then (
        select m.stored_at
        from messages m
        where m.workspace_id = c.workspace_id and m.agent_id = c.agent_id and m.conversation_uid = c.conversation_uid
            and m.seq = greatest(c.considered_seq, @considered) + 1) end
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid and c.owner_key = @owner`

	sqlMore = `
select exists (
    select from conversations
    where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and complete_seq > considered_seq)`
)

// opened is an open record while its conversation and it are locked, in this order, as by BeginExtraction. Documents are locked
// after them.
type opened struct {
	id                uuid.UUID
	found, ended      bool
	uid               uuid.UUID // of the conversation
	from, to, rangeTo int64
	isRetry           bool
	workflow, run     string
	model, prompt     string
	reason, raw       string
	draft             []memory.Change       // nil: none
	violations        []proposals.Violation // of the draft
	draftNoted        uuid.NullUUID         // the flush that had noted the messages of the draft when it was made
	noted             uuid.NullUUID         // and the one that has now
	note              memory.Ref            // that it was written to
	cursor, complete  int64
	receipt           memory.Receipt
}

// settled is a record of work on a range of messages, while it and its conversation are locked.
type settled[R any] interface {
	// queueLock queues locking the conversation and the record, in this order.
	queueLock(b *pgx.Batch, t *pg.Tx)
	// check reports whether the step is done already, and returns an error when the identity's run may not settle it.
	check(id memory.Identity) (done bool, err error)
	// finish commits the statements of b, and reads the record as it is then.
	finish(ctx context.Context, t *pg.Tx, b *pgx.Batch) (R, error)
}

// settle locks the record that open returns and calls fn to account for a step of it. A step that is done is returned as it is.
// Documents are locked after the record.
func settle[O settled[R], R any](ctx context.Context, db *pg.DB, id memory.Identity, open func() O, fn func(*pg.Tx, O) (R, error)) (R, error) {
	var none R
	if err := pg.RequireOwnerWrite(id); err != nil {
		return none, err
	}
	return pg.InTx(ctx, db, id, func(t *pg.Tx) (R, error) {
		o := open()
		b := &pgx.Batch{}
		o.queueLock(b, t)
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		switch done, err := o.check(id); {
		case err != nil:
			return none, err
		case done:
			return o.finish(ctx, t, &pgx.Batch{})
		}
		return fn(t, o)
	})
}

func (o *opened) check(id memory.Identity) (done bool, err error) {
	switch {
	case !o.found:
		return false, noExtraction(o.id)
	case o.ended:
		o.receipt.Replayed = true
		return true, nil
	case o.workflow != id.Author.WorkflowID || o.run != id.Author.RunID:
		return false, superseded(o.id)
	}
	return false, nil
}

func (o *opened) queueLock(b *pgx.Batch, t *pg.Tx) {
	args := t.Args(pgx.NamedArgs{"extraction": o.id})
	found := false // it is if the record is, which refers to it
	pg.Columns(b.Queue(sqlExtractionConversationLock, args), &found, &o.cursor, &o.complete)
	pg.Columns(b.Queue(sqlExtractionLock, args), &o.found,
		&o.uid, &o.from, &o.to, &o.rangeTo, &o.isRetry, &o.ended, &o.workflow, &o.run,
		&o.model, &o.prompt, &o.reason, &o.raw, &o.draft, &o.draftNoted, &o.violations,
	)
	noted := false
	pg.Columns(b.Queue(sqlExtractionNoted, args), &noted, &o.noted, &o.note.Scope, &o.note.Path)
}

// commit applies the draft.
func (o *opened) commit(ctx context.Context, t *pg.Tx, c Commit) (ExtractionResult, error) {
	if o.draft == nil {
		return ExtractionResult{}, &pg.ConflictError{Code: pg.CodeNoDraft, Message: fmt.Sprintf("extraction %s has no draft: propose one", o.id)}
	}
	isNoted := o.noted != o.draftNoted // the note may already have what the draft appends
	if isNoted && !c.Patch {
		return ExtractionResult{}, &pg.StaleBaseError{Ref: o.note}
	}
	if c.Patch {
		o.draft = patches(o.draft, isNoted)
	}
	author := t.ID.Author
	author.ID = cmp.Or(author.ID, o.model)
	w, err := gate.ApplyChanges(ctx, t, gate.ChangeSet{Author: author, Key: "extraction/" + o.id.String(), Changes: o.draft})
	if err != nil {
		return ExtractionResult{}, err
	}
	act := &pgx.Batch{}
	end := ending{Ending: Ending{
		Outcome: memory.OutcomeNothing, Reason: o.reason, To: o.to, Model: o.model, PromptVersion: o.prompt, Violations: o.violations,
	}, changes: w.Receipt.Changes}
	waiting := false
	for _, change := range w.Receipt.Changes {
		if change.Changed {
			end.Outcome = memory.OutcomeWritten
		}
		if n := change.Aside; n > 0 {
			end.Violations = append(end.Violations, proposals.Violation{Code: proposals.ViolationHeld, Message: change.Path + ": " +
				memory.Plural(n, "statement that may instruct the assistant is", "statements that may instruct the assistant are") +
				" in " + change.AsideIn + " instead"})
		}
		if n := change.Waiting; n > 0 {
			waiting = true
			end.Violations = append(end.Violations, proposals.Violation{
				Code: proposals.ViolationHeld, Message: change.Path + ": " + memory.Plural(n, "line waits", "lines wait") + " for approval",
			})
		}
		if n := change.Held; n > 0 {
			end.Violations = append(end.Violations, proposals.Violation{Code: proposals.ViolationHeld, Message: change.Path + ": " +
				memory.Plural(n, "statement instructs the assistant and waits", "statements instruct the assistant and wait") + " for a person"})
		}
	}
	if waiting && end.Outcome == memory.OutcomeNothing {
		end.ReasonCode = memory.ReasonApproval
	}
	if err := o.queueEnd(act, t, end); err != nil {
		return ExtractionResult{}, err
	}
	result, err := o.finish(ctx, t, act)
	result.Receipt = w.Receipt
	return result, err
}

// patches returns the changes of a draft as changes that are never stale, without those of the day's note if a flush has noted the
// messages.
func patches(draft []memory.Change, isNoted bool) []memory.Change {
	var out []memory.Change
	for _, c := range draft {
		if isNoted && c.Path != memory.MemoryPath && c.Path != memory.ProfilePath {
			continue
		}
		c.Patch = c.Op == memory.OpReplace
		out = append(out, c)
	}
	return out
}

// ending is an Ending with its defaults filled in, and the changes of a commit.
type ending struct {
	Ending
	changes []memory.ChangeReceipt
}

// ending fills in the defaults of e from the record.
func (o *opened) ending(e Ending) ending {
	if e.To == 0 {
		e.To = o.rangeTo
		if o.draft != nil && (e.Outcome == memory.OutcomeNothing || e.Outcome == memory.OutcomeQuarantined) {
			e.To = o.to
		}
	}
	switch e.Outcome {
	case memory.OutcomeQuarantined:
		e.Raw = cmp.Or(e.Raw, o.raw)
	case memory.OutcomeWaiting: // the draft stays, if there is one
		e.To, e.Raw = o.to, o.raw
		e.Violations = append(slices.Clone(o.violations), e.Violations...)
	default:
		e.Raw = ""
	}
	if e.Model == "" {
		e.Model, e.PromptVersion = o.model, o.prompt
	}
	return ending{Ending: e}
}

// queueEnd queues the end of the record and its effect on the conversation.
func (o *opened) queueEnd(b *pgx.Batch, t *pg.Tx, e ending) error {
	considered, cursor := e.To, int64(0)
	switch e.Outcome {
	case memory.OutcomeWritten, memory.OutcomeNothing, memory.OutcomeQuarantined:
		cursor = e.To
		if !o.isRetry && o.cursor != o.from-1 {
			return rangeMoved(o.from, e.To, o.cursor, o.complete)
		}
	case memory.OutcomeWaiting:
		considered = 0
	}
	args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{
		"extraction": o.id, "outcome": e.Outcome, "reason_code": e.ReasonCode, "reason": pg.Storable(e.Reason), "to": e.To,
		"raw": pg.Storable(e.Raw), "until": nil, "uid": o.uid, "considered": considered, "cursor": cursor,
	}), map[string]any{"violations": pg.StorableViolations(e.Violations), "changes": pg.OrEmpty(e.changes)})
	if err != nil {
		return err
	}
	AddUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	if e.Outcome == memory.OutcomeWaiting {
		args["until"] = e.Until
	}
	b.Queue(sqlExtractionEnd, args)
	if considered > 0 && !o.isRetry {
		b.Queue(sqlConversationMove, args)
	}
	QueueUsage(b, t, cmp.Or(e.Model, t.ID.Author.ID), e.Usage)
	return nil
}

// finish commits and returns the record as stored.
func (o *opened) finish(ctx context.Context, t *pg.Tx, b *pgx.Batch) (ExtractionResult, error) {
	result := ExtractionResult{Receipt: o.receipt}
	found := false
	queueExtraction(b, t, o.id, &result.Extraction, &found)
	b.Queue(sqlMore, t.Args(nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&result.More) })
	if err := t.Finish(ctx, b); err != nil {
		return ExtractionResult{}, err
	}
	if o.ended {
		result.Receipt.Changes = result.Extraction.Changes
	}
	return result, nil
}

package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	sqlExtractionLock = `
select conversation_uid, from_seq, to_seq, range_to, retry_of is not null, finished_at is not null, workflow_id, run_id,
    model, prompt_version, reason, raw, draft, flush_id
from extractions
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction and owner_key = @owner
for no key update`

	sqlExtractionConversationLock = `
select c.cursor_seq, c.complete_seq
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.owner_key = @owner
    and c.conversation_uid = (
        select x.conversation_uid
        from extractions x
        where x.workspace_id = @workspace and x.agent_id = @agent and x.extraction_id = @extraction)
for no key update of c`

	// What a flush has written of the messages of the draft, the latest of it.
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
    ` + usageAdded + `,
    waiting_until = @until,
    finished_at = case when @outcome <> 'waiting' then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and extraction_id = @extraction`

	// Pending since is when the first message came in that was not considered yet.
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

// opened is an open record while its conversation and it are locked, in this order, as by BeginExtraction. Documents are
// locked after them.
type opened struct {
	id                uuid.UUID
	found, ended      bool
	uid               uuid.UUID // of the conversation
	from, to, rangeTo int64
	isRetry           bool
	workflow, run     string
	model, prompt     string
	reason, raw       string
	draft             []memory.Change // nil: none
	draftNoted        uuid.NullUUID   // the flush that had noted the messages of the draft when it was made
	noted             uuid.NullUUID   // and the one that has now
	note              memory.Ref      // that it was written to
	cursor, complete  int64
	receipt           memory.Receipt
}

// settle locks a conversation and a record of it and calls fn to end it. A record that has ended is returned as it is.
func (s *Store) settle(ctx context.Context, id memory.Identity, extraction uuid.UUID, fn func(*tx, *opened) (ExtractionResult, error)) (ExtractionResult, error) {
	if err := requireOwner(id); err != nil {
		return ExtractionResult{}, err
	}
	if err := requireWrite(id); err != nil {
		return ExtractionResult{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (ExtractionResult, error) {
		o := &opened{id: extraction}
		b := &pgx.Batch{}
		o.queueLock(b, t)
		if err := t.send(ctx, b); err != nil {
			return ExtractionResult{}, err
		}
		switch {
		case !o.found:
			return ExtractionResult{}, noExtraction(extraction)
		case o.ended:
			o.receipt.Replayed = true
			return o.finish(ctx, t, &pgx.Batch{})
		case o.workflow != id.Author.WorkflowID || o.run != id.Author.RunID:
			return ExtractionResult{}, superseded(extraction)
		}
		return fn(t, o)
	})
}

func (o *opened) queueLock(b *pgx.Batch, t *tx) {
	args := t.args(pgx.NamedArgs{"extraction": o.id})
	found := false // it is if the record is, which refers to it
	one(b.Queue(sqlExtractionConversationLock, args), &found, func(row pgx.CollectableRow) error {
		return row.Scan(&o.cursor, &o.complete)
	})
	one(b.Queue(sqlExtractionLock, args), &o.found, func(row pgx.CollectableRow) error {
		return row.Scan(&o.uid, &o.from, &o.to, &o.rangeTo, &o.isRetry, &o.ended, &o.workflow, &o.run,
			&o.model, &o.prompt, &o.reason, &o.raw, &o.draft, &o.draftNoted)
	})
	noted := false
	one(b.Queue(sqlExtractionNoted, args), &noted, func(row pgx.CollectableRow) error {
		return row.Scan(&o.noted, &o.note.Scope, &o.note.Path)
	})
}

// commit applies the draft.
func (o *opened) commit(ctx context.Context, t *tx, c Commit) (ExtractionResult, error) {
	if o.draft == nil {
		return ExtractionResult{}, &ConflictError{Code: CodeNoDraft, Message: fmt.Sprintf("extraction %s has no draft: propose one", o.id)}
	}
	if o.noted != o.draftNoted { // what it appends to the note may stand there already
		return ExtractionResult{}, &StaleBaseError{Ref: o.note}
	}
	author := t.id.Author
	author.ID = cmp.Or(author.ID, o.model)
	w, err := applyChanges(ctx, t, changeSet{author: author, key: cmp.Or(c.Key, "extraction/"+o.id.String()), changes: o.draft})
	if err != nil {
		return ExtractionResult{}, err
	}
	act := &pgx.Batch{}
	end := ending{Ending: Ending{
		Outcome: memory.OutcomeNothing, Reason: o.reason, To: o.to, Model: o.model, PromptVersion: o.prompt,
	}, changes: w.receipt.Changes}
	for _, change := range w.receipt.Changes {
		if change.Changed {
			end.Outcome = memory.OutcomeWritten
		}
	}
	if err := o.queueEnd(act, t, end); err != nil {
		return ExtractionResult{}, err
	}
	result, err := o.finish(ctx, t, act)
	result.Receipt = w.receipt
	return result, err
}

// ending is an Ending with what was filled in, and the changes of a commit.
type ending struct {
	Ending
	changes []memory.ChangeReceipt
}

// ending fills in what e leaves to the record.
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
	default:
		e.Raw = ""
	}
	if e.Model == "" {
		e.Model, e.PromptVersion = o.model, o.prompt
	}
	return ending{Ending: e}
}

// queueEnd queues the record's end and what it means for the conversation.
func (o *opened) queueEnd(b *pgx.Batch, t *tx, e ending) error {
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
	args, err := jsonArgs(t.args(pgx.NamedArgs{
		"extraction": o.id, "outcome": e.Outcome, "reason_code": e.ReasonCode, "reason": storable(e.Reason), "to": e.To,
		"raw": storable(e.Raw), "until": nil, "uid": o.uid, "considered": considered, "cursor": cursor,
	}), map[string]any{"violations": storableViolations(e.Violations), "changes": orEmpty(e.changes)})
	if err != nil {
		return err
	}
	addUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	if e.Outcome == memory.OutcomeWaiting {
		args["until"] = e.Until
	}
	b.Queue(sqlExtractionEnd, args)
	if considered > 0 && !o.isRetry {
		b.Queue(sqlConversationMove, args)
	}
	queueUsage(b, t, cmp.Or(e.Model, t.id.Author.ID), e.Usage)
	return nil
}

// finish commits, and reads the record as it is then.
func (o *opened) finish(ctx context.Context, t *tx, b *pgx.Batch) (ExtractionResult, error) {
	result := ExtractionResult{Receipt: o.receipt}
	found := false
	queueExtraction(b, t, o.id, &result.Extraction, &found)
	b.Queue(sqlMore, t.args(nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&result.More) })
	if err := t.finish(ctx, b); err != nil {
		return ExtractionResult{}, err
	}
	if o.ended {
		result.Receipt.Changes = result.Extraction.Changes
	}
	return result, nil
}

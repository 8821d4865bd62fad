package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
)

// CommitDream commits the draft exactly once: documents, states of statements, the owner's news and the report in one transaction.
// Dry runs and replays end without a write. A dream that has ended is returned as it is.
//
// It returns *StaleBaseError when MEMORY.md was changed meanwhile on any line, because the result would differ from what was
// checked, when a person has forgotten or rejected a statement that the draft promotes, or when another document was changed on the
// same lines. The draft is dropped then and must be made again. It returns *QuarantineError when the gate refuses a text, and
// *ConflictError with CodeSuperseded when the dream belongs to another run, CodeNoDraft, or CodeKeyReused. key is the idempotency
// key; empty: one made of the dream's id.
//
// The news are not cleared when the dream covered only a topic or themes (focused, rem), was quarantined, or had more to promote
// than one night may: the next night continues. It costs four round trips.
func (s *Dreaming) CommitDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (Dream, error) {
	if key == "" {
		key = "dream/" + dreamID.String()
	}
	result, err := withDream(ctx, s.db, id, dreamID, func(o *openDream) (Dream, error) {
		switch {
		case !o.Open():
			return o.Dream, nil
		case !o.mine():
			return Dream{}, dreamSuperseded(dreamID)
		case o.draft == nil:
			return Dream{}, &ConflictError{Code: CodeNoDraft, Message: fmt.Sprintf("dream %s has no draft: draft it", dreamID)}
		case !o.real():
			return o.rehearse(ctx)
		}
		return o.commit(ctx, key)
	})
	if errors.As(err, new(*StaleBaseError)) {
		return Dream{}, errors.Join(err, s.dropDreamDraft(ctx, id, dreamID))
	}
	return result, refused(ctx, s.db, id, err)
}

const sqlDreamDraftDrop = `
update dreams set
    draft = null,
    diff = '',
    raw = '',
    phase = 'deep',
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner and finished_at is null
    and workflow_id = @workflow and run_id = @run`

// dropDreamDraft drops a draft that cannot be committed.
func (s *Dreaming) dropDreamDraft(ctx context.Context, id memory.Identity, dreamID uuid.UUID) error {
	_, err := inTx(ctx, s.db, id, func(t *tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlDreamDraftDrop, t.args(pgx.NamedArgs{"dream": dreamID, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		return none, t.finish(ctx, b)
	})
	return err
}

// rehearse ends a dream that writes nothing, with the outcome that it would have had.
func (o *openDream) rehearse(ctx context.Context) (Dream, error) {
	end := o.ending()
	for _, change := range o.draft.Changes {
		if change.Path == memory.MemoryPath && end.Outcome != memory.OutcomeQuarantined {
			end.Outcome = memory.OutcomeWritten
		}
	}
	return o.finish(ctx, &pgx.Batch{}, end)
}

// commit applies the draft.
func (o *openDream) commit(ctx context.Context, key string) (Dream, error) {
	author := o.t.id.Author
	if author.ID == "" {
		author.ID = o.Model
	}
	if len(o.draft.Changes) == 0 {
		key = "" // which is not used up then
	}
	var weighed []dream.Candidate
	look := &pgx.Batch{}
	all(look.Queue(sqlDreamStagedCandidates, o.args()), &weighed, pgx.RowTo[dream.Candidate])
	w, err := applyChanges(ctx, o.t, changeSet{author: author, key: key, changes: o.draft.Changes, reads: look})
	if err != nil {
		return Dream{}, err
	}
	if err := o.unmerged(w); err != nil {
		return Dream{}, err
	}
	act := &pgx.Batch{}
	end := o.ending()
	end.changes = w.receipt.Changes
	for _, change := range end.changes {
		if change.Path == memory.MemoryPath && change.Changed && end.Outcome != memory.OutcomeQuarantined {
			end.Outcome = memory.OutcomeWritten
			if err := o.queuePromotionEvent(act, change, weighed); err != nil {
				return Dream{}, err
			}
		}
	}
	states, err := o.statesAfter(weighed, end.Outcome == memory.OutcomeWritten)
	if err != nil {
		return Dream{}, err
	}
	if err := o.settleStates(ctx, states); err != nil {
		return Dream{}, err
	}
	if o.clearsNews(weighed, end.Outcome) {
		end.cleared = o.Pins.News
	}
	return o.finish(ctx, act, end)
}

// unmerged refuses a MEMORY.md that was merged and so is not the one that was checked.
func (o *openDream) unmerged(w *writes) error {
	for i, receipt := range w.receipt.Changes {
		if receipt.Path == memory.MemoryPath && receipt.Merged {
			return o.stale(w.changes[i].Base, receipt.Version-1)
		}
	}
	return nil
}

// stale returns the refusal of a draft that is no longer current.
func (o *openDream) stale(base, head int) error {
	return &StaleBaseError{Ref: memory.Ref{Scope: o.Scope, Path: memory.MemoryPath}, Base: base, Head: head}
}

// clearsNews reports whether the dream covered all of its news, so that they are cleared.
func (o *openDream) clearsNews(weighed []dream.Candidate, outcome memory.Outcome) bool {
	if outcome == memory.OutcomeQuarantined || o.Mode == memory.DreamFocused || o.Mode == memory.DreamREM {
		return false
	}
	for _, c := range weighed {
		if c.Verdict == dream.VerdictKept && c.ReasonCode == dream.ReasonNightFull {
			return false
		}
	}
	return true
}

const sqlDreamEnd = `
update dreams set
    phase = case when @outcome = 'waiting' then phase else 'ended' end,
    outcome = @outcome,
    reason_code = @reason_code,
    reason = @reason,
    changes = @changes,
    draft = case when @outcome = 'waiting' then draft end,
    raw = case when @outcome in ('quarantined', 'waiting') or dry_run then raw else '' end,
    model = @model,
    prompt_version = @prompt_version,
    ` + usageAdded + `,
    waiting_until = @until,
    finished_at = case when @outcome <> 'waiting' then @now::timestamptz end,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

// EndDream records how a dream ended without a commit, or that it waits. One that has ended is returned as it is. It clears the
// news that the dream covered when e.NewsSeen is true, except for dry runs and replays.
func (s *Dreaming) EndDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, e DreamEnding) (Dream, error) {
	switch e.Outcome {
	case memory.OutcomeNothing, memory.OutcomeSkipped, memory.OutcomeFailed, memory.OutcomeWaiting:
	default:
		return Dream{}, &InvalidError{Field: "outcome", Problem: "use nothing, skipped, failed or waiting"}
	}
	return withDream(ctx, s.db, id, dreamID, func(o *openDream) (Dream, error) {
		switch {
		case !o.Open():
			return o.Dream, nil
		case !o.mine():
			return Dream{}, dreamSuperseded(dreamID)
		}
		end := dreamEnd{DreamEnding: e}
		if end.Model == "" {
			end.Model, end.PromptVersion = o.Model, o.PromptVersion
		}
		if e.NewsSeen && e.Outcome == memory.OutcomeNothing && o.real() {
			if end.cleared = e.News; end.cleared == 0 {
				end.cleared = o.Pins.News
			}
		}
		return o.finish(ctx, &pgx.Batch{}, end)
	})
}

// dreamEnd is a DreamEnding with the results of a commit.
type dreamEnd struct {
	DreamEnding
	changes []memory.ChangeReceipt
	cleared int64 // mark of the news that are none any more; 0: they stay
}

// ending returns the end of a draft, nothing or quarantined, before it is known whether MEMORY.md changes.
func (o *openDream) ending() dreamEnd {
	end := dreamEnd{DreamEnding: DreamEnding{
		Outcome: memory.OutcomeNothing, ReasonCode: o.draft.ReasonCode, Reason: o.Reason, Model: o.Model, PromptVersion: o.PromptVersion,
	}}
	if o.draft.Outcome == memory.OutcomeQuarantined {
		end.Outcome = memory.OutcomeQuarantined
	}
	return end
}

// finish queues the end of the record, commits, and returns the record as stored.
func (o *openDream) finish(ctx context.Context, b *pgx.Batch, e dreamEnd) (Dream, error) {
	args, err := jsonArgs(o.args(), map[string]any{"changes": orEmpty(e.changes)})
	if err != nil {
		return Dream{}, err
	}
	addUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	args["outcome"], args["reason_code"], args["reason"], args["until"] = e.Outcome, e.ReasonCode, storable(e.Reason), nil
	if e.Outcome == memory.OutcomeWaiting {
		args["until"] = e.Until
	}
	b.Queue(sqlDreamEnd, args)
	if e.cleared > 0 {
		b.Queue(sqlNewsClear, o.t.args(pgx.NamedArgs{"mark": e.cleared}))
	}
	queueUsage(b, o.t, e.Model, e.Usage)
	if e.Outcome != memory.OutcomeWaiting {
		if err := o.queueCompletedEvent(b, e); err != nil {
			return Dream{}, err
		}
	}
	var ended Dream
	var found bool
	queueDream(b, o.t, o.ID, &ended, &found)
	if err := o.t.finish(ctx, b); err != nil {
		return Dream{}, err
	}
	if !found {
		return Dream{}, fmt.Errorf("after its end: %w", noDream(o.ID))
	}
	return ended, nil
}

// promotionDetail is the event detail of statements that a dream wrote to MEMORY.md: their ids.
type promotionDetail struct {
	Dream    uuid.UUID          `json:"dream"`
	Promoted int                `json:"promoted"`
	Entries  []markdown.EntryID `json:"entries"`
}

// queuePromotionEvent queues the event of a MEMORY.md that a dream has written.
func (o *openDream) queuePromotionEvent(b *pgx.Batch, written memory.ChangeReceipt, weighed []dream.Candidate) error {
	detail := promotionDetail{Dream: o.ID, Entries: []markdown.EntryID{}}
	for _, c := range weighed {
		if c.Verdict == dream.VerdictPromoted {
			detail.Entries = append(detail.Entries, c.ID)
		}
	}
	detail.Promoted = len(detail.Entries)
	e := o.event(EventPromotionApplied, detail)
	e.path, e.version, e.document = written.Path, written.Version, uuid.NullUUID{UUID: written.Document, Valid: true}
	return queueEvent(b, o.t, e)
}

// dreamDetail is the event detail of a dream that has ended.
type dreamDetail struct {
	Dream      uuid.UUID           `json:"dream"`
	Mode       memory.DreamMode    `json:"mode"`
	Trigger    memory.DreamTrigger `json:"trigger"`
	Night      string              `json:"night,omitempty"`
	DryRun     bool                `json:"dryRun"`
	ReplayOf   *uuid.UUID          `json:"replayOf,omitempty"`
	Outcome    memory.Outcome      `json:"outcome"`
	ReasonCode memory.ReasonCode   `json:"reasonCode,omitempty"`
	Counts     *DreamCounts        `json:"counts,omitempty"` // none of a dream that was abandoned
	Changed    int                 `json:"changed"`          // documents
}

// queueCompletedEvent queues the event of the dream's end.
func (o *openDream) queueCompletedEvent(b *pgx.Batch, e dreamEnd) error {
	detail := dreamDetail{
		Dream: o.ID, Mode: o.Mode, Trigger: o.Trigger, Night: o.Night, DryRun: o.DryRun, Outcome: e.Outcome,
		ReasonCode: e.ReasonCode, Counts: &o.Counts,
	}
	if o.ReplayOf != uuid.Nil {
		detail.ReplayOf = &o.ReplayOf
	}
	for _, change := range e.changes {
		if change.Changed {
			detail.Changed++
		}
	}
	return queueEvent(b, o.t, o.event(EventDreamCompleted, detail))
}

// event returns an event of the dream, visible to readers of its scope.
func (o *openDream) event(kind EventKind, detail any) event {
	scope := dreamScope(o.Owner)
	return event{kind: kind, agent: o.t.id.Agent, scope: scope, owner: rowOwner(o.t.id, scope), detail: detail}
}

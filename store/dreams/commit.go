package dreams

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

// CommitDream commits the draft exactly once: documents, states of statements, the owner's news and the report in one transaction.
// Dry runs and replays end without a write. A dream that has ended is returned as it is.
//
// It returns *StaleBaseError when MEMORY.md was changed concurrently on any line, because the result would differ from what was
// checked, when a person has forgotten or rejected a statement that the draft promotes, or when another document was changed on the
// same lines. The draft is dropped then and must be made again. It returns *QuarantineError when the gate refuses a text, and
// *ConflictError with CodeSuperseded when the dream belongs to another run, CodeNoDraft, or CodeKeyReused. key is the idempotency
// key; empty: one made of the dream's id.
//
// The news are not cleared when the dream covered only a topic or themes (focused, rem), was quarantined, or had more to promote
// than one night may: the next night continues. It costs four round trips.
func (s *Dreaming) CommitDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (Dream, error) {
	return s.CommitDreamAgain(ctx, id, dreamID, key, nil)
}

// CommitDreamAgain is CommitDream for a dream that can draft again. A stale draft is not dropped then, but drafted again while
// the dream's documents are locked, and committed, unless again refuses. However often people write, that draft is not stale. It
// costs eight round trips.
func (s *Dreaming) CommitDreamAgain(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string, again Redraft) (Dream, error) {
	if key == "" {
		key = "dream/" + dreamID.String()
	}
	commit := func(ctx context.Context, o *OpenDream) (Dream, error) { return o.commit(ctx, key) }
	result, err := s.commitDream(ctx, id, dreamID, commit)
	for round := 0; again != nil && round < redraftRounds && errors.As(err, new(*pg.StaleBaseError)); round++ {
		result, err = s.commitDream(ctx, id, dreamID, func(ctx context.Context, o *OpenDream) (Dream, error) {
			if err := o.redraft(ctx, again); err != nil {
				return Dream{}, err
			}
			return o.commit(ctx, key)
		})
	}
	if errors.As(err, new(*pg.StaleBaseError)) {
		return Dream{}, errors.Join(err, s.dropDreamDraft(ctx, id, dreamID))
	}
	return result, gate.Refused(ctx, s.db, id, err)
}

// commitDream runs commit for an open dream with a draft.
func (s *Dreaming) commitDream(
	ctx context.Context, id memory.Identity, dreamID uuid.UUID, commit func(context.Context, *OpenDream) (Dream, error),
) (Dream, error) {
	return withDream(ctx, s.db, id, dreamID, func(o *OpenDream) (Dream, error) {
		switch {
		case !o.Open():
			return o.Dream, nil
		case !o.mine():
			return Dream{}, dreamSuperseded(dreamID)
		case o.draft == nil:
			return Dream{}, &pg.ConflictError{Code: pg.CodeNoDraft, Message: fmt.Sprintf("dream %s has no draft: draft it", dreamID)}
		case !o.real():
			return o.rehearse(ctx)
		}
		return commit(ctx, o)
	})
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
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlDreamDraftDrop, t.Args(pgx.NamedArgs{"dream": dreamID, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		return none, t.Finish(ctx, b)
	})
	return err
}

// rehearse ends a dream that writes nothing, with the outcome that it would have had.
func (o *OpenDream) rehearse(ctx context.Context) (Dream, error) {
	end := o.ending()
	for _, change := range o.draft.Changes {
		if change.Path == memory.MemoryPath && end.Outcome != memory.OutcomeQuarantined {
			end.Outcome = memory.OutcomeWritten
		}
	}
	return o.finish(ctx, &pgx.Batch{}, end)
}

// commit applies the draft.
func (o *OpenDream) commit(ctx context.Context, key string) (Dream, error) {
	author := o.T.ID.Author
	if author.ID == "" {
		author.ID = o.Model
	}
	if len(o.draft.Changes) == 0 {
		key = "" // which is not used up then
	}
	var weighed []dream.Candidate
	look := &pgx.Batch{}
	pg.All(look.Queue(sqlDreamStagedCandidates, o.args()), &weighed, pgx.RowTo[dream.Candidate])
	w, err := gate.ApplyChanges(ctx, o.T, gate.ChangeSet{Author: author, Key: key, Changes: o.draft.Changes, Reads: look, OwnStates: true})
	if err != nil {
		return Dream{}, err
	}
	if err := o.unmerged(w); err != nil {
		return Dream{}, err
	}
	act := &pgx.Batch{}
	end := o.ending()
	end.changes = w.Receipt.Changes
	for _, change := range end.changes {
		if change.Path == memory.MemoryPath && change.Changed && end.Outcome != memory.OutcomeQuarantined {
			end.Outcome = memory.OutcomeWritten
			if err := o.queuePromotionEvent(act, change, weighed); err != nil {
				return Dream{}, err
			}
		}
	}
	written := func(markdown.EntryID) bool { return end.Outcome == memory.OutcomeWritten }
	if i := slices.IndexFunc(end.changes, func(c memory.ChangeReceipt) bool { return c.Path == memory.MemoryPath && c.Waiting > 0 }); i >= 0 {
		if end.Outcome == memory.OutcomeNothing {
			end.ReasonCode = memory.ReasonApproval
		}
		now := map[markdown.EntryID]bool{}
		for _, e := range markdown.EntriesOf(w.After(w.Changes[i].Ref).Content) {
			now[e.ID] = true
		}
		written = func(id markdown.EntryID) bool { return now[id] }
	}
	states, err := o.statesAfter(weighed, written)
	if err != nil {
		return Dream{}, err
	}
	if err := o.SettleStates(ctx, states); err != nil {
		return Dream{}, err
	}
	if o.clearsNews(weighed, end.Outcome) {
		end.cleared = o.Pins.News
	}
	return o.finish(ctx, act, end)
}

// unmerged refuses a MEMORY.md that was merged and so is not the one that was checked.
func (o *OpenDream) unmerged(w *gate.Writes) error {
	for i, receipt := range w.Receipt.Changes {
		if receipt.Path == memory.MemoryPath && receipt.Merged {
			return o.stale(w.Changes[i].Base, receipt.Version-1)
		}
	}
	return nil
}

// stale returns the refusal of a draft that is no longer current.
func (o *OpenDream) stale(base, head int) error {
	return &pg.StaleBaseError{Ref: memory.Ref{Scope: o.Scope, Path: memory.MemoryPath}, Base: base, Head: head}
}

// clearsNews reports whether the dream covered all of its news, so that they are cleared.
func (o *OpenDream) clearsNews(weighed []dream.Candidate, outcome memory.Outcome) bool {
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
    ` + talk.UsageAdded + `,
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
		return Dream{}, &pg.InvalidError{Field: "outcome", Problem: "use nothing, skipped, failed or waiting"}
	}
	return withDream(ctx, s.db, id, dreamID, func(o *OpenDream) (Dream, error) {
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
	cleared int64 // mark of the news that are no longer news; 0: they stay
}

// ending returns the end of a draft, nothing or quarantined, before it is known whether MEMORY.md changes.
func (o *OpenDream) ending() dreamEnd {
	end := dreamEnd{DreamEnding: DreamEnding{
		Outcome: memory.OutcomeNothing, ReasonCode: o.draft.ReasonCode, Reason: o.Reason, Model: o.Model, PromptVersion: o.PromptVersion,
	}}
	if o.draft.Outcome == memory.OutcomeQuarantined {
		end.Outcome = memory.OutcomeQuarantined
	}
	return end
}

// finish queues the end of the record, commits, and returns the record as stored.
func (o *OpenDream) finish(ctx context.Context, b *pgx.Batch, e dreamEnd) (Dream, error) {
	args, err := pg.JSONArgs(o.args(), map[string]any{"changes": pg.OrEmpty(e.changes)})
	if err != nil {
		return Dream{}, err
	}
	talk.AddUsageArgs(args, e.Model, e.PromptVersion, e.Usage)
	args["outcome"], args["reason_code"], args["reason"], args["until"] = e.Outcome, e.ReasonCode, pg.Storable(e.Reason), nil
	if e.Outcome == memory.OutcomeWaiting {
		args["until"] = e.Until
	}
	b.Queue(sqlDreamEnd, args)
	if e.cleared > 0 {
		b.Queue(sqlNewsClear, o.T.Args(pgx.NamedArgs{"mark": e.cleared}))
	}
	talk.QueueUsage(b, o.T, e.Model, e.Usage)
	if e.Outcome != memory.OutcomeWaiting {
		if err := o.queueCompletedEvent(b, e); err != nil {
			return Dream{}, err
		}
	}
	var ended Dream
	var found bool
	queueDream(b, o.T, o.ID, &ended, &found)
	if err := o.T.Finish(ctx, b); err != nil {
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
func (o *OpenDream) queuePromotionEvent(b *pgx.Batch, written memory.ChangeReceipt, weighed []dream.Candidate) error {
	detail := promotionDetail{Dream: o.ID, Entries: []markdown.EntryID{}}
	for _, c := range weighed {
		if c.Verdict == dream.VerdictPromoted {
			detail.Entries = append(detail.Entries, c.ID)
		}
	}
	detail.Promoted = len(detail.Entries)
	e := o.event(gate.EventPromotionApplied, detail)
	e.Path, e.Version, e.Document = written.Path, written.Version, uuid.NullUUID{UUID: written.Document, Valid: true}
	return gate.QueueEvent(b, o.T, e)
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
func (o *OpenDream) queueCompletedEvent(b *pgx.Batch, e dreamEnd) error {
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
	return gate.QueueEvent(b, o.T, o.event(gate.EventDreamCompleted, detail))
}

// event returns an event of the dream.
func (o *OpenDream) event(kind gate.EventKind, detail any) gate.JournalEvent {
	return dreamEvent(o.T, o.Owner, kind, detail)
}

// dreamEvent returns an event of an owner's dream, visible to readers of its scope.
func dreamEvent(t *pg.Tx, owner memory.Owner, kind gate.EventKind, detail any) gate.JournalEvent {
	scope := DreamScope(owner)
	return gate.JournalEvent{Kind: kind, Agent: t.ID.Agent, Scope: scope, Owner: gate.RowOwner(t.ID, scope), Detail: detail}
}

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// CommitDream commits the draft, exactly once: documents, states of statements, the owner's news and the report in one
// transaction. A dry run and a replay end without a write. A dream that has ended is returned as it is.
//
// It returns *StaleBaseError when MEMORY.md was changed meanwhile, on whatever lines, since what was checked would not be
// what is written, or when a person wanted something gone that the draft promotes; another document only when the same
// lines were changed. The draft is dropped then: draft anew. It returns *QuarantineError when the gate refuses a text,
// and *ConflictError with CodeSuperseded when another run has it, CodeNoDraft without a draft, CodeKeyReused when the key was
// used for another write. Key is the idempotency key; empty: one made of the dream's id.
//
// The news stay news when a dream was only about a topic or themes (focused, rem), was refused (quarantined), or had more to
// promote than one night may: the next night goes on. It costs four round trips.
func (s *Store) CommitDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (Dream, error) {
	if key == "" {
		key = "dream/" + dreamID.String()
	}
	result, err := withDream(ctx, s, id, dreamID, func(o *openDream) (Dream, error) {
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
	return result, s.refused(ctx, id, err)
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
func (s *Store) dropDreamDraft(ctx context.Context, id memory.Identity, dreamID uuid.UUID) error {
	_, err := inTx(ctx, s, id, func(t *tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlDreamDraftDrop, t.args(pgx.NamedArgs{"dream": dreamID, "workflow": id.Author.WorkflowID, "run": id.Author.RunID}))
		return none, t.finish(ctx, b)
	})
	return err
}

// rehearse ends a dream that writes nothing with what it would have written.
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
	if o.hears(weighed, end.Outcome) {
		end.heard = o.Pins.News
	}
	return o.finish(ctx, act, end)
}

// unmerged refuses a MEMORY.md that is not the one that was checked.
func (o *openDream) unmerged(w *writes) error {
	for i, receipt := range w.receipt.Changes {
		if receipt.Path == memory.MemoryPath && receipt.Merged {
			return o.stale(w.changes[i].Base, receipt.Version-1)
		}
	}
	return nil
}

// stale is the refusal of a draft that was made of what is no more.
func (o *openDream) stale(base, head int) error {
	return &StaleBaseError{Ref: memory.Ref{Scope: o.Scope, Path: memory.MemoryPath}, Base: base, Head: head}
}

// hears reports whether the news that the dream looked at are news no more.
func (o *openDream) hears(weighed []dream.Candidate, outcome memory.Outcome) bool {
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

package store

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/pg"
)

// ConfirmEntry confirms a candidate as dreams.Dreaming does, and gives its fact the feedback that a person has confirmed it, once for
// each dream. It may be repeated when it has failed half-way.
func (s *Store) ConfirmEntry(ctx context.Context, id memory.Identity, c dreams.EntryChange) (dreams.EntryReceipt, error) {
	receipt, err := s.Dreaming.ConfirmEntry(ctx, id, c)
	if err != nil {
		return receipt, err
	}
	return receipt, s.confirmed(ctx, id, c, receipt.State)
}

// EditEntry replaces a candidate as dreams.Dreaming does. The same words are a confirmation, as of ConfirmEntry.
func (s *Store) EditEntry(ctx context.Context, id memory.Identity, c dreams.EntryChange) (dreams.EntryReceipt, error) {
	receipt, err := s.Dreaming.EditEntry(ctx, id, c)
	if err != nil || receipt.State.Status != dream.Confirmed {
		return receipt, err
	}
	return receipt, s.confirmed(ctx, id, c, receipt.State)
}

// confirmed records that a person has confirmed a statement of MEMORY.md.
func (s *Store) confirmed(ctx context.Context, id memory.Identity, c dreams.EntryChange, state dream.State) error {
	d, err := s.Document(ctx, id, memory.Ref{Scope: dreams.DreamScope(id.Owner), Path: memory.MemoryPath})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range append([]markdown.EntryID{state.ID}, state.Aliases...) {
		fact, err := s.Stated(ctx, id, d.ID, entry)
		switch {
		case errors.Is(err, ErrFactsOff):
			return nil
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			return err
		}
		if _, err := s.GiveFeedback(ctx, id, fact.ID, facts.Feedback{
			Opinion: facts.Helpful, Weight: 1, Reason: facts.ReasonConfirmed, Key: facts.ReasonConfirmed + "/" + c.Dream.String(),
		}); err != nil && !errors.Is(err, ErrNotFound) { // it was changed concurrently
			return err
		}
	}
	return nil
}

// maxMerged is the longest text that takes the place of two statements, in bytes.
const maxMerged = 2000

// ResolveContradiction carries out a decision: it removes the loser, or with facts.Merge both statements, from the documents in which
// they are, puts text in place of the older one, and remembers the decision. What was removed is not learned again, as after
// Forget. It may be repeated when it has failed half-way. The author of the changes is the identity's.
//
// Errors: ErrNotFound; ErrForbidden for a credential that may not write the documents; *InvalidError; *ConflictError with CodeResolved
// for a contradiction that was decided otherwise.
func (s *Store) ResolveContradiction(
	ctx context.Context, id memory.Identity, contradiction uuid.UUID, r facts.Resolution, text string,
) (facts.Contradiction, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch r {
	case facts.KeepA, facts.KeepB, facts.Ignore:
		if text != "" {
			return facts.Contradiction{}, &pg.InvalidError{Field: "text", Problem: "only MERGE takes a text"}
		}
	case facts.Merge:
		if text == "" {
			return facts.Contradiction{}, &pg.InvalidError{Field: "text", Problem: "name the statement that takes the place of both"}
		}
		if err := memory.ValidText("text", text, maxMerged); err != nil {
			return facts.Contradiction{}, err
		}
	default:
		return facts.Contradiction{}, &pg.InvalidError{Field: "resolution", Problem: "use KEEP_A, KEEP_B, MERGE or IGNORE"}
	}
	c, err := s.Contradiction(ctx, id, contradiction)
	if err != nil {
		return c, err
	}
	if c.Resolution == r && r != facts.Merge {
		return c, nil
	}
	if c.Resolution != facts.Open && c.Resolution != facts.Superseded {
		return c, &pg.ConflictError{Code: pg.CodeResolved, Message: "the contradiction was resolved before, as " + string(c.Resolution)}
	}
	removed := map[facts.Resolution][]facts.Fact{facts.KeepA: {c.B}, facts.KeepB: {c.A}, facts.Merge: {c.B, c.A}}[r]
	for i, f := range removed {
		p := dreams.ForgetRequest{Ref: memory.Ref{Scope: f.Scope, Path: f.Path}, Entry: f.Entry, Reason: "contradiction resolved"}
		if r == facts.Merge && i == len(removed)-1 {
			p.Instead = text
		}
		if _, err := s.Forget(ctx, id, p); err != nil && !errors.Is(err, pg.ErrNotFound) {
			return c, err
		}
	}
	if err := s.SettleContradiction(ctx, id, contradiction, r); err != nil {
		return c, err
	}
	return s.Contradiction(ctx, id, contradiction)
}

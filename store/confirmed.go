package store

import (
	"context"
	"errors"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
	"reverie/store/facts"
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

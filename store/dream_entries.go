package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// EntryChange is what a person does with one candidate of a dream.
type EntryChange struct {
	Dream uuid.UUID
	Entry memory.EntryID
	Text  string // of EditEntry: the words to put in its place
	Key   string // idempotency key
}

// EntryReceipt tells what came of it.
type EntryReceipt struct {
	State   dream.State
	Receipt memory.Receipt // documents that changed; empty when none did
}

// ConfirmEntry says that a candidate is right: what is not in MEMORY.md is put there, and its line is protected as if the
// person had written it.
func (s *Store) ConfirmEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return EntryReceipt{}, errors.ErrUnsupported
}

// EditEntry puts other words in the place of a candidate's line in MEMORY.md, as the person's own.
func (s *Store) EditEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return EntryReceipt{}, errors.ErrUnsupported
}

// ForgetEntry takes a candidate out of MEMORY.md, its archives and the daily notes in which it stands, and sees to it that no
// dream brings it back.
func (s *Store) ForgetEntry(ctx context.Context, id memory.Identity, c EntryChange) (EntryReceipt, error) {
	return EntryReceipt{}, errors.ErrUnsupported
}

// DreamEntry is the state of one statement, and the last candidate that it was.
func (s *Store) DreamEntry(ctx context.Context, id memory.Identity, entry memory.EntryID) (dream.State, dream.Candidate, error) {
	return dream.State{}, dream.Candidate{}, errors.ErrUnsupported
}

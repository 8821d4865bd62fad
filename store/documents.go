package store

import (
	"context"

	"reverie/memory"
)

// Apply commits changes to documents as one transaction: all of them or none.
//
// It is the one gate: path and content rules, scope and permission, the scan for injections and secrets, base version and
// merge, version, journal event and idempotency key. A key that was used before gives the first receipt again, whatever
// the changes are now; the empty key is not remembered. Receipt.Token is the number of the last journal event as a decimal
// string; it is empty when nothing was written.
//
// It returns *InvalidError, ErrForbidden, ErrNotFound (the agent, or a document to delete, undelete or restore),
// *StaleBaseError when a change was based on a version that is no longer current and cannot be merged, and
// *QuarantineError when the scan refuses a text; that verdict stays in the journal.
func (s *Store) Apply(ctx context.Context, id memory.Identity, key string, changes []memory.Change) (memory.Receipt, error) {
	panic("signature")
}

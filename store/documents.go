package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Apply commits changes to documents as one transaction: all of them or none.
//
// It is the one gate: path and content rules, scope and permission, the scan for injections and secrets, base version and
// merge, version, journal event and idempotency key. A key that was used before gives the first receipt again, whatever
// the changes are now; the empty key is not remembered. Receipt.Token is the number of the last journal event as a decimal
// string; it is empty when nothing was written.
//
// It returns *InvalidError, ErrForbidden, ErrReadOnlyTeam, ErrMemoryOff, ErrNotFound (the agent, or a document or version to delete, undelete or
// restore), *StaleBaseError when a change was based on a version that is no longer current and cannot be merged, and
// *QuarantineError when the scan refuses a text; that verdict stays in the journal.
//
// Base and Force are looked at by OpReplace. OpDelete, OpUndelete and OpRestore take Base as a condition when it is not 0.
func (s *Store) Apply(ctx context.Context, id memory.Identity, key string, changes []memory.Change) (memory.Receipt, error) {
	receipt, err := inTx(ctx, s, id, func(t *tx) (memory.Receipt, error) { return applyChanges(ctx, t, key, changes) })
	var quarantine *QuarantineError
	var replay *replayedError
	switch {
	case isUnique(err, "write_ledger_pkey"): // the key was used at the same time, for other documents
		return s.recorded(ctx, id, key)
	case errors.As(err, &replay):
		return replay.receipt, nil
	case errors.As(err, &quarantine):
		return s.quarantined(ctx, id, key, quarantine)
	}
	return receipt, err
}

// applyChanges is Apply as a part of t, which it ends. A key that was used before is a *replayedError, since the
// transaction must not be committed then.
func applyChanges(ctx context.Context, t *tx, key string, changes []memory.Change) (memory.Receipt, error) {
	w, err := newWrites(t.id, key, changes)
	if err != nil {
		return memory.Receipt{}, err
	}
	look := &pgx.Batch{}
	w.queueReads(look, t)
	if err := t.send(ctx, look); err != nil {
		return memory.Receipt{}, err
	}
	if err := w.decide(t); err != nil {
		return memory.Receipt{}, err
	}
	act := &pgx.Batch{}
	if err := w.queueWrites(act, t); err != nil {
		return memory.Receipt{}, err
	}
	if err := t.finish(ctx, act); err != nil {
		return memory.Receipt{}, err
	}
	return w.receipt, nil
}

// writes are changes of documents on their way through the gate:
//
//	newWrites    rules, permission and scan, without the database
//	queueReads   the documents are locked and read, and the idempotency key is looked up
//	decide       every change is applied to its document as it is now
//	queueWrites  versions, documents, journal and key are written
//
// The steps are apart so that a caller can put statements of its own into the same batches.
type writes struct {
	author    memory.Author
	key       string
	changes   []checked
	documents map[memory.Ref]*document
	order     []*document // by scope and path: all writers lock in this order
	recorded  *memory.Receipt
	standing  standing
	events    []event
	receipt   memory.Receipt
	forgotten forgotten
}

// checked is a change that follows the rules and passed the scan.
type checked struct {
	memory.Change
	verdict  memory.Verdict
	findings []memory.Finding
}

// maxKey bounds an idempotency key, in bytes.
const maxKey = 512

// newWrites checks what can be checked without the database.
func newWrites(id memory.Identity, key string, changes []memory.Change) (*writes, error) {
	if err := validText("idempotency key", key, maxKey); err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return nil, &InvalidError{Field: "changes", Problem: "give at least one change"}
	}
	w := &writes{author: id.Author, key: key, documents: map[memory.Ref]*document{}, receipt: memory.Receipt{Key: key}}
	for i, change := range changes {
		at := ""
		if len(changes) > 1 {
			at = fmt.Sprintf("changes[%d].", i)
		}
		c, err := check(id, at, change)
		if err != nil {
			return nil, err
		}
		w.add(id, c)
	}
	w.sort()
	return w, nil
}

// replayedError carries the receipt of an idempotency key that was used before.
type replayedError struct{ receipt memory.Receipt }

func (e *replayedError) Error() string { return "the idempotency key was used before" }

const sqlLedger = `
select receipt from write_ledger
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and key = @key`

// recorded returns the receipt that key gave before.
func (s *Store) recorded(ctx context.Context, id memory.Identity, key string) (memory.Receipt, error) {
	return read(ctx, s, id, func(t *tx) (memory.Receipt, error) {
		var receipt *memory.Receipt
		b := &pgx.Batch{}
		queueLedger(b, t, key, &receipt)
		if err := t.finish(ctx, b); err != nil {
			return memory.Receipt{}, err
		}
		if receipt == nil {
			return memory.Receipt{}, fmt.Errorf("receipt: %w", ErrNotFound)
		}
		return *receipt, nil
	})
}

// queueLedger queues looking a key up.
func queueLedger(b *pgx.Batch, t *tx, key string, receipt **memory.Receipt) {
	found := false
	one(b.Queue(sqlLedger, t.args(pgx.NamedArgs{"key": key})), &found, func(row pgx.CollectableRow) error {
		var r memory.Receipt
		err := row.Scan(&r)
		r.Replayed = true
		*receipt = &r
		return err
	})
}

// quarantined records the verdict, in a transaction of its own because the one of the write was rolled back, and returns
// the refusal. A key that was used before still gives its receipt.
func (s *Store) quarantined(ctx context.Context, id memory.Identity, key string, refusal *QuarantineError) (memory.Receipt, error) {
	return inTx(ctx, s, id, func(t *tx) (memory.Receipt, error) {
		var receipt *memory.Receipt
		b := &pgx.Batch{}
		queueLedger(b, t, key, &receipt)
		if err := t.send(ctx, b); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		if receipt != nil {
			return *receipt, nil
		}
		b = &pgx.Batch{}
		if err := queueEvent(b, t, quarantineEvent(id, refusal)); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		if err := t.finish(ctx, b); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		return memory.Receipt{}, refusal
	})
}

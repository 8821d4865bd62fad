package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/scan"
)

// Gate is the one way to write documents, and the reads that belong to it: documents, versions, journal and receipts.
type Gate struct{ db *DB }

// newGate returns the gate of a database.
func newGate(db *DB) *Gate { return &Gate{db} }

// Apply commits changes to documents in one transaction: all of them or none.
//
// Apply is the exported side of the gate. The gate checks path and content rules, scope and permission, scans for injections and
// secrets, merges with what was written since a change's base version, and writes the version, the journal event, the search index
// and the receipt of the idempotency key. A key that was used before returns its first receipt, whatever the changes are now; the
// empty key is not recorded. Receipt.Token is the number of the last journal event as a decimal string, and empty when nothing was
// written.
//
// Errors: *InvalidError, ErrForbidden, ErrReadOnlyTeam, ErrMemoryOff; ErrNotFound when the agent does not exist, or the document or
// version to delete, undelete or restore; *StaleBaseError when the base version is no longer current and the change cannot be merged;
// *QuarantineError when the scan refuses a text, which is recorded in the journal.
//
// OpReplace uses Base and Force. OpDelete, OpUndelete and OpRestore apply only while Base is current, unless it is 0.
func (s *Gate) Apply(ctx context.Context, id memory.Identity, key string, changes []memory.Change) (memory.Receipt, error) {
	receipt, err := inTx(ctx, s.db, id, func(t *tx) (memory.Receipt, error) {
		if len(changes) == 0 {
			return memory.Receipt{}, &InvalidError{Field: "changes", Problem: "give at least one change"}
		}
		w, err := applyChanges(ctx, t, changeSet{key: key, changes: changes})
		if err != nil {
			return memory.Receipt{}, err
		}
		err = t.finish(ctx, &pgx.Batch{})
		return w.receipt, err
	})
	if replay, ok := errors.AsType[*replayedError](err); ok {
		return replay.receipt, nil
	}
	if quarantine, ok := errors.AsType[*QuarantineError](err); ok {
		return quarantined(ctx, s.db, id, key, quarantine)
	}
	if keyUsed(err) { // at the same time, for other documents
		return recorded(ctx, s.db, id, key)
	}
	return receipt, err
}

// changeSet is the input of the gate: the changes of one transaction.
type changeSet struct {
	author  memory.Author // of the new versions; zero: the author of the transaction's identity
	key     string        // idempotency key; empty: no receipt is recorded
	changes []memory.Change
	// reads are statements of the caller, sent in front of the gate's reads in the same batch; nil: none.
	reads *pgx.Batch
	// ready runs after the reads and before the changes are applied. Its error ends the write; nil: no check.
	ready func() error
	// prompts are the places in the system prompt that documents get. When it is not nil, a place that changes is recorded in the
	// journal, including the default place of a new document.
	prompts map[memory.Ref]promptPlace
	// events are recorded in the journal after those of the changes.
	events []event
}

// applyChanges is the one gate: every change of a document, by whichever writer, goes through it as a part of the writer's
// transaction t. It locks and reads the documents in one round trip, applies the changes to what it read, and queues the new
// versions, the journal events, the index and the receipt. They are sent in front of the next batch of t, so that a writer adds its
// own statements in that batch and commits; receipt.Token is set by then.
//
// A key that was used before is a *replayedError: the transaction must not be committed then. With no changes, applyChanges reads
// only what set.reads asks for, and records the key and the events.
func applyChanges(ctx context.Context, t *tx, set changeSet) (*writes, error) {
	w, err := newWrites(t.id, set)
	if err != nil {
		return nil, err
	}
	look := set.reads
	if look == nil {
		look = &pgx.Batch{}
	}
	w.queueReads(look, t)
	if look.Len() > 0 {
		if err := t.send(ctx, look); err != nil {
			return nil, err
		}
	}
	for _, d := range w.order {
		d.was = d.document()
	}
	if set.ready != nil {
		if err := set.ready(); err != nil {
			return nil, err
		}
	}
	if err := w.decide(t); err != nil {
		return nil, err
	}
	return w, w.queueWrites(&t.queued, t)
}

// writes are changes of documents in progress, and their result.
type writes struct {
	changeSet

	checked   []checked
	documents map[memory.Ref]*document
	order     []*document // by scope and path: all writers lock in this order
	recorded  *memory.Receipt
	standing  standing
	receipt   memory.Receipt
	forgotten forgotten
}

// before returns a document as it was, with version 0 when there was none.
func (w *writes) before(ref memory.Ref) memory.Document { return w.documents[ref].was }

// after returns a document as the changes leave it.
func (w *writes) after(ref memory.Ref) memory.Document { return w.documents[ref].document() }

// text returns the content of a change without its secrets.
func (w *writes) text(change int) string { return w.checked[change].Content }

// checked is a change that follows the rules and passed the scan.
type checked struct {
	memory.Change
	verdict  scan.Verdict
	findings []scan.Finding
}

// maxKey is the longest idempotency key, in bytes.
const maxKey = 512

// newWrites checks the changes as far as possible without the database.
func newWrites(id memory.Identity, set changeSet) (*writes, error) {
	if err := validText("idempotency key", set.key, maxKey); err != nil {
		return nil, err
	}
	if set.author == (memory.Author{}) {
		set.author = id.Author
	}
	w := &writes{changeSet: set, documents: map[memory.Ref]*document{}, receipt: memory.Receipt{Key: set.key}}
	for i, change := range set.changes {
		at := ""
		if len(set.changes) > 1 {
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

// keyUsed reports whether a write failed because its idempotency key was used before, or by another transaction at the same time.
func keyUsed(err error) bool {
	return errors.As(err, new(*replayedError)) || isUnique(err, "write_ledger_pkey")
}

// contendedRounds is the number of attempts of a write whose documents change between its reads and the gate.
const contendedRounds = 3

// contended runs fn as one transaction, and again when another writer has changed the same lines or used the same key meanwhile.
func contended[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*tx) (T, error)) (result T, err error) {
	for range contendedRounds {
		result, err = inTx(ctx, db, id, fn)
		if !errors.As(err, new(*StaleBaseError)) && !keyUsed(err) {
			break
		}
	}
	return result, err
}

// refused returns what the gate's refusal means to the caller of a method that has its own idempotency keys: a quarantine is recorded
// in the journal, and a key that was used for something else is a *ConflictError. Other errors are returned as they are.
func refused(ctx context.Context, db *DB, id memory.Identity, err error) error {
	if quarantine, ok := errors.AsType[*QuarantineError](err); ok {
		_, err = quarantined(ctx, db, id, "", quarantine)
		return err
	}
	if keyUsed(err) {
		return &ConflictError{Code: CodeKeyReused, Message: "idempotency key already used for another write"}
	}
	return err
}

const sqlLedger = `
select receipt from write_ledger
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and key = @key`

// recorded returns the receipt that a key gave before.
func recorded(ctx context.Context, db *DB, id memory.Identity, key string) (memory.Receipt, error) {
	return read(ctx, db, id, func(t *tx) (memory.Receipt, error) {
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

// queueLedger queues looking up the receipt of a key.
func queueLedger(b *pgx.Batch, t *tx, key string, receipt **memory.Receipt) {
	found := false
	withRow(b.Queue(sqlLedger, t.args(pgx.NamedArgs{"key": key})), &found, func(row pgx.CollectableRow) error {
		var r memory.Receipt
		err := row.Scan(&r)
		r.Replayed = true
		*receipt = &r
		return err
	})
}

// quarantined records the verdict in its own transaction, since the one of the write was rolled back, and returns the refusal. A key
// that was used before still returns its receipt.
func quarantined(ctx context.Context, db *DB, id memory.Identity, key string, refusal *QuarantineError) (memory.Receipt, error) {
	return inTx(ctx, db, id, func(t *tx) (memory.Receipt, error) {
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

// Receipt returns the receipt that an idempotency key of the identity's owner gave before, marked as replayed, or false.
func (s *Gate) Receipt(ctx context.Context, id memory.Identity, key string) (memory.Receipt, bool, error) {
	receipt, err := recorded(ctx, s.db, id, key)
	if errors.Is(err, ErrNotFound) {
		return memory.Receipt{}, false, nil
	}
	return receipt, err == nil, err
}

const sqlVersionReceipt = `
select v.document_id, v.version, v.added, v.removed, v.sha256, octet_length(v.content), j.event_id
from (
    select *
    from document_versions
    where workspace_id = @workspace and agent_id = @row_agent and version = @version and document_id = (
        select document_id
        from documents
        where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path)
) v
cross join lateral (
    select event_id
    from journal j
    where j.workspace_id = @workspace and j.agent_id = @row_agent and j.document_id = v.document_id and j.version = v.version
    order by event_id
    limit 1
) j`

// ReceiptOfVersion returns the receipt of the write that made a version. Its Key is empty.
func (s *Gate) ReceiptOfVersion(ctx context.Context, id memory.Identity, ref memory.Ref, version int) (memory.Receipt, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Receipt{}, err
	}
	args["version"] = version
	return read(ctx, s.db, id, func(t *tx) (memory.Receipt, error) {
		path := args["path"].(string) //nolint:forcetypeassert // refArgs puts a string there
		c := memory.ChangeReceipt{Scope: ref.Scope, Path: path, Created: version == 1, Changed: true, Verdict: scan.VerdictAllow}
		var event int64
		found := false
		b := &pgx.Batch{}
		withRow(b.Queue(sqlVersionReceipt, t.args(args)), &found, func(row pgx.CollectableRow) error {
			var sha []byte
			err := row.Scan(&c.Document, &c.Version, &c.Added, &c.Removed, &sha, &c.Bytes, &event)
			c.SHA256 = hex.EncodeToString(sha)
			return err
		})
		if err := t.finish(ctx, b); err != nil {
			return memory.Receipt{}, err
		}
		if !found {
			return memory.Receipt{}, fmt.Errorf("version %d of document %s: %w", version, ref.Path, ErrNotFound)
		}
		return memory.Receipt{Token: strconv.FormatInt(event, 10), Changes: []memory.ChangeReceipt{c}}, nil
	})
}

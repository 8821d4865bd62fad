// Package gate is the only writer of documents: it checks, merges, versions and journals every change in one transaction.
package gate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/scan"
	"reverie/store/pg"
)

// Gate is the one way to write documents, and the reads that belong to it: documents, versions, journal and receipts.
type Gate struct{ db *pg.DB }

// New returns the gate of a database.
func New(db *pg.DB) *Gate { return &Gate{db} }

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
	receipt, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (memory.Receipt, error) {
		if len(changes) == 0 {
			return memory.Receipt{}, &pg.InvalidError{Field: "changes", Problem: "give at least one change"}
		}
		w, err := ApplyChanges(ctx, t, ChangeSet{Key: key, Changes: changes})
		if err != nil {
			return memory.Receipt{}, err
		}
		err = t.Finish(ctx, &pgx.Batch{})
		return w.Receipt, err
	})
	if replay, ok := errors.AsType[*replayedError](err); ok {
		return replay.receipt, nil
	}
	if quarantine, ok := errors.AsType[*pg.QuarantineError](err); ok {
		return quarantined(ctx, s.db, id, key, quarantine)
	}
	if keyUsed(err) { // at the same time, for other documents
		return recorded(ctx, s.db, id, key)
	}
	return receipt, err
}

// ChangeSet is the input of the gate: the changes of one transaction.
type ChangeSet struct {
	Author  memory.Author // of the new versions; zero: the author of the transaction's identity
	Key     string        // idempotency key; empty: no receipt is recorded
	Changes []memory.Change
	// Reads are statements of the caller, sent in front of the gate's reads in the same batch; nil: none.
	Reads *pgx.Batch
	// Ready runs after the reads and before the changes are applied. Its error ends the write; nil: no check.
	Ready func() error
	// Prompts are the places in the system prompt that documents get. When it is not nil, a place that changes is recorded in the
	// journal, including the default place of a new document.
	Prompts map[memory.Ref]PromptPlace
	// Events are recorded in the journal after those of the changes.
	Events []JournalEvent
	// OwnStates means that the writer records what becomes of statements that leave a document, as dreams do.
	OwnStates bool
	// Approved means that a person has decided on the changes, so that none waits for approval.
	Approved bool
}

// ApplyChanges is the one gate: every change of a document, by whichever writer, goes through it as a part of the writer's
// transaction t. It locks and reads the documents in one round trip, applies the changes to what it read, and queues the new
// versions, the journal events, the index and the receipt. They are sent in front of the next batch of t, so that a writer adds its
// own statements in that batch and commits; Receipt.Token is set by then.
//
// A key that was used before is a *replayedError: the transaction must not be committed then. With no changes, ApplyChanges reads
// only what set.Reads asks for, and records the key and the events.
func ApplyChanges(ctx context.Context, t *pg.Tx, set ChangeSet) (*Writes, error) {
	w, err := newWrites(t.ID, set)
	if err != nil {
		return nil, err
	}
	look := set.Reads
	if look == nil {
		look = &pgx.Batch{}
	}
	w.queueReads(look, t)
	if look.Len() > 0 {
		if err := t.Send(ctx, look); err != nil {
			return nil, err
		}
	}
	for _, d := range w.order {
		d.was = d.document()
	}
	if set.Ready != nil {
		if err := set.Ready(); err != nil {
			return nil, err
		}
	}
	if err := w.decide(t); err != nil {
		return nil, err
	}
	if err := w.queueWrites(&t.Queued, t); err != nil {
		return nil, err
	}
	return w, w.putAside(ctx, t)
}

// Writes are changes of documents in progress, and their result.
type Writes struct {
	ChangeSet

	checked   []checked
	documents map[memory.Ref]*document
	order     []*document // by scope and path: all writers lock in this order
	recorded  *memory.Receipt
	standing  Standing
	Receipt   memory.Receipt
	forgotten forgotten
	held      map[memory.Owner][]heldStatement // instructions that wait for a person
	aside     map[memory.Ref][]string          // statements for the day's notes
	waiting   []waiting                        // changes that a person must approve
	proposed  map[*document]map[string]bool    // changes that wait or were refused before
}

// Before returns a document as it was, with version 0 when there was none.
func (w *Writes) Before(ref memory.Ref) memory.Document { return w.documents[ref].was }

// After returns a document as the changes leave it.
func (w *Writes) After(ref memory.Ref) memory.Document { return w.documents[ref].document() }

// Text returns the content of a change without its secrets.
func (w *Writes) Text(change int) string { return w.checked[change].Content }

// checked is a change that follows the rules and passed the scan.
type checked struct {
	memory.Change
	verdict  scan.Verdict
	findings []scan.Finding
}

// MaxKey is the longest idempotency key, in bytes.
const MaxKey = 512

// newWrites checks the changes as far as possible without the database.
func newWrites(id memory.Identity, set ChangeSet) (*Writes, error) {
	if err := memory.ValidText("idempotency key", set.Key, MaxKey); err != nil {
		return nil, err
	}
	if set.Author == (memory.Author{}) {
		set.Author = id.Author
	}
	w := &Writes{ChangeSet: set, documents: map[memory.Ref]*document{}, Receipt: memory.Receipt{Key: set.Key}}
	for i, change := range set.Changes {
		at := ""
		if len(set.Changes) > 1 {
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
	return errors.As(err, new(*replayedError)) || pg.IsUnique(err, "write_ledger_pkey")
}

// contendedRounds is the number of attempts of a write whose documents change between its reads and the gate.
const contendedRounds = 3

// Contended runs fn as one transaction, and again when another writer has concurrently changed the same lines or used the same key.
func Contended[T any](ctx context.Context, db *pg.DB, id memory.Identity, fn func(*pg.Tx) (T, error)) (result T, err error) {
	for range contendedRounds {
		result, err = pg.InTx(ctx, db, id, fn)
		if !errors.As(err, new(*pg.StaleBaseError)) && !keyUsed(err) {
			break
		}
	}
	return result, err
}

// Refused returns what the gate's refusal means to the caller of a method that has its own idempotency keys: a quarantine is recorded
// in the journal, and a key that was used for something else is a *ConflictError. Other errors are returned as they are.
func Refused(ctx context.Context, db *pg.DB, id memory.Identity, err error) error {
	if quarantine, ok := errors.AsType[*pg.QuarantineError](err); ok {
		_, err = quarantined(ctx, db, id, "", quarantine)
		return err
	}
	if keyUsed(err) {
		return &pg.ConflictError{Code: pg.CodeKeyReused, Message: "idempotency key already used for another write"}
	}
	return err
}

const sqlLedger = `
select receipt from write_ledger
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and key = @key`

// recorded returns the receipt that a key gave before.
func recorded(ctx context.Context, db *pg.DB, id memory.Identity, key string) (memory.Receipt, error) {
	return pg.Read(ctx, db, id, func(t *pg.Tx) (memory.Receipt, error) {
		var receipt *memory.Receipt
		b := &pgx.Batch{}
		QueueLedger(b, t, key, &receipt)
		if err := t.Finish(ctx, b); err != nil {
			return memory.Receipt{}, err
		}
		if receipt == nil {
			return memory.Receipt{}, fmt.Errorf("receipt: %w", pg.ErrNotFound)
		}
		return *receipt, nil
	})
}

// QueueLedger queues looking up the receipt of a key.
func QueueLedger(b *pgx.Batch, t *pg.Tx, key string, receipt **memory.Receipt) {
	found := false
	pg.WithRow(b.Queue(sqlLedger, t.Args(pgx.NamedArgs{"key": key})), &found, func(row pgx.CollectableRow) error {
		var r memory.Receipt
		err := row.Scan(&r)
		r.Replayed = true
		*receipt = &r
		return err
	})
}

// quarantined records the verdict in its own transaction, since the one of the write was rolled back, and returns the refusal. A key
// that was used before still returns its receipt.
func quarantined(ctx context.Context, db *pg.DB, id memory.Identity, key string, refusal *pg.QuarantineError) (memory.Receipt, error) {
	return pg.InTx(ctx, db, id, func(t *pg.Tx) (memory.Receipt, error) {
		var receipt *memory.Receipt
		b := &pgx.Batch{}
		QueueLedger(b, t, key, &receipt)
		if err := t.Send(ctx, b); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		if receipt != nil {
			return *receipt, nil
		}
		b = &pgx.Batch{}
		if err := QueueEvent(b, t, QuarantineEvent(id, refusal)); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		if err := t.Finish(ctx, b); err != nil {
			return memory.Receipt{}, errors.Join(refusal, err)
		}
		return memory.Receipt{}, refusal
	})
}

// Receipt returns the receipt that an idempotency key of the identity's owner gave before, marked as replayed, or false.
func (s *Gate) Receipt(ctx context.Context, id memory.Identity, key string) (memory.Receipt, bool, error) {
	receipt, err := recorded(ctx, s.db, id, key)
	if errors.Is(err, pg.ErrNotFound) {
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
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (memory.Receipt, error) {
		path := args["path"].(string) //nolint:forcetypeassert // refArgs puts a string there
		c := memory.ChangeReceipt{Scope: ref.Scope, Path: path, Created: version == 1, Changed: true, Verdict: scan.VerdictAllow}
		var event int64
		found := false
		b := &pgx.Batch{}
		pg.WithRow(b.Queue(sqlVersionReceipt, t.Args(args)), &found, func(row pgx.CollectableRow) error {
			var sha []byte
			err := row.Scan(&c.Document, &c.Version, &c.Added, &c.Removed, &sha, &c.Bytes, &event)
			c.SHA256 = hex.EncodeToString(sha)
			return err
		})
		if err := t.Finish(ctx, b); err != nil {
			return memory.Receipt{}, err
		}
		if !found {
			return memory.Receipt{}, fmt.Errorf("version %d of document %s: %w", version, ref.Path, pg.ErrNotFound)
		}
		return memory.Receipt{Token: strconv.FormatInt(event, 10), Changes: []memory.ChangeReceipt{c}}, nil
	})
}

package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// ImportItem is one thing to move in, as it is staged. What it consists of is opaque here.
type ImportItem struct {
	Key          string       // unique within the import, at most memory.MaxImportKey bytes
	Conversation bool         // or a document
	Whose        memory.Owner // NoOwner: a shared document
	At           time.Time    // when it was last written or said
	Target       string       // path of the document, or id of the conversation
	Messages     int          // of the conversation
	Payload      []byte
	// ReasonCode says of an item that cannot be moved in why, and is recorded as its outcome at once.
	ReasonCode memory.ReasonCode
}

// StagedItems counts what became of a batch.
type StagedItems struct {
	Staged int // wait to be moved in, because they are new or are tried again
	Known  int // were uploaded before
	Failed int // cannot be moved in
}

// Reasons of items of an import.
const (
	ReasonImportCancelled memory.ReasonCode = "cancelled"
	ReasonImportConflict  memory.ReasonCode = "exists"  // another document stands there, which is kept
	ReasonImportInvalid   memory.ReasonCode = "invalid" // it breaks a rule of documents or messages
	// ReasonImportTooLarge is an item with more bytes than a document or a message may have. Readers of sources cut messages at the
	// end of a line and leave such documents out; whoever uploads by other means is told.
	ReasonImportTooLarge memory.ReasonCode = "too_large"
)

const (
	// An item that is uploaded again is tried again where a second time may end better: it failed, was left out when its import
	// was cancelled, or met an agent that could not be written then.
	sqlImportStage = `
with incoming as (
    select *
    from unnest(@keys::text[], @kinds::smallint[], @whose::text[], @at::timestamptz[], @targets::text[], @messages::int[],
            @payloads::bytea[], @reasons::text[])
        i (item_key, kind, whose, happened_at, target, messages, payload, reason_code)
), staged as (
    insert into import_items as x (workspace_id, agent_id, import_id, owner_key, item_key, kind, whose, happened_at, target, messages,
        payload, outcome, reason_code, settled_at)
    select @workspace, @agent, @import, @owner, i.item_key, i.kind, i.whose, i.happened_at, i.target, i.messages,
        case when i.reason_code = '' then i.payload end, case when i.reason_code = '' then '' else 'failed' end, i.reason_code,
        case when i.reason_code <> '' then @now::timestamptz end
    from incoming i
    on conflict (workspace_id, agent_id, import_id, item_key) do update set
        kind = excluded.kind, whose = excluded.whose, happened_at = excluded.happened_at, target = excluded.target,
        messages = excluded.messages, payload = excluded.payload, outcome = excluded.outcome, reason_code = excluded.reason_code,
        settled_at = excluded.settled_at
    where x.outcome = 'failed' or x.outcome = 'skipped' and x.reason_code in ('cancelled', 'memory_off', 'team_member')
    returning x.outcome, x.xmax = 0 as added
)
select count(*) filter (where outcome = ''), count(*) filter (where outcome <> ''), count(*) filter (where added)
from staged`

	sqlImportGrow = `
update imports set items = items + @added
where workspace_id = @workspace and agent_id = @agent and import_id = @import`
)

// StageImport uploads a batch of items, of different keys, to an import that is not running. An item whose key is known is left
// alone, unless it may end better when it is tried again. It returns *ConflictError with CodeImportRunning, and with
// CodeImportFull for more than memory.MaxImportItems. It costs three round trips.
func (s *Store) StageImport(ctx context.Context, id memory.Identity, imported uuid.UUID, items []ImportItem) (StagedItems, error) {
	if err := requireAgent(id); err != nil {
		return StagedItems{}, err
	}
	if err := requireWrite(id); err != nil {
		return StagedItems{}, err
	}
	if err := validItems(id, items); err != nil {
		return StagedItems{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (StagedItems, error) {
		i := importing{t: t, id: imported}
		b := &pgx.Batch{}
		i.queueLock(b)
		if err := t.send(ctx, b); err != nil {
			return StagedItems{}, err
		}
		switch {
		case !i.found:
			return StagedItems{}, noImport(imported)
		case i.State == ImportRunning:
			return StagedItems{}, &ConflictError{Code: CodeImportRunning, Message: "the import is running: wait until it has ended, or cancel it"}
		}
		args := t.args(pgx.NamedArgs{"import": imported})
		itemColumns(items, args)
		out, added := StagedItems{}, 0
		b = &pgx.Batch{}
		b.Queue(sqlImportStage, args).QueryRow(func(row pgx.Row) error { return row.Scan(&out.Staged, &out.Failed, &added) })
		if err := t.send(ctx, b); err != nil {
			return StagedItems{}, err
		}
		if i.Items+added > memory.MaxImportItems {
			return StagedItems{}, &ConflictError{
				Code:    CodeImportFull,
				Message: fmt.Sprintf("an import has at most %d items: move the rest in as another one", memory.MaxImportItems),
			}
		}
		out.Known = len(items) - out.Staged - out.Failed
		b = &pgx.Batch{}
		if added > 0 {
			b.Queue(sqlImportGrow, t.args(pgx.NamedArgs{"import": imported, "added": added}))
		}
		return out, t.finish(ctx, b)
	})
}

// validItems checks what the database cannot take, and what concerns the batch as a whole.
func validItems(id memory.Identity, items []ImportItem) error {
	switch n := len(items); {
	case n == 0:
		return &InvalidError{Field: "items", Problem: "give at least one item"}
	case n > memory.MaxImportBatch:
		return &InvalidError{Field: "items", Problem: fmt.Sprintf("there are %d, at most %d are allowed: send several batches", n, memory.MaxImportBatch)}
	}
	seen := make(map[string]bool, len(items))
	for n, item := range items {
		at := fmt.Sprintf("items[%d].", n)
		switch {
		case item.Key == "":
			return &InvalidError{Field: at + "key", Problem: "give every item a key that stays the same when the source is read again"}
		case seen[item.Key]:
			return &InvalidError{Field: at + "key", Problem: "it is in the batch twice: give every item a key of its own"}
		case id.Owner != memory.NoOwner && item.Whose != id.Owner && item.Whose != memory.NoOwner:
			return &InvalidError{Field: at + "owner", Problem: "the import is about another owner: name nobody when it is created to move in several"}
		case item.Conversation && item.Whose == memory.NoOwner:
			return &InvalidError{Field: at + "owner", Problem: "say whose conversation it is, or name the owner when the import is created"}
		}
		seen[item.Key] = true
		if err := validText(at+"key", item.Key, memory.MaxImportKey); err != nil {
			return err
		}
	}
	return nil
}

// itemColumns adds items to args, one array for each column.
func itemColumns(items []ImportItem, args pgx.NamedArgs) {
	n := len(items)
	keys, whose, targets, reasons := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	kinds, counts := make([]int16, n), make([]int32, n)
	at, payloads := make([]time.Time, n), make([][]byte, n)
	for i, item := range items {
		keys[i], whose[i], targets[i], reasons[i] = item.Key, string(item.Whose), storable(item.Target), string(item.ReasonCode)
		if item.Conversation {
			kinds[i] = 1
		}
		counts[i], at[i], payloads[i] = int32(item.Messages), item.At, item.Payload
	}
	args["keys"], args["whose"], args["targets"], args["reasons"] = keys, whose, targets, reasons
	args["kinds"], args["messages"], args["at"], args["payloads"] = kinds, counts, at, payloads
}

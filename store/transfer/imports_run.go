package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// maxImportPage bounds the contents of a page of items, in bytes; a single item may be larger.
const maxImportPage = 16 << 20

// ImportSettled is the outcome of one item.
type ImportSettled struct {
	Key        string
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
}

const (
	sqlImportStart = `
update imports set
    state = 'running',
    writes = @writes,
    author_id = @author,
    started_at = @now,
    finished_at = null
where workspace_id = @workspace and agent_id = @agent and import_id = @import and state <> 'running'
    and (@writes = 'team' or writes = 'personal' and author_id = @author)
    and exists (
        select from import_items
        where workspace_id = @workspace and agent_id = @agent and import_id = @import and outcome = '')`

	sqlImportCancel = `
update imports set
    state = 'cancelled',
    finished_at = @now
where workspace_id = @workspace and agent_id = @agent and import_id = @import and state <> 'done'
    and (@writes = 'team' or writes = 'personal' and author_id = @author)`

	// Ends as done, unless it was cancelled since then.
	sqlImportEnd = `
update imports set
    state = case when state = 'cancelled' then state else 'done' end,
    finished_at = coalesce(finished_at, @now)
where workspace_id = @workspace and agent_id = @agent and import_id = @import`

	// A page has as many items as fit its bytes, but at least one.
	sqlImportNext = `
with page as materialized (
    select item_key, kind, whose, happened_at, target, messages, payload, writes, author_id,
        sum(octet_length(payload)) over (order by kind, happened_at, item_key) - octet_length(payload) as before
    from (
        select *
        from import_items
        where workspace_id = @workspace and agent_id = @agent and import_id = @import and outcome = ''
        order by kind, happened_at, item_key
        limit @limit
    ) i
)
select item_key, kind = 1, whose, happened_at, target, messages, payload, coalesce(writes, (
        select writes from imports where workspace_id = @workspace and agent_id = @agent and import_id = @import)) = 'personal',
    coalesce(author_id, (
        select author_id from imports where workspace_id = @workspace and agent_id = @agent and import_id = @import))
from page
where before < @bytes
order by kind, happened_at, item_key`

	sqlImportSettle = `
update import_items set
    outcome = (@outcomes::text[])[array_position(@keys::text[], item_key)],
    reason_code = (@reasons::text[])[array_position(@keys::text[], item_key)],
    payload = null,
    settled_at = @now
where workspace_id = @workspace and agent_id = @agent and import_id = @import and item_key = any(@keys::text[])
    and (outcome = '' or reason_code = 'cancelled')`

	sqlImportLeave = `
update import_items set
    outcome = 'skipped',
    reason_code = 'cancelled',
    payload = null,
    settled_at = @now
where workspace_id = @workspace and agent_id = @agent and import_id = @import and outcome = ''`
)

// StartImport starts an import, if items wait, and returns its state. A pinned identity may start those that it made.
func (s *Transfer) StartImport(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	return s.moveImport(ctx, id, imported, sqlImportStart)
}

// CancelImport stops an import. LeaveImport then skips the rest, once no item is in progress. One that is done stays done.
func (s *Transfer) CancelImport(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	return s.moveImport(ctx, id, imported, sqlImportCancel)
}

// EndImport ends an import without waiting items.
func (s *Transfer) EndImport(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	return s.moveImport(ctx, id, imported, sqlImportEnd)
}

// LeaveImport cancels an import and skips its waiting items: their outcome is skipped, and their contents are dropped.
func (s *Transfer) LeaveImport(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	return s.moveImport(ctx, id, imported, sqlImportCancel, sqlImportLeave)
}

func (s *Transfer) moveImport(ctx context.Context, id memory.Identity, imported uuid.UUID, sql ...string) (Import, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return Import{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Import, error) {
		args := t.Args(pgx.NamedArgs{"import": imported, "writes": reachOf(id), "author": id.Author.ID})
		i := importing{t: t, id: imported}
		b := &pgx.Batch{}
		for _, statement := range sql {
			b.Queue(statement, args)
		}
		i.queue(b)
		moved, err := i.finish(ctx, b)
		if err != nil {
			return Import{}, err
		}
		return moved, moved.requireOwn(id) // then nothing was changed
	})
}

// NextImportItems returns the next items of an import, at most limit items and maxImportPage, but at least one: documents first,
// then conversations in the order in which they ended. It also returns the import, without its progress.
func (s *Transfer) NextImportItems(ctx context.Context, id memory.Identity, imported uuid.UUID, limit int) (Import, []ImportItem, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Import{}, nil, err
	}
	var items []ImportItem
	found, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (Import, error) {
		i := importing{t: t, id: imported}
		args := t.Args(pgx.NamedArgs{"import": imported, "limit": limit, "bytes": maxImportPage})
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlImport, args), &i.found, &i.Import, scanImport)
		pg.All(b.Queue(sqlImportNext, args), &items, func(row pgx.CollectableRow) (x ImportItem, err error) {
			err = row.Scan(&x.Key, &x.Conversation, &x.Whose, &x.At, &x.Target, &x.Messages, &x.Payload, &x.Pinned, &x.By)
			return x, err
		})
		return i.finish(ctx, b)
	})
	return found, items, err
}

// SettleImport records the outcomes of items, and drops their contents. An outcome is final, except for an item that was cancelled
// while it was in progress.
func (s *Transfer) SettleImport(ctx context.Context, id memory.Identity, imported uuid.UUID, settled []ImportSettled) error {
	if err := pg.RequireAgentWrite(id); err != nil {
		return err
	}
	n := len(settled)
	keys, outcomes, reasons := make([]string, n), make([]string, n), make([]string, n)
	for i, item := range settled {
		keys[i], outcomes[i], reasons[i] = item.Key, string(item.Outcome), string(item.ReasonCode)
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlImportSettle, t.Args(pgx.NamedArgs{"import": imported, "keys": keys, "outcomes": outcomes, "reasons": reasons}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// ImportItemState is the state of an item, for people.
type ImportItemState struct {
	Key          string
	Conversation bool
	Whose        memory.Owner
	At           time.Time
	Target       string
	Messages     int
	Outcome      memory.Outcome // empty: it waits
	ReasonCode   memory.ReasonCode
	SettledAt    *time.Time
}

// ImportFilter limits a list of items.
type ImportFilter struct {
	Any     bool           // of every outcome
	Outcome memory.Outcome // empty: those that wait
}

const (
	importItemColumns = `
select item_key, kind = 1, whose, happened_at, target, messages, outcome, reason_code, settled_at
from import_items
where workspace_id = @workspace and agent_id = @agent and import_id = @import and item_key > @after `

	sqlImportItems = importItemColumns + `
order by item_key
limit @limit`

	sqlImportItemsOf = importItemColumns + `and outcome = @outcome
order by item_key
limit @limit`
)

// ImportItems lists the items of an import by key. A cursor is the key of the last one.
func (s *Transfer) ImportItems(
	ctx context.Context, id memory.Identity, imported uuid.UUID, f ImportFilter, p pg.Page,
) (pg.Listed[ImportItemState], error) {
	if err := pg.RequireAgent(id); err != nil {
		return pg.Listed[ImportItemState]{}, err
	}
	if err := memory.ValidText("cursor", p.Cursor, memory.MaxImportKey); err != nil {
		return pg.Listed[ImportItemState]{}, err
	}
	limit := pg.LimitOf(p.Limit)
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (pg.Listed[ImportItemState], error) {
		sql := sqlImportItemsOf
		if f.Any {
			sql = sqlImportItems
		}
		var found []ImportItemState
		var of Import
		known := false
		args := t.Args(pgx.NamedArgs{"import": imported, "after": p.Cursor, "outcome": f.Outcome, "limit": limit + 1})
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlImport, args), &known, &of, scanImport)
		pg.All(b.Queue(sql, args), &found, pgx.RowToStructByPos[ImportItemState])
		if err := t.Finish(ctx, b); err != nil {
			return pg.Listed[ImportItemState]{}, err
		}
		if !known {
			return pg.Listed[ImportItemState]{}, noImport(imported)
		}
		if len(found) <= limit {
			return pg.Listed[ImportItemState]{Items: found}, nil
		}
		return pg.Listed[ImportItemState]{Items: found[:limit], Next: found[limit-1].Key}, nil
	})
}

// Imported is the state of an imported conversation.
type Imported struct {
	Pending    bool           // messages wait in front of the cursor
	Outcome    memory.Outcome // the most telling one of its extractions; empty: there was none
	ReasonCode memory.ReasonCode
}

// The latest record of the same messages counts, since what failed or was skipped may have been extracted later.
const sqlImported = `
select c.complete_seq > c.cursor_seq, x.outcome, x.reason_code
from conversations c
left join lateral (
    select distinct on (e.from_seq) e.outcome, e.reason_code
    from extractions e
    where e.workspace_id = c.workspace_id and e.agent_id = c.agent_id and e.conversation_uid = c.conversation_uid
        and e.finished_at is not null and (e.from_seq > c.cursor_seq or e.outcome in ('written', 'nothing', 'quarantined'))
    order by e.from_seq, e.extraction_id desc
) x on true
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid`

// ImportedConversation returns the state of a conversation, from the records of its extractions.
func (s *Transfer) ImportedConversation(ctx context.Context, id memory.Identity, uid uuid.UUID) (Imported, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Imported{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (Imported, error) {
		var out Imported
		found := false
		b := &pgx.Batch{}
		pg.WithRow(b.Queue(sqlImported, t.Args(pgx.NamedArgs{"uid": uid})), &found, func(row pgx.CollectableRow) error {
			var outcome, reason *string
			if err := row.Scan(&out.Pending, &outcome, &reason); err != nil || outcome == nil {
				return err
			}
			if o := memory.Outcome(*outcome); out.Outcome == "" || o.Severity() > out.Outcome.Severity() {
				out.Outcome, out.ReasonCode = o, memory.ReasonCode(*reason)
			}
			return nil
		})
		if err := t.Finish(ctx, b); err != nil {
			return Imported{}, err
		}
		if !found {
			return Imported{}, fmt.Errorf("conversation %s: %w", uid, pg.ErrNotFound)
		}
		return out, nil
	})
}

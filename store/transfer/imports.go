// Package transfer stores imports, snapshots and the writes of business processes.
package transfer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Transfer stores imports, snapshots, and writes of business processes.
type Transfer struct{ db *pg.DB }

// New returns the imports, snapshots and writes of a database.
func New(db *pg.DB) *Transfer { return &Transfer{db} }

// ImportState is the state of an import.
type ImportState string

// States of imports.
const (
	ImportStaging   ImportState = "staging"   // items are uploaded
	ImportRunning   ImportState = "running"   // items are being imported
	ImportDone      ImportState = "done"      // all are settled
	ImportCancelled ImportState = "cancelled" // waiting items are skipped
)

// Import is an import from one source, with its options.
type Import struct {
	ID         uuid.UUID
	Owner      memory.Owner // whose memory it is about; NoOwner: of several, or the shared one
	Format     string
	Label      string
	OnConflict memory.ImportPolicy
	Extract    bool // conversations become memory
	State      ImportState
	Pinned     bool   // the key that made or started it last writes for its owner only
	AuthorID   string // that key
	Items      int
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	// Outcomes counts the items by outcome; those of "" wait. Lists have none.
	Outcomes map[memory.Outcome]int
}

// Settled counts the items that have an outcome.
func (i Import) Settled() int {
	n := 0
	for outcome, count := range i.Outcomes {
		if outcome != "" {
			n += count
		}
	}
	return n
}

// NewImport describes an import to create.
type NewImport struct {
	Source     string // identifies the source, such as its hash; at most memory.MaxImportSource bytes
	Format     string
	Label      string // display name, at most memory.MaxImportLabel bytes
	OnConflict memory.ImportPolicy
	Extract    bool
}

const (
	importColumns = `
select i.import_id, i.owner_key, i.format, i.label, i.on_conflict, i.extract, i.state, i.writes = 'personal', i.author_id, i.items,
    i.created_at, i.started_at, i.finished_at
from imports i
where i.workspace_id = @workspace and i.agent_id = @agent `

	sqlImport = importColumns + `and i.import_id = @import`

	sqlImportLock = sqlImport + `
for no key update`

	// No index serves owners; there are few imports.
	sqlImports = importColumns + `
    and (i.owner_key = @owner or @any)
    and (i.created_at, i.import_id) < (@at, @id)
order by i.created_at desc, i.import_id desc
limit @limit`

	sqlImportCreate = `
insert into imports (workspace_id, agent_id, import_id, owner_key, format, label, on_conflict, extract, state, writes, author_id,
    created_at)
values (@workspace, @agent, @import, @owner, @format, @label, @on_conflict, @extract, 'staging', @writes, @author, @now)
on conflict do nothing`

	sqlImportOutcomes = `
select outcome, count(*)
from import_items
where workspace_id = @workspace and agent_id = @agent and import_id = @import
group by outcome`
)

func scanImport(row pgx.CollectableRow) (i Import, err error) {
	err = row.Scan(&i.ID, &i.Owner, &i.Format, &i.Label, &i.OnConflict, &i.Extract, &i.State, &i.Pinned, &i.AuthorID, &i.Items,
		&i.CreatedAt, &i.StartedAt, &i.FinishedAt)
	return i, err
}

// importSpace is the namespace of import ids, which are the same whenever the same source is imported in the same way.
var importSpace = uuid.MustParse("5b1d4a0e-52c3-4c57-9a0c-5a1c2a9f6d10")

// importID returns the id of an import. A pinned key has its own imports: what it uploads under a key would otherwise keep the item
// of the same key that a member uploads later.
func importID(id memory.Identity, n NewImport) uuid.UUID {
	name := fmt.Appendf(nil, "%q %q %q %q %q %q %t", id.Workspace, id.Agent, id.Owner, n.Source, n.Format, n.OnConflict, n.Extract)
	if id.Pinned {
		name = fmt.Appendf(name, " %q", id.Author.ID)
	}
	return uuid.NewSHA1(importSpace, name)
}

// reachOf returns what an identity may write through an import.
func reachOf(id memory.Identity) string {
	if id.Pinned {
		return pg.ReachPersonal.String()
	}
	return pg.ReachTeam.String()
}

// requireOwn refuses an import of another key to a pinned one.
func (i Import) requireOwn(id memory.Identity) error {
	if id.Pinned && (!i.Pinned || i.AuthorID != id.Author.ID) {
		return fmt.Errorf("%w: the import was made by another key: create a new one", pg.ErrForbidden)
	}
	return nil
}

// CreateImport creates an import, or finds the one of the same owner, source and options. An identity without an owner creates one
// of several owners and of shared documents, which a pinned credential may not.
func (s *Transfer) CreateImport(ctx context.Context, id memory.Identity, n NewImport) (Import, error) {
	if err := n.validate(id); err != nil {
		return Import{}, err
	}
	made := importID(id, n)
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Import, error) {
		b := &pgx.Batch{}
		b.Queue(sqlImportCreate, t.Args(pgx.NamedArgs{
			"import": made, "format": n.Format, "label": n.Label, "on_conflict": n.OnConflict, "extract": n.Extract,
			"writes": reachOf(id), "author": id.Author.ID,
		}))
		out := importing{t: t, id: made}
		out.queue(b)
		return out.finish(ctx, b)
	})
}

func (n NewImport) validate(id memory.Identity) error {
	if err := pg.RequireAgentWrite(id); err != nil {
		return err
	}
	if !n.OnConflict.Valid() {
		return &pg.InvalidError{Field: "onConflict", Problem: "use merge, keep or overwrite"}
	}
	if n.Source == "" {
		return &pg.InvalidError{Field: "source", Problem: "name the source by a stable key, such as its hash"}
	}
	for _, text := range []struct {
		field, value string
		limit        int
	}{{"source", n.Source, memory.MaxImportSource}, {"format", n.Format, memory.MaxName}, {"label", n.Label, memory.MaxImportLabel}} {
		if err := memory.ValidText(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return nil
}

// importing reads an import with its counts.
type importing struct {
	t     *pg.Tx
	id    uuid.UUID
	found bool
	Import
}

func (i *importing) queue(b *pgx.Batch) {
	args := i.t.Args(pgx.NamedArgs{"import": i.id})
	pg.One(b.Queue(sqlImport, args), &i.found, &i.Import, scanImport)
	i.queueCounts(b)
}

func (i *importing) queueLock(b *pgx.Batch) {
	args := i.t.Args(pgx.NamedArgs{"import": i.id})
	pg.One(b.Queue(sqlImportLock, args), &i.found, &i.Import, scanImport)
}

func (i *importing) queueCounts(b *pgx.Batch) {
	b.Queue(sqlImportOutcomes, i.t.Args(pgx.NamedArgs{"import": i.id})).Query(func(rows pgx.Rows) error {
		i.Outcomes = map[memory.Outcome]int{}
		var outcome memory.Outcome
		var n int
		_, err := pgx.ForEachRow(rows, []any{&outcome, &n}, func() error { i.Outcomes[outcome] = n; return nil })
		return err
	})
}

func (i *importing) finish(ctx context.Context, b *pgx.Batch) (Import, error) {
	if err := i.t.Finish(ctx, b); err != nil {
		return Import{}, err
	}
	if !i.found {
		return Import{}, noImport(i.id)
	}
	counts := i.Outcomes
	i.Import.Outcomes = counts
	return i.Import, nil
}

func noImport(id uuid.UUID) error { return fmt.Errorf("import %s: %w", id, pg.ErrNotFound) }

// ImportOf returns one import with its progress.
func (s *Transfer) ImportOf(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Import{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (Import, error) {
		out := importing{t: t, id: imported}
		b := &pgx.Batch{}
		out.queue(b)
		return out.finish(ctx, b)
	})
}

// Imports lists the imports of the identity's owner, without an owner those of several owners, and with AnyOwner all, newest first,
// without their progress.
func (s *Transfer) Imports(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[Import], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlImports, pgx.NamedArgs{"any": t.AnyOwner, "at": from.At, "id": from.ID}
	}, scanImport, func(i Import) pg.Cursor { return pg.Cursor{At: i.CreatedAt, ID: i.ID} })
}

// ImportItem is one staged item: a document or a conversation. The store does not read its payload.
type ImportItem struct {
	// Pinned limits the item to its owner: the key that uploaded it was pinned. StageImport sets it.
	Pinned       bool
	By           string       // the key that uploaded it; NextImportItems sets it
	Key          string       // unique within the import, at most memory.MaxImportKey bytes
	Conversation bool         // or a document
	Whose        memory.Owner // NoOwner: a shared document
	At           time.Time    // when it was last written or said
	Target       string       // path of the document, or id of the conversation
	Messages     int          // of the conversation
	Payload      []byte
	// ReasonCode is the reason why an item cannot be imported. It is recorded as its outcome at once.
	ReasonCode memory.ReasonCode
}

// StagedItems is the result of staging a batch.
type StagedItems struct {
	Staged int // wait to be moved in, because they are new or are tried again
	Known  int // were uploaded before
	Failed int // cannot be moved in
}

// Reasons of items of an import.
const (
	ReasonImportConflict  memory.ReasonCode = "exists"    // another document exists and is kept
	ReasonImportForbidden memory.ReasonCode = "forbidden" // the key that uploaded it may not write it
	ReasonImportInvalid   memory.ReasonCode = "invalid"   // it breaks a rule of documents or messages
	// ReasonImportTooLarge is an item that exceeds the size of a document or message. Readers of sources cut messages at the end of
	// a line and skip such documents; other uploads get this reason.
	ReasonImportTooLarge memory.ReasonCode = "too_large"
)

const (
	// An item that is uploaded again is retried if it failed, was cancelled, or met an agent that could not be written.
	sqlImportStage = `
with incoming as (
    select *
    from unnest(@keys::text[], @kinds::smallint[], @whose::text[], @at::timestamptz[], @targets::text[], @messages::int[],
            @payloads::bytea[], @reasons::text[])
        i (item_key, kind, whose, happened_at, target, messages, payload, reason_code)
), staged as (
    insert into import_items as x (workspace_id, agent_id, import_id, owner_key, item_key, kind, whose, happened_at, target, messages,
        payload, outcome, reason_code, settled_at, writes, author_id)
    select @workspace, @agent, @import, @owner, i.item_key, i.kind, i.whose, i.happened_at, i.target, i.messages,
        case when i.reason_code = '' then i.payload end, case when i.reason_code = '' then '' else 'failed' end, i.reason_code,
        case when i.reason_code <> '' then @now::timestamptz end, @writes, @author
    from incoming i
    on conflict (workspace_id, agent_id, import_id, item_key) do update set
        kind = excluded.kind, whose = excluded.whose, happened_at = excluded.happened_at, target = excluded.target,
        messages = excluded.messages, payload = excluded.payload, outcome = excluded.outcome, reason_code = excluded.reason_code,
        settled_at = excluded.settled_at, writes = excluded.writes, author_id = excluded.author_id
    where x.outcome = 'failed' or x.outcome = 'skipped' and x.reason_code in ('cancelled', 'memory_off', 'team_member')
    returning x.outcome, x.xmax = 0 as added
)
select count(*) filter (where outcome = ''), count(*) filter (where outcome <> ''), count(*) filter (where added)
from staged`

	sqlImportGrow = `
update imports set items = items + @added
where workspace_id = @workspace and agent_id = @agent and import_id = @import`
)

// StageImport uploads a batch of items with different keys to an import that is not running. A known item is skipped unless a retry
// may succeed. Each item is written with the rights of this identity, no matter who starts the import. A pinned identity stages items
// in imports that it made, else ErrForbidden; its shared items fail at once with ReasonImportForbidden. It returns *ConflictError with
// CodeImportRunning, or with CodeImportFull for more than memory.MaxImportItems. It costs three round trips.
func (s *Transfer) StageImport(ctx context.Context, id memory.Identity, imported uuid.UUID, items []ImportItem) (StagedItems, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return StagedItems{}, err
	}
	if err := validItems(id, items); err != nil {
		return StagedItems{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (StagedItems, error) {
		i := importing{t: t, id: imported}
		b := &pgx.Batch{}
		i.queueLock(b)
		if err := t.Send(ctx, b); err != nil {
			return StagedItems{}, err
		}
		switch {
		case !i.found:
			return StagedItems{}, noImport(imported)
		case i.State == ImportRunning:
			return StagedItems{}, &pg.ConflictError{
				Code: pg.CodeImportRunning, Message: "the import is running: wait until it has ended, or cancel it",
			}
		}
		if err := i.requireOwn(id); err != nil {
			return StagedItems{}, err
		}
		args := t.Args(pgx.NamedArgs{"import": imported, "writes": reachOf(id), "author": id.Author.ID})
		itemColumns(allowed(id, items), args)
		out, added := StagedItems{}, 0
		b = &pgx.Batch{}
		b.Queue(sqlImportStage, args).QueryRow(func(row pgx.Row) error { return row.Scan(&out.Staged, &out.Failed, &added) })
		if err := t.Send(ctx, b); err != nil {
			return StagedItems{}, err
		}
		if i.Items+added > memory.MaxImportItems {
			return StagedItems{}, &pg.ConflictError{
				Code:    pg.CodeImportFull,
				Message: fmt.Sprintf("an import has at most %d items: import the rest separately", memory.MaxImportItems),
			}
		}
		out.Known = len(items) - out.Staged - out.Failed
		b = &pgx.Batch{}
		if added > 0 {
			b.Queue(sqlImportGrow, t.Args(pgx.NamedArgs{"import": imported, "added": added}))
		}
		return out, t.Finish(ctx, b)
	})
}

// validItems checks the items and the batch as a whole.
func validItems(id memory.Identity, items []ImportItem) error {
	switch n := len(items); {
	case n == 0:
		return &pg.InvalidError{Field: "items", Problem: "give at least one item"}
	case n > memory.MaxImportBatch:
		return &pg.InvalidError{
			Field: "items", Problem: fmt.Sprintf("%d given, at most %d allowed: send several batches", n, memory.MaxImportBatch),
		}
	}
	seen := make(map[string]bool, len(items))
	for n, item := range items {
		at := fmt.Sprintf("items[%d].", n)
		switch {
		case item.Key == "":
			return &pg.InvalidError{Field: at + "key", Problem: "give every item a key that is stable across reads of the source"}
		case seen[item.Key]:
			return &pg.InvalidError{Field: at + "key", Problem: "duplicate key in the batch: give every item its own key"}
		case id.Owner != memory.NoOwner && item.Whose != id.Owner && item.Whose != memory.NoOwner:
			return &pg.InvalidError{
				Field: at + "owner", Problem: "the import belongs to another owner: create it without an owner to import several",
			}
		case item.Conversation && item.Whose == memory.NoOwner:
			return &pg.InvalidError{Field: at + "owner", Problem: "name the owner of the conversation, or of the import when it is created"}
		}
		seen[item.Key] = true
		if err := memory.ValidText(at+"key", item.Key, memory.MaxImportKey); err != nil {
			return err
		}
	}
	return nil
}

// allowed returns the items with a reason for those that the identity may not write.
func allowed(id memory.Identity, items []ImportItem) []ImportItem {
	if !id.Pinned {
		return items
	}
	items = slices.Clone(items)
	for i := range items {
		if items[i].Whose == memory.NoOwner {
			items[i].ReasonCode = ReasonImportForbidden
		}
	}
	return items
}

// itemColumns adds items to args, one array for each column.
func itemColumns(items []ImportItem, args pgx.NamedArgs) {
	n := len(items)
	keys, whose, targets, reasons := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	kinds, counts := make([]int16, n), make([]int32, n)
	at, payloads := make([]time.Time, n), make([][]byte, n)
	for i, item := range items {
		keys[i], whose[i], targets[i], reasons[i] = item.Key, string(item.Whose), pg.Storable(item.Target), string(item.ReasonCode)
		if item.Conversation {
			kinds[i] = 1
		}
		counts[i], at[i], payloads[i] = int32(item.Messages), item.At, item.Payload
	}
	args["keys"], args["whose"], args["targets"], args["reasons"] = keys, whose, targets, reasons
	args["kinds"], args["messages"], args["at"], args["payloads"] = kinds, counts, at, payloads
}

const sqlImportsRunning = `
update imports i set leased_until = @until
where (i.workspace_id, i.agent_id, i.import_id) in (
    select workspace_id, agent_id, import_id
    from imports
    where state = 'running' and greatest(started_at, leased_until) < @before
    order by greatest(started_at, leased_until)
    limit @limit
    for no key update skip locked)
returning i.workspace_id, i.agent_id, i.import_id, i.format`

// RunningImport refers to an import that has not ended.
type RunningImport struct {
	indexes.AgentRef
	ID     uuid.UUID
	Format string
}

// RunningImports takes imports of all workspaces that were started and have not ended, longest waiting first. It takes no identity
// because the sweep works for the deployment.
func (s *Transfer) RunningImports(ctx context.Context, l pg.Lease) ([]RunningImport, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[RunningImport], sqlImportsRunning)
}

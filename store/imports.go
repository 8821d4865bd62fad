package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// ImportState is how far an import is.
type ImportState string

// States of imports.
const (
	ImportStaging   ImportState = "staging"   // items are uploaded
	ImportRunning   ImportState = "running"   // they are moved in
	ImportDone      ImportState = "done"      // all are settled
	ImportCancelled ImportState = "cancelled" // what was not settled is left out
)

// Import is what is moved in of one source, with the options that hold for it.
type Import struct {
	ID         uuid.UUID
	Owner      memory.Owner // whose memory it is about; NoOwner: of several, or the shared one
	Format     string
	Label      string
	OnConflict memory.ImportPolicy
	Extract    bool // conversations become memory
	State      ImportState
	Pinned     bool   // the key that made it writes for its owner only
	AuthorID   string // the key that made it
	Items      int
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	// Outcomes counts the items; those of "" wait. Lists have none.
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

// NewImport is what CreateImport is told.
type NewImport struct {
	Source     string // what tells the source from others, such as a hash of it; at most memory.MaxImportSource bytes
	Format     string
	Label      string // what people call it, at most memory.MaxImportLabel bytes
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

	// A list for people: no index serves owners, there are few imports.
	sqlImports = importColumns + `
    and (i.owner_key = @owner or @any)
    and (i.created_at, i.import_id) < (@at, @id)
order by i.created_at desc, i.import_id desc
limit @limit`

	sqlImportCreate = `
insert into imports (workspace_id, agent_id, import_id, owner_key, format, label, on_conflict, extract, state, writes, author_id, created_at)
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

// importSpace is where the ids of imports come from: they are the same whenever the same source is moved in in the same way.
var importSpace = uuid.MustParse("5b1d4a0e-52c3-4c57-9a0c-5a1c2a9f6d10")

// importID names an import by what makes it the same as another one.
func importID(id memory.Identity, n NewImport) uuid.UUID {
	return uuid.NewSHA1(importSpace, fmt.Appendf(nil, "%q %q %q %q %q %q %t",
		id.Workspace, id.Agent, id.Owner, n.Source, n.Format, n.OnConflict, n.Extract))
}

// CreateImport makes an import, or finds the one of the same owner, source and options. An identity that names no owner makes
// one of several owners and of shared documents, which a pinned credential may not.
func (s *Store) CreateImport(ctx context.Context, id memory.Identity, n NewImport) (Import, error) {
	if err := n.validate(id); err != nil {
		return Import{}, err
	}
	writes := reachPersonal
	if !id.Pinned {
		writes = reachTeam
	}
	made := importID(id, n)
	return inTx(ctx, s, id, func(t *tx) (Import, error) {
		b := &pgx.Batch{}
		b.Queue(sqlImportCreate, t.args(pgx.NamedArgs{
			"import": made, "format": n.Format, "label": n.Label, "on_conflict": n.OnConflict, "extract": n.Extract,
			"writes": writes.String(), "author": id.Author.ID,
		}))
		out := importing{t: t, id: made}
		out.queue(b)
		return out.finish(ctx, b)
	})
}

func (n NewImport) validate(id memory.Identity) error {
	if err := requireAgent(id); err != nil {
		return err
	}
	if err := requireWrite(id); err != nil {
		return err
	}
	if !n.OnConflict.Valid() {
		return &InvalidError{Field: "onConflict", Problem: "use merge, keep or overwrite"}
	}
	if n.Source == "" {
		return &InvalidError{Field: "source", Problem: "name the source by something that stays the same, such as a hash of it"}
	}
	for _, text := range []struct {
		field, value string
		limit        int
	}{{"source", n.Source, memory.MaxImportSource}, {"format", n.Format, maxName}, {"label", n.Label, memory.MaxImportLabel}} {
		if err := validText(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return nil
}

// importing is an import that is read with its counts.
type importing struct {
	t     *tx
	id    uuid.UUID
	found bool
	Import
}

func (i *importing) queue(b *pgx.Batch) {
	args := i.t.args(pgx.NamedArgs{"import": i.id})
	one(b.Queue(sqlImport, args), &i.found, func(row pgx.CollectableRow) (err error) { i.Import, err = scanImport(row); return err })
	i.queueCounts(b)
}

func (i *importing) queueLock(b *pgx.Batch) {
	args := i.t.args(pgx.NamedArgs{"import": i.id})
	one(b.Queue(sqlImportLock, args), &i.found, func(row pgx.CollectableRow) (err error) { i.Import, err = scanImport(row); return err })
}

func (i *importing) queueCounts(b *pgx.Batch) {
	b.Queue(sqlImportOutcomes, i.t.args(pgx.NamedArgs{"import": i.id})).Query(func(rows pgx.Rows) error {
		i.Outcomes = map[memory.Outcome]int{}
		var outcome memory.Outcome
		var n int
		_, err := pgx.ForEachRow(rows, []any{&outcome, &n}, func() error { i.Outcomes[outcome] = n; return nil })
		return err
	})
}

func (i *importing) finish(ctx context.Context, b *pgx.Batch) (Import, error) {
	if err := i.t.finish(ctx, b); err != nil {
		return Import{}, err
	}
	if !i.found {
		return Import{}, noImport(i.id)
	}
	counts := i.Outcomes
	i.Import.Outcomes = counts
	return i.Import, nil
}

func noImport(id uuid.UUID) error { return fmt.Errorf("import %s: %w", id, ErrNotFound) }

// ImportOf returns one import with its progress.
func (s *Store) ImportOf(ctx context.Context, id memory.Identity, imported uuid.UUID) (Import, error) {
	if err := requireAgent(id); err != nil {
		return Import{}, err
	}
	return read(ctx, s, id, func(t *tx) (Import, error) {
		out := importing{t: t, id: imported}
		b := &pgx.Batch{}
		out.queue(b)
		return out.finish(ctx, b)
	})
}

// Imports lists the imports of the identity's owner, without one those of several owners, and with AnyOwner all; newest first,
// without their progress.
func (s *Store) Imports(ctx context.Context, id memory.Identity, p Page) (Listed[Import], error) {
	if err := requireAgent(id); err != nil {
		return Listed[Import]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[Import]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[Import], error) {
		var found []Import
		b := &pgx.Batch{}
		all(b.Queue(sqlImports, t.args(pgx.NamedArgs{"any": t.anyOwner, "at": from.at, "id": from.id, "limit": limit + 1})), &found, scanImport)
		if err := t.finish(ctx, b); err != nil {
			return Listed[Import]{}, err
		}
		return listed(found, limit, func(i Import) cursor { return cursor{at: i.CreatedAt, id: i.ID} }), nil
	})
}

package admin

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/indexes"
	"reverie/store/pg"
)

const (
	// The clock is the database's, so that those of the processes may differ.
	sqlLeaseTake = `
insert into leases (name, holder, leased_until)
values (@name, @holder, clock_timestamp() + @duration::interval)
on conflict (name) do update set
    holder = excluded.holder,
    leased_until = excluded.leased_until
where leases.holder = excluded.holder or leases.leased_until <= clock_timestamp()
returning name`

	sqlLeaseRelease = `update leases set leased_until = clock_timestamp() where name = @name and holder = @holder`
)

// Lead takes or renews a named lease for a holder, and reports whether the holder has it. It takes no identity because it concerns no
// tenant.
func (s *Admin) Lead(ctx context.Context, name, holder string, duration time.Duration) (bool, error) {
	sweep := &pg.Tx{Settings: pg.Settings{Purpose: pg.PurposeSweep}, Mode: pg.SQLBegin}
	return pg.Run(ctx, s.db, sweep, func(t *pg.Tx) (led bool, err error) {
		b := &pgx.Batch{}
		args := pgx.NamedArgs{"name": name, "holder": holder, "duration": duration}
		pg.Columns(b.Queue(sqlLeaseTake, args), &led, &name)
		err = t.Finish(ctx, b)
		return led, err
	})
}

// Resign ends a holder's lease, so that another one can take it at once.
func (s *Admin) Resign(ctx context.Context, name, holder string) error {
	sweep := &pg.Tx{Settings: pg.Settings{Purpose: pg.PurposeSweep}, Mode: pg.SQLBegin}
	_, err := pg.Run(ctx, s.db, sweep, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlLeaseRelease, pgx.NamedArgs{"name": name, "holder": holder})
		return none, t.Finish(ctx, b)
	})
	return err
}

// OpenRecord refers to a record that a workflow has opened and not ended.
type OpenRecord struct {
	indexes.AgentRef
	Kind string // of OpenRun
	ID   uuid.UUID
}

const (
	sqlOpenExtractions = `
update extractions x set leased_until = @until
where (x.workspace_id, x.agent_id, x.extraction_id) in (
    select workspace_id, agent_id, extraction_id
    from extractions
    where finished_at is null and greatest(started_at, leased_until) < @before
    order by greatest(started_at, leased_until)
    limit @limit
    for no key update skip locked)
returning x.workspace_id, x.agent_id, 'extraction', x.extraction_id`

	sqlOpenFlushes = `
update flushes x set leased_until = @until
where (x.workspace_id, x.agent_id, x.flush_id) in (
    select workspace_id, agent_id, flush_id
    from flushes
    where outcome = 'running' and greatest(opened_at, leased_until) < @before
    order by greatest(opened_at, leased_until)
    limit @limit
    for no key update skip locked)
returning x.workspace_id, x.agent_id, 'flush', x.flush_id`

	sqlOpenCompactions = `
update compactions x set leased_until = @until
where (x.workspace_id, x.agent_id, x.compaction_id) in (
    select workspace_id, agent_id, compaction_id
    from compactions
    where outcome = 'running' and greatest(started_at, leased_until) < @before
    order by greatest(started_at, leased_until)
    limit @limit
    for no key update skip locked)
returning x.workspace_id, x.agent_id, 'compaction', x.compaction_id`

	sqlOpenDreams = `
update dreams x set leased_until = @until
where (x.workspace_id, x.agent_id, x.dream_id) in (
    select workspace_id, agent_id, dream_id
    from dreams
    where finished_at is null and greatest(started_at, leased_until) < @before
    order by greatest(started_at, leased_until)
    limit @limit
    for no key update skip locked)
returning x.workspace_id, x.agent_id, 'dream', x.dream_id`
)

// OpenRecords takes open records of all workspaces, of each kind at most l.Limit, longest open first. It returns references only, and
// takes no identity because the sweep works for the deployment.
func (s *Admin) OpenRecords(ctx context.Context, l pg.Lease) ([]OpenRecord, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[OpenRecord], sqlOpenExtractions, sqlOpenFlushes, sqlOpenCompactions, sqlOpenDreams)
}

// OpenRun returns an open record of the identity's agent, or ErrNotFound when it has ended.
func (s *Admin) OpenRun(ctx context.Context, id memory.Identity, kind string, record uuid.UUID) (OpenRun, error) {
	if err := pg.RequireTender(id); err != nil {
		return OpenRun{}, err
	}
	if err := pg.RequireAgent(id); err != nil {
		return OpenRun{}, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlOpenRun, pgx.NamedArgs{"kind": kind, "record": record}, scanOpenRun, pg.ErrNotFound)
}

// JournalHolder is an open transaction of this database that may still write: the journal shows no event of transactions that began
// beside it.
type JournalHolder struct {
	Transaction string // its number
	Process     int    // of the server; 0: a prepared transaction
	Application string // as its connection names it; of a prepared transaction, its name
	// Since is the time when it began; nil: the login of the tables' owner may not see it, because it belongs to another login.
	Since *time.Time
}

const sqlJournalHolders = `
select transaction, process, application, since
from reverie_journal_holders()
order by since, transaction`

// JournalHolders lists the open transactions, oldest first, those without a time at the end. It takes no identity because it concerns no
// tenant.
func (s *Admin) JournalHolders(ctx context.Context) ([]JournalHolder, error) {
	return pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBeginRead}, func(t *pg.Tx) (holders []JournalHolder, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlJournalHolders), &holders, pgx.RowToStructByPos[JournalHolder])
		err = t.Finish(ctx, b)
		return holders, err
	})
}

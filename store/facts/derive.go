package facts

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/store/pg"
)

const (
	// Visible documents whose facts are out of date.
	sqlBehind = `
select d.document_id, d.agent_id, d.scope, d.owner_key, reverie_tends(d.agent_id, d.scope, d.owner_key)
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (
    select distinct document_id, agent_id, scope, owner_key
    from fact_due
    where workspace_id = @workspace and agent_id = p.agent and scope = p.scope and owner_key = p.owner and version >= 0
    order by document_id
    limit @limit
) d
limit @limit`

	// The same of all owners of an agent (without one: GLOBAL documents).
	sqlBehindAll = `
select distinct document_id, agent_id, scope, owner_key, true
from fact_due
where workspace_id = @workspace and agent_id = @agent
order by document_id
limit @limit`

	sqlMarkAll = `
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
select workspace_id, agent_id, scope, owner_key, document_id, 0
from documents
where workspace_id = @workspace and agent_id = @agent and version > 0
on conflict do nothing`

	sqlForgetFormat = `
update fact_documents set format = '' where workspace_id = @workspace and agent_id = @agent and format <> ''`

	// After a change of a document's versions, its facts are removed at once and derived again from the first version.
	sqlAnewDrop = `
with gone as (
    delete from facts
    where workspace_id = @workspace and agent_id = @agent and document_id = @document
)
update fact_documents set format = '' where workspace_id = @workspace and agent_id = @agent and document_id = @document and format <> ''`

	// Claims of forgotten statements lose their values at once. The next derivation removes their keys.
	sqlUnsay = `
with gone as (
    delete from fact_claims
    where workspace_id = @workspace and agent_id = @agent and document_id = @document
        and (@entries::text[] is null or entry_id = any (@entries::text[]))
    returning *
)
insert into fact_claims (workspace_id, agent_id, scope, owner_key, claim, document_id, entry_id, said)
select workspace_id, agent_id, scope, owner_key, claim, document_id, entry_id, '{}'
from gone`

	// The progress of a document: the last version that this reader has read, or 0, and the first version whose statements must still be
	// compared with those of other people.
	sqlState = `
select d.path, coalesce(f.version, 0), (
        select coalesce(-max(version), 0)
        from fact_due
        where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
            and version < 0
    )
from documents d
left join lateral (
    select version
    from fact_documents f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = d.document_id and f.format = @format
    limit 1
) f on true
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @owner and d.document_id = @document`

	// Facts of another reader are removed. Their words are weighed again in other documents.
	sqlDrop = `
with gone as (
    delete from facts
    where workspace_id = @workspace and agent_id = @agent and document_id = @document and @format is distinct from (
        select f.format
        from fact_documents f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = @document
    )
    returning entry_id
), claims as (
    delete from fact_claims
    where workspace_id = @workspace and agent_id = @agent and document_id = @document and @format is distinct from (
        select f.format
        from fact_documents f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = @document
    )
    returning claim
)
select distinct entry_id, '' from gone
union all
select '', claim from claims`

	// Starts at the last version that was read: it is the base of the next one.
	sqlVersions = `
select version, deleted, content, author_kind, author_id, created_at, sources
from document_versions
where workspace_id = @workspace and agent_id = @agent and document_id = @document and version >= greatest(@after, (
        select f.version
        from fact_documents f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = @document and f.format = @format
    ))
order by version
limit @limit`

	sqlRead = `
insert into fact_documents (workspace_id, agent_id, scope, owner_key, document_id, version, format)
values (@workspace, @agent, @scope, @owner, @document, @version, @format)
on conflict (workspace_id, agent_id, document_id) do update set version = excluded.version, format = excluded.format`

	sqlUnmark = `
delete from fact_due
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
    and version between @from and @version`
)

const (
	// versionsAtOnce is the number of versions that are read at once. A version has up to 1 MiB.
	versionsAtOnce = 50
	// behindAtOnce is the number of documents that a read updates before it answers.
	behindAtOnce = 50
)

// behind is a document whose facts are out of date.
type behind struct {
	Document
	tends bool // the identity may write its facts
}

func scanBehind(row pgx.CollectableRow) (d behind, err error) {
	err = row.Scan(&d.ID, &d.Agent, &d.Scope, &d.Owner, &d.tends)
	return d, err
}

// upToDate runs read, which fills late from sqlBehind. If there are documents whose facts the identity may derive, it derives them and
// runs read again.
func upToDate[T any](ctx context.Context, s *Facts, id memory.Identity, read func(t *pg.Tx, late *[]behind) (T, error)) (T, error) {
	if s.db.FactsOff() {
		var none T
		return none, pg.ErrFactsOff
	}
	for again := false; ; again = true {
		var late []behind
		result, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (T, error) {
			late = nil
			return read(t, &late)
		})
		if again || ctx.Err() != nil {
			return result, err
		}
		if derived, problem := CatchUp(ctx, s, id, late); problem != nil || !derived {
			return result, cmp.Or(problem, err)
		}
	}
}

// CatchUp derives the facts of those documents that the identity may write, and reports whether there were any.
func CatchUp(ctx context.Context, s *Facts, id memory.Identity, late Late) (derived bool, err error) {
	for _, d := range late {
		if d.tends {
			derived = true
			if err := s.derive(ctx, id, d.Document); err != nil {
				return derived, err
			}
		}
	}
	return derived, nil
}

// queueBehind queues reading the documents whose facts are out of date.
func queueBehind(b *pgx.Batch, t *pg.Tx, late *[]behind) {
	pg.All(b.Queue(sqlBehind, t.Args(pgx.NamedArgs{"limit": behindAtOnce})), late, scanBehind)
}

// DeriveFacts derives the facts of up to limit documents of the identity's agent (without an agent: of the workspace's GLOBAL
// documents) that have changed or must be read again, and reports whether there were that many. It requires an admin who reads every
// owner.
func (s *Facts) DeriveFacts(ctx context.Context, id memory.Identity, limit int) (more bool, err error) {
	if err := pg.RequireTender(id); err != nil {
		return false, err
	}
	if s.db.FactsOff() {
		return false, pg.ErrFactsOff
	}
	late, err := pg.ReadAll(ctx, s.db, id, sqlBehindAll, pgx.NamedArgs{"limit": limit}, scanBehind)
	for _, d := range late {
		if err := s.derive(ctx, id, d.Document); err != nil {
			return false, err
		}
	}
	return len(late) == limit, err
}

// RebuildFacts marks all documents of the identity's agent (without an agent: the workspace's GLOBAL documents) to be read again from
// their first version. Facts stay unchanged until DeriveFacts or a reader derives their document. The result is the same, unless somebody
// changed rows past the gate, or the derivation has changed. It requires an admin who reads every owner.
func (s *Facts) RebuildFacts(ctx context.Context, id memory.Identity) error {
	if err := pg.RequireTender(id); err != nil {
		return err
	}
	if s.db.FactsOff() {
		return pg.ErrFactsOff
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlForgetFormat, t.Args(nil))
		b.Queue(sqlMarkAll, t.Args(nil))
		return none, t.Finish(ctx, b)
	})
	return err
}

// QueueAnew queues dropping the facts of a document whose versions have changed, and the note that they are to be derived again.
func (d Document) QueueAnew(b *pgx.Batch, t *pg.Tx) {
	b.Queue(sqlAnewDrop, d.args(t, nil))
	b.Queue(sqlUnsay, d.args(t, pgx.NamedArgs{"entries": nil}))
	b.Queue(sqlMark, d.args(t, pgx.NamedArgs{"version": 0}))
}

// QueueUnsay queues removing the values of claims of statements that the same transaction removes from the document.
func (d Document) QueueUnsay(b *pgx.Batch, t *pg.Tx, entries []string) {
	b.Queue(sqlUnsay, d.args(t, pgx.NamedArgs{"entries": entries}))
}

// derive brings the facts of a document up to its version, in one transaction.
func (s *Facts) derive(ctx context.Context, id memory.Identity, d Document) error {
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		var gone []string
		var changed news
		found, derived := false, 0
		b := &pgx.Batch{}
		b.Queue(sqlLock, d.args(t, nil))
		pg.Columns(b.Queue(sqlState, d.args(t, pgx.NamedArgs{"format": format})), &found, &d.Path, &derived, &changed.since)
		var dropped []drop
		pg.All(b.Queue(sqlDrop, d.args(t, pgx.NamedArgs{"format": format})), &dropped, pgx.RowToStructByPos[drop])
		last := 0
		var history *facts.History
		for {
			var versions []memory.Version
			pg.All(b.Queue(sqlVersions, d.args(t, pgx.NamedArgs{"after": last, "limit": versionsAtOnce, "format": format})), &versions, scanVersion)
			if err := t.Send(ctx, b); err != nil {
				return none, err
			}
			b = &pgx.Batch{}
			for _, v := range versions {
				if v.Number == last {
					continue
				}
				if v.Deleted {
					v.Content = ""
				}
				if v.Number <= derived {
					history = facts.NewHistory(d.Path, v.Content)
				} else {
					if history == nil {
						history = facts.NewHistory(d.Path, "")
					}
					step{
						version: v.Number, diff: history.Next(v.Content), author: v.Author, at: v.CreatedAt, lines: v.Sources.Lines,
					}.queue(b, t, d, &changed)
				}
				last = v.Number
			}
			if len(versions) < versionsAtOnce {
				break
			}
		}
		for _, f := range dropped {
			gone, changed.gone = append(gone, f.Entry), append(changed.gone, f.Claim)
		}
		b.Queue(sqlWeigh, d.args(t, pgx.NamedArgs{"entries": gone}))
		b.Queue(sqlRead, d.args(t, pgx.NamedArgs{"version": last, "format": format}))
		b.Queue(sqlUnmark, d.args(t, pgx.NamedArgs{"from": d.firstMark(id), "version": last}))
		if err := d.contradict(ctx, t, b, &changed, derived); err != nil {
			return none, err
		}
		return none, t.Finish(ctx, b)
	})
	return err
}

// drop is a statement or claim whose row is removed because another release derived it.
type drop struct{ Entry, Claim string }

func scanVersion(row pgx.CollectableRow) (v memory.Version, err error) {
	err = row.Scan(&v.Number, &v.Deleted, &v.Content, &v.Author.Kind, &v.Author.ID, &v.CreatedAt, &v.Sources)
	return v, err
}

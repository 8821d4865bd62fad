package facts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/store/pg"
)

// withdrawnAtMost bounds the statements that a document has no longer and that are looked at, the latest ones.
const withdrawnAtMost = 500

// A fact that goes on in other words, or that another document of the same people still has, is not withdrawn. Daily notes are records of
// their days: they withdraw and confirm nothing.
const sqlWithdrawn = `
select w.text, w.at
from unnest(@paths::text[]) d (path)
cross join lateral (
    select document_id
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose and path = d.path
    limit 1
) i
cross join lateral (
    select f.text, coalesce(f.ended_at, f.at) as at
    from (
        select fact_id, entry_id, text, ended_at, at
        from facts
        where workspace_id = @workspace and agent_id = @agent and document_id = i.document_id and (ended is not null or archived)
        order by coalesce(ended_at, at) desc
        limit @limit
    ) f
    left join lateral (
        select true as stays
        from facts o
        where o.fact_id = f.fact_id and o.workspace_id = @workspace and o.ended is null and not o.archived
        order by o.fact_id, o.version desc
        limit 1
    ) same on true
    left join lateral (
        select true as stays
        from facts o
        where o.workspace_id = @workspace and o.agent_id = @agent and o.scope = @scope and o.owner_key = @whose
            and o.entry_id = f.entry_id and o.ended is null and not o.archived and o.place <> @notes
        limit 1
    ) elsewhere on true
    where same.stays is null and elsewhere.stays is null
) w`

// Withdrawn returns the statements that documents of a scope had and that no document but a daily note has now, with the times at which
// they were removed, as far as facts are derived: of the latest 500 of each document. It returns none while facts are switched off.
func (s *Facts) Withdrawn(ctx context.Context, id memory.Identity, scope memory.Scope, paths ...string) (map[string]time.Time, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	if s.db.FactsOff() {
		return nil, nil
	}
	owner := memory.NoOwner
	if scope == memory.ScopePersonal {
		owner = id.Owner
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (out map[string]time.Time, err error) {
		var text string
		var at time.Time
		out = map[string]time.Time{}
		b := &pgx.Batch{}
		b.Queue(sqlWithdrawn, t.Args(pgx.NamedArgs{
			"scope": scope, "whose": owner, "paths": paths, "notes": facts.NotesRank, "limit": withdrawnAtMost,
		})).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&text, &at}, func() error {
				if at.After(out[text]) {
					out[text] = at
				}
				return nil
			})
			return err
		})
		queueBehind(b, t, late)
		return out, t.Finish(ctx, b)
	})
}

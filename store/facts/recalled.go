package facts

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// Recalled is a current fact that search results contained.
type Recalled struct {
	Fact

	At []time.Time // when, in order
}

// maxRecalled is the number of facts that Recalled lists.
const maxRecalled = 50

// The facts of statements that the owner's searches found in a period.
const sqlRecalled = `
select b.*, r.at, d.path
from (
    select e.entry, array_agg(r.at order by r.at) as at
    from recalls r
    cross join lateral unnest(r.entries) e (entry)
    where r.workspace_id = @workspace and r.agent_id = @agent and r.owner_key = @owner and not r.synthetic and r.at between @from and @to
    group by e.entry
    order by max(r.at) desc, e.entry
    limit @limit
) r
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = @scope and f.owner_key = @of and f.ended is null
        and f.shown and f.entry_id = r.entry
    limit 1
) b` + pathOf

// Recalled lists the facts of a scope in results of searches of the identity's owner in a period, the latest 50.
func (s *Facts) Recalled(ctx context.Context, id memory.Identity, scope memory.Scope, from, to time.Time) ([]Recalled, error) {
	if err := pg.RequireOwner(id); err != nil {
		return nil, err
	}
	owner := memory.NoOwner
	if scope == memory.ScopePersonal {
		owner = id.Owner
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (found []Recalled, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlRecalled, t.Args(pgx.NamedArgs{"scope": scope, "of": owner, "from": from, "to": to, "limit": maxRecalled})), &found,
			func(row pgx.CollectableRow) (r Recalled, err error) {
				r.Fact, err = scan(row, &r.At)
				return r, err
			})
		queueBehind(b, t, late)
		return found, t.Finish(ctx, b)
	})
}

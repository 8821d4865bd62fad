package facts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/store/pg"
)

// disagreementsAtOnce is the number of disagreements, the latest ones, that are looked for in what is shown.
const disagreementsAtOnce = 100

var sqlDisagreements = `
select a.text, b.text, k.resolution = 'SUPERSEDED'
from (values ('PERSONAL', @owner), ('TEAM', '')) p (scope, owner)
cross join lateral (
    select *
    from fact_contradictions k
    where k.workspace_id = @workspace and k.agent_id = @agent and k.scope = p.scope and k.owner_key = p.owner
        and k.resolution in ('', 'SUPERSEDED')
    order by k.found_at desc, k.contradiction_id
    limit @disagreements
) k
cross join lateral (` + fmt.Sprintf(sideText, "a") + `) a
cross join lateral (` + fmt.Sprintf(sideText, "b") + `) b`

const sideText = `
    select f.text
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = k.scope_%[1]s
        and f.owner_key = case k.scope_%[1]s when 'PERSONAL' then k.owner_key else '' end and f.ended is null
        and f.entry_id = k.entry_%[1]s and not f.archived
    limit 1
`

// QueueDisagreements queues reading the disagreements that the identity sees and nobody has decided, as far as they have been found.
func QueueDisagreements(b *pgx.Batch, t *pg.Tx, to *[]facts.Disagreement) {
	if t.FactsOff {
		return
	}
	pg.All(b.Queue(sqlDisagreements, t.Args(pgx.NamedArgs{"disagreements": disagreementsAtOnce})), to, pgx.RowToStructByPos[facts.Disagreement])
}

// Disagreements returns what QueueDisagreements reads.
func (s *Facts) Disagreements(ctx context.Context, id memory.Identity) ([]facts.Disagreement, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (all []facts.Disagreement, err error) {
		b := &pgx.Batch{}
		QueueDisagreements(b, t, &all)
		err = t.Finish(ctx, b)
		return all, err
	})
}

package facts

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/store/pg"
)

// Doubt is a current statement that was called unhelpful.
type Doubt struct {
	Document uuid.UUID
	Text     string
	Trust    float64 // without age
}

// maxDoubts bounds the doubted statements of one partition that a search considers.
const maxDoubts = 500

const sqlDoubted = `
select f.document_id, f.text, f.source, f.helpful, f.unhelpful, f.days
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (
    select *
    from facts
    where workspace_id = @workspace and agent_id = p.agent and scope = p.scope and owner_key = p.owner and ended is null and unhelpful > 0
    order by document_id
    limit @limit
) f`

// Doubted returns the statements that were called unhelpful, as far as they are derived. There are none where facts are switched off.
func (s *Facts) Doubted(ctx context.Context, id memory.Identity) ([]Doubt, error) {
	if s.db.FactsOff() {
		return nil, nil
	}
	return pg.ReadAll(ctx, s.db, id, sqlDoubted, pgx.NamedArgs{"limit": maxDoubts}, func(row pgx.CollectableRow) (d Doubt, err error) {
		e := facts.Evidence{HalfLife: facts.Lasting}
		err = row.Scan(&d.Document, &d.Text, &e.Source, &e.Helpful, &e.Unhelpful, &e.Days)
		d.Trust = e.Trust(e.Seen)
		return d, err
	})
}

package facts

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/store/pg"
)

// Doubt is a current statement that was called unhelpful, or whose last day is past.
type Doubt struct {
	Document uuid.UUID
	Text     string
	Trust    float64 // without age; of what is over 0
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

const sqlExpired = `
select f.document_id, f.text
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (
    select *
    from facts
    where workspace_id = @workspace and agent_id = p.agent and scope = p.scope and owner_key = p.owner and ended is null
        and valid_to <= @now::timestamptz - interval '1 day'
    order by valid_to desc
    limit @limit
) f`

// Beliefs hold doubts and disagreements about the statements that an identity sees, as far as they are derived.
type Beliefs struct {
	Disagreements facts.Disagreements
	Doubted       []Doubt // statements that were called unhelpful, or are over
	Late          Late    // documents whose facts are out of date
}

// Queue queues reading the beliefs. There are none where facts are switched off.
func (s *Beliefs) Queue(b *pgx.Batch, t *pg.Tx) {
	if t.FactsOff {
		return
	}
	QueueDisagreements(b, t, &s.Disagreements)
	queueBehind(b, t, (*[]behind)(&s.Late))
	pg.All(b.Queue(sqlExpired, t.Args(pgx.NamedArgs{"limit": maxDoubts})), &s.Doubted, func(row pgx.CollectableRow) (d Doubt, err error) {
		err = row.Scan(&d.Document, &d.Text)
		return d, err
	})
	pg.All(b.Queue(sqlDoubted, t.Args(pgx.NamedArgs{"limit": maxDoubts})), &s.Doubted, func(row pgx.CollectableRow) (d Doubt, err error) {
		e := facts.Evidence{HalfLife: facts.Lasting}
		err = row.Scan(&d.Document, &d.Text, &e.Source, &e.Helpful, &e.Unhelpful, &e.Days)
		d.Trust = e.Trust(e.Seen)
		return d, err
	})
}

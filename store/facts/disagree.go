package facts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/store/pg"
)

const (
	// disagreementsAtOnce is the number of latest disagreements that are read with an answer.
	disagreementsAtOnce = 100
	// disagreementsOfPage and maxPages bound the search for earlier ones.
	disagreementsOfPage = 1000
	maxPages            = 20
	// derivePatience bounds the derivation of facts before an answer.
	derivePatience = time.Second
)

// A side that is no longer in any document is empty.
var sqlDisagreements = `
select k.found_at, k.contradiction_id, coalesce(a.text, ''), coalesce(b.text, ''), k.resolution = 'SUPERSEDED'
from (values ('PERSONAL', @owner), ('TEAM', '')) p (scope, owner)
cross join lateral (
    select *
    from fact_contradictions k
    where k.workspace_id = @workspace and k.agent_id = @agent and k.scope = p.scope and k.owner_key = p.owner
        and k.resolution in ('', 'SUPERSEDED') and (k.found_at < @before or k.found_at = @before and k.contradiction_id > @after)
    order by k.found_at desc, k.contradiction_id
    limit @limit
) k
left join lateral (` + fmt.Sprintf(sideText, "a") + `) a on true
left join lateral (` + fmt.Sprintf(sideText, "b") + `) b on true
order by k.found_at desc, k.contradiction_id
limit @limit`

const sideText = `
    select f.text
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = k.scope_%[1]s
        and f.owner_key = case k.scope_%[1]s when 'PERSONAL' then k.owner_key else '' end and f.ended is null
        and f.entry_id = k.entry_%[1]s and not f.archived
    limit 1
`

// QueueDisagreements queues reading the latest disagreements that the identity sees and nobody has decided, as far as they have been
// found.
func QueueDisagreements(b *pgx.Batch, t *pg.Tx, to *facts.Disagreements) {
	if t.FactsOff {
		return
	}
	before, after, _ := parseMoment("") // the first place has no error
	b.Queue(sqlDisagreements, t.Args(pgx.NamedArgs{"before": before, "after": after, "limit": disagreementsAtOnce})).Query(
		func(rows pgx.Rows) (err error) {
			var page []disagreement
			page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[disagreement])
			to.Latest, to.More = inDocuments(page), len(page) == disagreementsAtOnce
			return err
		})
}

// disagreement is a row of sqlDisagreements.
type disagreement struct {
	At time.Time
	ID uuid.UUID
	facts.Disagreement
}

// inDocuments returns the disagreements of which both sides are in documents.
func inDocuments(page []disagreement) (all []facts.Disagreement) {
	for _, d := range page {
		if d.Older != "" && d.Newer != "" {
			all = append(all, d.Disagreement)
		}
	}
	return all
}

// Disagreements returns the disagreements that nobody has decided and of which the texts show both sides. It derives the facts of changed
// documents first, for at most derivePatience. Disagreements of documents that are not derived by then are missing.
func (s *Facts) Disagreements(ctx context.Context, id memory.Identity, texts ...string) ([]facts.Disagreement, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	if s.db.FactsOff() {
		return nil, nil
	}
	for again := false; ; again = true {
		var known facts.Disagreements
		var late []behind
		_, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
			b := &pgx.Batch{}
			QueueDisagreements(b, t, &known)
			queueBehind(b, t, &late)
			return none, t.Finish(ctx, b)
		})
		if err != nil {
			return nil, err
		}
		derived := false
		if !again {
			if derived, err = CatchUpSoon(ctx, s, id, late); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return nil, err
			}
		}
		if !derived {
			return s.DisagreementsWithin(ctx, id, known, texts...)
		}
	}
}

// CatchUpSoon is CatchUp within derivePatience. It leaves the remaining documents to the worker.
func CatchUpSoon(ctx context.Context, s *Facts, id memory.Identity, late Late) (derived bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, derivePatience)
	defer cancel()
	return CatchUp(ctx, s, id, late)
}

// DisagreementsWithin returns the disagreements of which the texts show both sides. known is the result of QueueDisagreements.
func (s *Facts) DisagreementsWithin(
	ctx context.Context, id memory.Identity, known facts.Disagreements, texts ...string,
) (all []facts.Disagreement, err error) {
	shown := facts.ShownIn(texts...)
	if !known.More {
		return shown.Both(known.Latest), nil
	}
	before, after, _ := parseMoment("")
	for range maxPages {
		page, err := pg.ReadAll(ctx, s.db, id, sqlDisagreements, pgx.NamedArgs{
			"before": before, "after": after, "limit": disagreementsOfPage,
		}, pgx.RowToStructByPos[disagreement])
		if err != nil {
			return nil, err
		}
		all = append(all, shown.Both(inDocuments(page))...)
		if len(page) < disagreementsOfPage {
			break
		}
		before, after = page[len(page)-1].At, page[len(page)-1].ID
	}
	return all, nil
}

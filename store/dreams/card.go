package dreams

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// Card is the report of the latest dream that changed what the owner sees, until the owner has seen it.
type Card struct {
	Dream Dream
	// Promoted are its statements, without those that were forgotten since.
	Promoted []CardStatement
}

// CardStatement is a statement of a card in its current form.
type CardStatement struct {
	Entry markdown.EntryID
	Text  string
	// Status is Confirmed or Edited when a person has decided about it.
	Status dream.Status
}

// maxCard is the number of statements of a card.
const maxCard = 50

const (
	sqlCardDream = dreamColumns + `x.diff, ''` + dreamFrom + `and x.owner_key = @of
    and x.outcome = 'written' and not x.dry_run and x.replay_of is null and x.reverted_at is null
order by x.dream_id desc
limit 1`

	sqlCardStatements = `
select c.body, coalesce(e.status, '')
from (
    select entry_id, rank, body
    from dream_candidates
    where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and verdict = @verdict
    order by rank
    limit @limit
) c
left join lateral (
    select e.status
    from dream_entries e
    where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @of
        and (e.entry_id = c.entry_id or c.entry_id = any (e.aliases))
    order by e.entry_id = c.entry_id desc, e.last_seen desc
    limit 1
) e on true
order by c.rank`

	sqlCardState = `
select coalesce(seen_id, '00000000-0000-0000-0000-000000000000'), coalesce(shown_on >= @day::date, false)
from morning_cards
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlCardSeen = `
insert into morning_cards (workspace_id, agent_id, owner_key, seen_id)
values (@workspace, @agent, @owner, @dream)
on conflict (workspace_id, agent_id, owner_key) do update
set seen_id = greatest(morning_cards.seen_id, excluded.seen_id)`

	sqlCardShown = `
insert into morning_cards (workspace_id, agent_id, owner_key, shown_on)
values (@workspace, @agent, @owner, @day::date)
on conflict (workspace_id, agent_id, owner_key) do update set shown_on = excluded.shown_on`
)

// MorningCard returns the card of the identity's owner: of the latest dream of their own memory or of the shared one. nil: there is none
// that they have not seen. With a day, none that a context has shown on it or later either.
func (s *Dreaming) MorningCard(ctx context.Context, id memory.Identity, day time.Time) (*Card, error) {
	if err := pg.RequireOwner(id); err != nil {
		return nil, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (*Card, error) {
		var own, shared Dream
		var isOwn, isShared, known, shown bool
		var seen uuid.UUID
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlCardDream, t.Args(pgx.NamedArgs{"of": id.Owner})), &isOwn, &own, scanDream)
		pg.One(b.Queue(sqlCardDream, t.Args(pgx.NamedArgs{"of": memory.SystemOwner})), &isShared, &shared, scanDream)
		pg.Columns(b.Queue(sqlCardState, t.Args(pgx.NamedArgs{"day": day.Format(time.DateOnly)})), &known, &seen, &shown)
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		card := Card{Dream: own}
		if !isOwn || isShared && later(shared.ID, own.ID) {
			card.Dream = shared
		}
		if !isOwn && !isShared || known && (!later(card.Dream.ID, seen) || shown && !day.IsZero()) {
			return nil, t.Finish(ctx, &pgx.Batch{})
		}
		var found []CardStatement
		b = &pgx.Batch{}
		pg.All(b.Queue(sqlCardStatements, t.Args(pgx.NamedArgs{
			"dream": card.Dream.ID, "of": card.Dream.Owner, "verdict": dream.VerdictPromoted, "limit": maxCard,
		})), &found, scanCardStatement)
		err := t.Finish(ctx, b)
		for _, c := range found {
			if c.Status != dream.Forgotten && !strings.Contains(c.Text, memory.Erased) {
				card.Promoted = append(card.Promoted, c)
			}
		}
		return &card, err
	})
}

func scanCardStatement(row pgx.CollectableRow) (c CardStatement, err error) {
	var said dream.Candidate
	err = row.Scan(&said, &c.Status)
	c.Entry, c.Text = said.ID, said.Text
	if said.Edited != "" {
		c.Text = said.Edited
	}
	if c.Status == dream.Promoted || c.Status == dream.Open {
		c.Status = ""
	}
	return c, err
}

// later reports whether an id, a UUIDv7, was made after another one.
func later(a, b uuid.UUID) bool { return bytes.Compare(a[:], b[:]) > 0 }

// SeeMorningCard records that the identity's owner has seen the card of a dream. The error is ErrNotFound for a dream of somebody else.
func (s *Dreaming) SeeMorningCard(ctx context.Context, id memory.Identity, dreamID uuid.UUID) error {
	if err := pg.RequireOwner(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		var d Dream
		found := false
		b := &pgx.Batch{}
		queueReport(b, t, dreamID, &d, &found)
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		if !found || d.Owner != id.Owner && d.Owner != memory.SystemOwner {
			return none, fmt.Errorf("morning card %s: %w", dreamID, pg.ErrNotFound)
		}
		b = &pgx.Batch{}
		b.Queue(sqlCardSeen, t.Args(pgx.NamedArgs{"dream": dreamID}))
		return none, t.Finish(ctx, b)
	})
	return err
}

// ShowMorningCard records that a context has shown a card to the identity's owner on a day.
func (s *Dreaming) ShowMorningCard(ctx context.Context, id memory.Identity, day time.Time) error {
	if err := pg.RequireOwner(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlCardShown, t.Args(pgx.NamedArgs{"day": day.Format(time.DateOnly)}))
		return none, t.Finish(ctx, b)
	})
	return err
}

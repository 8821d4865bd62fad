package facts

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// listsFrom is the number of simultaneous values that makes a claim of the same people a list instead of a contradiction. Only current
// statements count. Ten values make 45 pairs to compare.
const listsFrom = 11

// sizedAtMost bounds the statements that are counted to decide whether a claim is a list.
const sizedAtMost = 1000

// listedAtMost bounds the contradictions that are removed when their claim becomes a list.
const listedAtMost = 10_000

const (
	sqlUnclaim = `
delete from fact_claims
where workspace_id = @workspace and agent_id = @agent and document_id = @document and entry_id = any (@entries::text[])
returning claim`

	// The number of simultaneous values of claims.
	sqlSizes = `
select n.scope, n.owner, n.claim, o.size
from unnest(@scopes::text[], @owners::text[], @claims::text[]) n (scope, owner, claim)
cross join lateral (
    select count(distinct o.said - 'c' - 'y')::int as size
    from (
        select said
        from fact_claims o
        where o.workspace_id = @workspace and o.agent_id = @agent and o.scope = n.scope and o.claim = n.claim and o.owner_key = n.owner
        order by o.document_id, o.entry_id
        limit @sized
    ) o
) o`

	// Contradictions whose claim has become a list are removed, unless somebody has decided them. Other claims of the same statements may
	// still contradict one another.
	sqlListed = `
select l.contradiction_id, f.document_id, f.entry_id
from unnest(@hashes::text[]) n (claim_hash)
cross join lateral (
    select *
    from fact_contradictions k
    where k.workspace_id = @workspace and k.agent_id = @agent and k.claim_hash = n.claim_hash and k.resolution in ('', 'SUPERSEDED')
        and @scope in (k.scope_a, k.scope_b) and (@scope = 'TEAM' or k.owner_key = @owner)
    limit @limit
) l
cross join lateral (values (l.scope_a, l.entry_a), (l.scope_b, l.entry_b)) s (scope, entry)
left join lateral (
    select document_id, entry_id
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = @scope and f.owner_key = @owner and f.ended is null
        and f.entry_id = s.entry and s.scope = @scope
    limit @limit
) f on true`

	sqlUnlist = `
delete from fact_contradictions
where workspace_id = @workspace and agent_id = @agent and contradiction_id = any (@ids::uuid[]) and resolution in ('', 'SUPERSEDED')`

	// The statements of claims that are no longer lists.
	sqlClaiming = `
select o.document_id, o.entry_id
from unnest(@claims::text[]) n (claim)
cross join lateral (
    select document_id, entry_id
    from fact_claims o
    where o.workspace_id = @workspace and o.agent_id = @agent and o.scope = @scope and o.claim = n.claim and o.owner_key = @owner
    order by o.document_id, o.entry_id
    limit @limit
) o`
)

// news are the claims of a document that have changed.
type news struct {
	fresh []claimed
	gone  []string // claims, once for each statement; complete when what is asked was sent
	asked bool
	since int // version from which on statements are still to be compared with those of other people; 0: none are
}

// side is a statement in a document.
type side struct {
	Document uuid.UUID
	Entry    string
}

func columnsOf(sides []side) (documents []uuid.UUID, entries []string) {
	for _, s := range sides {
		documents, entries = append(documents, s.Document), append(entries, s.Entry)
	}
	return documents, entries
}

func scanClaimed(row pgx.CollectableRow) (c claimed, err error) {
	err = row.Scan(&c.claim, &c.entry)
	return c, err
}

// queueGone queues removing the claims of statements that a version removes or changes.
func (n *news) queueGone(b *pgx.Batch, t *pg.Tx, doc Document, diff facts.Difference) {
	was := make([]markdown.EntryID, 0, len(diff.Gone)+len(diff.Edited))
	was = append(was, diff.Gone...)
	for _, e := range diff.Edited {
		was = append(was, e.Was)
	}
	if len(was) == 0 || doc.Scope == memory.ScopeGlobal {
		return
	}
	n.asked = true
	found := false
	pg.WithRow(b.Queue(sqlUnclaim, doc.args(t, pgx.NamedArgs{"entries": pg.TextsOf(was)})), &found, func(row pgx.CollectableRow) error {
		claim, err := pgx.RowTo[string](row)
		n.gone = append(n.gone, claim)
		return err
	})
}

// queueClaims queues storing claims.
func (n *news) queueClaims(b *pgx.Batch, t *pg.Tx, doc Document, claims []claimed) {
	if len(claims) == 0 || doc.Scope == memory.ScopeGlobal {
		return
	}
	var keys, entries []string
	var saids [][]byte
	for _, c := range claims {
		keys, entries, saids = append(keys, c.claim), append(entries, c.entry), append(saids, c.said)
	}
	b.Queue(sqlClaims, doc.args(t, pgx.NamedArgs{"claims": keys, "entries": entries, "saids": saids}))
	n.fresh = append(n.fresh, claims...)
}

// lists removes the contradictions found so far for the changed claims that are lists, and returns these claims and the statements to
// compare: new ones, those of claims that are no longer lists, and those whose contradictions were removed. With mark, the worker also
// compares their documents with other people.
func (n *news) lists(ctx context.Context, t *pg.Tx, b *pgx.Batch, d Document, mark bool) (lists []string, sides []side, err error) {
	if n.asked {
		if err := t.Send(ctx, b); err != nil {
			return nil, nil, err
		}
		*b = pgx.Batch{}
	}
	gone := map[string]int{}
	var claims []string
	for _, claim := range n.gone {
		if gone[claim]++; !strings.HasPrefix(claim, claimOfTopic) {
			claims = append(claims, claim)
		}
	}
	for _, c := range n.fresh {
		sides = append(sides, side{d.ID, c.entry})
		if !strings.HasPrefix(c.claim, claimOfTopic) {
			claims = append(claims, c.claim)
		}
	}
	slices.Sort(claims)
	sizes := map[sized]int{}
	var ask []sized
	for _, claim := range slices.Compact(claims) {
		ask = append(ask, sized{d.Scope, d.Owner, claim})
	}
	queueSizes(b, t, d, ask, sizes)
	if err := t.Send(ctx, b); err != nil {
		return nil, nil, err
	}
	*b = pgx.Batch{}
	lists = []string{}
	var shrunk []string
	for _, s := range ask {
		switch size := sizes[s]; {
		case size >= listsFrom:
			lists = append(lists, s.claim)
		case size+gone[s.claim] >= listsFrom:
			shrunk = append(shrunk, s.claim)
		}
	}
	var more []side
	if len(lists) > 0 {
		var gone []uuid.UUID
		found := false
		hashes := make([]string, len(lists))
		for i, claim := range lists {
			hashes[i] = claimHash(claim)
		}
		pg.WithRow(b.Queue(sqlListed, d.args(t, pgx.NamedArgs{"hashes": hashes, "limit": listedAtMost})), &found, func(row pgx.CollectableRow) error {
			var id uuid.UUID
			var document *uuid.UUID
			var entry *string
			err := row.Scan(&id, &document, &entry)
			gone = append(gone, id)
			if document != nil && entry != nil {
				more = append(more, side{*document, *entry})
			}
			return err
		})
		if err := t.Send(ctx, b); err != nil {
			return nil, nil, err
		}
		*b = pgx.Batch{}
		if len(gone) > 0 {
			b.Queue(sqlUnlist, d.args(t, pgx.NamedArgs{"ids": gone}))
		}
	}
	if len(shrunk) > 0 {
		var all []side
		pg.All(b.Queue(sqlClaiming, d.args(t, pgx.NamedArgs{"claims": shrunk, "limit": rivalsAtMost})), &all, pgx.RowToStructByPos[side])
		if err := t.Send(ctx, b); err != nil {
			return nil, nil, err
		}
		*b = pgx.Batch{}
		more = append(more, all...)
	}
	if mark {
		for _, s := range more {
			other := d
			other.ID = s.Document
			other.queueLeft(b, t, 1)
		}
	}
	sides = append(sides, more...)
	slices.SortFunc(sides, func(a, b side) int { return strings.Compare(a.Document.String()+a.Entry, b.Document.String()+b.Entry) })
	return lists, slices.Compact(sides), nil
}

// unlisted returns the new statements outside lists. A model is not asked about statements in lists.
func (n *news) unlisted(lists []string) (entries []string) {
	listed := map[string]bool{}
	for _, c := range n.fresh {
		listed[c.entry] = listed[c.entry] || slices.Contains(lists, c.claim)
	}
	for entry, is := range listed {
		if !is {
			entries = append(entries, entry)
		}
	}
	slices.Sort(entries)
	return entries
}

// sized is a claim of people.
type sized struct {
	Scope memory.Scope
	Owner memory.Owner
	claim string
}

// queueSizes queues counting the values of claims.
func queueSizes(b *pgx.Batch, t *pg.Tx, d Document, ask []sized, sizes map[sized]int) {
	if len(ask) == 0 {
		return
	}
	var scopes, owners, claims []string
	for _, s := range ask {
		scopes, owners, claims = append(scopes, string(s.Scope)), append(owners, string(s.Owner)), append(claims, s.claim)
	}
	found := false
	pg.WithRow(b.Queue(sqlSizes, t.Args(pgx.NamedArgs{
		"agent": d.Agent, "scopes": scopes, "owners": owners, "claims": claims, "sized": sizedAtMost,
	})), &found, func(row pgx.CollectableRow) error {
		var s sized
		var size int
		err := row.Scan(&s.Scope, &s.Owner, &s.claim, &size)
		sizes[s] = size
		return err
	})
}

// queueListed queues reading which claims of pairs with other people are lists. After the batch was sent, the returned function reports
// whether the claim of a pair is a list.
func queueListed(b *pgx.Batch, t *pg.Tx, d Document, pairs []pair) func(pair) bool {
	sizes := map[sized]int{}
	var ask []sized
	for _, p := range pairs {
		for _, r := range []rival{p.a, p.b} {
			s := sized{r.scope, r.owner, p.claim}
			if _, known := sizes[s]; !known && (r.scope != d.Scope || r.owner != d.Owner) {
				sizes[s] = 0
				ask = append(ask, s)
			}
		}
	}
	queueSizes(b, t, d, ask, sizes)
	return func(p pair) bool {
		return sizes[sized{p.a.scope, p.a.owner, p.claim}] >= listsFrom || sizes[sized{p.b.scope, p.b.owner, p.claim}] >= listsFrom
	}
}

package facts

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts/conflict"
	"reverie/memory"
	"reverie/store/pg"
)

// Resolution is the decision about two statements that contradict one another.
type Resolution string

// Resolutions. From KeepA on they are decisions of people.
const (
	Open       Resolution = ""
	Superseded Resolution = "SUPERSEDED" // the newer one says that something has changed, and counts
	Doubtful   Resolution = "DOUBTFUL"   // rules cannot decide whether they contradict one another; never listed
	Compatible Resolution = "COMPATIBLE" // a doubtful one that a model finds to be none; never listed
	KeepA      Resolution = "KEEP_A"
	KeepB      Resolution = "KEEP_B"
	Merge      Resolution = "MERGE"  // another statement takes the place of both
	Ignore     Resolution = "IGNORE" // both hold
)

// Contradiction is two statements that cannot both hold.
type Contradiction struct {
	ID         uuid.UUID
	Scope      memory.Scope // PERSONAL if one of the statements is
	A, B       Fact         // the older and the newer one
	Why        conflict.Why
	FoundAt    time.Time
	Resolution Resolution
	ResolvedAt time.Time     // zero: it is open
	Author     memory.Author // Kind and ID, of who resolved it; none if it was superseded automatically
}

// ContradictionState selects contradictions.
type ContradictionState string

// States.
const (
	StateOpen       ContradictionState = "open"
	StateDoubtful   ContradictionState = "doubtful"   // left to a model
	StateSuperseded ContradictionState = "superseded" // the older statement is still in its document
	StateResolved   ContradictionState = "resolved"
)

func (s ContradictionState) resolutions() []string {
	switch s {
	case StateDoubtful:
		return []string{string(Doubtful)}
	case StateSuperseded:
		return []string{string(Superseded)}
	case StateResolved:
		return []string{string(KeepA), string(KeepB), string(Merge), string(Ignore)}
	}
	return []string{string(Open)}
}

// current says that the statements of an open contradiction are in documents.
const current = `exists (
        select
        from facts f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = k.scope_%[1]s
            and f.owner_key = case k.scope_%[1]s when 'PERSONAL' then k.owner_key else '' end and f.ended is null
            and f.entry_id = k.entry_%[1]s and not f.archived
    )`

const (
	contradictionColumns = `
select k.contradiction_id, k.scope, k.owner_key, k.scope_a, k.entry_a, k.fact_a, k.scope_b, k.entry_b, k.fact_b, k.why, k.found_at,
    k.resolution, k.resolved_at, k.author_kind, k.author_id`

	// The current statement with the same words, or else the former one.
	sqlSides = selectFact + `, d.path
from unnest(@facts::uuid[], @scopes::text[], @owners::text[], @entries::text[]) n (fact_id, scope, owner, entry)
cross join lateral (
    select *
    from (
        (select *
        from facts c
        where c.workspace_id = @workspace and c.agent_id = @agent and c.scope = n.scope and c.owner_key = n.owner and c.ended is null
            and c.entry_id = n.entry
        order by c.shown desc, c.document_id
        limit 1)
        union all
        (select *
        from facts c
        where c.workspace_id = @workspace and c.agent_id = @agent and c.fact_id = n.fact_id
        order by c.version desc
        limit 1)
    ) c
    order by c.ended is not null
    limit 1
) f` + pathOf

	// Owners with pairs that wait for a model.
	sqlInDoubt = `
select k.scope, k.owner_key
from fact_contradictions k
where k.workspace_id = @workspace and k.agent_id = @agent and k.resolution = 'DOUBTFUL' and k.found_at > @since
group by k.scope, k.owner_key
order by k.scope, k.owner_key
limit @limit`

	sqlSettleDoubtful = `
update fact_contradictions set resolution = @resolution, resolved_at = case when @resolution <> '' then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and contradiction_id = any (@ids::uuid[]) and resolution = 'DOUBTFUL'`

	// Owners with recently superseded statements that are still in documents.
	sqlSupersededOwners = `
select k.scope, k.owner_key
from fact_contradictions k
cross join lateral (
    select f.source
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = k.scope_a and f.owner_key = k.owner_key and f.ended is null
        and f.entry_id = k.entry_a
    limit 1
) f
where k.workspace_id = @workspace and k.agent_id = @agent and k.resolution = 'SUPERSEDED' and k.found_at > @since
    and f.source not in ('person', 'edit')
group by k.scope, k.owner_key
order by k.scope, k.owner_key
limit @limit`

	sqlSettle = `
update fact_contradictions set resolution = @resolution, resolved_at = @now, author_kind = @author_kind, author_id = @author_id
where workspace_id = @workspace and agent_id = @agent and contradiction_id = @id
returning contradiction_id`
)

var (
	sqlContradictions = contradictionColumns + `
from (values ('PERSONAL', @owner), ('TEAM', '')) p (scope, owner)
cross join lateral (
    select *
    from fact_contradictions k
    where k.workspace_id = @workspace and k.agent_id = @agent and k.scope = p.scope and k.owner_key = p.owner
        and k.resolution = any (@resolutions::text[])
        and (k.found_at < @before or k.found_at = @before and k.contradiction_id > @after)
        and (@resolved or ` + fmt.Sprintf(current, "a") + ` and ` + fmt.Sprintf(current, "b") + `)
    order by k.found_at desc, k.contradiction_id
    limit @limit
) k
order by k.found_at desc, k.contradiction_id
limit @limit`

	sqlContradictionByID = contradictionColumns + `
from fact_contradictions k
where k.workspace_id = @workspace and k.agent_id = @agent and k.contradiction_id = @id
    and k.resolution not in ('DOUBTFUL', 'COMPATIBLE')`
)

// row is a row of fact_contradictions.
type row struct {
	Contradiction

	owner          memory.Owner
	scopeA, scopeB memory.Scope
	entryA, entryB string
	factA, factB   uuid.UUID
}

func scanContradiction(r pgx.CollectableRow) (c row, err error) {
	var resolved *time.Time
	err = r.Scan(&c.ID, &c.Scope, &c.owner, &c.scopeA, &c.entryA, &c.factA, &c.scopeB, &c.entryB, &c.factB, &c.Why, &c.FoundAt,
		&c.Resolution, &resolved, &c.Author.Kind, &c.Author.ID)
	c.ResolvedAt = pg.TimeOf(resolved)
	return c, err
}

// Contradictions lists contradictions between the statements that the identity sees, the latest first.
func (s *Facts) Contradictions(
	ctx context.Context, id memory.Identity, state ContradictionState, page pg.Page,
) (pg.Listed[Contradiction], error) {
	if err := pg.RequireAgent(id); err != nil {
		return pg.Listed[Contradiction]{}, err
	}
	before, after, err := parseMoment(page.Cursor)
	if err != nil {
		return pg.Listed[Contradiction]{}, err
	}
	limit := pg.LimitOf(page.Limit)
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (out pg.Listed[Contradiction], err error) {
		var rows []row
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlContradictions, t.Args(pgx.NamedArgs{
			"resolutions": state.resolutions(), "resolved": state == StateResolved, "before": before, "after": after, "limit": limit + 1,
		})), &rows, scanContradiction)
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return out, err
		}
		if len(rows) > limit {
			rows = rows[:limit]
			last := rows[limit-1]
			out.Next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d,%s", last.FoundAt.UnixMicro(), last.ID))
		}
		out.Items, err = sides(ctx, t, rows)
		return out, err
	})
}

// Contradiction returns one contradiction, or ErrNotFound.
func (s *Facts) Contradiction(ctx context.Context, id memory.Identity, contradiction uuid.UUID) (Contradiction, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Contradiction{}, err
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (c Contradiction, err error) {
		var rows []row
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlContradictionByID, t.Args(pgx.NamedArgs{"id": contradiction})), &rows, scanContradiction)
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return c, err
		}
		found, err := sides(ctx, t, rows)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("contradiction %s: %w", contradiction, pg.ErrNotFound)
		}
		if err != nil {
			return c, err
		}
		return found[0], nil
	})
}

// SettleContradiction records a decision. It changes no document. Errors: ErrNotFound; ErrForbidden for a credential that may not
// write the statements' documents.
func (s *Facts) SettleContradiction(ctx context.Context, id memory.Identity, contradiction uuid.UUID, r Resolution) error {
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		found := false
		var settled uuid.UUID
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlSettle, t.Args(pgx.NamedArgs{
			"id": contradiction, "resolution": r, "author_kind": id.Author.Kind, "author_id": id.Author.ID,
		})), &found, &settled)
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		if !found { // it is visible, and not writable
			return none, fmt.Errorf("contradiction %s: %w", contradiction, pg.ErrForbidden)
		}
		return none, t.Finish(ctx, &pgx.Batch{})
	})
	return err
}

// sides reads the statements of contradictions and ends the transaction. It omits contradictions whose statements the identity may not see.
func sides(ctx context.Context, t *pg.Tx, rows []row) ([]Contradiction, error) {
	var ids []uuid.UUID
	var scopes, owners, entries []string
	for _, r := range rows {
		for _, side := range []struct {
			fact  uuid.UUID
			scope memory.Scope
			entry string
		}{{r.factA, r.scopeA, r.entryA}, {r.factB, r.scopeB, r.entryB}} {
			owner := r.owner
			if side.scope != memory.ScopePersonal {
				owner = ""
			}
			ids, scopes = append(ids, side.fact), append(scopes, string(side.scope))
			owners, entries = append(owners, string(owner)), append(entries, side.entry)
		}
	}
	var found []Fact
	b := &pgx.Batch{}
	pg.All(b.Queue(sqlSides, t.Args(pgx.NamedArgs{"facts": ids, "scopes": scopes, "owners": owners, "entries": entries})), &found,
		func(row pgx.CollectableRow) (Fact, error) { return scan(row) })
	if err := t.Send(ctx, b); err != nil {
		return nil, err
	}
	if err := locate(ctx, t, found); err != nil {
		return nil, err
	}
	of := func(fact uuid.UUID, scope memory.Scope, entry string) (Fact, bool) {
		at := slices.IndexFunc(found, func(f Fact) bool { return f.Scope == scope && string(f.Entry) == entry })
		if at < 0 { // it says something else by now
			at = slices.IndexFunc(found, func(f Fact) bool { return f.Scope == scope && f.ID == fact })
		}
		if at < 0 {
			return Fact{}, false
		}
		return found[at], true
	}
	var out []Contradiction
	for _, r := range rows {
		a, okA := of(r.factA, r.scopeA, r.entryA)
		b, okB := of(r.factB, r.scopeB, r.entryB)
		if okA && okB {
			r.A, r.B = a, b
			out = append(out, r.Contradiction)
		}
	}
	return out, nil
}

// parseMoment parses a cursor; the empty one is before everything.
func parseMoment(cursor string) (time.Time, uuid.UUID, error) {
	if cursor == "" {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), uuid.Nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	at, id, _ := strings.Cut(string(raw), ",")
	var micros int64
	if err == nil {
		_, err = fmt.Sscanf(at, "%d", &micros)
	}
	after, problem := uuid.Parse(id)
	if err != nil || problem != nil {
		return time.Time{}, uuid.Nil, &pg.InvalidError{Field: "cursor", Problem: "use the cursor from the previous page"}
	}
	return time.UnixMicro(micros).UTC(), after, nil
}

// People are the owners of documents.
type People struct {
	Scope memory.Scope
	Owner memory.Owner
}

const (
	// correctedFor bounds the search for a superseded statement in documents.
	correctedFor = 7 * 24 * time.Hour
	// peopleAtOnce bounds the owners whose documents one run corrects.
	peopleAtOnce = 50
)

// Superseded returns the owners of documents that contain recently superseded statements by machines. It requires an admin who reads every
// owner.
func (s *Facts) Superseded(ctx context.Context, id memory.Identity, now time.Time) ([]People, error) {
	return s.people(ctx, id, sqlSupersededOwners, now)
}

// InDoubt returns the owners of pairs of statements that wait for a model. It requires an admin who reads every owner.
func (s *Facts) InDoubt(ctx context.Context, id memory.Identity, now time.Time) ([]People, error) {
	return s.people(ctx, id, sqlInDoubt, now)
}

func (s *Facts) people(ctx context.Context, id memory.Identity, sql string, now time.Time) ([]People, error) {
	if err := pg.RequireTender(id); err != nil {
		return nil, err
	}
	if s.db.FactsOff() {
		return nil, pg.ErrFactsOff
	}
	return pg.ReadAll(ctx, s.db, id, sql, pgx.NamedArgs{"since": now.Add(-correctedFor), "limit": peopleAtOnce}, pgx.RowToStructByPos[People])
}

// Corrected returns the resolution of a pair whose newer statement corrects the older one. Only a person's statement supersedes a person's
// statement.
func (c Contradiction) Corrected() Resolution {
	if c.A.Evidence.Source.OfPerson() && !c.B.Evidence.Source.OfPerson() {
		return Open
	}
	return Superseded
}

// SettleDoubtful records a model's decisions about doubtful pairs: Open, Superseded or Compatible.
func (s *Facts) SettleDoubtful(ctx context.Context, id memory.Identity, decided []Contradiction, r Resolution) error {
	ids := make([]uuid.UUID, len(decided))
	for i, c := range decided {
		ids[i] = c.ID
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlSettleDoubtful, t.Args(pgx.NamedArgs{"ids": ids, "resolution": r}))
		return none, t.Finish(ctx, b)
	})
	return err
}

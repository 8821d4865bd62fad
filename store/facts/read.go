package facts

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// Fact is a statement of a document with what is known about it.
type Fact struct {
	facts.Statement

	ID       uuid.UUID
	Document uuid.UUID
	Scope    memory.Scope
	Owner    memory.Owner
	Path     string
	Version  int // of the document, that had these words first
	At       time.Time
	Ended    time.Time // zero: current
	Evidence facts.Evidence

	agent    string  // of the row: empty for GLOBAL
	standing float64 // order of trust among facts with the same half-life
}

// Query selects facts.
type Query struct {
	Text     string // part of the statement, or of its subject or value, in any case; empty: all
	Category facts.Category
	Kind     facts.Kind
	Document uuid.UUID // zero: all
	pg.Page
}

// Listed is one part of a list of facts.
type Listed = pg.Listed[Fact]

const (
	selectFact = `
select f.fact_id, f.document_id, f.agent_id, f.scope, f.owner_key, f.entry_id, f.version, f.at, f.ended_at, f.text, f.heading,
    f.category, f.kind, f.subject, f.attribute, f.value, f.single, f.confidence, f.valid_from, f.valid_to, f.half_life, f.source,
    f.helpful, f.unhelpful, f.days, f.seen, f.standing`

	// The most trusted facts of each half-life come from the index in their order; the best of all of them are the answer. Facts with
	// the same trust are in the order of half-lives and ids. What follows a row is known in the terms of its own half-life exactly.
	sqlByTrust = `
select b.*, d.path
from (
    select t.*, case when t.half_life = 0 then t.standing else power(2::float8, (t.standing - @today) / t.half_life) end as trust
    from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
    cross join unnest(@half_lives::float8[], @bounds::float8[], @inclusive::bool[]) h (half_life, bound, inclusive)
    cross join lateral (` + selectFact + `
        from facts f
        where f.workspace_id = @workspace and f.agent_id = p.agent and f.scope = p.scope and f.owner_key = p.owner
            and f.half_life = h.half_life and f.ended is null and f.shown
            and f.standing <= h.bound and (h.inclusive or f.standing < h.bound or h.half_life = @after_half_life and f.fact_id > @after)
            and (@text = '' or strpos(lower(f.text), @text) > 0 or strpos(lower(f.subject), @text) > 0 or strpos(lower(f.value), @text) > 0)
            and (@category = '' or f.category = @category)
            and (@kind = '' or f.kind = @kind)
            and (@document::uuid is null or f.document_id = @document)
        order by f.standing desc, f.fact_id
        limit @limit
    ) t
) b
cross join lateral (
    select path
    from documents d
    where d.workspace_id = @workspace and d.agent_id = b.agent_id and d.document_id = b.document_id and d.scope = b.scope
        and d.owner_key = b.owner_key
    limit 1
) d
order by trust desc, b.half_life, b.fact_id
limit @limit`

	sqlFact = selectFact + `, d.path
from facts f
cross join lateral (
    select path
    from documents d
    where d.workspace_id = @workspace and d.agent_id = f.agent_id and d.document_id = f.document_id and d.scope = f.scope
        and d.owner_key = f.owner_key
    limit 1
) d
where f.workspace_id = @workspace and f.agent_id in (@agent, '') and f.fact_id = @fact
order by f.version`

	sqlContents = `
select v.document_id, v.content
from unnest(@documents::uuid[], @agents::text[]) w (document_id, agent_id)
cross join lateral (
    select document_id, content
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = w.agent_id and v.document_id = w.document_id
    order by version desc
    limit 1
) v`
)

// ByTrust lists the current facts that the identity sees, the most trusted first. A statement that several documents have is listed
// once, from the first of them in the order of facts.Rank.
func (s *Facts) ByTrust(ctx context.Context, id memory.Identity, q Query) (Listed, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Listed{}, err
	}
	limit := pg.LimitOf(q.Limit)
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (Listed, error) {
		from, err := parsePlace(q.Cursor, daysOf(t.Now))
		if err != nil {
			return Listed{}, err
		}
		args := t.Args(pgx.NamedArgs{
			"text": strings.ToLower(q.Text), "category": q.Category, "kind": q.Kind, "document": pg.IDOrNull(q.Document), "limit": limit + 1,
			"today": from.Today, "after": from.Fact, "after_half_life": from.HalfLife,
		})
		from.bounds(args)
		var rows []Fact
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlByTrust, args), &rows, func(row pgx.CollectableRow) (Fact, error) {
			var trust float64
			return scan(row, &trust)
		})
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return Listed{}, err
		}
		next := ""
		if len(rows) > limit {
			rows = rows[:limit]
			next = from.behind(rows[limit-1]).String()
		}
		return Listed{Items: rows, Next: next}, locate(ctx, t, rows)
	})
}

// Fact returns all wordings of a fact, the first one first, or ErrNotFound.
func (s *Facts) Fact(ctx context.Context, id memory.Identity, fact uuid.UUID) ([]Fact, error) {
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) ([]Fact, error) {
		var rows []Fact
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlFact, t.Args(pgx.NamedArgs{"fact": fact})), &rows, func(row pgx.CollectableRow) (Fact, error) { return scan(row) })
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("fact %s: %w", fact, pg.ErrNotFound)
		}
		return rows, locate(ctx, t, rows)
	})
}

// scan scans a row of selectFact, with further columns and the path behind it.
func scan(row pgx.CollectableRow, more ...any) (f Fact, err error) {
	var ended, to *time.Time
	var seen float64
	columns := []any{
		&f.ID, &f.Document, &f.agent, &f.Scope, &f.Owner, &f.Entry, &f.Version, &f.At, &ended, &f.Text, &f.Heading, &f.Category, &f.Kind,
		&f.Subject, &f.Attribute, &f.Value, &f.Single, &f.Confidence, &f.From, &to, &f.HalfLife, &f.Evidence.Source,
		&f.Evidence.Helpful, &f.Evidence.Unhelpful, &f.Evidence.Days, &seen, &f.standing,
	}
	err = row.Scan(append(append(columns, more...), &f.Path)...)
	f.Ended, f.To = pg.TimeOf(ended), pg.TimeOf(to)
	f.Evidence.HalfLife, f.Evidence.Seen = f.HalfLife, time.UnixMilli(int64(seen*millisOfDay)).UTC()
	return f, err
}

const millisOfDay = 24 * 60 * 60 * 1000

// daysOf returns a time in days since 1970.
func daysOf(t time.Time) float64 { return float64(t.UnixMilli()) / millisOfDay }

// locate sets the lines of current facts, and ends the transaction.
func locate(ctx context.Context, t *pg.Tx, rows []Fact) error {
	var documents []uuid.UUID
	var agents []string
	for _, f := range rows {
		if f.Ended.IsZero() && !slices.Contains(documents, f.Document) {
			documents, agents = append(documents, f.Document), append(agents, f.agent)
		}
	}
	contents := map[uuid.UUID]string{}
	found := false
	b := &pgx.Batch{}
	pg.WithRow(b.Queue(sqlContents, t.Args(pgx.NamedArgs{"documents": documents, "agents": agents})), &found, func(row pgx.CollectableRow) error {
		var document uuid.UUID
		var content string
		err := row.Scan(&document, &content)
		contents[document] = content
		return err
	})
	if err := t.Finish(ctx, b); err != nil {
		return err
	}
	type place struct {
		document uuid.UUID
		entry    markdown.EntryID
	}
	at := map[place]markdown.Entry{}
	for document, content := range contents {
		for _, e := range slices.Backward(markdown.EntriesOf(content)) { // of equal ones, the first
			at[place{document, e.ID}] = e
		}
	}
	for i, f := range rows {
		if e, ok := at[place{f.Document, f.Entry}]; ok && f.Ended.IsZero() {
			rows[i].FromLine, rows[i].ToLine = e.FromLine, e.ToLine
		}
	}
	return nil
}

// place is the end of a part of a list by trust. Today stays that of the first part, so that facts do not change places meanwhile.
type place struct {
	Today    float64
	HalfLife facts.Days
	Standing float64
	Fact     uuid.UUID
}

// first is the half-life of the place before all facts.
const first facts.Days = -1

func (p place) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%x,%x,%x,%s", p.Today, float64(p.HalfLife), p.Standing, p.Fact))
}

// parsePlace parses what String returned; the empty string is the place before all facts.
func parsePlace(s string, today float64) (p place, err error) {
	if s == "" {
		return place{Today: today, HalfLife: first, Standing: math.Inf(1)}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	parts := strings.Split(string(raw), ",")
	if err == nil && len(parts) == 4 { //nolint:mnd // fields of place
		halfLife := 0.0
		for i, to := range []*float64{&p.Today, &halfLife, &p.Standing} {
			var problem error
			*to, problem = strconv.ParseFloat(parts[i], 64)
			err = cmp.Or(err, problem)
		}
		p.HalfLife = facts.Days(halfLife)
		p.Fact, _ = uuid.Parse(parts[3])
		if err == nil && p.Fact != uuid.Nil && slices.Contains(facts.HalfLives(), p.HalfLife) {
			return p, nil
		}
	}
	return p, &pg.InvalidError{Field: "cursor", Problem: "use the cursor from the previous page"}
}

// behind returns the place behind a fact.
func (p place) behind(f Fact) place {
	return place{Today: p.Today, HalfLife: f.HalfLife, Standing: f.standing, Fact: f.ID}
}

// bounds sets the arguments that limit the standing of facts of each half-life to those behind p.
func (p place) bounds(args pgx.NamedArgs) {
	var halfLives, bounds []float64
	var inclusive []bool
	for _, h := range facts.HalfLives() {
		bound := p.Standing
		if p.HalfLife != first && h != p.HalfLife {
			bound = standingOf(h, p.log2trust(), p.Today)
		}
		halfLives, bounds = append(halfLives, float64(h)), append(bounds, bound)
		inclusive = append(inclusive, h > p.HalfLife)
	}
	args["half_lives"], args["bounds"], args["inclusive"] = halfLives, bounds, inclusive
}

// log2trust returns the binary logarithm of the trust at p.
func (p place) log2trust() float64 {
	if p.HalfLife == facts.Lasting {
		return math.Log2(p.Standing)
	}
	return (p.Standing - p.Today) / float64(p.HalfLife)
}

// standingOf is the inverse of log2trust for a half-life.
func standingOf(h facts.Days, log2 float64, today float64) float64 {
	if h == facts.Lasting {
		return math.Exp2(log2)
	}
	return today + log2*float64(h)
}

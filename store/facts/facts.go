// Package facts keeps the statements of documents as rows.
//
// A write of a document only marks it. The rows are derived from the versions since the last time, by the first reader that may
// write the document, and by the worker that tends the index. Reading and storing the statements in the transaction of the write
// would double the time of a short write and multiply that of a note of 60 lines (docs/facts.md).
package facts

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// Facts reads facts and rebuilds them.
type Facts struct{ db *pg.DB }

// New returns the facts of a database.
func New(db *pg.DB) *Facts { return &Facts{db} }

// format names the reader of statements. Documents that another release has read are read again.
const format = "10"

// Document is the document whose facts change.
type Document struct {
	ID    uuid.UUID
	Agent string // of the row: empty for GLOBAL
	Scope memory.Scope
	Owner memory.Owner
	Path  string
}

// step is one version of a document after another.
type step struct {
	version int
	diff    facts.Difference
	author  memory.Author
	at      time.Time
	lines   []memory.LineSource
}

const (
	// A mark is a separate row, so that writers wait neither for one another here nor for those who derive.
	sqlMark = `
insert into fact_due (workspace_id, agent_id, scope, owner_key, document_id, version)
values (@workspace, @agent, @scope, @owner, @document, @version)
on conflict do nothing`

	// Scope and owner are those of the document; they keep the plan to the index, whatever the planner assumes about a table that
	// grows fast.
	sqlEnd = `
update facts set ended = @version, ended_at = @at, shown = false, days = 1, helpful = 0, unhelpful = 0, seen = day - date '1970-01-01'
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
    and ended is null and entry_id = any (@gone::text[])`

	factColumns = `workspace_id, agent_id, scope, owner_key, document_id, entry_id, version, fact_id, at, text, heading, category, kind,
    subject, attribute, value, single, confidence, valid_from, valid_to, source, place, day, prior, half_life, shown, days, helpful,
    unhelpful, seen, archived`

	newFacts = `
unnest(@entries::text[], @was::text[], @ids::uuid[], @texts::text[], @headings::text[], @categories::text[], @kinds::text[],
    @subjects::text[], @attributes::text[], @values::text[], @singles::bool[], @confidences::real[], @froms::timestamptz[],
    @tos::timestamptz[], @half_lives::float8[], @archived::bool[], @sources::text[], @priors::float8[], @persons::bool[], @days::text[])
    n (entry_id, was, id, text, heading, category, kind, subject, attribute, value, single, confidence, valid_from, valid_to, half_life,
    archived, source, prior, person, day)`

	// Where rows and document disagree, because somebody changed either past the gate, a rebuild repairs the rows.
	//
	// A statement that returns in the words that it had when it was removed is the same fact again.
	sqlAdd = `
insert into facts (` + factColumns + `)
select @workspace, @agent, @scope, @owner, @document, n.entry_id, @version, coalesce((
        select f.fact_id
        from facts f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = @document and f.entry_id = n.entry_id
            and f.ended is not null and f.version = (select max(w.version) from facts w where w.fact_id = f.fact_id)
        order by f.version desc
        limit 1), n.id),
    @at, n.text, n.heading, n.category, n.kind, n.subject, n.attribute, n.value, n.single, n.confidence,
    coalesce(n.valid_from, n.day::date::timestamptz), n.valid_to, n.source, @place, n.day::date, n.prior, n.half_life, true, 1, 0, 0,
    n.day::date - date '1970-01-01', n.archived
from ` + newFacts + `
on conflict do nothing`

	// An edit keeps the fact, its source and the day on which it was noted, unless a person says it in other words.
	sqlEdit = `
with old as (
    update facts set ended = @version, ended_at = @at, shown = false, days = 1, helpful = 0, unhelpful = 0, seen = day - date '1970-01-01'
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
        and ended is null and entry_id = any (@was::text[])
    returning entry_id, fact_id, valid_from, source, prior, day
)
insert into facts (` + factColumns + `)
select @workspace, @agent, @scope, @owner, @document, n.entry_id, @version, old.fact_id, @at, n.text, n.heading, n.category, n.kind,
    n.subject, n.attribute, n.value, n.single, n.confidence, coalesce(n.valid_from, old.valid_from), n.valid_to, k.source, @place,
    k.day, k.prior, n.half_life, true, 1, 0, 0, k.day - date '1970-01-01', n.archived
from old
cross join lateral (
    select *
    from ` + newFacts + `
    where n.was = old.entry_id
    limit 1
) n
cross join lateral (
    select n.person and n.entry_id <> old.entry_id as said
) a
cross join lateral (
    select case when a.said and n.prior > old.prior then n.source else old.source end as source,
        case when a.said then greatest(n.prior, old.prior) else old.prior end as prior,
        case when a.said then n.day::date else old.day end as day
) k
on conflict do nothing`

	// The evidence about the same words in all documents of the same people, and from feedback. A daily note is a record of its day and has
	// no archive: statements that are archived elsewhere are not shown from it.
	weights = `(
    select array[(same.first = f.fact_id)::int, (select count(distinct d) from unnest(same.noted || felt.heard) d),
        coalesce(felt.helpful, 0), coalesce(felt.unhelpful, 0), greatest(same.seen, felt.seen)]::float8[]
    from (
        select (array_agg(s.fact_id order by s.place = @notes, s.archived, s.place, s.day, s.document_id))[1] as first, array_agg(s.day) as noted,
            max(s.day) - date '1970-01-01' as seen
        from facts s
        where s.workspace_id = @workspace and s.agent_id = @agent and s.scope = @scope and s.owner_key = @owner and s.ended is null
            and s.entry_id = f.entry_id
    ) same, (
        select sum(weight) filter (where kind = 'HELPFUL') as helpful, sum(weight) filter (where kind = 'UNHELPFUL') as unhelpful,
            array_agg((at at time zone 'UTC')::date) filter (where kind = 'HEARD') as heard,
            extract(epoch from max(at) filter (where kind in ('HELPFUL', 'HEARD')))::float8 / 86400 as seen
        from fact_events
        where workspace_id = @workspace and agent_id = @agent and fact_id = f.fact_id and undone_at is null
    ) felt)`

	sqlWeigh = `
update facts f set (shown, days, helpful, unhelpful, seen) = (
    select w[1] = 1, w[2]::int, w[3], w[4], w[5]
    from (select ` + weights + ` as w) known)
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and ended is null
    and entry_id = any (@entries::text[])
    and array[shown::int, days, helpful, unhelpful, seen]::float8[] is distinct from ` + weights
)

// QueueMark queues a mark that the facts of a document are out of date. A write does nothing else for facts. While facts are switched off,
// each document has at most one mark, from which its facts are derived when they are switched on again.
func (d Document) QueueMark(b *pgx.Batch, t *pg.Tx, version int) {
	if !memory.Searchable(d.Path) {
		return
	}
	if t.FactsOff {
		version = 0
	}
	b.Queue(sqlMark, d.args(t, pgx.NamedArgs{"version": version}))
}

// Facts with the same words in several documents depend on one another. Transactions that derive facts of the same people therefore wait
// for each other here.
const sqlLock = `select pg_advisory_xact_lock(hashtextextended(@workspace || chr(31) || @agent || chr(31) || @scope || chr(31) || @owner, 12))`

// args returns the arguments of statements about a document, together with more.
func (d Document) args(t *pg.Tx, more pgx.NamedArgs) pgx.NamedArgs {
	args := t.Args(more)
	args["agent"], args["scope"], args["owner"], args["document"] = d.Agent, d.Scope, d.Owner, d.ID
	args["notes"] = facts.NotesRank
	return args
}

// queue queues the changes of one version of a document and adds the changed claims to news.
func (s step) queue(b *pgx.Batch, t *pg.Tx, doc Document, n *news) {
	diff := s.diff
	if diff.Empty() {
		return
	}
	sourceOf, dayOf := s.sources(), s.days(doc.Path)
	args := func(more pgx.NamedArgs) pgx.NamedArgs {
		all := doc.args(t, more)
		all["version"], all["at"], all["place"] = s.version, s.at, facts.Rank(doc.Path)
		return all
	}
	changed := pg.TextsOf(diff.Gone)
	n.queueGone(b, t, doc, diff)
	if len(diff.Gone) > 0 {
		b.Queue(sqlEnd, args(pgx.NamedArgs{"gone": changed}))
	}
	if len(diff.Edited) > 0 {
		c := columns{topics: t.PairsJudged, sourceOf: sourceOf, dayOf: dayOf}
		for _, e := range diff.Edited {
			c.add(doc, s.version, e.Was, e.Now)
			changed = append(changed, string(e.Was), string(e.Now.Entry))
		}
		b.Queue(sqlEdit, args(c.args()))
		n.queueClaims(b, t, doc, c.claims)
	}
	if len(diff.Added) > 0 {
		c := columns{topics: t.PairsJudged, sourceOf: sourceOf, dayOf: dayOf}
		for _, a := range diff.Added {
			c.add(doc, s.version, "", a)
			changed = append(changed, string(a.Entry))
		}
		b.Queue(sqlAdd, args(c.args()))
		n.queueClaims(b, t, doc, c.claims)
	}
	b.Queue(sqlWeigh, args(pgx.NamedArgs{"entries": changed}))
}

// sources returns a function that returns the source of a statement of the version: its author, or a person who asked to remember it.
func (s step) sources() func(facts.Statement) facts.Source {
	author, asked := facts.SourceOf(s.author), map[string]bool{}
	for _, line := range s.lines {
		if !line.Asked {
			continue
		}
		for _, e := range markdown.EntriesOf(line.Line) {
			asked[e.Text] = true
		}
	}
	return func(statement facts.Statement) facts.Source {
		if asked[statement.Text] {
			return facts.SourcePerson
		}
		return author
	}
}

// days returns a function that returns the day of a statement of the version: of a daily note its own, else the one on which the
// messages that it rests on were written, if that is known, or the version was.
func (s step) days(path string) func(facts.Statement) string {
	if day, isNote := facts.DayOf(path); isNote {
		return func(facts.Statement) string { return day.Format(time.DateOnly) }
	}
	written, said := s.at.UTC().Format(time.DateOnly), map[string]string{}
	for _, line := range s.lines {
		// The time of a message is its client's.
		if day, err := time.Parse(time.DateOnly, line.Day); err != nil || day.After(s.at) {
			continue
		}
		for _, e := range markdown.EntriesOf(line.Line) {
			said[e.Text] = max(said[e.Text], line.Day)
		}
	}
	return func(statement facts.Statement) string { return cmp.Or(said[statement.Text], written) }
}

// columns are new facts, column by column.
type columns struct {
	entries, was, texts, headings, categories, kinds, subjects, attributes, values []string

	claims []claimed
	topics bool // claims include what statements are about

	ids         []uuid.UUID
	singles     []bool
	confidences []float32
	froms, tos  []*time.Time
	halfLives   []float64
	archived    []bool
	sourceOf    func(facts.Statement) facts.Source
	dayOf       func(facts.Statement) string
	days        []string
	sources     []string
	priors      []float64
	persons     []bool
}

func (c *columns) add(doc Document, version int, was markdown.EntryID, s facts.Statement) {
	c.entries, c.was = append(c.entries, string(s.Entry)), append(c.was, string(was))
	c.ids = append(c.ids, idOf(doc.ID, version, s.Entry))
	c.texts, c.headings = append(c.texts, s.Text), append(c.headings, s.Heading)
	c.categories, c.kinds = append(c.categories, string(s.Category)), append(c.kinds, string(s.Kind))
	c.subjects, c.attributes = append(c.subjects, s.Subject), append(c.attributes, s.Attribute)
	c.values, c.singles = append(c.values, s.Value), append(c.singles, s.Single)
	c.confidences = append(c.confidences, float32(s.Confidence))
	c.claims = append(c.claims, claimsOf(s, c.topics)...)
	c.froms, c.tos = append(c.froms, pg.TimeOrNull(s.From)), append(c.tos, pg.TimeOrNull(s.To))
	c.halfLives, c.archived = append(c.halfLives, float64(s.HalfLife)), append(c.archived, s.Archived)
	c.days = append(c.days, c.dayOf(s))
	source := c.sourceOf(s)
	c.sources, c.priors, c.persons = append(c.sources, string(source)), append(c.priors, facts.Prior(source)), append(c.persons, source.OfPerson())
}

func (c *columns) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"entries": c.entries, "was": c.was, "ids": c.ids, "texts": c.texts, "headings": c.headings, "categories": c.categories,
		"kinds": c.kinds, "subjects": c.subjects, "attributes": c.attributes, "values": c.values, "singles": c.singles,
		"confidences": c.confidences, "froms": c.froms, "tos": c.tos, "half_lives": c.halfLives, "archived": c.archived,
		"sources": c.sources, "priors": c.priors, "persons": c.persons, "days": c.days,
	}
}

// idOf returns the id of a new fact. It depends on nothing but the history of the document, so that a rebuild finds the same.
func idOf(document uuid.UUID, version int, entry markdown.EntryID) uuid.UUID {
	return uuid.NewSHA1(document, fmt.Appendf(nil, "%d %s", version, entry))
}

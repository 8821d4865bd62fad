// Package facts keeps the statements of documents as rows, derived in the transaction of each write.
package facts

import (
	"fmt"
	"slices"
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
const format = "1"

// Document is the document whose facts change.
type Document struct {
	ID    uuid.UUID
	Agent string // of the row: empty for GLOBAL
	Scope memory.Scope
	Owner memory.Owner
	Path  string
}

// Step is one version of a document after another.
type Step struct {
	Version       int
	Before, After string // contents; empty where the document is deleted
	Author        memory.Author
	At            time.Time
}

const (
	// Notes which reader has read all versions of a document. A document without a row is still to be read.
	sqlRead = `
insert into fact_documents (workspace_id, agent_id, scope, owner_key, document_id, format)
values (@workspace, @agent, @scope, @owner, @document, @format)
on conflict (workspace_id, agent_id, document_id) do update set format = excluded.format`

	// Scope and owner are those of the document; they keep the plan to the index, whatever the planner assumes about a table that
	// grows fast.
	sqlEnd = `
update facts set ended = @version, ended_at = @at, shown = false, days = 1, helpful = 0, unhelpful = 0, seen = day - date '1970-01-01'
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
    and ended is null and entry_id = any (@gone::text[])`

	factColumns = `workspace_id, agent_id, scope, owner_key, document_id, entry_id, version, fact_id, at, text, heading, category, kind,
    subject, attribute, value, single, confidence, valid_from, valid_to, source, place, day, prior, half_life, shown, days, helpful,
    unhelpful, seen`

	newFacts = `
unnest(@entries::text[], @was::text[], @ids::uuid[], @texts::text[], @headings::text[], @categories::text[], @kinds::text[],
    @subjects::text[], @attributes::text[], @values::text[], @singles::bool[], @confidences::real[], @froms::timestamptz[],
    @tos::timestamptz[], @half_lives::float8[]) n (entry_id, was, id, text, heading, category, kind, subject, attribute, value,
    single, confidence, valid_from, valid_to, half_life)`

	// What is derived never stops a write: where rows and document disagree, because somebody changed either past the gate, a rebuild
	// repairs the rows.
	//
	// A statement that returns in the words in which it went is the same fact again.
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
    coalesce(n.valid_from, @day::date::timestamptz), n.valid_to, @source, @place, @day::date, @prior, n.half_life, true, 1, 0, 0,
    @day::date - date '1970-01-01'
from ` + newFacts + `
on conflict do nothing`

	// An edit keeps the fact, its source and the day on which it was noted.
	sqlEdit = `
with old as (
    update facts set ended = @version, ended_at = @at, shown = false, days = 1, helpful = 0, unhelpful = 0, seen = day - date '1970-01-01'
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and document_id = @document
        and ended is null and entry_id = any (@was::text[])
    returning entry_id, fact_id, valid_from, source, prior, day
)
insert into facts (` + factColumns + `)
select @workspace, @agent, @scope, @owner, @document, n.entry_id, @version, old.fact_id, @at, n.text, n.heading, n.category, n.kind,
    n.subject, n.attribute, n.value, n.single, n.confidence, coalesce(n.valid_from, old.valid_from), n.valid_to, old.source, @place,
    old.day, old.prior, n.half_life, true, 1, 0, 0, old.day - date '1970-01-01'
from old
cross join lateral (
    select *
    from ` + newFacts + `
    where n.was = old.entry_id
    limit 1
) n
on conflict do nothing`

	// What is known of the same words in all documents of the same people, and from feedback.
	weights = `(
    select array[(same.first = f.fact_id)::int, same.days, coalesce(felt.helpful, 0), coalesce(felt.unhelpful, 0),
        greatest(same.seen, felt.seen)]::float8[]
    from (
        select (array_agg(s.fact_id order by s.place, s.day, s.document_id))[1] as first, count(distinct s.day) as days,
            max(s.day) - date '1970-01-01' as seen
        from facts s
        where s.workspace_id = @workspace and s.agent_id = @agent and s.scope = @scope and s.owner_key = @owner and s.ended is null
            and s.entry_id = f.entry_id
    ) same, (
        select sum(weight) filter (where kind = 'HELPFUL') as helpful, sum(weight) filter (where kind = 'UNHELPFUL') as unhelpful,
            extract(epoch from max(at) filter (where kind = 'HELPFUL'))::float8 / 86400 as seen
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

// Changes are the changes of facts in one transaction.
type Changes struct{ changed []change }

type change struct {
	doc  Document
	step Step
	facts.Difference
}

// Add notes the change of a document's facts by one version. Versions of a document are added in their order.
func (c *Changes) Add(doc Document, step Step) {
	if d := facts.Compare(doc.Path, step.Before, step.After); !d.Empty() {
		c.changed = append(c.changed, change{doc, step, d})
	}
}

// Facts in several documents that have the same words depend on one another, so that their writers wait for one another here. Writers
// take this lock after those of documents and before all that they write.
const sqlLock = `select pg_advisory_xact_lock(hashtextextended(@workspace || chr(31) || @agent || chr(31) || @scope || chr(31) || @owner, 12))`

// QueueLocks queues waiting for other writers of facts of the same people. It comes before the writes of the transaction.
func (c *Changes) QueueLocks(b *pgx.Batch, t *pg.Tx) {
	var locked []string
	for _, x := range c.changed {
		if key := string(x.doc.Scope) + string(x.doc.Owner); !slices.Contains(locked, key) {
			locked = append(locked, key)
			b.Queue(sqlLock, x.doc.args(t, nil))
		}
	}
}

// QueueWrites queues the changes. They read and write only what changed.
func (c *Changes) QueueWrites(b *pgx.Batch, t *pg.Tx) {
	for _, x := range c.changed {
		x.queue(b, t)
	}
}

// args returns the arguments of statements about a document, together with more.
func (d Document) args(t *pg.Tx, more pgx.NamedArgs) pgx.NamedArgs {
	args := t.Args(more)
	args["agent"], args["scope"], args["owner"], args["document"] = d.Agent, d.Scope, d.Owner, d.ID
	return args
}

func (x change) queue(b *pgx.Batch, t *pg.Tx) {
	day, isNote := facts.DayOf(x.doc.Path)
	if !isNote {
		day = x.step.At.UTC()
	}
	source := facts.SourceOf(x.step.Author)
	args := func(more pgx.NamedArgs) pgx.NamedArgs {
		all := x.doc.args(t, more)
		all["version"], all["at"], all["day"], all["place"] = x.step.Version, x.step.At, day.Format(time.DateOnly), facts.Rank(x.doc.Path)
		all["source"], all["prior"] = source, facts.Prior(source)
		return all
	}
	if x.step.Version == 1 {
		b.Queue(sqlRead, args(pgx.NamedArgs{"format": format}))
	}
	changed := pg.TextsOf(x.Gone)
	if len(x.Gone) > 0 {
		b.Queue(sqlEnd, args(pgx.NamedArgs{"gone": changed}))
	}
	if len(x.Edited) > 0 {
		var c columns
		for _, e := range x.Edited {
			c.add(x.doc, x.step, e.Was, e.Now)
			changed = append(changed, string(e.Was), string(e.Now.Entry))
		}
		b.Queue(sqlEdit, args(c.args()))
	}
	if len(x.Added) > 0 {
		var c columns
		for _, s := range x.Added {
			c.add(x.doc, x.step, "", s)
			changed = append(changed, string(s.Entry))
		}
		b.Queue(sqlAdd, args(c.args()))
	}
	b.Queue(sqlWeigh, args(pgx.NamedArgs{"entries": changed}))
}

// columns are new facts, column by column.
type columns struct {
	entries, was, texts, headings, categories, kinds, subjects, attributes, values []string

	ids         []uuid.UUID
	singles     []bool
	confidences []float32
	froms, tos  []*time.Time
	halfLives   []float64
}

func (c *columns) add(doc Document, step Step, was markdown.EntryID, s facts.Statement) {
	c.entries, c.was = append(c.entries, string(s.Entry)), append(c.was, string(was))
	c.ids = append(c.ids, idOf(doc.ID, step.Version, s.Entry))
	c.texts, c.headings = append(c.texts, s.Text), append(c.headings, s.Heading)
	c.categories, c.kinds = append(c.categories, string(s.Category)), append(c.kinds, string(s.Kind))
	c.subjects, c.attributes = append(c.subjects, s.Subject), append(c.attributes, s.Attribute)
	c.values, c.singles = append(c.values, s.Value), append(c.singles, s.Single)
	c.confidences = append(c.confidences, float32(s.Confidence))
	c.froms, c.tos = append(c.froms, pg.TimeOrNull(s.From)), append(c.tos, pg.TimeOrNull(s.To))
	c.halfLives = append(c.halfLives, float64(s.HalfLife))
}

func (c *columns) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"entries": c.entries, "was": c.was, "ids": c.ids, "texts": c.texts, "headings": c.headings, "categories": c.categories,
		"kinds": c.kinds, "subjects": c.subjects, "attributes": c.attributes, "values": c.values, "singles": c.singles,
		"confidences": c.confidences, "froms": c.froms, "tos": c.tos, "half_lives": c.halfLives,
	}
}

// idOf returns the id of a new fact. It depends on nothing but the history of the document, so that a rebuild finds the same.
func idOf(document uuid.UUID, version int, entry markdown.EntryID) uuid.UUID {
	return uuid.NewSHA1(document, fmt.Appendf(nil, "%d %s", version, entry))
}

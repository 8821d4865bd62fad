package facts

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
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
	Used     Use

	Agent    string  // of the row: empty for GLOBAL
	Current  int     // with the lines: version of the document in which they are counted
	ended    int     // version that has these words no longer; 0: current
	standing float64 // order of trust among facts with the same half-life
}

// Explain returns the terms of the trust at a time, as facts.Evidence does, and whether the statement's last day is past.
func (f Fact) Explain(at time.Time) []facts.Term {
	terms := f.Evidence.Explain(at)
	if f.Expired(at) {
		last := &terms[len(terms)-1]
		last.Why += fmt.Sprintf("; it has expired: it held until %s", f.To.Format(time.DateOnly))
	}
	return terms
}

// Use counts the search results that contained a statement and were used, in the last usedWithin days.
type Use struct {
	Times int
	Last  time.Time
}

// maxQuery is the longest text of a query, in bytes.
const maxQuery = 1024

// usedWithin is the number of days in which uses are counted.
const usedWithin = 90

// Query selects facts. The zero value selects all.
type Query struct {
	Text      string // part of the statement, or of its subject or value, in any case
	Category  facts.Category
	Kind      facts.Kind
	Attribute string
	Path      string  // of the document that shows them
	MinTrust  float64 // from 0 to 1
	Archived  bool    // also archived ones
	pg.Page
}

// rounding is the maximum difference between the trust computed by the database, with logarithms, and by facts.Evidence.
const rounding = 1e-6

// admits reports whether a trust reaches the minimum.
func (q Query) admits(trust float64) bool { return trust >= q.MinTrust-rounding }

// Listed is one part of a list of facts.
type Listed struct {
	pg.Listed[Fact]
	// Behind reports whether the worker must still derive facts of changed documents, because the identity may not write them or there are
	// many.
	Behind bool
}

const (
	selectFact = `
select f.fact_id, f.document_id, f.agent_id, f.scope, f.owner_key, f.entry_id, f.version, f.at, f.ended, f.ended_at, f.text, f.heading,
    f.category, f.kind, f.subject, f.attribute, f.value, f.single, f.confidence, f.valid_from, f.valid_to, f.half_life, f.source,
    f.helpful, f.unhelpful, f.days, f.seen, f.standing, f.archived`

	matches = `(@text = '' or strpos(lower(f.text), @text) > 0 or strpos(lower(f.subject), @text) > 0 or strpos(lower(f.value), @text) > 0)
            and (@category = '' or f.category = @category)
            and (@kind = '' or f.kind = @kind)
            and (@attribute = '' or f.attribute = @attribute)
            and (@path = '' or f.document_id = any (@documents::uuid[]))
            and (not @unprompted or not (
                select e.enabled
                from documents e
                where e.workspace_id = @workspace and e.agent_id = f.agent_id and e.document_id = f.document_id and e.scope = f.scope
                    and e.owner_key = f.owner_key
                limit 1)
                and (f.valid_to is null or f.valid_to > @now::timestamptz - interval '1 day'))
            and (@archived or not f.archived)`

	// The index returns the facts of each half-life by trust; the answer is the best of all of them. Facts with the same trust are ordered by
	// half-life and id. The position of a row is exact within its half-life.
	sqlByTrust = `
select f.*, d.path
from (
    select t.*, case when t.half_life = 0 then t.standing else power(2::float8, (t.standing - @today) / t.half_life) end as trust
    from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
    cross join unnest(@half_lives::float8[], @bounds::float8[], @inclusive::bool[]) h (half_life, bound, inclusive)
    cross join lateral (` + selectFact + `
        from facts f
        where f.workspace_id = @workspace and f.agent_id = p.agent and f.scope = p.scope and f.owner_key = p.owner
            and f.half_life = h.half_life and f.ended is null and f.shown
            and f.standing <= h.bound and (h.inclusive or f.standing < h.bound or h.half_life = @after_half_life and f.fact_id > @after)
            and ` + matches + `
        order by f.standing desc, f.fact_id
        limit @limit
    ) t
) f` + pathOf + `
order by trust desc, f.half_life, f.fact_id
limit @limit`

	// The content of a document comes with the first of its facts, so that their lines can be counted.
	sqlMostTrusted = `
select l.*, v.version, case when l.nth = 1 then v.content else '' end
from (
    select t.*, row_number() over (partition by t.document_id order by t.trust desc, t.half_life, t.fact_id) as nth
    from (` + sqlByTrust + `) t
) l
cross join lateral (
    select version, content
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = l.agent_id and v.document_id = l.document_id
    order by version desc
    limit 1
) v
order by l.trust desc, l.half_life, l.fact_id`

	sqlDocumentsAt = `
select d.document_id
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (
    select document_id
    from documents
    where workspace_id = @workspace and agent_id = p.agent and scope = p.scope and owner_key = p.owner and path = @path
    limit 1
) d`

	sqlUses = `
select e.entry, count(*), max(r.at)
from recalls r
cross join lateral unnest(r.entries) e (entry)
where r.workspace_id = @workspace and r.agent_id = @agent and r.owner_key = @owner and not r.synthetic and r.at >= @since
    and e.entry = any (@entries::text[])
group by e.entry`

	// Facts f with their documents d, the versions v that brought them, and the versions g that removed them.
	selectOrigin = selectFact + `, v.author_kind, v.author_id, v.workflow_id, v.run_id, v.reason, v.sources,
    coalesce(g.author_kind, ''), coalesce(g.author_id, ''), coalesce(g.workflow_id, ''), coalesce(g.run_id, ''), coalesce(g.reason, ''), d.path
from facts f` + pathOf + `
cross join lateral (
    select author_kind, author_id, workflow_id, run_id, reason, sources
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = f.agent_id and v.document_id = f.document_id and v.version = f.version
    limit 1
) v
left join lateral (
    select author_kind, author_id, workflow_id, run_id, reason
    from document_versions g
    where g.workspace_id = @workspace and g.agent_id = f.agent_id and g.document_id = f.document_id and g.version = f.ended
    limit 1
) g on true`

	sqlFact = selectOrigin + `
where f.workspace_id = @workspace and f.agent_id in (@agent, '') and f.fact_id = @fact
order by f.version`

	// The path of a fact f.
	pathOf = `
cross join lateral (
    select path
    from documents d
    where d.workspace_id = @workspace and d.agent_id = f.agent_id and d.document_id = f.document_id and d.scope = f.scope
        and d.owner_key = f.owner_key
    limit 1
) d`

	// Facts whose ids begin with a number. The order is that of the index on ids.
	sqlNumbered = `
select f.*, d.path
from (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id in (@agent, '') and f.ended is null and f.fact_id between @first::uuid and @last::uuid
    order by f.fact_id, f.version
    limit 2
) f` + pathOf

	sqlStated = `
select f.*, d.path
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = p.agent and f.scope = p.scope and f.owner_key = p.owner and f.ended is null
        and f.entry_id = @entry and f.document_id = @document
    limit 1
) f` + pathOf + `
limit 1`

	sqlOfDocuments = `
select f.*, d.path
from unnest(@paths::text[]) d (path)
cross join lateral (
    select document_id
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = d.path
    limit 1
) i
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = i.document_id and f.ended is null and not f.archived
    order by f.entry_id
    limit @limit
) f`

	sqlContents = `
select v.document_id, v.version, v.content
from unnest(@documents::uuid[], @agents::text[]) w (document_id, agent_id)
cross join lateral (
    select document_id, version, content
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
	for field, text := range map[string]string{"keyword": q.Text, "attribute": q.Attribute, "path": q.Path} {
		if err := memory.ValidText(field, text, maxQuery); err != nil {
			return Listed{}, err
		}
	}
	limit := pg.LimitOf(q.Limit)
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (Listed, error) {
		from, err := parsePlace(q.Cursor, daysOf(t.Now))
		if err != nil {
			return Listed{}, err
		}
		args := t.Args(pgx.NamedArgs{
			"text": strings.ToLower(q.Text), "category": q.Category, "kind": q.Kind, "attribute": q.Attribute, "path": q.Path,
			"archived": q.Archived, "unprompted": false,
			"limit": limit + 1, "today": from.Today, "after": from.Fact, "after_half_life": from.HalfLife,
		})
		from.bounds(args)
		var documents []uuid.UUID
		if q.Path != "" {
			b := &pgx.Batch{}
			pg.All(b.Queue(sqlDocumentsAt, args), &documents, pgx.RowTo[uuid.UUID])
			if err := t.Send(ctx, b); err != nil {
				return Listed{}, err
			}
		}
		args["documents"] = documents
		var rows []ranked
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlByTrust, args), &rows, func(row pgx.CollectableRow) (r ranked, err error) {
			r.Fact, err = scan(row, &r.trust)
			return r, err
		})
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return Listed{}, err
		}
		out := Listed{Behind: len(*late) > 0}
		for i, r := range rows {
			if !q.admits(r.trust) {
				break
			}
			if i == limit {
				out.Next = from.behind(rows[i-1].Fact).String()
				break
			}
			out.Items = append(out.Items, r.Fact)
		}
		return out, locate(ctx, t, out.Items)
	})
}

// MaxOfDocument bounds the facts of one document that OfDocuments returns.
const MaxOfDocument = 2_000

// OfDocuments returns the current facts of documents of a scope, as far as they are derived, at most MaxOfDocument of each. Used and
// lines are not set.
func (s *Facts) OfDocuments(ctx context.Context, id memory.Identity, scope memory.Scope, paths ...string) ([]Fact, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	if s.db.FactsOff() {
		return nil, pg.ErrFactsOff
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (out []Fact, err error) {
		owner := memory.Owner("")
		if scope == memory.ScopePersonal {
			owner = id.Owner
		}
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlOfDocuments, t.Args(pgx.NamedArgs{
			"scope": scope, "owner": owner, "paths": paths, "limit": MaxOfDocument,
		})), &out, func(row pgx.CollectableRow) (Fact, error) { return scan(row) })
		return out, t.Finish(ctx, b)
	})
}

// Number returns the first 48 bits of a fact's id, for programs that cannot use 128 bits.
func Number(fact uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(fact[:8]) >> numberShift)
}

// numberShift is the part of the first 8 bytes of an id that its number leaves out: the others are of a hash.
const numberShift = 16

// Numbered returns the current fact with a number. The error wraps ErrNotFound if the identity sees none, or more than one.
func (s *Facts) Numbered(ctx context.Context, id memory.Identity, number int64) (Fact, error) {
	var from, to uuid.UUID
	binary.BigEndian.PutUint64(from[:8], uint64(number)<<numberShift)
	for i := range to {
		to[i] = 0xff
	}
	binary.BigEndian.PutUint64(to[:8], uint64(number)<<numberShift|(1<<numberShift-1))
	return s.find(ctx, id, sqlNumbered, pgx.NamedArgs{"first": from, "last": to}, fmt.Sprintf("#%d", number))
}

// Stated returns the current fact of a statement of a document, or an error that wraps ErrNotFound.
func (s *Facts) Stated(ctx context.Context, id memory.Identity, document uuid.UUID, entry markdown.EntryID) (Fact, error) {
	return s.find(ctx, id, sqlStated, pgx.NamedArgs{"document": document, "entry": entry}, string(entry))
}

func (s *Facts) find(ctx context.Context, id memory.Identity, sql string, args pgx.NamedArgs, name string) (Fact, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Fact{}, err
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (Fact, error) {
		var found []Fact
		b := &pgx.Batch{}
		pg.All(b.Queue(sql, t.Args(args)), &found, func(row pgx.CollectableRow) (Fact, error) { return scan(row) })
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return Fact{}, err
		}
		if len(found) != 1 {
			return Fact{}, fmt.Errorf("fact %s: %w", name, pg.ErrNotFound)
		}
		return found[0], locate(ctx, t, found)
	})
}

// ranked is a fact in a list by trust.
type ranked struct {
	Fact
	trust float64
}

// Standing asks for the facts that are in no document of the system prompt, the most trusted first. Facts that their document does not
// contain any more are left out; Used is not set.
type Standing struct {
	AboutPerson bool // only those
	Limit       int
	Facts       []Fact // the answer
}

// Late are documents whose facts are out of date.
type Late []behind

// QueueStanding queues reading the most trusted facts and the documents whose facts are out of date. If facts are switched off, it reads
// nothing.
func QueueStanding(b *pgx.Batch, t *pg.Tx, wanted []*Standing, late *Late) {
	if t.FactsOff || len(wanted) == 0 {
		return
	}
	for _, w := range wanted {
		kind := facts.Kind("")
		if w.AboutPerson {
			kind = facts.Profile
		}
		from, _ := parsePlace("", daysOf(t.Now)) // the first place has no error
		args := t.Args(pgx.NamedArgs{
			"text": "", "category": "", "kind": kind, "attribute": "", "path": "", "documents": []uuid.UUID{}, "limit": w.Limit,
			"today": from.Today, "after": from.Fact, "after_half_life": from.HalfLife, "unprompted": true, "archived": false,
		})
		from.bounds(args)
		b.Queue(sqlMostTrusted, args).Query(func(rows pgx.Rows) (err error) {
			w.Facts, err = withLines(rows)
			return err
		})
	}
	queueBehind(b, t, (*[]behind)(late))
}

// withLines reads the rows of sqlMostTrusted.
func withLines(rows pgx.Rows) ([]Fact, error) {
	places := map[statementPlace]markdown.Entry{}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Fact, err error) {
		var trust float64
		var nth, version int
		var content string
		f, err = scan(longRow{row, []any{&nth, &version, &content}}, &trust)
		addPlaces(places, f.Document, content)
		if e, found := places[statementPlace{f.Document, f.Entry}]; found {
			f.FromLine, f.ToLine, f.Current = e.FromLine, e.ToLine, version
		}
		return f, err
	})
	return slices.DeleteFunc(all, func(f Fact) bool { return f.FromLine == 0 }), err
}

// longRow is a row with columns after those that are scanned.
type longRow struct {
	pgx.CollectableRow

	more []any
}

func (r longRow) Scan(to ...any) error { return r.CollectableRow.Scan(append(to, r.more...)...) }

// statementPlace is a statement of a document.
type statementPlace struct {
	document uuid.UUID
	entry    markdown.EntryID
}

// addPlaces adds the statements of a document's content; of equal ones, the first.
func addPlaces(places map[statementPlace]markdown.Entry, document uuid.UUID, content string) {
	for _, e := range slices.Backward(markdown.EntriesOf(content)) {
		places[statementPlace{document, e.ID}] = e
	}
}

// Wording is a fact in one of its wordings, with the version of the document that had it first.
type Wording struct {
	Fact
	Author  memory.Author
	Reason  string
	Sources Messages

	gone memory.Author // of the version that removed it, and
	why  string        // its reason
}

// Messages are those that a statement came from. The zero value means none.
type Messages struct {
	Conversation string
	Seqs         []int64 // sequence numbers; of a range the first and the last one
}

// History is a fact with its events.
type History struct {
	Wordings []Wording // the first one first
	Feedback []Given   // the first one first
}

// Now returns the last wording.
func (h History) Now() Wording { return h.Wordings[len(h.Wordings)-1] }

// Given is feedback that was given.
type Given struct {
	Feedback
	ID     uuid.UUID
	Author memory.Author // Kind and ID
	At     time.Time
	Undone time.Time // zero: it counts
}

// Fact returns what is known of a fact, or ErrNotFound.
func (s *Facts) Fact(ctx context.Context, id memory.Identity, fact uuid.UUID) (History, error) {
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (h History, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlFact, t.Args(pgx.NamedArgs{"fact": fact})), &h.Wordings, scanWording)
		pg.All(b.Queue(sqlGiven, t.Args(pgx.NamedArgs{"fact": fact})), &h.Feedback, scanGiven)
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return h, err
		}
		if len(h.Wordings) == 0 {
			return h, fmt.Errorf("fact %s: %w", fact, pg.ErrNotFound)
		}
		last := []Fact{h.Now().Fact}
		err = locate(ctx, t, last)
		h.Wordings[len(h.Wordings)-1].Fact = last[0]
		return h, err
	})
}

func scanWording(row pgx.CollectableRow) (w Wording, err error) {
	var sources memory.Sources
	w.Fact, err = scan(row, &w.Author.Kind, &w.Author.ID, &w.Author.WorkflowID, &w.Author.RunID, &w.Reason, &sources,
		&w.gone.Kind, &w.gone.ID, &w.gone.WorkflowID, &w.gone.RunID, &w.why)
	w.Sources = messagesOf(sources, w.Entry)
	return w, err
}

// messagesOf returns the messages that a statement of a version came from.
func messagesOf(s memory.Sources, entry markdown.EntryID) Messages {
	for _, l := range s.Lines {
		if markdown.EntryIDOf(l.Line) == entry {
			return Messages{cmp.Or(l.Conversation, s.Conversation), l.Messages}
		}
	}
	if s.Conversation == "" {
		return Messages{}
	}
	return Messages{s.Conversation, slices.Compact([]int64{s.From, s.To})}
}

// scan scans a row of selectFact, with further columns and the path after it.
func scan(row pgx.CollectableRow, more ...any) (f Fact, err error) {
	var ended, to *time.Time
	var seen float64
	var endedBy *int
	columns := []any{
		&f.ID, &f.Document, &f.Agent, &f.Scope, &f.Owner, &f.Entry, &f.Version, &f.At, &endedBy, &ended, &f.Text, &f.Heading, &f.Category, &f.Kind,
		&f.Subject, &f.Attribute, &f.Value, &f.Single, &f.Confidence, &f.From, &to, &f.HalfLife, &f.Evidence.Source,
		&f.Evidence.Helpful, &f.Evidence.Unhelpful, &f.Evidence.Days, &seen, &f.standing, &f.Archived,
	}
	err = row.Scan(append(append(columns, more...), &f.Path)...)
	f.Ended, f.To = pg.TimeOf(ended), pg.TimeOf(to)
	if endedBy != nil {
		f.ended = *endedBy
	}
	f.Evidence.HalfLife, f.Evidence.Seen = f.HalfLife, time.UnixMilli(int64(seen*millisOfDay)).UTC()
	return f, err
}

const millisOfDay = 24 * 60 * 60 * 1000

// daysOf returns a time in days since 1970.
func daysOf(t time.Time) float64 { return float64(t.UnixMilli()) / millisOfDay }

// locate sets the lines of current facts and how they were used, and ends the transaction.
func locate(ctx context.Context, t *pg.Tx, rows []Fact) error {
	var documents []uuid.UUID
	var agents []string
	for _, f := range rows {
		if f.Ended.IsZero() && !slices.Contains(documents, f.Document) {
			documents, agents = append(documents, f.Document), append(agents, f.Agent)
		}
	}
	entries := make([]string, len(rows))
	for i, f := range rows {
		entries[i] = string(f.Entry)
	}
	contents, versions, uses := map[uuid.UUID]string{}, map[uuid.UUID]int{}, map[markdown.EntryID]Use{}
	found := false
	b := &pgx.Batch{}
	pg.WithRow(b.Queue(sqlContents, t.Args(pgx.NamedArgs{"documents": documents, "agents": agents})), &found, func(row pgx.CollectableRow) error {
		var document uuid.UUID
		var version int
		var content string
		err := row.Scan(&document, &version, &content)
		contents[document], versions[document] = content, version
		return err
	})
	since := t.Now.AddDate(0, 0, -usedWithin)
	pg.WithRow(b.Queue(sqlUses, t.Args(pgx.NamedArgs{"since": since, "entries": entries})), &found, func(row pgx.CollectableRow) error {
		var entry markdown.EntryID
		var use Use
		err := row.Scan(&entry, &use.Times, &use.Last)
		uses[entry] = use
		return err
	})
	if err := t.Finish(ctx, b); err != nil {
		return err
	}
	at := map[statementPlace]markdown.Entry{}
	for document, content := range contents {
		addPlaces(at, document, content)
	}
	for i, f := range rows {
		rows[i].Used = uses[f.Entry]
		if e, ok := at[statementPlace{f.Document, f.Entry}]; ok && f.Ended.IsZero() {
			rows[i].FromLine, rows[i].ToLine, rows[i].Current = e.FromLine, e.ToLine, versions[f.Document]
		}
	}
	return nil
}

// place is the end of a part of a list by trust. Today stays that of the first part, so that facts do not change places between parts.
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

// behind returns the place after a fact.
func (p place) behind(f Fact) place {
	return place{Today: p.Today, HalfLife: f.HalfLife, Standing: f.standing, Fact: f.ID}
}

// bounds sets the arguments that limit the standing of facts of each half-life to those after p.
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

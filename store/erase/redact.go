package erase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
	"reverie/search"
	"reverie/store/facts"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Request says in which rows words are erased.
type Request struct {
	Words
	// Scope PERSONAL: in rows of the identity's owner. TEAM: in shared rows, and for an admin that reads every owner in those of all.
	Scope memory.Scope
	// Sources: also in what documents were and in messages. Otherwise only in what was made of them.
	Sources bool
	Preview bool // only count
}

// Place is a column that has words, with the number of its rows and of the parts of texts that were erased.
type Place struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Rows   int    `json:"rows"`
	Parts  int    `json:"parts,omitempty"`
}

// Redacted is the result of erasing words.
type Redacted struct {
	Places []Place // where they were, in the order of tables and columns
	// Kept are columns of names and ids that have a phrase: paths, ids of conversations. They stay.
	Kept []Place
}

// sourceTables hold what was said and written, from which everything else is made.
var sourceTables = []string{"messages", "document_versions"}

// sqlPlaces selects the columns with words: those that the role may change.
const sqlPlaces = `
select c.relname::text, a.attname::text, format_type(a.atttypid, null),
    exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'scope' and not s.attisdropped)
        and c.relname <> 'flush_steps'
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_column_privilege('` + pg.EraserRole + `', c.oid, a.attnum, 'update')
    and format_type(a.atttypid, null) in ('text', 'text[]', 'jsonb', 'bytea') and a.attname <> 'sha256'
order by 1, 2` // every table with such a column has an owner_key

// sqlNames selects the other columns of tenants' tables that have texts.
const sqlNames = `
select c.relname::text, a.attname::text, format_type(a.atttypid, null),
    exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'scope' and not s.attisdropped)
        and c.relname <> 'flush_steps'
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not has_column_privilege('` + pg.EraserRole + `', c.oid, a.attnum, 'update')
    and has_column_privilege('` + pg.EraserRole + `', c.oid, a.attnum, 'select')
    and format_type(a.atttypid, null) in ('text', 'text[]', 'jsonb')
    and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'agent_id' and not w.attisdropped)
    and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'owner_key' and not w.attisdropped)
    and c.relname not in ('facts', 'fact_claims')
order by 1, 2`

// table is a table with the columns that have words.
type table struct {
	name    string
	scoped  bool
	columns []column
}

type column struct{ name, kind string }

func tablesOf(rows pgx.Rows) (tables []table, err error) {
	var name string
	var c column
	var scoped bool
	_, err = pgx.ForEachRow(rows, []any{&name, &c.name, &c.kind, &scoped}, func() error {
		if n := len(tables); n == 0 || tables[n-1].name != name {
			tables = append(tables, table{name: name, scoped: scoped})
		}
		tables[len(tables)-1].columns = append(tables[len(tables)-1].columns, c)
		return nil
	})
	return tables, err
}

// rowsOf returns the condition of the rows in which words are erased; row-level security limits them further.
func (r Request) rowsOf(t table) string {
	where := "workspace_id = @workspace and agent_id = @agent"
	switch {
	case r.Scope == memory.ScopePersonal: // shared rows have no owner
		return where + " and owner_key = @owner"
	case t.scoped:
		return where + " and reverie_erases(agent_id, scope, owner_key)"
	}
	return where + " and reverie_erases(agent_id, null, owner_key)"
}

// maxPasses bounds how often rows are read that others have changed concurrently.
const maxPasses = 5

// Redact erases words in the rows of the identity's agent, as a part of the transaction t: in place, in all columns that have words. It
// indexes again what has changed, and has the facts of changed documents derived again. A preview changes nothing.
func Redact(ctx context.Context, t *pg.Tx, r Request) (Redacted, error) {
	x := Begin(t, r, nil)
	if err := x.Read(ctx); err != nil {
		return Redacted{}, err
	}
	return x.Finish(ctx)
}

// Columns are the columns of the schema that have words.
type Columns []table

// QueueColumns queues reading them, for Begin.
func QueueColumns(b *pgx.Batch, to *Columns) {
	b.Queue(sqlPlaces).Query(func(rows pgx.Rows) (err error) { *to, err = tablesOf(rows); return err })
}

// Redaction is Redact in two steps, for callers who save round trips.
type Redaction struct {
	Request
	t      *pg.Tx
	places Columns // nil: not read yet
	found  map[[2]string]*Place
	kept   []Place
	writes *pgx.Batch
	missed int // rows that others have changed since they were read

	documents     []facts.Document // whose versions have changed
	conversations []indexes.Indexed
}

// Begin returns a redaction in the transaction t. columns may be nil.
func Begin(t *pg.Tx, r Request, columns Columns) *Redaction {
	return &Redaction{t: t, Request: r, places: columns, found: map[[2]string]*Place{}, writes: &pgx.Batch{}}
}

// Read finds the words, in one round trip, two without columns, together with what the transaction has queued. It changes nothing.
func (x *Redaction) Read(ctx context.Context) error {
	if x.Empty() {
		return nil
	}
	return x.t.AsEraser(func() error { return x.read(ctx) })
}

// Finish erases what Read has found.
func (x *Redaction) Finish(ctx context.Context) (Redacted, error) {
	if x.writes.Len() == 0 {
		return x.result(), nil
	}
	err := x.t.AsEraser(func() error {
		for pass := 0; ; pass++ {
			if err := x.write(ctx); err != nil || x.missed == 0 {
				return err
			}
			if pass == maxPasses {
				return &pg.StaleBaseError{}
			}
			if err := x.read(ctx); err != nil {
				return err
			}
		}
	})
	if err != nil || len(x.documents)+len(x.conversations) == 0 {
		return x.result(), err
	}
	return x.result(), x.follow(ctx)
}

func (x *Redaction) result() (r Redacted) {
	for _, p := range x.found {
		r.Places = append(r.Places, *p)
	}
	slices.SortFunc(r.Places, func(a, b Place) int { return strings.Compare(a.Table+" "+a.Column, b.Table+" "+b.Column) })
	r.Kept = x.kept
	return r
}

// read reads all places once, and queues the changes.
func (x *Redaction) read(ctx context.Context) error {
	var names []table
	b := &pgx.Batch{}
	if x.places == nil {
		QueueColumns(b, &x.places)
	}
	if x.Sources {
		b.Queue(sqlNames).Query(func(rows pgx.Rows) (err error) { names, err = tablesOf(rows); return err })
	}
	if b.Len() > 0 {
		if err := x.t.Send(ctx, b); err != nil {
			return err
		}
	}
	x.kept, x.writes, x.missed = nil, &pgx.Batch{}, 0
	b = &pgx.Batch{}
	for _, t := range x.places {
		if x.Sources || !slices.Contains(sourceTables, t.name) {
			x.queueRead(b, t, func(row changedRow) {
				if !x.Preview {
					x.queueWrite(x.writes, t, row, &x.missed)
				}
			})
		}
	}
	for _, t := range names {
		x.queueNames(b, t)
	}
	return x.t.Send(ctx, b)
}

// write stores the changes.
func (x *Redaction) write(ctx context.Context) error {
	if x.writes.Len() == 0 {
		return nil
	}
	return x.t.Send(ctx, x.writes)
}

// changedRow is a row that has words.
type changedRow struct {
	at      string // ctid
	columns []column
	was, is []any
	source  uuid.UUID // of a version or message, its document or conversation
	owner   memory.Owner
	scope   memory.Scope
}

// queueRead queues finding the rows of a table that have the words.
func (x *Redaction) queueRead(b *pgx.Batch, t table, changed func(changedRow)) {
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = c.name
		if c.kind == "jsonb" {
			columns[i] += "::text"
		}
	}
	source := "null::uuid, '', ''"
	switch t.name {
	case "messages":
		source = "conversation_uid, owner_key, 'PERSONAL'"
	case "document_versions":
		source = "document_id, owner_key, scope"
	}
	b.Queue("select ctid::text, "+source+", "+strings.Join(columns, ", ")+" from "+pgx.Identifier{t.name}.Sanitize()+" where "+x.rowsOf(t),
		x.t.Args(nil)).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			row := changedRow{}
			var from uuid.NullUUID
			values := make([]any, len(t.columns))
			to := []any{&row.at, &from, &row.owner, &row.scope}
			for i, c := range t.columns {
				switch c.kind {
				case "text[]":
					values[i] = &[]string{}
				case "bytea":
					values[i] = &[]byte{}
				default:
					values[i] = new(*string)
				}
				to = append(to, values[i])
			}
			if err := rows.Scan(to...); err != nil {
				return err
			}
			row.source = from.UUID
			for i, c := range t.columns {
				if was, is, n := x.erased(c.kind, values[i]); n > 0 {
					row.columns, row.was, row.is = append(row.columns, c), append(row.was, was), append(row.is, is)
					x.count(t.name, c.name, n)
				}
			}
			if len(row.columns) > 0 {
				changed(row)
			}
		}
		return rows.Err()
	})
}

func (x *Redaction) count(table, column string, parts int) {
	p := x.found[[2]string{table, column}]
	if p == nil {
		p = &Place{Table: table, Column: column}
		x.found[[2]string{table, column}] = p
	}
	p.Rows++
	p.Parts += parts
}

// erased returns a value as it was and without the words, and the number of parts that were erased.
func (x *Redaction) erased(kind string, value any) (was, is any, n int) {
	switch v := value.(type) {
	case *[]string:
		out := make([]string, len(*v))
		for i, text := range *v {
			erased, parts := x.Erase(text)
			out[i], n = erased, n+parts
		}
		return *v, out, n
	case *[]byte:
		if text, parts, ok := x.inJSON(*v); ok {
			return *v, []byte(text), parts
		}
		text, parts := x.Erase(string(*v))
		return *v, []byte(text), parts
	case **string:
		if *v == nil {
			return nil, nil, 0
		}
		if kind == "jsonb" {
			text, parts, _ := x.inJSON([]byte(**v))
			return **v, text, parts
		}
		text, parts := x.Erase(**v)
		return **v, text, parts
	}
	return nil, nil, 0
}

// inJSON erases words in the strings of a JSON text. ok is false for another text.
func (w Words) inJSON(text []byte) (out string, n int, ok bool) {
	var value any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if len(text) == 0 || numbers.Decode(&value) != nil {
		return "", 0, false
	}
	value, n = w.inValue(value)
	if n == 0 {
		return string(text), 0, true
	}
	encoded, err := json.Marshal(value)
	return string(encoded), n, err == nil
}

func (w Words) inValue(value any) (any, int) {
	n := 0
	switch v := value.(type) {
	case string:
		return w.Erase(v)
	case []any:
		for i := range v {
			of, parts := w.inValue(v[i])
			v[i] = of
			n += parts
		}
	case map[string]any:
		var texts strings.Builder
		for _, of := range v {
			if text, is := of.(string); is && w.In(text) {
				texts.WriteString(" " + strings.ToLower(text))
			}
		}
		said := texts.String()
		for key, of := range v {
			if words, is := of.([]any); is && said != "" {
				v[key] = slices.DeleteFunc(words, func(word any) bool { return isOf(word, said) })
				n += len(words) - len(v[key].([]any)) //nolint:forcetypeassert // the line above
				of = v[key]
			}
			erased, parts := w.inValue(of)
			name, named := w.Erase(key)
			if named > 0 {
				delete(v, key)
			}
			v[name] = erased
			n += parts + named
		}
	}
	return value, n
}

// isOf reports whether a value is a word of a text that is erased, such as a tag.
func isOf(value any, said string) bool {
	word, is := value.(string)
	return is && word != "" && strings.Contains(said, strings.ToLower(word))
}

// queueWrite queues storing a changed row. A row that others have changed since it was read stays, and counts as missed.
func (x *Redaction) queueWrite(b *pgx.Batch, t table, row changedRow, missed *int) {
	args := pgx.NamedArgs{"at": row.at}
	var set, same []string
	for i, c := range row.columns {
		is, was := fmt.Sprintf("is%d", i), fmt.Sprintf("was%d", i)
		args[is], args[was] = row.is[i], row.was[i]
		set = append(set, fmt.Sprintf("%s = @%s::%s", c.name, is, c.kind))
		same = append(same, fmt.Sprintf("%s = @%s::%s", c.name, was, c.kind))
		if t.name == "document_versions" && c.name == "content" {
			set = append(set, "sha256 = sha256(convert_to(@"+is+"::text, 'UTF8'))")
		}
	}
	b.Queue("update "+pgx.Identifier{t.name}.Sanitize()+" set "+strings.Join(set, ", ")+" where ctid = @at::tid and "+
		strings.Join(same, " and "), args).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() == 0 {
			*missed++
		}
		return nil
	})
	switch t.name {
	case "messages":
		x.conversations = append(x.conversations, indexes.Indexed{
			Partition: indexes.Partition{Corpus: search.Sessions, Agent: x.t.ID.Agent, Scope: memory.ScopePersonal, Owner: row.owner},
			UID:       row.source,
		})
	case "document_versions":
		x.documents = append(x.documents, facts.Document{ID: row.source, Agent: x.t.ID.Agent, Scope: row.scope, Owner: row.owner})
	}
}

// queueNames queues counting the rows whose names and ids have a phrase.
func (x *Redaction) queueNames(b *pgx.Batch, t table) {
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = c.name + "::text"
	}
	b.Queue("select "+strings.Join(columns, ", ")+" from "+pgx.Identifier{t.name}.Sanitize()+" where "+x.rowsOf(t), x.t.Args(nil)).
		Query(func(rows pgx.Rows) error {
			counts := make([]int, len(t.columns))
			values, to := make([]*string, len(t.columns)), make([]any, len(t.columns))
			for i := range values {
				to[i] = &values[i]
			}
			_, err := pgx.ForEachRow(rows, to, func() error {
				for i, v := range values {
					if v != nil && x.has(*v) {
						counts[i]++
					}
				}
				return nil
			})
			for i, n := range counts {
				if n > 0 {
					x.kept = append(x.kept, Place{Table: t.name, Column: t.columns[i].name, Rows: n})
				}
			}
			return err
		})
}

const sqlCacheErase = `delete from embedding_cache where workspace_id = @workspace`

// follow brings what is derived of changed rows up to date.
func (x *Redaction) follow(ctx context.Context) error {
	slices.SortFunc(x.documents, func(a, b facts.Document) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	x.documents = slices.CompactFunc(x.documents, func(a, b facts.Document) bool { return a.ID == b.ID })
	slices.SortFunc(x.conversations, func(a, b indexes.Indexed) int { return strings.Compare(a.UID.String(), b.UID.String()) })
	x.conversations = slices.CompactFunc(x.conversations, func(a, b indexes.Indexed) bool { return a.UID == b.UID })
	b := &pgx.Batch{}
	for _, d := range x.documents {
		d.QueueAnew(b, x.t)
	}
	if err := x.t.Send(ctx, b); err != nil {
		return err
	}
	sources := x.conversations
	for _, d := range x.documents {
		sources = append(sources, indexes.Indexed{
			Partition: indexes.Partition{Corpus: search.Memory, Agent: d.Agent, Scope: d.Scope, Owner: d.Owner}, UID: d.ID,
		})
	}
	for _, source := range sources {
		if err := source.Reindex(ctx, x.t); err != nil {
			return err
		}
	}
	return x.t.AsEraser(func() error {
		b := &pgx.Batch{}
		b.Queue(sqlCacheErase, x.t.Args(nil))
		return x.t.Send(ctx, b)
	})
}

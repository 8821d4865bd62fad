package indexes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/language/analysis"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
	"reverie/store/facts"
	"reverie/store/pg"
)

// visiblePartitions are the partitions that the identity sees. Naming them lets indexes find the rows; row-level security alone
// would filter the rows of all partitions.
const visiblePartitions = `
with partition as materialized (
    select @agent::text as agent_id, 'PERSONAL'::text as scope, @owner::text as owner_key where @owner::text <> ''
    union all
    select @agent, 'TEAM', ''
    union all
    select '', 'GLOBAL', ''
    union all
    select distinct s.agent_id, s.scope, s.owner_key
    from index_sources s
    where @any::boolean and s.workspace_id = @workspace and s.agent_id = @agent and s.scope = 'PERSONAL' and s.owner_key <> @owner::text
)`

// fromPartitions and ofPartition enclose the name of an index table and select its rows in those partitions as r.
const (
	fromPartitions = `
from partition
cross join unnest(@corpora::text[]) c (corpus)
cross join lateral (
    select *
    from `
	ofPartition = `
    where workspace_id = @workspace and agent_id = partition.agent_id and corpus = c.corpus and scope = partition.scope
        and owner_key = partition.owner_key
    offset 0
) r`
)

const (
	sqlIndexFresh = visiblePartitions + `
select r.corpus, r.group_no, r.data` + fromPartitions + `index_fresh` + ofPartition

	sqlIndexSegments = visiblePartitions + `
select r.corpus, r.segment_id, case when r.segment_id = any (@known::bigint[]) then null else r.data end` +
		fromPartitions + `index_segments` + ofPartition

	sqlIndexBlocks = visiblePartitions + `
select r.corpus, r.segment_id, k.term, b.bucket, b.term, b.data` + fromPartitions + `index_segments` + ofPartition + `
cross join unnest(@terms::bigint[]) k (term)
cross join lateral (
    select *
    from index_blocks b
    where b.workspace_id = @workspace and b.agent_id = r.agent_id and b.segment_id = r.segment_id
        and b.bucket = (k.term >> (@term_bits::int - r.bits))::int and b.term in (0, k.term)
    offset 0
) b`

	sqlIndexTombstones = visiblePartitions + `
select r.group_no` + fromPartitions + `index_graves` + ofPartition

	sqlForgottenOriginals = `
select text, sketch, last_seen
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and status <> 'open' and status = 'forgotten'
order by last_seen desc
limit @limit`
)

// maxForgotten is the number of forgotten statements that messages are compared with.
const maxForgotten = 500

// Collected is the result of Collect.
type Collected struct {
	Collections []*index.Collection // one for each corpus, in the given order
	Beliefs     facts.Beliefs       // of all that the identity sees; they are not read for a query without text
	// Forgotten are the statements that the identity's owner had forgotten, the latest maxForgotten; as Beliefs.
	Forgotten []Forgotten
}

// Forgotten is a statement that a person had forgotten. Messages keep it unless it was erased.
type Forgotten struct {
	claim.Original

	At time.Time
}

// Collect reads what the identity may find in each corpus: all units, and where the terms of the query occur. It costs one round
// trip, and sees one moment.
func (s *Index) Collect(ctx context.Context, id memory.Identity, corpora []search.Corpus, q analysis.Query) (Collected, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Collected{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (Collected, error) {
		key := agentKey{t.Workspace, t.Agent}
		c := newCollecting(s.segments.of(key), corpora, q)
		args := viewArgs(
			t,
			pgx.NamedArgs{
				"corpora": corpora, "terms": c.terms(), "known": slices.Collect(maps.Keys(c.known)), "term_bits": index.TermBits,
			},
		)
		b := &pgx.Batch{}
		b.Queue(sqlIndexFresh, args).Query(c.fresh)
		b.Queue(sqlIndexSegments, args).Query(c.segments)
		b.Queue(sqlIndexBlocks, args).Query(c.blocks)
		b.Queue(sqlIndexTombstones, args).Query(c.tombstones)
		var found Collected
		if q.Text != "" {
			found.Beliefs.Queue(b, t)
			QueueForgotten(b, t, &found.Forgotten)
		}
		if err := t.Finish(ctx, b); err != nil {
			return Collected{}, err
		}
		s.segments.add(key, c.read)
		found.Collections = c.collections()
		return found, nil
	})
}

// QueueForgotten queues reading the statements that the identity's owner had forgotten, the latest maxForgotten.
func QueueForgotten(b *pgx.Batch, t *pg.Tx, to *[]Forgotten) {
	pg.All(b.Queue(sqlForgottenOriginals, t.Args(pgx.NamedArgs{"limit": maxForgotten})), to, scanForgotten)
}

// Forgotten returns the statements that the identity's owner had forgotten, the latest maxForgotten.
func (s *Index) Forgotten(ctx context.Context, id memory.Identity) ([]Forgotten, error) {
	if err := pg.RequireOwner(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlForgottenOriginals, pgx.NamedArgs{"limit": maxForgotten}, scanForgotten)
}

func scanForgotten(row pgx.CollectableRow) (f Forgotten, err error) {
	var text string
	var sketch *claim.Sketch
	err = row.Scan(&text, &sketch, &f.At)
	f.Original = claim.OriginalOf(text, sketch)
	return f, err
}

// viewArgs returns the arguments of statements over visible partitions.
func viewArgs(t *pg.Tx, more pgx.NamedArgs) pgx.NamedArgs {
	args := t.Args(more)
	args["any"] = t.AnyOwner
	return args
}

// collecting assembles collections from rows of the index.
type collecting struct {
	corpora    []search.Corpus
	query      analysis.Query
	known      segmentUnits // were read before
	read       segmentUnits // were read now
	gatherings map[search.Corpus]*index.Gathering
	parts      map[int64]int // by segment: its number in its gathering
	dead       map[int64]bool
}

func newCollecting(known segmentUnits, corpora []search.Corpus, q analysis.Query) *collecting {
	c := &collecting{
		corpora: corpora, query: q, known: known, read: segmentUnits{},
		gatherings: map[search.Corpus]*index.Gathering{}, parts: map[int64]int{}, dead: map[int64]bool{},
	}
	for _, corpus := range corpora {
		c.gatherings[corpus] = index.Gather(q)
	}
	return c
}

// terms returns the terms of the query as the database stores them.
func (c *collecting) terms() []int64 {
	wanted := c.gatherings[c.corpora[0]].Wanted()
	terms := make([]int64, len(wanted))
	for i, term := range wanted {
		terms[i] = int64(term)
	}
	return terms
}

func (c *collecting) fresh(rows pgx.Rows) error {
	var corpus search.Corpus
	var group int64
	var data []byte
	_, err := pgx.ForEachRow(rows, []any{&corpus, &group, &data}, func() error {
		return c.gatherings[corpus].AddPacked(group, data)
	})
	return err
}

func (c *collecting) segments(rows pgx.Rows) error {
	var corpus search.Corpus
	var segment int64
	var data []byte
	_, err := pgx.ForEachRow(rows, []any{&corpus, &segment, &data}, func() error {
		units, ok := c.known[segment]
		if !ok {
			var err error
			if units, err = index.UnpackUnits(data); err != nil {
				return fmt.Errorf("segment %d: %w", segment, err)
			}
			c.read[segment] = units
		}
		c.parts[segment] = c.gatherings[corpus].AddUnits(units)
		return nil
	})
	return err
}

func (c *collecting) blocks(rows pgx.Rows) error {
	var corpus search.Corpus
	var segment, wanted, term int64
	var block index.Block
	_, err := pgx.ForEachRow(rows, []any{&corpus, &segment, &wanted, &block.Bucket, &term, &block.Data}, func() error {
		block.Term = index.TermID(term)
		return c.gatherings[corpus].AddBlock(c.parts[segment], index.TermID(wanted), block)
	})
	return err
}

func (c *collecting) tombstones(rows pgx.Rows) error {
	var group int64
	_, err := pgx.ForEachRow(rows, []any{&group}, func() error {
		c.dead[group] = true
		return nil
	})
	return err
}

func (c *collecting) collections() []*index.Collection {
	dead := func(group int64) bool { return c.dead[group] }
	if len(c.dead) == 0 {
		dead = nil
	}
	collections := make([]*index.Collection, len(c.corpora))
	for i, corpus := range c.corpora {
		collections[i] = c.gatherings[corpus].Collection(corpus, c.query, dead)
	}
	return collections
}

// Source is the document or message from which a unit was made.
type Source struct {
	Scope           memory.Scope
	Owner           memory.Owner
	Document        uuid.UUID // corpus memory
	Path            string    // of the document
	Version         int       // of the document
	Conversation    string    // corpus sessions: the client's id
	ConversationUID uuid.UUID
}

// Passage is the text of a unit with its position.
type Passage struct {
	Unit    index.Unit
	Source  Source
	Text    string
	Message memory.Message // of a turn, without its content
}

const (
	// Reads the content of a document once for all of its units.
	sqlDocumentTexts = `
with wanted as materialized (
    select *
    from unnest(@groups::bigint[], @ordinals::bigint[], @starts::int[], @lengths::int[]) w (group_no, ordinal, start, length)
), content as materialized (
    select s.group_no, s.scope, s.owner_key, s.source_uid, d.path, s.version, convert_to(v.content, 'UTF8') as bytes
    from (select distinct group_no from wanted) w
    cross join lateral (
        select * from index_sources s where s.group_no = w.group_no offset 0
    ) s
    cross join lateral (
        select path from documents d
        where d.document_id = s.source_uid and d.workspace_id = @workspace and d.agent_id = s.agent_id
        limit 1
    ) d
    cross join lateral (
        select content from document_versions v
        where v.workspace_id = @workspace and v.agent_id = s.agent_id and v.document_id = s.source_uid and v.version = s.version
        limit 1
    ) v
)
select w.group_no, w.ordinal, c.scope, c.owner_key, c.source_uid, c.path, c.version, substring(c.bytes from w.start + 1 for w.length)
from content c
cross join lateral (
    select * from wanted w where w.group_no = c.group_no offset 0
) w`

	sqlTurnTexts = `
select w.group_no, w.ordinal, s.scope, s.owner_key, s.source_uid, c.conversation_id, m.message_id, m.role, m.name, m.seq, m.said_at,
    substring(convert_to(m.content, 'UTF8') from w.start + 1 for w.length)
from unnest(@groups::bigint[], @ordinals::bigint[], @starts::int[], @lengths::int[]) w (group_no, ordinal, start, length)
cross join lateral (
    select * from index_sources s where s.group_no = w.group_no and s.corpus = 'sessions' offset 0
) s
cross join lateral (
    select conversation_id from conversations c
    where c.conversation_uid = s.source_uid and c.workspace_id = @workspace and c.agent_id = @agent
    limit 1
) c
cross join lateral (
    select * from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = s.source_uid and m.seq = w.ordinal / @parts::bigint
    limit 1
) m`
)

// Passages reads the texts of units of one corpus. Units whose source was indexed again since they were collected are missing.
func (s *Index) Passages(
	ctx context.Context, id memory.Identity, corpus search.Corpus, units []index.Unit,
) (map[index.UnitKey]Passage, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	passages := make(map[index.UnitKey]Passage, len(units))
	if len(units) == 0 {
		return passages, nil
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (map[index.UnitKey]Passage, error) {
		byKey := make(map[index.UnitKey]index.Unit, len(units))
		groups, ordinals := make([]int64, len(units)), make([]int64, len(units))
		starts, lengths := make([]int, len(units)), make([]int, len(units))
		for i, u := range units {
			byKey[u.Key()] = u
			groups[i], ordinals[i], starts[i], lengths[i] = u.Group, u.Ordinal(), u.Start, u.End-u.Start
		}
		args := t.Args(
			pgx.NamedArgs{"groups": groups, "ordinals": ordinals, "starts": starts, "lengths": lengths, "parts": chunk.MaxParts},
		)
		b := &pgx.Batch{}
		var found []Passage
		if corpus == search.Sessions {
			pg.All(b.Queue(sqlTurnTexts, args), &found, scanTurnPassage)
		} else {
			pg.All(b.Queue(sqlDocumentTexts, args), &found, scanDocumentPassage)
		}
		if err := t.Finish(ctx, b); err != nil {
			return nil, err
		}
		for _, p := range found {
			key := index.UnitKey{Group: p.Unit.Group, Ordinal: p.Unit.Seq}
			p.Unit = byKey[key]
			passages[key] = p
		}
		return passages, nil
	})
}

// scanDocumentPassage sets Unit.Seq to the ordinal.
func scanDocumentPassage(row pgx.CollectableRow) (p Passage, err error) {
	var text []byte
	err = row.Scan(
		&p.Unit.Group, &p.Unit.Seq, &p.Source.Scope, &p.Source.Owner, &p.Source.Document, &p.Source.Path, &p.Source.Version, &text,
	)
	p.Text = string(text)
	return p, err
}

// scanTurnPassage sets Unit.Seq to the ordinal.
func scanTurnPassage(row pgx.CollectableRow) (p Passage, err error) {
	var text []byte
	err = row.Scan(&p.Unit.Group, &p.Unit.Seq, &p.Source.Scope, &p.Source.Owner, &p.Source.ConversationUID, &p.Source.Conversation,
		&p.Message.ID, &p.Message.Role, &p.Message.Name, &p.Message.Seq, &p.Message.CreatedAt, &text)
	p.Text = string(text)
	return p, err
}

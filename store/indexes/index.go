// Package indexes stores the search index of documents and messages: segments of postings, vectors and embedding spaces.
package indexes

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
	"reverie/store/pg"
)

// AgentRef names an agent; with an empty Agent, the workspace.
type AgentRef struct {
	Workspace string `json:"workspace"`
	Agent     string `json:"agent"`
}

// Index is the search index of documents and messages: segments of postings, and vectors by embedding space.
type Index struct {
	db         *pg.DB
	segments   *segmentCache
	ExactUnits int64 // ExactUnits, except in tests
}

// New returns the index of a database, with an empty cache of segments.
func New(db *pg.DB) *Index {
	return &Index{db: db, segments: newSegmentCache(), ExactUnits: ExactUnits}
}

// indexFormat names the analyser and chunker. Sources that were indexed with others are indexed again.
var indexFormat = fmt.Sprintf("analyser %d, chunker %d", analysis.Version, chunk.Version)

// Partition is one part of the index: a corpus of one owner, of the users of an agent, or of the workspace.
type Partition struct {
	Corpus search.Corpus
	Agent  string // empty for GLOBAL
	Scope  memory.Scope
	Owner  memory.Owner // of PERSONAL
}

// args returns the arguments of statements about a partition, together with more.
func (s Partition) args(t *pg.Tx, more pgx.NamedArgs) pgx.NamedArgs {
	args := t.Args(more)
	args["corpus"], args["agent"], args["scope"], args["owner"] = s.Corpus, s.Agent, s.Scope, s.Owner
	return args
}

// Indexed is a document or conversation to be indexed.
type Indexed struct {
	Partition
	UID     uuid.UUID
	version int // of a document
	Entries []index.Entry
}

const (
	// Tokens of all writes come from one sequence. A change of documents has drawn its number already.
	numberOfEvent = `currval('journal_event_id_seq')`
	numberDrawn   = `nextval('journal_event_id_seq')`
)

const (
	// The source is locked while data derived from it is removed, so that a worker that adds vectors runs before or after.
	sqlIndexLock = `
select group_no
from index_sources
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and source_uid = @source
for update`

	sqlIndexForgetVectors = `
select reverie_forget_vectors(@workspace, @agent, p.space_id, @corpus, @scope, @owner, (
    select group_no
    from index_sources
    where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and source_uid = @source))
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent`

	// Rows that a segment has taken stay in it with a tombstone until the segment is merged. A merge in progress has locked the
	// fresh rows: when this statement resumes they no longer exist, and tombstones are written.
	sqlIndexForget = `
with old as materialized (
    select group_no, units
    from index_sources
    where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and source_uid = @source
), fresh as (
    delete from index_fresh f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.corpus = @corpus and f.scope = @scope
        and f.owner_key = @owner and f.group_no = (select group_no from old)
    returning f.units
), gone as (
    delete from index_sources s
    where s.workspace_id = @workspace and s.agent_id = @agent and s.corpus = @corpus and s.source_uid = @source
)
insert into index_graves (workspace_id, agent_id, corpus, scope, owner_key, group_no)
select @workspace, @agent, @corpus, @scope, @owner, old.group_no
from old
where old.units > (select coalesce(sum(units), 0) from fresh)`

	indexAddHead = `
with source as (
    insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format,
        embed_due, token, changed_at)
    values (@workspace, @agent, @corpus, @scope, @owner, @source, @version, @head, @units::int, @format, @units::int > 0, `

	indexAddTail = `, @now)
    on conflict (workspace_id, agent_id, corpus, source_uid) do update set
        head = greatest(index_sources.head, excluded.head),
        units = index_sources.units + excluded.units,
        embed_due = index_sources.embed_due or excluded.embed_due,
        token = excluded.token,
        changed_at = excluded.changed_at
    returning group_no, token
), fresh as (
    insert into index_fresh (workspace_id, agent_id, corpus, scope, owner_key, group_no, head, units, data)
    select @workspace, @agent, @corpus, @scope, @owner, group_no, @head, @units::int, @data
    from source
    where @units::int > 0
)
select token::text
from source`

	sqlIndexDocument = indexAddHead + numberOfEvent + indexAddTail
	// It draws a number of the sequence of writes.
	sqlIndexTurns = indexAddHead + numberDrawn + indexAddTail
)

// queueForget queues removing a source from the index.
func (s Indexed) queueForget(b *pgx.Batch, t *pg.Tx) {
	args := s.args(t, pgx.NamedArgs{"source": s.UID})
	b.Queue(sqlIndexLock, args)
	b.Queue(sqlIndexForgetVectors, args)
	b.Queue(sqlIndexForget, args)
}

// queueAdd queues adding units to a source, which is created when it is not indexed yet.
func (s Indexed) queueAdd(b *pgx.Batch, t *pg.Tx, sql string, token *string) {
	segment := index.NewSegment(s.Entries)
	head := int64(0)
	if n := len(segment.Units); n > 0 {
		head = segment.Units[n-1].Ordinal()
	}
	b.Queue(sql, s.args(t, pgx.NamedArgs{
		"source": s.UID, "version": s.version, "head": head, "units": len(segment.Units), "data": segment.Pack(), "format": indexFormat,
	})).QueryRow(func(row pgx.Row) error { return row.Scan(token) })
}

// IndexDocument queues indexing a version of a document in place of the previous one. The caller must have drawn the number of its
// journal event in the same batch.
func IndexDocument(b *pgx.Batch, t *pg.Tx, p Partition, document uuid.UUID, version int, path, content string, deleted bool) {
	if !memory.Searchable(path) {
		return
	}
	s := Indexed{Partition: p, UID: document, version: version}
	s.queueForget(b, t)
	if !deleted {
		s.Entries = documentEntries(path, content, t.Now)
		token := ""
		s.queueAdd(b, t, sqlIndexDocument, &token)
	}
}

// IndexTurns queues indexing new messages, with Seq set, of a conversation of the identity's owner. token is set when one of them can be
// found.
func IndexTurns(b *pgx.Batch, t *pg.Tx, conversation uuid.UUID, messages []memory.Message, token *string) {
	s := Indexed{
		Partition: Partition{Corpus: search.Sessions, Agent: t.Agent, Scope: memory.ScopePersonal, Owner: t.ID.Owner},
		UID:       conversation,
		Entries:   TurnEntries(messages),
	}
	if len(s.Entries) > 0 {
		s.queueAdd(b, t, sqlIndexTurns, token)
	}
}

// documentEntries chunks and analyses a document.
func documentEntries(path, content string, written time.Time) []index.Entry {
	return index.Entries(0, written.Unix(), chunk.Document(path, content, chunk.DefaultOptions()))
}

// TurnEntries chunks and analyses messages with Seq set.
func TurnEntries(messages []memory.Message) []index.Entry {
	pieces := turnPieces(messages)
	return index.Entries(0, 0, pieces)
}

// turnPieces chunks messages with Seq set. It takes what people and the assistant said, without canned answers of Reverie, which
// repeat what is found anyway.
func turnPieces(messages []memory.Message) []chunk.Piece {
	var pieces []chunk.Piece
	for _, m := range messages {
		if (m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant) && !m.Builtin() {
			pieces = append(pieces, chunk.Turn(chunk.Message{
				Seq: m.Seq, Speaker: m.Name, Assistant: m.Role == memory.RoleOfAssistant, Text: m.Content, At: m.CreatedAt.Unix(),
			}, chunk.DefaultOptions())...)
		}
	}
	return pieces
}

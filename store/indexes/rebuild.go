package indexes

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
	"reverie/store/pg"
)

const (
	// Adds a source without an index format for everything that can be indexed; indexed sources stay searchable until they are
	// indexed again. Sources are numbered in the order in which they were first written.
	sqlIndexStale = `
with missing as (
    insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format,
        embed_due, token, changed_at)
    select @workspace, @agent, corpus, scope, owner_key, source_uid, version, 0, 0, '', true, 0, at
    from (
        select 'memory' as corpus, scope, owner_key, document_id as source_uid, version, updated_at as at
        from documents
        where workspace_id = @workspace and agent_id = @agent and not deleted and version > 0
        union all
        select 'sessions', 'PERSONAL', owner_key, conversation_uid, 0, created_at
        from conversations
        where workspace_id = @workspace and agent_id = @agent
    ) all_of_it
    order by at, source_uid
    on conflict do nothing
    returning 1
), stale as (
    update index_sources set index_format = ''
    where workspace_id = @workspace and agent_id = @agent and index_format <> ''
    returning 1
)
select (select count(*) from missing) + (select count(*) from stale)`

	sqlStaleSources = `
select corpus, scope, owner_key, source_uid
from index_sources
where workspace_id = @workspace and agent_id = @agent and index_format <> @format
order by group_no
limit @limit`

	sqlStaleCount = `
select count(*)
from index_sources
where workspace_id = @workspace and agent_id = @agent and index_format <> @format`

	sqlReindexDocument = `
select d.path, d.version, d.deleted, d.updated_at, v.content
from documents d
cross join lateral (
    select content
    from document_versions v
    where v.workspace_id = d.workspace_id and v.agent_id = d.agent_id and v.document_id = d.document_id and v.version = d.version
    limit 1
) v
where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = @source`

	sqlReindexMessages = `
select seq, message_id, role, name, content, finish_reason, said_at
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @source and seq > @after
order by seq
limit @limit`
)

// reindexMessages is the number of messages that are indexed at once.
const reindexMessages = 500

// StaleIndex marks everything of the identity's agent (without an agent: of the workspace) to be indexed again, including what is
// missing from the index, and returns the number of sources. Searches continue: each source switches automatically.
func (s *Index) StaleIndex(ctx context.Context, id memory.Identity) (int, error) {
	if err := pg.RequireTender(id); err != nil {
		return 0, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlIndexStale, t.Args(nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.Finish(ctx, b)
		return n, err
	})
}

// RebuildIndex indexes up to limit sources that are marked or were indexed by another release, each in its own transaction, and
// returns how many are left.
func (s *Index) RebuildIndex(ctx context.Context, id memory.Identity, limit int) (remaining int, err error) {
	if err := pg.RequireTender(id); err != nil {
		return 0, err
	}
	stale, err := pg.Read(ctx, s.db, id, func(t *pg.Tx) (stale []Indexed, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlStaleSources, t.Args(pgx.NamedArgs{"format": indexFormat, "limit": limit})), &stale,
			func(row pgx.CollectableRow) (s Indexed, err error) {
				s.Agent = id.Agent
				err = row.Scan(&s.Corpus, &s.Scope, &s.Owner, &s.UID)
				return s, err
			})
		err = t.Finish(ctx, b)
		return stale, err
	})
	if err != nil {
		return 0, err
	}
	for _, source := range stale {
		if _, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) { return none, source.Reindex(ctx, t) }); err != nil {
			return 0, err
		}
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlStaleCount, t.Args(pgx.NamedArgs{"format": indexFormat})).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.Finish(ctx, b)
		return n, err
	})
}

// Reindex indexes a source again. It first locks the indexed rows of the source: a writer of the source has committed before, or
// waits here.
func (s Indexed) Reindex(ctx context.Context, t *pg.Tx) error {
	if s.Corpus == search.Sessions {
		return s.reindexConversation(ctx, t)
	}
	return s.reindexDocument(ctx, t)
}

func (s Indexed) reindexDocument(ctx context.Context, t *pg.Tx) error {
	var path, content string
	found, deleted, version, written := false, false, 0, t.Now
	b := &pgx.Batch{}
	b.Queue(sqlIndexLock, s.args(t, pgx.NamedArgs{"source": s.UID}))
	pg.Columns(b.Queue(sqlReindexDocument, s.args(t, pgx.NamedArgs{"source": s.UID})), &found, &path, &version, &deleted, &written, &content)
	if err := t.Send(ctx, b); err != nil {
		return err
	}
	b = &pgx.Batch{}
	s.queueForget(b, t)
	if found && !deleted && memory.Searchable(path) {
		s.version = version
		s.Entries = documentEntries(path, content, written)
		token := ""
		s.queueAdd(b, t, sqlIndexTurns, &token)
	}
	return t.Send(ctx, b)
}

func (s Indexed) reindexConversation(ctx context.Context, t *pg.Tx) error {
	b := &pgx.Batch{}
	s.queueForget(b, t)
	for after := int64(0); ; {
		var messages []memory.Message
		pg.All(
			b.Queue(sqlReindexMessages, s.args(t, pgx.NamedArgs{"source": s.UID, "after": after, "limit": reindexMessages})),
			&messages, pg.ScanMessage,
		)
		if err := t.Send(ctx, b); err != nil {
			return err
		}
		if len(messages) == 0 {
			return nil
		}
		after = messages[len(messages)-1].Seq
		b = &pgx.Batch{}
		if s.Entries = TurnEntries(messages); len(s.Entries) > 0 {
			token := ""
			s.queueAdd(b, t, sqlIndexTurns, &token)
		}
	}
}

package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
)

const (
	// Everything that can be indexed becomes a source that was indexed by nobody; what is indexed stays searchable until
	// its turn comes. Sources are numbered in the order in which they were written, as they were the first time.
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
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = @source`

	sqlReindexMessages = `
select seq, message_id, role, name, content, finish_reason, said_at
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @source and seq > @after
order by seq
limit @limit`
)

// reindexMessages is how many messages of a conversation are indexed at once.
const reindexMessages = 500

// StaleIndex marks everything that the identity's agent has (without an agent: what the workspace has) as to be indexed
// anew, what is missing from the index included, and returns how many sources that are. Searches go on: each source
// changes over by itself.
func (s *Store) StaleIndex(ctx context.Context, id memory.Identity) (int, error) {
	if err := requireTender(id); err != nil {
		return 0, err
	}
	return inTx(ctx, s, id, func(t *tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlIndexStale, t.args(nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.finish(ctx, b)
		return n, err
	})
}

// RebuildIndex indexes up to limit sources anew that are marked or that another release has indexed, and returns how many
// are left. Each is a transaction of its own.
func (s *Store) RebuildIndex(ctx context.Context, id memory.Identity, limit int) (remaining int, err error) {
	if err := requireTender(id); err != nil {
		return 0, err
	}
	stale, err := read(ctx, s, id, func(t *tx) (stale []source, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlStaleSources, t.args(pgx.NamedArgs{"format": indexFormat, "limit": limit})), &stale, func(row pgx.CollectableRow) (s source, err error) {
			s.agent = id.Agent
			err = row.Scan(&s.corpus, &s.scope, &s.owner, &s.uid)
			return s, err
		})
		err = t.finish(ctx, b)
		return stale, err
	})
	if err != nil {
		return 0, err
	}
	for _, source := range stale {
		if _, err := inTx(ctx, s, id, func(t *tx) (none struct{}, err error) { return none, source.reindex(ctx, t) }); err != nil {
			return 0, err
		}
	}
	return read(ctx, s, id, func(t *tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlStaleCount, t.args(pgx.NamedArgs{"format": indexFormat})).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.finish(ctx, b)
		return n, err
	})
}

// reindex indexes a source anew. It locks what is indexed of the source first: a writer of the source either has changed it
// before and committed, or waits here before it does.
func (s source) reindex(ctx context.Context, t *tx) error {
	if s.corpus == search.Sessions {
		return s.reindexConversation(ctx, t)
	}
	return s.reindexDocument(ctx, t)
}

func (s source) reindexDocument(ctx context.Context, t *tx) error {
	d := document{agent: s.agent, owner: s.owner, id: s.uid, ref: memory.Ref{Scope: s.scope}, contents: map[int]string{}}
	written, content := t.now, ""
	b := &pgx.Batch{}
	b.Queue(sqlIndexLock, s.args(t, pgx.NamedArgs{"source": s.uid}))
	one(b.Queue(sqlReindexDocument, s.args(t, pgx.NamedArgs{"source": s.uid})), &d.found, func(row pgx.CollectableRow) error {
		return row.Scan(&d.ref.Path, &d.version, &d.deleted, &written, &content)
	})
	if err := t.send(ctx, b); err != nil {
		return err
	}
	b = &pgx.Batch{}
	s.queueForget(b, t)
	if d.found && !d.deleted && memory.Searchable(d.ref.Path) {
		s.version = d.version
		s.entries = documentEntries(d.ref.Path, content, written)
		token := ""
		s.queueAdd(b, t, sqlIndexTurns, &token)
	}
	return t.finish(ctx, b)
}

func (s source) reindexConversation(ctx context.Context, t *tx) error {
	b := &pgx.Batch{}
	s.queueForget(b, t)
	for after := int64(0); ; {
		var messages []memory.Message
		all(b.Queue(sqlReindexMessages, s.args(t, pgx.NamedArgs{"source": s.uid, "after": after, "limit": reindexMessages})), &messages, scanMessage)
		if err := t.send(ctx, b); err != nil {
			return err
		}
		if len(messages) == 0 {
			return nil
		}
		after = messages[len(messages)-1].Seq
		b = &pgx.Batch{}
		if s.entries = turnEntries(messages); len(s.entries) > 0 {
			token := ""
			s.queueAdd(b, t, sqlIndexTurns, &token)
		}
	}
}

// AgentRef names an agent; an empty Agent stands for what belongs to the workspace.
type AgentRef struct {
	Workspace string `json:"workspace"`
	Agent     string `json:"agent"`
}

const (
	// What another release has indexed, and what waits for vectors when there is somebody who makes them.
	sqlDueAgents = `
(select distinct workspace_id, agent_id from index_sources where index_format < @format limit @limit)
union
(select distinct workspace_id, agent_id from index_sources where index_format > @format limit @limit)
union
(select distinct workspace_id, agent_id from index_sources where embed_due and @vectors::boolean limit @limit)
union
(select distinct workspace_id, agent_id
from index_fresh
group by workspace_id, agent_id, corpus, scope, owner_key
having count(*) >= @from
limit @limit)
limit @limit`
)

// DueAgents lists at most limit agents, of all workspaces, whose index has work to do: something to merge, to index anew, or
// (with vectors) to embed.
func (s *Store) DueAgents(ctx context.Context, vectors bool, limit int) ([]AgentRef, error) {
	sweep := &tx{settings: settings{purpose: purposeSweep}, mode: sqlBeginRead}
	return run(ctx, s, sweep, func(t *tx) (due []AgentRef, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlDueAgents, pgx.NamedArgs{"format": indexFormat, "vectors": vectors, "from": packFrom, "limit": limit}), &due,
			pgx.RowToStructByPos[AgentRef])
		err = t.finish(ctx, b)
		return due, err
	})
}

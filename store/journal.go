package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// EventKind says what an event is about.
type EventKind string

// Kinds of events.
const (
	EventDocumentWritten     EventKind = "document.written"
	EventDocumentDeleted     EventKind = "document.deleted"
	EventDocumentUndeleted   EventKind = "document.undeleted"
	EventDocumentPrompt      EventKind = "document.prompt"      // enabled or sort order changed
	EventDocumentQuarantined EventKind = "document.quarantined" // the scan refused a text; nothing was written
	EventAgentCreated        EventKind = "agent.created"
	EventAgentUpdated        EventKind = "agent.updated"
	EventKeyCreated          EventKind = "key.created"
	EventKeyRevoked          EventKind = "key.revoked"
	// EventFlushAcknowledged: everything in a range of messages is saved, so that it may leave a window.
	EventFlushAcknowledged EventKind = "memory.flush.acknowledged"
)

// Event is one entry of the journal. It has no contents.
type Event struct {
	ID       int64 // ascending; an event of a transaction that took longer may appear later with a smaller one
	Kind     EventKind
	Scope    memory.Scope // of the document; empty for events of an agent or of the workspace, which only admins see
	Owner    memory.Owner
	Document uuid.UUID // zero when the event is not about a stored document
	Path     string
	Version  int
	Author   memory.Author
	Detail   json.RawMessage // verdict and findings of a write; other kinds: what changed, by name
	At       time.Time
}

// JournalFilter limits a list of events.
type JournalFilter struct {
	After int64  // events behind this id
	Path  string // of the document; empty: all
	Limit int    // 0: DefaultPage, at most MaxPage
}

const (
	sqlJournal = `
select j.*
from (select @agent::text as agent_id union select '') a
cross join lateral (
    select event_id, kind, scope, owner_key, document_id, path, version, author_kind, author_id, workflow_id, run_id, detail, at
    from journal
    where workspace_id = @workspace and agent_id = a.agent_id and event_id > @after and (@path = '' or path = @path)
    order by event_id
    limit @limit
) j
order by j.event_id
limit @limit`

	// The events of one transaction, and with them the receipt that an idempotency key gives again: its token is the
	// number of the last event.
	sqlJournalInsert = `
with events as (
    insert into journal (workspace_id, agent_id, owner_key, scope, kind, document_id, path, version,
        author_kind, author_id, workflow_id, run_id, detail, at)
    select @workspace, e.agent_id, e.owner_key, e.scope, e.kind, e.document_id, e.path, e.version,
        @author_kind, @author_id, @workflow, @run, e.detail, @now
    from unnest(@agents::text[], @owners::text[], @scopes::text[], @kinds::text[], @documents::uuid[], @paths::text[],
        @versions::int[], @details::jsonb[]) e (agent_id, owner_key, scope, kind, document_id, path, version, detail)
    returning event_id
), token as (
    select coalesce(max(event_id)::text, '') as value from events
), remembered as (
    insert into write_ledger (workspace_id, agent_id, owner_key, key, receipt, created_at)
    select @workspace, @agent, @owner, @key, jsonb_set(@receipt::jsonb, '{token}', to_jsonb(token.value)), @now
    from token
    where @key::text <> ''
)
select value from token`
)

// Journal lists events that the identity sees, oldest first.
func (s *Store) Journal(ctx context.Context, id memory.Identity, f JournalFilter) ([]Event, error) {
	return read(ctx, s, id, func(t *tx) (events []Event, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlJournal, t.args(pgx.NamedArgs{"after": f.After, "path": f.Path, "limit": limitOf(f.Limit)})), &events, scanEvent)
		err = t.finish(ctx, b)
		return events, err
	})
}

func scanEvent(row pgx.CollectableRow) (e Event, err error) {
	var document uuid.NullUUID
	err = row.Scan(&e.ID, &e.Kind, &e.Scope, &e.Owner, &document, &e.Path, &e.Version,
		&e.Author.Kind, &e.Author.ID, &e.Author.WorkflowID, &e.Author.RunID, &e.Detail, &e.At)
	e.Document = document.UUID
	return e, err
}

// event is an entry to write.
type event struct {
	kind     EventKind
	agent    string // empty for what belongs to the workspace
	scope    memory.Scope
	owner    memory.Owner
	document uuid.NullUUID
	path     string
	version  int
	detail   any // as JSON
}

// queueEvent queues the insert of one event that belongs to no write of documents, by the identity's author.
func queueEvent(b *pgx.Batch, t *tx, e event) error {
	_, err := queueEvents(b, t, t.id.Author, []event{e}, "", memory.Receipt{})
	return err
}

// queueEvents queues the insert of events, and of receipt under key unless key is empty. The query returns the token.
func queueEvents(b *pgx.Batch, t *tx, author memory.Author, events []event, key string, receipt memory.Receipt) (*pgx.QueuedQuery, error) {
	stored, err := json.Marshal(receipt)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	n := len(events)
	agents, owners, scopes, kinds, paths := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	documents, versions, details := make([]uuid.NullUUID, n), make([]int, n), make([]string, n)
	for i, e := range events {
		detail, err := json.Marshal(e.detail)
		if err != nil {
			return nil, fmt.Errorf("event: %w", err)
		}
		agents[i], owners[i], scopes[i], kinds[i], paths[i] = e.agent, string(e.owner), string(e.scope), string(e.kind), e.path
		documents[i], versions[i], details[i] = e.document, e.version, string(detail)
	}
	return b.Queue(sqlJournalInsert, t.args(pgx.NamedArgs{
		"agents": agents, "owners": owners, "scopes": scopes, "kinds": kinds, "documents": documents, "paths": paths,
		"versions": versions, "details": details, "key": key, "receipt": string(stored),
		"author_kind": author.Kind, "author_id": author.ID, "workflow": author.WorkflowID, "run": author.RunID,
	})), nil
}

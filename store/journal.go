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
	// EventRecallRecorded: results of a search were used.
	EventRecallRecorded EventKind = "memory.recall.recorded"
	// EventPromotionApplied: a dream wrote statements to MEMORY.md.
	EventPromotionApplied EventKind = "memory.promotion.applied"
	// EventDreamCompleted: a dream ended, however it did.
	EventDreamCompleted EventKind = "memory.dream.completed"
)

// Event is one entry of the journal. It has no contents.
type Event struct {
	// ID is its number, drawn when it was written. An event of a transaction that took longer appears behind larger ones: the order
	// of the journal is that of Cursor.
	ID          int64
	Transaction int64 // that wrote it, with the epoch of its cluster: reverie_transaction in the schema
	Kind        EventKind
	// Scope is that of the document, or says who may read an event that is about none: its owner (PERSONAL) or everybody who uses
	// the agent (TEAM). Empty: only admins, as events of an agent or of the workspace.
	Scope    memory.Scope
	Owner    memory.Owner
	Document uuid.UUID // zero when the event is not about a stored document
	Path     string
	Version  int
	Author   memory.Author
	Detail   json.RawMessage // what happened by names and numbers: verdict and findings of a write, counts and hashes of others
	At       time.Time
}

// Cursor is the place of the event in the journal.
func (e Event) Cursor() JournalCursor { return JournalCursor{Transaction: e.Transaction, Event: e.ID} }

// JournalFilter limits a list of events.
type JournalFilter struct {
	After JournalCursor // events behind it; the zero value: from the first one
	Path  string        // of the document; empty: all
	Kinds []EventKind   // empty: all
	Limit int           // 0: DefaultPage, at most MaxPage
}

// JournalPage is a part of the journal.
type JournalPage struct {
	Events []Event
	// Next is where to read on: nothing that is seen later stands before it, however few events this part has.
	Next JournalCursor
	// More is true when Limit ended this part, so that there may be more already.
	More bool
}

const (
	// What has happened completely, as one moment sees it: all transactions below the first number have ended, and none has
	// a number from the second one on.
	sqlJournalComplete = `
select reverie_transaction(pg_snapshot_xmin(s)), reverie_transaction(pg_snapshot_xmax(s))
from pg_current_snapshot() s`

	// Events of transactions that ran beside one that is not over wait for it.
	sqlJournal = `
select j.*
from (select @agent::text as agent_id union select '') a
cross join lateral (
    select event_id, transaction_id, kind, scope, owner_key, document_id, path, version, author_kind, author_id, workflow_id, run_id,
        detail, at
    from journal
    where workspace_id = @workspace and agent_id = a.agent_id and (transaction_id, event_id) > (@transaction::bigint, @event::bigint)
        and transaction_id < (select reverie_transaction(pg_snapshot_xmin(pg_current_snapshot())))
        and (@path = '' or path = @path)
        and (cardinality(@kinds::text[]) = 0 or kind = any (@kinds))
    order by transaction_id, event_id
    limit @limit
) j
order by j.transaction_id, j.event_id
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

// Journal lists events that the identity sees, in an order to which nothing is ever added but at its end: an event is shown as soon
// as every transaction that was running beside its own has ended, as a rule at once. It returns *InvalidError for a cursor that
// is none of this database.
func (s *Store) Journal(ctx context.Context, id memory.Identity, f JournalFilter) (JournalPage, error) {
	kinds := make([]string, len(f.Kinds))
	for i, kind := range f.Kinds {
		kinds[i] = string(kind)
	}
	limit := limitOf(f.Limit)
	return snapshot(ctx, s, id, func(t *tx) (page JournalPage, err error) {
		var complete, ahead int64
		var found bool
		b := &pgx.Batch{}
		one(b.Queue(sqlJournalComplete), &found, func(row pgx.CollectableRow) error { return row.Scan(&complete, &ahead) })
		all(b.Queue(sqlJournal, t.args(pgx.NamedArgs{
			"transaction": f.After.Transaction, "event": f.After.Event, "path": f.Path, "kinds": kinds, "limit": limit,
		})), &page.Events, scanEvent)
		if err := t.finish(ctx, b); err != nil {
			return JournalPage{}, err
		}
		if f.After.Transaction > ahead {
			return JournalPage{}, &InvalidError{Field: "after", Problem: "this is no place in this journal: begin without one"}
		}
		page.Next, page.More = f.After, len(page.Events) == limit
		if n := len(page.Events); n > 0 {
			page.Next = page.Events[n-1].Cursor()
		}
		if !page.More {
			page.Next = page.Next.notBefore(JournalCursor{Transaction: complete})
		}
		return page, nil
	})
}

// JournalEnd is the place behind everything that the journal shows now. What happens from now on stands behind it.
func (s *Store) JournalEnd(ctx context.Context, id memory.Identity) (JournalCursor, error) {
	return read(ctx, s, id, func(t *tx) (end JournalCursor, err error) {
		var ahead int64
		var found bool
		b := &pgx.Batch{}
		one(b.Queue(sqlJournalComplete), &found, func(row pgx.CollectableRow) error { return row.Scan(&end.Transaction, &ahead) })
		err = t.finish(ctx, b)
		return end, err
	})
}

func scanEvent(row pgx.CollectableRow) (e Event, err error) {
	var document uuid.NullUUID
	err = row.Scan(&e.ID, &e.Transaction, &e.Kind, &e.Scope, &e.Owner, &document, &e.Path, &e.Version,
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

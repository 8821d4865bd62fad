package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
	"reverie/store/pg"
)

// EventKind is the kind of an event.
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
	EventKeyRotated          EventKind = "key.rotated"
	// EventFlushAcknowledged: a range of messages is saved and may leave the context window.
	EventFlushAcknowledged EventKind = "memory.flush.acknowledged"
	// EventRecallRecorded: results of a search were used.
	EventRecallRecorded EventKind = "memory.recall.recorded"
	// EventPromotionApplied: a dream wrote statements to MEMORY.md.
	EventPromotionApplied EventKind = "memory.promotion.applied"
	// EventDreamCompleted: a dream ended, with any outcome.
	EventDreamCompleted EventKind = "memory.dream.completed"
	// EventDoctorFixed: the doctor fixed findings; the detail has their code and number.
	EventDoctorFixed EventKind = "memory.doctor.fixed"
	// EventApprovalRequested: lines of an automatic change wait for a person. EventApprovalReminded: they still do, day by day.
	EventApprovalRequested EventKind = "memory.approval.requested"
	EventApprovalReminded  EventKind = "memory.approval.reminded"
	// EventApprovalDecided: a person has approved, edited or refused lines. EventApprovalExpired: nobody did in time.
	EventApprovalDecided EventKind = "memory.approval.decided"
	EventApprovalExpired EventKind = "memory.approval.expired"
	// EventTurnStarted: the first message after a completed turn, or of a conversation, is stored.
	EventTurnStarted EventKind = "turn.started"
	// EventTurnCompleted: all messages up to the last one of the detail belong to completed turns.
	EventTurnCompleted EventKind = "turn.completed"
)

// EventKinds are all kinds of events.
var EventKinds = []EventKind{
	EventDocumentWritten, EventDocumentDeleted, EventDocumentUndeleted, EventDocumentPrompt, EventDocumentQuarantined, EventAgentCreated,
	EventAgentUpdated, EventKeyCreated, EventKeyRevoked, EventKeyRotated, EventFlushAcknowledged, EventRecallRecorded, EventPromotionApplied,
	EventDreamCompleted, EventDoctorFixed, EventApprovalRequested, EventApprovalReminded, EventApprovalDecided, EventApprovalExpired,
	EventTurnStarted, EventTurnCompleted,
}

// CheckKinds returns an *InvalidError for the first of kinds that no event has.
func CheckKinds[K ~string](field string, kinds []K) error {
	i := slices.IndexFunc(kinds, func(k K) bool { return !slices.Contains(EventKinds, EventKind(k)) })
	if i < 0 {
		return nil
	}
	known := make([]string, len(EventKinds))
	for i, k := range EventKinds {
		known[i] = string(k)
	}
	return &pg.InvalidError{
		Field: field, Problem: fmt.Sprintf("there is no kind %q of events: use some of %s", kinds[i], strings.Join(known, ", ")),
	}
}

// Event is one entry of the journal. It has no contents.
type Event struct {
	// ID is the number drawn when the event was written. An event of a longer transaction appears after larger ones: Cursor defines
	// the order of the journal.
	ID          int64
	Transaction int64 // that wrote it, with the epoch of its cluster: reverie_transaction in the schema
	Kind        EventKind
	// Scope is the document's. For an event about no document it defines who may read it: its owner (PERSONAL), or everybody who
	// uses the agent (TEAM). Empty: only admins, as for events of an agent or the workspace.
	Scope    memory.Scope
	Owner    memory.Owner
	Document uuid.UUID // zero when the event is not about a stored document
	Path     string
	Version  int
	Author   memory.Author
	Detail   json.RawMessage // names and numbers: verdict and findings of a write, counts and hashes of other events
	At       time.Time
}

// Cursor returns the place of the event in the journal.
func (e Event) Cursor() JournalCursor { return JournalCursor{Transaction: e.Transaction, Event: e.ID} }

// JournalFilter limits a list of events.
type JournalFilter struct {
	After JournalCursor // events after it; the zero value: from the first one
	Path  string        // of the document; empty: all
	Kinds []EventKind   // empty: all
	Limit int           // 0: DefaultPage, at most MaxPage
}

// JournalPage is one part of the journal.
type JournalPage struct {
	Events []Event
	// Next is the cursor for the next part. Later events never appear before it.
	Next JournalCursor
	// More reports whether Limit ended this part, so that there may be more already.
	More bool
}

const (
	// All transactions below the first number have ended, and none has a number from the second one on. The first is kept for the
	// statements after it: processes and locks are not seen as of one moment.
	sqlJournalComplete = `
select set_config('reverie.journal_horizon', reverie_journal_horizon()::text, true)::bigint,
    reverie_transaction(pg_snapshot_xmax(pg_current_snapshot()))`

	// Events of transactions that overlap one of this database that is still running are held back.
	sqlJournal = `
select j.*
from (select @agent::text as agent_id union select '') a
cross join lateral (
    select event_id, transaction_id, kind, scope, owner_key, document_id, path, version, author_kind, author_id, workflow_id, run_id,
        detail, at
    from journal
    where workspace_id = @workspace and agent_id = a.agent_id and (transaction_id, event_id) > (@transaction::bigint, @event::bigint)
        and transaction_id < (select current_setting('reverie.journal_horizon')::bigint)
        and (@path = '' or path = @path)
        and (cardinality(@kinds::text[]) = 0 or kind = any (@kinds))
    order by transaction_id, event_id
    limit @limit
) j
order by j.transaction_id, j.event_id
limit @limit`

	sqlJournalLatest = `
select event_id, transaction_id, kind, scope, owner_key, document_id, path, version, author_kind, author_id, workflow_id, run_id, detail, at
from journal
where workspace_id = @workspace and agent_id = @agent and kind = any (@kinds::text[]) and author_kind = any (@authors::text[])
    and at < @before
order by transaction_id desc, event_id desc
limit @limit`

	// Writes the events of one transaction, and the receipt of its idempotency key. The token is the number of the last event.
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

// Journal lists events that the identity sees, in an order that only grows at its end: an event appears once every transaction that
// ran at the same time has ended, usually at once. It returns *InvalidError for a cursor of another database.
func (s *Gate) Journal(ctx context.Context, id memory.Identity, f JournalFilter) (JournalPage, error) {
	kinds := make([]string, len(f.Kinds))
	for i, kind := range f.Kinds {
		kinds[i] = string(kind)
	}
	limit := pg.LimitOf(f.Limit)
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (page JournalPage, err error) {
		var complete, ahead int64
		var found bool
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlJournalComplete), &found, &complete, &ahead)
		pg.All(b.Queue(sqlJournal, t.Args(pgx.NamedArgs{
			"transaction": f.After.Transaction, "event": f.After.Event, "path": f.Path, "kinds": kinds, "limit": limit,
		})), &page.Events, scanEvent)
		if err := t.Finish(ctx, b); err != nil {
			return JournalPage{}, err
		}
		if f.After.Transaction > ahead {
			return JournalPage{}, &pg.InvalidError{Field: "after", Problem: "not a cursor of this journal: start without one"}
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

// Latest lists events of an agent that the identity sees, newest first, of some kinds, by some kinds of authors, and before a time.
func (s *Gate) Latest(ctx context.Context, id memory.Identity, kinds []EventKind, authors []memory.AuthorKind, before time.Time, limit int) ([]Event, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlJournalLatest, pgx.NamedArgs{
		"kinds": kinds, "authors": authors, "before": before, "limit": pg.LimitOf(limit),
	}, scanEvent)
}

// JournalEnd returns the cursor after all events that the journal shows now.
func (s *Gate) JournalEnd(ctx context.Context, id memory.Identity) (JournalCursor, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (end JournalCursor, err error) {
		var ahead int64
		var found bool
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlJournalComplete), &found, &end.Transaction, &ahead)
		err = t.Finish(ctx, b)
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

// JournalEvent is an entry to write.
type JournalEvent struct {
	Kind     EventKind
	Agent    string // empty for what belongs to the workspace
	Scope    memory.Scope
	Owner    memory.Owner
	Document uuid.NullUUID
	Path     string
	Version  int
	Detail   any // as JSON
}

// QueueEvent queues events that belong to no change of a document, by the identity's author.
func QueueEvent(b *pgx.Batch, t *pg.Tx, events ...JournalEvent) error {
	_, err := queueEvents(b, t, t.ID.Author, events, "", memory.Receipt{})
	return err
}

// queueEvents queues events, and a receipt unless key is empty. The query returns the token.
func queueEvents(b *pgx.Batch, t *pg.Tx, author memory.Author, events []JournalEvent, key string, receipt memory.Receipt) (*pgx.QueuedQuery, error) {
	stored, err := json.Marshal(receipt)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	n := len(events)
	agents, owners, scopes, kinds, paths := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	documents, versions, details := make([]uuid.NullUUID, n), make([]int, n), make([]string, n)
	for i, e := range events {
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			return nil, fmt.Errorf("event: %w", err)
		}
		agents[i], owners[i], scopes[i], kinds[i], paths[i] = e.Agent, string(e.Owner), string(e.Scope), string(e.Kind), e.Path
		documents[i], versions[i], details[i] = e.Document, e.Version, string(detail)
	}
	return b.Queue(sqlJournalInsert, t.Args(pgx.NamedArgs{
		"agents": agents, "owners": owners, "scopes": scopes, "kinds": kinds, "documents": documents, "paths": paths,
		"versions": versions, "details": details, "key": key, "receipt": string(stored),
		"author_kind": author.Kind, "author_id": author.ID, "workflow": author.WorkflowID, "run": author.RunID,
	})), nil
}

// JournalCursor is a place in the journal of one database, after an event. The zero value is the beginning.
type JournalCursor struct {
	Transaction int64
	Event       int64
}

// String returns the cursor as two numbers with a hyphen.
func (c JournalCursor) String() string { return fmt.Sprintf("%d-%d", c.Transaction, c.Event) }

// ParseJournalCursor parses the result of String; the empty text is the beginning. It returns *InvalidError for anything else.
func ParseJournalCursor(text string) (JournalCursor, error) {
	if text == "" {
		return JournalCursor{}, nil
	}
	transaction, event, found := strings.Cut(text, "-")
	t, terr := strconv.ParseInt(transaction, 10, 64)
	e, eerr := strconv.ParseInt(event, 10, 64)
	if !found || terr != nil || eerr != nil || t < 0 || e < 0 {
		return JournalCursor{}, &pg.InvalidError{Field: "after", Problem: "use a cursor from a list of events"}
	}
	return JournalCursor{Transaction: t, Event: e}, nil
}

// notBefore returns the later one of two cursors.
func (c JournalCursor) notBefore(other JournalCursor) JournalCursor {
	if c.Transaction < other.Transaction || c.Transaction == other.Transaction && c.Event < other.Event {
		return other
	}
	return c
}

// ChangeDetail is the detail of an event about a write.
type ChangeDetail struct {
	Op       memory.Op         `json:"op,omitempty"`
	Strategy markdown.Strategy `json:"strategy,omitempty"` // of a merge
	Verdict  scan.Verdict      `json:"verdict"`
	Findings []scan.Finding    `json:"findings,omitempty"` // class, rule and line, never the text
	Added    int               `json:"added,omitempty"`    // lines
	Removed  int               `json:"removed,omitempty"`  // lines
	Merged   bool              `json:"merged,omitempty"`
}

// changeEvent is the event of a new version.
func changeEvent(d *document, c *checked, v memory.Version) JournalEvent {
	kind := EventDocumentWritten
	switch c.Op {
	case memory.OpDelete:
		kind = EventDocumentDeleted
	case memory.OpUndelete:
		kind = EventDocumentUndeleted
	}
	return JournalEvent{
		Kind: kind, Agent: d.agent, Scope: d.ref.Scope, Owner: d.owner, Path: d.ref.Path, Version: v.Number,
		Document: uuid.NullUUID{UUID: d.id, Valid: true},
		Detail: ChangeDetail{
			Op: c.Op, Strategy: c.Strategy, Verdict: c.verdict, Findings: c.findings, Added: v.Added, Removed: v.Removed, Merged: v.Merged,
		},
	}
}

// QuarantineEvent is the event of a refused text. It names no stored document, since there may be none.
func QuarantineEvent(id memory.Identity, refusal *pg.QuarantineError) JournalEvent {
	scope := refusal.Ref.Scope
	return JournalEvent{
		Kind: EventDocumentQuarantined, Agent: rowAgent(id, scope), Scope: scope, Owner: RowOwner(id, scope), Path: refusal.Ref.Path,
		Detail: ChangeDetail{Verdict: scan.VerdictQuarantine, Findings: refusal.Findings},
	}
}

// promptEvent is the event of a change of a document's place in the system prompt.
func promptEvent(id memory.Identity, d memory.Document) JournalEvent {
	return JournalEvent{
		Kind: EventDocumentPrompt, Agent: rowAgent(id, d.Scope), Scope: d.Scope, Owner: d.Owner, Path: d.Path, Version: d.Version,
		Document: uuid.NullUUID{UUID: d.ID, Valid: true},
		Detail: struct {
			Enabled   bool `json:"enabled"`
			SortOrder int  `json:"sortOrder"`
		}{d.Enabled, d.SortOrder},
	}
}

package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Batch is a batch of messages for one conversation of the identity's owner.
type Batch struct {
	Conversation string // the client's id, at most memory.MaxConversation bytes
	// Trigger is the origin of the conversation. It is used when the batch begins the conversation.
	Trigger      memory.Trigger
	TurnComplete bool             // the last message ends a turn, so that extraction may begin
	Messages     []memory.Message // 1 to memory.MaxBatchMessages, in order; Seq is ignored
}

// Stored is the result of storing a batch.
type Stored struct {
	ConversationUID uuid.UUID
	OwnerID         uuid.UUID
	Stored          int   // new messages
	Duplicates      int   // messages that were stored before
	LastSeq         int64 // of the conversation
	Turn            int64 // the owner's turn that this batch completed, from 1; 0: none
	// Token is for read-your-writes, like memory.Receipt.Token; empty when nothing new can be found.
	Token string
}

const (
	sqlConversationEnsure = `
insert into conversations (workspace_id, agent_id, conversation_id, conversation_uid, owner_key, trigger_source, created_at, updated_at)
values (@workspace, @agent, @conversation, @uid, @owner, @trigger, @now, @now)
on conflict do nothing`

	// Batches of one conversation wait here.
	sqlConversationLock = `
select c.conversation_uid, c.last_seq, c.complete_seq, c.trigger_source, ` + ownerIDOf + `
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_id = @conversation and c.owner_key = @owner
for no key update`

	// New messages are added after the last one, in the order of the batch. The others are compared: reused is the id of one whose
	// content differs. Each id is looked up separately (ensured by limit 1): a plan that was made while the table was small would
	// join the whole conversation.
	sqlMessagesInsert = `
with c as materialized (
    select conversation_uid
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner
), incoming as materialized (
    select c.conversation_uid, i.*, m.seq is not null as known, m.role = i.role and m.name = i.name and m.content = i.content
            and m.tool_calls = i.tool_calls and m.tool_call_id = i.tool_call_id as same
    from c
    cross join unnest(@ids::text[], @roles::text[], @names::text[], @contents::text[], @finish_reasons::text[], @said_at::timestamptz[],
            @tool_calls::jsonb[], @tool_call_ids::text[])
        with ordinality i (message_id, role, name, content, finish_reason, said_at, tool_calls, tool_call_id, place)
    left join lateral (
        select m.seq, m.role, m.name, m.content, m.tool_calls, m.tool_call_id
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent
            and m.conversation_uid = c.conversation_uid and m.message_id = i.message_id
        limit 1
    ) m on true
), stored as (
    insert into messages (workspace_id, agent_id, conversation_uid, seq, owner_key, message_id, role, name, content,
        finish_reason, said_at, tool_calls, tool_call_id, stored_at, author_id)
    select @workspace, @agent, i.conversation_uid,
        row_number() over (order by i.place) + coalesce((
            select m.seq
            from messages m
            where m.workspace_id = @workspace and m.agent_id = @agent
                and m.conversation_uid = (select conversation_uid from c)
            order by m.seq desc
            limit 1), 0),
        @owner, i.message_id, i.role, i.name, i.content, i.finish_reason, i.said_at, i.tool_calls, i.tool_call_id, @now, @author
    from incoming i
    where not i.known
    returning seq, message_id
)
select (select coalesce(array_agg(message_id order by seq), '{}') from stored), (select coalesce(min(seq), 0) from stored),
    (select count(*) from incoming where known), (select min(message_id) from incoming where not same)`

	sqlConversationGrow = `
update conversations set
    last_seq = @last,
    complete_seq = @complete,
    pending_since = case when @complete > considered_seq then coalesce(pending_since, @now) end,
    waiting_since = case when @complete < @last then coalesce(waiting_since, @now) end,
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner`

	sqlOwnerTurn = `
update owners set turn = turn + 1, turn_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
returning turn`

	sqlMessages = `
select ` + wholeMessage + `
from messages m
where m.workspace_id = @workspace and m.agent_id = @agent and m.seq > @after
    and m.conversation_uid = (
        select conversation_uid
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner)
order by m.seq
limit @limit`
)

// AppendMessages stores a batch, all of it or nothing. A message whose id is stored already is skipped; when its role, name,
// content or tool calls differ, the batch is refused (*ConflictError with CodeMessageIDReused). A new conversation is created; one
// of another owner with the same id is another conversation. Sequence numbers follow the order of the batch, without gaps. A completed
// turn counts once, however often its batch is sent.
//
// It costs two round trips, and one more statement for every maxStatementBytes of contents.
func (s *Talk) AppendMessages(ctx context.Context, id memory.Identity, b Batch) (Stored, error) {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return Stored{}, err
	}
	messages, err := b.distinct(s.db.Now().UTC())
	if err != nil {
		return Stored{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Stored, error) {
		batch := &pgx.Batch{}
		state := conversationState{args: t.Args(pgx.NamedArgs{
			"conversation": b.Conversation, "uid": pg.NewID(), "trigger": b.Trigger, "owner_id": pg.NewID(), "author": id.Author.ID,
		}), conversation: b.Conversation}
		batch.Queue(gate.SQLOwnerEnsure, state.args)
		batch.Queue(sqlConversationEnsure, state.args)
		state.queueLock(batch)
		state.stored.Duplicates = len(b.Messages) - len(messages)
		for _, part := range Parts(messages) {
			if err := state.queueMessages(batch, part); err != nil {
				return Stored{}, err
			}
		}
		if err := t.Send(ctx, batch); err != nil {
			return Stored{}, err
		}
		switch {
		case !state.found:
			return Stored{}, noConversation()
		case state.reused != nil:
			return Stored{}, reusedID(*state.reused)
		}
		err := state.finish(ctx, t, b.TurnComplete)
		return state.stored, err
	})
}

func reusedID(id string) error {
	return &pg.ConflictError{
		Code:    pg.CodeMessageIDReused,
		Message: fmt.Sprintf("message id %q is already stored with other content: the batch was not stored, give the message a new id", id),
	}
}

// CompleteTurn marks all messages of the owner's conversation as complete. Turn is 0 when they already were.
func (s *Talk) CompleteTurn(ctx context.Context, id memory.Identity, conversation string) (Stored, error) {
	if err := requireConversation(id, conversation); err != nil {
		return Stored{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Stored, error) {
		batch := &pgx.Batch{}
		state := conversationState{args: t.Args(pgx.NamedArgs{"conversation": conversation}), conversation: conversation}
		state.queueLock(batch)
		if err := t.Send(ctx, batch); err != nil {
			return Stored{}, err
		}
		if !state.found {
			return Stored{}, noConversation()
		}
		err := state.finish(ctx, t, true)
		return state.stored, err
	})
}

// requireConversation refuses identities that cannot write to a conversation of their owner.
func requireConversation(id memory.Identity, conversation string) error {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return err
	}
	return memory.ValidConversation(conversation)
}

// conversationState is a conversation while its row is locked.
type conversationState struct {
	args         pgx.NamedArgs // of statements about it
	conversation string        // the client's id
	found        bool
	complete     int64
	trigger      memory.Trigger
	reused       *string          // id of a message that was stored with other words
	fresh        []memory.Message // stored now, with their numbers
	stored       Stored
}

func (c *conversationState) queueLock(b *pgx.Batch) {
	pg.Columns(
		b.Queue(sqlConversationLock, c.args), &c.found, &c.stored.ConversationUID, &c.stored.LastSeq, &c.complete, &c.trigger,
		&c.stored.OwnerID,
	)
}

func (c *conversationState) queueMessages(b *pgx.Batch, messages []memory.Message) error {
	args, err := columnsOf(messages, maps.Clone(c.args))
	if err != nil {
		return err
	}
	b.Queue(sqlMessagesInsert, args).QueryRow(func(row pgx.Row) error {
		var ids []string
		var first int64
		var known int
		var reused *string
		if err := row.Scan(&ids, &first, &known, &reused); err != nil {
			return err
		}
		c.stored.Stored += len(ids)
		c.stored.Duplicates += known
		c.stored.LastSeq += int64(len(ids))
		c.take(messages, ids, first)
		if c.reused == nil {
			c.reused = reused
		}
		return nil
	})
	return nil
}

// take records which messages are new: those with the ids, which were numbered without gaps from first on.
func (c *conversationState) take(messages []memory.Message, ids []string, first int64) {
	for _, m := range messages { // both are in the order of the batch
		if len(ids) > 0 && m.ID == ids[0] {
			m.Seq = first
			c.fresh = append(c.fresh, m)
			ids, first = ids[1:], first+1
		}
	}
}

// finish updates the conversation's numbers, indexes new messages, counts a turn when more is complete than before, and commits. A
// completed turn is news for the next dream unless the system itself caused the conversation.
func (c *conversationState) finish(ctx context.Context, t *pg.Tx, turnComplete bool) error {
	complete := c.complete
	if turnComplete {
		complete = c.stored.LastSeq
	}
	b := &pgx.Batch{}
	if c.stored.Stored > 0 || complete > c.complete {
		c.args["last"], c.args["complete"] = c.stored.LastSeq, complete
		b.Queue(sqlConversationGrow, c.args)
	}
	if complete > c.complete {
		b.Queue(sqlOwnerTurn, c.args).QueryRow(func(row pgx.Row) error { return row.Scan(&c.stored.Turn) })
	}
	if events := c.turnEvents(t.ID, complete); len(events) > 0 {
		if err := gate.QueueEvent(b, t, events...); err != nil {
			return err
		}
	}
	indexes.IndexTurns(b, t, c.stored.ConversationUID, c.fresh, &c.stored.Token)
	if complete > c.complete && c.trigger != memory.TriggerCron && c.trigger != memory.TriggerDream {
		gate.QueueMark(b, t, t.ID.Owner)
	}
	return t.Finish(ctx, b)
}

// turnEvents are the events of a turn that starts, or is complete, with what is stored now. Imported conversations have none,
// because they are over.
func (c *conversationState) turnEvents(id memory.Identity, complete int64) (events []gate.JournalEvent) {
	if c.trigger == memory.TriggerImport {
		return nil
	}
	scope := memory.ScopePersonal
	if id.Owner == memory.SystemOwner {
		scope = memory.ScopeTeam
	}
	add := func(kind gate.EventKind, to int64) {
		events = append(events, gate.JournalEvent{
			Kind: kind, Agent: id.Agent, Scope: scope, Owner: gate.RowOwner(id, scope),
			Detail: TurnDetail{c.conversation, c.trigger, c.complete + 1, to},
		})
	}
	if before := c.stored.LastSeq - int64(c.stored.Stored); c.stored.Stored > 0 && before == c.complete {
		add(gate.EventTurnStarted, before+1)
	}
	if complete > c.complete {
		add(gate.EventTurnCompleted, complete)
	}
	return events
}

// TurnDetail is the detail of an event about a turn: its messages, of which a turn that starts has one.
type TurnDetail struct {
	Conversation string         `json:"conversation"`
	Trigger      memory.Trigger `json:"trigger"`
	From         int64          `json:"from"`
	To           int64          `json:"to"`
}

// Messages lists at most limit messages of the owner's conversation after a sequence number, oldest first.
func (s *Talk) Messages(ctx context.Context, id memory.Identity, conversation string, after int64, limit int) ([]memory.Message, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(
		ctx, s.db, id, sqlMessages, pgx.NamedArgs{"conversation": conversation, "after": after, "limit": pg.LimitOf(limit)}, scanWhole,
	)
}

// maxStatementBytes bounds the contents in one statement, so that the server does not hold the largest batch (256 MB) several
// times.
const maxStatementBytes = 8 << 20

// distinct checks a batch and returns its messages without duplicates; those without a time get now.
func (b Batch) distinct(now time.Time) ([]memory.Message, error) {
	if err := memory.ValidBatch(b.Conversation, b.Trigger, b.Messages); err != nil {
		return nil, err
	}
	messages := make([]memory.Message, 0, len(b.Messages))
	seen := make(map[string]memory.Message, len(b.Messages))
	for _, m := range b.Messages {
		if before, ok := seen[m.ID]; ok {
			if !sameMessage(before, m) {
				return nil, reusedID(m.ID)
			}
			continue
		}
		seen[m.ID] = m
		if m.CreatedAt.IsZero() {
			m.CreatedAt = now
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// sameMessage reports whether two messages with one id are equal.
func sameMessage(a, b memory.Message) bool {
	return a.Role == b.Role && a.Name == b.Name && a.Content == b.Content && a.ToolCallID == b.ToolCallID &&
		slices.Equal(a.ToolCalls, b.ToolCalls)
}

// Parts splits messages into runs of at most maxStatementBytes.
func Parts(messages []memory.Message) [][]memory.Message {
	var cut [][]memory.Message
	start, size := 0, 0
	for i, m := range messages {
		if size += sizeOf(m); size > maxStatementBytes && i > start {
			cut = append(cut, messages[start:i])
			start, size = i, sizeOf(m)
		}
	}
	return append(cut, messages[start:])
}

// columnsOf adds messages to args, one array for each column.
func columnsOf(messages []memory.Message, args pgx.NamedArgs) (pgx.NamedArgs, error) {
	n := len(messages)
	ids, roles, names := make([]string, n), make([]string, n), make([]string, n)
	contents, finish, said := make([]string, n), make([]string, n), make([]time.Time, n)
	calls, answered := make([]string, n), make([]string, n)
	for i, m := range messages {
		ids[i], roles[i], names[i] = m.ID, m.Role, m.Name
		contents[i], finish[i], said[i] = m.Content, m.FinishReason, m.CreatedAt
		column, err := callsColumn(m.ToolCalls)
		if err != nil {
			return nil, err
		}
		calls[i], answered[i] = column, m.ToolCallID
	}
	args["ids"], args["roles"], args["names"] = ids, roles, names
	args["contents"], args["finish_reasons"], args["said_at"] = contents, finish, said
	args["tool_calls"], args["tool_call_ids"] = calls, answered
	return args, nil
}

// wholeMessage are all columns of a message m, in the order of scanWhole.
const wholeMessage = `m.seq, m.message_id, m.role, m.name, m.content, m.finish_reason, m.said_at,
    nullif(m.tool_calls, '[]'), m.tool_call_id`

// messageBytes is the size of a message m as a model reads it.
const messageBytes = `(octet_length(m.content) + case when m.tool_calls = '[]' then 0 else octet_length(m.tool_calls::text) end)`

// scanWhole scans a message with its tool calls.
func scanWhole(row pgx.CollectableRow) (m memory.Message, err error) {
	err = row.Scan(&m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt, &m.ToolCalls, &m.ToolCallID)
	return m, err
}

// sizeOf returns the bytes that a message adds to a statement.
func sizeOf(m memory.Message) int {
	size := len(m.Content)
	for _, call := range m.ToolCalls {
		size += call.Size()
	}
	return size
}

// callsColumn encodes the tool calls of a message for their column.
func callsColumn(calls []memory.ToolCall) (string, error) {
	if len(calls) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(calls)
	if err != nil {
		return "", fmt.Errorf("tool calls: %w", err)
	}
	return string(text), nil
}

// Each id is looked up separately (ensured by limit 1), as in sqlMessagesInsert.
const sqlMessagesByID = `
with c as materialized (
    select conversation_uid
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner
)
select ` + wholeMessage + `
from c
cross join unnest(@ids::text[]) i (message_id)
cross join lateral (
    select *
    from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent
        and m.conversation_uid = c.conversation_uid and m.message_id = i.message_id
    limit 1
) m
order by m.seq`

// MessagesByID returns the messages of the owner's conversation with the given client ids, oldest first.
func (s *Talk) MessagesByID(ctx context.Context, id memory.Identity, conversation string, ids []string) ([]memory.Message, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlMessagesByID, pgx.NamedArgs{"conversation": conversation, "ids": ids}, scanWhole)
}

// Placed is the place of a message in the conversations of its owner.
type Placed struct {
	Conversation string // the client's id
	ID           string // of the message
	Seq          int64
	Last         bool      // it is the conversation's last message
	Continued    bool      // the user has said something after it
	At           time.Time // of the conversation's last batch
}

// maxPlaced bounds the messages found for one id, the latest stored first.
const maxPlaced = 32

// Messages and conversations are looked up separately (ensured by limit), as in sqlMessagesInsert.
const sqlMessagesPlaced = `
select c.conversation_id, m.message_id, m.seq, m.seq = c.last_seq, exists (
        select
        from messages u
        where u.workspace_id = @workspace and u.agent_id = @agent and u.conversation_uid = m.conversation_uid
            and u.seq > m.seq and u.role = 'user'), c.updated_at
from unnest(@ids::text[]) i (message_id)
cross join lateral (
    select *
    from messages m
    where m.message_id = i.message_id and m.workspace_id = @workspace and m.agent_id = @agent and m.owner_key = @owner
    order by m.stored_at desc
    limit @limit
) m
cross join lateral (
    select *
    from conversations c
    where c.conversation_uid = m.conversation_uid and c.workspace_id = @workspace and c.agent_id = @agent and c.owner_key = @owner
    limit 1
) c
where c.conversation_id = @conversation or @conversation = ''`

// PlaceMessages finds the owner's messages with the given client ids in one conversation or, if it is empty, in all of the owner's. Of each
// id it returns the latest, in no order.
func (s *Talk) PlaceMessages(ctx context.Context, id memory.Identity, conversation string, ids []string) ([]Placed, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	args := pgx.NamedArgs{"conversation": conversation, "ids": ids, "limit": maxPlaced}
	return pg.ReadAll(ctx, s.db, id, sqlMessagesPlaced, args, pgx.RowToStructByPos[Placed])
}

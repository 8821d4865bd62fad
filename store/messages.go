package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
)

// Batch is what a client posts to one conversation of the identity's owner.
type Batch struct {
	Conversation string // the client's id, at most memory.MaxConversation bytes
	// Trigger says where the conversation comes from. It counts when the batch begins the conversation.
	Trigger      memory.Trigger
	TurnComplete bool             // the last message ends a turn: what is stored may be extracted
	Messages     []memory.Message // 1 to memory.MaxBatchMessages, in order; Seq is ignored
}

// Stored tells what became of a batch.
type Stored struct {
	ConversationUID uuid.UUID
	OwnerID         uuid.UUID
	Stored          int   // new messages
	Duplicates      int   // messages that were stored before
	LastSeq         int64 // of the conversation
	Turn            int64 // the owner's turn that this batch completed, from 1; 0: none
	// Token is for read-your-writes, as memory.Receipt.Token; empty when there was nothing new to find.
	Token string
}

const (
	sqlOwnerEnsure = `
insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
values (@workspace, @agent, @owner, @owner_id, @now)
on conflict do nothing`

	sqlConversationEnsure = `
insert into conversations (workspace_id, agent_id, conversation_id, conversation_uid, owner_key, trigger_source, created_at, updated_at)
values (@workspace, @agent, @conversation, @uid, @owner, @trigger, @now, @now)
on conflict do nothing`

	// Batches of one conversation queue up here. Somebody else's conversation is not visible and gives no row.
	sqlConversationLock = `
select c.conversation_uid, c.last_seq, c.complete_seq, c.trigger_source, ` + ownerIDOf + `
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_id = @conversation and c.owner_key = @owner
for no key update`

	// Messages that are new go behind the last one, in the order in which they came. The others are compared: reused is
	// the id of one that says something else. Each id is looked up by itself (limit 1 keeps it so): a plan that was made
	// while the table was small would join the whole conversation.
	sqlMessagesInsert = `
with c as materialized (
    select conversation_uid
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation
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
        finish_reason, said_at, tool_calls, tool_call_id, stored_at)
    select @workspace, @agent, i.conversation_uid,
        row_number() over (order by i.place) + coalesce((
            select m.seq
            from messages m
            where m.workspace_id = @workspace and m.agent_id = @agent
                and m.conversation_uid = (select conversation_uid from c)
            order by m.seq desc
            limit 1), 0),
        @owner, i.message_id, i.role, i.name, i.content, i.finish_reason, i.said_at, i.tool_calls, i.tool_call_id, @now
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
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation`

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
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation)
order by m.seq
limit @limit`
)

// AppendMessages stores a batch, all of it or nothing. A message whose id is stored already is left alone; when its role,
// name, words or tool calls differ the batch is refused (*ConflictError with CodeMessageIDReused). The conversation is made when it is
// new; one of another owner is refused (CodeConversationOfAnotherOwner). Sequence numbers are given in the order of the
// batch, without gaps. A completed turn counts once, however often its batch is sent.
//
// It costs two round trips, and one statement more for every maxStatementBytes of contents.
func (s *Store) AppendMessages(ctx context.Context, id memory.Identity, b Batch) (Stored, error) {
	if err := requireConversation(id, b.Conversation); err != nil {
		return Stored{}, err
	}
	messages, err := b.validate(s.now().UTC())
	if err != nil {
		return Stored{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Stored, error) {
		state := conversationState{id: b.Conversation}
		state.stored.Duplicates = len(b.Messages) - len(messages)
		batch := &pgx.Batch{}
		batch.Queue(sqlOwnerEnsure, t.args(pgx.NamedArgs{"owner_id": newID()}))
		batch.Queue(sqlConversationEnsure, t.args(pgx.NamedArgs{"conversation": b.Conversation, "uid": newID(), "trigger": b.Trigger}))
		state.queueLock(batch, t)
		for _, part := range parts(messages) {
			if err := state.queueMessages(batch, t, part); err != nil {
				return Stored{}, err
			}
		}
		if err := t.send(ctx, batch); err != nil {
			return Stored{}, err
		}
		switch {
		case !state.found:
			return Stored{}, &ConflictError{Code: CodeConversationOfAnotherOwner, Message: "the conversation belongs to another owner"}
		case state.reused != nil:
			return Stored{}, reusedID(*state.reused)
		}
		err := state.finish(ctx, t, b.TurnComplete)
		return state.stored, err
	})
}

func reusedID(id string) error {
	return &ConflictError{
		Code:    CodeMessageIDReused,
		Message: fmt.Sprintf("message id %q is stored with other words: nothing of the batch is stored, give the message an id of its own", id),
	}
}

// CompleteTurn marks everything that the owner's conversation has as complete. Turn is 0 when it was so already.
func (s *Store) CompleteTurn(ctx context.Context, id memory.Identity, conversation string) (Stored, error) {
	if err := requireConversation(id, conversation); err != nil {
		return Stored{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Stored, error) {
		state := conversationState{id: conversation}
		batch := &pgx.Batch{}
		state.queueLock(batch, t)
		if err := t.send(ctx, batch); err != nil {
			return Stored{}, err
		}
		if !state.found {
			return Stored{}, fmt.Errorf("conversation: %w", ErrNotFound)
		}
		err := state.finish(ctx, t, true)
		return state.stored, err
	})
}

// requireConversation refuses what cannot write to a conversation of the identity's owner.
func requireConversation(id memory.Identity, conversation string) error {
	if err := requireOwner(id); err != nil {
		return err
	}
	if err := requireWrite(id); err != nil {
		return err
	}
	if conversation == "" {
		return &InvalidError{Field: "conversation", Problem: "name the conversation"}
	}
	return validText("conversation", conversation, memory.MaxConversation)
}

// conversationState is a conversation while its row is locked.
type conversationState struct {
	id       string
	found    bool
	complete int64
	trigger  memory.Trigger
	reused   *string          // id of a message that was stored with other words
	fresh    []memory.Message // stored now, with their numbers
	stored   Stored
}

func (c *conversationState) queueLock(b *pgx.Batch, t *tx) {
	one(b.Queue(sqlConversationLock, t.args(pgx.NamedArgs{"conversation": c.id})), &c.found, func(row pgx.CollectableRow) error {
		return row.Scan(&c.stored.ConversationUID, &c.stored.LastSeq, &c.complete, &c.trigger, &c.stored.OwnerID)
	})
}

func (c *conversationState) queueMessages(b *pgx.Batch, t *tx, messages []memory.Message) error {
	args, err := columnsOf(messages, pgx.NamedArgs{"conversation": c.id})
	if err != nil {
		return err
	}
	b.Queue(sqlMessagesInsert, t.args(args)).QueryRow(func(row pgx.Row) error {
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

// take keeps which messages are new: those with the ids, which were given numbers without gaps from first on.
func (c *conversationState) take(messages []memory.Message, ids []string, first int64) {
	for _, m := range messages { // both are in the order of the batch
		if len(ids) > 0 && m.ID == ids[0] {
			m.Seq = first
			c.fresh = append(c.fresh, m)
			ids, first = ids[1:], first+1
		}
	}
}

// finish moves the conversation's numbers, indexes what is new, counts a turn when more is complete than
// before, which is news for the next dream unless the system itself talked, and commits.
func (c *conversationState) finish(ctx context.Context, t *tx, turnComplete bool) error {
	complete := c.complete
	if turnComplete {
		complete = c.stored.LastSeq
	}
	b := &pgx.Batch{}
	if c.stored.Stored > 0 || complete > c.complete {
		b.Queue(sqlConversationGrow, t.args(pgx.NamedArgs{"conversation": c.id, "last": c.stored.LastSeq, "complete": complete}))
	}
	if complete > c.complete {
		b.Queue(sqlOwnerTurn, t.args(nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&c.stored.Turn) })
	}
	if entries := turnEntries(c.fresh); len(entries) > 0 {
		s := source{
			shelf:   shelf{corpus: search.Sessions, agent: t.agent, scope: memory.ScopePersonal, owner: t.id.Owner},
			uid:     c.stored.ConversationUID,
			entries: entries,
		}
		s.queueAdd(b, t, sqlIndexTurns, &c.stored.Token)
	}
	if complete > c.complete && c.trigger != memory.TriggerCron && c.trigger != memory.TriggerDream {
		queueMark(b, t, t.id.Owner)
	}
	return t.finish(ctx, b)
}

// Messages lists at most limit messages behind sequence number after, oldest first.
func (s *Store) Messages(ctx context.Context, id memory.Identity, conversation string, after int64, limit int) ([]memory.Message, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (messages []memory.Message, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlMessages, t.args(pgx.NamedArgs{"conversation": conversation, "after": after, "limit": limitOf(limit)})), &messages, scanWhole)
		err = t.finish(ctx, b)
		return messages, err
	})
}

// scanMessage scans what was said in a message, without what it asks of tools.
func scanMessage(row pgx.CollectableRow) (m memory.Message, err error) {
	err = row.Scan(&m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt)
	return m, err
}

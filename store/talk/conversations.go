// Package talk stores conversations and the extractions, flushes and compactions of their messages.
package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// Talk stores conversations and messages, and the extractions, flushes and compactions of them.
type Talk struct{ db *pg.DB }

// New returns the conversations of a database.
func New(db *pg.DB) *Talk { return &Talk{db} }

// Conversation is the state of a conversation. The sequence numbers are inclusive, and Cursor <= Considered <= Complete <= Last.
type Conversation struct {
	ID           string    // the client's
	UID          uuid.UUID // ours, for ids that leave the database
	Owner        memory.Owner
	OwnerID      uuid.UUID
	Trigger      memory.Trigger // of its first batch
	Last         int64          // last message stored
	Complete     int64          // last message of a completed turn
	Considered   int64          // how far extraction has looked; a closed gate moves it too
	Cursor       int64          // how far messages are accounted for
	Flushed      int64          // how far messages are flushed: they may leave a context window
	PendingSince *time.Time     // when the oldest completed message that was not considered came in
	CreatedAt    time.Time
	UpdatedAt    time.Time  // last batch stored
	LastAt       *time.Time // of the last message; nil: there is none
}

// conversationRows reads a Conversation, in the order of scanConversation.
const conversationRows = `
select c.conversation_id, c.conversation_uid, c.owner_key, ` + ownerIDOf + `, c.trigger_source,
    c.last_seq, c.complete_seq, c.considered_seq, c.cursor_seq, c.flushed_seq, c.pending_since, c.created_at, c.updated_at,
    (
        select m.said_at
        from messages m
        where m.workspace_id = c.workspace_id and m.agent_id = c.agent_id and m.conversation_uid = c.conversation_uid and m.seq = c.last_seq)
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent `

// ownerIDOf selects the opaque id of the owner of a conversation c. It is a subquery because a join, planned without statistics,
// may scan all owners of the agent.
const ownerIDOf = `(
        select o.owner_id
        from owners o
        where o.workspace_id = c.workspace_id and o.agent_id = c.agent_id and o.owner_key = c.owner_key)`

const (
	// For an identity that reads every owner, two are enough to know that the name is not one owner's.
	sqlConversationByID = conversationRows + `and c.conversation_id = @conversation and (c.owner_key = @owner or @any)
limit 2`

	// One lookup for each name: planned without statistics, "= any" reads all conversations of the agent. "offset 0" keeps it so.
	sqlConversationsNamed = `
select found.*
from (select distinct unnest(@names::text[])) as named (id)
cross join lateral (` + conversationRows + `and c.conversation_id = named.id and (c.owner_key = @owner or @any)
    offset 0) as found`

	sqlConversationByUID = conversationRows + `and c.conversation_uid = @uid`

	sqlConversations = conversationRows + `
    and c.owner_key = @owner
    and (c.updated_at, c.conversation_uid) < (@at, @uid)
order by c.updated_at desc, c.conversation_uid desc
limit @limit`

	// A list for operators. No index serves it; it sorts the agent's conversations.
	sqlConversationsOfAll = conversationRows + `
    and (c.updated_at, c.conversation_uid) < (@at, @uid)
order by c.updated_at desc, c.conversation_uid desc
limit @limit`
)

func scanConversation(row pgx.CollectableRow) (Conversation, error) {
	return pgx.RowToStructByPos[Conversation](row)
}

// ConversationsNamed returns the owner's conversations with some of the client's ids, in no order. For an identity that names nobody and
// reads every owner, several may have one id.
func (s *Talk) ConversationsNamed(ctx context.Context, id memory.Identity, names []string) ([]Conversation, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (found []Conversation, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlConversationsNamed, t.Args(pgx.NamedArgs{"names": names, "any": t.Everybody()})), &found, scanConversation)
		return found, t.Finish(ctx, b)
	})
}

// Conversation returns the owner's conversation with the client's id. An identity that names nobody and reads every owner gets the
// only one with that id, and ErrSeveralOwners when several owners have one.
func (s *Talk) Conversation(ctx context.Context, id memory.Identity, conversation string) (Conversation, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Conversation{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (Conversation, error) {
		var found []Conversation
		b := &pgx.Batch{}
		pg.All(
			b.Queue(sqlConversationByID, t.Args(pgx.NamedArgs{"conversation": conversation, "any": t.Everybody()})), &found, scanConversation,
		)
		if err := t.Finish(ctx, b); err != nil {
			return Conversation{}, err
		}
		switch len(found) {
		case 0:
			return Conversation{}, noConversation()
		case 1:
			return found[0], nil
		}
		return Conversation{}, fmt.Errorf("conversation: %w", pg.ErrSeveralOwners)
	})
}

func noConversation() error { return fmt.Errorf("conversation: %w", pg.ErrNotFound) }

// ConversationByUID returns the conversation with our id.
func (s *Talk) ConversationByUID(ctx context.Context, id memory.Identity, uid uuid.UUID) (Conversation, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Conversation{}, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlConversationByUID, pgx.NamedArgs{"uid": uid}, scanConversation, noConversation())
}

// Conversations lists the owner's conversations, with AnyOwner those of every owner, the latest batch first.
func (s *Talk) Conversations(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[Conversation], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		sql := sqlConversations
		if t.AnyOwner {
			sql = sqlConversationsOfAll
		}
		return sql, pgx.NamedArgs{"at": from.At, "uid": from.ID}
	}, scanConversation, func(c Conversation) pg.Cursor { return pg.Cursor{At: c.UpdatedAt, ID: c.UID} })
}

package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Each id is looked up by itself (limit 1 keeps it so), as in sqlMessagesInsert.
const sqlMessagesByID = `
with c as materialized (
    select conversation_uid
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation
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

// MessagesByID returns those of a conversation's messages that have one of the clients' ids, oldest first.
func (s *Store) MessagesByID(ctx context.Context, id memory.Identity, conversation string, ids []string) ([]memory.Message, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (messages []memory.Message, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlMessagesByID, t.args(pgx.NamedArgs{"conversation": conversation, "ids": ids})), &messages, scanWhole)
		err = t.finish(ctx, b)
		return messages, err
	})
}

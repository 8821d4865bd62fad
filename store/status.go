package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Backlog counts what waits in a workspace, over the agents that the identity may use and all their owners.
type Backlog struct {
	PendingConversations int // with completed messages that were not considered
	PendingMessages      int
	UnsignalledTurns     int // completed turns that Temporal has not accepted
	Waiting              int // extractions that go on by themselves later
	Quarantined          int // ranges of messages that were refused and not successfully retried
}

const sqlBacklog = `
select p.conversations, p.messages, o.turns, e.waiting, e.quarantined
from
    (select count(*) as conversations, coalesce(sum(complete_seq - considered_seq), 0)::bigint as messages
    from conversations
    where workspace_id = @workspace and complete_seq > considered_seq) p,
    (select coalesce(sum(turn - signalled_turn), 0)::bigint as turns
    from owners
    where workspace_id = @workspace and turn > signalled_turn) o,
    (select
        count(*) filter (where outcome = 'waiting') as waiting,
        count(distinct (conversation_uid, from_seq)) filter (where outcome = 'quarantined' and not exists (
            select from extractions a
            where a.workspace_id = x.workspace_id and a.agent_id = x.agent_id
                and a.conversation_uid = x.conversation_uid and a.from_seq = x.from_seq
                and a.outcome in ('written', 'nothing'))) as quarantined
    from extractions x
    where workspace_id = @workspace and outcome in ('waiting', 'quarantined')) e`

// Backlog counts what waits. A pinned credential is refused.
func (s *Store) Backlog(ctx context.Context, id memory.Identity) (Backlog, error) {
	set, err := settingsOf(id)
	if err != nil {
		return Backlog{}, err
	}
	if id.Pinned {
		return Backlog{}, fmt.Errorf("%w: the credential is for one owner only", ErrForbidden)
	}
	set.purpose = purposeStatus
	return run(ctx, s, &tx{settings: set, id: id, mode: sqlBeginRead}, func(t *tx) (backlog Backlog, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlBacklog, t.args(nil)), &found, func(row pgx.CollectableRow) (err error) {
			backlog, err = pgx.RowToStructByPos[Backlog](row)
			return err
		})
		err = t.finish(ctx, b)
		return backlog, err
	})
}

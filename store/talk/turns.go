package talk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
)

// UnsignalledTurn is a completed turn of an owner that Temporal has not accepted yet.
type UnsignalledTurn struct {
	memory.OwnerRef
	Turn   int64
	TurnAt time.Time
	// Settings has only QuietSeconds and CooldownSeconds of the agent.
	Settings setting.AgentSettings
}

const (
	sqlOwnerResolve = `select owner_key from owners where workspace_id = @workspace and agent_id = @agent and owner_id = @id`

	sqlOwnerSignalled = `
update owners set signalled_turn = least(@turn, turn)
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and signalled_turn < @turn`

	sqlOwnersUnsignalled = `
with leased as (
    update owners o set leased_until = @until
    where (o.workspace_id, o.agent_id, o.owner_key) in (
        select workspace_id, agent_id, owner_key
        from owners
        where turn > signalled_turn and greatest(turn_at, leased_until) < @before
        order by greatest(turn_at, leased_until)
        limit @limit
        for no key update skip locked)
    returning o.workspace_id, o.agent_id, o.owner_id, o.turn, o.turn_at
)
select ` + turnColumns + `
from leased o
join agents a using (workspace_id, agent_id)
order by o.turn_at`

	turnColumns = `o.workspace_id, o.agent_id, o.owner_id, o.turn, o.turn_at, (a.settings->'quietSeconds')::int,
    (a.settings->'cooldownSeconds')::int`

	// The commit does not wait for the disk: a crash of the server may lose the transaction, which is repeated anyway.
	sqlRepeatable = `set local synchronous_commit = off`
)

// ResolveOwner returns the owner with an opaque id, within the identity's agent. It needs AnyOwner unless the owner is the
// identity's own.
func (s *Talk) ResolveOwner(ctx context.Context, id memory.Identity, ownerID uuid.UUID) (memory.Owner, error) {
	if err := pg.RequireAgent(id); err != nil {
		return "", err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (owner memory.Owner, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlOwnerResolve, t.Args(pgx.NamedArgs{"id": ownerID})), &found, &owner)
		if err := t.Finish(ctx, b); err != nil {
			return "", err
		}
		if !found {
			return "", fmt.Errorf("owner %s: %w", ownerID, pg.ErrNotFound)
		}
		return owner, nil
	})
}

// Signalled records that Temporal has accepted the owner's turns up to turn. A smaller turn than before changes nothing. If a crash
// of the database loses it, the sweep signals once more, which is harmless.
func (s *Talk) Signalled(ctx context.Context, id memory.Identity, turn int64) error {
	if err := pg.RequireOwnerWrite(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlRepeatable)
		b.Queue(sqlOwnerSignalled, t.Args(pgx.NamedArgs{"turn": turn}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// Unsignalled takes owners of all workspaces whose last completed turn was not accepted by Temporal, longest waiting first. It
// returns references only, and takes no identity because the sweep works for the deployment.
func (s *Talk) Unsignalled(ctx context.Context, l pg.Lease) ([]UnsignalledTurn, error) {
	return pg.LeaseAll(ctx, s.db, l, scanTurn, sqlOwnersUnsignalled)
}

func scanTurn(row pgx.CollectableRow) (t UnsignalledTurn, err error) {
	err = row.Scan(&t.Workspace, &t.Agent, &t.Owner, &t.Turn, &t.TurnAt, &t.Settings.QuietSeconds, &t.Settings.CooldownSeconds)
	return t, err
}

const sqlOwnersStalled = `
with leased as (
    update conversations c set leased_until = @until
    where (c.conversation_uid, c.workspace_id, c.agent_id) in (
        select conversation_uid, workspace_id, agent_id
        from conversations
        where complete_seq > considered_seq and greatest(pending_since, leased_until) < @before
        order by greatest(pending_since, leased_until)
        limit @limit
        for no key update skip locked)
    returning c.workspace_id, c.agent_id, c.owner_key, c.pending_since
)
select ` + turnColumns + `
from (
    select workspace_id, agent_id, owner_key, min(pending_since) as since
    from leased
    group by workspace_id, agent_id, owner_key
) p
join owners o using (workspace_id, agent_id, owner_key)
join agents a using (workspace_id, agent_id)
order by p.since`

// Stalled takes conversations of all workspaces that have been pending although their turns were signalled, because their workflow
// was terminated or Temporal lost it, and returns their owners, longest pending first. It returns references only, and takes no
// identity because the sweep works for the deployment.
func (s *Talk) Stalled(ctx context.Context, l pg.Lease) ([]UnsignalledTurn, error) {
	return pg.LeaseAll(ctx, s.db, l, scanTurn, sqlOwnersStalled)
}

// IdleConversation refers to a conversation with messages that no turn completes.
type IdleConversation struct {
	Workspace, Agent string
	UID              uuid.UUID
}

// idleWindow bounds the age of the messages that a sweep completes: those of a week in which no worker ran are found.
const idleWindow = 7 * 24 * time.Hour

// longestWait is the time after which messages are completed although others come in, as a multiple of the idle time.
const longestWait = 2

const sqlConversationsIdle = `
update conversations set leased_until = @until
where (conversation_uid, workspace_id, agent_id) in (
    select c.conversation_uid, c.workspace_id, c.agent_id
    from conversations c
    join agents a using (workspace_id, agent_id)
    cross join lateral (select coalesce((a.settings->'idleTurnSeconds')::int, @idle) as seconds) idle
    where c.last_seq > c.complete_seq and c.trigger_source in ('web', 'channel', 'api')
        and greatest(c.updated_at, c.leased_until) between @since and @now
        and idle.seconds > 0 and (c.updated_at <= @now - idle.seconds * interval '1 second'
            or c.waiting_since <= @now - @longest * idle.seconds * interval '1 second')
    order by greatest(c.updated_at, c.leased_until)
    limit @limit
    for no key update of c skip locked)
returning workspace_id, agent_id, conversation_uid`

// Idle takes conversations of all workspaces with messages that belong to no completed turn: the last one is older than the agent's
// idleTurnSeconds, or than idle where an agent has no setting, or the first one came in longestWait times as long ago. What was imported
// and what the system caused is left out. It returns references only, and takes no identity because the sweep works for the deployment.
func (s *Talk) Idle(ctx context.Context, l pg.Lease, idle time.Duration) ([]IdleConversation, error) {
	sweep := &pg.Tx{Settings: pg.Settings{Purpose: pg.PurposeSweep}, Mode: pg.SQLBegin}
	return pg.Run(ctx, s.db, sweep, func(t *pg.Tx) (found []IdleConversation, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlConversationsIdle, pgx.NamedArgs{
			"now": l.Before, "since": l.Before.Add(-idleWindow), "until": pg.TimeOrNull(l.Until), "limit": pg.LimitOf(l.Limit),
			"idle": int(idle.Seconds()), "longest": longestWait,
		}), &found, pgx.RowToStructByPos[IdleConversation])
		err = t.Finish(ctx, b)
		return found, err
	})
}

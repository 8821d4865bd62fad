package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

const sqlWorkspaceEnsure = `
insert into workspaces (workspace_id, name, created_at)
values (@workspace, @name, @now)
on conflict do nothing`

// EnsureWorkspace creates a workspace unless it exists; an existing one keeps its name. It takes no identity because it is for the
// process that sets up a deployment.
func (s *Admin) EnsureWorkspace(ctx context.Context, slug, name string) error {
	if !memory.ValidSlug(slug) {
		return &pg.InvalidError{Field: "workspace", Problem: "use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit"}
	}
	if name == "" {
		name = slug
	}
	if err := memory.ValidName("name", name); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, operator(slug), func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlWorkspaceEnsure, t.Args(pgx.NamedArgs{"name": name}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// operator returns the identity of the deployment's operator, in one workspace.
func operator(workspace string) memory.Identity {
	return memory.Identity{
		Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "configuration"},
	}
}

// Component is the last reported state of a part of the deployment, such as the model.
type Component struct {
	Name      string
	State     string
	Detail    string
	ChangedAt time.Time // when State changed last
	SeenAt    time.Time
}

const (
	sqlComponentReport = `
insert into components (name, state, detail, changed_at, seen_at)
values (@name, @state, @detail, @now, @now)
on conflict (name) do update set
    state = excluded.state,
    detail = excluded.detail,
    changed_at = case when components.state = excluded.state then components.changed_at else excluded.changed_at end,
    seen_at = excluded.seen_at`

	sqlComponents = `select name, state, detail, changed_at, seen_at from components order by name collate "C"`
)

// ReportComponent stores the state of a part. It takes no identity because it concerns no tenant; detail must not contain a
// tenant's data.
func (s *Admin) ReportComponent(ctx context.Context, name, state, detail string) error {
	_, err := pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBegin}, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlComponentReport, t.Args(pgx.NamedArgs{"name": name, "state": state, "detail": detail}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// Components lists the parts by name.
func (s *Admin) Components(ctx context.Context) ([]Component, error) {
	return pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBeginRead}, func(t *pg.Tx) (components []Component, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlComponents), &components, pgx.RowToStructByPos[Component])
		err = t.Finish(ctx, b)
		return components, err
	})
}

// Backlog counts waiting work in a workspace, over the agents that the identity may use and all their owners.
type Backlog struct {
	PendingConversations int // with completed messages that were not considered, or whose extraction failed
	PendingMessages      int
	UnsignalledTurns     int // completed turns that Temporal has not accepted
	Waiting              int // extractions that continue automatically later
	Quarantined          int // ranges of messages that were refused and not successfully retried
	StagedWrites         int // writes of business processes that have not ended
}

const sqlBacklog = `
select p.conversations, p.messages, o.turns, e.waiting, e.quarantined, w.writes
from
    (select count(distinct (agent_id, conversation_uid)) as conversations, coalesce(sum(messages), 0)::bigint as messages
    from (
        select agent_id, conversation_uid, complete_seq - considered_seq as messages
        from conversations
        where workspace_id = @workspace and complete_seq > considered_seq
        union all
        select agent_id, conversation_uid, least(c.considered_seq, f.last) - c.cursor_seq
        from (
            select agent_id, conversation_uid, max(to_seq) as last
            from extractions
            where workspace_id = @workspace and outcome = 'failed'
            group by agent_id, conversation_uid) f
        join conversations c using (agent_id, conversation_uid)
        where c.workspace_id = @workspace and c.cursor_seq < least(c.considered_seq, f.last)) m) p,
    (select count(*) as writes
    from memory_writes
    where workspace_id = @workspace and outcome = 'staged') w,
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

// Backlog counts waiting work. It refuses pinned credentials.
func (s *Admin) Backlog(ctx context.Context, id memory.Identity) (Backlog, error) {
	set, err := pg.SettingsOf(id)
	if err != nil {
		return Backlog{}, err
	}
	if id.Pinned {
		return Backlog{}, fmt.Errorf("%w: the credential is for one owner only", pg.ErrForbidden)
	}
	set.Purpose = pg.PurposeStatus
	return pg.Run(ctx, s.db, &pg.Tx{Settings: set, ID: id, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (backlog Backlog, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlBacklog, t.Args(nil)), &found, &backlog, pgx.RowToStructByPos[Backlog])
		err = t.Finish(ctx, b)
		return backlog, err
	})
}

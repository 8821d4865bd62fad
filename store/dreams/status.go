package dreams

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// DreamStatus summarises the dreaming of an owner.
type DreamStatus struct {
	Last     *Dream                 // the last one that ended and was not a dry run; nil: none
	Running  *Dream                 // open, and no dry run; nil: none
	News     bool                   // something was written or said since
	NewsAt   time.Time              // when, first; zero without news
	Statuses map[dream.Status]int   // statements by status
	Diary    string                 // the latest entry of DREAMS.md
	Outcomes map[memory.Outcome]int // of the dreams of the last 30 days, without dry runs
}

// statusWindow is the period over which DreamStatus counts outcomes.
const statusWindow = 30 * 24 * time.Hour

const (
	sqlDreamLast = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner
    and x.finished_at is not null and not x.dry_run and x.replay_of is null
order by x.dream_id desc
limit 1`

	sqlDreamRunning = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner
    and x.finished_at is null and not x.dry_run and x.replay_of is null
order by x.dream_id desc
limit 1`

	sqlDreamNewsOf = `
select since
from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlEntryCounts = `
select status, count(*)
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
group by status`

	sqlDreamOutcomes = `
select outcome, count(*)
from dreams
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
    and started_at >= @since and not dry_run and replay_of is null
group by outcome`
)

// DreamStatus summarises the dreaming of the identity's owner; that of shared memory belongs to the owner system.
func (s *Dreaming) DreamStatus(ctx context.Context, id memory.Identity) (DreamStatus, error) {
	if err := pg.RequireOwner(id); err != nil {
		return DreamStatus{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (DreamStatus, error) {
		status := DreamStatus{}
		var last, running Dream
		var diary memory.Document
		var ended, open, written bool
		scope := DreamScope(id.Owner)
		args := t.Args(pgx.NamedArgs{
			"since": t.Now.Add(-statusWindow), "scope": scope, "whose": gate.RowOwner(id, scope), "row_agent": id.Agent,
			"path": memory.DreamsPath,
		})
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDreamLast, args), &ended, &last, scanDream)
		pg.One(b.Queue(sqlDreamRunning, args), &open, &running, scanDream)
		pg.Columns(b.Queue(sqlDreamNewsOf, args), &status.News, &status.NewsAt)
		status.Statuses = counted[dream.Status](b.Queue(sqlEntryCounts, args))
		status.Outcomes = counted[memory.Outcome](b.Queue(sqlDreamOutcomes, args))
		pg.One(b.Queue(gate.SQLDocument, args), &written, &diary, gate.ScanContent)
		if err := t.Finish(ctx, b); err != nil {
			return DreamStatus{}, err
		}
		if ended {
			status.Last = &last
		}
		if open {
			status.Running = &running
		}
		status.Diary = compose.LatestEntry(diary.Content)
		return status, nil
	})
}

// counted returns the counts of a statement by name; they are set when the batch is sent.
func counted[K ~string](q *pgx.QueuedQuery) map[K]int {
	counts := map[K]int{}
	q.Query(func(rows pgx.Rows) error {
		var key K
		var n int
		_, err := pgx.ForEachRow(rows, []any{&key, &n}, func() error { counts[key] = n; return nil })
		return err
	})
	return counts
}

// DreamScope returns the scope of an owner's dreams: TEAM for the owner system.
func DreamScope(owner memory.Owner) memory.Scope {
	if owner == memory.SystemOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}

const (
	sqlNewsMark = `
select mark
from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlNewsClear = `
delete from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and mark = @mark`

	// Both parts are sorted by owner key, as their tables are, so that each page of news reads only its own rows.
	sqlNewsOwners = `
select owner_id
from (
    (select n.owner_key, (
            select o.owner_id
            from owners o
            where o.workspace_id = n.workspace_id and o.agent_id = n.agent_id and o.owner_key = n.owner_key)
    from dream_news n
    where n.workspace_id = @workspace and n.agent_id = @agent and n.owner_key > ` + newsAfter + `
    order by n.owner_key
    limit @limit)
    union all
    (select o.owner_key, o.owner_id
    from owners o
    where o.workspace_id = @workspace and o.agent_id = @agent and o.owner_key > ` + newsAfter + `
        and not coalesce((
            select true
            from dream_news n
            where n.workspace_id = @workspace and n.agent_id = @agent and n.owner_key = o.owner_key
            limit 1), false)
        and coalesce((
            select true
            from facts f
            where f.workspace_id = @workspace and f.agent_id = @agent
                and f.scope = case when o.owner_key = @system then 'TEAM' else 'PERSONAL' end
                and f.owner_key = case when o.owner_key = @system then '' else o.owner_key end
                and f.ended is null and f.shown and not f.archived and f.place < @notes and f.at < @untidied
            limit 1), false)
        and not coalesce((
            select d.started_at >= @untidied
            from dreams d
            where d.workspace_id = @workspace and d.agent_id = @agent and d.owner_key = o.owner_key and not d.dry_run
            order by d.dream_id desc
            limit 1), false)
    order by o.owner_key
    limit @limit)
) u (owner_key, owner_id)
order by owner_key
limit @limit`

	newsAfter = `coalesce((
        select a.owner_key
        from owners a
        where a.workspace_id = @workspace and a.agent_id = @agent and a.owner_id = @after), '')`
)

// tidiedEvery is the time after which an owner without news dreams again, because facts also age when nobody says anything.
const tidiedEvery = 30 * 24 * time.Hour

// News lists at most limit owners of the identity's agent (AnyOwner) with changes since their last dream, and those with facts outside of
// daily notes who have not dreamed for tidiedEvery, in a stable order, after another one (zero: from the start). Shared memory belongs to
// the owner system.
func (s *Dreaming) News(ctx context.Context, id memory.Identity, after uuid.UUID, limit int) ([]memory.OwnerRef, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlNewsOwners, pgx.NamedArgs{
		"after": after, "limit": pg.LimitOf(limit), "system": memory.SystemOwner, "untidied": s.db.Now().Add(-tidiedEvery),
		"notes": facts.NotesRank,
	},
		func(row pgx.CollectableRow) (memory.OwnerRef, error) {
			ref := memory.OwnerRef{Workspace: id.Workspace, Agent: id.Agent}
			return ref, row.Scan(&ref.Owner)
		})
}

// DreamingAgent has the settings that an agent's schedule depends on.
type DreamingAgent struct {
	indexes.AgentRef
	TimeZone string // IANA name
	// Settings has only MemoryEnabled, DreamingEnabled, DreamCron and Leader.
	Settings setting.AgentSettings
}

const sqlDreamingAgents = `
select workspace_id, agent_id, time_zone,
    (settings->'memoryEnabled')::boolean, (settings->'dreamingEnabled')::boolean, coalesce(settings->>'dreamCron', ''),
    coalesce(settings->>'leader', '')
from agents
where (workspace_id, agent_id) > (@after_workspace, @after_agent)
order by workspace_id, agent_id
limit @limit`

// DreamingAgents lists at most limit agents of all workspaces with the settings of their schedules, in order, after another one;
// whether they dream also depends on the server's settings. It takes no identity because the sweep works for the deployment.
func (s *Dreaming) DreamingAgents(ctx context.Context, after indexes.AgentRef, limit int) ([]DreamingAgent, error) {
	return pg.SweepAll(ctx, s.db, sqlDreamingAgents, pgx.NamedArgs{
		"after_workspace": after.Workspace, "after_agent": after.Agent, "limit": limit,
	}, func(row pgx.CollectableRow) (a DreamingAgent, err error) {
		err = row.Scan(
			&a.Workspace, &a.Agent, &a.TimeZone, &a.Settings.MemoryEnabled, &a.Settings.DreamingEnabled, &a.Settings.DreamCron,
			&a.Settings.Leader,
		)
		return a, err
	})
}

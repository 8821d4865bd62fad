package dreams

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// SoulRun is a run that rewrites SOUL.md of an agent.
type SoulRun struct {
	Writes  int64           // of memory, that were counted
	Owners  int             // who have documents
	Soul    memory.Document // SOUL.md; version 0: there is none
	Profile memory.Document // the shared PROFILE.md
	Memory  memory.Document // the shared MEMORY.md
}

// SoulEnd is the result of a run.
type SoulEnd struct {
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
	Model      string
	Content    string // of OutcomeWritten: the new SOUL.md
	Base       int    // version that it was made from
	Writes     int64
}

// soulAgain is the time after which a run that has not ended is begun again.
const soulAgain = 24 * time.Hour

const (
	// Counts versions. Seeds, documents that define the agent, and reports of dreams are not writes of memory.
	sqlSoulDue = `
select n.writes, n.owners, coalesce(s.writes, 0), coalesce(s.outcome, ''), coalesce(s.workflow_id, ''), coalesce(s.at, @now)
from (
    select coalesce(sum(d.version), 0) - count(*) filter (where d.scope = 'TEAM' and d.path in ('PROFILE.md', 'MEMORY.md')) as writes,
        count(distinct d.owner_key) filter (where d.scope = 'PERSONAL' and not d.deleted) as owners
    from documents d
    where d.workspace_id = @workspace and d.agent_id = @agent and d.path not in ('AGENTS.md', 'SOUL.md', 'DREAMS.md')
        and not starts_with(d.path, 'memory/dreaming/')
) n
left join lateral (
    select *
    from souls s
    where s.workspace_id = @workspace and s.agent_id = @agent
    limit 1
) s on true`

	sqlSoulBegin = `
insert into souls (workspace_id, agent_id, writes, outcome, reason_code, version, model, workflow_id, at)
values (@workspace, @agent, @writes, 'running', '', 0, '', @workflow, @now)
on conflict (workspace_id, agent_id) do update set
    writes = excluded.writes, outcome = 'running', reason_code = '', version = 0, model = '', workflow_id = excluded.workflow_id,
    at = excluded.at
where souls.writes = @before and souls.outcome = @outcome and souls.workflow_id = @holder`

	sqlSoulEnd = `
update souls set outcome = @outcome, reason_code = @reason_code, version = @version, model = @model, at = @now
where workspace_id = @workspace and agent_id = @agent and outcome = 'running' and workflow_id = @workflow and writes = @writes`
)

// BeginSoul begins the rewriting of SOUL.md when memory was written at least threshold times since the last run, whatever became of
// that. Of several who try at once, one begins; its workflow may call BeginSoul again, until EndSoul. may decides, from the number of
// owners, whether there is anything to do. It returns nil otherwise. The identity reads every owner.
func (s *Dreaming) BeginSoul(ctx context.Context, id memory.Identity, threshold int64, may func(SoulRun) bool) (*SoulRun, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	if !id.AnyOwner { // the number of owners decides what may be read
		return nil, fmt.Errorf("rewriting SOUL.md: %w", pg.ErrForbidden)
	}
	return gate.Contended(ctx, s.db, id, func(t *pg.Tx) (*SoulRun, error) {
		var run SoulRun
		var before int64
		var outcome, holder string
		var at time.Time
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlSoulDue, t.Args(nil)), &found, &run.Writes, &run.Owners, &before, &outcome, &holder, &at)
		gate.QueueDocument(b, t, memory.ScopeTeam, memory.SoulPath, &run.Soul, new([]string))
		gate.QueueDocument(b, t, memory.ScopeTeam, memory.ProfilePath, &run.Profile, new([]string))
		gate.QueueDocument(b, t, memory.ScopeTeam, memory.MemoryPath, &run.Memory, new([]string))
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		running := outcome == string(memory.OutcomeRunning) && t.Now.Sub(at) < soulAgain
		mine := running && holder == id.Author.WorkflowID
		switch {
		case !may(run), !mine && (running || run.Writes-before < threshold):
			return nil, nil
		case mine:
			run.Writes = before
			return &run, nil
		}
		begun := int64(0)
		b = &pgx.Batch{}
		b.Queue(sqlSoulBegin, t.Args(pgx.NamedArgs{
			"writes": run.Writes, "workflow": id.Author.WorkflowID, "before": before, "outcome": outcome, "holder": holder,
		})).Exec(func(tag pgconn.CommandTag) error {
			begun = tag.RowsAffected()
			return nil
		})
		if err := t.Finish(ctx, b); err != nil || begun == 0 {
			return nil, err
		}
		return &run, nil
	})
}

// EndSoul records the end of a run, with the new SOUL.md in the same transaction. It returns *StaleBaseError if somebody has changed the
// same lines since.
func (s *Dreaming) EndSoul(ctx context.Context, id memory.Identity, end SoulEnd) (memory.Receipt, error) {
	if err := pg.RequireAgent(id); err != nil {
		return memory.Receipt{}, err
	}
	set := gate.ChangeSet{}
	if end.Outcome == memory.OutcomeWritten {
		set.Changes = []memory.Change{{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: memory.SoulPath}, Op: memory.OpReplace, Content: end.Content, Base: end.Base,
			Reason: "rewritten by a model from what memory has learned",
		}}
	}
	receipt, err := gate.Contended(ctx, s.db, id, func(t *pg.Tx) (memory.Receipt, error) {
		w, err := gate.ApplyChanges(ctx, t, set)
		if err != nil {
			return memory.Receipt{}, err
		}
		version := 0
		if len(w.Receipt.Changes) > 0 {
			version = w.Receipt.Changes[0].Version
			if w.Receipt.Changes[0].Waiting > 0 {
				end.Outcome, end.ReasonCode, version = memory.OutcomeNothing, memory.ReasonApproval, 0
			}
		}
		b := &pgx.Batch{}
		b.Queue(sqlSoulEnd, t.Args(pgx.NamedArgs{
			"outcome": end.Outcome, "reason_code": end.ReasonCode, "version": version, "model": end.Model, "workflow": id.Author.WorkflowID,
			"writes": end.Writes,
		}))
		err = t.Finish(ctx, b)
		return w.Receipt, err
	})
	return receipt, gate.Refused(ctx, s.db, id, err)
}

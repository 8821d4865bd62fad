package talk

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
)

const (
	sqlUsageAdd = `
insert into model_usage (workspace_id, agent_id, day, model, calls, input_tokens, output_tokens, cost_micros)
values (@workspace, @agent, @day, @model, @calls, @input_tokens, @output_tokens, @cost_micros)
on conflict (workspace_id, day, agent_id, model) do update set
    calls = model_usage.calls + excluded.calls,
    input_tokens = model_usage.input_tokens + excluded.input_tokens,
    output_tokens = model_usage.output_tokens + excluded.output_tokens,
    cost_micros = model_usage.cost_micros + excluded.cost_micros`

	sqlUsageOfDay = `
select coalesce(sum(calls), 0)::bigint, coalesce(sum(input_tokens), 0)::bigint,
    coalesce(sum(output_tokens), 0)::bigint, coalesce(sum(cost_micros), 0)::bigint
from model_usage
where workspace_id = @workspace and day = @day`

	sqlModelUse = `
select coalesce((select settings from agents where workspace_id = @workspace and agent_id = @agent), '{}'::jsonb),
    coalesce(sum(calls), 0)::bigint, coalesce(sum(input_tokens), 0)::bigint,
    coalesce(sum(output_tokens), 0)::bigint, coalesce(sum(cost_micros), 0)::bigint,
    coalesce(sum(calls) filter (where agent_id = @agent), 0)::bigint,
    coalesce(sum(input_tokens) filter (where agent_id = @agent), 0)::bigint,
    coalesce(sum(output_tokens) filter (where agent_id = @agent), 0)::bigint,
    coalesce(sum(cost_micros) filter (where agent_id = @agent), 0)::bigint
from model_usage
where workspace_id = @workspace and day = @day`

	sqlUsageByAgent = `
select agent_id, sum(calls)::bigint, sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(cost_micros)::bigint
from model_usage
where workspace_id = @workspace and day = @day
group by agent_id`

	sqlUsageByDay = `
select day, model, sum(calls)::bigint, sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(cost_micros)::bigint
from model_usage
where workspace_id = @workspace and day >= @day
group by day, model
order by day desc, model`
)

// SpentOn is the usage of a model on a day.
type SpentOn struct {
	Day   time.Time // UTC
	Model string
	memory.Usage
}

// UsageByDay lists the usage of all agents of the workspace since the UTC day of a time, by day, latest first, and by model.
func (s *Talk) UsageByDay(ctx context.Context, id memory.Identity, since time.Time) ([]SpentOn, error) {
	return pg.ReadAll(ctx, s.db, id, sqlUsageByDay, pgx.NamedArgs{"day": day(since)}, func(row pgx.CollectableRow) (u SpentOn, err error) {
		err = row.Scan(&u.Day, &u.Model, &u.Calls, &u.InputTokens, &u.OutputTokens, &u.CostMicros)
		return u, err
	})
}

// ModelUse holds the settings and the usage that decide whether a model may be asked for an agent.
type ModelUse struct {
	Settings  setting.AgentSettings
	Workspace memory.Usage // of a day, of all agents
	Agent     memory.Usage // of a day
}

// ModelUse returns the settings of the identity's agent, and the usage on the UTC day of a time.
func (s *Talk) ModelUse(ctx context.Context, id memory.Identity, at time.Time) (ModelUse, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (u ModelUse, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(
			b.Queue(sqlModelUse, t.Args(pgx.NamedArgs{"day": day(at)})), &found, &u.Settings,
			&u.Workspace.Calls, &u.Workspace.InputTokens, &u.Workspace.OutputTokens, &u.Workspace.CostMicros,
			&u.Agent.Calls, &u.Agent.InputTokens, &u.Agent.OutputTokens, &u.Agent.CostMicros,
		)
		err = t.Finish(ctx, b)
		return u, err
	})
}

// SpentBy is the usage of an agent on a day.
type SpentBy struct {
	Agent string
	memory.Usage
}

// UsageByAgent lists the usage of agents of the workspace on the UTC day of a time, in no order. Agents without any are left out.
func (s *Talk) UsageByAgent(ctx context.Context, id memory.Identity, at time.Time) ([]SpentBy, error) {
	return pg.ReadAll(ctx, s.db, id, sqlUsageByAgent, pgx.NamedArgs{"day": day(at)}, func(row pgx.CollectableRow) (u SpentBy, err error) {
		err = row.Scan(&u.Agent, &u.Calls, &u.InputTokens, &u.OutputTokens, &u.CostMicros)
		return u, err
	})
}

// AddUsage records the cost of model calls that belong to no other record, such as a failed attempt.
func (s *Talk) AddUsage(ctx context.Context, id memory.Identity, model string, u memory.Usage) error {
	if err := pg.RequireAgentWrite(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		QueueUsage(b, t, model, u)
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// QueueUsage queues adding u to the agent's usage of the day, unless it is zero.
func QueueUsage(b *pgx.Batch, t *pg.Tx, model string, u memory.Usage) {
	if u == (memory.Usage{}) {
		return
	}
	b.Queue(sqlUsageAdd, t.Args(pgx.NamedArgs{
		"day": day(t.Now), "model": model, "calls": u.Calls,
		"input_tokens": u.InputTokens, "output_tokens": u.OutputTokens, "cost_micros": u.CostMicros,
	}))
}

// UsageAdded adds the usage of a step to its record (see AddUsageArgs).
const UsageAdded = `calls = calls + @calls,
    input_tokens = input_tokens + @input_tokens,
    output_tokens = output_tokens + @output_tokens,
    cost_micros = cost_micros + @cost_micros`

// AddUsageArgs adds the engine and its usage to the arguments of a record.
func AddUsageArgs(args pgx.NamedArgs, model, promptVersion string, u memory.Usage) {
	maps.Copy(args, pgx.NamedArgs{
		"model": model, "prompt_version": promptVersion, "calls": u.Calls,
		"input_tokens": u.InputTokens, "output_tokens": u.OutputTokens, "cost_micros": u.CostMicros,
	})
}

// SpentToday sums the usage of all agents of the workspace on the UTC day of the given time.
func (s *Talk) SpentToday(ctx context.Context, id memory.Identity, at time.Time) (memory.Usage, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (u memory.Usage, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(
			b.Queue(sqlUsageOfDay, t.Args(pgx.NamedArgs{"day": day(at)})), &found, &u.Calls, &u.InputTokens, &u.OutputTokens, &u.CostMicros,
		)
		err = t.Finish(ctx, b)
		return u, err
	})
}

// day returns the UTC day of a time.
func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

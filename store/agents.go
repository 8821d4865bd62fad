package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/crontab"
	"reverie/memory/setting"
)

// Admin manages a deployment: agents, keys and workspaces, and the doctor's repairs.
type Admin struct{ db *DB }

// newAdmin returns the administration of a database.
func newAdmin(db *DB) *Admin { return &Admin{db} }

// NewAgent describes an agent to create.
type NewAgent struct {
	ID       string // slug; empty: one is made
	Name     string // empty: the ID
	TimeZone string // IANA name; empty: UTC
	Settings setting.AgentSettings
}

// AgentPatch changes the fields that are not nil.
type AgentPatch struct {
	Name     *string
	TimeZone *string
	Settings *setting.AgentSettings // replaces all settings
}

const (
	sqlAgentInsert = `
insert into agents (workspace_id, agent_id, name, time_zone, settings, created_at, updated_at)
values (@workspace, @agent, @name, @time_zone, @settings, @now, @now)
on conflict do nothing
returning ` + agentColumns

	sqlAgents = `select ` + agentColumns + ` from agents where workspace_id = @workspace order by agent_id collate "C"`

	sqlAgentUpdate = `
update agents set
    name = coalesce(@name, name),
    time_zone = coalesce(@time_zone, time_zone),
    settings = coalesce(@settings, settings),
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent
returning ` + agentColumns
)

// CreateAgent creates an agent with its first documents (memory.Seeds, TEAM, enabled) in one transaction. It needs an admin; one
// who is limited to some agents may create only these. It returns ErrExists when the id is taken, and *InvalidError for an invalid
// leader.
func (s *Admin) CreateAgent(ctx context.Context, id memory.Identity, a NewAgent) (Agent, error) {
	if err := requireAdmin(id); err != nil {
		return Agent{}, err
	}
	if a.ID == "" {
		a.ID = newID().String()
	}
	if a.Name == "" {
		a.Name = a.ID
	}
	if a.TimeZone == "" {
		a.TimeZone = "UTC"
	}
	if !memory.ValidSlug(a.ID) {
		return Agent{}, &InvalidError{Field: "id", Problem: "use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit"}
	}
	if err := (AgentPatch{Name: &a.Name, TimeZone: &a.TimeZone, Settings: &a.Settings}).validate(); err != nil {
		return Agent{}, err
	}
	a.Settings = *ledBy(a.ID, &a.Settings)
	id = id.For(a.ID, memory.NoOwner)
	return leading(ctx, s.db, id, func(t *tx) (created Agent, err error) {
		isNew := false
		first := seeds()
		first.reads = &pgx.Batch{}
		leader := queueLeadership(first.reads, t, &a.Settings)
		one(
			first.reads.Queue(sqlAgentInsert, t.args(pgx.NamedArgs{"name": a.Name, "time_zone": a.TimeZone, "settings": a.Settings})),
			&isNew, &created, scanAgent,
		)
		first.ready = func() error {
			if !isNew {
				return fmt.Errorf("agent %s: %w", a.ID, ErrExists)
			}
			return leader.allowed(id)
		}
		if _, err := applyChanges(ctx, t, first); err != nil {
			return Agent{}, err
		}
		b := &pgx.Batch{}
		if err := queueEvent(b, t, event{kind: EventAgentCreated, agent: a.ID, detail: struct{}{}}); err != nil {
			return Agent{}, err
		}
		err = t.finish(ctx, b)
		return created, err
	})
}

// Agents lists the agents that the identity may use, by id.
func (s *Admin) Agents(ctx context.Context, id memory.Identity) ([]Agent, error) {
	return readAll(ctx, s.db, id, sqlAgents, nil, scanAgent)
}

// UpdateAgent changes the identity's agent. It needs an admin. It returns *InvalidError for an invalid leader: it must exist in the
// workspace, the identity must be allowed to use it, and neither it nor the agent's own members may be in a team.
func (s *Admin) UpdateAgent(ctx context.Context, id memory.Identity, p AgentPatch) (Agent, error) {
	if err := requireAdmin(id); err != nil {
		return Agent{}, err
	}
	if err := requireAgent(id); err != nil {
		return Agent{}, err
	}
	if err := p.validate(); err != nil {
		return Agent{}, err
	}
	p.Settings = ledBy(id.Agent, p.Settings)
	return leading(ctx, s.db, id, func(t *tx) (a Agent, err error) {
		found := false
		b := &pgx.Batch{}
		leader := queueLeadership(b, t, p.Settings)
		one(
			b.Queue(sqlAgentUpdate, t.args(pgx.NamedArgs{"name": p.Name, "time_zone": p.TimeZone, "settings": p.Settings})), &found,
			&a, scanAgent,
		)
		if err := t.send(ctx, b); err != nil {
			return Agent{}, err
		}
		if !found {
			return Agent{}, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		}
		if err := leader.allowed(id); err != nil {
			return Agent{}, err
		}
		b = &pgx.Batch{}
		if err := queueEvent(b, t, event{kind: EventAgentUpdated, agent: id.Agent, detail: p.names()}); err != nil {
			return Agent{}, err
		}
		err = t.finish(ctx, b)
		return a, err
	})
}

// names returns the names of the fields that a patch sets.
func (p AgentPatch) names() map[string]any {
	var names []string
	if p.Name != nil {
		names = append(names, "name")
	}
	if p.TimeZone != nil {
		names = append(names, "timeZone")
	}
	if p.Settings != nil {
		names = append(names, "settings")
	}
	return map[string]any{"changed": names}
}

func (p AgentPatch) validate() error {
	if p.Name != nil {
		if err := validName("name", *p.Name); err != nil {
			return err
		}
	}
	if p.TimeZone != nil {
		if err := validTimeZone(*p.TimeZone); err != nil {
			return err
		}
	}
	if p.Settings == nil {
		return nil
	}
	for _, number := range []struct {
		field string
		value *int
	}{
		{"minMessages", p.Settings.MinMessages},
		{"minUserChars", p.Settings.MinUserChars},
		{"quietSeconds", p.Settings.QuietSeconds},
		{"cooldownSeconds", p.Settings.CooldownSeconds},
		{"profileMaxChars", p.Settings.ProfileMaxChars},
		{"memoryMaxChars", p.Settings.MemoryMaxChars},
	} {
		if number.value != nil && *number.value < 0 {
			return &InvalidError{Field: "settings." + number.field, Problem: "must not be negative"}
		}
	}
	if err := validDreams(*p.Settings); err != nil {
		return err
	}
	if len(p.Settings.WriteTargets) > memory.MaxWriteTargets {
		return &InvalidError{Field: "settings.writeTargets", Problem: fmt.Sprintf("at most %d patterns allowed", memory.MaxWriteTargets)}
	}
	for i, target := range p.Settings.WriteTargets {
		if err := memory.ValidWriteTarget(target); err != nil {
			return &InvalidError{Field: fmt.Sprintf("settings.writeTargets[%d]", i), Problem: err.Error(), cause: err}
		}
	}
	if strings.TrimSpace(p.Settings.Model) != p.Settings.Model {
		return &InvalidError{Field: "settings.model", Problem: "remove leading and trailing spaces"}
	}
	return validText("settings.model", p.Settings.Model, maxName)
}

// validDreams checks the settings of schedules and dreams.
func validDreams(a setting.AgentSettings) error {
	if a.DreamCron != "" {
		if _, err := crontab.Parse(a.DreamCron); err != nil {
			return &InvalidError{Field: "settings.dreamCron", Problem: err.Error()}
		}
	}
	for _, number := range []struct {
		field string
		value *int
		least int
	}{
		{"dreamDays", a.DreamDays, 1},
		{"dreamMinSignals", a.DreamMinSignals, 1},
		{"dreamMinDiversity", a.DreamMinDiversity, 1},
		{"dreamMaxPromotions", a.DreamMaxPromotions, 0},
	} {
		if number.value != nil && *number.value < number.least {
			return &InvalidError{Field: "settings." + number.field, Problem: fmt.Sprintf("must be at least %d", number.least)}
		}
	}
	for _, share := range []struct {
		field string
		value *float64
	}{
		{"dreamMinScore", a.DreamMinScore},
		{"dreamMaxRetiredShare", a.DreamMaxRetiredShare},
	} {
		if share.value != nil && !(*share.value >= 0 && *share.value <= 1) {
			return &InvalidError{Field: "settings." + share.field, Problem: "must be from 0 to 1"}
		}
	}
	if a.DreamHalfLifeDays != nil && !(*a.DreamHalfLifeDays > 0) {
		return &InvalidError{Field: "settings.dreamHalfLifeDays", Problem: "must be above 0"}
	}
	return nil
}

// seeds returns the first documents of a new agent.
func seeds() changeSet {
	var changes []memory.Change
	for _, seed := range memory.Seeds() {
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: seed.Path}, Op: memory.OpReplace,
			Content: seed.Content, Reason: "what every agent begins with",
		})
	}
	return changeSet{author: memory.Author{Kind: memory.AuthorSeed, ID: "seed"}, changes: changes}
}

const (
	// Changes of leaders in a workspace run one after the other, so that none invalidates the checks of another.
	sqlLeadersLock = `select pg_advisory_xact_lock(hashtextextended('reverie.leaders/' || @workspace, 0))`

	sqlLeaderCheck = `
select
    coalesce((select settings ->> 'leader' from agents where workspace_id = @workspace and agent_id = @agent), ''),
    exists (select from agents where workspace_id = @workspace and agent_id = @leader),
    coalesce((select settings ->> 'leader' from agents where workspace_id = @workspace and agent_id = @leader), ''),
    exists (select from agents where workspace_id = @workspace and agent_id <> @agent and settings ->> 'leader' = @agent)`
)

// ledBy returns settings without a leader that is the agent itself.
func ledBy(agent string, settings *setting.AgentSettings) *setting.AgentSettings {
	if settings == nil || settings.Leader != agent {
		return settings
	}
	own := *settings
	own.Leader = ""
	return &own
}

// leading runs fn as a transaction that may read all agents of the workspace, which checking a leader requires: the credential may
// be limited to some.
func leading[T any](ctx context.Context, db *DB, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	set, err := settingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	set.purpose = purposeSweep
	return run(ctx, db, &tx{settings: set, id: id, mode: sqlBegin}, fn)
}

// leadership is the state that a new leader is checked against.
type leadership struct {
	named     string // the leader that is to be
	current   string
	exists    bool
	of        string // the leader's own leader
	hasMember bool   // other agents name this one
}

// queueLeadership queues reading it before the change. Without a new leader it does nothing: a leader can always be removed.
func queueLeadership(b *pgx.Batch, t *tx, settings *setting.AgentSettings) *leadership {
	if settings == nil || settings.Leader == "" {
		return &leadership{}
	}
	l := &leadership{named: settings.Leader}
	args := t.args(pgx.NamedArgs{"leader": l.named})
	b.Queue(sqlLeadersLock, args)
	b.Queue(sqlLeaderCheck, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.current, &l.exists, &l.of, &l.hasMember) })
	return l
}

// allowed refuses an invalid leader: an agent that does not exist in the workspace or that the credential may not use, a member of
// another team, and any leader for an agent that leads others. Leaders are not transitive.
func (l *leadership) allowed(id memory.Identity) error {
	const field = "settings.leader"
	switch {
	case l.named == "" || l.named == l.current:
		return nil
	case !l.exists || !id.MayUseAgent(l.named):
		return &InvalidError{Field: field, Problem: fmt.Sprintf("there is no agent %s in this workspace", l.named)}
	case l.of != "" && l.of != l.named:
		return &InvalidError{
			Field: field, Problem: fmt.Sprintf("agent %s is itself a member of a team: name an agent without a leader", l.named),
		}
	case l.hasMember:
		return &InvalidError{Field: field, Problem: "this agent leads others: take it out of their settings first"}
	}
	return nil
}

// Package admin stores workspaces, agents, keys and the state of components, and reads what the doctor examines.
package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/crontab"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Admin manages a deployment: agents, keys and workspaces, and the doctor's repairs.
type Admin struct{ db *pg.DB }

// New returns the administration of a database.
func New(db *pg.DB) *Admin { return &Admin{db} }

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
returning ` + gate.AgentColumns

	sqlAgents = `select ` + gate.AgentColumns + ` from agents where workspace_id = @workspace order by agent_id collate "C"`

	sqlAgentUpdate = `
update agents set
    name = coalesce(@name, name),
    time_zone = coalesce(@time_zone, time_zone),
    settings = coalesce(@settings, settings),
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent
returning ` + gate.AgentColumns
)

// CreateAgent creates an agent with its first documents (memory.Seeds, TEAM, enabled) in one transaction. It needs an admin; one
// who is limited to some agents may create only these. It returns ErrExists when the id is taken, and *InvalidError for an invalid
// leader.
func (s *Admin) CreateAgent(ctx context.Context, id memory.Identity, a NewAgent) (gate.Agent, error) {
	if err := pg.RequireAdmin(id); err != nil {
		return gate.Agent{}, err
	}
	if a.ID == "" {
		a.ID = pg.NewID().String()
	}
	if a.Name == "" {
		a.Name = a.ID
	}
	if a.TimeZone == "" {
		a.TimeZone = "UTC"
	}
	if !memory.ValidSlug(a.ID) {
		return gate.Agent{}, &pg.InvalidError{Field: "id", Problem: "use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit"}
	}
	if err := (AgentPatch{Name: &a.Name, TimeZone: &a.TimeZone, Settings: &a.Settings}).Validate(); err != nil {
		return gate.Agent{}, err
	}
	id = id.For(a.ID, memory.NoOwner)
	return leading(ctx, s.db, id, func(t *pg.Tx) (created gate.Agent, err error) {
		isNew := false
		first := seeds()
		first.Reads = &pgx.Batch{}
		leader := queueLeadership(first.Reads, t, &a.Settings)
		pg.One(
			first.Reads.Queue(sqlAgentInsert, t.Args(pgx.NamedArgs{"name": a.Name, "time_zone": a.TimeZone, "settings": a.Settings})),
			&isNew, &created, gate.ScanAgent,
		)
		first.Ready = func() error {
			if !isNew {
				return fmt.Errorf("agent %s: %w", a.ID, pg.ErrExists)
			}
			return leader.allowed(id)
		}
		if _, err := gate.ApplyChanges(ctx, t, first); err != nil {
			return gate.Agent{}, err
		}
		b := &pgx.Batch{}
		if err := gate.QueueEvent(b, t, gate.JournalEvent{Kind: gate.EventAgentCreated, Agent: a.ID, Detail: struct{}{}}); err != nil {
			return gate.Agent{}, err
		}
		err = t.Finish(ctx, b)
		return created, err
	})
}

// Agents lists the agents that the identity may use, by id.
func (s *Admin) Agents(ctx context.Context, id memory.Identity) ([]gate.Agent, error) {
	return pg.ReadAll(ctx, s.db, id, sqlAgents, nil, gate.ScanAgent)
}

// UpdateAgent changes the identity's agent. It needs an admin. It returns *InvalidError for an invalid leader: it must exist in the
// workspace, the identity must be allowed to use it, and neither it nor the agent's own members may be in a team.
func (s *Admin) UpdateAgent(ctx context.Context, id memory.Identity, p AgentPatch) (gate.Agent, error) {
	if err := pg.RequireAdmin(id); err != nil {
		return gate.Agent{}, err
	}
	if err := pg.RequireAgent(id); err != nil {
		return gate.Agent{}, err
	}
	if err := p.Validate(); err != nil {
		return gate.Agent{}, err
	}
	return leading(ctx, s.db, id, func(t *pg.Tx) (a gate.Agent, err error) {
		found := false
		b := &pgx.Batch{}
		leader := queueLeadership(b, t, p.Settings)
		pg.One(
			b.Queue(sqlAgentUpdate, t.Args(pgx.NamedArgs{"name": p.Name, "time_zone": p.TimeZone, "settings": p.Settings})), &found,
			&a, gate.ScanAgent,
		)
		if err := t.Send(ctx, b); err != nil {
			return gate.Agent{}, err
		}
		if !found {
			return gate.Agent{}, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		}
		if err := leader.allowed(id); err != nil {
			return gate.Agent{}, err
		}
		b = &pgx.Batch{}
		if err := gate.QueueEvent(b, t, gate.JournalEvent{Kind: gate.EventAgentUpdated, Agent: id.Agent, Detail: p.names()}); err != nil {
			return gate.Agent{}, err
		}
		err = t.Finish(ctx, b)
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

// Validate returns an *pg.InvalidError for a value that an agent cannot have.
func (p AgentPatch) Validate() error {
	if p.Name != nil {
		if err := memory.ValidName("name", *p.Name); err != nil {
			return err
		}
	}
	if p.TimeZone != nil {
		if err := pg.ValidTimeZone(*p.TimeZone); err != nil {
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
		{"idleTurnSeconds", p.Settings.IdleTurnSeconds},
		{"profileMaxChars", p.Settings.ProfileMaxChars},
		{"memoryMaxChars", p.Settings.MemoryMaxChars},
	} {
		if number.value != nil && *number.value < 0 {
			return &pg.InvalidError{Field: "settings." + number.field, Problem: "must not be negative"}
		}
	}
	if err := validDreams(*p.Settings); err != nil {
		return err
	}
	if len(p.Settings.WriteTargets) > memory.MaxWriteTargets {
		return &pg.InvalidError{Field: "settings.writeTargets", Problem: fmt.Sprintf("at most %d patterns allowed", memory.MaxWriteTargets)}
	}
	for i, target := range p.Settings.WriteTargets {
		if err := memory.ValidWriteTarget(target); err != nil {
			return &pg.InvalidError{Field: fmt.Sprintf("settings.writeTargets[%d]", i), Problem: err.Error(), Cause: err}
		}
	}
	if strings.TrimSpace(p.Settings.Model) != p.Settings.Model {
		return &pg.InvalidError{Field: "settings.model", Problem: "remove leading and trailing spaces"}
	}
	return memory.ValidText("settings.model", p.Settings.Model, memory.MaxName)
}

// validDreams checks the settings of schedules and dreams.
func validDreams(a setting.AgentSettings) error {
	if a.DreamCron != "" {
		if _, err := crontab.Parse(a.DreamCron); err != nil {
			return &pg.InvalidError{Field: "settings.dreamCron", Problem: err.Error()}
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
			return &pg.InvalidError{Field: "settings." + number.field, Problem: fmt.Sprintf("must be at least %d", number.least)}
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
			return &pg.InvalidError{Field: "settings." + share.field, Problem: "must be from 0 to 1"}
		}
	}
	if a.DreamHalfLifeDays != nil && !(*a.DreamHalfLifeDays > 0) {
		return &pg.InvalidError{Field: "settings.dreamHalfLifeDays", Problem: "must be above 0"}
	}
	return nil
}

// seeds returns the first documents of a new agent.
func seeds() gate.ChangeSet {
	var changes []memory.Change
	for _, seed := range memory.Seeds() {
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: memory.ScopeTeam, Path: seed.Path}, Op: memory.OpReplace,
			Content: seed.Content, Reason: "what every agent begins with",
		})
	}
	return gate.ChangeSet{Author: memory.Author{Kind: memory.AuthorSeed, ID: "seed"}, Changes: changes}
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

// leading runs fn as a transaction that may read all agents of the workspace, which checking a leader requires: the credential may
// be limited to some.
func leading[T any](ctx context.Context, db *pg.DB, id memory.Identity, fn func(*pg.Tx) (T, error)) (T, error) {
	set, err := pg.SettingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	set.Purpose = pg.PurposeSweep
	return pg.Run(ctx, db, &pg.Tx{Settings: set, ID: id, Mode: pg.SQLBegin}, fn)
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
func queueLeadership(b *pgx.Batch, t *pg.Tx, settings *setting.AgentSettings) *leadership {
	if settings == nil || settings.Leader == "" {
		return &leadership{}
	}
	l := &leadership{named: settings.Leader}
	args := t.Args(pgx.NamedArgs{"leader": l.named})
	b.Queue(sqlLeadersLock, args)
	b.Queue(sqlLeaderCheck, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.current, &l.exists, &l.of, &l.hasMember) })
	return l
}

// allowed refuses an invalid leader: the agent itself, an agent that does not exist in the workspace or that the credential may not use, a member of
// another team, and any leader for an agent that leads others. Leaders are not transitive.
func (l *leadership) allowed(id memory.Identity) error {
	const field = "settings.leader"
	switch {
	case l.named == "" || l.named == l.current:
		return nil
	case l.named == id.Agent:
		return &pg.InvalidError{Field: field, Problem: "an agent does not lead itself: name another agent, or null for none"}
	case !l.exists || !id.MayUseAgent(l.named):
		return &pg.InvalidError{Field: field, Problem: fmt.Sprintf("there is no agent %s in this workspace", l.named)}
	case l.of != "" && l.of != l.named:
		return &pg.InvalidError{
			Field: field, Problem: fmt.Sprintf("agent %s is itself a member of a team: name an agent without a leader", l.named),
		}
	case l.hasMember:
		return &pg.InvalidError{Field: field, Problem: "this agent leads others: take it out of their settings first"}
	}
	return nil
}

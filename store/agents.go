package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Agent is an assistant with a memory.
type Agent struct {
	ID        string // slug
	Name      string
	TimeZone  string // IANA name, such as Europe/Berlin
	Settings  memory.AgentSettings
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Location is the agent's time zone.
func (a Agent) Location() (*time.Location, error) { return time.LoadLocation(a.TimeZone) }

// NewAgent is what CreateAgent is told.
type NewAgent struct {
	ID       string // slug; empty: one is made
	Name     string // empty: the ID
	TimeZone string // IANA name; empty: UTC
	Settings memory.AgentSettings
}

// AgentPatch changes what is not nil.
type AgentPatch struct {
	Name     *string
	TimeZone *string
	Settings *memory.AgentSettings // replaces all settings
}

// agentColumns are the columns of an Agent, in the order of scanAgent.
const agentColumns = `agent_id, name, time_zone, settings, created_at, updated_at`

func scanAgent(row pgx.CollectableRow) (a Agent, err error) {
	err = row.Scan(&a.ID, &a.Name, &a.TimeZone, &a.Settings, &a.CreatedAt, &a.UpdatedAt)
	return a, err
}

const (
	sqlAgentInsert = `
insert into agents (workspace_id, agent_id, name, time_zone, settings, created_at, updated_at)
values (@workspace, @agent, @name, @time_zone, @settings, @now, @now)
on conflict do nothing
returning ` + agentColumns

	sqlAgent = `select ` + agentColumns + ` from agents where workspace_id = @workspace and agent_id = @agent`

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

// CreateAgent makes an agent with its first documents (memory.Seeds, TEAM, enabled) in one transaction. It needs an admin;
// one who is limited to some agents may make only these. It returns ErrExists when the id is taken, and *InvalidError for a
// leader that cannot be one.
func (s *Store) CreateAgent(ctx context.Context, id memory.Identity, a NewAgent) (Agent, error) {
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
	return leading(ctx, s, id, func(t *tx) (created Agent, err error) {
		isNew := false
		first := seeds()
		first.reads = &pgx.Batch{}
		leader := queueLeadership(first.reads, t, &a.Settings)
		one(first.reads.Queue(sqlAgentInsert, t.args(pgx.NamedArgs{"name": a.Name, "time_zone": a.TimeZone, "settings": a.Settings})), &isNew,
			func(row pgx.CollectableRow) (err error) { created, err = scanAgent(row); return err })
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

// Agent returns the identity's agent.
func (s *Store) Agent(ctx context.Context, id memory.Identity) (Agent, error) {
	if err := requireAgent(id); err != nil {
		return Agent{}, err
	}
	return read(ctx, s, id, func(t *tx) (a Agent, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlAgent, t.args(nil)), &found, func(row pgx.CollectableRow) (err error) { a, err = scanAgent(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return Agent{}, err
		}
		if !found {
			return Agent{}, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		}
		return a, nil
	})
}

// Agents lists the agents that the identity may use, by id.
func (s *Store) Agents(ctx context.Context, id memory.Identity) ([]Agent, error) {
	return read(ctx, s, id, func(t *tx) (agents []Agent, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlAgents, t.args(nil)), &agents, scanAgent)
		err = t.finish(ctx, b)
		return agents, err
	})
}

// UpdateAgent changes the identity's agent. It needs an admin. It returns *InvalidError for a leader that cannot be one: it must
// exist in the workspace, the identity must be allowed to use it, and neither it nor the agent's own members may be in a team.
func (s *Store) UpdateAgent(ctx context.Context, id memory.Identity, p AgentPatch) (Agent, error) {
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
	return leading(ctx, s, id, func(t *tx) (a Agent, err error) {
		found := false
		b := &pgx.Batch{}
		leader := queueLeadership(b, t, p.Settings)
		one(b.Queue(sqlAgentUpdate, t.args(pgx.NamedArgs{"name": p.Name, "time_zone": p.TimeZone, "settings": p.Settings})), &found,
			func(row pgx.CollectableRow) (err error) { a, err = scanAgent(row); return err })
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

// names are the fields that a patch sets.
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
			return &InvalidError{Field: "settings." + number.field, Problem: "it must not be negative"}
		}
	}
	if err := validDreams(*p.Settings); err != nil {
		return err
	}
	if len(p.Settings.WriteTargets) > memory.MaxWriteTargets {
		return &InvalidError{Field: "settings.writeTargets", Problem: fmt.Sprintf("at most %d patterns are allowed", memory.MaxWriteTargets)}
	}
	for i, target := range p.Settings.WriteTargets {
		if err := memory.ValidWriteTarget(target); err != nil {
			return &InvalidError{Field: fmt.Sprintf("settings.writeTargets[%d]", i), Problem: err.Error(), cause: err}
		}
	}
	if strings.TrimSpace(p.Settings.Model) != p.Settings.Model {
		return &InvalidError{Field: "settings.model", Problem: "remove the spaces around it"}
	}
	return validText("settings.model", p.Settings.Model, maxName)
}

// validDreams checks what would make a schedule or a dream fail.
func validDreams(a memory.AgentSettings) error {
	if a.DreamCron != "" {
		if _, err := memory.ParseCron(a.DreamCron); err != nil {
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
			return &InvalidError{Field: "settings." + number.field, Problem: fmt.Sprintf("it must be at least %d", number.least)}
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
			return &InvalidError{Field: "settings." + share.field, Problem: "it must be from 0 to 1"}
		}
	}
	if a.DreamHalfLifeDays != nil && !(*a.DreamHalfLifeDays > 0) {
		return &InvalidError{Field: "settings.dreamHalfLifeDays", Problem: "it must be above 0"}
	}
	return nil
}

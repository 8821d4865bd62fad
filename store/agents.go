package store

import (
	"context"
	"time"

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

// CreateAgent makes an agent with its first documents (memory.Seeds, TEAM, enabled) in one transaction. It needs an admin;
// one who is limited to some agents may make only these. It returns ErrExists when the id is taken.
func (s *Store) CreateAgent(ctx context.Context, id memory.Identity, a NewAgent) (Agent, error) {
	panic("signature")
}

// Agent returns the identity's agent.
func (s *Store) Agent(ctx context.Context, id memory.Identity) (Agent, error) { panic("signature") }

// Agents lists the agents that the identity may use, by id.
func (s *Store) Agents(ctx context.Context, id memory.Identity) ([]Agent, error) { panic("signature") }

// UpdateAgent changes the identity's agent. It needs an admin.
func (s *Store) UpdateAgent(ctx context.Context, id memory.Identity, p AgentPatch) (Agent, error) {
	panic("signature")
}

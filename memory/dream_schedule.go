package memory

import "time"

// DreamSchedule says when agents dream: the server's, or with an agent's settings (With) that agent's.
type DreamSchedule struct {
	MemoryEnabled   bool `from:"MemoryEnabled"`
	DreamingEnabled bool `from:"DreamingEnabled"`
	// TeamMember: the agent has a leader, and writes no memory.
	TeamMember bool
	// Cron is in the agent's time zone: see ParseCron.
	Cron string `from:"DreamCron"`
	// Jitter is the most by which a night begins later, so that not all agents dream at once.
	Jitter time.Duration `from:"DreamJitter"`
	// Parallel is how many owners of one agent dream at once.
	Parallel int `from:"DreamParallel"`
	// KeyID names the key that payloads are encrypted with; empty: none. A schedule holds a payload for as long as it lives, so
	// that it follows a change of the key.
	KeyID string
}

// DreamSchedule returns the schedule of agents that set none.
func (s Settings) DreamSchedule() DreamSchedule {
	var out DreamSchedule
	s.Resolve(&out)
	return out
}

// DefaultDreamSchedule returns the documented default.
func DefaultDreamSchedule() DreamSchedule { return DefaultSettings().DreamSchedule() }

// With returns s with the values that a sets.
func (s DreamSchedule) With(a AgentSettings) DreamSchedule {
	a.Override(&s)
	s.TeamMember = a.Leader != ""
	return s
}

// On reports whether there are nights at all: nothing is dreamed without memory, nor by a member of a team.
func (s DreamSchedule) On() bool { return s.MemoryEnabled && s.DreamingEnabled && !s.TeamMember }

package memory

import "time"

// DreamSchedule says when agents dream: the server's, or with an agent's settings (With) that agent's.
type DreamSchedule struct {
	MemoryEnabled   bool
	DreamingEnabled bool
	// TeamMember: the agent has a leader, and writes no memory.
	TeamMember bool
	// Cron is in the agent's time zone: see ParseCron.
	Cron string
	// Jitter is the most by which a night begins later, so that not all agents dream at once.
	Jitter time.Duration
	// Parallel is how many owners of one agent dream at once.
	Parallel int
	// KeyID names the key that payloads are encrypted with; empty: none. A schedule holds a payload for as long as it lives, so
	// that it follows a change of the key.
	KeyID string
}

// DefaultDreamSchedule is the documented default.
func DefaultDreamSchedule() DreamSchedule {
	return DreamSchedule{MemoryEnabled: true, DreamingEnabled: true, Cron: "0 2 * * *", Jitter: 10 * time.Minute, Parallel: 4}
}

// With returns s with everything that a sets.
func (s DreamSchedule) With(a AgentSettings) DreamSchedule {
	set(&s.MemoryEnabled, a.MemoryEnabled)
	set(&s.DreamingEnabled, a.DreamingEnabled)
	s.TeamMember = a.Leader != ""
	if a.DreamCron != "" {
		s.Cron = a.DreamCron
	}
	return s
}

// On reports whether there are nights at all: nothing is dreamed without memory, nor by a member of a team.
func (s DreamSchedule) On() bool { return s.MemoryEnabled && s.DreamingEnabled && !s.TeamMember }

package memory

import "time"

// Timing is when an extraction runs: both are durable timers that delay work and never drop it.
type Timing struct {
	Quiet    time.Duration `json:"quiet"`    // nothing new for this long
	Cooldown time.Duration `json:"cooldown"` // since the last extraction of the same agent and owner
}

// DefaultTiming is the documented default.
func DefaultTiming() Timing { return Timing{Quiet: 20 * time.Second, Cooldown: 5 * time.Minute} }

// With returns t with everything that a sets.
func (t Timing) With(a AgentSettings) Timing {
	if a.QuietSeconds != nil {
		t.Quiet = time.Duration(*a.QuietSeconds) * time.Second
	}
	if a.CooldownSeconds != nil {
		t.Cooldown = time.Duration(*a.CooldownSeconds) * time.Second
	}
	return t
}

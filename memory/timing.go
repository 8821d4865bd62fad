package memory

import "time"

// Timing is when an extraction runs: both are durable timers that delay work and never drop it.
type Timing struct {
	Quiet    time.Duration `json:"quiet" from:"QuietPeriod"` // nothing new for this long
	Cooldown time.Duration `json:"cooldown" from:"Cooldown"` // since the last extraction of the same agent and owner
}

// Timing returns when extractions run.
func (s Settings) Timing() Timing {
	var out Timing
	s.Resolve(&out)
	return out
}

// DefaultTiming returns the documented defaults.
func DefaultTiming() Timing { return DefaultSettings().Timing() }

// With returns t with the values that a sets.
func (t Timing) With(a AgentSettings) Timing {
	a.Override(&t)
	return t
}

package choose

import (
	"math"
	"time"
)

// DecayOptions lets older passages count less.
type DecayOptions struct {
	// HalfLife is the age at which a passage counts half. Zero or less: no decay.
	HalfLife time.Duration
}

// DefaultDecayOptions halve a score every thirty days.
func DefaultDecayOptions() DecayOptions { return DecayOptions{HalfLife: 30 * 24 * time.Hour} }

// Factor is what a score is multiplied with at an age: 1 for what is new or lies in the future, one half after HalfLife,
// never 0.
func (o DecayOptions) Factor(age time.Duration) float64 {
	if o.HalfLife <= 0 || age <= 0 {
		return 1
	}
	return math.Exp2(-age.Hours() / o.HalfLife.Hours())
}

// decayOf is the factor of one candidate: 1 when decay is off (nil), for what does not age and for what has no date.
func decayOf(c Candidate, o *DecayOptions, now time.Time) float64 {
	if o == nil || c.Evergreen || c.At == 0 {
		return 1
	}
	return o.Factor(now.Sub(time.Unix(c.At, 0)))
}

package recall

import (
	"time"

	"reverie/memory"
	"reverie/search/choose"
	"reverie/search/fuse"
)

// Settings are how an agent's memory is searched. They are resolved in one order: the server's, the agent's, the request's.
type Settings struct {
	Enabled       bool // off: nothing is found
	MaxResults    int
	MinScore      float64 // 0 to 1
	VectorWeight  float64 // against TextWeight; only their relation counts
	TextWeight    float64
	Diversity     bool    // results that repeat others wait (maximal marginal relevance)
	Lambda        float64 // weight of relevance against novelty, 0 to 1
	Decay         bool    // older passages count less
	HalfLife      time.Duration
	PersonalBoost float64 // what the score of an owner's own passages is multiplied with
}

// DefaultSettings are the documented defaults.
func DefaultSettings() Settings {
	selection, fusion := choose.DefaultOptions(), fuse.DefaultOptions()
	return Settings{
		Enabled: true, MaxResults: selection.Limit, MinScore: selection.MinScore,
		VectorWeight: fusion.VectorWeight, TextWeight: fusion.TextWeight,
		Lambda: choose.DefaultDiversityOptions().Lambda, HalfLife: choose.DefaultDecayOptions().HalfLife,
		PersonalBoost: selection.PersonalBoost,
	}
}

// With returns s with everything that an agent sets.
func (s Settings) With(a memory.AgentSettings) Settings {
	set(&s.Enabled, a.MemoryEnabled)
	set(&s.MaxResults, a.RecallMaxResults)
	set(&s.MinScore, a.RecallMinScore)
	set(&s.VectorWeight, a.VectorWeight)
	set(&s.TextWeight, a.TextWeight)
	set(&s.Diversity, a.MMR)
	set(&s.Lambda, a.MMRLambda)
	set(&s.Decay, a.Decay)
	if a.DecayHalfLifeDays != nil {
		s.HalfLife = days(*a.DecayHalfLifeDays)
	}
	return s
}

// settings are those of one request.
func (r Request) settings(server Settings) Settings {
	s := server.With(r.Agent)
	set(&s.MaxResults, r.MaxResults)
	set(&s.MinScore, r.MinScore)
	o := r.Options
	set(&s.VectorWeight, o.VectorWeight)
	set(&s.TextWeight, o.TextWeight)
	set(&s.Diversity, o.MMR)
	set(&s.Lambda, o.MMRLambda)
	set(&s.Decay, o.Decay)
	if o.DecayHalfLifeDays != nil {
		s.HalfLife = days(*o.DecayHalfLifeDays)
	}
	if o.isOff(offPersonalBoost) {
		s.PersonalBoost = 1
	}
	return s
}

// selection is what the selection of results is told.
func (s Settings) selection(r Request) choose.Options {
	o := choose.Options{Limit: s.MaxResults, MinScore: s.MinScore, PersonalBoost: s.PersonalBoost, From: r.From, To: r.To}
	if s.Decay {
		o.Decay = &choose.DecayOptions{HalfLife: s.HalfLife}
	}
	if s.Diversity {
		o.Diversity = &choose.DiversityOptions{Lambda: s.Lambda}
	}
	return o
}

func days(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

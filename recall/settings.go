package recall

import (
	"time"

	"reverie/memory"
	"reverie/search"
)

// Settings are how an agent's memory is searched. They are resolved in one order: the server's, the agent's, the request's.
type Settings struct {
	Enabled       bool          `from:"MemoryEnabled"` // off: nothing is found
	MaxResults    int           `from:"RecallMaxResults"`
	MinScore      float64       `from:"RecallMinScore"`     // 0 to 1
	VectorWeight  float64       `from:"RecallVectorWeight"` // against TextWeight; only their ratio counts
	TextWeight    float64       `from:"RecallTextWeight"`
	Diversity     bool          `from:"RecallMMR"`       // rank results lower that repeat others (maximal marginal relevance)
	Lambda        float64       `from:"RecallMMRLambda"` // weight of relevance against novelty, 0 to 1
	Decay         bool          `from:"RecallDecay"`     // older passages count less
	HalfLife      time.Duration `from:"RecallDecayHalfLifeDays"`
	PersonalBoost float64       // what the score of an owner's own passages is multiplied with
}

// SettingsOf returns the settings of searches.
func SettingsOf(table memory.Settings) Settings {
	s := Settings{PersonalBoost: search.DefaultSelectOptions().PersonalBoost}
	table.Resolve(&s)
	return s
}

// DefaultSettings returns the documented defaults.
func DefaultSettings() Settings { return SettingsOf(memory.DefaultSettings()) }

// With returns s with the values that an agent sets.
func (s Settings) With(a memory.AgentSettings) Settings {
	a.Override(&s)
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
func (s Settings) selection(r Request) search.SelectOptions {
	o := search.SelectOptions{Limit: s.MaxResults, MinScore: s.MinScore, PersonalBoost: s.PersonalBoost, From: r.From, To: r.To}
	if s.Decay {
		o.Decay = &search.DecayOptions{HalfLife: s.HalfLife}
	}
	if s.Diversity {
		o.Diversity = &search.DiversityOptions{Lambda: s.Lambda}
	}
	return o
}

func days(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

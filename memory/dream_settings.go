package memory

import "time"

// DreamWeights are the weights of the components of a candidate's score. They are normalized to a sum of 1.
type DreamWeights struct {
	Frequency     float64 `json:"frequency"`
	Relevance     float64 `json:"relevance"`
	Diversity     float64 `json:"diversity"`
	Recency       float64 `json:"recency"`
	Consolidation float64 `json:"consolidation"`
	Conceptual    float64 `json:"conceptual"`
}

// DreamSettings are the resolved parameters of one dream. They are stored in its record and report, so that a retry or
// replay uses the same values.
type DreamSettings struct {
	Enabled        bool         `json:"enabled"`              // after With: memory and dreaming are on, and the agent is not a team member
	MemoryEnabled  bool         `json:"memoryEnabled"`        // if false, nothing is dreamed
	TeamMember     bool         `json:"teamMember,omitempty"` // the agent has a leader: its memory is read-only
	OwnerIsolation bool         `json:"ownerIsolation"`
	Days           int          `json:"days"` // of notes and sessions to read
	Weights        DreamWeights `json:"weights"`
	LightBoost     float64      `json:"lightBoost"`
	REMBoost       float64      `json:"remBoost"`
	HalfLifeDays   float64      `json:"halfLifeDays"` // of recency and of the boosts
	MinScore       float64      `json:"minScore"`
	MinSignals     int          `json:"minSignals"`
	MinDiversity   int          `json:"minDiversity"`  // distinct queries or distinct days
	MaxPromotions  int          `json:"maxPromotions"` // per dream
	MaxCandidates  int          `json:"maxCandidates"` // scored per dream; the rest waits for the next one
	MemoryMaxChars int          `json:"memoryMaxChars"`
	// MaxRetiredShare is the share of the lines of MEMORY.md that one dream may drop or retire.
	MaxRetiredShare float64 `json:"maxRetiredShare"`
	DiaryMaxChars   int     `json:"diaryMaxChars"` // of DREAMS.md, before old entries move to monthly files
	NotesMaxChars   int     `json:"notesMaxChars"` // of notes shown to a model
	// Paid is true if Model writes MEMORY.md. Otherwise rules promote.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model"`
	ModelTimeout   time.Duration `json:"modelTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat"`
}

// DefaultDreamSettings returns the documented defaults.
func DefaultDreamSettings() DreamSettings {
	return DreamSettings{
		Enabled: true, MemoryEnabled: true, OwnerIsolation: true, Days: 7,
		Weights:    DreamWeights{Frequency: .24, Relevance: .30, Diversity: .15, Recency: .15, Consolidation: .10, Conceptual: .06},
		LightBoost: .06, REMBoost: .09, HalfLifeDays: 14,
		MinScore: .75, MinSignals: 3, MinDiversity: 2, MaxPromotions: 10, MaxCandidates: 400,
		MemoryMaxChars: 8000, MaxRetiredShare: .2, DiaryMaxChars: 20_000, NotesMaxChars: 24_000,
		ModelTimeout: 3 * time.Minute, ModelHeartbeat: 30 * time.Second,
	}
}

// With returns s with the agent's overrides.
func (s DreamSettings) With(a AgentSettings) DreamSettings {
	set(&s.Enabled, a.DreamingEnabled)
	set(&s.MemoryEnabled, a.MemoryEnabled)
	s.TeamMember = a.Leader != ""
	s.Enabled = s.Enabled && s.MemoryEnabled && !s.TeamMember
	set(&s.OwnerIsolation, a.OwnerIsolation)
	set(&s.Days, a.DreamDays)
	set(&s.HalfLifeDays, a.DreamHalfLifeDays)
	set(&s.MinScore, a.DreamMinScore)
	set(&s.MinSignals, a.DreamMinSignals)
	set(&s.MinDiversity, a.DreamMinDiversity)
	set(&s.MaxPromotions, a.DreamMaxPromotions)
	set(&s.MaxRetiredShare, a.DreamMaxRetiredShare)
	set(&s.MemoryMaxChars, a.MemoryMaxChars)
	if a.Model != "" {
		s.Model = a.Model
	}
	return s
}

// MinNotesChars is the lower limit of notes shown to a model with a small context.
const MinNotesChars = 1000

// Shorter returns settings that show a model half as much of the notes. It reports false below MinNotesChars.
func (s DreamSettings) Shorter() (DreamSettings, bool) {
	if s.NotesMaxChars/2 < MinNotesChars {
		return s, false
	}
	s.NotesMaxChars /= 2
	return s, true
}

// DreamSchedule is when agents dream: the server's defaults or, after With, the schedule of one agent.
type DreamSchedule struct {
	MemoryEnabled   bool
	DreamingEnabled bool
	// TeamMember is true if the agent has a leader: its memory is read-only.
	TeamMember bool
	// Cron is in the agent's time zone; see ParseCron.
	Cron string
	// Jitter is the maximum delay of a night, so that agents do not all dream at once.
	Jitter time.Duration
	// Parallel is the number of owners of one agent that dream at once.
	Parallel int
	// KeyID identifies the key that encrypts payloads; empty for none. A schedule stores a payload, so it must be updated
	// when the key changes.
	KeyID string
}

// DefaultDreamSchedule returns the documented default.
func DefaultDreamSchedule() DreamSchedule {
	return DreamSchedule{MemoryEnabled: true, DreamingEnabled: true, Cron: "0 2 * * *", Jitter: 10 * time.Minute, Parallel: 4}
}

// With returns s with the agent's overrides.
func (s DreamSchedule) With(a AgentSettings) DreamSchedule {
	set(&s.MemoryEnabled, a.MemoryEnabled)
	set(&s.DreamingEnabled, a.DreamingEnabled)
	s.TeamMember = a.Leader != ""
	if a.DreamCron != "" {
		s.Cron = a.DreamCron
	}
	return s
}

// On reports whether the agent dreams at all: memory and dreaming are on, and it is not a team member.
func (s DreamSchedule) On() bool { return s.MemoryEnabled && s.DreamingEnabled && !s.TeamMember }

package memory

import (
	"time"
)

// DreamMode says what a dream is for.
type DreamMode string

// Modes of dreams.
const (
	// DreamNightly consolidates what is new: of a night when a schedule started it, of now when a person did.
	DreamNightly DreamMode = "nightly"
	// DreamFocused looks at one topic first.
	DreamFocused DreamMode = "focused"
	// DreamPromote ranks and promotes by rules, without a model.
	DreamPromote DreamMode = "promote"
	// DreamREM looks for themes and likely truths and writes the diary; it promotes nothing.
	DreamREM DreamMode = "rem"
)

// Valid reports whether m is a known mode.
func (m DreamMode) Valid() bool {
	return m == DreamNightly || m == DreamFocused || m == DreamPromote || m == DreamREM
}

// DreamTrigger says who asked for a dream.
type DreamTrigger string

// Triggers of dreams.
const (
	DreamBySchedule DreamTrigger = "schedule" // its time, a trigger or a backfill of the schedule
	DreamByRequest  DreamTrigger = "request"  // the API or the CLI
	DreamByReplay   DreamTrigger = "replay"   // of an earlier dream
)

// DreamPhase is how far a dream is.
type DreamPhase string

// Phases of a dream, in their order.
const (
	DreamQueued     DreamPhase = "queued"
	DreamLightSleep DreamPhase = "light"
	DreamREMSleep   DreamPhase = "rem"
	DreamDeepSleep  DreamPhase = "deep"
	DreamWriting    DreamPhase = "writing"
	DreamEnded      DreamPhase = "ended"
)

// DreamWeights are the shares of the components of a candidate's score; they are normalised to a sum of 1.
type DreamWeights struct {
	Frequency     float64 `json:"frequency"`
	Relevance     float64 `json:"relevance"`
	Diversity     float64 `json:"diversity"`
	Recency       float64 `json:"recency"`
	Consolidation float64 `json:"consolidation"`
	Conceptual    float64 `json:"conceptual"`
}

// DreamSettings are the resolved parameters of one dream. They stand in its record and report, so that a re-run or a replay
// sees what the first run saw.
type DreamSettings struct {
	Enabled        bool         `json:"enabled"`              // with the agent's settings (With): memory and dreaming are on, and it is no member of a team
	MemoryEnabled  bool         `json:"memoryEnabled"`        // without it there is nothing to dream of
	TeamMember     bool         `json:"teamMember,omitempty"` // its memory is read-only
	OwnerIsolation bool         `json:"ownerIsolation"`
	Days           int          `json:"days"`    // of notes and sessions that are looked at
	Weights        DreamWeights `json:"weights"` //
	LightBoost     float64      `json:"lightBoost"`
	REMBoost       float64      `json:"remBoost"`
	HalfLifeDays   float64      `json:"halfLifeDays"` // of recency and of the boosts
	MinScore       float64      `json:"minScore"`
	MinSignals     int          `json:"minSignals"`
	MinDiversity   int          `json:"minDiversity"`  // distinct queries or distinct days
	MaxPromotions  int          `json:"maxPromotions"` // of one dream
	MaxCandidates  int          `json:"maxCandidates"` // that one dream weighs; the rest waits for the next one
	MemoryMaxChars int          `json:"memoryMaxChars"`
	// MaxRetiredShare is the share of the lines of MEMORY.md that one dream may drop or retire.
	MaxRetiredShare float64 `json:"maxRetiredShare"`
	DiaryMaxChars   int     `json:"diaryMaxChars"` // of DREAMS.md, before old entries are folded into monthly files
	NotesMaxChars   int     `json:"notesMaxChars"` // of notes that a model is shown
	// Model writes MEMORY.md; without one (Paid false) promotion follows rules.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model"`
	ModelTimeout   time.Duration `json:"modelTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat"`
}

// DefaultDreamSettings are the documented defaults.
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

// With returns s with everything that a sets.
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

// MinNotesChars is the least of the notes that a model with a small context is shown.
const MinNotesChars = 1000

// Shorter returns settings that show a model half as much of the notes. It reports false when nothing shorter makes sense.
func (s DreamSettings) Shorter() (DreamSettings, bool) {
	if s.NotesMaxChars/2 < MinNotesChars {
		return s, false
	}
	s.NotesMaxChars /= 2
	return s, true
}

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

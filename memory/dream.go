package memory

import "time"

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
	Frequency     float64 `json:"frequency" from:"DreamWeightFrequency"`
	Relevance     float64 `json:"relevance" from:"DreamWeightRelevance"`
	Diversity     float64 `json:"diversity" from:"DreamWeightDiversity"`
	Recency       float64 `json:"recency" from:"DreamWeightRecency"`
	Consolidation float64 `json:"consolidation" from:"DreamWeightConsolidation"`
	Conceptual    float64 `json:"conceptual" from:"DreamWeightConceptual"`
}

// DreamSettings are the resolved parameters of one dream. They stand in its record and report, so that a re-run or a replay
// sees what the first run saw.
type DreamSettings struct {
	Enabled        bool         `json:"enabled" from:"DreamingEnabled"`     // with the agent's settings (With): memory and dreaming are on, and it is no member of a team
	MemoryEnabled  bool         `json:"memoryEnabled" from:"MemoryEnabled"` // without it there is nothing to dream of
	TeamMember     bool         `json:"teamMember,omitempty"`               // its memory is read-only
	OwnerIsolation bool         `json:"ownerIsolation" from:"OwnerIsolation"`
	Days           int          `json:"days" from:"DreamDays"` // of notes and sessions that are looked at
	Weights        DreamWeights `json:"weights"`               //
	LightBoost     float64      `json:"lightBoost" from:"DreamLightBoost"`
	REMBoost       float64      `json:"remBoost" from:"DreamREMBoost"`
	HalfLifeDays   float64      `json:"halfLifeDays" from:"DreamHalfLifeDays"` // of recency and of the boosts
	MinScore       float64      `json:"minScore" from:"DreamMinScore"`
	MinSignals     int          `json:"minSignals" from:"DreamMinSignals"`
	MinDiversity   int          `json:"minDiversity" from:"DreamMinDiversity"`   // distinct queries or distinct days
	MaxPromotions  int          `json:"maxPromotions" from:"DreamMaxPromotions"` // of one dream
	MaxCandidates  int          `json:"maxCandidates" from:"DreamMaxCandidates"` // that one dream weighs; the rest waits for the next one
	MemoryMaxChars int          `json:"memoryMaxChars" from:"MemoryMaxChars"`
	// MaxRetiredShare is the share of the lines of MEMORY.md that one dream may drop or retire.
	MaxRetiredShare float64 `json:"maxRetiredShare" from:"DreamMaxRetiredShare"`
	DiaryMaxChars   int     `json:"diaryMaxChars" from:"DreamDiaryMaxChars"` // of DREAMS.md, before old entries are folded into monthly files
	NotesMaxChars   int     `json:"notesMaxChars" from:"DreamNotesMaxChars"` // of notes that a model is shown
	// Model writes MEMORY.md; without one (Paid false) promotion follows rules.
	Paid           bool          `json:"paid"`
	Model          string        `json:"model" from:"LLMModel"`
	ModelTimeout   time.Duration `json:"modelTimeout" from:"LLMTimeout"`
	ModelHeartbeat time.Duration `json:"modelHeartbeat" from:"LLMHeartbeat"`
}

// Dream returns the settings of dreams.
func (s Settings) Dream() DreamSettings {
	var out DreamSettings
	s.Resolve(&out)
	return out
}

// DefaultDreamSettings returns the documented defaults.
func DefaultDreamSettings() DreamSettings { return DefaultSettings().Dream() }

// With returns s with the values that a sets.
func (s DreamSettings) With(a AgentSettings) DreamSettings {
	a.Override(&s)
	s.TeamMember = a.Leader != ""
	s.Enabled = s.Enabled && s.MemoryEnabled && !s.TeamMember
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

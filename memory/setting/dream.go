package setting

import (
	"time"

	"reverie/memory"
)

// DreamWeights are the weights of the components of a candidate's score. They are normalized to a sum of 1.
type DreamWeights struct {
	Frequency     float64 `json:"frequency" from:"DreamWeightFrequency"`
	Relevance     float64 `json:"relevance" from:"DreamWeightRelevance"`
	Diversity     float64 `json:"diversity" from:"DreamWeightDiversity"`
	Recency       float64 `json:"recency" from:"DreamWeightRecency"`
	Consolidation float64 `json:"consolidation" from:"DreamWeightConsolidation"`
	Conceptual    float64 `json:"conceptual" from:"DreamWeightConceptual"`
}

// DreamSettings are the resolved parameters of one dream. They are stored in its record and report, so that a retry or
// replay uses the same values.
type DreamSettings struct {
	Enabled        bool         `json:"enabled" from:"DreamingEnabled"`     // after With, also that memory is on and TeamMember false
	MemoryEnabled  bool         `json:"memoryEnabled" from:"MemoryEnabled"` // if false, nothing is dreamed
	TeamMember     bool         `json:"teamMember,omitempty"`               // the agent has a leader: its memory is read-only
	OwnerIsolation bool         `json:"ownerIsolation" from:"OwnerIsolation"`
	Days           int          `json:"days" from:"DreamDays"` // of notes and sessions to read
	Weights        DreamWeights `json:"weights"`
	LightBoost     float64      `json:"lightBoost" from:"DreamLightBoost"`
	REMBoost       float64      `json:"remBoost" from:"DreamREMBoost"`
	HalfLifeDays   float64      `json:"halfLifeDays" from:"DreamHalfLifeDays"` // of recency and of the boosts
	MinScore       float64      `json:"minScore" from:"DreamMinScore"`
	MinSignals     int          `json:"minSignals" from:"DreamMinSignals"`
	MinDiversity   int          `json:"minDiversity" from:"DreamMinDiversity"`   // distinct queries or distinct days
	MaxPromotions  int          `json:"maxPromotions" from:"DreamMaxPromotions"` // per dream
	MaxCandidates  int          `json:"maxCandidates" from:"DreamMaxCandidates"` // scored per dream; the rest waits for the next one
	MemoryMaxChars int          `json:"memoryMaxChars" from:"MemoryMaxChars"`
	// MaxRetiredShare is the share of the lines of MEMORY.md that one dream may drop or retire.
	MaxRetiredShare float64 `json:"maxRetiredShare" from:"DreamMaxRetiredShare"`
	DiaryMaxChars   int     `json:"diaryMaxChars" from:"DreamDiaryMaxChars"` // of DREAMS.md, before old entries move to monthly files
	NotesMaxChars   int     `json:"notesMaxChars" from:"DreamNotesMaxChars"` // of notes shown to a model
	// Facts below ArchiveTrust that were not seen lately are archived, and the least trusted of more than MaxOwnerFacts, or
	// MaxSharedFacts; 0: none.
	ArchiveTrust   float64 `json:"archiveTrust,omitempty" from:"ArchiveTrust"`
	MaxOwnerFacts  int     `json:"maxOwnerFacts,omitempty" from:"MaxOwnerFacts"`
	MaxSharedFacts int     `json:"maxSharedFacts,omitempty" from:"MaxSharedFacts"`
	// SoulWrites is the number of writes after which SOUL.md is rewritten; 0: never.
	SoulWrites int `json:"soulWrites,omitempty" from:"SoulWrites"`
	// Paid is true if Model writes MEMORY.md. Otherwise rules promote.
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

// With returns s with the agent's overrides.
func (s DreamSettings) With(a AgentSettings) DreamSettings {
	a.Override(&s)
	s.TeamMember = a.Leader != ""
	s.Enabled = s.Enabled && s.MemoryEnabled && !s.TeamMember
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

// DreamSchedule is a dream schedule: the server's default or, after With, that of one agent.
type DreamSchedule struct {
	MemoryEnabled   bool `from:"MemoryEnabled"`
	DreamingEnabled bool `from:"DreamingEnabled"`
	// TeamMember is true if the agent has a leader: its memory is read-only.
	TeamMember bool
	// Cron is in the agent's time zone; see ParseCron.
	Cron string `from:"DreamCron"`
	// Jitter is the period over which the nights of all agents are spread; each agent has a fixed place in it.
	Jitter time.Duration `from:"DreamJitter"`
	// Parallel is the number of owners of one agent that dream at once.
	Parallel int `from:"DreamParallel"`
	// KeyID identifies the key that encrypts payloads; empty for none. A schedule stores a payload, so it must be updated
	// when the key changes.
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

// With returns s with the agent's overrides.
func (s DreamSchedule) With(a AgentSettings) DreamSchedule {
	a.Override(&s)
	s.TeamMember = a.Leader != ""
	return s
}

// On reports whether the agent dreams at all: memory and dreaming are on, and it is not a team member.
func (s DreamSchedule) On() bool { return s.MemoryEnabled && s.DreamingEnabled && !s.TeamMember }

// Reasons why an owner does not dream.
const (
	ReasonDreamingOff memory.ReasonCode = "dreaming_off"
	ReasonSharedOnly  memory.ReasonCode = "shared_only" // without owner isolation only the shared memory dreams
)

// Unwanted returns the reason why an owner does not dream; empty if it does.
func (s DreamSettings) Unwanted(owner memory.Owner) memory.ReasonCode {
	switch {
	case !s.MemoryEnabled:
		return memory.GateMemoryOff
	case s.TeamMember:
		return memory.GateTeamMember
	case !s.Enabled:
		return ReasonDreamingOff
	case !s.OwnerIsolation && owner != memory.SystemOwner:
		return ReasonSharedOnly
	}
	return ""
}

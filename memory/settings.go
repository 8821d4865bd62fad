package memory

import "time"

// AgentSettings are what a person sets on one agent; a nil field means: the server's default. It is stored as typed JSON
// and fields are only ever added.
type AgentSettings struct {
	MemoryEnabled   *bool  `json:"memoryEnabled,omitempty"`
	OwnerIsolation  *bool  `json:"ownerIsolation,omitempty"`  // on: PERSONAL documents per owner; off: TEAM
	MinMessages     *int   `json:"minMessages,omitempty"`     // of a conversation, before anything is extracted
	MinUserChars    *int   `json:"minUserChars,omitempty"`    // of the last user message
	QuietSeconds    *int   `json:"quietSeconds,omitempty"`    // after the last message
	CooldownSeconds *int   `json:"cooldownSeconds,omitempty"` // between extractions of one owner
	ProfileMaxChars *int   `json:"profileMaxChars,omitempty"` // ceiling of PROFILE.md
	MemoryMaxChars  *int   `json:"memoryMaxChars,omitempty"`  // ceiling of MEMORY.md
	Model           string `json:"model,omitempty"`           // model name instead of the server's

	RecallMaxResults  *int     `json:"recallMaxResults,omitempty"`  // of a search
	RecallMinScore    *float64 `json:"recallMinScore,omitempty"`    // 0 to 1
	VectorWeight      *float64 `json:"vectorWeight,omitempty"`      // 0 to 1, against TextWeight
	TextWeight        *float64 `json:"textWeight,omitempty"`        // 0 to 1
	MMR               *bool    `json:"mmr,omitempty"`               // results that repeat others wait
	MMRLambda         *float64 `json:"mmrLambda,omitempty"`         // 0 to 1, relevance against novelty
	Decay             *bool    `json:"decay,omitempty"`             // older passages count less
	DecayHalfLifeDays *float64 `json:"decayHalfLifeDays,omitempty"` // age at which they count half

	DreamingEnabled      *bool    `json:"dreamingEnabled,omitempty"`      // of an agent whose memory is on
	DreamCron            string   `json:"dreamCron,omitempty"`            // in the agent's time zone: see ParseCron
	DreamDays            *int     `json:"dreamDays,omitempty"`            // of notes and sessions that a dream looks at
	DreamMinScore        *float64 `json:"dreamMinScore,omitempty"`        // 0 to 1, of what is promoted
	DreamMinSignals      *int     `json:"dreamMinSignals,omitempty"`      // of what is promoted
	DreamMinDiversity    *int     `json:"dreamMinDiversity,omitempty"`    // distinct questions or days
	DreamMaxPromotions   *int     `json:"dreamMaxPromotions,omitempty"`   // of one dream
	DreamMaxRetiredShare *float64 `json:"dreamMaxRetiredShare,omitempty"` // 0 to 1, of the lines of MEMORY.md
	DreamHalfLifeDays    *float64 `json:"dreamHalfLifeDays,omitempty"`    // of recency

	WindowMaxTokens      *int        `json:"windowMaxTokens,omitempty"`      // of everything that a model is sent
	WindowCompactShare   *float64    `json:"windowCompactShare,omitempty"`   // 0 to 1, of the window
	WindowKeepTurns      *int        `json:"windowKeepTurns,omitempty"`      // last turns that stay verbatim
	SummaryMaxTokens     *int        `json:"summaryMaxTokens,omitempty"`     // of the summary of earlier turns
	AutoInject           *bool       `json:"autoInject,omitempty"`           // recalled memory goes into the context by itself
	AutoInjectThreshold  *float64    `json:"autoInjectThreshold,omitempty"`  // 0 to 1, least score
	AutoInjectMaxTokens  *int        `json:"autoInjectMaxTokens,omitempty"`  // of recalled memory
	FlushSoftTokens      *int        `json:"flushSoftTokens,omitempty"`      // room left, below which a flush begins
	FlushShare           *float64    `json:"flushShare,omitempty"`           // 0 to 1, of the window
	FlushMessages        *int        `json:"flushMessages,omitempty"`        // that are not flushed
	FlushBytes           *int        `json:"flushBytes,omitempty"`           // of messages that are not flushed
	FlushDeadlineSeconds *int        `json:"flushDeadlineSeconds,omitempty"` // for the model
	FlushPolicy          FlushPolicy `json:"flushPolicy,omitempty"`          // after the deadline
	MaxToolRounds        *int        `json:"maxToolRounds,omitempty"`        // of one turn

	// Leader is the agent whose memory this one reads after its own and whose team it is a member of; empty: it leads itself.
	// A member's memory is read-only.
	Leader string `json:"leader,omitempty"`
	// WriteTargets are the paths that business workflows may write, as patterns (see WriteAllowed); nil: every document but
	// AGENTS.md and SOUL.md.
	WriteTargets []string `json:"writeTargets,omitzero"`
}

// ExtractSettings are the resolved settings of one extraction. They travel in the workflow's input, so that a re-run sees
// what the first run saw.
type ExtractSettings struct {
	MemoryEnabled   bool          `json:"memoryEnabled"`
	TeamMember      bool          `json:"teamMember,omitempty"` // the agent has a leader: its memory is read-only
	OwnerIsolation  bool          `json:"ownerIsolation"`
	MinMessages     int           `json:"minMessages"`
	MinUserChars    int           `json:"minUserChars"`
	MaxTranscript   int           `json:"maxTranscript"`   // messages of one transcript
	MaxMessageChars int           `json:"maxMessageChars"` // of one message in a transcript
	ProfileMaxChars int           `json:"profileMaxChars"`
	MemoryMaxChars  int           `json:"memoryMaxChars"`
	NoteTailChars   int           `json:"noteTailChars"` // of today's note that the model sees
	MaxDropShare    float64       `json:"maxDropShare"`  // of existing lines that one replacement may drop
	Model           string        `json:"model"`
	ModelTimeout    time.Duration `json:"modelTimeout"`   // of one model call
	ModelHeartbeat  time.Duration `json:"modelHeartbeat"` // silence after which the worker that makes the call is taken for dead
}

// DefaultExtractSettings are the documented defaults.
func DefaultExtractSettings() ExtractSettings {
	return ExtractSettings{
		MemoryEnabled:   true,
		OwnerIsolation:  true,
		MinMessages:     4,
		MinUserChars:    10,
		MaxTranscript:   30,
		MaxMessageChars: 2000,
		ProfileMaxChars: 4000,
		MemoryMaxChars:  8000,
		NoteTailChars:   4000,
		MaxDropShare:    0.3,
		ModelTimeout:    3 * time.Minute,
		ModelHeartbeat:  30 * time.Second,
	}
}

// With returns s with everything that a sets.
func (s ExtractSettings) With(a AgentSettings) ExtractSettings {
	set(&s.MemoryEnabled, a.MemoryEnabled)
	s.TeamMember = a.Leader != ""
	set(&s.OwnerIsolation, a.OwnerIsolation)
	set(&s.MinMessages, a.MinMessages)
	set(&s.MinUserChars, a.MinUserChars)
	set(&s.ProfileMaxChars, a.ProfileMaxChars)
	set(&s.MemoryMaxChars, a.MemoryMaxChars)
	if a.Model != "" {
		s.Model = a.Model
	}
	return s
}

// Stopped says why nothing is written at all, whatever was said: memory is off, or the agent is a member of a team. Empty: nothing
// stops it.
func (s ExtractSettings) Stopped() ReasonCode {
	switch {
	case !s.MemoryEnabled:
		return GateMemoryOff
	case s.TeamMember:
		return GateTeamMember
	}
	return ""
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// MinMessageChars is the least that a transcript is cut to when a model's context is too small.
const MinMessageChars = 250

// Shorter returns settings for a transcript of half the messages, and once one message is left, of half its characters.
// It reports false when nothing shorter makes sense. messages is how many the transcript that did not fit had.
func (s ExtractSettings) Shorter(messages int) (ExtractSettings, bool) {
	switch {
	case messages > 1:
		s.MaxTranscript = max(1, min(messages, s.MaxTranscript)/2)
	case s.MaxMessageChars/2 >= MinMessageChars:
		s.MaxMessageChars /= 2
	default:
		return s, false
	}
	return s, true
}

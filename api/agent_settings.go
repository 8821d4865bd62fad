package api

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
)

// agentSettings are memory.AgentSettings with their ranges; the two convert into each other only while they have the
// same fields.
type agentSettings struct {
	MemoryEnabled   *bool  `json:"memoryEnabled,omitempty" doc:"Extract memory from conversations."`
	OwnerIsolation  *bool  `json:"ownerIsolation,omitempty" doc:"Keep what is learned from a person in that person's own documents; off: in the agent's shared ones."`
	MinMessages     *int   `json:"minMessages,omitempty" minimum:"1" maximum:"1000" doc:"User and assistant messages that a conversation must have before anything is extracted."`
	MinUserChars    *int   `json:"minUserChars,omitempty" minimum:"0" maximum:"10000" doc:"Characters that the last user message must have."`
	QuietSeconds    *int   `json:"quietSeconds,omitempty" minimum:"0" maximum:"86400" doc:"How long nothing new must have come in before an extraction starts."`
	CooldownSeconds *int   `json:"cooldownSeconds,omitempty" minimum:"0" maximum:"604800" doc:"Least time between two extractions of one owner."`
	ProfileMaxChars *int   `json:"profileMaxChars,omitempty" minimum:"200" maximum:"200000" doc:"Ceiling of an extracted PROFILE.md, in characters."`
	MemoryMaxChars  *int   `json:"memoryMaxChars,omitempty" minimum:"200" maximum:"200000" doc:"Ceiling of an extracted MEMORY.md, in characters."`
	Model           string `json:"model,omitempty" maxLength:"200" doc:"Model name at the configured provider, instead of the server's."`

	RecallMaxResults  *int     `json:"recallMaxResults,omitempty" minimum:"1" maximum:"50" doc:"Results of a search that does not say how many."`
	RecallMinScore    *float64 `json:"recallMinScore,omitempty" minimum:"0" maximum:"1" doc:"Least score of a result, for searches that do not say."`
	VectorWeight      *float64 `json:"vectorWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of vectors against words in a search."`
	TextWeight        *float64 `json:"textWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of words against vectors in a search."`
	MMR               *bool    `json:"mmr,omitempty" doc:"Let results of a search wait that repeat others."`
	MMRLambda         *float64 `json:"mmrLambda,omitempty" minimum:"0" maximum:"1" doc:"Weight of relevance against novelty."`
	Decay             *bool    `json:"decay,omitempty" doc:"Let older passages count less in a search."`
	DecayHalfLifeDays *float64 `json:"decayHalfLifeDays,omitempty" minimum:"0.01" maximum:"36500" doc:"Age at which a passage counts half."`

	DreamingEnabled      *bool    `json:"dreamingEnabled,omitempty" doc:"Dream at night, while memory is enabled."`
	DreamCron            string   `json:"dreamCron,omitempty" maxLength:"100" doc:"When to dream, in the agent's time zone: minute, hour, day of the month, month, day of the week (0 to 6, Sunday is 0)." example:"0 2 * * *"`
	DreamDays            *int     `json:"dreamDays,omitempty" minimum:"1" maximum:"90" doc:"Days of notes and sessions that a dream looks at."`
	DreamMinScore        *float64 `json:"dreamMinScore,omitempty" minimum:"0" maximum:"1" doc:"Least score of what a dream promotes."`
	DreamMinSignals      *int     `json:"dreamMinSignals,omitempty" minimum:"1" maximum:"100" doc:"Least signals (recalls, days on which it was said) of what a dream promotes."`
	DreamMinDiversity    *int     `json:"dreamMinDiversity,omitempty" minimum:"1" maximum:"100" doc:"Least distinct questions or days of what a dream promotes."`
	DreamMaxPromotions   *int     `json:"dreamMaxPromotions,omitempty" minimum:"0" maximum:"100" doc:"Most statements that one dream promotes."`
	DreamMaxRetiredShare *float64 `json:"dreamMaxRetiredShare,omitempty" minimum:"0" maximum:"1" doc:"Share of the lines of MEMORY.md that one dream may retire."`
	DreamHalfLifeDays    *float64 `json:"dreamHalfLifeDays,omitempty" minimum:"0.01" maximum:"36500" doc:"Age at which a statement's recency counts half."`

	WindowMaxTokens      *int               `json:"windowMaxTokens,omitempty" minimum:"1024" maximum:"10000000" doc:"Tokens of everything that a model is sent."`
	WindowCompactShare   *float64           `json:"windowCompactShare,omitempty" minimum:"0.1" maximum:"1" doc:"Share of the window above which earlier turns are summarised."`
	WindowKeepTurns      *int               `json:"windowKeepTurns,omitempty" minimum:"1" maximum:"100" doc:"Last turns that stay word by word."`
	SummaryMaxTokens     *int               `json:"summaryMaxTokens,omitempty" minimum:"50" maximum:"20000" doc:"Tokens of the summary of earlier turns."`
	AutoInject           *bool              `json:"autoInject,omitempty" doc:"Let recalled memory go into the context by itself."`
	AutoInjectThreshold  *float64           `json:"autoInjectThreshold,omitempty" minimum:"0" maximum:"1" doc:"Least score of what is recalled by itself."`
	AutoInjectMaxTokens  *int               `json:"autoInjectMaxTokens,omitempty" minimum:"0" maximum:"100000" doc:"Tokens of recalled memory in a context."`
	FlushSoftTokens      *int               `json:"flushSoftTokens,omitempty" minimum:"0" maximum:"1000000" doc:"Room, in tokens, below which messages are flushed."`
	FlushShare           *float64           `json:"flushShare,omitempty" minimum:"0.1" maximum:"1" doc:"Share of the window above which messages are flushed."`
	FlushMessages        *int               `json:"flushMessages,omitempty" minimum:"1" maximum:"100000" doc:"Messages without a flush, beyond which they are flushed."`
	FlushBytes           *int               `json:"flushBytes,omitempty" minimum:"1024" maximum:"1073741824" doc:"Bytes of messages without a flush, beyond which they are flushed."`
	FlushDeadlineSeconds *int               `json:"flushDeadlineSeconds,omitempty" minimum:"1" maximum:"3600" doc:"How long the model has for a flush."`
	FlushPolicy          memory.FlushPolicy `json:"flushPolicy,omitempty" enum:"fallback,wait" doc:"After the deadline: flush by rules, or wait for the model."`
	MaxToolRounds        *int               `json:"maxToolRounds,omitempty" minimum:"0" maximum:"100" doc:"Calls of a model in one turn that may use tools."`

	Leader       string   `json:"leader,omitempty" maxLength:"63" doc:"Agent whose memory this one reads after its own, as a member of its team; a member's memory is read-only. Empty: it leads itself."`
	WriteTargets []string `json:"writeTargets,omitzero" maxItems:"100" nullable:"true" doc:"Patterns of the documents that business workflows may write, such as memory/cases/*.md; missing: all but AGENTS.md and SOUL.md; an empty list: none."`
}

// settingsChanges change single settings.
type settingsChanges struct {
	MemoryEnabled   change[bool]   `json:"memoryEnabled,omitzero"`
	OwnerIsolation  change[bool]   `json:"ownerIsolation,omitzero"`
	MinMessages     change[int]    `json:"minMessages,omitzero" minimum:"1" maximum:"1000"`
	MinUserChars    change[int]    `json:"minUserChars,omitzero" minimum:"0" maximum:"10000"`
	QuietSeconds    change[int]    `json:"quietSeconds,omitzero" minimum:"0" maximum:"86400"`
	CooldownSeconds change[int]    `json:"cooldownSeconds,omitzero" minimum:"0" maximum:"604800"`
	ProfileMaxChars change[int]    `json:"profileMaxChars,omitzero" minimum:"200" maximum:"200000"`
	MemoryMaxChars  change[int]    `json:"memoryMaxChars,omitzero" minimum:"200" maximum:"200000"`
	Model           change[string] `json:"model,omitzero" maxLength:"200"`

	RecallMaxResults  change[int]     `json:"recallMaxResults,omitzero" minimum:"1" maximum:"50"`
	RecallMinScore    change[float64] `json:"recallMinScore,omitzero" minimum:"0" maximum:"1"`
	VectorWeight      change[float64] `json:"vectorWeight,omitzero" minimum:"0" maximum:"1"`
	TextWeight        change[float64] `json:"textWeight,omitzero" minimum:"0" maximum:"1"`
	MMR               change[bool]    `json:"mmr,omitzero"`
	MMRLambda         change[float64] `json:"mmrLambda,omitzero" minimum:"0" maximum:"1"`
	Decay             change[bool]    `json:"decay,omitzero"`
	DecayHalfLifeDays change[float64] `json:"decayHalfLifeDays,omitzero" minimum:"0.01" maximum:"36500"`

	DreamingEnabled      change[bool]    `json:"dreamingEnabled,omitzero"`
	DreamCron            change[string]  `json:"dreamCron,omitzero" maxLength:"100"`
	DreamDays            change[int]     `json:"dreamDays,omitzero" minimum:"1" maximum:"90"`
	DreamMinScore        change[float64] `json:"dreamMinScore,omitzero" minimum:"0" maximum:"1"`
	DreamMinSignals      change[int]     `json:"dreamMinSignals,omitzero" minimum:"1" maximum:"100"`
	DreamMinDiversity    change[int]     `json:"dreamMinDiversity,omitzero" minimum:"1" maximum:"100"`
	DreamMaxPromotions   change[int]     `json:"dreamMaxPromotions,omitzero" minimum:"0" maximum:"100"`
	DreamMaxRetiredShare change[float64] `json:"dreamMaxRetiredShare,omitzero" minimum:"0" maximum:"1"`
	DreamHalfLifeDays    change[float64] `json:"dreamHalfLifeDays,omitzero" minimum:"0.01" maximum:"36500"`

	WindowMaxTokens      change[int]                `json:"windowMaxTokens,omitzero" minimum:"1024" maximum:"10000000"`
	WindowCompactShare   change[float64]            `json:"windowCompactShare,omitzero" minimum:"0.1" maximum:"1"`
	WindowKeepTurns      change[int]                `json:"windowKeepTurns,omitzero" minimum:"1" maximum:"100"`
	SummaryMaxTokens     change[int]                `json:"summaryMaxTokens,omitzero" minimum:"50" maximum:"20000"`
	AutoInject           change[bool]               `json:"autoInject,omitzero"`
	AutoInjectThreshold  change[float64]            `json:"autoInjectThreshold,omitzero" minimum:"0" maximum:"1"`
	AutoInjectMaxTokens  change[int]                `json:"autoInjectMaxTokens,omitzero" minimum:"0" maximum:"100000"`
	FlushSoftTokens      change[int]                `json:"flushSoftTokens,omitzero" minimum:"0" maximum:"1000000"`
	FlushShare           change[float64]            `json:"flushShare,omitzero" minimum:"0.1" maximum:"1"`
	FlushMessages        change[int]                `json:"flushMessages,omitzero" minimum:"1" maximum:"100000"`
	FlushBytes           change[int]                `json:"flushBytes,omitzero" minimum:"1024" maximum:"1073741824"`
	FlushDeadlineSeconds change[int]                `json:"flushDeadlineSeconds,omitzero" minimum:"1" maximum:"3600"`
	FlushPolicy          change[memory.FlushPolicy] `json:"flushPolicy,omitzero" enum:"fallback,wait"`
	MaxToolRounds        change[int]                `json:"maxToolRounds,omitzero" minimum:"0" maximum:"100"`

	Leader       change[string] `json:"leader,omitzero" maxLength:"63"`
	WriteTargets listChange     `json:"writeTargets,omitzero" maxItems:"100"`
}

// apply returns settings with the changes made, and whether there were any.
func (c settingsChanges) apply(settings memory.AgentSettings) (memory.AgentSettings, bool) {
	if c == (settingsChanges{}) {
		return settings, false
	}
	c.MemoryEnabled.to(&settings.MemoryEnabled)
	c.OwnerIsolation.to(&settings.OwnerIsolation)
	c.MinMessages.to(&settings.MinMessages)
	c.MinUserChars.to(&settings.MinUserChars)
	c.QuietSeconds.to(&settings.QuietSeconds)
	c.CooldownSeconds.to(&settings.CooldownSeconds)
	c.ProfileMaxChars.to(&settings.ProfileMaxChars)
	c.MemoryMaxChars.to(&settings.MemoryMaxChars)
	c.RecallMaxResults.to(&settings.RecallMaxResults)
	c.RecallMinScore.to(&settings.RecallMinScore)
	c.VectorWeight.to(&settings.VectorWeight)
	c.TextWeight.to(&settings.TextWeight)
	c.MMR.to(&settings.MMR)
	c.MMRLambda.to(&settings.MMRLambda)
	c.Decay.to(&settings.Decay)
	c.DecayHalfLifeDays.to(&settings.DecayHalfLifeDays)
	c.DreamingEnabled.to(&settings.DreamingEnabled)
	c.DreamDays.to(&settings.DreamDays)
	c.DreamMinScore.to(&settings.DreamMinScore)
	c.DreamMinSignals.to(&settings.DreamMinSignals)
	c.DreamMinDiversity.to(&settings.DreamMinDiversity)
	c.DreamMaxPromotions.to(&settings.DreamMaxPromotions)
	c.DreamMaxRetiredShare.to(&settings.DreamMaxRetiredShare)
	c.DreamHalfLifeDays.to(&settings.DreamHalfLifeDays)
	c.WindowMaxTokens.to(&settings.WindowMaxTokens)
	c.WindowCompactShare.to(&settings.WindowCompactShare)
	c.WindowKeepTurns.to(&settings.WindowKeepTurns)
	c.SummaryMaxTokens.to(&settings.SummaryMaxTokens)
	c.AutoInject.to(&settings.AutoInject)
	c.AutoInjectThreshold.to(&settings.AutoInjectThreshold)
	c.AutoInjectMaxTokens.to(&settings.AutoInjectMaxTokens)
	c.FlushSoftTokens.to(&settings.FlushSoftTokens)
	c.FlushShare.to(&settings.FlushShare)
	c.FlushMessages.to(&settings.FlushMessages)
	c.FlushBytes.to(&settings.FlushBytes)
	c.FlushDeadlineSeconds.to(&settings.FlushDeadlineSeconds)
	c.MaxToolRounds.to(&settings.MaxToolRounds)
	if c.Leader.given {
		settings.Leader = c.Leader.value // null: empty, none
	}
	if c.WriteTargets.given {
		settings.WriteTargets = *c.WriteTargets.value // null: nil, the default
	}
	if c.FlushPolicy.given {
		settings.FlushPolicy = c.FlushPolicy.value // null: empty, the server's
	}
	if c.DreamCron.given {
		settings.DreamCron = c.DreamCron.value // null: empty, the server's
	}
	if c.Model.given {
		settings.Model = c.Model.value // null: empty, the server's
	}
	return settings, true
}

// change is a field of a PATCH: left out it changes nothing, null sets the default, anything else is the new value.
type change[T comparable] struct {
	given, reset bool
	value        T
}

func (c change[T]) to(field **T) {
	switch {
	case c.reset:
		*field = nil
	case c.given:
		*field = &c.value
	}
}

// UnmarshalJSON is called only for fields that are given.
func (c *change[T]) UnmarshalJSON(data []byte) error {
	*c = change[T]{given: true, reset: bytes.Equal(data, []byte("null"))}
	return json.Unmarshal(data, &c.value)
}

// Schema is that of T, or null.
func (change[T]) Schema(r huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return s
}

// listChange is change for a list of texts.
type listChange struct {
	given bool
	value *[]string // of null: of no list
}

// UnmarshalJSON is called only for fields that are given.
func (c *listChange) UnmarshalJSON(data []byte) error {
	*c = listChange{given: true, value: new([]string)}
	return json.Unmarshal(data, c.value)
}

// Schema is that of a list, or null.
func (listChange) Schema(r huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(r, reflect.TypeFor[[]string]())
	s.Nullable = true
	return s
}

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

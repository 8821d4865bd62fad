package activities

import (
	"time"

	"reverie/memory"
	"reverie/store"
)

// AgentRef names an agent; an empty Agent stands for what belongs to the workspace.
type AgentRef = store.AgentRef

// TendIndexInput asks for the lexical work of an agent's index.
type TendIndexInput struct {
	AgentRef
}

// TendIndexResult is what was done and what is left.
type TendIndexResult struct {
	Packed int  `json:"packed,omitempty"` // units of the segments that were made
	Stale  int  `json:"stale,omitempty"`  // sources that are still to be indexed anew
	More   bool `json:"more,omitempty"`   // it ran out of time: ask again
	// Spaces are those in which vectors are missing. None without an embedding model.
	Spaces []SpaceDue `json:"spaces,omitempty"`
}

// SpaceDue is an embedding space in which vectors are missing.
type SpaceDue struct {
	Space int64 `json:"space"` // 0: the live one, which is made when there is none
	Due   int64 `json:"due"`   // sources of which some unit has no vector
}

// EmbedInput asks for the missing vectors of one space.
type EmbedInput struct {
	AgentRef
	Space int64 `json:"space,omitempty"` // 0: the live one, which is made when there is none
}

// EmbedResult counts units.
type EmbedResult struct {
	Embedded int          `json:"embedded,omitempty"` // have a vector now
	Cached   int          `json:"cached,omitempty"`   // of those, from texts that were embedded before
	Refused  int          `json:"refused,omitempty"`  // have none, and will not get one: the model does not take their text
	Usage    memory.Usage `json:"usage,omitzero"`
	// More says that it ran out of time: ask again.
	More bool `json:"more,omitempty"`
	// Gone says that the space is not filled any more.
	Gone bool `json:"gone,omitempty"`
	// WaitUntil is when the budget renews.
	WaitUntil time.Time `json:"waitUntil,omitzero"`
}

// OpenSpaceInput asks for a space beside the live one.
type OpenSpaceInput struct {
	AgentRef
	Identity memory.EmbeddingIdentity `json:"identity"`
}

// OpenSpaceResult is the space.
type OpenSpaceResult struct {
	Space int64 `json:"space"`
	// Live is the space beside which it is built; 0: it is live itself.
	Live int64 `json:"live,omitempty"`
}

// SpaceInput names one space of an agent.
type SpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
}

// SpaceProgress is how far a space is filled.
type SpaceProgress struct {
	Found bool  `json:"found"`
	Done  int64 `json:"done"`  // vectors
	Total int64 `json:"total"` // vectors of the fullest space of the agent: an estimate while something is missing there too
	Due   int64 `json:"due"`   // sources of which some unit has none
}

// CompareSpacesInput asks how well a space finds what the live one finds.
type CompareSpacesInput struct {
	AgentRef
	Space   int64 `json:"space"`
	Samples int   `json:"samples"` // questions, made of sampled units
}

// Comparison tells how two spaces answer the same questions. The shares are between 0 and 1.
type Comparison struct {
	// Questions is how many were asked. 0: they could not be compared, and nothing else is known.
	Questions int `json:"questions"`
	// Overlap is the share of the first ten of the live space that are among the first ten of the other, on average.
	Overlap float64 `json:"overlap"`
	// LiveFound is the share of questions whose own unit is among the first ten of the live space.
	LiveFound float64 `json:"liveFound"`
	// NextFound is the same for the other space.
	NextFound float64 `json:"nextFound"`
}

// Worse reports whether the other space finds less than the live one, by more than a tolerance.
func (c Comparison) Worse(tolerance float64) bool { return c.NextFound < c.LiveFound-tolerance }

// DropSpaceInput asks for the removal of a space that is not live.
type DropSpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
	Limit int   `json:"limit"` // vectors that go at once; 0 only takes the space out of use
}

// DropSpaceResult says whether some vectors are left.
type DropSpaceResult struct {
	More bool `json:"more,omitempty"`
}

// IndexInput names whose index is meant.
type IndexInput struct {
	AgentRef
}

// StaleResult counts sources that are to be indexed anew.
type StaleResult struct {
	Sources int `json:"sources"`
}

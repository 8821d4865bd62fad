package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// DreamState is how a dream stands. A step that finds that the dream has ended does nothing and says so.
type DreamState struct {
	Dream      uuid.UUID         `json:"dream"`
	Outcome    memory.Outcome    `json:"outcome"` // running or waiting while it goes on
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Candidates int               `json:"candidates,omitempty"`
	Promoted   int               `json:"promoted,omitempty"`
	Kept       int               `json:"kept,omitempty"`
	Rejected   int               `json:"rejected,omitempty"`
	Documents  int               `json:"documents,omitempty"` // changed
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// Ended reports whether the dream is over.
func (s DreamState) Ended() bool {
	return s.Outcome != "" && s.Outcome != memory.OutcomeRunning && s.Outcome != memory.OutcomeWaiting
}

// OpenDreamInput says which dream is to begin.
type OpenDreamInput struct {
	memory.OwnerRef
	Dream   uuid.UUID           `json:"dream,omitzero"` // its record; zero: it is found by its night or made
	Mode    memory.DreamMode    `json:"mode"`
	Trigger memory.DreamTrigger `json:"trigger"`
	Night   string              `json:"night,omitempty"`
	AsOf    time.Time           `json:"asOf,omitzero"`
	DryRun  bool                `json:"dryRun,omitempty"`
}

// OpenDreamResult is the dream with the settings that hold for it.
type OpenDreamResult struct {
	DreamState
	Settings memory.DreamSettings `json:"settings"`
}

// DreamInput names an open dream.
type DreamInput struct {
	memory.OwnerRef
	Dream uuid.UUID `json:"dream"`
}

// LightSleepResult counts what was looked at.
type LightSleepResult struct {
	DreamState
	Notes         int `json:"notes,omitempty"`
	Conversations int `json:"conversations,omitempty"`
	Messages      int `json:"messages,omitempty"`
	Statements    int `json:"statements,omitempty"`
}

// REMSleepResult counts what was found.
type REMSleepResult struct {
	DreamState
	Themes int `json:"themes,omitempty"`
	Truths int `json:"truths,omitempty"`
}

// ConsolidateInput asks a model for a new MEMORY.md.
type ConsolidateInput struct {
	DreamInput
	NotesMaxChars int `json:"notesMaxChars"` // of the notes that it is shown
}

// DeepSleepResult says what to do next: commit a draft, ask a model for one, wait, or ask again with less of the notes.
type DeepSleepResult struct {
	DreamState
	AskModel  bool      `json:"askModel,omitempty"` // something is worth keeping, and a model is to write it
	TooLong   bool      `json:"tooLong,omitempty"`  // the model's context is too small for the notes
	WaitUntil time.Time `json:"waitUntil,omitzero"` // the budget renews at this time
}

// CommitDreamResult is the outcome.
type CommitDreamResult struct {
	DreamState
	Stale bool `json:"stale,omitempty"` // someone edited the same lines meanwhile: draft anew
}

// EndDreamInput ends a dream without a write.
type EndDreamInput struct {
	DreamInput
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode"`
}

// FindNewsInput asks which owners of an agent have news, behind one of them in the order of their ids.
type FindNewsInput struct {
	AgentRef
	After uuid.UUID `json:"after,omitzero"`
}

// FindNewsResult is a page of them.
type FindNewsResult struct {
	Owners []uuid.UUID `json:"owners,omitempty"`
	More   bool        `json:"more,omitempty"`
	// ReasonCode says why nobody of the agent dreams.
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// StartDreamsInput asks for the dreams of one night.
type StartDreamsInput struct {
	AgentRef
	Owners   []uuid.UUID `json:"owners"`
	Night    string      `json:"night"`
	AsOf     time.Time   `json:"asOf,omitzero"`
	Parallel int         `json:"parallel"` // at once
	// Patience is how long one is waited for before the next one may begin.
	Patience time.Duration `json:"patience"`
}

// StartDreamsResult counts how they ended.
type StartDreamsResult struct {
	Outcomes map[memory.Outcome]int `json:"outcomes,omitempty"`
	Late     int                    `json:"late,omitempty"` // not ended when patience was over: they go on by themselves
}

// DreamOrder is the dream of one owner in one night.
type DreamOrder struct {
	memory.OwnerRef
	Night string
	AsOf  time.Time
}

// Dreamer runs dreams as workflows of their own.
type Dreamer interface {
	// Dream starts a dream, or finds it when it is running, and waits until it has ended or ctx is done. A dream that failed
	// or was cancelled is an outcome; an error means that it is not known to have started or ended.
	Dream(ctx context.Context, o DreamOrder) (memory.Outcome, error)
}

// Consolidator turns notes and ranked candidates into a new MEMORY.md: a model with its prompts.
type Consolidator interface {
	Consolidate(ctx context.Context, in memory.ConsolidationInput) (memory.Answer, error)
}

// Dreamt is a dream that ended, for metrics.
type Dreamt struct {
	Mode       memory.DreamMode
	DryRun     bool
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
	Promoted   int
	Usage      memory.Usage
	Took       time.Duration // from its record to its end
}

package activities

import (
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// NextRangeInput asks what is to be extracted next for an owner.
type NextRangeInput struct {
	memory.OwnerRef
	// Conversation limits the question to one conversation and asks for all that its cursor has not passed, also what a
	// gate has held back before; zero asks for the owner's oldest pending conversation.
	Conversation uuid.UUID `json:"conversation,omitzero"`
	// RetryOf asks for the range of a quarantined extraction.
	RetryOf uuid.UUID `json:"retryOf,omitzero"`
}

// NextRangeResult is the range, with the settings that hold for it from now on.
type NextRangeResult struct {
	Found        bool                   `json:"found"`
	Conversation uuid.UUID              `json:"conversation,omitzero"`
	From         int64                  `json:"from,omitempty"`
	To           int64                  `json:"to,omitempty"`
	Settings     memory.ExtractSettings `json:"settings,omitzero"`
	Timing       memory.Timing          `json:"timing"`
}

// ProposeInput is one step of an extraction: the messages from From on, as many as fit one transcript.
type ProposeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID              `json:"conversation"`
	From         int64                  `json:"from"`
	To           int64                  `json:"to"`    // of the whole range
	First        bool                   `json:"first"` // the gates are judged once, for the whole range
	RetryOf      uuid.UUID              `json:"retryOf,omitzero"`
	Settings     memory.ExtractSettings `json:"settings"`
}

// ProposeResult says what to do next: apply a draft, go on behind To, wait, or ask again with a shorter transcript.
type ProposeResult struct {
	Extraction uuid.UUID         `json:"extraction,omitzero"`
	To         int64             `json:"to"`       // last message of this step
	Messages   int               `json:"messages"` // of the transcript
	HasDraft   bool              `json:"hasDraft,omitempty"`
	TooLong    bool              `json:"tooLong,omitempty"`  // the model's context is too small for this transcript
	WaitUntil  time.Time         `json:"waitUntil,omitzero"` // the budget renews at this time
	Outcome    memory.Outcome    `json:"outcome,omitempty"`  // final for this step unless HasDraft
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	More       bool              `json:"more,omitempty"` // other messages of this owner are pending
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// ApplyInput commits a draft.
type ApplyInput struct {
	memory.OwnerRef
	Extraction uuid.UUID `json:"extraction"`
}

// ApplyResult is the outcome.
type ApplyResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Stale      bool              `json:"stale,omitempty"`     // someone edited the same lines meanwhile: propose anew
	Documents  int               `json:"documents,omitempty"` // changed
	More       bool              `json:"more,omitempty"`
}

// ConcludeInput ends an extraction as failed: it got no proposal in time, or none that could be applied.
type ConcludeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID         `json:"conversation"`
	From         int64             `json:"from"`
	To           int64             `json:"to"`
	RetryOf      uuid.UUID         `json:"retryOf,omitzero"`
	ReasonCode   memory.ReasonCode `json:"reasonCode"`
}

// ConcludeResult is the record.
type ConcludeResult struct {
	Extraction uuid.UUID `json:"extraction"`
	More       bool      `json:"more,omitempty"`
}

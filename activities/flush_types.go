package activities

import (
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// FlushRef names an open flush.
type FlushRef struct {
	memory.OwnerRef
	Flush uuid.UUID `json:"flush"`
}

// PlanFlushInput asks what is to be flushed so that a conversation is flushed up to a message.
type PlanFlushInput struct {
	memory.OwnerRef
	Conversation uuid.UUID `json:"conversation"`
	To           int64     `json:"to"`
}

// PlanFlushResult is the flush that is next.
type PlanFlushResult struct {
	Needed bool      `json:"needed,omitempty"`
	Flush  uuid.UUID `json:"flush,omitzero"`
	From   int64     `json:"from,omitempty"`
	To     int64     `json:"to,omitempty"`
}

// FlushStepInput is one step of a flush.
type FlushStepInput struct {
	FlushRef

	Settings memory.FlushSettings `json:"settings"`
	Fallback bool                 `json:"fallback,omitempty"` // by rules, in place of the model
}

// FlushStepResult says what to do next: commit a draft, go on behind Done, fall back, wait, or ask with a shorter transcript.
type FlushStepResult struct {
	From         int64             `json:"from"`
	To           int64             `json:"to"`
	HasDraft     bool              `json:"hasDraft,omitempty"`
	Acknowledged bool              `json:"acknowledged,omitempty"`
	TooLong      bool              `json:"tooLong,omitempty"`
	Messages     int               `json:"messages,omitempty"`
	FallBack     memory.ReasonCode `json:"fallBack,omitempty"` // the model cannot do it: budget, refused, invalid, …
	WaitUntil    time.Time         `json:"waitUntil,omitzero"` // the budget that is spent renews at this time
	Fallback     bool              `json:"fallback,omitempty"` // of the acknowledged flush: rules did (a part of) it
	Outcome      memory.Outcome    `json:"outcome,omitempty"`
	ReasonCode   memory.ReasonCode `json:"reasonCode,omitempty"`
	Usage        memory.Usage      `json:"usage,omitzero"`
}

// CommitFlushInput commits the draft of a step.
type CommitFlushInput struct {
	FlushRef

	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Rules bool  `json:"rules,omitempty"` // made the draft: there is nobody left to ask
}

// CommitFlushResult is how the flush stands.
type CommitFlushResult struct {
	Stale        bool              `json:"stale,omitempty"`    // what the draft was made of is no more, or it is gone: propose anew
	FallBack     memory.ReasonCode `json:"fallBack,omitempty"` // what the model wrote may not be written
	Acknowledged bool              `json:"acknowledged,omitempty"`
	Outcome      memory.Outcome    `json:"outcome,omitempty"`
	ReasonCode   memory.ReasonCode `json:"reasonCode,omitempty"`
	Done         int64             `json:"done"`
	Fallback     bool              `json:"fallback,omitempty"` // rules did (a part of) what is done
}

// HoldFlushInput says why an open flush does not go on for now.
type HoldFlushInput struct {
	FlushRef

	ReasonCode memory.ReasonCode `json:"reasonCode"`
}

// HoldFlushResult is how the flush stands.
type HoldFlushResult struct {
	Acknowledged bool  `json:"acknowledged,omitempty"`
	Done         int64 `json:"done"`
}

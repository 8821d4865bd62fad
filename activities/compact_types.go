package activities

import (
	"github.com/google/uuid"

	"reverie/memory"
)

// BeginCompactionInput opens a compaction.
type BeginCompactionInput struct {
	memory.OwnerRef
	Conversation uuid.UUID              `json:"conversation"`
	To           int64                  `json:"to"`
	Trigger      memory.CompactTrigger  `json:"trigger"`
	Settings     memory.CompactSettings `json:"settings"`
}

// BeginCompactionResult names it.
type BeginCompactionResult struct {
	Compaction uuid.UUID `json:"compaction"`
	Ended      bool      `json:"ended,omitempty"` // the same summary was there already
}

// SummariseInput is one part of a summary.
type SummariseInput struct {
	memory.OwnerRef
	Compaction uuid.UUID              `json:"compaction"`
	Settings   memory.CompactSettings `json:"settings"`
	Fallback   bool                   `json:"fallback,omitempty"` // by rules, in place of the model
	Why        memory.ReasonCode      `json:"why,omitempty"`      // of a fallback
	// MaxBytes bounds the messages of this part, when a model's context was too small for one; 0: as many as is usual.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// SummariseResult says how far it is.
type SummariseResult struct {
	Ended    bool              `json:"ended,omitempty"`
	Done     int64             `json:"done"`
	FallBack memory.ReasonCode `json:"fallBack,omitempty"` // the model cannot do it
	TooLong  bool              `json:"tooLong,omitempty"`  // the model's context is too small for this part
	Usage    memory.Usage      `json:"usage,omitzero"`
}

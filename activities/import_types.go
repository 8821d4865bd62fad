package activities

import (
	"context"

	"github.com/google/uuid"

	"reverie/memory"
)

// ImportPageItems is how many items one step of an import moves in: enough for owners to go on side by side, and for an operator
// to see it go on.
const ImportPageItems = 200

// ImportPageInput asks for the next items of an import to be moved in.
type ImportPageInput struct {
	AgentRef
	Import   uuid.UUID `json:"import"`
	Parallel int       `json:"parallel"` // owners at once
}

// ImportProgress is how far an import is.
type ImportProgress struct {
	Items    int                    `json:"items"`
	Outcomes map[memory.Outcome]int `json:"outcomes,omitempty"` // of those that are settled
}

// ImportPageResult says what to do next.
type ImportPageResult struct {
	ImportProgress
	More      bool `json:"more,omitempty"`      // items wait
	Cancelled bool `json:"cancelled,omitempty"` // nothing more is to be moved in
}

// ImportBeat is what the heartbeat of a page tells.
type ImportBeat struct {
	Settled int `json:"settled"` // of the page, by this attempt
	Of      int `json:"of"`
}

// EndImportInput ends an import.
type EndImportInput struct {
	AgentRef
	Import    uuid.UUID `json:"import"`
	Cancelled bool      `json:"cancelled,omitempty"` // what waits is left out
}

// EndImportResult is how it ended.
type EndImportResult struct {
	ImportProgress
	Cancelled bool `json:"cancelled,omitempty"`
}

// ExtractOrder asks for the extraction of what is pending in a conversation.
type ExtractOrder struct {
	memory.OwnerRef
	Conversation uuid.UUID
	Timing       memory.Timing
	Request      string // the same for a repeated request
}

// Extracted is how that ended.
type Extracted struct {
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
	// Again is true when the same may end better in a while: the model was away for long.
	Again bool
}

// Extractor runs extractions as workflows of their own.
type Extractor interface {
	// Extract waits until what is pending in the conversation is extracted, or ctx is done.
	Extract(ctx context.Context, o ExtractOrder) (Extracted, error)
}

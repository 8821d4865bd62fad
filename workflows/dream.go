package workflows

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"reverie/memory"
)

// DreamInput is one dream of one owner. Topic and settings stand in the record, not here.
type DreamInput struct {
	memory.OwnerRef
	// Dream is the record that the API has queued; zero: the workflow makes it.
	Dream   uuid.UUID           `json:"dream,omitzero"`
	Mode    memory.DreamMode    `json:"mode"`
	Trigger memory.DreamTrigger `json:"trigger"`
	// Night names the night of a scheduled dream, such as 2026-01-31T02:00; one owner dreams once in it.
	Night string `json:"night,omitempty"`
	// AsOf is the end of what is looked at; zero: now.
	AsOf   time.Time `json:"asOf,omitzero"`
	DryRun bool      `json:"dryRun,omitempty"`
}

// DreamResult is how it ended.
type DreamResult struct {
	Dream      uuid.UUID         `json:"dream"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Candidates int               `json:"candidates,omitempty"`
	Promoted   int               `json:"promoted,omitempty"`
	Kept       int               `json:"kept,omitempty"`
	Rejected   int               `json:"rejected,omitempty"`
	Documents  int               `json:"documents,omitempty"` // changed
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// Dream consolidates what is new of one owner: light, REM, deep, commit.
func Dream(_ workflow.Context, _ DreamInput) (DreamResult, error) {
	return DreamResult{}, errors.ErrUnsupported
}

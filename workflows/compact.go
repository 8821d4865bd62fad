package workflows

import (
	"context"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/memory"
)

// CompactInput says what to compact, with the settings of the moment.
type CompactInput struct {
	memory.OwnerRef
	Conversation uuid.UUID              `json:"conversation"`
	To           int64                  `json:"to"`
	Trigger      memory.CompactTrigger  `json:"trigger"`
	FlushOnly    bool                   `json:"flushOnly,omitempty"` // no summary
	Settings     memory.CompactSettings `json:"settings"`
}

// CompactResult names the compaction.
type CompactResult struct {
	Compaction uuid.UUID      `json:"compaction,omitzero"` // zero: a flush only
	Flushes    []uuid.UUID    `json:"flushes,omitempty"`   // that this one waited for
	To         int64          `json:"to"`
	Outcome    memory.Outcome `json:"outcome"`
	Fallback   bool           `json:"fallback,omitempty"`
	Usage      memory.Usage   `json:"usage,omitzero"`
}

// Compact has a conversation flushed up to a message, by one Flush after the other, and summarises what was flushed. Nothing is
// summarised away that is not acknowledged.
func Compact(ctx workflow.Context, in CompactInput) (CompactResult, error) {
	return CompactResult{}, nil
}

// RunCompact starts a Compact and waits for it until ctx ends; then it goes on. One that is running already is waited for.
func RunCompact(ctx context.Context, c client.Client, in CompactInput) (CompactResult, error) {
	return CompactResult{}, nil
}

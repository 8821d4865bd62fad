package workflows

import (
	"context"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/memory"
)

// FlushInput is a range of messages that is about to leave a context window, with the settings of the moment.
type FlushInput struct {
	memory.OwnerRef
	Conversation uuid.UUID            `json:"conversation"`
	Flush        uuid.UUID            `json:"flush"`
	From         int64                `json:"from"`
	To           int64                `json:"to"`
	Settings     memory.FlushSettings `json:"settings"`
}

// FlushResult is the acknowledgement: everything in the range is saved.
type FlushResult struct {
	Flush      uuid.UUID         `json:"flush"`
	From       int64             `json:"from"`
	To         int64             `json:"to"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Fallback   bool              `json:"fallback,omitempty"`
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// Flush saves a range of messages before it is dropped, once: propose and commit, in as many steps as transcripts are needed.
func Flush(ctx workflow.Context, in FlushInput) (FlushResult, error) { return FlushResult{}, nil }

// StartFlush starts the Flush of a planned range and waits for nothing. One that is running is left alone.
func StartFlush(ctx context.Context, c client.Client, in FlushInput) error { return nil }

package activities

import (
	"context"

	"reverie/memory"
	"reverie/store"
)

// WriteRef names a write that is staged, by references only.
type WriteRef = store.WriteRef

// Writer has a staged write made by its workflow, and waits for it.
type Writer interface {
	Write(ctx context.Context, ref WriteRef) (memory.WriteReceipt, error)
}

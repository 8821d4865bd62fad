package activities

import (
	"github.com/google/uuid"

	"reverie/memory"
)

// SnapshotInput names an import of a snapshot, whose archive stays in the store.
type SnapshotInput struct {
	AgentRef
	Import uuid.UUID `json:"import"`
}

// ReadSnapshotResult says what an archive has.
type ReadSnapshotResult struct {
	Ended     bool  `json:"ended,omitempty"` // the import was done before
	Documents int   `json:"documents"`       // that are taken
	Skipped   int   `json:"skipped"`         // entries
	Bytes     int64 `json:"bytes"`           // of the archive
}

// CommitSnapshotResult says what became of an import.
type CommitSnapshotResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"` // of refused
	Created    int               `json:"created"`
	Updated    int               `json:"updated"`
	Skipped    int               `json:"skipped"`
}

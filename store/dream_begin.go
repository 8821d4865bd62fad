package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// NewDream is a dream that is to begin.
type NewDream struct {
	// ID finds a dream that was queued before; zero: a new one, or the one of the same night.
	ID       uuid.UUID
	Mode     memory.DreamMode
	Trigger  memory.DreamTrigger
	Topic    string
	Night    string // see Dream.Night
	AsOf     time.Time
	DryRun   bool
	ReplayOf uuid.UUID
	Settings memory.DreamSettings
	// Request is the key of a request that may be repeated, unique for its owner, dry runs and replays included: the dream of
	// the first one is returned as it is, open or not. Empty: each request is its own.
	Request string
}

// BeginDream finds the dream that d means, or makes its record, and puts it into the hands of the identity's workflow and run
// (of an author without one, such as the API: it waits for a workflow, phase queued). A dream of the same night or with the
// same id that has ended is returned as it is (!Open()): it is not dreamed again. An open one is taken over: writes of the run
// that had it before are refused (*ConflictError with CodeSuperseded).
func (s *Store) BeginDream(ctx context.Context, id memory.Identity, d NewDream) (Dream, error) {
	return Dream{}, errors.ErrUnsupported
}

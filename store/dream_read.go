package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// DreamFilter limits a list of dreams; zero fields do not.
type DreamFilter struct {
	Mode    memory.DreamMode
	Outcome memory.Outcome
	// Real leaves out dry runs and replays.
	Real bool
}

// Dream returns one report, with Raw and Diff, without candidates.
func (s *Store) Dream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (Dream, error) {
	return Dream{}, errors.ErrUnsupported
}

// Dreams lists reports of the identity's owner (with AnyOwner and without an owner: of all), newest first, without Raw and Diff.
func (s *Store) Dreams(ctx context.Context, id memory.Identity, f DreamFilter, p Page) (Listed[Dream], error) {
	return Listed[Dream]{}, errors.ErrUnsupported
}

// DreamCandidates are the candidates of one dream, best first. verdict "" means all.
func (s *Store) DreamCandidates(ctx context.Context, id memory.Identity, dreamID uuid.UUID, verdict dream.Verdict, p Page) (Listed[dream.Candidate], error) {
	return Listed[dream.Candidate]{}, errors.ErrUnsupported
}

// DreamStatus is how the dreaming of an owner stands.
type DreamStatus struct {
	Last     *Dream                 // the last one that ended and was no dry run; nil: none
	Running  *Dream                 // open, and no dry run; nil: none
	News     bool                   // something was written or said since
	NewsAt   time.Time              // when, first; zero without news
	Statuses map[dream.Status]int   // statements by status
	Diary    string                 // the latest entry of DREAMS.md
	Outcomes map[memory.Outcome]int // of the dreams of the last 30 days
}

// DreamStatus tells how the dreaming of the identity's owner stands; for the shared memory: of the owner system.
func (s *Store) DreamStatus(ctx context.Context, id memory.Identity) (DreamStatus, error) {
	return DreamStatus{}, errors.ErrUnsupported
}

// DreamsSince lists dreams that changed (phase or outcome) after a moment, oldest change first, for who follows them.
func (s *Store) DreamsSince(ctx context.Context, id memory.Identity, since time.Time, limit int) ([]ChangedDream, error) {
	return nil, errors.ErrUnsupported
}

// ChangedDream is a dream with the moment of its last change.
type ChangedDream struct {
	Dream
	ChangedAt time.Time
}

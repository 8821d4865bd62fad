package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// StagedDream is what light sleep found.
type StagedDream struct {
	AsOf       time.Time
	From       dream.Day
	Scope      memory.Scope
	Pins       dream.Pins
	Candidates []dream.Candidate
	// States are those of earlier dreams that matter for these candidates, and those that must not come back; a replay uses
	// them again.
	States []dream.State
}

// DreamStage is a dream in the middle, for REM and deep sleep.
type DreamStage struct {
	Dream      Dream
	Agent      Agent
	Now        time.Time // in the agent's time zone
	AsOf       time.Time // in the agent's time zone
	Candidates []dream.Candidate
	States     []dream.State
	// Files are the documents that the dream may write, as they are now (of a replay: MEMORY.md as it was).
	Files     dream.Files
	Shared    string      // content of the TEAM MEMORY.md when the dream's scope is PERSONAL
	Protected []string    // lines of MEMORY.md that a person wrote or confirmed
	Notes     []DreamNote // that were looked at, newest first, without Lines
	// Recalls are those of the window.
	Recalls []Recalled
}

// DreamDraft is a dream that is ready to be committed.
type DreamDraft struct {
	Ranking dream.Ranking
	Changes []memory.Change
	Diff    string
	// Outcome is what it ends as: written, nothing or quarantined. A commit that changes MEMORY.md is written, one that does not
	// is nothing, unless it is quarantined.
	Outcome       memory.Outcome
	ReasonCode    memory.ReasonCode
	Reason        string
	Raw           string // the model's output; kept of quarantined dreams, dry runs and replays
	Violations    []memory.Violation
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// DreamEnding is how a dream ends without a commit, or why it waits.
type DreamEnding struct {
	Outcome       memory.Outcome // nothing, skipped, failed or waiting
	ReasonCode    memory.ReasonCode
	Reason        string
	Until         time.Time // of waiting
	Model         string
	PromptVersion string
	Usage         memory.Usage
	// Heard is true when the owner's news were looked at, so that they are news no more (outcome nothing).
	Heard bool
}

// StageDream saves what light sleep found, in place of an earlier attempt. Phase becomes rem.
func (s *Store) StageDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d StagedDream) error {
	return errors.ErrUnsupported
}

// DreamStage reads a dream in the middle.
func (s *Store) DreamStage(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (DreamStage, error) {
	return DreamStage{}, errors.ErrUnsupported
}

// ReflectDream saves what REM found, with each likely truth in its candidate. Phase becomes deep.
func (s *Store) ReflectDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, r dream.Reflection) error {
	return errors.ErrUnsupported
}

// DraftDream saves verdicts and changes for CommitDream, in place of an earlier draft. Phase becomes writing.
func (s *Store) DraftDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d DreamDraft) error {
	return errors.ErrUnsupported
}

// CommitDream commits the draft, exactly once: documents, states of statements, the owner's news, spending and the report in
// one transaction. A dry run and a replay end without a write. It returns *StaleBaseError when MEMORY.md was changed meanwhile
// on the same lines, *QuarantineError when the gate refuses a text, *ConflictError with CodeSuperseded when another run has it.
// Key is the idempotency key; empty: one made of the dream's id.
func (s *Store) CommitDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (Dream, error) {
	return Dream{}, errors.ErrUnsupported
}

// EndDream records how a dream ended without a commit, or that it waits. One that has ended is returned as it is.
func (s *Store) EndDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, e DreamEnding) (Dream, error) {
	return Dream{}, errors.ErrUnsupported
}

package store

import (
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
)

// Dream is the record of one dream, and its report once it has ended.
type Dream struct {
	ID       uuid.UUID
	Owner    memory.Owner
	OwnerID  uuid.UUID
	Mode     memory.DreamMode
	Trigger  memory.DreamTrigger
	Topic    string // of a focused dream
	Night    string // names the night of a scheduled dream: "2026-01-31T02:00", unique for its owner; empty: none
	DryRun   bool   // nothing was written
	ReplayOf uuid.UUID
	Scope    memory.Scope // of MEMORY.md
	AsOf     time.Time    // the end of what it looked at; zero until light sleep
	From     dream.Day    // the first day that it looked at
	Phase    memory.DreamPhase
	// Outcome is written, nothing, skipped, quarantined, failed, waiting or running.
	Outcome        memory.Outcome
	ReasonCode     memory.ReasonCode
	Reason         string // in words
	Settings       memory.DreamSettings
	Pins           dream.Pins
	Reflection     dream.Reflection
	Contradictions []dream.Contradiction
	Counts         DreamCounts
	Changes        []memory.ChangeReceipt // documents written
	Diff           string                 // of MEMORY.md; of a dry run: as it would have been
	Raw            string                 // the model's output, of quarantined dreams and dry runs
	Violations     []memory.Violation
	Model          string
	PromptVersion  string
	Usage          memory.Usage
	RevertedBy     string    // who undid it; empty: nobody
	RevertedAt     time.Time // zero: it stands
	HasDraft       bool
	WaitingUntil   *time.Time
	WorkflowID     string
	RunID          string
	StartedAt      time.Time
	FinishedAt     *time.Time
}

// Open reports whether the dream has not ended.
func (d Dream) Open() bool {
	return d.Outcome == memory.OutcomeRunning || d.Outcome == memory.OutcomeWaiting
}

// DreamCounts count the candidates of a dream by verdict.
type DreamCounts struct {
	Candidates int `json:"candidates"`
	Promoted   int `json:"promoted"`
	Kept       int `json:"kept"`
	Rejected   int `json:"rejected"`
	Themes     int `json:"themes"`
	Truths     int `json:"truths"`
}

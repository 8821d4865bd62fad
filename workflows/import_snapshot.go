package workflows

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ImportSnapshotInput names an import, whose archive stays in the store.
type ImportSnapshotInput struct {
	activities.AgentRef
	Import  uuid.UUID `json:"import"`
	Archive string    `json:"archive"` // SHA-256, hex
	// Particular imports are of an owner, or bound to a preview: another one of the same archive may run at the same time.
	Particular bool `json:"particular,omitempty"`
}

// ID is the id of the ImportSnapshot.
func (in ImportSnapshotInput) ID() string {
	only := uuid.Nil
	if in.Particular {
		only = in.Import
	}
	return ImportSnapshotID(in.AgentRef, in.Archive, only)
}

// ImportSnapshotResult says what became of it.
type ImportSnapshotResult struct {
	Import     uuid.UUID         `json:"import"`
	Outcome    memory.Outcome    `json:"outcome"` // written, nothing or refused
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Created    int               `json:"created"`
	Updated    int               `json:"updated"`
	Skipped    int               `json:"skipped"`
}

// ImportSnapshot reads an archive and imports what is taken of it in one transaction: all documents or none. Started twice for one
// import, or after it has ended, it writes once and answers alike. What the files are and what became of each stands in the record
// of the import; the history has counts only.
func ImportSnapshot(ctx workflow.Context, in ImportSnapshotInput) (ImportSnapshotResult, error) {
	i := importingSnapshot{ImportSnapshotInput: in}
	i.describe(ctx, "reading the archive")
	if err := i.read(ctx); err != nil {
		return ImportSnapshotResult{}, i.stop(ctx, err)
	}
	i.describe(ctx, "writing all documents at once")
	out, err := i.commit(ctx)
	if err != nil {
		return ImportSnapshotResult{}, i.stop(ctx, err)
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, OutcomeAttribute.ValueSet(string(out.Outcome))); err != nil {
		return ImportSnapshotResult{}, err
	}
	i.result = &out
	i.describe(ctx, "ended")
	return out, nil
}

type importingSnapshot struct {
	ImportSnapshotInput
	found  *activities.ReadSnapshotResult
	result *ImportSnapshotResult
}

func (i *importingSnapshot) read(ctx workflow.Context) error {
	found, err := step(ctx, snapshotStep, "read the archive", steps.ReadSnapshot, activities.SnapshotInput{AgentRef: i.AgentRef, Import: i.Import})
	i.found = &found
	return err
}

func (i *importingSnapshot) commit(ctx workflow.Context) (ImportSnapshotResult, error) {
	summary := fmt.Sprintf("write %d documents in one transaction", i.found.Documents)
	out, err := step(ctx, snapshotStep, summary, steps.CommitSnapshot, activities.SnapshotInput{AgentRef: i.AgentRef, Import: i.Import})
	return ImportSnapshotResult{
		Import: i.Import, Outcome: out.Outcome, ReasonCode: out.ReasonCode, Created: out.Created, Updated: out.Updated, Skipped: out.Skipped,
	}, err
}

// stop tells that the import was broken off: nothing of it is written, and the worker's sweep starts it again.
func (i *importingSnapshot) stop(ctx workflow.Context, cause error) error {
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if err := workflow.UpsertTypedSearchAttributes(apart, OutcomeAttribute.ValueSet(string(memory.OutcomeFailed))); err != nil {
		return err
	}
	i.describe(apart, "stopped")
	return cause
}

// describe tells an operator how far it is, in Markdown, without contents.
func (i *importingSnapshot) describe(ctx workflow.Context, phase string) {
	var b strings.Builder
	fmt.Fprintf(&b, "Phase: **%s**.\n\n- archive `%s`", phase, i.Archive)
	if i.found != nil && !i.found.Ended {
		fmt.Fprintf(&b, "\n- %d bytes: %d documents, %d entries skipped", i.found.Bytes, i.found.Documents, i.found.Skipped)
	}
	if r := i.result; r != nil {
		fmt.Fprintf(&b, "\n- outcome: **%s**", r.Outcome)
		if r.ReasonCode != "" {
			fmt.Fprintf(&b, " (%s)", r.ReasonCode)
		}
		fmt.Fprintf(&b, "; %d created, %d updated, %d skipped", r.Created, r.Updated, r.Skipped)
	}
	fmt.Fprintf(&b, "\n- its record, with what became of each file: `GET /api/v1/agents/%s/workspace/memory/imports/%s`", i.Agent, i.Import)
	workflow.SetCurrentDetails(ctx, b.String())
}

// Reasons of imports of snapshots that nothing came of.
const (
	ReasonChangedSincePreview = activities.ReasonChangedSincePreview
	ReasonForbidden           = activities.ReasonForbidden
)

package workflows

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ImportSnapshotInput identifies an import. Its archive is in the store.
type ImportSnapshotInput struct {
	activities.AgentRef
	Import  uuid.UUID `json:"import"`
	Archive string    `json:"archive"` // SHA-256, hex
	// Particular imports are limited to an owner or bound to a preview; another import of the same archive may run at
	// the same time.
	Particular bool `json:"particular,omitempty"`
}

// ID returns the workflow id of the import.
func (in ImportSnapshotInput) ID() string {
	only := uuid.Nil
	if in.Particular {
		only = in.Import
	}
	return ImportSnapshotID(in.AgentRef, in.Archive, only)
}

// ImportSnapshotResult is the outcome of the import.
type ImportSnapshotResult struct {
	Import     uuid.UUID         `json:"import"`
	Outcome    memory.Outcome    `json:"outcome"` // written, nothing or refused
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Created    int               `json:"created"`
	Updated    int               `json:"updated"`
	Skipped    int               `json:"skipped"`
}

// ImportSnapshot reads an archive and imports the chosen documents in one transaction: all or none. It is safe to
// start twice for one import, also after it has ended: it writes once and returns the same result. Cancelled before
// it writes, it ends as refused. The list of files and what happened to each is in the import's record; the history
// has only counts.
func ImportSnapshot(ctx workflow.Context, in ImportSnapshotInput) (ImportSnapshotResult, error) {
	i := importingSnapshot{ImportSnapshotInput: in}
	out, err := i.run(ctx)
	isCancelled := err != nil && ctx.Err() != nil
	apart, cancel := workflow.NewDisconnectedContext(ctx) // a cancellation does not keep it from telling its end
	defer cancel()
	if isCancelled {
		i.describe(apart, "cancelled: ending the import")
		out, err = i.end(apart, "end the import, unless it has written", steps.CancelSnapshot)
	}
	outcome := out.Outcome
	if err != nil {
		outcome = memory.OutcomeFailed
	}
	if err := showOutcome(apart, string(outcome)); err != nil {
		return ImportSnapshotResult{}, err
	}
	if err != nil {
		i.describe(apart, "stopped before writing; the worker starts it again")
		return ImportSnapshotResult{}, err
	}
	i.result = &out
	i.describe(apart, "ended")
	if isCancelled && out.ReasonCode == ReasonCancelled {
		return ImportSnapshotResult{}, temporal.NewCanceledError()
	}
	return out, nil
}

type importingSnapshot struct {
	ImportSnapshotInput
	found  *activities.ReadSnapshotResult
	result *ImportSnapshotResult
}

// run reads the archive and writes its documents.
func (i *importingSnapshot) run(ctx workflow.Context) (ImportSnapshotResult, error) {
	i.describe(ctx, "reading the archive")
	found, err := step(ctx, snapshotStep, "read the archive", steps.ReadSnapshot, i.reference())
	if err != nil {
		return ImportSnapshotResult{}, err
	}
	i.found = &found
	i.describe(ctx, "writing all documents at once")
	return i.end(ctx, fmt.Sprintf("write %d documents in one transaction", found.Documents), steps.CommitSnapshot)
}

// end runs the step that ends the import.
func (i *importingSnapshot) end(ctx workflow.Context, summary string,
	run func(context.Context, activities.SnapshotInput) (activities.CommitSnapshotResult, error),
) (ImportSnapshotResult, error) {
	out, err := step(ctx, snapshotStep, summary, run, i.reference())
	return ImportSnapshotResult{
		Import: i.Import, Outcome: out.Outcome, ReasonCode: out.ReasonCode, Created: out.Created, Updated: out.Updated, Skipped: out.Skipped,
	}, err
}

func (i *importingSnapshot) reference() activities.SnapshotInput {
	return activities.SnapshotInput{AgentRef: i.AgentRef, Import: i.Import}
}

// describe shows operators the progress in Markdown, without contents.
func (i *importingSnapshot) describe(ctx workflow.Context, phase string) {
	var b strings.Builder
	fmt.Fprintf(&b, "Phase: **%s**.\n\n- archive `%s`", phase, i.Archive)
	if i.found != nil && !i.found.Ended {
		fmt.Fprintf(&b, ", %d bytes\n- documents to import: %d; other entries: %d", i.found.Bytes, i.found.Documents, i.found.Skipped)
	}
	if r := i.result; r != nil {
		fmt.Fprintf(&b, "\n- outcome: %s; %d created, %d updated, %d skipped (including unchanged ones)", inWords(r.Outcome, r.ReasonCode),
			r.Created, r.Updated, r.Skipped)
	}
	workflow.SetCurrentDetails(ctx, b.String())
}

// Reasons why an import of a snapshot wrote nothing.
const (
	ReasonChangedSincePreview = activities.ReasonChangedSincePreview
	ReasonForbidden           = activities.ReasonForbidden
	ReasonKeyRevoked          = activities.ReasonKeyRevoked
)

// StartImportSnapshot starts an ImportSnapshot without waiting for it. A running one is reused. An archive that was
// imported before is imported again, since its documents may have changed concurrently; the store imports each request
// once.
func StartImportSnapshot(ctx context.Context, c client.Client, in ImportSnapshotInput) (client.WorkflowRun, error) {
	options := startOptions(in.ID(), "An archive of documents is imported into agent "+in.Agent, agentAttributes(in.AgentRef),
		fair(importPriority, in.Workspace))
	options.StaticDetails = fmt.Sprintf("Record with the result of each file: `GET /api/v1/agents/%s/workspace/memory/imports/%s` with an admin key",
		in.Agent, in.Import)
	return start(ctx, c, options, ImportSnapshotName, in)
}

package activities

import (
	"context"
	"errors"

	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/store"
)

// Reasons for the end of a dream that the steps give.
const (
	ReasonDreamingOff   memory.ReasonCode = "dreaming_off"
	ReasonSharedOnly    memory.ReasonCode = "shared_only" // without owner isolation only the shared memory dreams
	ReasonNoNews        memory.ReasonCode = "no_news"     // nothing was noted or said in the days that a dream looks at
	ReasonNothingPassed memory.ReasonCode = "nothing_passed"
)

// dreamer is the identity that dreams of an owner's memory.
func (a *Activities) dreamer(ctx context.Context, ref memory.OwnerRef) (memory.Identity, error) {
	by := author(ctx, "")
	by.Kind = memory.AuthorDream
	id, err := a.identify(ctx, ref, by)
	id.AnyOwner = id.Owner == memory.SystemOwner // what is shared is weighed by what anybody recalled of it
	return id, err
}

// dreamError is storeError for steps of dreams, which another execution may have taken over.
func dreamError(err error) error { return recordError(err, "dream") }

// inHand refuses an open dream that another execution has, before a step does in vain what its save would refuse.
func inHand(d store.Dream, id memory.Identity) error {
	if d.Open() && (d.WorkflowID != id.Author.WorkflowID || d.RunID != id.Author.RunID) {
		return errSuperseded("dream")
	}
	return nil
}

// stateOf is how a dream stands by its record.
func stateOf(d store.Dream) DreamState {
	return DreamState{
		Dream: d.ID, Outcome: d.Outcome, ReasonCode: d.ReasonCode, Usage: d.Usage, Documents: changed(d.Changes),
		Candidates: d.Counts.Candidates, Promoted: d.Counts.Promoted, Kept: d.Counts.Kept, Rejected: d.Counts.Rejected,
	}
}

// OpenDream finds or makes the record of a dream with the settings that hold for it. A dream that has ended, of this night
// or by this record, is returned as it is; one that nobody wants ends here.
func (a *Activities) OpenDream(ctx context.Context, in OpenDreamInput) (OpenDreamResult, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return OpenDreamResult{}, err
	}
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return OpenDreamResult{}, storeError(err)
	}
	record, err := a.Store.BeginDream(ctx, id, store.NewDream{
		ID: in.Dream, Mode: in.Mode, Trigger: in.Trigger, Night: in.Night, AsOf: in.AsOf, DryRun: in.DryRun,
		Settings: a.DreamDefaults.With(agent.Settings),
	})
	if err != nil {
		return OpenDreamResult{}, dreamError(err)
	}
	if reason := unwanted(record.Settings, id.Owner); reason != "" && record.Open() {
		if record, err = a.Store.EndDream(ctx, id, record.ID, store.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: reason}); err != nil {
			return OpenDreamResult{}, dreamError(err)
		}
		a.observeDream(record)
	}
	return OpenDreamResult{DreamState: stateOf(record), Settings: record.Settings}, nil
}

// unwanted says why an owner does not dream; empty: it does.
func unwanted(s memory.DreamSettings, owner memory.Owner) memory.ReasonCode {
	switch {
	case !s.MemoryEnabled:
		return memory.GateMemoryOff
	case s.TeamMember:
		return memory.GateTeamMember
	case !s.Enabled:
		return ReasonDreamingOff
	case !s.OwnerIsolation && owner != memory.SystemOwner:
		return ReasonSharedOnly
	}
	return ""
}

// CommitDream commits a draft: documents, states of statements, news and the report in one transaction, exactly once.
func (a *Activities) CommitDream(ctx context.Context, in DreamInput) (CommitDreamResult, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return CommitDreamResult{}, err
	}
	record, err := a.commitDream(ctx, id, in)
	switch {
	case isStale(err):
		return CommitDreamResult{DreamState: DreamState{Dream: in.Dream, Outcome: memory.OutcomeRunning}, Stale: true}, nil
	case err != nil:
		return CommitDreamResult{}, dreamError(err)
	}
	a.observeDream(record)
	out := CommitDreamResult{DreamState: stateOf(record)}
	if out.Documents > 0 {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return out, nil
}

// isStale reports whether a draft was made of what is no more. It is dropped then, which a step that is tried again finds.
func isStale(err error) bool {
	if _, stale := errors.AsType[*store.StaleBaseError](err); stale {
		return true
	}
	conflict, ok := errors.AsType[*store.ConflictError](err)
	return ok && conflict.Code == store.CodeNoDraft
}

// commitDream commits a draft. One with a text that the gate refuses becomes a report of that, without any other document.
func (a *Activities) commitDream(ctx context.Context, id memory.Identity, in DreamInput) (store.Dream, error) {
	record, err := a.Store.CommitDream(ctx, id, in.Dream, "")
	if reason := refusedByGate(err); reason != "" {
		return a.Store.EndDream(ctx, id, in.Dream, store.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: reason})
	}
	refused, isRefused := errors.AsType[*store.QuarantineError](err)
	if !isRefused {
		return record, err
	}
	stage, err := a.Store.DreamStage(ctx, id, in.Dream)
	if err != nil {
		return store.Dream{}, err
	}
	ranking := deep(stage)
	unwritten := rewrite.Settle(stage.Files.Memory.Content, stage.Files.Memory.Content, ranking)
	if err := a.Store.DraftDream(ctx, id, in.Dream, store.DreamDraft{
		Ranking: unwritten, Outcome: memory.OutcomeQuarantined, ReasonCode: ReasonScan, Reason: refused.Error(),
		Violations: []memory.Violation{{Code: string(ReasonScan), Message: refused.Error()}},
		Model:      stage.Dream.Model, PromptVersion: stage.Dream.PromptVersion,
	}); err != nil {
		return store.Dream{}, err
	}
	return a.Store.CommitDream(ctx, id, in.Dream, "")
}

// EndDream records that a dream ended without a write.
func (a *Activities) EndDream(ctx context.Context, in EndDreamInput) (DreamState, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return DreamState{}, err
	}
	record, err := a.Store.EndDream(ctx, id, in.Dream, store.DreamEnding{Outcome: in.Outcome, ReasonCode: in.ReasonCode})
	if err != nil {
		return DreamState{}, dreamError(err)
	}
	a.observeDream(record)
	return stateOf(record), nil
}

// observeDream tells of a dream that has ended. A step that is tried again may tell twice.
func (a *Activities) observeDream(d store.Dream) {
	if a.ObserveDream == nil || d.FinishedAt == nil {
		return
	}
	a.ObserveDream(Dreamt{
		Mode: d.Mode, DryRun: d.DryRun, Outcome: d.Outcome, ReasonCode: d.ReasonCode,
		Promoted: d.Counts.Promoted, Usage: d.Usage, Took: d.FinishedAt.Sub(d.StartedAt),
	})
}

package activities

import (
	"cmp"
	"context"
	"errors"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/tidy"
)

// Tidy archives the facts of an owner that are no longer trusted, consolidates the structured documents, and rewrites SOUL.md when that is
// due. A repeated attempt finds
// what is left. If somebody changes the same lines concurrently, the next night does it.
func (a *Activities) Tidy(ctx context.Context, in TidyInput) (TidyResult, error) {
	defer beat(ctx, cmp.Or(in.Settings.ModelHeartbeat, HeartbeatTimeout)/heartbeatsInTime)()
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return TidyResult{}, err
	}
	scope := memory.ScopePersonal
	if id.Owner == memory.SystemOwner || !in.Settings.OwnerIsolation {
		scope = memory.ScopeTeam
	}
	merged, err := tidy.Consolidate(ctx, a.Store, id, scope)
	if err != nil && !isStale(err) {
		return TidyResult{}, tidyError(err)
	}
	out := TidyResult{Merged: merged.Before - merged.After}
	byModel, err := a.merge(ctx, in, id, scope)
	if err != nil {
		return TidyResult{}, err
	}
	out.Merged += byModel
	if out.Archived, err = tidy.Archive(ctx, a.Store, id, scope, a.Now(), in.Settings); err != nil && !isStale(err) {
		return TidyResult{}, tidyError(err)
	}
	if out.Soul, err = a.soul(ctx, in, id); err != nil {
		return TidyResult{}, err
	}
	if out.Archived+out.Merged > 0 {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return out, nil
}

// tidyError is storeError, without refusals of the gate: there is nothing to repeat.
func tidyError(err error) error {
	if _, quarantined := errors.AsType[*store.QuarantineError](err); quarantined || refusedByGate(err) != "" {
		return nil
	}
	return storeError(err)
}

// TidyInput is an owner whose memory is tidied, with the settings of the night.
type TidyInput struct {
	memory.OwnerRef
	Settings setting.DreamSettings `json:"settings"`
}

// TidyResult counts what was done.
type TidyResult struct {
	Archived int `json:"archived,omitempty"` // facts
	Merged   int `json:"merged,omitempty"`   // entries of structured documents that were removed
	// Soul is the outcome of rewriting SOUL.md; empty: it was not due.
	Soul memory.Outcome `json:"soul,omitempty"`
}

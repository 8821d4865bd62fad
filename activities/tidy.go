package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/structured"
	"reverie/store"
	"reverie/store/dreams"
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

// Merger asks a model which entries of a structured document say the same thing.
type Merger interface {
	MergeEntries(ctx context.Context, in proposals.MergeInput) (proposals.Answer, error)
}

// merge has a model merge entries of the structured documents that were changed since the last night, and returns how many there are less. A
// proposal that is refused twice changes nothing.
func (a *Activities) merge(ctx context.Context, in TidyInput, id memory.Identity, scope memory.Scope) (removed int, err error) {
	if !in.Settings.Paid || a.Merger == nil {
		return 0, nil
	}
	documents, err := tidy.Mergeables(ctx, a.Store, id, scope, a.Now())
	if err != nil {
		return 0, storeError(err)
	}
	for _, d := range documents {
		m := merging{Activities: a, id: id, document: d, input: proposals.MergeInput{Model: in.Settings.Model, Today: a.Now()}}
		for _, e := range d.Entries {
			m.input.Entries = append(m.input.Entries, proposals.MergeEntry{Key: e.Key, Content: e.Content})
		}
		n, err := consult(ctx, a, engineUse{id: id, model: true, heartbeat: in.Settings.ModelHeartbeat}, &m)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, nil
}

// merging is one attempt to merge the entries of a document.
type merging struct {
	*Activities
	id       memory.Identity
	document tidy.Mergeable
	input    proposals.MergeInput
}

func (m *merging) halt(context.Context, setting.Halt) (int, error) { return 0, nil }

func (m *merging) ready(context.Context) (int, bool, error) { return 0, false, nil }

func (m *merging) ask(ctx context.Context, r repair) (proposals.Answer, error) {
	in := m.input
	in.Violations, in.Previous = r.violations, r.previous
	answer, err := m.Merger.MergeEntries(ctx, in)
	if spent := m.Store.AddUsage(context.WithoutCancel(ctx), m.id, answer.Model, answer.Usage); spent != nil {
		err = errors.Join(err, spent)
	}
	return answer, err
}

func (m *merging) check(answer proposals.Answer) ([]proposals.Merged, []proposals.Violation) {
	all, err := proposals.ParseMerged(answer.Raw)
	if err != nil {
		return nil, unreadable(err)
	}
	return all, m.input.Check(all)
}

func (m *merging) accept(ctx context.Context, all []proposals.Merged) (int, error) {
	var replaced []structured.Replaced
	for _, one := range all {
		r := structured.Replaced{Key: one.Key, Content: one.Content}
		for _, i := range one.Entries {
			r.Keys = append(r.Keys, m.input.Entries[i-1].Key)
		}
		replaced = append(replaced, r)
	}
	n, err := m.document.Replace(ctx, replaced)
	if err != nil && (isStale(err) || tidyError(err) == nil) { // a person has changed it, or the gate refuses
		return 0, nil
	}
	return n, storeError(err)
}

func (m *merging) refuse(_ context.Context, violations []proposals.Violation) (int, error) {
	m.Log.Info("Structured entries were not merged", "agent", m.id.Agent, "reason", string(reasonOf(violations)), "violations", len(violations))
	return 0, nil
}

// fail asks for another attempt when one may help.
func (m *merging) fail(_ context.Context, failure *llm.Error) (int, error) {
	if failure.Kind.Retryable() {
		return 0, modelError(failure)
	}
	return 0, nil
}

// Retire archives the facts of an owner that are no longer trusted, as Tidy does, outside of a dream, and returns how many.
func Retire(ctx context.Context, s *store.Store, ref memory.OwnerRef, settings setting.DreamSettings, now time.Time) (int, error) {
	id := memory.Identity{
		Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorDream, ID: "archive"},
	}
	owner, err := s.ResolveOwner(ctx, id, ref.Owner)
	if errors.Is(err, store.ErrNotFound) { // deleted since then
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	scope := dreams.DreamScope(owner)
	if !settings.OwnerIsolation {
		scope = memory.ScopeTeam
	}
	id = id.For(ref.Agent, owner)
	id.AnyOwner = owner == memory.SystemOwner
	n, err := tidy.Archive(ctx, s, id, scope, now, settings)
	if _, quarantined := errors.AsType[*store.QuarantineError](err); quarantined || isStale(err) || refusedByGate(err) != "" {
		return 0, nil // the next round does it
	}
	return n, err
}

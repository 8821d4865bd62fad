package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"reverie/memory"
	"reverie/store"
)

const (
	// tendFor is how long one step tends an index before it reports: well within what a worker is given to stop in.
	tendFor = 15 * time.Second
	// rebuildSources is how many sources are indexed anew between two looks at the clock.
	rebuildSources = 16
	// growVectors is how many vectors are moved in one transaction; each is put into the index of nearest neighbours, which
	// takes some milliseconds.
	growVectors = 500
)

// HeartbeatTimeout is how long a step that works on an index may be silent before its worker is taken for dead.
const HeartbeatTimeout = 10 * time.Second

// tender is the identity that tends an agent's index. It reads every owner's sources and writes only what is derived from
// them.
func tender(ctx context.Context, ref AgentRef) memory.Identity {
	return memory.Identity{
		Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin, Author: author(ctx, "index"),
	}
}

// TendIndex merges what was written lately into segments, indexes anew what another release or nobody has indexed, and
// finds out in which spaces vectors are missing. What it has done stays done, however it ends.
func (a *Activities) TendIndex(ctx context.Context, in TendIndexInput) (TendIndexResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	id := tender(ctx, in.AgentRef)
	var out TendIndexResult
	for until := time.Now().Add(tendFor); ; {
		packed, err := a.Store.PackIndex(ctx, id) // before the sources, one of which might fail again and again
		if err != nil {
			return TendIndexResult{}, storeError(err)
		}
		if out.Stale, err = a.Store.RebuildIndex(ctx, id, rebuildSources); err != nil {
			return TendIndexResult{}, storeError(err)
		}
		out.Packed += packed.Units
		if !packed.More && out.Stale == 0 {
			break
		}
		if time.Now().After(until) || stopping(ctx) {
			out.More = true
			break
		}
	}
	found, err := a.Store.DueSpaces(ctx, id)
	if err != nil {
		return TendIndexResult{}, storeError(err)
	}
	more, err := a.grow(ctx, id, found.Spaces)
	out.More = out.More || more
	if len(a.Embedders) > 0 {
		out.Spaces = spacesDue(found)
	}
	return out, storeError(err)
}

// grow moves the vectors of spaces that have become large to where an index leads to the nearest of them. more says that it
// ran out of time.
func (a *Activities) grow(ctx context.Context, id memory.Identity, spaces []store.Space) (more bool, err error) {
	until := time.Now().Add(tendFor)
	for _, s := range spaces {
		for more := true; more; {
			if more, err = a.Store.GrowSpace(ctx, id, s.ID, growVectors); err != nil {
				return false, err
			}
			if more && time.Now().After(until) {
				return true, nil
			}
		}
	}
	return false, nil
}

// spacesDue are the spaces in which vectors are missing.
func spacesDue(found store.DueSpaces) []SpaceDue {
	var due []SpaceDue
	live := false
	for _, s := range found.Spaces {
		live = live || s.State == store.SpaceLive
		switch {
		case s.Due == 0:
		case s.State == store.SpaceLive:
			due = append(due, SpaceDue{Due: s.Due})
		case s.State == store.SpaceBuilding:
			due = append(due, SpaceDue{Space: s.ID, Due: s.Due})
		}
	}
	if !live && found.Waiting > 0 {
		due = append(due, SpaceDue{Due: found.Waiting})
	}
	return due
}

// stopping reports whether the worker is being stopped: the next one goes on.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

// StaleIndex marks everything that the agent has as to be indexed anew. Searches go on.
func (a *Activities) StaleIndex(ctx context.Context, in IndexInput) (StaleResult, error) {
	n, err := a.Store.StaleIndex(ctx, tender(ctx, in.AgentRef))
	return StaleResult{n}, storeError(err)
}

// StaleLeft counts what is still to be indexed anew.
func (a *Activities) StaleLeft(ctx context.Context, in IndexInput) (StaleResult, error) {
	n, err := a.Store.RebuildIndex(ctx, tender(ctx, in.AgentRef), 0)
	return StaleResult{n}, storeError(err)
}

// indexChanged says that an agent's documents have changed.
func (a *Activities) indexChanged(ref AgentRef) {
	select {
	case a.changed <- ref:
	default:
	}
}

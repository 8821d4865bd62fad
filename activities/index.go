package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/tidy"
)

const (
	// tendFor is the time after which a step on an index reports: well within a worker's time to stop.
	tendFor = 15 * time.Second
	// rebuildSources is the number of sources reindexed between two checks of the time.
	rebuildSources = 16
	// growVectors is the number of vectors moved in one transaction; inserting each into the nearest-neighbour index
	// takes some milliseconds.
	growVectors = 500
)

// HeartbeatTimeout is the silence after which the worker of a step on an index is considered dead.
const HeartbeatTimeout = 10 * time.Second

// tender returns the identity that maintains an agent's index. It reads every owner's sources and writes only derived
// data.
func tender(ctx context.Context, ref AgentRef) memory.Identity {
	return memory.Identity{
		Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin, Author: author(ctx, "index"),
	}
}

// TendIndex merges recent writes into segments, indexes sources that are new or were indexed by another release, derives the facts of
// documents that have changed, and finds the spaces with missing vectors. What it has done is kept even if it fails.
func (a *Activities) TendIndex(ctx context.Context, in TendIndexInput) (TendIndexResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	id := tender(ctx, in.AgentRef)
	var out TendIndexResult
	for until := time.Now().Add(tendFor); ; {
		packed, err := a.Store.PackIndex(ctx, id) // before the sources, one of which might keep failing
		if err != nil {
			return TendIndexResult{}, storeError(err)
		}
		if out.Stale, err = a.Store.RebuildIndex(ctx, id, rebuildSources); err != nil {
			return TendIndexResult{}, storeError(err)
		}
		out.Packed += packed.Units
		behind, err := a.Store.DeriveFacts(ctx, id, rebuildSources)
		if err != nil && !errors.Is(err, store.ErrFactsOff) {
			return TendIndexResult{}, storeError(err)
		}
		if !packed.More && out.Stale == 0 && !behind {
			break
		}
		if time.Now().After(until) || stopping(ctx) {
			out.More = true
			break
		}
	}
	if err := a.judgePairs(ctx, in.AgentRef); err != nil {
		return TendIndexResult{}, err
	}
	if err := a.correct(ctx, in.AgentRef); err != nil {
		return TendIndexResult{}, err
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

// correct takes statements that newer ones supersede out of the documents of those whose facts were derived.
func (a *Activities) correct(ctx context.Context, ref AgentRef) error {
	if ref.Agent == "" { // GLOBAL documents are not compared
		return nil
	}
	people, err := a.Store.Superseded(ctx, tender(ctx, ref), a.Now())
	if errors.Is(err, store.ErrFactsOff) {
		return nil
	}
	changed := 0
	for _, p := range people {
		n, err := tidy.Correct(ctx, a.Store, a.identityOf(ctx, ref, p), p.Scope)
		if err := tidyError(err); err != nil {
			return err
		}
		changed += n
	}
	if changed > 0 {
		a.indexChanged(ref)
	}
	return storeError(err)
}

// grow moves the vectors of spaces that have become large into a nearest-neighbour index. more reports that it ran
// out of time.
func (a *Activities) grow(ctx context.Context, id memory.Identity, spaces []indexes.Space) (more bool, err error) {
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

// spacesDue returns the spaces with missing vectors.
func spacesDue(found indexes.DueSpaces) []SpaceDue {
	var due []SpaceDue
	live := false
	for _, s := range found.Spaces {
		live = live || s.State == indexes.SpaceLive
		switch {
		case s.Due == 0:
		case s.State == indexes.SpaceLive:
			due = append(due, SpaceDue{Due: s.Due})
		case s.State == indexes.SpaceBuilding:
			due = append(due, SpaceDue{Space: s.ID, Due: s.Due})
		}
	}
	if !live && found.Waiting > 0 {
		due = append(due, SpaceDue{Due: found.Waiting})
	}
	return due
}

// stopping reports whether the worker is stopping; the next attempt continues.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

// StaleIndex marks all sources of the agent for reindexing. Searches continue.
func (a *Activities) StaleIndex(ctx context.Context, in IndexInput) (StaleResult, error) {
	n, err := a.Store.StaleIndex(ctx, tender(ctx, in.AgentRef))
	return StaleResult{n}, storeError(err)
}

// StaleLeft counts the sources still to be reindexed.
func (a *Activities) StaleLeft(ctx context.Context, in IndexInput) (StaleResult, error) {
	n, err := a.Store.RebuildIndex(ctx, tender(ctx, in.AgentRef), 0)
	return StaleResult{n}, storeError(err)
}

// indexChanged reports that an agent's documents have changed.
func (a *Activities) indexChanged(ref AgentRef) {
	select {
	case a.Changed <- ref:
	default:
	}
}

// AgentRef names an agent; an empty Agent means the workspace itself.
type AgentRef = indexes.AgentRef

// TendIndexInput asks for the lexical work of an agent's index.
type TendIndexInput struct {
	AgentRef
}

// TendIndexResult counts finished and remaining work.
type TendIndexResult struct {
	Packed int  `json:"packed,omitempty"` // units in the segments that were built
	Stale  int  `json:"stale,omitempty"`  // sources still to be reindexed
	More   bool `json:"more,omitempty"`   // it ran out of time: call again
	// Spaces are the spaces with missing vectors; none without an embedding model.
	Spaces []SpaceDue `json:"spaces,omitempty"`
}

// SpaceDue is an embedding space with missing vectors.
type SpaceDue struct {
	Space int64 `json:"space"` // 0: the live one, created if there is none
	Due   int64 `json:"due"`   // sources with a unit that has no vector
}

// EmbedInput asks for the missing vectors of one space.
type EmbedInput struct {
	AgentRef
	Space int64 `json:"space,omitempty"` // 0: the live one, created if there is none
}

// EmbedResult counts units.
type EmbedResult struct {
	Embedded int          `json:"embedded,omitempty"` // units that got a vector
	Cached   int          `json:"cached,omitempty"`   // of these, from the cache of known texts
	Refused  int          `json:"refused,omitempty"`  // units whose text the model refuses; they get no vector
	Usage    memory.Usage `json:"usage,omitzero"`
	// More reports that it ran out of time: call again.
	More bool `json:"more,omitempty"`
	// Gone reports that the space is no longer filled.
	Gone bool `json:"gone,omitempty"`
	// WaitUntil is the time at which the budget renews.
	WaitUntil time.Time `json:"waitUntil,omitzero"`
}

// OpenSpaceInput requests a second space in addition to the live one.
type OpenSpaceInput struct {
	AgentRef
	Identity memory.EmbeddingIdentity `json:"identity"`
}

// OpenSpaceResult identifies the space.
type OpenSpaceResult struct {
	Space int64 `json:"space"`
	// Live is the live space; 0: this space is live.
	Live int64 `json:"live,omitempty"`
}

// SpaceInput names one space of an agent.
type SpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
}

// SpaceProgress is the progress of filling a space.
type SpaceProgress struct {
	Found bool  `json:"found"`
	Done  int64 `json:"done"`  // vectors
	Total int64 `json:"total"` // vectors of the agent's fullest space; an estimate while that one is incomplete
	Due   int64 `json:"due"`   // sources with a unit that has no vector
}

// CompareSpacesInput asks how well a space finds what the live one finds.
type CompareSpacesInput struct {
	AgentRef
	Space   int64 `json:"space"`
	Samples int   `json:"samples"` // questions, made from sampled units
}

// Comparison compares the answers of two spaces to the same questions. Shares are between 0 and 1.
type Comparison struct {
	// Questions is the number of questions. 0: the spaces could not be compared, and the other fields are unset.
	Questions int `json:"questions"`
	// Overlap is the average share of the live space's first ten results that are also among the other's first ten.
	Overlap float64 `json:"overlap"`
	// LiveFound is the share of questions whose own unit is among the first ten results of the live space.
	LiveFound float64 `json:"liveFound"`
	// NextFound is the same for the other space.
	NextFound float64 `json:"nextFound"`
}

// Worse reports whether the other space finds less than the live one by more than tolerance.
func (c Comparison) Worse(tolerance float64) bool { return c.NextFound < c.LiveFound-tolerance }

// DropSpaceInput asks for the removal of a space that is not live.
type DropSpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
	Limit int   `json:"limit"` // vectors to delete at once; 0 only takes the space out of use
}

// DropSpaceResult reports whether vectors are left.
type DropSpaceResult struct {
	More bool `json:"more,omitempty"`
}

// IndexInput names the agent.
type IndexInput struct {
	AgentRef
}

// StaleResult counts sources to be reindexed.
type StaleResult struct {
	Sources int `json:"sources"`
}

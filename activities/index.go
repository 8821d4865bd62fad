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

// AgentRef names an agent; an empty Agent stands for what belongs to the workspace.
type AgentRef = store.AgentRef

// TendIndexInput asks for the lexical work of an agent's index.
type TendIndexInput struct {
	AgentRef
}

// TendIndexResult is what was done and what is left.
type TendIndexResult struct {
	Packed int  `json:"packed,omitempty"` // units of the segments that were made
	Stale  int  `json:"stale,omitempty"`  // sources that are still to be indexed anew
	More   bool `json:"more,omitempty"`   // it ran out of time: ask again
	// Spaces are those in which vectors are missing. None without an embedding model.
	Spaces []SpaceDue `json:"spaces,omitempty"`
}

// SpaceDue is an embedding space in which vectors are missing.
type SpaceDue struct {
	Space int64 `json:"space"` // 0: the live one, which is made when there is none
	Due   int64 `json:"due"`   // sources of which some unit has no vector
}

// EmbedInput asks for the missing vectors of one space.
type EmbedInput struct {
	AgentRef
	Space int64 `json:"space,omitempty"` // 0: the live one, which is made when there is none
}

// EmbedResult counts units.
type EmbedResult struct {
	Embedded int          `json:"embedded,omitempty"` // have a vector now
	Cached   int          `json:"cached,omitempty"`   // of those, from texts that were embedded before
	Refused  int          `json:"refused,omitempty"`  // have none, and will not get one: the model does not take their text
	Usage    memory.Usage `json:"usage,omitzero"`
	// More says that it ran out of time: ask again.
	More bool `json:"more,omitempty"`
	// Gone says that the space is not filled any more.
	Gone bool `json:"gone,omitempty"`
	// WaitUntil is when the budget renews.
	WaitUntil time.Time `json:"waitUntil,omitzero"`
}

// OpenSpaceInput asks for a space beside the live one.
type OpenSpaceInput struct {
	AgentRef
	Identity memory.EmbeddingIdentity `json:"identity"`
}

// OpenSpaceResult is the space.
type OpenSpaceResult struct {
	Space int64 `json:"space"`
	// Live is the space beside which it is built; 0: it is live itself.
	Live int64 `json:"live,omitempty"`
}

// SpaceInput names one space of an agent.
type SpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
}

// SpaceProgress is how far a space is filled.
type SpaceProgress struct {
	Found bool  `json:"found"`
	Done  int64 `json:"done"`  // vectors
	Total int64 `json:"total"` // vectors of the fullest space of the agent: an estimate while something is missing there too
	Due   int64 `json:"due"`   // sources of which some unit has none
}

// CompareSpacesInput asks how well a space finds what the live one finds.
type CompareSpacesInput struct {
	AgentRef
	Space   int64 `json:"space"`
	Samples int   `json:"samples"` // questions, made of sampled units
}

// Comparison tells how two spaces answer the same questions. The shares are between 0 and 1.
type Comparison struct {
	// Questions is how many were asked. 0: they could not be compared, and nothing else is known.
	Questions int `json:"questions"`
	// Overlap is the share of the first ten of the live space that are among the first ten of the other, on average.
	Overlap float64 `json:"overlap"`
	// LiveFound is the share of questions whose own unit is among the first ten of the live space.
	LiveFound float64 `json:"liveFound"`
	// NextFound is the same for the other space.
	NextFound float64 `json:"nextFound"`
}

// Worse reports whether the other space finds less than the live one, by more than a tolerance.
func (c Comparison) Worse(tolerance float64) bool { return c.NextFound < c.LiveFound-tolerance }

// DropSpaceInput asks for the removal of a space that is not live.
type DropSpaceInput struct {
	AgentRef
	Space int64 `json:"space"`
	Limit int   `json:"limit"` // vectors that go at once; 0 only takes the space out of use
}

// DropSpaceResult says whether some vectors are left.
type DropSpaceResult struct {
	More bool `json:"more,omitempty"`
}

// IndexInput names whose index is meant.
type IndexInput struct {
	AgentRef
}

// StaleResult counts sources that are to be indexed anew.
type StaleResult struct {
	Sources int `json:"sources"`
}

package activities

import (
	"context"
	"errors"
	"slices"

	"reverie/store"
	"reverie/store/indexes"
)

// OpenSpace creates a space for another model beside the live one, or finds it.
func (a *Activities) OpenSpace(ctx context.Context, in OpenSpaceInput) (OpenSpaceResult, error) {
	id := tender(ctx, in.AgentRef)
	space, err := a.Store.OpenSpace(ctx, id, in.Identity)
	if err != nil {
		return OpenSpaceResult{}, storeError(err)
	}
	out := OpenSpaceResult{Space: space.ID}
	if space.State != indexes.SpaceLive {
		live, err := a.Store.LiveSpace(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return OpenSpaceResult{}, storeError(err)
		}
		out.Live = live.ID
	}
	return out, nil
}

// FollowSpace returns the progress of filling a space.
func (a *Activities) FollowSpace(ctx context.Context, in SpaceInput) (SpaceProgress, error) {
	spaces, err := a.Store.Spaces(ctx, tender(ctx, in.AgentRef))
	if err != nil {
		return SpaceProgress{}, storeError(err)
	}
	var out SpaceProgress
	for _, s := range spaces {
		out.Total = max(out.Total, s.Vectors)
		if s.ID == in.Space {
			out.Found, out.Done, out.Due = true, s.Vectors, s.Due
		}
	}
	return out, nil
}

// SwitchSpace makes a space the live one for all searches at once. The previous live space is retired.
func (a *Activities) SwitchSpace(ctx context.Context, in SpaceInput) (SpaceProgress, error) {
	if _, err := a.Store.SwitchSpace(ctx, tender(ctx, in.AgentRef), in.Space); err != nil {
		return SpaceProgress{}, storeError(err)
	}
	return a.FollowSpace(ctx, in)
}

// DropSpace deletes some vectors of a space that is not live, and the space itself with the last of them.
func (a *Activities) DropSpace(ctx context.Context, in DropSpaceInput) (DropSpaceResult, error) {
	more, err := a.Store.DropSpace(ctx, tender(ctx, in.AgentRef), in.Space, in.Limit)
	return DropSpaceResult{more}, storeError(err)
}

// CompareSpaces asks the live space and another one questions made from the index: the first sentences of sampled
// units. It returns no questions when the live space's model is no longer configured, or when there is nothing to
// ask about.
func (a *Activities) CompareSpaces(ctx context.Context, in CompareSpacesInput) (Comparison, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	c := comparing{Activities: a, id: tender(ctx, in.AgentRef)}
	if in.Agent == "" { // the workspace itself is searched only through its agents
		return Comparison{}, nil
	}
	spaces, err := a.Store.Spaces(ctx, c.id)
	if err != nil {
		return Comparison{}, storeError(err)
	}
	live := slices.IndexFunc(spaces, func(s indexes.Space) bool { return s.State == indexes.SpaceLive })
	next := slices.IndexFunc(spaces, func(s indexes.Space) bool { return s.ID == in.Space })
	if live < 0 || next < 0 || live == next {
		return Comparison{}, nil
	}
	if err := c.sample(ctx, in.Samples); err != nil {
		return Comparison{}, storeError(err)
	}
	return c.compare(ctx, spaces[live], spaces[next])
}

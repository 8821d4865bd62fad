package activities

import (
	"context"
	"errors"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/tidy"
)

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

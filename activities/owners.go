package activities

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/memory"
)

// knownOwners is how many owners a worker remembers the keys of: a few megabytes at most.
const knownOwners = 10_000

// ownerKeys remembers whose opaque id is whose. The pair never changes, so that a remembered one is never wrong; asking
// the database for it would be every third transaction of an extraction.
type ownerKeys = lru.Cache[memory.OwnerRef, memory.Owner]

// ownerOf finds whose memory ref is about.
func (a *Activities) ownerOf(ctx context.Context, id memory.Identity, ref memory.OwnerRef) (memory.Owner, error) {
	if owner, known := a.owners.Get(ref); known {
		return owner, nil
	}
	owner, err := a.Store.ResolveOwner(ctx, id, ref.Owner)
	if err != nil {
		return "", err
	}
	a.owners.Add(ref, owner)
	return owner, nil
}

package store

import "context"

// EnsureWorkspace makes a workspace unless it exists; an existing one keeps its name. It is for the process that sets a
// deployment up, which is why it takes no identity.
func (s *Store) EnsureWorkspace(ctx context.Context, slug, name string) error { panic("signature") }

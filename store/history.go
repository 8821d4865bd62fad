package store

import (
	"context"

	"reverie/memory"
)

// History lists versions of a document below before (0: all), newest first, without contents.
func (s *Store) History(ctx context.Context, id memory.Identity, ref memory.Ref, before, limit int) ([]memory.Version, error) {
	panic("signature")
}

// VersionOf returns one version with its content, which is empty for a version that deleted the document.
func (s *Store) VersionOf(ctx context.Context, id memory.Identity, ref memory.Ref, number int) (memory.Version, error) {
	panic("signature")
}

// Blame tells for every line of a version (0: the current one) where it came from.
func (s *Store) Blame(ctx context.Context, id memory.Identity, ref memory.Ref, number int) ([]memory.BlameLine, error) {
	panic("signature")
}

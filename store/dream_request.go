package store

import (
	"context"
	"errors"

	"reverie/memory"
)

// DreamOfRequest is the dream of the identity's owner that a request with this key asked for. It returns ErrNotFound when there
// is none.
func (s *Store) DreamOfRequest(ctx context.Context, id memory.Identity, request string) (Dream, error) {
	return Dream{}, errors.ErrUnsupported
}

package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const sqlDreamOfRequest = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.owner_key = @owner and x.request = @request and x.request <> ''`

// DreamOfRequest is the dream of the identity's owner that a request with this key asked for. It returns ErrNotFound when there
// is none.
func (s *Store) DreamOfRequest(ctx context.Context, id memory.Identity, request string) (Dream, error) {
	if err := requireOwner(id); err != nil {
		return Dream{}, err
	}
	return read(ctx, s, id, func(t *tx) (d Dream, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlDreamOfRequest, t.args(pgx.NamedArgs{"request": request})), &found,
			func(row pgx.CollectableRow) (err error) { d, err = scanDream(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return Dream{}, err
		}
		if !found {
			return Dream{}, fmt.Errorf("a dream of this request: %w", ErrNotFound)
		}
		return d, nil
	})
}

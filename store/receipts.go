package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Receipt returns the receipt that an idempotency key of the identity's owner gave before, marked as replayed; false when
// it was not used.
func (s *Store) Receipt(ctx context.Context, id memory.Identity, key string) (memory.Receipt, bool, error) {
	receipt, err := s.recorded(ctx, id, key)
	if errors.Is(err, ErrNotFound) {
		return memory.Receipt{}, false, nil
	}
	return receipt, err == nil, err
}

const sqlVersionReceipt = `
select v.document_id, v.version, v.added, v.removed, v.sha256, octet_length(v.content), j.event_id
from (
    select *
    from document_versions
    where workspace_id = @workspace and agent_id = @row_agent and version = @version and document_id = (
        select document_id
        from documents
        where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path)
) v
cross join lateral (
    select event_id
    from journal j
    where j.workspace_id = @workspace and j.agent_id = @row_agent and j.document_id = v.document_id and j.version = v.version
    order by event_id
    limit 1
) j`

// ReceiptOfVersion is what the write answered that made a version: which one it was, and the token of its journal entry. Its
// key is not known.
func (s *Store) ReceiptOfVersion(ctx context.Context, id memory.Identity, ref memory.Ref, version int) (memory.Receipt, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return memory.Receipt{}, err
	}
	args["version"] = version
	return read(ctx, s, id, func(t *tx) (memory.Receipt, error) {
		c := memory.ChangeReceipt{Scope: ref.Scope, Path: args["path"].(string), Created: version == 1, Changed: true, Verdict: memory.VerdictAllow} //nolint:forcetypeassert // refArgs puts a string there
		var event int64
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlVersionReceipt, t.args(args)), &found, func(row pgx.CollectableRow) error {
			var sha []byte
			err := row.Scan(&c.Document, &c.Version, &c.Added, &c.Removed, &sha, &c.Bytes, &event)
			c.SHA256 = hex.EncodeToString(sha)
			return err
		})
		if err := t.finish(ctx, b); err != nil {
			return memory.Receipt{}, err
		}
		if !found {
			return memory.Receipt{}, fmt.Errorf("version %d of document %s: %w", version, ref.Path, ErrNotFound)
		}
		return memory.Receipt{Token: strconv.FormatInt(event, 10), Changes: []memory.ChangeReceipt{c}}, nil
	})
}

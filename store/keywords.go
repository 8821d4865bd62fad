package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// sqlDocumentsWith compares as the keyword search folds, nearly: what it finds is looked at once more.
const sqlDocumentsWith = documentColumns + `octet_length(v.content), v.content` + visibleDocuments + `
where not d.deleted and d.document_id = any (@documents::uuid[])
    and (select bool_and(position(term in lower(normalize(v.content, NFKC))) > 0) from unnest(@terms::text[]) term)
order by d.updated_at desc, d.document_id
limit @limit`

// DocumentsWith returns those of some documents that the identity sees and that have all terms somewhere, in any case, with
// content: at most limit, the latest first.
func (s *Store) DocumentsWith(ctx context.Context, id memory.Identity, documents []uuid.UUID, terms []string, limit int) ([]memory.Document, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (found []memory.Document, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlDocumentsWith, t.args(pgx.NamedArgs{"documents": documents, "terms": terms, "limit": limitOf(limit)})), &found, scanContent)
		err = t.finish(ctx, b)
		return found, err
	})
}

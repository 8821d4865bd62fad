package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
)

// CorpusStatus is what the index has of one corpus, as far as the identity sees it.
type CorpusStatus struct {
	Corpus   search.Corpus
	Sources  int64 // documents or conversations
	Units    int64
	Fresh    int64 // writes that no segment has yet
	Segments int64
	Stale    int64 // sources that are to be indexed anew
	Bytes    int64 // of postings and units, packed
}

// Lag says what of an index waits for vectors.
type Lag struct {
	Sources int64      // documents and conversations
	Since   *time.Time // when the oldest of them was written; nil: nothing waits
}

const (
	sqlCorpusStatus = visibleShelves + `
select c.corpus,
    count(s.corpus),
    coalesce(sum(s.units), 0)::bigint,
    (select count(*)
    from shelf
    join index_fresh f on f.workspace_id = @workspace and f.agent_id = shelf.agent_id and f.corpus = c.corpus
        and f.scope = shelf.scope and f.owner_key = shelf.owner_key),
    (select count(*)
    from shelf
    join index_segments g on g.workspace_id = @workspace and g.agent_id = shelf.agent_id and g.corpus = c.corpus
        and g.scope = shelf.scope and g.owner_key = shelf.owner_key),
    count(*) filter (where s.index_format <> @format),
    (select coalesce(sum(octet_length(f.data)), 0)::bigint
    from shelf
    join index_fresh f on f.workspace_id = @workspace and f.agent_id = shelf.agent_id and f.corpus = c.corpus
        and f.scope = shelf.scope and f.owner_key = shelf.owner_key)
    + (select coalesce(sum(octet_length(g.data) + b.bytes), 0)::bigint
    from shelf
    join index_segments g on g.workspace_id = @workspace and g.agent_id = shelf.agent_id and g.corpus = c.corpus
        and g.scope = shelf.scope and g.owner_key = shelf.owner_key
    cross join lateral (
        select coalesce(sum(octet_length(b.data)), 0) as bytes
        from index_blocks b
        where b.workspace_id = @workspace and b.agent_id = g.agent_id and b.segment_id = g.segment_id
    ) b)
from unnest(@corpora::text[]) with ordinality c (corpus, place)
left join (
    select i.corpus, i.units, i.index_format
    from shelf
    join index_sources i on i.workspace_id = @workspace and i.agent_id = shelf.agent_id and i.scope = shelf.scope
        and i.owner_key = shelf.owner_key
) s on s.corpus = c.corpus
group by c.corpus, c.place
order by c.place`

	sqlLag = visibleShelves + `
select count(*), min(i.changed_at)
from shelf
cross join lateral (
    select changed_at
    from index_sources i
    where i.workspace_id = @workspace and i.agent_id = shelf.agent_id and i.scope = shelf.scope and i.owner_key = shelf.owner_key
        and i.embed_due and i.corpus = any (@corpora::text[]) and (@token::bigint = 0 or i.token <= @token)
    offset 0
) i`
)

// IndexStatus tells what the index has of each corpus.
func (s *Store) IndexStatus(ctx context.Context, id memory.Identity) ([]CorpusStatus, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return snapshot(ctx, s, id, func(t *tx) (status []CorpusStatus, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlCorpusStatus, t.viewArgs(pgx.NamedArgs{"corpora": search.Corpora(), "format": indexFormat})), &status, pgx.RowToStructByPos[CorpusStatus])
		err = t.finish(ctx, b)
		return status, err
	})
}

// IndexLag tells what waits for vectors among what the identity may find in some corpora; with a token other than 0, among
// what was written up to it. Lexical search never waits: what is committed is found.
func (s *Store) IndexLag(ctx context.Context, id memory.Identity, corpora []search.Corpus, token int64) (Lag, error) {
	if err := requireAgent(id); err != nil {
		return Lag{}, err
	}
	return read(ctx, s, id, func(t *tx) (lag Lag, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlLag, t.viewArgs(pgx.NamedArgs{"corpora": corpora, "token": token})).QueryRow(func(row pgx.Row) error {
			return row.Scan(&lag.Sources, &lag.Since)
		})
		err = t.finish(ctx, b)
		return lag, err
	})
}

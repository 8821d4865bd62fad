package indexes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgvector/pgvector-go"

	"reverie/memory"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/store/pg"
)

// VectorQuery asks for the units nearest to a vector.
type VectorQuery struct {
	Corpus search.Corpus
	Space  int64 // of the identity's agent; the workspace's space of the same identity is searched as well
	Vector []float32
	Depth  int // hits
}

// viewIsLarge selects whether the space is a large one and the visible partitions have too many vectors to compare each.
const viewIsLarge = `
    select p.large and @exact::bigint < (
        select coalesce(sum(s.units), 0)
        from partition
        cross join lateral (
            select units
            from index_sources s
            where s.workspace_id = @workspace and s.agent_id = partition.agent_id and s.scope = partition.scope
                and s.owner_key = partition.owner_key and s.corpus = @corpus
            offset 0
        ) s)
    from index_spaces p
    where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space`

// everyVector compares all visible vectors: those of the agent's space, and of the workspace's space of the same embedding
// identity. The distance is an expression, so that the planner never uses an approximate index, which would lose vectors hidden
// after those of other owners. The large space @indexed is left out: its own index is searched.
const everyVector = `
    select v.group_no, v.ordinal, 1 - v.distance as similarity
    from partition
    cross join lateral (
        select space_id
        from index_spaces
        where workspace_id = @workspace and agent_id = partition.agent_id and state <> 'dropping' and identity_key = (
            select identity_key from index_spaces
            where workspace_id = @workspace and agent_id = @agent and space_id = @space)
        limit 1
    ) space
    cross join lateral (
        select group_no, ordinal, (embedding <=> @vector::halfvec) + 0 as distance
        from index_vectors
        where workspace_id = @workspace and agent_id = partition.agent_id and space_id = space.space_id and corpus = @corpus
            and scope = partition.scope and owner_key = partition.owner_key
        union all
        select group_no, ordinal, (embedding <=> @vector::halfvec) + 0
        from index_vectors_large
        where space_id = space.space_id and workspace_id = @workspace and agent_id = partition.agent_id and corpus = @corpus
            and scope = partition.scope and owner_key = partition.owner_key and space.space_id <> @indexed::bigint
        offset 0
    ) v`

const (
	sqlViewIsLarge = visiblePartitions + viewIsLarge

	sqlNearest = visiblePartitions + `
, size as materialized (` + viewIsLarge + `
), near as materialized (` + everyVector + `
    where not coalesce((select * from size), false)
)
select group_no, ordinal, similarity,
    (select count(*) from near), (select avg(similarity) from near), (select coalesce(stddev_samp(similarity), 0) from near)
from near
order by similarity desc, group_no, ordinal
limit @depth`
)

// Nearest compares a vector with all that the identity may find in a corpus, best first. Units without a vector are not included.
// Up to ExactUnits every vector is compared; beyond, an approximate index finds most of the nearest, and Count, Mean and Deviation
// stay 0.
func (s *Index) Nearest(ctx context.Context, id memory.Identity, q VectorQuery) (fuse.Dense, error) {
	if err := pg.RequireAgent(id); err != nil {
		return fuse.Dense{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (dense fuse.Dense, err error) {
		args := viewArgs(t, pgx.NamedArgs{
			"corpus": q.Corpus, "space": q.Space, "vector": pgvector.NewHalfVector(q.Vector), "depth": q.Depth,
			"exact": s.ExactUnits, "indexed": 0,
		})
		large, found := false, false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlViewIsLarge, args), &found, &large)
		b.Queue(sqlNearest, args).Query(func(rows pgx.Rows) error {
			var hit fuse.DenseHit
			_, err := pgx.ForEachRow(rows, []any{
				&hit.Unit.Group, &hit.Unit.Ordinal, &hit.Similarity, &dense.Count, &dense.Mean, &dense.Deviation,
			}, func() error {
				dense.Hits = append(dense.Hits, hit)
				return nil
			})
			return err
		})
		if err := t.Send(ctx, b); err != nil || !large {
			return dense, err
		}
		return nearestOfLarge(ctx, t, q, args)
	})
}

// TextHash identifies an embedded text.
type TextHash [sha256.Size]byte

// DueUnit is a unit that waits for its vector.
type DueUnit struct {
	Key    index.UnitKey
	Corpus search.Corpus
	Scope  memory.Scope
	Owner  memory.Owner
	Text   string // to embed: the context of the unit, and its text
	Hash   TextHash
}

// DueUnits are some units that wait for a vector in one space, and how far they cover their sources.
type DueUnits struct {
	Units   []DueUnit
	Reached []Reached
}

// Reached means that everything of a source up to an ordinal is among the units, or needs no vector.
type Reached struct {
	Group   int64
	Ordinal int64
}

const (
	sqlDueSources = `
select s.corpus, s.scope, s.owner_key, s.source_uid, s.group_no, s.version, s.head, coalesce(p.done, 0)
from index_sources s
left join lateral (
    select done from index_progress p
    where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space and p.group_no = s.group_no
    limit 1
) p on true
where s.workspace_id = @workspace and s.agent_id = @agent and s.embed_due and s.index_format = @format and coalesce(p.done, 0) < s.head
order by s.group_no
limit @sources`

	sqlDueDocument = `
select d.path, v.content
from documents d
cross join lateral (
    select content from document_versions v
    where v.workspace_id = @workspace and v.agent_id = @agent and v.document_id = @source and v.version = @version
    limit 1
) v
where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = @source`
)

// dueSources is the number of sources that one call looks at.
const dueSources = 32

// dueSource is a source with units that wait for vectors.
type dueSource struct {
	Indexed
	group, head, done int64
}

// DueUnits lists about limit units of the identity's agent that have no vector in a space, in the order of indexing.
func (s *Index) DueUnits(ctx context.Context, id memory.Identity, space int64, limit int) (DueUnits, error) {
	if err := pg.RequireTender(id); err != nil {
		return DueUnits{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (due DueUnits, err error) {
		var sources []dueSource
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlDueSources, t.Args(pgx.NamedArgs{"space": space, "format": indexFormat, "sources": dueSources})), &sources,
			func(row pgx.CollectableRow) (s dueSource, err error) {
				s.Agent = t.Agent
				err = row.Scan(&s.Corpus, &s.Scope, &s.Owner, &s.UID, &s.group, &s.version, &s.head, &s.done)
				return s, err
			})
		if err := t.Send(ctx, b); err != nil {
			return DueUnits{}, err
		}
		for _, source := range sources {
			if len(due.Units) >= limit {
				break
			}
			if err := source.addTo(ctx, t, &due, limit-len(due.Units)); err != nil {
				return DueUnits{}, err
			}
		}
		return due, nil
	})
}

// addTo adds at most limit units of a source.
func (s dueSource) addTo(ctx context.Context, t *pg.Tx, due *DueUnits, limit int) error {
	pieces, end, err := s.pieces(ctx, t, limit)
	if err != nil {
		return err
	}
	reached := s.done
	for _, p := range pieces {
		at := index.Unit{Seq: p.Seq, Part: p.Part}.Ordinal()
		if at <= s.done {
			continue
		}
		if limit == 0 {
			end = reached
			break
		}
		limit--
		text := p.Text
		if p.Context != "" {
			text = p.Context + "\n" + text
		}
		due.Units = append(due.Units, DueUnit{
			Key: index.UnitKey{Group: s.group, Ordinal: at}, Corpus: s.Corpus, Scope: s.Scope, Owner: s.Owner,
			Text: text, Hash: sha256.Sum256([]byte(text)),
		})
		reached = at
	}
	due.Reached = append(due.Reached, Reached{s.group, end})
	return nil
}

// pieces chunks the source as the index did; of a conversation, some messages. end is the ordinal up to which there are no others.
func (s dueSource) pieces(ctx context.Context, t *pg.Tx, limit int) (pieces []chunk.Piece, end int64, err error) {
	b := &pgx.Batch{}
	if s.Corpus != search.Sessions {
		found, path, content := false, "", ""
		pg.Columns(b.Queue(sqlDueDocument, s.args(t, pgx.NamedArgs{"source": s.UID, "version": s.version})), &found, &path, &content)
		err := t.Send(ctx, b)
		return chunk.Document(path, content, chunk.DefaultOptions()), s.head, err
	}
	var messages []memory.Message
	pg.All(b.Queue(sqlReindexMessages, s.args(t, pgx.NamedArgs{
		"source": s.UID, "after": s.done/chunk.MaxParts - 1, "limit": limit + 1,
	})), &messages, pg.ScanMessage)
	if err := t.Send(ctx, b); err != nil {
		return nil, 0, err
	}
	end = s.head
	if n := len(messages); n > limit {
		end = index.Unit{Seq: messages[n-1].Seq, Part: chunk.MaxParts - 1}.Ordinal()
	}
	return turnPieces(messages), end, nil
}

const (
	sqlCachedVectors = `
select c.text_hash, c.embedding
from unnest(@hashes::bytea[]) h (text_hash)
cross join lateral (
    select * from embedding_cache c
    where c.workspace_id = @workspace and c.identity_key = @key and c.text_hash = h.text_hash
    limit 1
) c`

	sqlCacheVectors = `
insert into embedding_cache (workspace_id, identity_key, text_hash, embedding, used_at)
select distinct on (v.text_hash) @workspace, p.identity_key, v.text_hash, v.embedding, @now::timestamptz
from unnest(@hashes::bytea[], @vectors::halfvec[]) v (text_hash, embedding)
cross join (
    select identity_key from index_spaces where workspace_id = @workspace and agent_id = @agent and space_id = @space
) p
on conflict (workspace_id, identity_key, text_hash) do update set used_at = excluded.used_at`

	// The space is locked against being dropped: a drop runs afterwards, and finds these vectors.
	sqlVectorSpace = `
select space_id
from index_spaces
where workspace_id = @workspace and agent_id = @agent and space_id = @space
for share`

	// The source is locked against being indexed again. If it was already, it was removed together with its vectors.
	sqlVectorSource = `
select group_no
from index_sources
where group_no = @group
for update`

	sqlSaveVectors = `
insert into index_vectors (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding)
select @workspace, @agent, @space, v.corpus, v.scope, v.owner_key, v.group_no, v.ordinal, v.embedding
from unnest(@corpora::text[], @scopes::text[], @owners::text[], @groups::bigint[], @ordinals::bigint[], @vectors::halfvec[])
    v (corpus, scope, owner_key, group_no, ordinal, embedding)
cross join lateral (
    select from index_sources s
    where s.group_no = v.group_no and s.agent_id = @agent and s.scope = v.scope and s.owner_key = v.owner_key
    offset 0
) s
cross join lateral (
    select from index_spaces p
    where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space and p.state <> 'dropping'
    offset 0
) p
on conflict (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) do update set embedding = excluded.embedding`

	sqlSaveProgress = `
insert into index_progress (workspace_id, agent_id, scope, owner_key, space_id, group_no, done)
select @workspace, @agent, scope, owner_key, @space, group_no, @done::bigint
from index_sources
where group_no = @group and agent_id = @agent
on conflict (workspace_id, agent_id, space_id, group_no) do update set done = greatest(index_progress.done, excluded.done)`

	// A source is no longer due when every space that is kept up to date covers all of it.
	sqlNothingDue = `
update index_sources s set embed_due = false
where s.group_no = @group and s.agent_id = @agent and 0 = (
    select count(*)
    from index_spaces p
    where p.workspace_id = @workspace and p.agent_id = @agent and p.state in ('building', 'live') and s.head > coalesce((
        select done
        from index_progress d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.space_id = p.space_id and d.group_no = @group), 0))`
)

// CachedVectors returns the vectors of texts that the workspace has embedded before with the same embedding identity.
func (s *Index) CachedVectors(
	ctx context.Context, id memory.Identity, of memory.EmbeddingIdentity, hashes []TextHash,
) (map[TextHash][]float32, error) {
	if err := pg.RequireTender(id); err != nil {
		return nil, err
	}
	vectors := make(map[TextHash][]float32, len(hashes))
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (map[TextHash][]float32, error) {
		b := &pgx.Batch{}
		b.Queue(sqlCachedVectors, t.Args(pgx.NamedArgs{"key": of.Key(), "hashes": bytesOf(hashes)})).Query(func(rows pgx.Rows) error {
			var hash []byte
			var vector pgvector.HalfVector
			_, err := pgx.ForEachRow(rows, []any{&hash, &vector}, func() error {
				vectors[TextHash(hash)] = vector.Slice()
				return nil
			})
			return err
		})
		return vectors, t.Finish(ctx, b)
	})
}

// SaveVectors stores the vectors of due units, vectors[i] of due.Units[i], caches them for equal texts of the workspace, and
// records how far the sources are done. A nil vector marks a text that cannot be embedded. Sources that were indexed again
// in the meantime are left out. It returns the number of vectors stored.
func (s *Index) SaveVectors(ctx context.Context, id memory.Identity, space int64, due DueUnits, vectors [][]float32) (int, error) {
	if err := pg.RequireTender(id); err != nil {
		return 0, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (saved int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlVectorSpace, t.Args(pgx.NamedArgs{"space": space}))
		slices.SortFunc(due.Reached, func(a, b Reached) int { return cmp.Compare(a.Group, b.Group) }) // all lock in this order
		for _, r := range due.Reached {
			b.Queue(sqlVectorSource, pgx.NamedArgs{"group": r.Group})
		}
		args := t.Args(due.columns(space, vectors))
		b.Queue(sqlCacheVectors, args)
		b.Queue(sqlSaveVectors, args).Exec(func(tag pgconn.CommandTag) error {
			saved = int(tag.RowsAffected())
			return nil
		})
		for _, r := range due.Reached {
			args := t.Args(pgx.NamedArgs{"space": space, "group": r.Group, "done": r.Ordinal})
			b.Queue(sqlSaveProgress, args)
			b.Queue(sqlNothingDue, args)
		}
		err = t.Finish(ctx, b)
		return saved, err
	})
}

// columns returns the arguments of the statements that save vectors.
func (d DueUnits) columns(space int64, vectors [][]float32) pgx.NamedArgs {
	var corpora, scopes, owners []string
	var groups, ordinals []int64
	var hashes []TextHash
	var embeddings []pgvector.HalfVector
	for i, u := range d.Units {
		if vectors[i] == nil {
			continue
		}
		corpora, scopes, owners = append(corpora, string(u.Corpus)), append(scopes, string(u.Scope)), append(owners, string(u.Owner))
		groups, ordinals = append(groups, u.Key.Group), append(ordinals, u.Key.Ordinal)
		hashes, embeddings = append(hashes, u.Hash), append(embeddings, pgvector.NewHalfVector(vectors[i]))
	}
	return pgx.NamedArgs{
		"space": space, "corpora": corpora, "scopes": scopes, "owners": owners, "groups": groups, "ordinals": ordinals,
		"hashes": bytesOf(hashes), "vectors": embeddings,
	}
}

func bytesOf(hashes []TextHash) [][]byte {
	all := make([][]byte, len(hashes))
	for i := range hashes {
		all[i] = hashes[i][:]
	}
	return all
}

// ExactUnits is the number of visible vectors up to which every one is compared, which never misses a neighbour. Comparing 50,000
// vectors of 1,024 dimensions takes about 0.1 s; beyond, an approximate index is used.
const ExactUnits = 50_000

const (
	// nearestEffort is the number of neighbours that the index considers before filtering (hnsw.ef_search).
	nearestEffort = 200
	// mostEffort is the largest value that pgvector accepts for it.
	mostEffort = 1000
	// nearestTuples bounds how far the index continues when too few rows remain after filtering (hnsw.max_scan_tuples).
	nearestTuples = 40_000
)

const (
	sqlLargeEffort = `
select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', @effort::int::text, true),
    set_config('hnsw.max_scan_tuples', @tuples::int::text, true)`

	sqlSpaceGrown = `
select p.large, (
    select count(*)
    from (
        select from index_vectors v
        where v.workspace_id = @workspace and v.agent_id = @agent and v.space_id = @space
        limit @exact::bigint + 1
    ) v)
from index_spaces p
where p.workspace_id = @workspace and p.agent_id = @agent and p.space_id = @space`

	sqlSpaceGrow = `
update index_spaces set large = true
where workspace_id = @workspace and agent_id = @agent and space_id = @space and not large`

	sqlLargeSpace     = `select reverie_large_space(@space)`
	sqlDropLargeSpace = `select reverie_drop_large_space(@space)`

	sqlMoveVectors = `
with moved as (
    delete from index_vectors
    where (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) in (
        select workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal
        from index_vectors
        where workspace_id = @workspace and agent_id = @agent and space_id = @space
        limit @limit)
    returning workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding
)
insert into index_vectors_large (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding)
select workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal, embedding
from moved
on conflict (workspace_id, agent_id, space_id, corpus, scope, owner_key, group_no, ordinal) do update set embedding = excluded.embedding`
)

// nearestSQL returns the search in a large space. The space and its dimensions are literals, since only then the planner sees that
// the index fits. Vectors that are not moved there yet, and the workspace's own, are compared one by one.
func nearestSQL(space int64, dimensions int) string {
	return fmt.Sprintf(visiblePartitions+`
, near as materialized (
    select group_no, ordinal, scope, owner_key, agent_id, 1 - (embedding::halfvec(%[2]d) <=> @vector::halfvec(%[2]d)) as similarity
    from index_vectors_large
    where space_id = %[1]d and workspace_id = @workspace and corpus = @corpus
        and (scope <> 'PERSONAL' or owner_key = @owner or @any::boolean)
    order by embedding::halfvec(%[2]d) <=> @vector::halfvec(%[2]d)
    limit @depth
), rest as materialized (`+everyVector+`
)
select group_no, ordinal, similarity from near
union all
select group_no, ordinal, similarity from rest
order by similarity desc, group_no, ordinal
limit @depth`, space, dimensions)
}

// nearestOfLarge searches the index of a large space.
func nearestOfLarge(ctx context.Context, t *pg.Tx, q VectorQuery, args pgx.NamedArgs) (dense fuse.Dense, err error) {
	b := &pgx.Batch{}
	b.Queue(sqlLargeEffort, pgx.NamedArgs{"effort": min(max(nearestEffort, q.Depth), mostEffort), "tuples": nearestTuples})
	args["indexed"] = q.Space
	b.Queue(nearestSQL(q.Space, len(q.Vector)), args).Query(func(rows pgx.Rows) error {
		var hit fuse.DenseHit
		_, err := pgx.ForEachRow(rows, []any{&hit.Unit.Group, &hit.Unit.Ordinal, &hit.Similarity}, func() error {
			dense.Hits = append(dense.Hits, hit)
			return nil
		})
		return err
	})
	err = t.Finish(ctx, b)
	return dense, err
}

// GrowSpace gives a space of more than ExactUnits vectors its own partition with an HNSW index, and moves up to limit vectors
// there. more reports whether others are left to move. Searches find all vectors throughout.
func (s *Index) GrowSpace(ctx context.Context, id memory.Identity, space int64, limit int) (more bool, err error) {
	if err := pg.RequireTender(id); err != nil {
		return false, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (more bool, err error) {
		args := t.Args(pgx.NamedArgs{"space": space, "exact": s.ExactUnits, "limit": limit})
		large, found, vectors := false, false, int64(0)
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlSpaceGrown, args), &found, &large, &vectors)
		if err := t.Send(ctx, b); err != nil {
			return false, err
		}
		if !found || vectors == 0 || !large && vectors <= s.ExactUnits {
			return false, nil
		}
		moved := int64(0)
		b = &pgx.Batch{}
		if !large {
			b.Queue(sqlLargeSpace, args)
			b.Queue(sqlSpaceGrow, args)
		}
		b.Queue(sqlMoveVectors, args).Exec(func(tag pgconn.CommandTag) error {
			moved = tag.RowsAffected()
			return nil
		})
		err = t.Finish(ctx, b)
		return moved == int64(limit), err
	})
}
